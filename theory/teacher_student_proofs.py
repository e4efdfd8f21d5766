"""Proofs of statements on one linear unit that learns another.

The forms are in ``teacher_student``.

Source: Zucchet & Orvieto (2024), Appendix C.1.
"""

from sympy import (
    Expr,
    cancel,
    cos,
    cosh,
    diff,
    exp,
    expand,
    limit,
    pi,
    simplify,
    sinh,
    sqrt,
    symbols,
    tanh,
)

from sigprop.theory.autocorrelation import is_zero
from sigprop.theory.derivation import Derivation
from sigprop.theory.symbols import alpha, beta, lam, lam_bar, rho, theta
from sigprop.theory.teacher_student import (
    HALF,
    angular_curvature,
    at_teacher,
    best_angle,
    best_modulus,
    distance_squared,
    exponential_angle,
    exponential_curvature,
    gain,
    gain_lam,
    gain_mu,
    granularity,
    grouped_moment,
    half_depth,
    held_rate,
    misfit,
    mu,
    mu_bar,
    nu,
    nu_star,
    omega,
    omega_star,
    period,
    polar_loss,
    radial_loss,
    shared_moment,
    theta_star,
    turn,
)


def has_unit_curvature(rate: Expr, curvature: Derivation) -> bool:
    """Prove that a positive rate squared times the curvature is one.

    Source: Zucchet & Orvieto (2024), Eq. 100 and 106.
    """
    return is_zero(rate**2 * curvature.result - 1)


def solves_its_equation() -> bool:
    """Prove that ``tanh`` solves ``nu' = 1 - nu^2`` with ``nu(0) = 0``."""
    modulus = best_modulus()
    residual = diff(modulus, omega) - (1 - modulus**2)
    return simplify(residual) == 0 and modulus.subs(omega, 0) == 0


def tanh_is_a_shift() -> bool:
    """Prove the last step of ``landscape_of_tanh``, by ``cosh^2 gain^2 = 1``."""
    ours = 1 / (cosh(omega) * cosh(omega_star)) / (1 - tanh(omega) * tanh(omega_star))
    theirs = 1 / cosh(omega - omega_star)
    flat = simplify((1 / ours - 1 / theirs).rewrite(exp)) == 0
    gains = simplify(gain(tanh(omega)) ** 2 - 1 / cosh(omega) ** 2) == 0
    return bool(flat and gains)


def double_exponential_is_nearly_a_shift() -> bool:
    """Prove that the loss for ``nu = exp(-exp(omega))`` is nearly a shift for ``nu -> 1``.

    With ``a = exp(omega)`` and ``b`` of the teacher, the loss of Eq. 94 is
    ``1 - sqrt(sinh a sinh b)/sinh((a + b)/2)``.  With ``a = s exp(x/2)`` and
    ``b = s exp(-x/2)``, it tends to ``1 - sech(x/2)`` for ``s -> 0``.
    """
    a, b, s, x = symbols("a b s x", positive=True)
    ours = (1 - exp(-2 * a)) * (1 - exp(-2 * b)) / (1 - exp(-a - b)) ** 2
    theirs = sinh(a) * sinh(b) / sinh((a + b) / 2) ** 2
    edge = theirs.subs({a: s * exp(x / 2), b: s * exp(-x / 2)}, simultaneous=True)
    shift = limit(edge, s, 0, "+") - 1 / cosh(x / 2) ** 2
    return bool(
        simplify((ours - theirs).rewrite(exp)) == 0
        and simplify(shift.rewrite(exp)) == 0
    )


def half_depth_is_exact() -> bool:
    """Prove that the loss at ``half_depth() / 2`` is half the loss at the opposite angle."""
    at_right = polar_loss().result.subs(nu_star, nu)
    square = nu**2
    inside = at_right.subs(theta, theta_star + half_depth() / 2)
    cosine = 2 * square / (1 + square**2)  # of pi/2 - 2 atan(nu^2)
    inside = at_right.subs(cos(turn), cosine)
    opposite = at_right.subs(cos(turn), -1)
    angle = simplify(cos(half_depth() / 2) - cosine) == 0
    return bool(angle and is_zero(inside - opposite / 2))


def square_expands() -> bool:
    """Prove that ``(h - g)(h' - g')`` is the sum of the four products of Eq. 87."""
    own, teacher, own_bar, teacher_bar = symbols("h g h_bar g_bar")
    four = own * own_bar + teacher * teacher_bar - own * teacher_bar - own_bar * teacher
    return expand((own - teacher) * (own_bar - teacher_bar) - four) == 0


def grouped_is_exact() -> bool:
    """Prove ``grouped_moment`` at any two eigenvalues, and so the loss of four moments."""
    pair = shared_moment(alpha, beta, "exponential")
    return cancel(pair - grouped_moment(alpha, beta)) == 0


def misfit_is_least() -> bool:
    """Prove that ``misfit`` is the smallest loss, which the student has at the teacher.

    By ``|1 - conj(lam) mu|^2 - gamma^2 gamma*^2 = |lam - mu|^2``, the overlap
    ``gamma gamma* / |1 - conj(lam) mu|`` is at most one, and one only at the teacher.
    """
    apart = (lam - mu) * (lam_bar - mu_bar)
    room = (1 - lam_bar * mu) * (1 - lam * mu_bar) - gain_lam**2 * gain_mu**2
    at_best = (1 + 1 / gain_mu**2 - 2 * gain_mu / gain_mu**2) / 2
    return expand(room - apart) == 0 and is_zero(at_best - misfit())


def radial_derivative_agrees(printed: Expr, order: int) -> bool:
    """Prove a printed derivative of Eq. 94 by the modulus."""
    plain = 1 - gain(nu) * gain(nu_star) / (1 - nu * nu_star)
    return (
        is_zero(radial_loss().result - plain)
        and simplify(diff(plain, nu, order) - printed) == 0
    )


def gain_derivatives(nu: float) -> tuple[float, float]:
    """Compute ``gamma'`` and ``gamma''`` as in Eq. 97."""
    gamma = (1 - nu**2) ** 0.5
    return -nu / gamma, (-(gamma**2) - nu**2) / gamma**3


def gain_derivatives_are_right() -> bool:
    """Prove Eq. 97 for all moduli."""
    gamma = gain(nu)
    first, second = -nu / gamma, (-(gamma**2) - nu**2) / gamma**3
    return is_zero(diff(gamma, nu) - first) and is_zero(diff(gamma, nu, 2) - second)


def distance_at_zero(nu: float) -> tuple[float, float, float]:
    """Compute ``alpha``, ``alpha'`` and ``alpha''`` at optimality, as printed.

    Source: Zucchet & Orvieto (2024), text before Eq. 105.
    """
    return (1 - nu**2) ** 2, 0.0, 2 * nu**2


def distance_with_derivative(nu: float) -> tuple[float, float, float]:
    """Return a wrong version of ``distance_at_zero``, whose derivative is not zero."""
    flat, _, curvature = distance_at_zero(nu)
    return flat, curvature / 100, curvature


def distance_at_zero_is_right() -> bool:
    """Prove the three values of ``distance_at_zero`` for all moduli."""
    whole = distance_squared()
    expected = ((1 - nu**2) ** 2, 0, 2 * nu**2)
    derivatives = (at_teacher(diff(whole, theta, order)) for order in range(3))
    return all(is_zero(x - y) for x, y in zip(derivatives, expected, strict=True))


def best_angle_solves() -> bool:
    """Prove that ``best_angle`` is zero at zero and has the derivative of Eq. 106."""
    angle = best_angle()
    return angle.subs(omega, 0) == 0 and is_zero(diff(angle, omega) - granularity())


def general_angle_is_best_up_to_a_constant() -> bool:
    """Prove that Eq. 106 divided by ``1 - nu^2`` has a finite nonzero limit for ``nu -> 1``."""
    over = granularity() / (1 - nu**2)
    same = is_zero(over - 1 / (nu * sqrt(1 + nu**2)))
    return same and limit(over, nu, 1, "-") == 1 / sqrt(2)


def period_is_a_turn() -> bool:
    """Prove that ``best_angle`` changes by ``2 pi`` over ``period``."""
    return simplify(best_angle().subs(omega, period()) - 2 * pi) == 0


def exponential_curvature_is_scaled() -> bool:
    """Prove ``exponential_curvature``: the squared derivative of the angle times Eq. 105."""
    rate = diff(exponential_angle(), omega)
    return is_zero(rate**2 * angular_curvature().result - exponential_curvature())


def three_curvatures(nu: float, theta: float) -> tuple[float, float, float]:
    """Compute the curvature at the teacher for the plain, exponential and best angle."""
    plain = nu**2 * (1 + nu**2) / (1 - nu**2) ** 2
    return plain, theta**2 * plain, 1.0


def rate_depends_on_input() -> bool:
    """Prove that ``held_rate`` depends on ``rho``, by its derivative at one point."""
    square = held_rate().steps[0].expr
    return diff(square, rho).subs({lam: HALF, rho: HALF}) != 0
