"""One unit learns another: forms, proofs and brute force say no to what is wrong."""

import math

import numpy as np
import pytest
from sympy import Rational, cos, limit, simplify, sin, sqrt

from sigprop.references import landscape, landscape_curvature, landscape_shapes
from sigprop.references.landscape_descent import ANGLES, STUDENT, descend
from theory import teacher_student as task
from theory import teacher_student_proofs as proofs
from theory.teacher_student import nu, theta_star


def double_sum(first, second, rho):
    ages = np.arange(len(first))
    covariance = np.abs(ages[:, None] - ages).astype(float)
    return first @ rho**covariance @ second.conj()


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.7, 1.0, -1.0])
def test_one_pass_is_the_double_sum(rho):
    first, second = (landscape.kernel(lam, 60) for lam in (0.5 + 0.3j, -0.6j))
    expected = double_sum(first, second, rho)
    assert landscape.shared(first, second, rho) == pytest.approx(expected, rel=1e-12)


def test_a_trigonometric_form_vanishes_only_if_it_is_zero():
    turn = task.turn
    assert task.vanishes(sin(turn) ** 2 + cos(turn) ** 2 - 1)
    assert not task.vanishes(sin(turn) ** 2 + cos(turn) ** 2 - 1 + nu * sin(turn))


def test_a_wrong_rate_has_no_unit_curvature():
    bent = task.radial_curvature()
    assert proofs.has_unit_curvature(1 - nu**2, bent)
    assert not proofs.has_unit_curvature(1 - nu, bent)


def test_the_loss_is_zero_at_the_teacher_and_even_in_the_turn():
    loss = task.polar_loss().result
    assert task.at_teacher(loss) == 0
    mirrored = loss.subs(task.theta, 2 * theta_star - task.theta)
    assert simplify(loss - mirrored) == 0


def test_the_metric_bends_between_its_two_limits():
    bent = task.gaussian_curvature().result
    assert [limit(bent, nu, end) for end in (0, 1)] == [-7, -4]


def test_coupled_curvature_is_one_only_without_an_angle():
    plain = task.coupled_printed()
    assert plain.subs(task.omega_theta, 0) == 1
    assert plain.subs({task.omega_theta: 1, nu: Rational(1, 2)}) > 1


def test_the_general_angle_differs_by_a_factor_that_stays():
    over = task.granularity() / (1 - nu**2)
    assert limit(over, nu, 1) == 1 / sqrt(2)


def test_many_digits_and_double_precision_sum_the_same_loss():
    expected = landscape.normalised(0.7 * np.exp(0.8j), 0.4 * np.exp(-0.3j))
    found = landscape_curvature.partial((0, 0), 0.7, 0.4, 0.8, -0.3)
    assert found == pytest.approx(expected)


@pytest.mark.parametrize("orders", [(1, 0), (0, 1), (1, 1), (0, 2)])
@pytest.mark.parametrize("gain", [True, False])
def test_finite_differences_are_what_jax_finds(orders, gain):
    at = (orders, 0.7, 0.4, 0.8)
    expected = landscape_curvature.partial(*at, gain=gain)
    found = landscape_curvature.partial_autodiff(*at, gain=gain)
    assert found == pytest.approx(expected, rel=1e-11)


def test_the_whole_circle_descends_to_the_teacher_however_sharp_the_well():
    wells = [landscape_shapes.well(nu, "descent") for nu in (0.3, 0.9)]
    assert wells == pytest.approx([2 * math.pi] * 2)


@pytest.mark.parametrize("angle", ANGLES)
def test_every_run_starts_from_the_same_student(angle):
    _, moduli, angles = descend(angle)
    assert moduli[0] == pytest.approx(STUDENT[0], abs=1e-3)
    assert angles[0] == pytest.approx(STUDENT[1], abs=1e-2)


def test_the_plain_run_is_not_the_best_one():
    assert descend("polar")[0][-1] < 1e-6 < descend("optimal")[0][-1]
