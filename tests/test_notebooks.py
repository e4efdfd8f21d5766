"""Every notebook is committed as text without outputs, and runs from top to bottom."""

import re
from html.parser import HTMLParser
from pathlib import Path

import jupytext
import nbformat
import pytest

from sigprop.figures import lessons
from sigprop.ledger import notebooks as notebook_pages

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.py"))
QUICK = ROOT / "notebooks" / "01_curse_of_memory.py"
MARKED = [
    pytest.param(path, marks=() if path == QUICK else pytest.mark.slow)
    for path in NOTEBOOKS
]
PATIENCE = 120  # seconds a cell may take; a whole notebook needs about twenty
SOLVED = re.compile(r"^\d\.", re.MULTILINE)
LINK = re.compile(r"^- \[(.+)\]\((.+)\)$", re.MULTILINE)
LITERAL = re.compile(r"""["'](C\d|gr[ea]y|red|green|blue|orange|black|0\.\d+)["']""")


@pytest.fixture(scope="module")
def executed():
    """Run a notebook once for all tests of this file."""
    done: dict[Path, nbformat.NotebookNode] = {}

    def run(path):
        if path not in done:
            done[path] = notebook_pages.run(
                notebook_pages.read(path), patience=PATIENCE
            )
        return done[path]

    return run


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def traces_of_running(notebook) -> list[str]:
    return [
        cell.source
        for cell in code_cells(notebook)
        if cell.outputs or cell.execution_count is not None
    ]


def prose(notebook) -> str:
    return "\n\n".join(
        cell.source for cell in notebook.cells if cell.cell_type == "markdown"
    )


def links(notebook) -> dict[str, str]:
    """The last section's: files by the words that lead to them."""
    return dict(LINK.findall(prose(notebook).rpartition("## The other notebooks\n")[2]))


def test_there_are_notebooks_and_nothing_else_stands_beside_them():
    assert NOTEBOOKS
    others = {path.suffix for path in (ROOT / "notebooks").iterdir() if path.is_file()}
    assert others <= {".py", ".ipynb"}, "the .ipynb files are ignored by git"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_is_committed_as_text_without_outputs(path):
    notebook = jupytext.read(path)
    assert (
        notebook.metadata["jupytext"]["text_representation"]["format_name"] == "percent"
    )
    assert notebook.metadata["kernelspec"]["name"] == "python3"
    assert code_cells(notebook)
    assert traces_of_running(notebook) == []
    assert "image/png" not in path.read_text("utf-8")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_says_what_it_needs_teaches_and_asks(path):
    notebook = jupytext.read(path)
    first = notebook.cells[0].source
    assert "**You need**" in first
    assert "**You\nlearn**" in first or "**You learn**" in first
    exercises = (
        prose(notebook).partition("## Exercises\n")[2].partition("## The other")[0]
    )
    solved = [cell for cell in code_cells(notebook) if "tags" in cell.metadata]
    numbers = [SOLVED.match(cell.source.removeprefix("# ")) for cell in solved]
    assert 2 <= len(solved) <= 4
    assert SOLVED.findall(exercises) == [number[0] for number in numbers]
    for cell in solved:
        assert cell.metadata["tags"] == [notebook_pages.SOLUTION]
        assert cell.metadata["jupyter"] == {"source_hidden": True}


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_leads_to_all_others_by_their_titles(path):
    titles = {
        notebook_pages.title(jupytext.read(notebook)): notebook.name
        for notebook in NOTEBOOKS
    }
    assert len(titles) == len(NOTEBOOKS)
    own = jupytext.read(path)
    assert links(own) == {
        title: name for title, name in titles.items() if name != path.name
    }


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_takes_its_colours_from_the_one_style(path):
    text = path.read_text("utf-8").replace('mec="black"', "")  # the rim of a white star
    assert "lessons.use()" in text
    assert LITERAL.findall(text) == []
    assert LITERAL.findall('color="grey"') == ["grey"]


@pytest.mark.parametrize("path", MARKED, ids=lambda path: path.name)
def test_notebook_runs_and_shows_its_plots(path, executed):
    before = path.read_bytes()
    notebook = executed(path)
    outputs = [out for cell in code_cells(notebook) for out in cell.outputs]
    assert traces_of_running(notebook) == [cell.source for cell in code_cells(notebook)]
    assert not [out for out in outputs if out.output_type == "error"]
    noise = [out.text for out in outputs if out.get("name") == "stderr"]
    assert noise == [], "a notebook that warns teaches its reader to look away"
    pictures = sum("image/png" in out.get("data", {}) for out in outputs)
    assert pictures == sum(
        cell.source.count("plt.show()") for cell in code_cells(notebook)
    )
    assert path.read_bytes() == before


class Tables(HTMLParser):
    """What is wrong with the tables of a page, apart from those in its code."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.inside: list[str] = []
        self.rows: list[list[int]] = []  # of each table that is open: cells of its rows
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag in ("pre", "code", "style", "script"):
            self.inside.append(tag)
        elif tag == "table":
            self.rows.append([])
        elif tag == "tr":
            self.rows[-1].append(0)
        elif tag in ("td", "th"):
            self.rows[-1][-1] += int(dict(attrs).get("colspan") or 1)

    def handle_endtag(self, tag):
        if self.inside and tag == self.inside[-1]:
            self.inside.pop()
        elif tag == "table":
            first, *others = self.rows.pop()
            self.wrong += [
                f"{cells} cells below {first}" for cells in others if cells != first
            ]

    def handle_data(self, data):
        if not self.inside and re.search(r"\|\s*:?-{3,}", data):
            self.wrong.append(data)


@pytest.mark.parametrize("path", MARKED, ids=lambda path: path.name)
def test_the_page_of_a_notebook_shows_whole_tables(path, executed):
    notebooks = {file.stem: notebook_pages.read(file) for file in NOTEBOOKS}
    page = notebook_pages.pages(notebooks | {path.stem: executed(path)})
    assert Tables(page[f"{path.stem}.html"]).wrong == []


@pytest.mark.parametrize(
    ("text", "broken"),
    [
        ("| $|x|$ | b |\n|---|---|\n| 1 | 2 |", True),
        ("| a | b |\n|---|---|\n| 1 | 2 |", False),
        ("`|---|`", False),
        (lessons.Table(["$|x|$", "b|c"], [["|", "$|y|$"]])._repr_markdown_(), False),
    ],
)
def test_a_broken_table_is_found(text, broken):
    first = nbformat.v4.new_markdown_cell(f"# Title\n\n{text}")
    notebook = nbformat.v4.new_notebook(cells=[first])
    page = notebook_pages.pages({"one": notebook})["one.html"]
    assert bool(Tables(page).wrong) == broken


def test_a_row_with_another_number_of_cells_is_found():
    head = "<table><tr><th>a<th>b</tr>"
    assert Tables(f"{head}<tr><td>1</tr></table>").wrong == ["1 cells below 2"]
    assert Tables(f"{head}<tr><td colspan=2>1</tr></table>").wrong == []


def test_a_failing_cell_fails_the_notebook():
    notebook = jupytext.read(NOTEBOOKS[0])
    failing_cell = nbformat.v4.new_code_cell("assert 1 + 1 == 3, 'injected'")
    notebook.cells = [failing_cell]
    with pytest.raises(ValueError, match="a cell failed: AssertionError: injected"):
        notebook_pages.run(notebook)


def test_outputs_in_a_committed_file_are_found():
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 + 1")])
    assert traces_of_running(notebook) == []
    notebook.cells[0].outputs = [nbformat.v4.new_output("stream", text="2")]
    assert traces_of_running(notebook) == ["1 + 1"]


# --- as pages -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def site(executed, tmp_path_factory):
    """All as pages; one of them has run."""
    folder = tmp_path_factory.mktemp("pages")
    run = {path.stem: notebook_pages.read(path) for path in NOTEBOOKS}
    run[QUICK.stem] = executed(QUICK)
    for name, page in notebook_pages.pages(run).items():
        (folder / name).write_text(page, "utf-8")
    return folder


FORMULAS = (
    "[...document.querySelectorAll('math')]"
    ".map(one => one.getBoundingClientRect()).filter(box => box.width * box.height > 0)"
    ".length"
)
PICTURES = (
    "[...document.querySelectorAll('img')].filter(one => one.naturalWidth > 0).length"
)
RAW = (
    "[...document.querySelectorAll('h1,h2,p,li,th,td')]"
    ".map(one => one.textContent).filter(text => text.includes('$'))"
)


@pytest.mark.browser
@pytest.mark.parametrize("width", [1280, 360])
def test_a_page_reads_without_a_network_at_any_width(site, browser, executed, width):
    file = site / f"{QUICK.stem}.html"
    page = browser.open(file.as_uri(), width)
    assert file.as_uri() in browser.requests  # so that requests are seen
    assert all(url.startswith(("file:", "data:")) for url in browser.requests)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    formulas = file.read_text("utf-8").count("<math")
    assert formulas > 50
    # Wide formulas come again as pieces for paper, which a screen does not show.
    pieces = page.evaluate("document.querySelectorAll('.paper math').length")
    assert page.evaluate(FORMULAS) == formulas - pieces
    pictures = sum(
        "image/png" in out.get("data", {})
        for cell in code_cells(executed(QUICK))
        for out in cell.outputs
    )
    assert page.evaluate(PICTURES) == pictures > 0
    assert page.evaluate(RAW) == []
    folded = "[...document.querySelectorAll('details')].map(one => one.open)"
    assert page.evaluate(folded) == [False] * 3


def test_every_link_of_every_page_leads_to_a_page(site):
    names = {file.name for file in site.glob("*.html")}
    assert names == {f"{path.stem}.html" for path in NOTEBOOKS} | {notebook_pages.INDEX}
    for file in site.glob("*.html"):
        text = file.read_text("utf-8")
        targets = re.findall(r'<a [^>]*href="([^"]*)"', text)
        assert set(targets) >= names - {file.name, notebook_pages.INDEX}
        assert {target for target in targets if not target.startswith("#")} <= names
        assert re.findall(r'(?:src|href)="(?!data:|#|[\w.]+\.html")[^"]*"', text) == []
