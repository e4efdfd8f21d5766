"""One unit learns another: forms and proofs say no to what is wrong."""

from sympy import Rational, cos, limit, simplify, sin, sqrt

from sigprop.theory import teacher_student as task
from sigprop.theory import teacher_student_proofs as proofs
from sigprop.theory.teacher_student import nu, theta_star


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
