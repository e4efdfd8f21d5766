import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.layers.base import replace
from sigprop.layers.blur import blur
from sigprop.layers.dense import linear_rnn, nonlinear_rnn
from sigprop.layers.lru import zucchet_lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import (
    expected_loss,
    linear_teacher,
    teacher_student,
)

KEY = jax.random.key(7)
T = 9
INPUTS = {
    "white": White(0.7),
    "exponential": AR1(0.6),
    "mixed": Mixed(0.3, 0.5, -0.9),
    "moving": MovingAverage((1.0, 0.5, -0.3)),
    "constant": Constant(2.0),
}
STUDENTS = {
    "lru": lambda: zucchet_lru(4, 2, key=KEY, nu0=0.5, theta0=3.0),
    "dense": lambda: linear_rnn(4, 2, key=KEY, nu0=0.5, theta0=3.0),
    "rotrnn": lambda: rotrnn(4, 2, key=KEY, heads=2),
    "blur": lambda: blur(3, 2, key=KEY),
}


@functools.cache
def teacher():
    with double_precision(True):
        return linear_teacher(KEY, nu0=0.6, size=3, d_in=2, d_out=2)


@functools.cache
def student_of(name):
    """A student, in one program where its eigenvalues are not NumPy's."""
    draw = STUDENTS[name]
    with double_precision(True):
        return draw() if name == "dense" else eqx.filter_jit(draw)()


run = eqx.filter_jit(lambda layer, u: jax.vmap(layer)(u))


def matrix(layer):
    """Outputs of all steps as a matrix times the inputs of all steps."""
    basis = np.eye(2 * T).reshape(2 * T, T, 2)
    return np.asarray(run(layer, basis)).reshape(2 * T, 2 * T).T


@pytest.mark.parametrize("name", STUDENTS)
@pytest.mark.parametrize("process", INPUTS)
@pytest.mark.sampled(keep=["white-lru", "mixed-blur"])
def test_the_exact_loss_is_the_trace_over_all_steps(x64, name, process):
    student = student_of(name)
    task = teacher_student(teacher(), INPUTS[process], T)
    lags = np.arange(T)[:, None] - np.arange(T)
    covariance = INPUTS[process].autocovariance(abs(lags).ravel()).reshape(T, T)
    covariance = np.kron(covariance, np.eye(2))
    error = matrix(student) - matrix(task.teacher)
    wanted = np.trace(error @ covariance @ error.T) / (2 * T)
    np.testing.assert_allclose(eqx.filter_jit(task.loss)(student), wanted, rtol=1e-11)


def test_the_sampled_loss_is_half_the_mean_squared_error(x64):
    task = teacher_student(teacher(), White(), T)
    student = student_of("lru")
    x = task.process.sample(KEY, 3 * 2, T, jnp.float64)
    u = np.asarray(x).reshape(3, 2, T).swapaxes(1, 2)
    errors = np.asarray(run(student, u)) - np.asarray(run(task.teacher, u))
    wanted = np.mean(np.sum(np.square(errors), -1)) / 2
    loss = eqx.filter_jit(task.loss)(student, KEY, 3)
    np.testing.assert_allclose(loss, wanted, rtol=1e-12)


def test_the_teacher_loses_nothing_and_cannot_improve(x64):
    task = teacher_student(teacher(), AR1(0.5), T)
    loss_and_gradient = jax.jit(jax.value_and_grad(task.loss))
    value, gradient = loss_and_gradient(task.teacher)
    assert float(value) < 1e-25
    assert max(np.abs(leaf).max() for leaf in jax.tree.leaves(gradient)) < 1e-12
    moved = replace(task.teacher, {"A": task.teacher.A * 1.05})
    assert float(loss_and_gradient(moved)[0]) > 1e-4


def test_the_teacher_has_its_moduli_on_the_ring(x64):
    radii = np.abs(linear_teacher(KEY, nu0=0.9, theta0=0.5).eigenvalues())
    assert radii.shape == (10,)
    assert radii.min() >= 0.9
    assert radii.max() < 1


def test_bad_input_is_refused(x64):
    task = teacher_student(teacher(), None, T)
    student = student_of("lru")
    with pytest.raises(ValueError, match="a key and a batch for the sampled loss"):
        task.loss(student, KEY)
    with pytest.raises(ValueError, match=r"at least one sequence.*batch=0"):
        task.loss(student, KEY, 0)
    with pytest.raises(ValueError, match=r"need a student of widths.*\(2, 2\), got"):
        task.loss(zucchet_lru(4, 1, key=KEY, d_out=2, nu0=0.5, theta0=3.0))
    with pytest.raises(ValueError, match="need a linear layer, got NonlinearRNN"):
        task.loss(nonlinear_rnn(4, 2, key=KEY))
    with pytest.raises(ValueError, match="need length >= 2, got length=1"):
        teacher_student(teacher(), None, 1)
    with pytest.raises(ValueError, match="need a causal linear teacher, got BLUR"):
        teacher_student(blur(3, 2, key=KEY))
    with pytest.raises(ValueError, match="need 0 <= nu0 < 1"):
        linear_teacher(KEY, nu0=1.0)
    with pytest.raises(ValueError, match="need 9 or 17 ages, got 8"):
        expected_loss(jnp.zeros((8, 1, 1)), White(), 9)
    with pytest.raises(ValueError, match="finite length"):
        teacher_student(teacher(), None, None).loss(student, KEY, 2)


def test_a_student_without_an_impulse_response_can_still_be_sampled(x64):
    task = teacher_student(teacher(), None, T)
    student = nonlinear_rnn(4, 2, key=KEY)
    assert float(eqx.filter_jit(task.loss)(student, KEY, 5)) > 0
