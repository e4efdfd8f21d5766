"""Each figure's file is a script that draws the figure."""

import runpy
import subprocess
import sys
from pathlib import Path

import pytest

from sigprop.experiments import statuses, store
from sigprop.figures import catalogue
from sigprop.numerics.paths import on_disk
from tests.figures.tracked import DRAWN


def file_of(name):
    return on_disk(f"figures/{name.replace('-', '_')}.py")


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.sampled(4)
def test_a_figures_file_draws_it(name, tmp_path, monkeypatch, capsys):
    arguments = [str(file_of(name)), "--format", "svg", "--into", str(tmp_path)]
    monkeypatch.setattr(sys, "argv", arguments)
    # The results that come with the code, whatever else is stored.
    monkeypatch.setattr("sigprop.experiments.command.best", lambda study: "paper")
    monkeypatch.setattr(
        "sigprop.experiments.command.make",
        lambda study, *how: next(
            store.SHIPPED.glob(f"{study}-{'?' * store.DIGITS}.nc")
        ),
    )
    monkeypatch.setattr(statuses, "current", lambda rows: {})
    runpy.run_path(str(file_of(name)), run_name="__main__")
    drawn = [tmp_path / f"{name}.{kind}" for kind in ("svg", "md")]
    assert sorted(tmp_path.iterdir()) == sorted(drawn)
    assert capsys.readouterr().out.split() == [str(file) for file in drawn]


@pytest.mark.parametrize("name", catalogue.entries())
def test_a_figures_file_names_its_own_figure(name):
    assert file_of(name).read_text("utf-8").endswith(f'    main("{name}")\n')


@pytest.mark.parametrize("command", [["figures/lru_9.py"], ["-m", "figures.lru_9"]])
def test_both_ways_to_run_it_draw_the_panel_and_the_format_asked_for(command, tmp_path):
    root = Path(__file__).parents[2]
    subprocess.run(
        [
            sys.executable,
            *command,
            "--into",
            tmp_path,
            "--panel",
            "b",
            "--preset",
            "smoke",
            "--format",
            "png",
        ],
        cwd=root,
        check=True,
        capture_output=True,
    )
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names == ["lru-9-b-smoke.md", "lru-9-b-smoke.png"]


def test_bad_input_is_refused_in_a_line(tmp_path):
    answer = subprocess.run(
        [sys.executable, file_of("lru-9"), "--force", "--into", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    assert answer.returncode == 1
    assert answer.stderr.startswith("error: need --preset smoke, quick or paper")
    assert not [*tmp_path.iterdir()]
