"""What a study hands on to what it calls, and that no draw of it is another's.

Functions are unwrapped from the check of shapes where what they call is replaced.
"""

import contextlib
import dataclasses
import inspect
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from sigprop.experiments import (
    curse_of_memory,
    edges,
    gated_moments,
    network_moments,
    one_dimensional,
    similarity,
)
from sigprop.experiments.long_range import cells as trainings
from sigprop.experiments.teacher_student import cells
from sigprop.inputs import AR1, White
from sigprop.layers.base import parameters, replace
from sigprop.layers.lru import lru
from sigprop.neuron.montecarlo import Sums
from sigprop.tasks.catalogue import load_task
from sigprop.training import supervised
from sigprop.training.loop import Optimiser
from sigprop.training.presets import preset
from tests.sigprop.networks.small import network
from tests.sigprop.training.test_wiring import Noted, fitted


def plain(key):
    return tuple(np.asarray(jax.random.key_data(key)).tolist())


# --- trainings of deep networks -----------------------------------------------------


def test_a_training_has_the_options_of_its_cell(monkeypatch):
    recorder = Noted(supervised.fit, fitted())
    monkeypatch.setattr(trainings, "fit", recorder)
    shares = []
    cell = trainings.Config("digits", "relu", 3, 40)
    (result,) = trainings.run_cells([cell], progress=shares.append)
    (call,) = recorder.calls
    data = load_task("digits", seed=3)
    wanted = preset("digits", "relu", "quick", data)
    assert call["recipe"].network == wanted.network
    assert call["recipe"].optimiser.steps == 40
    assert call["seed"] == 3
    assert call["probe"] is None
    np.testing.assert_array_equal(call["data"].test.inputs, data.test.inputs)
    call["progress"](1, {})
    assert shares == [wanted.segment / 40]
    attributes = {
        "test_accuracy": 0.65,
        "test_loss": 0.4,
        "best_step": 17,
        "diverged": -1,
    }
    assert result.attrs.items() >= attributes.items()
    curves = {"loss": 0.15, "gradient_norm": 3.5, "validation_loss": 0.8}
    for name, value in curves.items():
        assert float(result[name][0]) == pytest.approx(value)
    assert float(result["validation_accuracy"][0]) == 0.3
    assert float(result["state_power"][0, 0]) == 1.5


def test_states_of_the_validation_are_measured_and_predicted(monkeypatch):
    data = load_task("digits")
    axes = ("recurrence", "quantity", "rung", "mode")
    values = np.arange(24.0).reshape(2, 2, 2, 3)
    dataset = xr.Dataset(
        {
            "measured": (axes[:2] + axes[3:], values[:, :, 0] + 0.25),
            "predicted": (axes, values),
            "ratio": (axes, values / 100),
        },
        {"quantity": ["output", "state"]},
    )
    calls = []

    end = fitted()

    def audit(network, state, batch):
        calls.append((network, state, batch))
        return dataset

    monkeypatch.setattr(trainings, "audit", audit)
    result = trainings._predicted(data, end.network, end.state)
    ((network, state, batch),) = calls
    assert network is end.network
    assert state is end.state
    np.testing.assert_array_equal(
        batch.inputs, data.validation.inputs[: trainings.PROBED]
    )
    np.testing.assert_array_equal(result["measured"], (values[:, 1, 0] + 0.25).sum(-1))
    np.testing.assert_array_equal(result["predicted"], values[:, 1].sum(-1))
    np.testing.assert_allclose(result["ratio"][..., 1], np.median(values, -1) / 100)


# --- students of a linear teacher ---------------------------------------------------

CELL = cells.Config(
    *("lru", -1.5),
    seed=5,
    nu0=0.7,
    theta0=0.3,
    hidden=6,
    teacher=4,
    length=11,
    steps=100,
    loss="sampled",
    batch=9,
    rho=0.4,
    schedule="constant",
)


def test_teacher_student_and_inputs_are_drawn_apart(monkeypatch):
    keys = {}

    def student(config, key):
        keys["student"] = plain(key)
        return lru(4, 1, key=key)

    monkeypatch.setattr(cells, "student", student)
    monkeypatch.setattr(
        cells, "task", lambda config, key: keys.setdefault("task", plain(key))
    )
    run, _ = inspect.unwrap(cells.prepare)(CELL)
    assert len({keys["student"], keys["task"], plain(run.key)}) == 3
    assert float(run.rate) == pytest.approx(10**-1.5)


def test_the_teacher_and_its_inputs_are_those_of_the_cell(monkeypatch):
    teacher = Noted(cells.linear_teacher, "teacher")
    monkeypatch.setattr(cells, "linear_teacher", teacher)
    task = Noted(cells.teacher_student)
    monkeypatch.setattr(cells, "teacher_student", task)
    inspect.unwrap(cells.task)(CELL, jax.random.key(0))
    (teacher_arguments,), (task_arguments,) = teacher.calls, task.calls
    assert (teacher_arguments["nu0"], teacher_arguments["size"]) == (0.7, 4)
    assert teacher_arguments["theta0"] == pytest.approx(0.3 * math.pi)
    wanted = {"teacher": "teacher", "process": AR1(0.4), "length": 11}
    assert task_arguments == wanted
    inspect.unwrap(cells.task)(cells.Config("lru", -1.0, 0), jax.random.key(0))
    assert task.calls[1]["process"] == White()


@pytest.mark.parametrize("name", cells.DIAGONAL)
def test_a_diagonal_student_has_the_ring_of_its_cell(monkeypatch, name):
    recorder = Noted(cells.DIAGONAL[name])
    monkeypatch.setitem(cells.DIAGONAL, name, recorder)
    cell = cells.Config(name, -1.0, 0, nu0=0.7, theta0=0.3, hidden=6)
    inspect.unwrap(cells.student)(cell, jax.random.key(0))
    (arguments,) = recorder.calls
    arguments.pop("key")
    angle = arguments.pop("theta0")
    assert angle == pytest.approx(0.3 * math.pi)
    assert arguments.pop("nu0") == 0.7
    assert {1} <= {*arguments.values()} <= {1, 6, *{arguments.get("delta", 1)}}


@pytest.mark.parametrize(("start", "own"), [(None, 0.7), (0.0, 0.0)])
def test_a_dense_student_has_the_blocks_and_the_start_of_its_cell(
    monkeypatch, start, own
):
    recorder = Noted(cells.block_rnn)
    monkeypatch.setattr(cells, "block_rnn", recorder)
    cell = cells.Config(
        *("rnn", -1.0, 0), nu0=0.7, theta0=0.3, start_nu0=start, hidden=6, heads=2
    )
    inspect.unwrap(cells.student)(cell, jax.random.key(0))
    (arguments,) = recorder.calls
    sizes = {name: arguments[name] for name in ("state_size", "width", "blocks")}
    assert sizes == {"state_size": 6, "width": 1, "blocks": 2}
    assert arguments["nu0"] == own
    assert arguments["theta0"] == pytest.approx(0.3 * math.pi)


@pytest.mark.parametrize(("kind", "batch"), [("sampled", 9), ("population", None)])
def test_a_segment_has_the_schedule_and_the_loss_of_its_cell(monkeypatch, kind, batch):
    calls = []

    def advance(run, loss, optimiser, steps):
        loss(run.parameters, run.key)
        calls.append((optimiser, steps))
        return run, jnp.zeros(steps)

    monkeypatch.setattr(cells, "advance", advance)
    monkeypatch.setattr(cells, "_quantiles", lambda run, optimiser: jnp.zeros(2))
    cell = dataclasses.replace(CELL, loss=kind)
    layer = lru(2, 1, key=jax.random.key(0))
    run = cells.start(layer, Optimiser(100), 0.1, jax.random.key(1))
    task = cells.task(cell, jax.random.key(2))
    runs, tasks = jax.tree.map(lambda leaf: leaf[None], (run, task))
    batches = []

    def loss(self, student, key=None, batch=None):
        batches.append(batch)
        return jnp.zeros(())

    monkeypatch.setattr(cells.TeacherStudent, "loss", loss)
    inspect.unwrap(cells._segment)(runs, tasks, cell, 2)
    assert calls == [(Optimiser(100, "constant"), 2)]
    assert batches == [batch, None]


def test_rates_are_those_of_the_recurrence_and_then_of_the_others(monkeypatch):
    layer = lru(4, 2, key=jax.random.key(0))
    groups = layer.groups()
    rates = {
        name: jnp.full(value.shape, 1.0 if groups[name] == "recurrent" else 2.0)
        for name, value in parameters(layer).items()
    }
    effective = replace(layer, rates)
    monkeypatch.setattr(cells, "effective_rates", lambda run, optimiser: effective)
    run = cells.start(layer, Optimiser(100), 0.1, jax.random.key(1))
    quantiles = cells._quantiles(run, Optimiser(100))
    np.testing.assert_array_equal(quantiles, [[1, 1, 1], [2, 2, 2]])


# --- keys of studies ----------------------------------------------------------------


class Stop(Exception):
    """Enough was seen."""


class Keys:
    """Stands in for what draws: notes its key, and answers or ends after so many."""

    def __init__(self):
        self.enough, self.answer, self.seen = 0, None, []

    def __call__(self, key, *rest, **more):
        self.seen.append(plain(key))
        if len(self.seen) == self.enough:
            raise Stop
        return self.answer


def of_one_dimension(monkeypatch, keys):
    keys.enough, keys.answer = 3, {}
    monkeypatch.setattr(one_dimensional, "simulate", keys)
    monkeypatch.setattr(one_dimensional, "lines", lambda *_: {})
    monkeypatch.setattr(one_dimensional, "_coordinates", lambda *_: np.ones((2, 1)))
    smoke = dataclasses.replace(one_dimensional.SMOKE, moduli=(0.5, 0.6, 0.7))
    inspect.unwrap(one_dimensional._students)(smoke)


def of_memory(monkeypatch, keys):
    sums = Sums(np.ones(1), np.ones(1), 3)
    keys.enough, keys.answer = 6, [dict.fromkeys(curse_of_memory.QUANTITIES, sums)]
    monkeypatch.setattr(curse_of_memory, "second_moments", keys)
    inspect.unwrap(curse_of_memory._simulate)(
        dataclasses.replace(
            curse_of_memory.SMOKE, rhos=(0.0, 0.5, 0.9), simulated_gaps=(0.1, 0.5)
        )
    )


def of_similarity(monkeypatch, keys):
    keys.enough, keys.answer = 3, (np.ones(2), np.ones(2))
    monkeypatch.setattr(similarity, "_batch", keys)
    monkeypatch.setattr(similarity, "BATCH", 2)
    lam = np.array([0.5 + 0.1j])
    smoke = dataclasses.replace(similarity.SMOKE, draws=6)
    inspect.unwrap(similarity.simulate)(0, lam, lam, 0.5, smoke)


def of_networks(monkeypatch, keys):
    keys.enough, keys.answer = 4, jnp.ones((2, 5, 3))
    model, state = network()
    monkeypatch.setattr(network_moments, "channels", keys)
    monkeypatch.setattr(network_moments, "over_batch", lambda *_: (0, state))
    monkeypatch.setattr(network_moments, "_look_at_all", lambda *_: SEEN)
    monkeypatch.setattr(network_moments, "_autocovariance", lambda _: 0)
    monkeypatch.setattr(network_moments, "_mixing", lambda _: 0)
    smoke = dataclasses.replace(network_moments.SMOKE, sequences=8, batch=2)
    inspect.unwrap(network_moments.measure)(
        jax.random.key(3), model, state, White(), smoke
    )


def of_edges(monkeypatch, keys):
    keys.enough, keys.answer = 3, np.ones((2, 2, 2))
    monkeypatch.setattr(edges, "_look", keys)
    smoke = dataclasses.replace(edges.SMOKE, sequences=6, batch=2)
    inspect.unwrap(edges.measure)(jax.random.key(3), None, White(), smoke)


def of_gates(monkeypatch, keys):
    keys.enough, keys.answer = 3, jnp.ones((2, 4, 1))
    layer = lru(2, 1, key=jax.random.key(0))
    monkeypatch.setattr(gated_moments.jax.random, "normal", keys)
    monkeypatch.setattr(gated_moments, "squares", lambda _: lambda u: {"state": u})
    smoke = dataclasses.replace(gated_moments.SMOKE, sequences=6, batch=2)
    inspect.unwrap(gated_moments.measure)(jax.random.key(3), layer, 4, smoke)


class Seen(tuple):
    """A look at a batch."""

    inputs = None


SEEN = Seen((0, 0, 0))
STUDIES = [
    of_one_dimension,
    of_memory,
    of_similarity,
    of_networks,
    of_edges,
    of_gates,
]


@pytest.mark.parametrize("study", STUDIES, ids=lambda study: study.__name__)
def test_no_draw_of_a_study_is_another_one(monkeypatch, study):
    keys = Keys()
    with contextlib.suppress(Stop):
        study(monkeypatch, keys)
    assert len(keys.seen) == keys.enough == len({*keys.seen})
