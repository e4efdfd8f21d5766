"""Numbers drawn in vector registers: those of ``jax.random``, place by place."""

import secrets
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sigprop.inputs import AR1, GaussianProcess, White
from sigprop.neuron import kernel, noise
from sigprop.neuron.montecarlo import split, trajectories, walk
from sigprop.numerics import native
from sigprop.numerics.precision import double_precision

pytestmark = pytest.mark.skipif(
    not native.available(), reason="needs llvmlite, which has no wheel here"
)


def fresh_key():
    return jax.random.key(secrets.randbits(32))


def key_words(key):
    return np.asarray(jax.random.key_data(key))


def test_keys_are_split_as_by_jax():
    key = fresh_key()
    wanted = jax.random.key_data(jax.random.split(key, 5))
    assert_array_equal(noise.folded(key_words(key), 0, 5), wanted)


@pytest.mark.parametrize(("first", "count"), [(0, 1), (3, 7), (2**32 - 2, 2)])
def test_keys_are_folded_as_by_jax(first, count):
    key = fresh_key()
    wanted = [
        jax.random.key_data(jax.random.fold_in(key, np.uint32(first + i)))
        for i in range(count)
    ]
    assert_array_equal(noise.folded(key_words(key), first, count), np.stack(wanted))


@pytest.mark.parametrize(("dtype", "room"), [(np.float32, 5e-7), (np.float64, 5e-14)])
@pytest.mark.parametrize(("width", "batch"), [(0, 5), (1, 1), (3, 17), (130, 4001)])
def test_normals_are_those_of_jax(width, batch, dtype, room):
    key = fresh_key()
    with double_precision(True):
        wanted = np.asarray(jax.random.normal(key, (width, batch), dtype))
    ours = noise.normals(key_words(key), width, batch, dtype)
    assert ours.dtype == wanted.dtype
    assert ours.shape == wanted.shape
    assert_allclose(ours, wanted, room, 0)


@pytest.mark.parametrize("char", "fd")
def test_the_interpolants_are_the_inverse_error_function(char):
    """From the middle into tails that no test will draw."""
    for w in (
        1e-3,
        0.5,
        3.0,
        4.99,
        5.01,
        6.24,
        6.26,
        12.0,
        -np.log(4 * float(np.finfo(char).eps)),
    ):
        with mpmath.workdps(50):
            u = mpmath.sqrt(-mpmath.expm1(-mpmath.mpf(w)))
            exact = float(mpmath.erfinv(u) / u)
        assert_allclose(noise.erfinv_slope(np.array([w]))[0], exact, 1e-13)
        middle, tail = noise.interpolants(char)
        far = w > noise.MIDDLE[char]
        (low, high), coefficients = tail if far else middle
        position = (2 * (np.sqrt(w) if far else w) - low - high) / (high - low)
        computed = np.polynomial.Polynomial(coefficients)(position)
        assert_allclose(computed, exact, {"f": 5e-8, "d": 5e-14}[char])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_stretches_continue_each_other(dtype):
    """A new stretch begins a new chunk, and takes the process' state along."""
    key, batch = fresh_key(), 9
    source = noise.follow(key, AR1(0.9), batch, dtype)
    assert source is not None
    parts = np.concatenate([source.steps(n) for n in (noise.CHUNK, 2 * noise.CHUNK)])
    stretch = noise.follow(key, AR1(0.9), batch, dtype)
    assert stretch is not None
    assert_array_equal(parts, stretch.steps(3 * noise.CHUNK))


@dataclass(frozen=True)
class Odd(GaussianProcess):
    """A process that does more than sums and products."""

    def initial(self, noise: Any) -> Any:
        return ()

    def step(self, state: Any, noise: Any) -> Any:
        return state, jnp.abs(noise[0])


@dataclass(frozen=True)
class Matrix(GaussianProcess):
    """A process whose state is not one row after the other."""

    initial_width = 2

    def initial(self, noise: Any) -> Any:
        return noise

    def step(self, state: Any, noise: Any) -> Any:
        return state, state[1] + noise[0]


@pytest.mark.parametrize("process", [Odd(), Matrix()], ids=["odd", "matrix"])
def test_another_process_goes_through_the_scan(process):
    key, lam = fresh_key(), jnp.asarray([[0.9]])
    assert noise.follow(key, process, 4, np.float32) is None
    (ours,) = trajectories(key, lam, process, (5,), 4)
    (scanned,) = walk(key, split(lam), process, (5,), 4)
    assert_allclose(ours.h.re, scanned.h.re, 1e-5)


def test_other_generators_go_through_the_scan():
    lam = jnp.asarray([[0.9]])
    key = jax.random.key(1, impl="rbg")
    assert noise.follow(key, White(), 4, np.float32) is None
    (ours,) = trajectories(key, lam, White(), (5,), 4)
    (scanned,) = walk(key, split(lam), White(), (5,), 4)
    assert_allclose(ours.h.re, scanned.h.re, 1e-5)
    with jax.threefry_partitionable(False):
        assert noise.follow(fresh_key(), White(), 4, np.float32) is None


def test_more_numbers_than_the_counter_tells_apart_are_left_to_jax():
    key = fresh_key()
    assert noise.follow(key, White(), noise.LARGEST // noise.CHUNK, np.float32) is None


def test_blocks_of_a_stretch_are_drawn_one_by_one():
    key = fresh_key()
    x, draw = noise.follow(key, AR1(0.5), 40, np.float32).stretch(70)
    for block in reversed(range(3)):
        draw(block, 1)
    stretch = noise.follow(key, AR1(0.5), 40, np.float32).steps(70)
    assert_array_equal(x[:, :40], stretch)


def test_moments_use_it(monkeypatch):
    """The call site: without a source, the kernel has nothing to advance."""
    used = []
    advance = kernel.Carry.advance
    monkeypatch.setattr(
        kernel.Carry,
        "advance",
        lambda self, x, draw: (used.append(len(x)), advance(self, x, draw)),
    )
    trajectories(fresh_key(), jnp.asarray([[0.9]]), White(), (3, 70), 4)
    assert used == [3, 67]
    monkeypatch.setattr(noise, "follow", lambda *arguments: None)
    trajectories(fresh_key(), jnp.asarray([[0.9]]), White(), (3, 70), 4)
    assert used == [3, 67]
