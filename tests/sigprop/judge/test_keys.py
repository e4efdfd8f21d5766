"""Every batch, start and chunk is drawn from a key of its own, and no seed shares one."""

import inspect
import itertools
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.curvature import lanczos
from sigprop.evidence.sigprop import learnt, sampled_loss
from sigprop.inputs import White
from sigprop.judge import run, simulate
from sigprop.judge.plans import Reading
from sigprop.linear import measured_moments as measure
from sigprop.neuron import montecarlo
from sigprop.numerics.points import WHITE, EigenPoint, RingPoint

COUNT = 3
FIRST, SECOND = jax.random.key(0), jax.random.key(1)


class Noted:
    """Stands in for what draws: notes the key that it is given."""

    def __init__(self, answer):
        self.answer, self.keys = answer, []

    def __call__(self, key, *rest, **more):
        self.keys.append(tuple(np.asarray(jax.random.key_data(key)).tolist()))
        return self.answer


def moments(monkeypatch, key):
    sums = {"state": (np.ones(1), np.ones(1))}
    recorder = Noted([sums])
    monkeypatch.setattr(montecarlo, "_batch_sums", recorder)
    montecarlo.second_moments(
        key, jnp.array([0.5]), White(), times=(1,), num=2 * COUNT, batch=2
    )
    return recorder


def shared(name, quantity, point):
    def run(monkeypatch, key):
        recorder = Noted((np.ones(1), np.ones(1)))
        monkeypatch.setattr(simulate, name, recorder)
        needed = {Reading(quantity, point): COUNT * simulate.BATCH}
        (job,) = simulate.jobs(needed)
        simulate.run(job, int(key is SECOND), lambda count: None)
        return recorder

    return run


def losses(monkeypatch, key):
    recorder = Noted([np.ones(2)] * len(sampled_loss.INPUTS))
    draws = dict.fromkeys(sampled_loss.INPUTS, np.ones(2))
    recorder.answer = draws
    monkeypatch.setattr(sampled_loss, "_draw", recorder)
    nowhere = [None] * len(sampled_loss.INPUTS)
    sampled_loss._means(lambda x, sample: sample, None, nowhere, key, COUNT)
    return recorder


def curvatures(monkeypatch, key):
    recorder = Noted(np.ones(2))
    monkeypatch.setattr(learnt, "_draw", recorder)
    learnt._simulated(lambda sample: sample, key, COUNT)
    return recorder


def starts(monkeypatch, key):
    recorder = Noted(np.ones(2))
    spectrum = SimpleNamespace(values=np.ones(2), weights=np.ones(2))
    monkeypatch.setattr(lanczos, "random_signs", recorder)
    monkeypatch.setattr(lanczos, "lanczos", lambda *_: spectrum)
    lanczos.quadrature(key, lambda v: v, jnp.ones(2), steps=2, probes=COUNT)
    return recorder


def samplers(monkeypatch, key):
    recorder = Noted(np.array([0.6, 0.7j, -0.8]))
    monkeypatch.setattr(run.ring, "sample_ring", recorder)
    monkeypatch.setattr(run, "judge_uniform", lambda *_: None)
    monkeypatch.setattr(run, "simulated_result", lambda *_: None)
    points = [RingPoint(0.5, r_max, WHITE, simulate.LONG) for r_max in (0.7, 0.8, 0.9)]
    case = SimpleNamespace(grid=SimpleNamespace(margin=0.05, points=points), results=[])
    inspect.unwrap(run.ring_distribution)(case, int(key is SECOND))
    return recorder


EDGE = EigenPoint(0.1, 0.0, WHITE, simulate.LONG)
RING = RingPoint(0.5, 0.9, WHITE, simulate.LONG)
DRAWING = {
    "moments": moments,
    "backward": shared("_backward_batch", "backward", EDGE),
    "rings": shared("_ring_batch", "ring_gain", RING),
    "losses": losses,
    "curvatures": curvatures,
    "starts": starts,
    "samplers": samplers,
}


@pytest.mark.parametrize("name", DRAWING)
def test_no_key_is_used_twice(monkeypatch, name):
    keys = [
        key for seed in (FIRST, SECOND) for key in DRAWING[name](monkeypatch, seed).keys
    ]
    assert len(keys) == 2 * COUNT
    assert len({*keys}) == 2 * COUNT


def test_batches_of_a_layers_inputs_and_errors_are_all_different():
    shape = measure.BatchShape(2, 3, (1, 2), False)
    batches = [
        measure._draw((FIRST, SECOND), index, (White(), White()), shape, jnp.float32)
        for index in range(2)
    ]
    for of in range(2):
        rows = [np.asarray(pair[of]).ravel() for batch in batches for pair in batch]
        for first, other in itertools.combinations(rows, 2):
            assert not np.isclose(first[:, None], other).any()
    for u, errors in itertools.chain(*batches):
        assert not np.isclose(np.ravel(u)[:, None], np.ravel(errors)).any()
