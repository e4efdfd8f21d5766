"""A training in a folder: claimed once, killed at will, finished once."""

import dataclasses
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from sigprop.networks.files import read
from sigprop.numerics.interruption import INTERRUPTED
from sigprop.numerics.locks import claimed
from sigprop.training.curves import curves
from sigprop.training.recipes import Schedule, recipe
from sigprop.training.records import read_sealed
from sigprop.training.runs import (
    CHECKPOINT,
    CURVES,
    LOCK,
    NETWORK,
    RESULT,
    Job,
    reserve,
    run,
    trained,
)
from tests.kept import own_programs
from tests.sigprop.training.test_supervised import DATA, SMALL

SHORT = recipe(SMALL, Schedule(8, 10, 1e-2, 0.5), segment=2, evaluate=2)
JOB = Job("signs", "lru", "quick", 3, SHORT)
LONG = recipe(SMALL, Schedule(4000, 10, 1e-2, 0.5), segment=2, evaluate=2)


def test_a_folder_ends_with_network_curves_and_result(tmp_path):
    folder = tmp_path / f"seed-{JOB.seed}"
    result = run(JOB, DATA, folder)
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        [CURVES, NETWORK, RESULT, "run.json"]
    )
    assert 0 <= result["test_accuracy"] <= 1
    network, _ = trained(folder)
    assert not network.training
    shown = curves(tmp_path)
    assert (shown["loss"].shape, shown.sizes["layer"]) == ((1, 8), 1)
    assert shown["step"].values.tolist() == [[4, 8]]

    def nothing(done, last):
        raise AssertionError("trained again")

    assert run(JOB, DATA, folder, progress=nothing) == result


def test_a_folder_is_for_one_training(tmp_path):
    run(JOB, DATA, tmp_path)
    before = (tmp_path / "run.json").read_bytes()
    other = dataclasses.replace(JOB, seed=4, model="blur")
    with pytest.raises(ValueError, match="another model, seed"):
        run(other, DATA, tmp_path)
    assert (tmp_path / "run.json").read_bytes() == before


def test_what_is_no_finished_training_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="the folder of a training"):
        trained(tmp_path)
    reserve(tmp_path, JOB)
    with pytest.raises(FileNotFoundError, match=r"no result\.json yet"):
        trained(tmp_path)


@pytest.mark.parametrize("text", ["{", "[]", "{}", "\xff", "3", '{"seed": 3}'])
@pytest.mark.parametrize("name", ["run.json", RESULT])
def test_a_damaged_file_of_a_training_is_named(tmp_path, name, text):
    reserve(tmp_path, JOB)
    (tmp_path / name).write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=rf"need .*; delete .*{name} to train again"):
        run(JOB, DATA, tmp_path)
    assert (tmp_path / name).read_bytes() == text.encode("latin-1")


def test_two_processes_are_not_at_one_training(tmp_path):
    def on_progress(done, last):
        raise AssertionError("trained")

    message = r"no other process is at.*wait for it"
    with claimed(tmp_path / LOCK), pytest.raises(ValueError, match=message):
        run(JOB, DATA, tmp_path, progress=on_progress)


OTHERS = {
    "network": dataclasses.replace(SHORT, network=dataclasses.replace(SMALL, width=5)),
    "rate": dataclasses.replace(SHORT, rate=2 * SHORT.rate),
    "seed": SHORT,
}


@pytest.mark.parametrize("field", OTHERS)
def test_a_checkpoint_of_another_training_is_refused(tmp_path, field):
    folder = tmp_path / "one"

    class Killed(Exception):
        pass

    def stop(done, last):
        if done == 2:
            raise Killed

    with pytest.raises(Killed):
        run(JOB, DATA, folder, every=0, progress=stop)
    seed = JOB.seed + (field == "seed")
    other = Job("signs", "lru", "quick", seed, OTHERS[field])
    (tmp_path / "two").mkdir()
    os.replace(folder / CHECKPOINT, tmp_path / "two" / CHECKPOINT)
    with pytest.raises(
        ValueError, match=f"another training, with another {field}; del"
    ):
        run(other, DATA, tmp_path / "two")


SCRIPT = """
import sys
from pathlib import Path
from sigprop.numerics.interruption import interruptible
from sigprop.training.runs import Job, run
from tests.sigprop.training.test_runs import LONG
from tests.sigprop.training.test_supervised import DATA
with interruptible():
    run(Job("signs", "lru", "quick", 3, LONG), DATA, Path(sys.argv[1]), every=0.2)
"""
ENDS = {signal.SIGKILL: -signal.SIGKILL, signal.SIGINT: INTERRUPTED}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Environment of processes that keep what they compile, and find it again."""
    return own_programs(tmp_path_factory.mktemp("compiled"))


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory, compiled):
    """A training that nothing disturbed."""
    folder = tmp_path_factory.mktemp("whole")
    command = [sys.executable, "-c", SCRIPT, str(folder)]
    subprocess.run(command, env=compiled, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("kind", ENDS)
def test_a_training_stopped_twice_ends_as_an_undisturbed_one(
    tmp_path, undisturbed, compiled, kind
):
    path = tmp_path / CHECKPOINT
    command = [sys.executable, "-c", SCRIPT, str(tmp_path)]
    for _ in range(2):
        process = subprocess.Popen(command, env=compiled)
        before = path.stat().st_mtime if path.is_file() else 0.0
        while not path.is_file() or path.stat().st_mtime == before:
            assert process.poll() is None
            time.sleep(0.01)
        time.sleep(random.uniform(0, 1))
        process.send_signal(kind)
        assert process.wait() == ENDS[kind]
        assert path.is_file()
    subprocess.run(command, env=compiled, check=True)
    _require_equal(tmp_path, undisturbed)


DIGITS = Path("digits-lru-quick") / "seed-0"


COMMAND = """
import sys
from sigprop.numerics.interruption import interruptible
with interruptible():
    from sigprop.cli.main import app
    from sigprop.networks import NetworkConfig
    from sigprop.training import presets
    from sigprop.training.recipes import Schedule, recipe
    small = NetworkConfig(
        inputs=1, outputs=10, width=4, state_size=4, depth=1, layer="lru", dropout=0.1
    )
    steps = Schedule(40, 10, 1e-2, 0.5)
    presets.preset = lambda *_: recipe(small, steps, segment=20, evaluate=20)
    app(["train", "digits", "--out", sys.argv[1]])
"""


def _command(folder, environment):
    """The real command with a small network: forty steps on digits."""
    return subprocess.Popen(
        [sys.executable, "-c", COMMAND, str(folder)],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def _undisturbed(folder, environment):
    """Run the command to its end; the seconds that it took."""
    began = time.monotonic()
    process = _command(folder, environment)
    _, output = process.communicate()
    assert process.returncode == 0, output
    return time.monotonic() - began


@pytest.mark.slow(first=True)
def test_the_command_stops_cleanly_at_any_moment(tmp_path, compiled):
    """Two interruptions and two kills, while it imports, compiles or trains.

    What is killed finds its programs compiled: a compiler minds interruptions alone.
    """
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    anew = os.environ | {"JAX_ENABLE_COMPILATION_CACHE": "false"}
    environments = {signal.SIGINT: anew, signal.SIGKILL: compiled}
    lasts = {
        signal.SIGINT: _undisturbed(whole, compiled),
        signal.SIGKILL: _undisturbed(tmp_path / "again", compiled),
    }
    stops = [
        (random.uniform(i / 2, (i + 1) / 2) * lasts[kind], kind)
        for i in range(2)
        for kind in ENDS
    ]
    random.shuffle(stops)
    print(lasts, "stopped after", *(f"{moment:.1f}" for moment, _ in stops))
    for moment, kind in stops:
        process = _command(stopped, environments[kind])
        time.sleep(1 + moment)  # one second until Python runs the command
        process.send_signal(kind)
        _, output = process.communicate()
        assert process.returncode in (ENDS[kind], 0), output
        if process.returncode == INTERRUPTED:
            (line,) = output.splitlines()
            assert line.startswith("interrupted")
    _undisturbed(stopped, compiled)
    _require_equal(stopped / DIGITS, whole / DIGITS)


def _require_equal(folder, expected):
    """Two runs have the same files and numbers, but for the time that they took."""
    assert _names(folder) == _names(expected)
    for name in (CURVES, NETWORK):
        mine, theirs = (_arrays(directory / name) for directory in (folder, expected))
        assert mine.keys() == theirs.keys()
        for key, value in theirs.items():
            np.testing.assert_array_equal(mine[key], value, key)
    results = [read_sealed(directory / RESULT) for directory in (folder, expected)]
    for result in results:
        del result["seconds"]
    assert results[0] == results[1]


def _names(folder):
    """Names of all files in a folder but those that a kill left unfinished."""
    return {file.name for file in folder.iterdir() if file.suffix != ".partial"}


def _arrays(path):
    if path.name == CURVES:
        with np.load(path) as stored:
            return dict(stored)
    return read(path)[0]
