"""A figure's files are old or new, whatever happens; every figure comes from a checkout."""

import json
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.experiments import command, store, studies
from sigprop.experiments.teacher_student import cells
from sigprop.figures import catalogue, style
from tests.figures.tracked import AWAITED, DRAWN
from tests.kept import own_programs

ROOT = Path(__file__).parents[2]
KILLED = """
import os, signal, sys
from pathlib import Path
from matplotlib.figure import Figure
from sigprop.figures import style

os.replace = lambda *names: os.kill(os.getpid(), signal.SIGKILL)
style.save(Figure(), "shown", Path(sys.argv[1]))
"""
DRAWING = """
import json, sys
from typer.testing import CliRunner
from sigprop.figures import catalogue
from sigprop.cli.main import app

for name in sys.stdin:
    answer = CliRunner().invoke(app, ["figure", name.strip()])
    print(json.dumps((answer.exit_code, answer.output, catalogue.__file__)), flush=True)
"""
FIGURE = "zucchet-3"  # of results that come with the code
TRAINED = [  # panels whose results at the preset quick are gathered from tracked ones
    ("zucchet-4", "c"),  # keeps details
    ("lru-1", "a"),
    ("rotrnn-3", "a"),
    ("zucchet-3", "a"),
    ("zucchet-3", "b"),
    ("zucchet-3", "c"),
    ("zucchet-9", "d"),
    ("zucchet-10", "d"),
    ("zucchet-11", "a"),
    ("blur-4", "a"),
    ("blur-4", "b"),
    ("sigprop-forecasts", "a"),
    ("sigprop-audits-of-today", "a"),
    ("sigprop-advice-worth", "a"),
    ("sigprop-advice-choices", "a"),
    ("sigprop-advice-choices", "b"),
    ("sigprop-advice-choices", "c"),
]


def tracked(folder, below="."):
    """Copy what is tracked of this checkout."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", below], cwd=ROOT, capture_output=True, check=False
    )
    if listed.returncode:
        pytest.skip("needs a checkout with git")
    for name in filter(None, listed.stdout.decode().split("\0")):
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, target, follow_symlinks=False)
    return folder


def test_a_figure_that_is_killed_before_it_is_whole_leaves_the_old_one(tmp_path):
    old = tmp_path / "shown.pdf"
    old.write_bytes(b"old")
    process = subprocess.run([sys.executable, "-c", KILLED, tmp_path], cwd=ROOT)
    assert process.returncode == -signal.SIGKILL
    assert old.read_bytes() == b"old"
    assert len(list(tmp_path.glob("*.partial"))) == 1
    with style.styled():
        files = style.save(style.figure(1), "shown", tmp_path)
    assert sorted(tmp_path.iterdir()) == files


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """The folder of tracked results alone, and new ones beside it."""
    copy = tracked(tmp_path_factory.mktemp("bare"), "experiments/results")
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("SIGPROP_RESULTS", raising=False)
        patch.setattr(store, "SHIPPED", copy / "experiments/results/paper")
        patch.setattr(cells, "run_cells", None)  # nothing is trained
        yield


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("name", "panel"),
    [
        TRAINED[0],
        *(pytest.param(*case, marks=pytest.mark.slow) for case in TRAINED[1:]),
    ],
)
def test_trained_panels_are_drawn_from_what_comes_with_the_code(name, panel):
    entry = catalogue.entry(name)
    (study,) = entry.needs(panel)
    path = command.make(study, "quick")
    assert store.SHIPPED not in path.parents
    results = {study: store.read(path)}
    figure = catalogue.module(name).draw(results, panel)
    assert all(axes.has_data() for axes in figure.axes)


def test_every_trained_result_of_the_figures_is_among_them():
    all_studies = {
        study for entry in catalogue.entries().values() for study in entry.needs()
    }
    shown = {catalogue.entry(name).studies[panel] for name, panel in TRAINED}
    ladders = {"ladder_listops", "ladder_smnist"}
    assert all_studies & set(studies.sweeps()) == shown | ladders


def told_of(name):
    """What the command says that a figure of tracked results is drawn from."""
    sources = ", ".join(f"{study} (paper)" for study in catalogue.entry(name).needs())
    return f"{name} is drawn from {sources}\n"


def assert_whole(file):
    """A picture has its end, and one of pixels is as wide as a page and not blank."""
    if file.suffix == ".pdf":
        content = file.read_bytes()
        assert content.startswith(b"%PDF-")
        assert content.rstrip().endswith(b"%%EOF")
        return
    with Image.open(file) as opened:
        shades = np.asarray(opened.convert("L"))
    assert shades.shape[1] == round(style.WIDTH * style.SETTINGS["savefig.dpi"])
    halves = np.array_split(shades, 2)
    assert all((half < 128).sum() > 100 for half in halves)  # ink above and below


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize("name", ["lru-9", "zucchet-9"])
def test_figures_of_tracked_results_are_drawn_at_once(name, tmp_path, monkeypatch):
    monkeypatch.setattr(style, "folder", lambda: tmp_path)
    monkeypatch.setattr(store, "save", None)  # nothing is run or gathered
    answer = CliRunner().invoke(app, ["figure", name])
    assert answer.exit_code == 0, answer.output
    assert told_of(name) in answer.stderr
    files = [tmp_path / f"{name}.{kind}" for kind in ("pdf", "png", "md")]
    assert answer.stdout.split() == [str(file) for file in files]
    for file in files[:2]:
        assert_whole(file)


def test_every_study_of_a_figure_has_a_tracked_result():
    all_studies = {
        study for entry in catalogue.entries().values() for study in entry.needs()
    }
    tracked_studies = {
        file.name.rsplit("-", 1)[0] for file in store.SHIPPED.glob("*.nc")
    }
    assert all_studies - tracked_studies == AWAITED


def environment(checkout):
    variables = own_programs(checkout.with_name("programs"))
    variables.pop("XLA_FLAGS", None)
    variables.pop("SIGPROP_RESULTS", None)
    return variables | {
        "PYTHONPATH": str(checkout),
        "SIGPROP_DATA": str(checkout / "none"),
    }


def start(checkout, name):
    """``sigprop figure`` in a checkout."""
    return subprocess.Popen(
        [sys.executable, "-m", "sigprop", "figure", name],
        cwd=checkout,
        env=environment(checkout),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def draw(checkout, name):
    """``sigprop figure``, to its end; what it says."""
    process = start(checkout, name)
    output, _ = process.communicate()
    assert process.returncode == 0, output
    return output


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """All that is tracked, and nothing else; figures share what they make there."""
    return tracked(tmp_path_factory.mktemp("checkout"))


def assert_drawn(checkout, name, output):
    assert told_of(name) in output
    assert "running" not in output
    for kind in ("pdf", "png"):
        assert_whole(checkout / f"figures/out/{name}.{kind}")


def test_a_figure_is_drawn_in_a_bare_checkout(checkout):
    assert_drawn(checkout, FIGURE, draw(checkout, FIGURE))


@pytest.fixture(scope="module")
def drawing(checkout):
    """The command in a checkout, loaded once: of a figure, its status and what it says."""
    with subprocess.Popen(
        [sys.executable, "-c", DRAWING],
        cwd=checkout,
        env=environment(checkout),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout

        def result_of(name):
            print(name, file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield result_of
        process.stdin.close()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DRAWN if name != FIGURE])
def test_every_figure_is_drawn_in_a_bare_checkout(checkout, drawing, name):
    status, output, catalogue_file = drawing(name)
    assert Path(catalogue_file).is_relative_to(checkout)
    assert status == 0, output
    assert_drawn(checkout, name, output)


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_figures_lose_and_damage_nothing(tmp_path, how):
    checkout = tracked(tmp_path)
    out = checkout / "figures/out"
    started = time.monotonic()
    draw(checkout, FIGURE)
    duration = time.monotonic() - started
    wanted = {file.name: file.read_bytes() for file in out.iterdir()}
    shutil.rmtree(out)
    for part in (0.65, 0.9):
        process = start(checkout, FIGURE)
        time.sleep(duration * (part + random.uniform(-0.05, 0.05)))
        process.send_signal(how)
        output, _ = process.communicate(timeout=60)
        assert process.returncode in (0, 130 if how == signal.SIGINT else -how), output
        files = {file.name: file.read_bytes() for file in out.glob("[!.]*")}
        assert files.items() <= wanted.items()
    draw(checkout, FIGURE)
    assert {file.name: file.read_bytes() for file in out.iterdir()} == wanted
