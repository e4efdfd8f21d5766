import cmath
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.numerics.precision import double_precision
from sigprop.tasks.power import PARAMETRISATIONS, parametrisation, power

TEACHER = cmath.rect(0.99, 1.1)


@pytest.fixture(autouse=True)
def precise():
    with double_precision(True):
        yield


@pytest.mark.parametrize("exponent", [1, 2, 7, 100])
def test_loss_is_that_of_repeated_multiplication(exponent):
    lam, products = cmath.rect(0.97, 1.2), [1, 1]
    for _ in range(exponent):
        products = [products[0] * lam, products[1] * TEACHER]
    expected = abs(products[0] - products[1]) ** 2 / 2
    task = power(TEACHER, exponent)
    assert float(task.loss(jnp.asarray(lam))) == pytest.approx(expected, rel=1e-12)


def test_loss_is_zero_at_all_solutions_and_their_spacing_apart_alone():
    task = power(TEACHER, 100)
    turns = jnp.exp(1j * task.spacing * jnp.arange(100))
    assert float(task.loss(TEACHER * turns).max()) < 1e-25
    between = TEACHER * turns * jnp.exp(0.5j * task.spacing)
    np.testing.assert_allclose(task.loss(between), 2 * abs(TEACHER) ** 200, rtol=1e-10)


def test_scale_is_the_loss_of_no_power():
    assert float(power(TEACHER, 3).scale) == pytest.approx(abs(TEACHER) ** 6 / 2)


@pytest.mark.parametrize("name", PARAMETRISATIONS)
def test_chart_leads_there_and_back(name):
    lam = jnp.asarray([0.5 * cmath.exp(2.1j), TEACHER, 0.999 * cmath.exp(-3j)])
    coordinates = parametrisation(name)
    np.testing.assert_allclose(
        coordinates.eigenvalue(coordinates.parameters(lam)), lam, rtol=1e-13
    )


def test_charts_are_those_of_the_paper():
    at = jnp.array([0.2, 0.7])
    assert complex(parametrisation("cartesian").eigenvalue(at)) == 0.2 + 0.7j
    expected = cmath.exp(-0.2 + 0.7j)
    assert complex(parametrisation("exponential").eigenvalue(at)) == pytest.approx(
        expected
    )


@pytest.mark.parametrize("name", PARAMETRISATIONS)
def test_gradient_is_the_difference_quotient(name):
    task, coordinates = power(TEACHER, 20), parametrisation(name)

    def loss(at):
        return task.loss(coordinates.eigenvalue(at))

    at, step = coordinates.parameters(jnp.asarray(cmath.rect(0.96, 1.17))), 1e-6
    gradient = jax.grad(loss)(at)
    for i, unit in enumerate(np.eye(2)):
        quotient = float(loss(at + step * unit) - loss(at - step * unit)) / (2 * step)
        assert float(gradient[i]) == pytest.approx(quotient, rel=1e-6)
    assert np.abs(gradient).min() > 0.1


def test_quarter_turn_exchanges_the_cartesian_axes():
    at = cmath.rect(0.98, 0.5)
    gradients = []
    for turn in (1, 1j):
        task = power(cmath.rect(0.99, 0.53) * turn, 100)
        parts = jnp.array([(at * turn).real, (at * turn).imag])
        gradients.append(
            jax.grad(lambda x, task=task: task.loss(x[0] + 1j * x[1]))(parts)
        )
    np.testing.assert_allclose(
        gradients[1], [-gradients[0][1], gradients[0][0]], rtol=1e-9
    )


def test_many_tasks_are_as_many_single_ones():
    teachers = [TEACHER, 0.5 + 0.1j]
    lam = jnp.asarray([0.3 + 0.9j, 0.4 + 0j])
    together = jax.vmap(lambda task, eigenvalue: task.loss(eigenvalue))(
        power(teachers, 5), lam
    )
    single = [
        float(power(teacher, 5).loss(at))
        for teacher, at in zip(teachers, lam, strict=True)
    ]
    np.testing.assert_allclose(together, single, rtol=1e-13)


@pytest.mark.parametrize("teacher", [1.0, 1.1j, math.nan, [0.5, 1.2]])
def test_unstable_teacher_is_refused(teacher):
    with pytest.raises(ValueError, match="need a stable teacher"):
        power(teacher)


def test_bad_exponent_and_unknown_chart_are_refused():
    with pytest.raises(ValueError, match="need an exponent of at least 1, got 0"):
        power(TEACHER, 0)
    with pytest.raises(
        ValueError, match="need a parametrisation in cartesian, exponential, got"
    ):
        parametrisation("polar")
