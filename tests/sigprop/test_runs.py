"""A training in a folder: claimed once, killed at will, finished once."""

import dataclasses
import json
import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from sigprop.interchange import read
from sigprop.recipes import Schedule, recipe
from sigprop.runs import CHECKPOINT, CURVES, NETWORK, RESULT, Job, run, trained
from tests.sigprop.test_supervised import DATA, SMALL

SHORT = recipe(SMALL, Schedule(8, 10, 1e-2, 0.5), segment=2, evaluate=2)
JOB = Job("signs", "lru", "quick", 3, SHORT)
LONG = recipe(SMALL, Schedule(4000, 10, 1e-2, 0.5), segment=2, evaluate=2)


def test_a_folder_ends_with_network_curves_and_result(tmp_path):
    result = run(JOB, DATA, tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(
        [CURVES, NETWORK, RESULT, "run.json"]
    )
    assert 0 <= result["test_accuracy"] <= 1
    network, _ = trained(tmp_path)
    assert not network.training
    with np.load(tmp_path / CURVES) as curves:
        assert curves["loss"].shape == (4, 2)

    def nothing(done, last):
        raise AssertionError("trained again")

    assert run(JOB, DATA, tmp_path, progress=nothing) == result


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
    (tmp_path / "run.json").write_text("{}")
    with pytest.raises(FileNotFoundError, match=r"no network\.safetensors yet"):
        trained(tmp_path)
    (tmp_path / "run.json").write_text("{")
    with pytest.raises(ValueError, match="need JSON"):
        trained(tmp_path)


OTHERS = {
    "network": dataclasses.replace(SHORT, network=dataclasses.replace(SMALL, width=5)),
    "rate": dataclasses.replace(SHORT, rate=2 * SHORT.rate),
    "seed": SHORT,
}


@pytest.mark.parametrize("what", OTHERS)
def test_a_checkpoint_of_another_training_is_refused(tmp_path, what):
    folder = tmp_path / "one"

    class Killed(Exception):
        pass

    def stop(done, last):
        if done == 2:
            raise Killed

    with pytest.raises(Killed):
        run(JOB, DATA, folder, every=0, progress=stop)
    seed = JOB.seed + (what == "seed")
    other = Job("signs", "lru", "quick", seed, OTHERS[what])
    (tmp_path / "two").mkdir()
    os.replace(folder / CHECKPOINT, tmp_path / "two" / CHECKPOINT)
    with pytest.raises(ValueError, match=f"another training, with another {what}; del"):
        run(other, DATA, tmp_path / "two")


SCRIPT = """
import sys
from pathlib import Path
from sigprop.runs import Job, run
from tests.sigprop.test_runs import LONG
from tests.sigprop.test_supervised import DATA
run(Job("signs", "lru", "quick", 3, LONG), DATA, Path(sys.argv[1]), every=0.2)
"""


@pytest.mark.slow
def test_a_training_killed_five_times_ends_as_an_undisturbed_one(tmp_path):
    def start(name):
        return subprocess.Popen([sys.executable, "-c", SCRIPT, str(tmp_path / name)])

    assert start("whole").wait() == 0
    kills = 0
    while not (tmp_path / "killed" / RESULT).is_file():
        process = start("killed")
        if kills < 5:
            place = tmp_path / "killed" / CHECKPOINT
            before = place.stat().st_mtime if place.is_file() else 0.0
            while not place.is_file() or place.stat().st_mtime == before:
                assert process.poll() is None
                time.sleep(0.01)
            time.sleep(random.uniform(0, 1))
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.wait()
    assert kills == 5
    for name in (CURVES, NETWORK):
        whole, killed = (_arrays(tmp_path / one / name) for one in ("whole", "killed"))
        assert whole.keys() == killed.keys()
        for key, value in whole.items():
            np.testing.assert_array_equal(killed[key], value, key)
    results = [
        json.loads((tmp_path / one / RESULT).read_text()) for one in ("whole", "killed")
    ]
    for result in results:
        del result["seconds"]
    assert results[0] == results[1]


def _arrays(path):
    if path.name == CURVES:
        with np.load(path) as stored:
            return dict(stored)
    return read(path)[0]
