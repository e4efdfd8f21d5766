"""Commands draw a picture beside what they print, or none; it is never in their way."""

import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest

from sigprop.cli import train as cli_train
from tests.command import refused, sigprop
from tests.figures.test_drawn_audits import audited
from tests.sigprop.training.test_curves import finished

PNG = b"\x89PNG"


@pytest.fixture
def taught(monkeypatch):
    """Trainings that take no time; their test accuracy is a tenth of the seed."""

    def once(job, examples, folder):
        finished(folder.parent, job.seed, job=job)
        named = {"validation_accuracy": 0.5, "best_step": 4, "parameters": 9}
        named |= {"seed": job.seed, "test_accuracy": job.seed / 10}
        return named | {"folder": str(folder)}

    monkeypatch.setattr(cli_train, "_once", once)


@pytest.mark.usefixtures("taught")
def test_train_draws_the_curves_of_all_seeds_beside_them(tmp_path, monkeypatch):
    from sigprop.figures import training

    calls, draw = [], training.draw
    monkeypatch.setattr(
        training,
        "draw",
        lambda data, title: calls.append((data, title)) or draw(data, title),
    )
    result = sigprop("train", "digits", "--seed", 1, "--seeds", 2, "--out", tmp_path)
    assert result.exit_code == 0, result.output
    file = tmp_path / "digits-lru-quick" / "curves.png"
    assert result.stdout.splitlines()[-2:] == [str(file), str(file.with_suffix(".md"))]
    assert file.read_bytes().startswith(PNG)
    ((data, title),) = calls
    assert data["seed"].values.tolist() == [1, 2]
    assert title == "digits, lru, preset quick"


@pytest.mark.usefixtures("taught")
def test_train_draws_nothing_where_none_is_wanted(tmp_path):
    result = sigprop("train", "digits", "--out", tmp_path, "--no-figures")
    assert result.exit_code == 0, result.output
    assert not list(tmp_path.rglob("*.png"))
    assert "png" not in result.output


@pytest.mark.usefixtures("taught")
def test_a_picture_that_fails_is_told_and_loses_nothing(tmp_path):
    (tmp_path / "digits-lru-quick" / "curves.png").mkdir(parents=True)
    result = sigprop("train", "digits", "--out", tmp_path)
    assert result.exit_code == 0, result.output
    assert "0.0000" in result.stdout
    (line,) = result.stderr.splitlines()
    assert "curves.png was not drawn: ValueError: need a file to write" in line


@pytest.mark.usefixtures("taught")
def test_the_words_of_a_picture_stand_beside_it_and_not_over_a_stranger(tmp_path):
    folder = tmp_path / "digits-lru-quick"
    folder.mkdir()
    words = folder / "curves.md"
    words.write_text("mine")
    result = sigprop("train", "digits", "--out", tmp_path)
    assert "curves.png was not drawn: ValueError: need a place" in result.stderr
    assert words.read_text() == "mine"
    assert not (folder / "curves.png").exists()
    words.unlink()
    for _ in range(2):  # the second time over its own
        assert not sigprop("train", "digits", "--out", tmp_path).stderr
    assert "![digits, lru, preset quick](curves.png)" in words.read_text()
    assert "points are of the validation set" in words.read_text()


def test_a_folder_that_cannot_be_written_is_refused_before_a_training(
    tmp_path, monkeypatch
):
    def begun(*arguments):
        raise AssertionError("the work began")

    monkeypatch.setattr(cli_train, "examples_of", begun)
    (tmp_path / "file").write_text("x")
    line = refused("train", "digits", "--out", tmp_path / "file" / "runs")
    assert f"cannot write to the folder {tmp_path}/file/runs" in line


# --- audit --------------------------------------------------------------------------


@pytest.fixture
def measured(monkeypatch, tmp_path):
    """A finished training in whose audit no two numbers agree."""
    from sigprop.audit import network
    from sigprop.training import runs, segments

    about = {"task": "digits", "model": "lru", "preset": "quick", "seed": 3}
    untrained = SimpleNamespace(config=None)
    monkeypatch.setattr(runs, "trained", lambda folder: (untrained, None))
    monkeypatch.setattr(segments, "untrained", lambda config, seed: None)
    monkeypatch.setattr(runs, "read_about", lambda folder: about)
    draws = np.random.default_rng(0)
    table = audited([1, 2]).drop_vars(("median", "fails"))
    table["note"] = ("recurrence", ["", "", ""])
    table.attrs = {"layer": "lru", "examples": 64, "batches": 8, "mean_length": 64.0}
    table["measured"] = (
        ("recurrence", "quantity", "mode"),
        draws.uniform(size=(3, 7, 5)),
    )
    monkeypatch.setattr(network, "audit", lambda *args, **more: table)
    (tmp_path / "seed-3").mkdir()
    return tmp_path / "seed-3"


def test_audit_draws_beside_the_training_or_beside_its_numbers(measured, monkeypatch):
    from sigprop.figures import audits

    calls, draw = [], audits.draw
    monkeypatch.setattr(
        audits,
        "draw",
        lambda data, title: calls.append((data, title)) or draw(data, title),
    )
    result = sigprop("audit", measured)
    assert result.exit_code == 0, result.output
    files = [str(measured / f"audit.{kind}") for kind in ("png", "md")]
    assert result.stdout.splitlines()[-2:] == files
    assert (measured / "audit.png").read_bytes().startswith(PNG)
    ((data, title),) = calls
    assert title == "digits, lru, quick, seed 3: test"
    medians = data["ratio"].median("mode", skipna=False)
    np.testing.assert_allclose(data["median"], medians)
    out = measured / "numbers.nc"
    assert sigprop("audit", measured, "--out", out).exit_code == 0
    names = {file.name for file in measured.iterdir()}
    pictures = {"audit.png", "audit.md", "numbers.png", "numbers.md"}
    assert names == {"numbers.nc", *pictures}


def test_audit_draws_nothing_where_none_is_wanted(measured):
    result = sigprop("audit", measured, "--no-figures")
    assert result.exit_code == 0, result.output
    assert not list(measured.iterdir())
    assert re.search(
        r"^Theory predicts \d+ of 7 moments within 10 %", result.stdout, re.M
    )


def test_audit_does_not_write_its_picture_over_its_numbers(measured):
    line = refused("audit", measured, "--out", measured / "x.png")
    assert "need a file for --out and another for --figure" in line
    assert not list(measured.iterdir())


def test_the_page_of_a_training_has_pictures_then_findings_then_numbers(
    measured, tmp_path
):
    page = tmp_path / "p.html"
    result = sigprop("audit", measured, "--html", page, "--no-figures")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == str(page)
    text = page.read_text()
    assert "<svg" not in text
    assert "digits, lru, quick, seed 3: test" in text
    assert re.search(r"<p>Theory predicts \d+ of 7 moments within 10 %", text)
    assert re.findall(r"<tr>", text)[1:]  # below the heads
    for line in ("shuffled", "sensitivity at the end", "Moments of lru, 64 examples"):
        assert line in text
    assert sigprop("audit", measured, "--html", page).exit_code == 0
    text = page.read_text()
    assert "<script" not in text
    assert re.findall(r'(?:src|href)="(?!#)[^"]*"', text) == []
    assert text.count('<svg role="img"') == 5  # times, three discs, moments
    order = [text.index(part) for part in ("<svg", 'id="findings"', 'id="tables"')]
    assert order == sorted(order)
    result = sigprop("audit", measured, "--html", "-", "--no-figures")
    assert result.stdout.startswith("<!DOCTYPE html>")
    assert "Theory predicts" in result.stderr


# --- series -------------------------------------------------------------------------


@pytest.fixture
def walk(tmp_path):
    steps = np.random.default_rng(0).standard_normal((20, 16, 2))
    np.save(tmp_path / "walk.npy", steps.cumsum(1))
    return tmp_path / "walk.npy"


def test_series_draws_a_picture_and_writes_a_report(walk):
    page, figure = walk.with_suffix(".html"), walk.with_suffix(".png")
    result = sigprop("series", walk, "--report", page, "--figure", figure)
    assert result.exit_code == 0, result.output
    words = walk.with_suffix(".md")
    assert result.stdout.splitlines()[-3:] == [str(page), str(figure), str(words)]
    assert figure.read_bytes().startswith(PNG)
    assert "Each row is an eigenvalue" in words.read_text()
    text = page.read_text("utf-8")
    assert text.count("<svg ") == 1
    assert "Each row is an eigenvalue" in text
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    table = re.findall(r"<t[dh][^>]*>([^<]*)</t[dh]>", text)
    heads = 13
    assert len(table) == heads * (1 + 2 * 2 * 6)  # features, quantities, eigenvalues
    lines = [line for line in result.stdout.splitlines() if line.startswith("│")]
    shown = [cell.strip() for cell in lines[6].strip("│").split("│")]
    assert table[heads * 7 + 2 : heads * 8] == shown[2:]


def test_a_report_of_a_series_outlives_a_picture_that_fails(walk, monkeypatch):
    from sigprop.figures import series_moments

    def fails(*args):
        raise ArithmeticError("no ink")

    monkeypatch.setattr(series_moments, "draw", fails)
    page = walk.with_suffix(".html")
    result = sigprop("series", walk, "--report", page)
    assert result.exit_code == 0, result.output
    assert "the picture of the report was not drawn: ArithmeticError" in result.stderr
    assert "<svg " not in page.read_text()
    line = refused("series", walk, "--figure", walk.with_suffix(".pdf"))
    assert "need a --figure that ends in .png" in line


# --- verify and ledger --------------------------------------------------------------

SMALL = ("blur:table2", "blur:def3.1")  # judged in no time


def judged(*options):
    result = sigprop("verify", *(f"--claim={claim_id}" for claim_id in SMALL), *options)
    assert result.exit_code == 0, result.output
    return result


def test_verify_draws_beside_its_rows_and_into_its_report(tmp_path):
    result = judged("--json", tmp_path / "a.json", "--report", tmp_path / "a.html")
    assert str(tmp_path / "a.png") in result.stdout.splitlines()
    assert (tmp_path / "a.png").read_bytes().startswith(PNG)
    assert "overview-statuses-" in (tmp_path / "a.html").read_text()


@pytest.mark.parametrize("options", [(), ("--json", "-")])
def test_verify_draws_nothing_where_it_writes_nothing(tmp_path, monkeypatch, options):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    judged(*options)
    assert not list(tmp_path.iterdir())


def test_verify_and_ledger_draw_nothing_where_none_is_wanted(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    files = {"--json": tmp_path / "a.json", "--report": tmp_path / "a.html"}
    arguments = [part for pair in files.items() for part in pair]
    result = judged(*arguments, "--no-figures")
    assert not result.stderr
    assert {file.name for file in tmp_path.iterdir()} == {"a.json", "a.html"}
    assert "overview-statuses-" not in files["--report"].read_text()


def test_a_verdict_outlives_a_picture_that_fails(tmp_path, monkeypatch):
    from sigprop.figures import overview

    def fails(*args):
        raise ArithmeticError("no ink")

    monkeypatch.setattr(overview, "draw", fails)
    result = judged("--json", tmp_path / "a.json", "--report", tmp_path / "a.html")
    assert result.stderr.splitlines() == [
        f"sigprop: {tmp_path / 'a.png'} was not drawn: ArithmeticError: no ink",
        "sigprop: the overview was not drawn: ArithmeticError: no ink",
    ]
    assert "2 definitions" in result.stdout or "as expected" in result.stdout
    assert {file.name for file in tmp_path.iterdir()} == {"a.json", "a.html"}


def test_verify_does_not_write_its_picture_over_its_rows(tmp_path):
    line = refused("verify", "--claim", SMALL[0], "--json", tmp_path / "x.png")
    assert "need a file for --json and another for --figure" in line
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("wanted", [True, False])
def test_ledger_has_its_overview_in_the_index_and_beside_it(
    tmp_path, monkeypatch, wanted
):
    from sigprop.theory import claims

    rows = claims.select(ids=SMALL)
    monkeypatch.setattr(claims, "select", lambda paper=None: rows)
    more = [] if wanted else ["--no-figures"]
    result = sigprop("ledger", "--html", tmp_path, *more)
    assert result.exit_code == 0, result.output
    assert ("overview-statuses-" in (tmp_path / "index.html").read_text()) == wanted
    assert (tmp_path / "overview-statuses.svg").is_file() == wanted


def test_ledger_does_not_write_its_overview_over_a_stranger(tmp_path):
    (tmp_path / "overview-intervals.svg").write_text("mine")
    line = refused("ledger", "--paper", "lru", "--html", tmp_path)
    assert "overview-intervals.svg, got a file that is not what an earlier" in line


# --- sweep --------------------------------------------------------------------------


@pytest.fixture
def swept_already(monkeypatch, tmp_path):
    """A sweep that comes with the code, and a folder of its own for figures."""
    from sigprop.experiments import store
    from sigprop.figures import style

    monkeypatch.setattr(style, "folder", lambda: tmp_path)
    monkeypatch.delenv("SIGPROP_RESULTS", raising=False)
    monkeypatch.setattr(store, "folder", lambda: tmp_path / "results")
    return tmp_path


@pytest.mark.parametrize(
    ("name", "more", "files"),
    [
        ("heads", (), ["sweep-heads-paper.png", "sweep-heads-paper.md"]),
        ("heads", ("--no-figures",), []),
        ("adaptive_rates", (), []),  # all at one rate
    ],
)
def test_a_sweep_of_learning_rates_is_drawn_among_the_figures(
    swept_already, name, more, files
):
    result = sigprop("sweep", "run", name, "--preset", "paper", *more)
    assert result.exit_code == 0, result.output
    assert sorted(file.name for file in swept_already.iterdir()) == sorted(files)
    for file in files:
        assert str(swept_already / file) in result.stdout.splitlines()


@pytest.mark.parametrize("command", [("sweep", "run", "agreement"), ("bench",)])
def test_results_need_a_folder_before_the_work(tmp_path, monkeypatch, command):
    from sigprop.experiments import command as studies
    from sigprop.experiments import sweep

    def begun(*args, **more):
        raise AssertionError("the work began")

    monkeypatch.setattr(sweep, "run", begun)
    monkeypatch.setattr(studies, "make", begun)
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path / "file" / "results"))
    line = refused(*command)
    assert f"cannot write to the folder {tmp_path}/file/results" in line
