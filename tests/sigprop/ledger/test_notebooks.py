"""Notebooks become pages that carry all they show, and bad input stops before the work."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import nbformat
import pytest
from matplotlib.figure import Figure

from sigprop import landscape
from sigprop.figures.sliders import Sliders
from sigprop.ledger import notebooks as notebook_pages
from tests.command import refused, sigprop

ROOT = Path(__file__).parents[3]
FIRST = r"""
# %% [markdown]
# # One & two
#
# Half of $\lambda < 1$ is $\frac{\lambda}{2}$.
#
# $$E\,h^2 = \frac{1}{1-\lambda^2}$$
#
# [Next](other.py)

# %%
from IPython.display import HTML, Markdown, Math, display
print(6 * 7, "<b>")
display(Math(r"\alpha^2"), Markdown("so $\\beta$"), HTML("<script>let a = 1;</script>"))

# %% tags=["solution"]
assert 1 + 1 == 2
""".lstrip()
OTHER = "# %% [markdown]\n# # Three\n\n# %%\n2 + 3\n"


@pytest.fixture
def source(tmp_path):
    folder = tmp_path / "source"
    folder.mkdir()
    (folder / "first.py").write_text(FIRST)
    (folder / "other.py").write_text(OTHER)
    return folder


@pytest.fixture
def no_work(monkeypatch):
    """Fails a test that gets as far as running a notebook."""

    def run(*arguments):
        raise AssertionError("the work began")

    monkeypatch.setattr(notebook_pages, "run", run)


def test_the_command_writes_a_page_a_notebook_and_an_index(
    source, tmp_path, monkeypatch
):
    folder = tmp_path / "deep" / "pages"
    result = sigprop("notebooks", folder, "--source", source)
    assert result.exit_code == 0, result.output
    assert result.stdout.split("\n")[-2:] == [
        f"2 notebooks: {folder / 'index.html'}",
        "",
    ]
    pages = {file.name: file.read_text("utf-8") for file in folder.iterdir()}
    assert set(pages) == {"first.html", "other.html", "index.html"}
    first = pages["first.html"]
    assert first.count("<math") == 5
    assert "$" not in re.sub(r"(?s)<(style|pre)>.*?</\1>", "", first)
    assert "42 &lt;b&gt;" in first
    assert re.search(
        r"<details><summary>Solution</summary>.*1.*\+.*</details>", first, re.S
    )
    assert '<a href="other.html">Next</a>' in first
    assert ">5<" in re.sub(r"\s", "", pages["other.html"])
    assert re.findall(r"script-src 'sha256-[\w+/=]{44}'", first)
    assert "script-src 'none'" in pages["other.html"]
    for name, page in pages.items():
        assert not re.search(r"https?://", page), name
        assert '<a href="first.html">' in page or name == "first.html"
    assert "<title>One &amp; two</title>" in first
    assert "Half of" in pages["index.html"]
    monkeypatch.setattr(notebook_pages, "run", lambda *arguments: None)
    repeated = sigprop("notebooks", folder, "--source", source)  # over its own pages
    assert repeated.exit_code == 0, repeated.output


def shown(html):
    """A notebook that has run, and shows this."""
    data = {"text/html": html}
    output = nbformat.v4.new_output("display_data", data)
    cells = [
        nbformat.v4.new_markdown_cell("# Shown"),
        nbformat.v4.new_code_cell("show", outputs=[output]),
    ]
    return nbformat.v4.new_notebook(cells=cells)


@pytest.mark.browser
def test_the_explorer_runs_where_its_widget_has_no_kernel(browser, tmp_path):
    notebook = shown(landscape.fragment(rho=0.5))
    widget = "application/vnd.jupyter.widget-view+json"
    notebook.cells[1].outputs[0].data[widget] = {"model_id": "1", "version_major": 2}
    text = notebook_pages.pages({"shown": notebook})["shown.html"]
    assert "widget-view" not in text
    file = tmp_path / "shown.html"
    file.write_text(text, "utf-8")
    page = browser.open(file.as_uri())
    assert page.get_by_label("Input correlation").input_value() == "0.5"


@pytest.mark.browser
def test_sliders_move_under_the_policy_of_their_page(browser, tmp_path):
    sliders = Sliders(
        lambda inches: Figure(figsize=(inches, 1)), {"width": (1, 2)}, (1,), "Else."
    )
    text = notebook_pages.pages({"shown": shown(sliders._repr_html_())})["shown.html"]
    file = tmp_path / "shown.html"
    file.write_text(text, "utf-8")
    width = "document.querySelector('img:not([hidden])').naturalWidth"
    page = browser.open(file.as_uri())
    assert page.evaluate(width) == 100
    page.get_by_label("width: on").click()
    assert page.evaluate(width) == 200
    assert browser.complaints == []
    file.write_text(text.replace("'sha256-", "'sha256-A"), "utf-8")
    browser.open(file.as_uri())  # so that the policy is seen to bite
    assert any(
        "Content Security Policy" in complaint for complaint in browser.complaints
    )
    browser.complaints.clear()


@pytest.mark.usefixtures("no_work")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FIRST.replace("other.py", "none.py"), "a link leads to none.py, which is not"),
        (FIRST.replace(r"\frac{1}", r"\nosuch{1}"), "cannot convert the LaTeX"),
        (
            FIRST.replace("# # One", "# One"),
            "need a notebook that begins with its title",
        ),
        ("# %% [markdown]\n# # No code\n", "need a notebook with cells to run"),
    ],
    ids=["link", "formula", "title", "code"],
)
def test_a_notebook_that_makes_no_page_is_refused_before_the_work(
    source, tmp_path, text, message
):
    (source / "first.py").write_text(text)
    line = refused("notebooks", tmp_path / "pages", "--source", source)
    assert message in line
    assert "first" in line
    assert not (tmp_path / "pages").exists()


@pytest.mark.usefixtures("no_work")
def test_no_notebooks_are_refused_with_what_to_do(tmp_path, monkeypatch):
    line = refused("notebooks", tmp_path / "pages", "--source", tmp_path)
    assert "got none in" in line
    assert "--source" in line
    monkeypatch.setattr(notebook_pages, "FOLDER", tmp_path)
    assert f"got none in {tmp_path}" in refused("notebooks", tmp_path / "x")


@pytest.mark.usefixtures("no_work")
def test_a_folder_that_cannot_be_written_is_refused_before_the_work(source, tmp_path):
    def answer(folder):
        return refused("notebooks", folder, "--source", source)

    file = tmp_path / "file"
    file.write_text("mine")
    assert "a file stands where a folder is wanted" in answer(file)
    assert "a file stands where a folder is wanted" in answer(file / "below")
    (tmp_path / "pages").mkdir()
    mine = tmp_path / "pages" / "other.html"
    mine.write_text("mine")
    assert f"need a place for {mine}, got a file that is not" in answer(mine.parent)
    mine.unlink()
    mine.mkdir()
    assert f"got the folder {mine}" in answer(mine.parent)


@pytest.mark.usefixtures("no_work")
def test_missing_packages_are_named(source, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "nbconvert", None)
    line = refused("notebooks", tmp_path / "pages", "--source", source)
    assert line == (
        "sigprop: need nbconvert for notebooks, got none; run "
        "`pip install 'sigprop[notebooks]'`"
    )


def test_a_failing_notebook_is_named_and_writes_nothing(source, tmp_path):
    (source / "other.py").write_text(OTHER + "\n# %%\n1 / 0\n")
    line = refused("notebooks", tmp_path / "pages", "--source", source)
    assert line.endswith("other: a cell failed: ZeroDivisionError: division by zero")
    assert list((tmp_path / "pages").iterdir()) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import time; time.sleep(60)", "a cell took more than 2 seconds"),
        ("import os; os._exit(1)", "its kernel died"),
    ],
    ids=["time", "death"],
)
def test_a_kernel_that_gives_no_answer_is_given_up(source, message):
    cell = nbformat.v4.new_code_cell(source)
    notebook = nbformat.v4.new_notebook(cells=[cell])
    with pytest.raises(ValueError, match=message):
        notebook_pages.run(notebook, patience=2)


@pytest.mark.slow
def test_an_interruption_ends_the_kernel_and_writes_nothing(source, tmp_path):
    pid = tmp_path / "pid"
    (source / "other.py").write_text(
        f"{OTHER}\n# %%\nimport os, pathlib, time\n"
        f"pathlib.Path({str(pid)!r}).write_text(str(os.getpid()))\ntime.sleep(300)\n"
    )
    folder = tmp_path / "pages"
    command = [sys.executable, "-m", "sigprop", "notebooks", folder, "--source", source]
    process = subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        stderr=subprocess.PIPE,
        text=True,
    )
    end = time.monotonic() + 120
    while not pid.exists() or not pid.read_text():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, output = process.communicate(timeout=30)
    assert process.returncode == 130
    assert "interrupted; no page was written" in output
    kernel = int(pid.read_text())
    while Path(f"/proc/{kernel}/cmdline").exists():
        if not Path(f"/proc/{kernel}/cmdline").read_bytes():
            break  # ended, and not yet asked for its status
        assert time.monotonic() < end
        time.sleep(0.1)
    assert list(folder.iterdir()) == []
