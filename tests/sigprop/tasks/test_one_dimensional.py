import cmath
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sympy import lambdify

from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.numerics.precision import double_precision
from sigprop.tasks.one_dimensional import (
    ANGLES,
    MODULI,
    Coordinates,
    OneDimensional,
    Parametrisation,
    powers,
)
from sigprop.theory import teacher_student as theory

TEACHER = cmath.rect(0.8, 0.4)
STUDENTS = ((0.6, 0.9), (0.85, 0.35), (0.3, -2.0))
PROCESSES = (
    *(White(), White(2.0), AR1(0.7), AR1(-0.6), Constant()),
    *(Mixed(0.3, 0.5, 0.9), MovingAverage((1.0, 0.5, -0.2))),
)
CHARTS = [Parametrisation(modulus, angle) for modulus in MODULI for angle in ANGLES]


@pytest.fixture(autouse=True)
def precise():
    with double_precision(True):
        yield


def unit_kernel(lam, steps, normalised):
    gain = math.sqrt(1 - abs(lam) ** 2) if normalised else 1.0
    return gain * lam ** np.arange(steps)


def summed(task, lam, steps):
    """Zucchet & Orvieto (2024), Eq. 86, by brute force: all pairs at every step."""
    difference = unit_kernel(lam, steps, task.normalised) - unit_kernel(
        task.teacher, steps, task.normalised
    )
    lags = np.arange(steps)
    covariance = np.asarray(task.process.autocovariance(lags))
    total = 0.0
    for t in range(1, steps + 1):
        kernel = difference[:t]
        pairs = covariance[np.abs(lags[:t, None] - lags[:t])]
        total += np.real(kernel @ pairs @ kernel.conj())
    return total / (2 * steps)


def last_step(task, lam, steps):
    """Half the mean square of the difference of states after so many steps."""
    difference = unit_kernel(lam, steps, task.normalised) - unit_kernel(
        task.teacher, steps, task.normalised
    )
    lags = np.arange(steps)
    covariance = np.asarray(task.process.autocovariance(lags))
    pairs = covariance[np.abs(lags[:, None] - lags)]
    return np.real(difference @ pairs @ difference.conj()) / 2


@pytest.mark.parametrize("process", PROCESSES, ids=repr)
@pytest.mark.parametrize("normalised", [True, False])
def test_loss_is_the_sum_over_all_pairs_of_inputs(process, normalised):
    finite = OneDimensional(TEACHER, normalised, process, 7)
    endless = OneDimensional(TEACHER, normalised, process)
    for modulus, angle in STUDENTS:
        lam = cmath.rect(modulus, angle)
        loss = float(finite.loss(modulus, angle))
        assert loss == pytest.approx(summed(finite, lam, 7), rel=1e-12)
        loss = float(endless.loss(modulus, angle))
        assert loss == pytest.approx(last_step(endless, lam, 300), rel=1e-10)


def test_loss_is_that_of_simulated_units():
    task = OneDimensional(TEACHER, True, AR1(0.7), 20)
    lam = cmath.rect(0.6, 0.9)
    x = np.asarray(AR1(0.7).sample(jax.random.key(1), 100_000, 20, jnp.float64))
    gains = np.sqrt(1 - np.abs([lam, TEACHER]) ** 2)
    h, losses = np.zeros((2, len(x)), complex), np.zeros(len(x))
    for column in x.T:
        h = np.array([[lam], [TEACHER]]) * h + gains[:, None] * column
        losses += np.abs(h[0] - h[1]) ** 2 / 40
    sem = losses.std() / math.sqrt(len(x))
    exact = float(task.loss(0.6, 0.9))
    assert abs(losses.mean() - exact) < 5 * sem < 0.025 * exact
    assert abs(losses.mean() - 1.05 * exact) > 5 * sem


def test_white_losses_are_those_of_the_paper():
    plain = lambdify(
        (theory.lam, theory.lam_bar, theory.mu, theory.mu_bar),
        theory.loss("white").result,
    )
    for modulus, angle in STUDENTS:
        lam = cmath.rect(modulus, angle)
        pair = lam, lam.conjugate(), TEACHER, TEACHER.conjugate()
        loss = float(OneDimensional(TEACHER, normalised=False).loss(modulus, angle))
        assert loss == pytest.approx(plain(*pair).real, rel=1e-12)
        task = OneDimensional(TEACHER)
        by_modes = task._by_modes(jnp.asarray(modulus), jnp.asarray(angle))
        assert float(task.loss(modulus, angle)) == pytest.approx(float(by_modes))


@pytest.mark.parametrize("length", [None, 9])
def test_loss_is_zero_at_the_teacher_and_positive_elsewhere(length):
    task = OneDimensional(TEACHER, length=length)
    assert abs(float(task.loss(0.8, 0.4))) < 1e-14
    assert float(task.loss(0.8, 0.41)) > 1e-5


def test_student_without_stationary_state_has_infinite_loss():
    task = OneDimensional(TEACHER, normalised=False, process=AR1(0.5))
    assert np.isinf(float(task.loss(1.0, 0.3)))
    assert np.isinf(float(OneDimensional(TEACHER).loss(-1.1, 0.3)))


@pytest.mark.parametrize(
    ("parametrisation", "length"),
    [*((parametrisation, None) for parametrisation in CHARTS), (Parametrisation(), 9)],
    ids=repr,
)
def test_gradient_is_the_difference_quotient(parametrisation, length):
    task = OneDimensional(TEACHER, length=length)

    def loss(at):
        return task.loss(*parametrisation.polar(Coordinates(*at)))

    loss_and_gradient = jax.jit(jax.value_and_grad(loss))
    at, step = np.array(parametrisation.coordinates(0.6, 0.9)), 1e-6
    gradient = np.asarray(loss_and_gradient(at)[1])
    for i, unit in enumerate(np.eye(2)):
        ahead, behind = (
            float(loss_and_gradient(at + sign * step * unit)[0]) for sign in (1, -1)
        )
        assert gradient[i] == pytest.approx((ahead - behind) / (2 * step), rel=1e-6)
    assert np.abs(gradient).min() > 1e-4


@pytest.mark.parametrize("parametrisation", CHARTS, ids=repr)
def test_chart_leads_there_and_back(parametrisation):
    modulus, angle = jnp.array([0.1, 0.7, 0.999]), jnp.array([0.03, 1.0, 3.0])
    polar = parametrisation.polar(parametrisation.coordinates(modulus, angle))
    np.testing.assert_allclose(polar, [modulus, angle], rtol=1e-12)


def test_charts_are_those_of_the_paper():
    at = Coordinates(jnp.array(1.5), jnp.array(-0.7))
    nu = math.tanh(1.5)
    assert float(Parametrisation("tanh", "plain").polar(at)[0]) == pytest.approx(nu)
    assert float(Parametrisation("plain", "plain").polar(at)[1]) == -0.7
    assert float(Parametrisation("tanh", "exponential").polar(at)[1]) == pytest.approx(
        math.exp(-0.7)
    )
    granularity = (1 - nu**2) / (nu * math.sqrt(1 + nu**2))
    angle = float(Parametrisation("tanh", "optimal").polar(at)[1])
    assert angle == pytest.approx(-0.7 * granularity)


def test_optimal_chart_makes_both_curvatures_one():
    parametrisation, task = (
        Parametrisation("tanh", "optimal", detached=True),
        OneDimensional(0.99 + 0j),
    )
    at = parametrisation.coordinates(0.99, 0.0)
    hessian = jax.jit(
        jax.hessian(lambda x: task.loss(*parametrisation.polar(Coordinates(*x))))
    )
    np.testing.assert_allclose(hessian(jnp.array(at)), np.eye(2), atol=1e-6)


def test_held_modulus_changes_slopes_and_no_values():
    free, with_held = (
        Parametrisation("tanh", "optimal", detached=held_modulus)
        for held_modulus in (False, True)
    )
    at = free.coordinates(0.6, 0.9)
    assert free.polar(at) == with_held.polar(at)
    gradients = [
        jax.grad(
            lambda m, parametrisation=parametrisation: parametrisation.polar(
                Coordinates(m, at.angle)
            )[1]
        )(at.modulus)
        for parametrisation in (free, with_held)
    ]
    assert abs(float(gradients[0])) > 0.1
    assert float(gradients[1]) == 0


def test_powers_have_slopes_at_zero():
    jacobian = jax.jacfwd(lambda x: powers(jnp.array([x + 0j]), 4)[:, 0].real)(0.0)
    assert jacobian.tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("teacher", [1.0 + 0j, 0.9 + 0.9j, complex("nan")])
def test_unstable_teacher_is_refused(teacher):
    with pytest.raises(ValueError, match=r"need a stable teacher, \|lam\*\| < 1, got"):
        OneDimensional(teacher)


def test_sequence_of_one_step_is_refused():
    with pytest.raises(ValueError, match="need length >= 2, got length=1"):
        OneDimensional(TEACHER, length=1)


def test_input_of_unknown_spectrum_needs_a_length():
    class Recorded:
        def sample(self, key, num, length, dtype=None):
            raise NotImplementedError

        def autocovariance(self, lags):
            return 0.5 ** np.abs(lags)

    with pytest.raises(ValueError, match="give the task a length"):
        OneDimensional(TEACHER, process=Recorded())
    assert float(OneDimensional(TEACHER, process=Recorded(), length=5).loss(0.5, 0)) > 0


def test_unknown_chart_is_refused():
    with pytest.raises(
        ValueError, match=r"parametrisation of the angle in plain, expo.*'log'"
    ):
        Parametrisation("tanh", "log")
    with pytest.raises(
        ValueError, match=r"parametrisation of the modulus in plain, .*'sigmoid'"
    ):
        Parametrisation("sigmoid")


def test_place_out_of_a_charts_reach_is_refused():
    with pytest.raises(ValueError, match="need a point that the parametrisation"):
        Parametrisation("tanh", "exponential").coordinates(0.5, -0.1)
    with pytest.raises(ValueError, match="need a point that the parametrisation"):
        Parametrisation("tanh").coordinates(1.0, 0.1)
