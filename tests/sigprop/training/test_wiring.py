"""What a call hands on: every option of a training, a task and a preset arrives.

What is called is replaced by what notes its arguments: nothing is trained or drawn.
"""

import dataclasses
import inspect
import json
import math
from pathlib import Path
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.networks.network import Network
from sigprop.networks.retrieval import TwoTowers
from sigprop.tasks import catalogue
from sigprop.training import runs, supervised
from sigprop.training.presets import (
    BLUR_EPOCHS,
    LRU_SCHEDULES,
    QUICK,
    ROTRNN_SCHEDULES,
    preset,
)
from sigprop.training.supervised import Fitted, Score
from tests.sigprop.networks.small import network, shaken
from tests.sigprop.training.test_presets import PIXELS, TOKENS
from tests.sigprop.training.test_runs import JOB
from tests.sigprop.training.test_supervised import DATA


class Noted:
    """Stands in for a function: notes what each call gives its parameters."""

    def __init__(self, function, answer=None):
        self.signature, self.answer = inspect.signature(function), answer
        self.calls = []

    def __call__(self, *args, **more):
        self.calls.append(dict(self.signature.bind(*args, **more).arguments))
        return self.answer


def fitted():
    """The end of a training in which no two numbers agree."""
    model, state = network("lru", norm="batch")
    records = {
        "loss": np.array([[0.1, 0.2]]),
        "gradient_norm": np.array([[3.0, 4.0]]),
        "step": np.array([20]),
        "validation_accuracy": np.array([0.3]),
        "validation_loss": np.array([0.8]),
        "state_power": np.array([[1.5]]),
    }
    return Fitted(shaken(model), state, 17, 0.75, Score(0.4, 0.65), records)


def test_a_job_is_trained_with_its_own_seed_and_told_as_it_ended(tmp_path, monkeypatch):
    end = fitted()
    recorder = Noted(supervised.fit, end)
    monkeypatch.setattr(runs, "fit", recorder)

    def probe(network, state):
        return {}

    def progress(done, last):
        pass

    job = dataclasses.replace(JOB, seed=11)
    runs.run(job, DATA, tmp_path, probe=probe, every=7.0, progress=progress)
    (call,) = recorder.calls
    assert (call["recipe"], call["seed"], call["every"]) == (job.recipe, 11, 7.0)
    assert call["data"] is DATA
    assert call["probe"] is probe
    assert Path(call["checkpoint"]).parent == tmp_path
    stored = json.loads((tmp_path / runs.RESULT).read_text())
    wanted = {"test_accuracy": 0.65, "test_loss": 0.4, "validation_accuracy": 0.75}
    assert stored.items() >= {**wanted, "best_step": 17}.items()
    network_read, _ = runs.trained(tmp_path)
    np.testing.assert_array_equal(
        network_read.blocks[0].layer.nu_log, end.network.blocks[0].layer.nu_log
    )
    with np.load(tmp_path / runs.CURVES) as curves:
        np.testing.assert_array_equal(curves["loss"], end.records["loss"])


# --- tasks --------------------------------------------------------------------------

AT = catalogue.Place(Path("here"), Path("there"), 13, print)
PACKED = {"cache": AT.cache, "progress": print}
LOADED = {
    "digits": ("images.digits", {"fold": 3, "folds": 5}),
    "smnist": ("images.mnist", {"folder": AT.folder}),
    "psmnist": ("images.mnist", {"folder": AT.folder, "permuted": True}),
    "smnist-10k": ("images.mnist", {"folder": AT.folder, "files": "t10k"}),
    "psmnist-10k": (
        "images.mnist",
        {"folder": AT.folder, "permuted": True, "files": "t10k"},
    ),
    "scifar": ("images.cifar", {"folder": AT.folder, "grey": False}),
    "image": ("images.cifar", {"folder": AT.folder, "grey": True}),
    "listops": ("listops", {"folder": AT.folder, **PACKED}),
    "listops-short": (
        "listops",
        {"rules": catalogue.SHORT, "counts": (20_000, 2_000, 2_000), **PACKED},
    ),
    "text": ("imdb", {"folder": AT.folder, **PACKED}),
    "retrieval": ("aan", {"folder": AT.folder, **PACKED}),
    "pathfinder": (
        "pathfinder",
        {"folder": AT.folder, "rules": catalogue.PATHFINDER_32, **PACKED},
    ),
    "pathfinder-short": ("pathfinder", {"rules": catalogue.PATHFINDER_16, **PACKED}),
    "pathx": (
        "pathfinder",
        {"folder": AT.folder, "rules": catalogue.PATH_X, **PACKED},
    ),
    "speech": ("speech.speech_commands", {"folder": AT.folder, "progress": print}),
    "fsdd": ("speech.spoken_digits", {"folder": AT.folder}),
}


@pytest.mark.parametrize("name", catalogue.TASKS)
def test_a_task_is_loaded_with_the_options_of_its_name(name, monkeypatch):
    *room, loader = LOADED[name][0].split(".")
    module = getattr(catalogue, room[0]) if room else catalogue
    recorder = Noted(getattr(module, loader), "the data")
    monkeypatch.setattr(module, loader, recorder)
    assert catalogue.TASKS[name].load(AT) == "the data"
    assert recorder.calls == [LOADED[name][1]]


# --- presets ------------------------------------------------------------------------


def schedule_of(recipe):
    optimiser = recipe.optimiser
    return {
        "steps": optimiser.steps,
        "batch": recipe.batch,
        "rate": recipe.rate,
        "factor": recipe.factor,
        "decay": optimiser.decay,
        "warmup": optimiser.warmup / optimiser.steps,
    }


@pytest.mark.parametrize("task", QUICK)
def test_a_quick_training_has_every_number_of_its_row(task):
    row = QUICK[task]
    for model in ("lru", "rotrnn", "tanh"):
        recipe = preset(task, model, "quick", TOKENS)
        assert schedule_of(recipe) == pytest.approx(dataclasses.asdict(row.schedule))
        assert recipe.evaluate == row.evaluate
        for name in ("width", "state_size", "depth", "dropout"):
            assert getattr(recipe.network, name) == getattr(row, name)
    options = preset(task, "lru", "quick", TOKENS).network.layer_options
    ring = {"r_min": row.ring[0], "r_max": row.ring[1], "max_phase": row.max_phase}
    assert options == ring
    options = preset(task, "rotrnn", "quick", TOKENS).network.layer_options
    assert tuple(options["theta_range"]) == (0.0, row.max_phase)
    assert tuple(options["gamma_range"]) == (row.ring[0] or 0.5, row.ring[1])
    small = preset(task, "phase", "quick", TOKENS).network.layer_options
    assert small["max_phase"] == pytest.approx(math.pi / 10)


PAPERS = [("lru", task) for task in LRU_SCHEDULES]
PAPERS += [("rotrnn", task) for task in ROTRNN_SCHEDULES]


@pytest.mark.parametrize(("model", "task"), PAPERS)
def test_a_paper_training_has_every_number_of_its_row(model, task):
    row = {"lru": LRU_SCHEDULES, "rotrnn": ROTRNN_SCHEDULES}[model][task]
    recipe = preset(task, model, "paper", PIXELS)
    assert schedule_of(recipe) == pytest.approx(dataclasses.asdict(row), rel=1e-3)
    assert recipe.network.inputs == PIXELS.train.features


def test_epochs_of_blur_are_of_its_batches():
    recipe = preset("image", "blur", "paper", PIXELS)
    assert recipe.optimiser.steps * recipe.batch == BLUR_EPOCHS * len(PIXELS.train)


# --- networks -----------------------------------------------------------------------


def test_every_block_drops_by_a_key_of_its_own():
    keys = []

    def block(x, state, *, length, key):
        keys.append(tuple(np.asarray(jax.random.key_data(key)).tolist()))
        return x, state

    network_stub = SimpleNamespace(
        blocks=[block] * 3,
        encode=lambda u, length: u,
        pool=lambda x, length: x,
        _require=lambda *_: None,
    )
    Network.features(
        network_stub, jnp.ones((2, 3)), network()[1], key=jax.random.key(4)
    )
    assert len({*keys}) == 3


def test_both_documents_of_a_pair_drop_by_keys_of_their_own():
    def tower(u, state, *, length, key):
        return jax.random.normal(key, (3,)), state

    towers_stub = SimpleNamespace(tower=tower, head=lambda x: x)
    features, _ = TwoTowers.__call__(
        towers_stub, jnp.ones((2, 4, 1)), network()[1], key=jax.random.key(4)
    )
    assert (np.abs(features[6:9]) > 1e-6).all()  # the difference
