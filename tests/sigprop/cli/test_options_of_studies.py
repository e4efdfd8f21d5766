"""Options of the commands that draw, list, time and sweep."""

import json
from pathlib import Path

import pytest
import xarray as xr
from rich.table import Table

from sigprop.cli import console, help
from sigprop.cli import figure as cli_figure
from sigprop.cli import gallery as cli_gallery
from sigprop.cli import site as cli_site
from sigprop.cli import sweep as cli_sweep
from sigprop.cli import table as cli_table
from sigprop.experiments import (
    bench,
    charts,
    command,
    statuses,
    store,
    tables,
)
from sigprop.experiments import sweep as sweeps
from sigprop.figures import catalogue
from sigprop.ledger import notebooks
from sigprop.ledger.website import build as website
from sigprop.networks import all_presets
from tests.command import ran, refused
from tests.options import option
from tests.shown import printed


@option("", "--version")
def test_the_version_is_printed():
    assert ran("--version").stdout == f"{help.version()}\n"


# --- figure


@pytest.fixture
def studies(monkeypatch):
    """Studies whose result is a word on how they were made."""
    calls = []

    def make(study, size, force, told):
        calls.append((study, size, force))
        return Path(f"{study}-{size}-{force}")

    monkeypatch.setattr(command, "best", lambda study: "smoke")
    monkeypatch.setattr(command, "make", make)
    monkeypatch.setattr(store, "read", str)
    monkeypatch.setattr(statuses, "current", lambda rows: {"row": "proved"})
    return calls


@option("figure", "--panel", "--preset", "--force", "--format", "--into", "--caption")
def test_a_figure_is_drawn_of_what_is_asked(studies, monkeypatch, tmp_path):
    def draw_and_save(name, results, panel, into, *, formats, verdicts, caption):
        where = f"{into} {caption}"
        return [
            Path(f"{name} {panel} {form} {where} {results} {verdicts}")
            for form in formats
        ]

    monkeypatch.setattr(catalogue, "draw_and_save", draw_and_save)
    name, panel = next(
        (k, v.panels[0]) for k, v in catalogue.entries().items() if v.panels
    )

    def lines(
        size="smoke",
        force=False,
        panel=None,
        formats=("pdf", "png"),
        where="None False",
    ):
        needs = catalogue.entry(name).needs(panel)
        results = {study: f"{study}-{size}-{force}" for study in needs}
        status = {"row": "proved"}
        return [f"{name} {panel} {form} {where} {results} {status}" for form in formats]

    for more, wanted in (
        ((), lines()),
        (("--panel", panel), lines(panel=panel)),
        (("--preset", "paper"), lines("paper")),
        (("--preset", "quick", "--force"), lines("quick", True)),
        (("--format", "svg", "--format", "png"), lines(formats=("svg", "png"))),
        (("--into", str(tmp_path)), lines(where=f"{tmp_path} False")),
        (("--caption",), lines(where="None True")),
    ):
        assert ran("figure", name, *more).stdout.splitlines() == wanted, more


@option("figure", "--list", "--gallery")
def test_figures_are_listed_or_drawn_on_one_page(monkeypatch, folder):
    listed = ran("figure", "--list").stdout
    table = printed(listed, "figure", "panels", "results", "title")
    for key, spec in catalogue.entries().items():
        (row,) = (entry for entry in table if entry.get("figure") == key)
        assert row.get("panels", "") == " ".join(spec.panels)
        assert ", ".join(spec.needs()).startswith(row["results"])
        assert spec.title.startswith(row["title"])
    calls = []
    monkeypatch.setattr(cli_gallery, "write_gallery", calls.append)
    assert ran("figure", "--gallery", folder / "all").stdout == ""
    assert calls == [folder / "all"]
    assert cli_figure.figure.__doc__


# --- notebooks


@option("notebooks", "--source")
def test_notebooks_of_the_named_folder_are_run(monkeypatch, folder):
    source = folder / "mine"
    source.mkdir()
    (source / "one.py").write_text(
        "# %% [markdown]\n# # A title of mine\n\n# %%\n1 + 1\n"
    )
    monkeypatch.setattr(notebooks, "run", lambda notebook, tick: tick())
    ran("notebooks", folder / "pages", "--source", source)
    assert {page.stem for page in (folder / "pages").iterdir()} == {"one", "index"}
    assert "A title of mine" in (folder / "pages" / "one.html").read_text()
    monkeypatch.setattr(notebooks, "FOLDER", folder / "none")
    assert f"got none in {folder / 'none'}" in refused("notebooks", folder / "other")


# --- site


@option("site", "--notebooks")
def test_the_site_has_the_notebooks_of_a_folder_or_runs_them(monkeypatch, folder):
    def keep(target, sources):
        built.append((sources / "bodies" / "notebooks" / "one.html").read_text("utf-8"))
        return ""

    def fail(path):
        raise ValueError(f"a cell of {path.name} failed")

    built = []
    page = "<title>The ledger</title><body></body>"
    shown = {"index.html": page, "ledger.css": ""}
    monkeypatch.setattr(cli_site, "_pictures", list)
    monkeypatch.setattr(cli_site, "_ledger", lambda pictures: shown)
    monkeypatch.setattr(cli_site, "_run", fail)
    monkeypatch.setattr(website, "build", keep)
    monkeypatch.setattr(notebooks, "FOLDER", folder / "mine")
    (folder / "mine").mkdir()
    (folder / "mine" / "one.py").write_text(
        "# %% [markdown]\n# # A title of mine\n\n# %%\n1 + 1\n"
    )
    result = ran("site", folder / "site")
    assert "one was not run: a cell of one.py failed" in result.stderr
    assert "This notebook was not run: a cell of one.py failed" in built[0]
    pages = notebooks.pages({"one": notebooks.read(folder / "mine" / "one.py")})
    for name, text in pages.items():
        (folder / name).write_text(text.replace("</main>", "as it was</main>"))
    ran("site", folder / "site", "--notebooks", folder)
    assert "as it was" in built[1]
    assert "not run" not in built[1]
    line = refused("site", folder / "site", "--notebooks", folder / "mine")
    assert line.endswith(f"`sigprop notebooks {folder / 'mine'}` writes them")


# --- table


@option("table", "--preset", "--no-figures")
def test_a_table_has_our_results_of_the_preset_and_a_picture_unless_refused(
    monkeypatch,
):
    def table(name, preset):
        result = Table(title=f"{name} of {preset}")
        result.add_column("x" * 40)
        return result

    def fake_chart(name, preset):
        return xr.Dataset({"x": ("column", [1.0])}, attrs={"title": f"{name} {preset}"})

    calls = []
    monkeypatch.setattr(tables, "table", table)
    monkeypatch.setattr(charts, "chart", fake_chart)
    monkeypatch.setattr(
        cli_table,
        "picture",
        lambda path, draw, out: calls.append((path.name, help.command_line())),
    )
    assert "lru-7 of paper" in ran("table", "LRU-7").stdout
    assert "lru-7 of quick" in ran("table", "lru-7", "--preset", "quick").stdout
    assert calls == [
        ("table-lru-7-paper.png", "sigprop table LRU-7"),
        ("table-lru-7-quick.png", "sigprop table lru-7 --preset quick"),
    ]
    ran("table", "lru-7", "--no-figures")
    assert len(calls) == 2


# --- models


@option("models", "--paper")
def test_models_of_one_paper_leave_the_others_out():
    heads = ("network", "blocks x width, state")
    for paper in ("rotrnn", "BLUR"):
        lines = ran("models", "--paper", paper).stdout.splitlines()
        names = [line.split()[0] for line in lines[1:]]
        wanted = {name: preset for name, preset in all_presets().items()
                  if name.startswith(paper.casefold())}  # fmt: skip
        assert names == [*wanted]
        assert lines[0].startswith(
            "  ".join((heads[0].ljust(max(map(len, names))), heads[1]))
        )
        for line, preset in zip(lines[1:], wanted.values(), strict=True):
            assert f"{preset.depth} x {preset.width}, {preset.state_size}" in line


# --- bench


@option("bench", "--quick", "--part", "--json")
def test_a_benchmark_times_the_parts_at_the_size_that_is_asked(
    studies, monkeypatch, folder
):
    first, other = [*bench.STUDIES][:2]

    def rows(results):
        return [
            {"part": part, "what": name, "other": "scan", "ratio": 2.5, "least": 1.25,
             "most": 5.0, "seconds": 0.0625}
            for part, name in results.items()
        ]  # fmt: skip

    monkeypatch.setattr(bench, "rows", rows)
    monkeypatch.setattr(
        bench, "conclusions", lambda results: [f"said of {len(results)}"]
    )
    monkeypatch.setattr(bench, "limits", lambda results: [*results])
    heads = ("what", "of", "beside", "takes, times", "from", "to", "ours, ms")
    file = folder / "b.json"
    result = ran("bench", "--part", first, "--part", other, "--quick", "--json", file)
    cells = [
        (study, f"{study}-quick-True", "scan", "2.5", "1.25", "5", "62.5")
        for study in (first, other)
    ]
    assert [tuple(row.values()) for row in printed(result.stdout, *heads)][:2] == cells
    assert "said of 2" in result.stdout
    report = json.loads(file.read_text())
    assert [row["what"] for row in report["comparisons"]] == [row[1] for row in cells]
    assert report["limits"] == [first, other]
    ran("bench", "--part", first)
    assert studies[-1] == (first, "paper", True)
    ran("bench")
    assert [study for study, *_ in studies[-len(bench.STUDIES) :]] == [*bench.STUDIES]


# --- sweep

SWEEP = "memory_gap"


@pytest.fixture
def swept(monkeypatch):
    """Sweeps whose counts and whose result tell how they were asked for."""
    calls = []

    def run(name, preset, *, workers, scheduler, shard, report):
        calls.append((name, preset, workers, scheduler, shard))
        report(3)
        return Path(f"{name}-{preset}-{workers}-{scheduler}-{shard}.nc")

    counts = {"smoke": (2, 2), "quick": (3, 7), "paper": (5, 9)}
    monkeypatch.setattr(sweeps, "run", run)
    monkeypatch.setattr(sweeps, "count", lambda name, preset: counts[preset])
    monkeypatch.setattr(sweeps, "chunks", lambda name, preset, part=(0, 1): [])
    monkeypatch.setattr(sweeps, "missing_of", lambda chunks: {"a": 4, "b": 2})
    monkeypatch.setattr(sweeps, "findings", lambda file: f"findings of {file}")
    monkeypatch.setattr(store, "read", lambda file: f"read {file}")
    return calls


@option("sweep run", "--preset", "--workers", "--scheduler", "--shard", "--no-figures")
def test_a_sweep_runs_as_asked_and_says_what_is_stored(swept, monkeypatch):
    calls = []
    monkeypatch.setattr(
        cli_sweep,
        "_draw",
        lambda name, preset, result, out: calls.append((preset, result)),
    )
    for more, wanted, stored in (
        ((), ("quick", 0, None, (0, 1)), "3 of 7"),
        (("--preset", "paper"), ("paper", 0, None, (0, 1)), "5 of 9"),
        (("--workers", 2), ("quick", 2, None, (0, 1)), "3 of 7"),
        (("--scheduler", "x:1"), ("quick", 0, "x:1", (0, 1)), "3 of 7"),
        (("--shard", "2/5"), ("quick", 0, None, (2, 5)), "3 of 7"),
    ):
        output = ran("sweep", "run", SWEEP, *more).stdout
        assert swept.pop() == (SWEEP, *wanted)
        assert f"{stored} cells are stored; 6 of them took" in " ".join(output.split())
        file = f"{SWEEP}-" + "-".join(map(str, wanted)) + ".nc"
        assert output.splitlines()[-1] == file
        assert "findings" not in output
    assert calls == []
    output = ran("sweep", "run", SWEEP, "--preset", "smoke").stdout
    file = f"{SWEEP}-smoke-0-None-(0, 1).nc"
    assert f"findings of {file}" in output
    assert calls == [("smoke", f"read {file}")]
    ran("sweep", "run", SWEEP, "--preset", "smoke", "--no-figures")
    assert len(calls) == 1


@pytest.mark.parametrize("preset", ["quick", "paper"])
def test_a_study_runs_by_the_same_command(preset, folder, monkeypatch):
    def make(study, size, progress):
        progress("running")
        return Path(f"{study}-{size}.nc")

    monkeypatch.setattr(command, "make", make)
    result = ran("sweep", "run", "ring_gain", "--preset", preset)
    assert (result.stdout, result.stderr) == (f"ring_gain-{preset}.nc\n", "running\n")
    for more in (("--workers", 2), ("--scheduler", "x:1"), ("--shard", "0/2")):
        message = refused("sweep", "run", "ring_gain", *more)
        assert "need no --workers, --scheduler or --shard for ring_gain" in message


@option("sweep status", "--preset")
def test_the_status_of_a_sweep_is_that_of_its_preset(swept):
    for more, stored, cells in (((), "3", "7"), (("--preset", "paper"), "5", "9")):
        output = ran("sweep", "status", SWEEP, *more).stdout
        (row,) = printed(output, "sweep", "stored", "cells", "under way")
        assert row == {"sweep": SWEEP, "stored": stored, "cells": cells,
                       "under way": "0 chunks"}  # fmt: skip


@option("sweep check", "--preset")
def test_a_check_is_of_the_preset_and_ends_with_one_where_something_is_damaged(
    swept, monkeypatch
):
    def damaged(name, preset):
        return [] if preset == "quick" else [(Path("aside"), f"{name} {preset} is cut")]

    monkeypatch.setattr(sweeps, "damaged", damaged)
    output = ran("sweep", "check", SWEEP).stdout
    assert output == "3 of 7 cells are stored and sound, 0 were not\n"
    result = ran(
        "sweep", "check", SWEEP, "--preset", "paper", status=console.UNEXPECTED
    )
    assert result.stdout == (
        f"{SWEEP} paper is cut\nset aside as aside\n"
        "5 of 9 cells are stored and sound, 1 were not\n"
    )
