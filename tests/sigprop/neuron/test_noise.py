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

from sigprop.inputs import AR1, GaussianProcess, Mixed, White
from sigprop.neuron import noise
from sigprop.neuron.montecarlo import split, trajectories, walk
from sigprop.numerics.precision import double_precision
from sigprop.numerics.tiles import untiled

kernel = pytest.importorskip("sigprop.neuron.kernel", exc_type=ImportError)
normals = pytest.importorskip("sigprop.neuron.normals", exc_type=ImportError)


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
        assert_allclose(normals.erfinv_ratio(np.array([w]))[0], exact, 1e-13)
        middle, tail = normals.interpolants(char)
        far = w > normals.MIDDLE[char]
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
    parts = np.concatenate([source.steps(n) for n in (2 * noise.CHUNK, noise.CHUNK)])
    stretch = noise.follow(key, AR1(0.9), batch, dtype)
    assert stretch is not None
    assert_array_equal(parts, stretch.steps(3 * noise.CHUNK))


@dataclass(frozen=True)
class Odd(GaussianProcess):
    """A process that is not linear."""

    def initial(self, noise: Any) -> Any:
        return ()

    def step(self, state: Any, noise: Any) -> Any:
        return state, jnp.abs(noise[0])


@dataclass(frozen=True)
class Matrix(GaussianProcess):
    """A process whose state is one array of two rows."""

    initial_width = 2

    def initial(self, noise: Any) -> Any:
        return noise

    def step(self, state: Any, noise: Any) -> Any:
        return 0.5 * state[::-1], state[1] + noise[0]


@dataclass(frozen=True)
class Stepped(GaussianProcess):
    """A process with the step and the state that a test gives it."""

    function: Any
    state: Any = lambda noise: noise[0]
    initial_width = 1

    def initial(self, noise: Any) -> Any:
        return self.state(noise)

    def step(self, state: Any, noise: Any) -> Any:
        return self.function(state, noise[0])


NOT_LINEAR = {
    "modulus": Odd(),
    "shifted": Stepped(lambda h, x: (h, x + 1)),
    "counting": Stepped(lambda h, x: (h + 1, x)),
    "product": Stepped(lambda h, x: (h, h * x)),
    "clipped": Stepped(lambda h, x: (h, jnp.clip(x, -3, 3))),
    "clipped far off": Stepped(lambda h, x: (h, jnp.clip(x, -1e5, 1e5))),
    "dead zone": Stepped(lambda h, x: (h, jnp.where(jnp.abs(x) < 1e-4, 0.0, x))),
    "slightly cubic": Stepped(lambda h, x: (h, x + 1e-3 * x**3)),
    "state": Stepped(lambda h, x: (jnp.tanh(h), x)),
    "mixed sequences": Stepped(lambda h, x: (h, x - x.mean())),
    "needs JAX": Stepped(lambda h, x: (h.at[0].set(0.0), x)),
    "one state for all": Stepped(lambda h, x: (h, x), lambda noise: noise.sum()),
    "another structure": Stepped(lambda h, x: ((h, h), x)),
    "sequences first": Stepped(
        lambda h, x: (0.5 * h, x), lambda noise: np.stack([noise[0]] * 2, -1)
    ),
    "two inputs": Stepped(lambda h, x: (h, jnp.stack([x, x]))),
}


@pytest.mark.parametrize("name", NOT_LINEAR)
def test_a_process_that_is_not_linear_is_left_to_the_scan(name):
    assert noise.follow(fresh_key(), NOT_LINEAR[name], 4, np.float32) is None


@pytest.mark.parametrize("process", [Odd(), Matrix()], ids=["odd", "matrix"])
def test_another_process_has_the_inputs_of_the_scan(process):
    key, lam = fresh_key(), jnp.asarray([[0.9]])
    linear = isinstance(process, Matrix)
    assert (noise.follow(key, process, 4, np.float32) is not None) == linear
    (ours,) = trajectories(key, lam, process, (70,), 4)
    (scanned,) = walk(key, split(lam), process, (70,), 4)
    assert_allclose(ours.h.re, scanned.h.re, 1e-5, 1e-5)


def test_a_linear_step_is_read_off():
    process = Stepped(lambda h, x: (0.25 * h - 2 * x, 3 * h))
    step = noise.linear(process, np.zeros(5))
    matrix = np.zeros((2, 2))
    matrix[step.rows, step.columns] = step.values
    assert_array_equal(matrix, [[0.25, -2], [3, 0]])
    assert step.width == 1


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
    for process in (White(), Mixed(0.7, 0.3, 0.9)):  # one number a step, and two
        batch = noise.LARGEST // (noise.CHUNK * process.step_width)
        assert noise.follow(key, process, batch, np.float32) is None


def test_tiles_of_a_stretch_are_drawn_one_by_one():
    key = fresh_key()
    x, draw = noise.follow(key, AR1(0.5), 90, np.float32).stretch(70)
    for tile in reversed(range(3)):
        draw(tile, 1)
    stretch = noise.follow(key, AR1(0.5), 90, np.float32).steps(70)
    assert_array_equal(untiled(x, 90), stretch)


def test_moments_use_it(monkeypatch):
    """The call site: without a source, the kernel has nothing to advance."""
    used = []
    advance = kernel.Carry.advance
    monkeypatch.setattr(
        kernel.Carry,
        "advance",
        lambda self, x, draw: (used.append(x.shape[1]), advance(self, x, draw)),
    )
    trajectories(fresh_key(), jnp.asarray([[0.9]]), White(), (3, 70), 4)
    assert used == [3, 67]
    monkeypatch.setattr(noise, "follow", lambda *arguments: None)
    trajectories(fresh_key(), jnp.asarray([[0.9]]), White(), (3, 70), 4)
    assert used == [3, 67]
