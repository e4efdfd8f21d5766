import subprocess
import sys
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.layout_engine import ConstrainedLayoutEngine
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.experiments import command, statuses, store
from sigprop.figures import catalogue, style
from sigprop.theory.claims import PAPERS
from tests.figures import reading
from tests.figures.tracked import shipped

PANELS = [
    (name, panel)
    for name, entry in catalogue.entries().items()
    for panel in entry.panels
]
HEAVY = {"jax", "sympy"}
# Fronts of rooms that load nothing of them, and the writer of files.
LIGHT = {"theory", "numerics", "numerics.exports", "numerics.files"}
KINDS = ("pdf", "png", "md")


@pytest.fixture
def saved(monkeypatch):
    """The figures that were saved, as they were when drawn."""
    figures, save = [], style.save

    def keep(figure, *where):
        figures.append(figure)
        return save(figure, *where)

    monkeypatch.setattr(style, "save", keep)
    return figures


def small(name, panel=None):
    """The small results that a figure draws.

    One that comes whole with the code is taken for the small one; the others are made.
    """
    return {study: _small(study) for study in catalogue.entry(name).needs(panel)}


def _small(study):
    try:
        return shipped(study).assign_attrs(preset="smoke")
    except FileNotFoundError:
        return store.read(command.make(study, "smoke"))


def assert_shown(files, figure):
    """A page and a picture of this figure, with something in every panel."""
    page, picture, _ = files
    assert all(reading.inked(picture, figure))
    assert page.read_bytes().startswith(b"%PDF-")
    assert page.read_bytes().rstrip().endswith(b"%%EOF")


@pytest.mark.parametrize("name", catalogue.entries())
@pytest.mark.sampled(1)
def test_figure_is_byte_identical_on_rerun(stored, saved, tmp_path, name):
    results = small(name)
    runs = [
        catalogue.draw_and_save(name, results, into=tmp_path / folder)
        for folder in ("first", "second")
    ]
    assert [file.name for file in runs[0]] == [f"{name}-smoke.{kind}" for kind in KINDS]
    for first, second in zip(*runs, strict=True):
        content = first.read_bytes()
        assert content == second.read_bytes()
        assert b"CreationDate" not in content
    assert_shown(runs[0], saved[0])


@pytest.mark.parametrize(("name", "panel"), PANELS)
@pytest.mark.sampled(4, keep=["lru-9-a", "rotrnn-3-b", "zucchet-3-b", "zucchet-10-d"])
def test_one_panel_has_a_file_of_its_own(stored, saved, tmp_path, name, panel):
    files = catalogue.draw_and_save(name, small(name, panel), panel, tmp_path)
    names = [f"{name}-{panel}-smoke.{kind}" for kind in KINDS]
    assert [file.name for file in files] == names
    assert_shown(files, *saved)


def test_every_module_named_after_a_paper_is_a_figure_in_natural_order():
    files = (
        file.stem.replace("_", "-") for file in Path(style.__file__).parent.iterdir()
    )
    named = {name for name in files if name.partition("-")[0] in PAPERS and "-" in name}
    figures = list(catalogue.entries())
    assert set(figures) == named
    assert [name for name in figures if "zucchet" in name][2:5] == [
        *("zucchet-2", "zucchet-3", "zucchet-4")
    ]
    assert figures.index("zucchet-9") + 1 == figures.index("zucchet-10")


def test_all_panels_hold_more_than_one(stored):
    from sigprop.figures import zucchet_2

    results = small("zucchet-2")
    full, single = zucchet_2.draw(results), zucchet_2.draw(results, "b")
    assert isinstance(full, Figure)
    assert len(full.axes) == 2 * len(single.axes)


def test_points_carry_error_bars(stored):
    from sigprop.figures import zucchet_1a

    results = small("zucchet-1a")
    axes, strip = zucchet_1a.draw(results).axes
    bars = [c for c in axes.containers if c.has_yerr]
    assert len(bars) == len(strip.containers) == results["curse_of_memory"].sizes["rho"]


@pytest.mark.parametrize(("name", "panel"), PANELS)
def test_missing_result_names_its_command(name, panel, tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    study = catalogue.entry(name).studies[panel]
    make = store.command(study, "paper")
    assert make.endswith(" --preset paper")
    with pytest.raises(FileNotFoundError, match=f"make it with `{make}`"):
        store.load_preset(study, "paper")
    with pytest.raises(FileNotFoundError, match=f"make it with `{make}`"):
        command.track(study)


def test_a_figure_needs_every_result_once_and_a_panel_its_own():
    entry = catalogue.entry("zucchet-3")
    assert entry.needs() == ("memory_gap", "ablation", "starts")
    assert entry.needs("b") == ("ablation",)
    assert catalogue.entry("lru-9").needs() == ("ring_gain",)
    with pytest.raises(ValueError, match="need a panel in a, b, c, got 'd'"):
        entry.needs("d")


PANEL_B = ["ablation"]
ALL = ["memory_gap", *PANEL_B, "starts"]


@pytest.fixture
def drawing(monkeypatch):
    """Call the command with nothing run, read or drawn: what was made, and drawn."""

    def call(*options, stored):
        requests, figures = [], []
        monkeypatch.setattr(command, "best", stored.get)
        monkeypatch.setattr(
            command,
            "make",
            lambda study, *how: requests.append((study, *how[:2])) or study,
        )
        monkeypatch.setattr(store, "read", lambda study: f"result of {study}")
        monkeypatch.setattr(
            statuses, "current", lambda rows: dict.fromkeys(rows, "as found")
        )
        monkeypatch.setattr(
            catalogue,
            "draw_and_save",
            lambda *which, formats, verdicts, caption: (
                figures.append((*which, verdicts, caption)) or []
            ),
        )
        answer = CliRunner().invoke(app, ["figure", "zucchet-3", *options])
        return answer, requests, figures

    return call


@pytest.mark.parametrize(
    ("options", "studies"), [((), ALL), (("--panel", "b"), PANEL_B)]
)
def test_command_makes_the_results_of_the_wanted_panels(options, studies, drawing):
    answer, requests, figures = drawing(*options, stored={})
    assert answer.exit_code == 0
    assert requests == [(study, "quick", False) for study in studies]
    results = {study: f"result of {study}" for study in studies}
    panel, verdicts = "b" if options else None, {"zucchet:fig3": "as found"}
    assert figures == [("zucchet-3", results, panel, None, verdicts, False)]


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ((), ["paper", "smoke", "quick"]),
        (("--preset", "quick"), ["quick"] * 3),
        (("--preset", "smoke", "--force"), ["smoke"] * 3),
    ],
)
def test_the_best_stored_result_is_drawn_unless_a_preset_is_asked_for(
    options, sizes, drawing
):
    stored = {"memory_gap": "paper", "ablation": "smoke"}
    answer, requests, _ = drawing(*options, stored=stored)
    forced = "--force" in options
    assert requests == [(*pair, forced) for pair in zip(ALL, sizes, strict=True)]
    sources = ", ".join(
        f"{study} ({size})" for study, size in zip(ALL, sizes, strict=True)
    )
    assert f"zucchet-3 is drawn from {sources}\n" in answer.stderr


def test_what_is_stored_is_not_run_again_without_a_preset(drawing):
    answer, requests, figures = drawing("--force", stored={"memory_gap": "paper"})
    assert (answer.exit_code, requests, figures) == (2, [], [])
    assert "need --preset smoke, quick or paper with --force, got none" in answer.stderr


def test_files_and_picture_name_what_is_less_than_the_best(stored, saved, tmp_path):
    name, results = "zucchet-1a", small("zucchet-1a")
    (study,) = results

    def file_names(preset):
        labelled = {study: results[study].assign_attrs(preset=preset)}
        files = catalogue.draw_and_save(name, labelled, into=tmp_path)
        words = files[-1].read_text().splitlines()[-1]
        assert words.startswith(f"{study}: preset {preset}, seed 0, commit ")
        return [file.name for file in files]

    assert file_names("paper") == [f"{name}.{kind}" for kind in KINDS]
    best = (tmp_path / f"{name}.pdf").read_bytes()
    assert file_names("quick") == [f"{name}-quick.{kind}" for kind in KINDS]
    assert (tmp_path / f"{name}.pdf").read_bytes() == best


def test_a_figure_is_laid_out_once_and_drawn_once_for_each_file(monkeypatch, tmp_path):
    calls = []

    def counted(real):
        return lambda *args: calls.append(real.__name__) or real(*args)

    monkeypatch.setattr(
        ConstrainedLayoutEngine, "execute", counted(ConstrainedLayoutEngine.execute)
    )
    monkeypatch.setattr(Figure, "draw", counted(Figure.draw))
    with style.styled():
        figure = style.figure(2)
        figure.subplots().plot([1, 2])
        style.save(figure, "line", tmp_path, ("pdf", "png", "svg"))
    assert len(calls) == 4
    assert calls[0] == "execute"


def test_files_of_unlike_presets_name_each():
    unlike = {"a": "quick", "b": "paper"}
    assert catalogue.stem("name", None, unlike) == "name-paper-quick"


def test_list_names_the_results_of_every_figure():
    lines = CliRunner().invoke(app, ["figure", "--list"]).stdout.splitlines()
    for name, entry in catalogue.entries().items():
        (line,) = [candidate for candidate in lines if candidate.startswith(f"{name} ")]
        assert f" {' '.join(entry.panels)} " in line
        assert f" {', '.join(entry.needs())} " in line


def test_unknown_figure_and_panel_are_refused(stored):
    with pytest.raises(ValueError, match=r"need a figure .*got 'lru-99'; .*lru-9\?$"):
        catalogue.draw_and_save("lru-99", {})
    with pytest.raises(ValueError, match="need a panel in a, b, got 'c'"):
        catalogue.draw_and_save("lru-9", small("lru-9"), "c")


def imported_by(code):
    report = f"import sys; {code}; print(*sys.modules)"
    answer = subprocess.run(
        [sys.executable, "-c", report], capture_output=True, text=True, check=True
    )
    return set(answer.stdout.split())


def computing(modules):
    """What computes among some modules: all but figures, the store, and what is light."""
    rooms = {
        module.removeprefix("sigprop.")
        for module in modules
        if module.startswith("sigprop.")
    }
    ours = {
        name
        for name in rooms
        if name.partition(".")[0] not in ("figures", "experiments")
    }
    return modules & HEAVY | ours - LIGHT


def test_figures_import_no_computation():
    modules = imported_by("from sigprop.figures import catalogue; catalogue.entries()")
    assert "matplotlib" in modules
    assert computing(modules) == set()
    assert computing({"jax", "sigprop.judge", "os"}) == {"jax", "judge"}


def test_catalogue_imports_nothing_heavy():
    modules = imported_by("import sigprop.figures.catalogue")
    assert computing(modules) | modules & {"matplotlib", "xarray", "numpy"} == set()


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
        style.end_labels(axes, 1, [20, 10, 1, 11], [*"cadb"], ["k"] * 4)
    heights = {text.get_text(): text.xy[1] for text in axes.texts}
    assert heights["d"] == 1
    assert heights["b"] / heights["a"] == pytest.approx(heights["c"] / heights["b"])
    assert heights["b"] > 1.5 * heights["a"]
    product = heights["a"] * heights["b"] * heights["c"]
    assert product == pytest.approx(10 * 11 * 20)  # as near to their ends as may be
