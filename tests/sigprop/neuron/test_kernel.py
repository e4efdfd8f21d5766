"""The compiled kernel: the recurrence at any size, and the same draws as the scan."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.neuron import montecarlo, noise
from sigprop.neuron.montecarlo import second_moments, split, trajectories, walk
from sigprop.numerics import tiles
from sigprop.numerics.precision import double_precision

kernel = pytest.importorskip("sigprop.neuron.kernel", exc_type=ImportError)

NEURONS = (1, 2, 7, 33)
BATCHES = (1, 7, 31, 32, 33, 65)
STEPS = 25
ROUNDING = {np.complex64: 1.2e-7, np.complex128: 2.2e-16}  # of one operation
PROCESSES = (
    White(2.0),
    AR1(0.8),
    Constant(),
    Mixed(0.7, 0.3, 0.9),
    MovingAverage((1.0, 0.5)),
)


def eigenvalues(rng, shape, real):
    modulus = rng.uniform(0.3, 0.99, shape)
    return (
        modulus * (-1.0) ** rng.integers(2, size=shape)
        if real
        else (modulus * np.exp(2j * np.pi * rng.uniform(size=shape)))
    )


def loop(lam, x):
    """States, sensitivities and their summed squares, a step at a time."""
    lam = np.asarray(lam, complex)
    h = s = np.zeros((lam.shape[0], x.shape[1]), complex)
    sum_h = sum_s = np.zeros(h.shape)
    for now in np.asarray(x, float):
        s = lam * s + h
        h = lam * h + now
        sum_h, sum_s = sum_h + np.abs(h) ** 2, sum_s + np.abs(s) ** 2
    return h, s, sum_h, sum_s


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("running", [True, False])
@pytest.mark.parametrize("real", [True, False])
@pytest.mark.parametrize("dtype", ROUNDING)
def test_it_is_the_recurrence_at_every_awkward_size(dtype, real, running, shared):
    rng = np.random.default_rng()
    for n, batch in itertools.product(NEURONS, BATCHES):
        lam = eigenvalues(rng, (n, 1 if shared else batch), real)
        lam = lam.astype(dtype(0).real.dtype if real else dtype)
        x = rng.standard_normal((STEPS, batch)).astype(lam.real.dtype)
        carry = kernel.Carry(lam, batch, running)
        for part in (x[:1], x[1:1], x[1:20], x[20:]):
            carry.advance(tiles.tiled(part))
        wanted = loop(lam, x)[: 4 if running else 2]
        for computed, right in zip(carry.parts(), wanted, strict=True):
            assert computed.shape == (n, batch)
            assert np.isrealobj(computed) == (real or np.isrealobj(right))
            room = 4 * STEPS * ROUNDING[dtype] * (1 + abs(right).max())
            np.testing.assert_allclose(computed, right, 0, room)


@pytest.mark.parametrize(
    "process", PROCESSES, ids=lambda process: type(process).__name__
)
@pytest.mark.parametrize("stretch", [1, montecarlo.STRETCH])
def test_it_sees_the_inputs_of_the_scan(process, stretch, monkeypatch):
    monkeypatch.setattr(montecarlo, "STRETCH", stretch)
    key, batch, times = (
        jax.random.key(np.random.SeedSequence().entropy % 2**32),
        5,
        (1, 5, 70, 200),
    )
    with double_precision(True):
        lam = jnp.asarray([[0.9], [-0.7], [0.5 + 0.4j]])
        gain = jnp.asarray([[0.5], [1.0], [2.0]])
        ours = trajectories(key, lam, process, times, batch, True, gain)
        scanned = walk(key, split(lam), process, times, batch, True, gain)
    for sums, other in zip(ours, scanned, strict=True):
        for computed, right in zip(
            jax.tree.leaves(sums), jax.tree.leaves(other), strict=True
        ):
            np.testing.assert_allclose(
                computed, right, 0, 1e-13 * (1 + np.abs(right).max())
            )


def test_without_it_moments_are_those_of_the_scan(monkeypatch):
    used = []
    advance = kernel.Carry.advance
    monkeypatch.setattr(
        kernel.Carry,
        "advance",
        lambda self, *args: (used.append(args), advance(self, *args)),
    )

    def moments():
        with double_precision(True):
            return second_moments(
                jax.random.key(7),
                jnp.asarray([0.9, -0.7, 0.5]),
                AR1(0.5),
                times=(3, 70),
                num=50,
                batch=20,
                pairs=((0, 1), (2, 2)),
                gain=jnp.asarray([1.0, 2.0, 0.5]),
            )

    ours = moments()
    assert used
    used.clear()
    monkeypatch.setattr(noise, "available", lambda: False)
    scanned = moments()
    assert not used
    for by_name, other in zip(ours, scanned, strict=True):
        for name, sums in by_name.items():
            assert sums.n == other[name].n == 50
            np.testing.assert_allclose(sums.first, other[name].first, 1e-12)
            np.testing.assert_allclose(sums.second, other[name].second, 1e-12)


@pytest.mark.parametrize("there", [2, 3, 16])
def test_results_do_not_depend_on_the_number_of_cores(there, monkeypatch):
    key, lam = jax.random.key(5), jnp.asarray([[0.9], [0.5 + 0.4j]])
    times, batch = (3, 70), 90

    def ends():
        return jax.tree.leaves(trajectories(key, lam, AR1(0.5), times, batch, True))

    used = []
    alone = ends()
    monkeypatch.setattr(tiles, "ENOUGH", 1)
    monkeypatch.setattr(tiles, "cores", lambda: there)
    pool = tiles.ThreadPoolExecutor(there)
    submit = pool.submit
    monkeypatch.setattr(
        pool, "submit", lambda task, *part: used.append(part) or submit(task, *part)
    )
    monkeypatch.setattr(tiles, "_threads", lambda: pool)
    for ours, wanted in zip(ends(), alone, strict=True):
        np.testing.assert_array_equal(ours, wanted)
    # There are three tiles; the caller takes one
    # part of the state before the inputs, and of the inputs of each stretch.
    assert len(used) == 3 * (min(there, 3) - 1)
    pool.shutdown()
