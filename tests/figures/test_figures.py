import subprocess
import sys

import pytest
from matplotlib.figure import Figure
from typer.testing import CliRunner

from experiments import command, store
from figures import catalogue, style
from sigprop.cli.main import app
from tests.figures import reading

PANELS = [
    (name, panel) for name, entry in catalogue.FIGURES.items() for panel in entry.panels
]
HEAVY = ("jax", "sympy", "sigprop", "theory")
LIGHT = {"sigprop", "sigprop.numerics", "sigprop.numerics.files"}  # rooms are empty
KINDS = ("pdf", "png")


@pytest.fixture
def saved(monkeypatch):
    """The figures that were saved, as they were when drawn."""
    kept, save = [], style.save

    def keep(drawn, *where):
        kept.append(drawn)
        return save(drawn, *where)

    monkeypatch.setattr(style, "save", keep)
    return kept


def assert_shown(files, drawn):
    """A page and a picture of this figure, with something in every panel."""
    page, picture = files
    assert all(reading.inked(picture, drawn))
    assert page.read_bytes().startswith(b"%PDF-")
    assert page.read_bytes().rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("name", catalogue.FIGURES)
@pytest.mark.sampled(2)
def test_figure_is_byte_identical_on_rerun(stored, saved, tmp_path, name):
    runs = [
        catalogue.draw_and_save(name, "smoke", into=tmp_path / folder)
        for folder in ("first", "second")
    ]
    assert [file.name for file in runs[0]] == [f"{name}.{one}" for one in KINDS]
    for first, second in zip(*runs, strict=True):
        content = first.read_bytes()
        assert content == second.read_bytes()
        assert b"CreationDate" not in content
    assert_shown(runs[0], saved[0])


@pytest.mark.parametrize(("name", "panel"), PANELS)
@pytest.mark.sampled(4)
def test_one_panel_has_a_file_of_its_own(stored, saved, tmp_path, name, panel):
    files = catalogue.draw_and_save(name, "smoke", panel, tmp_path)
    assert [file.name for file in files] == [f"{name}-{panel}.{one}" for one in KINDS]
    assert_shown(files, *saved)


@pytest.mark.parametrize("name", catalogue.FIGURES)
def test_studies_of_the_panels_are_those_of_the_module(name):
    entry = catalogue.entry(name)
    module = __import__(entry.module, fromlist=["draw"])
    assert entry.studies == module.STUDIES
    assert entry.panels == tuple(module.STUDIES)
    assert entry.module == f"figures.{name.replace('-', '_')}"


def test_all_panels_hold_more_than_one(stored):
    from figures import zucchet_2

    both, one = zucchet_2.draw("smoke"), zucchet_2.draw("smoke", "b")
    assert isinstance(both, Figure)
    assert len(both.axes) == 2 * len(one.axes)


def test_points_carry_error_bars(stored):
    from figures import zucchet_1a

    axes, strip = zucchet_1a.draw("smoke").axes
    bars = [c for c in axes.containers if c.has_yerr]
    assert len(bars) == len(strip.containers) == 3


@pytest.mark.parametrize(("name", "panel"), PANELS)
def test_missing_result_names_its_command(name, panel, tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    make = store.command(catalogue.entry(name).studies[panel], "paper")
    assert make.endswith(" --preset paper")
    with pytest.raises(FileNotFoundError, match=f"make it with `{make}`"):
        catalogue.draw_and_save(name, "paper", panel, tmp_path)


def test_a_figure_needs_every_result_once_and_a_panel_its_own():
    entry = catalogue.entry("zucchet-3")
    assert entry.needs() == ("memory_gap", "ablation", "starts")
    assert entry.needs("b") == ("ablation",)
    assert catalogue.entry("lru-9").needs() == ("ring_gain",)
    with pytest.raises(ValueError, match="need a panel in a, b, c, got 'd'"):
        entry.needs("d")


@pytest.mark.parametrize(
    ("panel", "made"),
    [(None, ["memory_gap", "ablation", "starts"]), ("b", ["ablation"])],
)
def test_command_makes_the_results_of_the_wanted_panels(panel, made, monkeypatch):
    asked, drawn = [], []
    monkeypatch.setattr(command, "make", lambda study, *how: asked.append(study))
    monkeypatch.setattr(
        catalogue, "draw_and_save", lambda *which: drawn.append(which) or []
    )
    options = [] if panel is None else ["--panel", panel]
    answer = CliRunner().invoke(app, ["figure", "zucchet-3", *options])
    assert answer.exit_code == 0
    assert asked == made
    assert drawn == [("zucchet-3", "quick", panel)]


def test_list_names_the_results_of_every_figure():
    lines = CliRunner().invoke(app, ["figure", "--list"]).stdout.splitlines()
    for name, entry in catalogue.FIGURES.items():
        (line,) = [one for one in lines if one.startswith(f"{name} ")]
        assert f" {' '.join(entry.panels)} " in line
        assert f" {', '.join(entry.needs())} " in line


def test_unknown_figure_and_panel_are_refused(stored):
    with pytest.raises(ValueError, match=r"need a figure in lru-1.*got 'lru-99'"):
        catalogue.draw_and_save("lru-99")
    with pytest.raises(ValueError, match="need a panel in a, b, got 'c'"):
        catalogue.draw_and_save("lru-9", "smoke", "c")


def imported_by(code):
    report = f"import sys; {code}; print(*sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True
    )
    found = set(answer.stdout.split()) - LIGHT
    return {module.partition(".")[0] for module in found}


def test_figures_import_no_computation():
    modules = ", ".join(entry.module for entry in catalogue.FIGURES.values())
    found = imported_by(f"import {modules}")
    assert "matplotlib" in found
    assert found.isdisjoint(HEAVY)


def test_catalogue_imports_nothing_heavy():
    found = imported_by("import figures.catalogue")
    assert found.isdisjoint((*HEAVY, "matplotlib", "xarray", "numpy"))


def test_style_ignores_and_keeps_the_settings_of_the_user():
    import matplotlib as mpl

    with mpl.rc_context({"font.size": 40.0}):
        with style.styled():
            assert mpl.rcParams["font.size"] == 8
        assert mpl.rcParams["font.size"] == 40


def test_labels_move_apart_without_changing_order():
    with style.styled():
        axes = style.figure(2).subplots()
        axes.set(yscale="log", ylim=(1, 1e4))
        style.end_labels(axes, 1, [20, 10, 11], ["c", "a", "b"], ["k", "k", "k"])
    heights = {text.get_text(): text.xy[1] for text in axes.texts}
    assert heights["a"] == 10
    assert heights["a"] * 1.5 < heights["b"]
    assert heights["b"] * 1.5 < heights["c"]
