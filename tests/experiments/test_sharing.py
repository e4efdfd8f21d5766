"""Many calls at one sweep, and files that were damaged: every cell is made once."""

import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from pathlib import Path

import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from sigprop.cli import main as cli
from sigprop.experiments import store, studies, sweep
from sigprop.experiments.teacher_student import cells
from sigprop.training.checkpoints import save_checkpoint
from tests.kept import own_programs
from tests.sigprop.numerics.test_locks import HOLD

ROOT = Path(__file__).parents[2]
SWEEP = "agreement"


def result(config):
    """What a training might end with, without one."""
    curve = np.linspace(1, 0.1, cells.RECORDS) + config.seed
    rates = np.ones((cells.RECORDS, 2, 3)) * 10.0**config.log_rate
    return xr.Dataset(
        {
            "curve": ("record", curve),
            "population": ("record", curve),
            "rate": (("record", "group", "quantile"), rates),
        },
        {
            "record": ("record", np.arange(1, cells.RECORDS + 1)),
            "group": ["recurrent", "other"],
            "quantile": ("quantile", list(cells.QUANTILES)),
        },
        {"dtype": config.dtype, "diverged": -1, "parameters": 3},
    )


@contextmanager
def trainings(folder):
    """The cells that were trained so far, each by a training that takes no time."""
    all_configs = []

    def run_cells(configs, checkpoint=None, progress=lambda share: None):
        time.sleep(0.02)
        progress(0.5)
        all_configs.extend(configs)
        return [result(config) for config in configs]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIGPROP_RESULTS", str(folder))
        patch.setattr(cells, "run_cells", run_cells)
        patch.setattr(sweep, "PAUSE", 0.02)
        patch.setattr(store, "_commit", lambda: "unknown")  # git takes longer
        yield all_configs


@pytest.fixture
def trained(tmp_path):
    with trainings(tmp_path) as all_configs:
        yield all_configs


@pytest.fixture(scope="module")
def two_drivers(tmp_path_factory):
    """The folder of a sweep that two drivers made, what each told, and the cells."""
    folder = tmp_path_factory.mktemp("made")
    with trainings(folder) as all_configs:
        drivers = [Driver(), Driver()]
        for driver in drivers:
            driver.start()
        for driver in drivers:
            driver.join(60)
    return folder, drivers, tuple(all_configs)


@pytest.fixture
def gathered_file(two_drivers, trained, tmp_path):
    """The gathered result in a copy of that folder, with its cells beside it."""
    folder, (driver, _), _ = two_drivers
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    return tmp_path / driver.file.name


class Driver(threading.Thread):
    """A call of the sweep beside this one."""

    def __init__(self):
        super().__init__(daemon=True)
        self.told, self.file = [], None

    def run(self):
        self.file = sweep.run(SWEEP, "smoke", report=self.told.append)


def test_two_drivers_train_every_cell_once(two_drivers, gathered_file):
    _, drivers, all_configs = two_drivers
    grid = studies.grid(SWEEP, "smoke")
    assert sorted(map(str, all_configs)) == sorted(map(str, grid))
    assert drivers[0].file == drivers[1].file
    assert store.preset_path(SWEEP, "smoke") == gathered_file
    assert store.load_preset(SWEEP, "smoke").sizes["cell"] == len(grid)
    for driver in drivers:
        assert driver.told[-1] <= len(grid)
    assert not list((store.folder() / "checkpoints").iterdir())


def test_a_chunk_whose_driver_is_killed_is_taken_over(trained):
    first, *others = sweep.chunks(SWEEP, "smoke")
    lock = first.checkpoint().with_suffix(".lock")
    dead = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, text=True
    )
    assert dead.stdout is not None
    assert dead.stdout.readline() == "True\n"
    driver = Driver()
    driver.start()
    while len(trained) < sum(len(chunk.cells) for chunk in others):
        assert driver.is_alive()
        time.sleep(0.01)
    time.sleep(0.2)  # some rounds in vain
    assert driver.is_alive()
    assert not set(trained) & set(first.cells)
    dead.send_signal(signal.SIGKILL)
    dead.communicate()
    driver.join(60)
    assert driver.file == store.preset_path(SWEEP, "smoke")
    assert sorted(map(str, trained)) == sorted(map(str, studies.grid(SWEEP, "smoke")))
    assert driver.told[-1] == len(trained)


def test_what_another_driver_gathered_is_not_replaced_by_less(
    gathered_file, monkeypatch
):
    late, known = studies.grid(SWEEP, "smoke")[0], sweep._finished

    def finished(study, configs):
        return {
            config: path
            for config, path in known(study, configs).items()
            if config != late
        }

    with monkeypatch.context() as patch:
        patch.setattr(sweep, "_finished", finished)
        assert sweep.gather(SWEEP, "smoke") == gathered_file
    assert store.files(SWEEP) == [gathered_file]
    gathered_file.unlink()
    with monkeypatch.context() as patch:
        patch.setattr(sweep, "_finished", finished)
        part = sweep.gather(SWEEP, "smoke")
    assert part != gathered_file
    assert sweep.gather(SWEEP, "smoke") == gathered_file
    assert store.files(SWEEP) == [gathered_file]


def test_a_gathered_result_that_vanishes_is_no_damage(gathered_file, monkeypatch):
    gone = gathered_file.with_name("gone-0.nc")
    monkeypatch.setattr(store, "files", lambda study: [gone])
    assert list(store.stored(SWEEP)) == []
    monkeypatch.setattr(store, "stored", lambda study: [(gone, ATTRIBUTES)])
    assert sweep.count(SWEEP, "smoke") == (8, 8)


ATTRIBUTES = {"version": 1000 * cells.VERSION, "complete": 1, "details": 0}


# --- damage -------------------------------------------------------------------------


def cut(file):
    file.write_bytes(file.read_bytes()[:-1000])


def empty(file):
    file.write_bytes(b"")


@pytest.mark.parametrize("damage", [pytest.param(cut, marks=pytest.mark.slow), empty])
def test_a_damaged_gathered_result_is_set_aside(gathered_file, trained, damage):
    damage(gathered_file)
    ((aside, message),) = sweep.damaged(SWEEP, "smoke")
    assert (aside.name, aside.is_file()) == (f"{gathered_file.name}.damaged", True)
    assert message.startswith(f"{gathered_file} is damaged (")
    assert message.endswith(f"again with `sigprop sweep run {SWEEP} --preset smoke`")
    assert sweep.run(SWEEP, "smoke") == gathered_file
    assert trained == []  # its cells were sound


def test_damaged_results_of_other_sweeps_name_their_own_preset(trained):
    files = []
    for preset in ("quick", "paper"):
        config, version = studies.definition("concentration", preset)
        files.append(store.path("concentration", version, config))
        files[-1].write_bytes(b"no HDF5")
    messages = dict(sweep.damaged(SWEEP, "smoke"))
    for file, preset in zip(files, ("quick", "paper"), strict=True):
        message = messages.pop(file.with_name(f"{file.name}.damaged"))
        assert f"`sigprop sweep run concentration --preset {preset}`" in message
    assert not messages


def test_a_damaged_training_under_way_is_set_aside(trained):
    chunk, other, *_ = sweep.chunks(SWEEP, "smoke")
    save_checkpoint(chunk.checkpoint(), {"a": jnp.zeros(3)}, 1, {})
    save_checkpoint(other.checkpoint(), {"a": jnp.zeros(3)}, 1, {})
    content = bytearray(chunk.checkpoint().read_bytes())
    content[len(content) // 2] ^= 1
    chunk.checkpoint().write_bytes(content)
    ((aside, message),) = sweep.damaged(SWEEP, "smoke")
    assert aside.name == f"{chunk.checkpoint().name}.damaged"
    assert "its checksum is wrong" in message
    assert message.endswith(f"`sigprop sweep run {SWEEP} --preset smoke`")
    assert other.checkpoint().is_file()
    assert not chunk.checkpoint().is_file()


def test_a_training_without_a_checksum_is_not_said_to_have_a_wrong_one(trained):
    path = sweep.chunks(SWEEP, "smoke")[0].checkpoint()
    path.parent.mkdir(parents=True)
    with path.open("wb") as stream:
        np.savez(stream, a=np.zeros(3))  # as versions without checksums wrote them
    ((aside, message),) = sweep.damaged(SWEEP, "smoke")
    assert aside.name == f"{path.name}.damaged"
    assert message.startswith(f"{path} was written by an early sigprop")
    assert "wrote no checksums; make it again with" in message
    assert "wrong" not in message


def test_tables_of_gathered_cells_are_read_once_a_call(gathered_file, monkeypatch):
    names, stored = [], store.stored

    def counted(name):
        names.append(name)
        return stored(name)

    monkeypatch.setattr(store, "stored", counted)
    all_names = sweep._beside("teacher_student")
    assert sweep.count(SWEEP, "smoke") == (8, 8)
    assert names == all_names
    chunks = sweep.chunks(SWEEP, "smoke")
    assert sum(sweep.missing_of(chunks).values()) == 0
    assert names == all_names * 2
    assert sweep.run_chunk(chunks[0])
    assert names == all_names * 3


def test_a_chunk_sees_what_another_process_gathered_meanwhile(
    gathered_file, trained, tmp_path
):
    aside = tmp_path / "elsewhere"
    for file in (*tmp_path.glob("teacher_student-*.nc"), gathered_file):
        aside.mkdir(exist_ok=True)
        file.rename(aside / file.name)
    chunk = sweep.chunks(SWEEP, "smoke")[0]
    assert sweep.missing_of([chunk]) == {chunk: len(chunk.cells)}
    (aside / gathered_file.name).rename(gathered_file)
    assert sweep.run_chunk(chunk)
    assert trained == []


def test_the_command_sets_aside_and_counts(two_drivers, gathered_file):
    def check():
        return CliRunner().invoke(
            cli.app, ["sweep", "check", SWEEP, "--preset", "smoke"]
        )

    victim = store.path("teacher_student", cells.VERSION, two_drivers[2][3])
    empty(gathered_file)
    empty(victim)
    answer = check()
    assert answer.exit_code == 1
    assert f"{gathered_file} is damaged" in answer.output
    assert f"{victim} is damaged" in answer.output
    assert answer.output.count(f"sigprop sweep run {SWEEP} --preset smoke") == 2
    assert "7 of 8 cells are stored and sound, 2 were not" in answer.output
    answer = check()
    assert answer.exit_code == 0
    assert "7 of 8 cells are stored and sound, 0 were not" in answer.output


# --- real trainings -----------------------------------------------------------------

DRIVE = f"""
import os, sys
from sigprop.experiments import sweep
from sigprop.experiments.teacher_student import cells
real, log = cells.run_cells, sys.argv[1]
def run_cells(configs, *rest):
    found = real(configs, *rest)
    with open(log, "a") as stream:
        stream.writelines(f"{{one}}\\n" for one in configs)
    return found
cells.run_cells = run_cells
sweep.run("{SWEEP}", "smoke")
"""


def _drive(folder):
    return subprocess.Popen(
        [sys.executable, "-c", DRIVE, str(folder / "log")],
        cwd=ROOT,
        env={
            **own_programs(folder / "programs"),
            "SIGPROP_RESULTS": str(folder / "results"),
        },
    )


@pytest.mark.slow
@pytest.mark.parametrize("killed", [False, True])
def test_two_processes_train_every_cell_once(tmp_path, killed):
    drivers = [_drive(tmp_path), _drive(tmp_path)]
    if killed:
        while not list((tmp_path / "results").glob("checkpoints/*.lock")):
            time.sleep(0.01)
        time.sleep(random.uniform(0, 5))
        drivers[0].send_signal(signal.SIGKILL)
        drivers[0].wait()
    assert [driver.wait(timeout=500) for driver in drivers] in ([0, 0], [-9, 0])
    lines = (tmp_path / "log").read_text().splitlines()
    all_cells = sorted(map(str, studies.grid(SWEEP, "smoke")))
    # One chunk may have been trained, and not all stored, when its driver was killed.
    assert sorted(set(lines)) == all_cells
    assert len(lines) - len(all_cells) <= (2 if killed else 0)
