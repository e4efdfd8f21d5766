"""What no process has is refused wherever covariances or processes are taken."""

import dataclasses
import re

import equinox as eqx
import jax
import jax.numpy as jnp
import jaxtyping
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import eigvalsh, toeplitz

from sigprop.inputs import AR1, Constant, MovingAverage, Recording, White
from sigprop.layers.base import replace
from sigprop.layers.lru import lru
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import S5, s5
from sigprop.linear import covariances
from sigprop.linear.covariances import nearest_process, require_autocovariance
from sigprop.linear.linearise import Modes, Perturbed
from sigprop.linear.measured_moments import exact
from sigprop.linear.predicted_moments import pair_moment, predict, products
from sigprop.tasks.one_dimensional import OneDimensional
from sigprop.tasks.teacher_student import (
    age_weights,
    expected_loss,
    is_white,
    teacher_student,
)
from sigprop.testing import inputs

STEPS = 5
KEY = jax.random.key(0)
LAM = np.array([0.5 + 0.1j])
MODES = Modes(LAM, np.eye(1, dtype=complex), *[np.eye(1, dtype=complex)] * 2, np.eye(1))


@pytest.fixture
def unchecked():
    """Arguments reach the code as they do outside of tests, whatever their types."""
    jaxtyping.config.update("jaxtyping_disable", True)
    yield
    jaxtyping.config.update("jaxtyping_disable", False)


def possible(R):
    try:
        require_autocovariance(R, len(R))
    except ValueError:
        return False
    return True


PROCESSES = {
    "white": White(2.0),
    "silent": White(0.0),
    "slow": AR1(0.999999),
    "alternating": AR1(-1.0),
    "constant": Constant(1e12),
    "moving": MovingAverage((1.0, -1.0)),
    "recording": Recording(np.sin(np.arange(23.0) ** 2)),
}


@pytest.mark.parametrize("name", PROCESSES)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_processes_are_possible_however_long_and_singular(name, dtype):
    R = PROCESSES[name].autocovariance(np.arange(700))
    assert possible(R.astype(dtype))


def test_a_smooth_autocovariance_is_possible_and_a_box_is_not():
    lags = np.arange(500)
    assert possible(np.exp(-((lags / 40.0) ** 2)))
    assert not possible((lags < 3).astype(float))


# The eigenvalues decide, except within rounding of zero.
@settings(max_examples=60)
@given(st.lists(st.floats(-1, 1), min_size=1, max_size=7))
def test_the_answer_is_that_of_the_eigenvalues(rest):
    R = np.array([1.0, *rest])
    least = eigvalsh(toeplitz(R))[0]
    if abs(least) > 1e-6:
        assert possible(R) == (least > 0)


def test_long_covariances_of_processes_need_no_recursion(monkeypatch):
    """The recursion takes minutes on a hundred thousand lags, and some must go there."""
    near_half = np.r_[1.0, 0.6, np.zeros(2**18)]
    monkeypatch.setattr(covariances, "_first_by_recursion", lambda ratios, slack: 1)
    for process in (
        White(2.0),
        AR1(0.999),
        AR1(-0.9),
        Constant(3.0),
        MovingAverage((1.0, -1.0)),
    ):
        assert possible(process.autocovariance(np.arange(2**18)))
    assert not possible(near_half)


# Under test, beartype checks one random element of a tuple of taps as it is built.
@pytest.mark.filterwarnings("ignore:Do not use the `random` module inside strategies")
@settings(max_examples=40)
@given(inputs())
def test_every_process_that_can_be_drawn_is_possible(process):
    assert possible(process.autocovariance(np.arange(30)))


NOT_A_NUMBER = AR1(0.5).autocovariance(np.arange(STEPS))
NOT_A_NUMBER[3] = np.nan
WRONG = {
    "not finite": (
        NOT_A_NUMBER,
        "need finite covariances of at most 1e+18, got R(3) = nan",
    ),
    "too large": (
        [1.0, 2.0, 0, 0, 0],
        "has a negative eigenvalue: no process has R(0)",
    ),
    "no power": ([0.0, 0.5, 0, 0, 0], "of 2 lags has a negative eigenvalue"),
    "negative": ([-1.0, 0, 0, 0, 0], "need covariances of R(0) >= 0, got"),
    "indefinite": ([1.0, 0.9, 0.1, 0.9, 0.9], "of 3 lags has a negative eigenvalue"),
    "short": ([1.0, 0.5], "need 5 covariances, got 2"),
    "a matrix": (np.eye(5), "need the covariances R(0), R(1), ... as an array of real"),
    "complex": (np.ones(5) + 0j, "as an array of real numbers, got shape (5,) of comp"),
    "text": (["1"] * 5, "as an array of real numbers, got shape (5,) of <U1"),
}
TAKERS = {
    "predict": lambda R: predict(Perturbed((MODES,), {}), R, STEPS, STEPS - 1),
    "products": lambda R: products([LAM, LAM], (2, 4), R),
    "pair_moment": lambda R: pair_moment(LAM, LAM, STEPS, R),
    "exact": lambda R: exact(lru(1, 1, key=KEY), R, steps=STEPS, at=0),
}


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("taker", TAKERS)
def test_no_moment_is_made_of_impossible_covariances(taker):
    for given_, message in WRONG.values():
        with pytest.raises(ValueError, match=re.escape(message)):
            TAKERS[taker](np.asarray(given_))


class Impossible(White):
    """Says that neighbours are more alike than equal."""

    def autocovariance(self, lags):
        return np.where(lags == 1, 2.0, 1.0)


KERNEL = jnp.ones((STEPS, 1, 1))
TASKS = {
    "teacher_student": lambda x: teacher_student(lru(1, 1, key=KEY), x, STEPS),
    "expected_loss": lambda x: expected_loss(KERNEL, x, STEPS),
    "is_white": lambda x: is_white(x, STEPS),
    "age_weights": lambda x: age_weights(x, STEPS, np.arange(2), np.arange(2)),
    "one unit": lambda x: OneDimensional(0.5, True, x, STEPS).loss(0.3, 0.1),
}


@pytest.mark.usefixtures("unchecked")
@pytest.mark.parametrize("task", TASKS)
def test_a_task_takes_processes_alone(task):
    for stranger in ("x", 0.5, White, None if task != "teacher_student" else []):
        with pytest.raises(ValueError, match=r"need a process of sigprop.inputs.*got"):
            TASKS[task](stranger)
    with pytest.raises(ValueError, match="has a negative eigenvalue"):
        TASKS[task](Impossible())


@pytest.mark.usefixtures("unchecked")
def test_the_endless_task_takes_processes_alone():
    with pytest.raises(ValueError, match=r"need a process of sigprop.inputs.*got 'x'"):
        teacher_student(lru(1, 1, key=KEY), "x", None)
    with pytest.raises(ValueError, match=r"need a process of sigprop.inputs.*got 'x'"):
        OneDimensional(0.5, True, "x", None)


# --- parameters that are no numbers -------------------------------------------------


def values_of(layer):
    return {
        field.name: getattr(layer, field.name) for field in dataclasses.fields(layer)
    }


CONTINUOUS = {"s5": lambda: s5(3, 2, key=KEY), "s4d": lambda: s4d(3, 2, key=KEY)}


@pytest.mark.parametrize("real", [-0.0, 0.0, 0.3])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_continuous_eigenvalues_that_do_not_decay_are_refused(name, real):
    layer = CONTINUOUS[name]()
    fields = values_of(layer)
    with np.errstate(all="ignore"):
        logarithm = np.log(np.asarray(-real, np.float32))
    fields["log_neg_re"] = layer.log_neg_re.at[..., 1].set(logarithm)
    with pytest.raises(
        ValueError, match=r"need continuous eigenvalues of negative real"
    ):
        type(layer)(**fields)


def test_layers_are_built_of_numbers_and_a_phase_may_be_zero():
    layer = lru(3, 2, key=KEY)
    fields = values_of(layer)
    fields["nu_log"] = jnp.log(-jnp.ones(3))
    with pytest.raises(ValueError, match="a NaN in nu_log of LRU"):
        type(layer)(**fields)
    fields = {**values_of(layer), "theta_log": jnp.log(jnp.zeros(3))}
    assert jnp.all(type(layer)(**fields).eigenvalues().imag == 0)


def test_shapes_and_traced_layers_are_let_through():
    shaped = eqx.filter_eval_shape(lambda key: s4d(3, 2, key=key), KEY)
    assert shaped.log_neg_re.shape == (2, 3)

    @jax.jit
    def moved(shift):
        layer = s5_of(shift)
        return replace(layer, {"D": layer.D + 1}).eigenvalues()

    parts = s5(3, 2, key=KEY)

    def s5_of(shift):
        fields = values_of(parts)
        return S5(**fields | {"log_neg_re": parts.log_neg_re + shift})

    assert np.isfinite(moved(0.1)).all()


def test_what_a_process_has_is_its_own_nearest():
    R = AR1(0.9).autocovariance(np.arange(30))
    assert nearest_process(R) is R


@pytest.mark.parametrize("level", [1.0, 0.03])
def test_measured_covariances_of_no_process_are_moved_to_one_and_not_far(level):
    generator = np.random.default_rng()
    for _ in range(20):
        R = level * (1 + 1e-3 * generator.normal(size=24))  # a series that hardly moves
        nearest = nearest_process(R)
        assert possible(nearest)
        assert nearest[0] == pytest.approx(R[0], rel=1e-12)
        np.testing.assert_allclose(nearest, R, rtol=0.02)
    assert not possible(R)
