"""Optimal parametrisations: closed forms solve the equation that they are said to solve."""

import mpmath
import pytest
from sympy import Rational, diff, expand_trig, log, simplify, sqrt, symbols

from sigprop.numerics.compile import compile_expr
from sigprop.theory import optimal, teacher_student
from sigprop.theory.optimal import ELEMENTARY, GAINS, INVERTIBLE, size
from sigprop.theory.symbols import a, alpha, b, beta, lam, rho, theta
from sigprop.theory.teacher_student import nu, omega

PLACES = (0.2, 0.7, 0.99)
CORRELATION = Rational(3, 5)
CLOSED = (*ELEMENTARY, ("none", "white"), ("loss", "exponential"))
TURNED = [(gain, source) for gain in GAINS[:3] for source in ("white", "constant")]


def solved(gain, source):
    """The metric and the coordinate, at a number for the correlation."""
    metric = optimal.metric(gain, source).result.subs(rho, CORRELATION)
    return metric, optimal.coordinate(gain, source).result.subs(size, CORRELATION)


def steps_are_equal(derivation, variable, points, tolerance=1e-12):
    """Whether the last two steps of a derivation are one function, at some places."""
    first, last = (
        compile_expr(step.expr, variable, backend="mpmath")
        for step in derivation.steps[-2:]
    )
    return all(abs(first(at) - last(at)) < tolerance for at in points)


@pytest.mark.parametrize(("gain", "source"), CLOSED)
@pytest.mark.sampled(3)
def test_the_slope_of_a_coordinate_is_the_root_of_the_metric(gain, source):
    metric, coordinate = solved(gain, source)
    derivative = diff(coordinate, nu).subs(sqrt(1 - nu**2), sqrt(1 - nu) * sqrt(1 + nu))
    assert simplify(derivative**2 - metric) == 0
    assert coordinate.subs(nu, 0) == 0


@pytest.mark.parametrize(("gain", "source"), CLOSED)
@pytest.mark.sampled(4)
def test_a_coordinate_is_the_integral_in_many_digits(gain, source):
    metric, coordinate = (
        compile_expr(expression, nu, backend="mpmath")
        for expression in solved(gain, source)
    )
    with mpmath.workdps(30):
        for point in PLACES:
            end = mpmath.mpf(point)
            expected = mpmath.quad(
                lambda at: mpmath.sqrt(metric(at)), [0, end / 2, end]
            )
            assert mpmath.almosteq(coordinate(end), expected, 1e-18)
            assert not mpmath.almosteq(1.001 * coordinate(end), expected, 1e-18)


@pytest.mark.parametrize(("gain", "source"), ELEMENTARY)
def test_the_last_two_steps_are_one_function(gain, source):
    assert steps_are_equal(optimal.coordinate(gain, source), nu, PLACES)


@pytest.mark.parametrize(("gain", "source"), INVERTIBLE)
def test_a_path_inverts_its_coordinate_and_solves_the_equation(gain, source):
    path = optimal.path(gain, source).result
    metric, coordinate = solved(gain, source)
    assert simplify(path.subs(omega, coordinate) - nu) == 0
    unit = diff(path, omega) ** 2 * metric.subs(nu, path)
    assert simplify(unit.subs(omega, log(3))) == 1


def test_tanh_is_the_path_of_the_papers_loss():
    assert optimal.path("loss", "white").result == teacher_student.best_modulus()
    bent = teacher_student.radial_curvature().result
    assert simplify(optimal.metric("loss", "white").result - bent) == 0


def test_matched_metric_is_that_of_section_3_1():
    rate = teacher_student.held_rate().result
    metric = optimal.metric("matched", "exponential").result
    assert simplify(metric * rate.subs(lam, nu) ** 2) == 1


@pytest.mark.parametrize("source", ["white", "exponential", "mixed"])
def test_loss_metric_is_the_curvature_of_the_normalised_loss(source):
    """Differentiated as Eq. 95-98, without the logarithm."""
    star = symbols("star", positive=True)
    shared = optimal.potential(source).steps[0].expr
    cross, own, teacher = (
        shared.subs({alpha: first, beta: other}, simultaneous=True)
        for first, other in ((nu, star), (nu, nu), (star, star))
    )
    loss = 1 - cross / sqrt(own * teacher)
    values = {rho: CORRELATION, a: Rational(1, 3), b: Rational(1, 2)}
    point = {nu: Rational(7, 10), star: Rational(7, 10)}
    curvature = diff(loss, nu, 2).subs(values).subs(point)
    expected = optimal.metric("loss", source).result.subs(values).subs(point)
    assert simplify(curvature - expected) == 0


@pytest.mark.parametrize("source", ["white", "mixed"])
def test_regular_part_is_what_white_inputs_lack(source):
    first, product = optimal.regular_part(source)
    potential = optimal.potential(source)
    assert simplify(potential.result - product - 1 / (1 - alpha * beta) ** 2) == 0
    derivative = diff(log(potential.steps[0].expr), alpha)
    assert simplify(derivative - first - beta / (1 - alpha * beta)) == 0


def test_correlation_takes_from_the_loss_metric_what_a_slower_unit_has():
    white = optimal.metric("loss", "white").result
    slower = rho**2 * white.subs(nu, rho * nu)
    metric = optimal.metric("loss", "exponential").result
    assert simplify(metric - (white - slower)) == 0


@pytest.mark.parametrize(("gain", "source"), TURNED)
def test_the_slope_of_an_angle_is_the_root_of_its_metric(gain, source):
    metric = optimal.angle_metric(gain, source).result
    square = diff(optimal.angle_coordinate(gain, source).result, theta) ** 2
    for point in ({nu: 0.9, theta: 0.3}, {nu: 0.5, theta: 2.0}):
        ratio = (square / metric).subs(point).evalf()
        assert float(ratio) == pytest.approx(1, abs=1e-12)
    assert optimal.angle_coordinate(gain, source).result.subs(theta, 0) == 0


@pytest.mark.parametrize("gain", ["white", "matched"])
def test_under_white_inputs_the_best_angle_is_the_papers(gain):
    angle = optimal.angle_coordinate(gain, "white").result
    back = angle * teacher_student.granularity() / theta
    assert [float(back.subs(nu, at)) for at in PLACES] == pytest.approx([1] * 3)


def test_angle_metric_of_any_correlation_is_that_of_its_ends():
    metric = optimal.angle_metric("matched", "exponential").result
    for end, source in ((0, "white"), (1, "constant")):
        expected = optimal.angle_metric("matched", source).result
        assert simplify(expand_trig(metric.subs(rho, end) - expected)) == 0


def test_other_gains_and_unsolved_cases_are_refused():
    with pytest.raises(ValueError, match="need a gain in none, white, matched, loss"):
        optimal.metric("best")
    with pytest.raises(ValueError, match="need a gain in none, white, matched, got"):
        optimal.angle_metric("loss")
    with pytest.raises(ValueError, match="no closed form is known"):
        optimal.coordinate("matched", "exponential")
    with pytest.raises(ValueError, match="no elementary inverse is known"):
        optimal.path("white", "white")
    with pytest.raises(ValueError, match="need white or constant inputs"):
        optimal.angle_coordinate("none", "mixed")


@pytest.mark.parametrize(
    ("gain", "degree"), [("none", 6), ("white", 4), ("matched", 6)]
)
def test_between_the_ends_the_radicand_has_simple_zeros(gain, degree):
    """So the other coordinates belong to curves of genus one or two."""
    assert optimal.radicand(gain).degree() == degree
    assert optimal.radicand(gain).discriminant().subs(rho, CORRELATION) != 0
    assert optimal.radicand(gain).discriminant().subs(rho, 1) == 0
