"""Zucchet & Orvieto (2024), Eq. 95 to 104: the forms as printed, transcribed."""

from sympy import Expr, diff, sin

from theory import teacher_student as task
from theory.symbols import theta
from theory.teacher_student import gain, nu, nu_star, turn


def alpha_of_turn() -> Expr:
    """``|1 - conj(lam) lam*|^2`` as printed.

    Source: Zucchet & Orvieto (2024), Eq. 102.
    """
    return (1 - task.overlap) ** 2 + nu**2 * nu_star**2 * sin(turn) ** 2


def eq_95() -> Expr:
    """Eq. 95 as printed."""
    own, slope = gain(nu), diff(gain(nu), nu)
    gap = 1 - nu * nu_star
    return -gain(nu_star) * slope / gap - gain(nu_star) * nu_star * own / gap**2


def eq_96() -> Expr:
    """Eq. 96 as printed."""
    own, slope, bend = (diff(gain(nu), nu, order) for order in range(3))
    gap, teacher = 1 - nu * nu_star, gain(nu_star)
    first = -teacher * bend / gap - 2 * teacher * nu_star * slope / gap**2
    return first - 2 * teacher * nu_star**2 * own / gap**3


def eq_103() -> Expr:
    """Eq. 103 as printed."""
    alpha = alpha_of_turn()
    inner = -nu * nu_star * sin(turn) / alpha
    inner += (1 - task.overlap) * diff(alpha, theta) / alpha**2
    return gain(nu) * gain(nu_star) * inner


def eq_104() -> Expr:
    """Eq. 104 as printed."""
    alpha = alpha_of_turn()
    slope, bend = diff(alpha, theta), diff(alpha, theta, 2)
    inner = -task.overlap / alpha + 2 * nu * nu_star * sin(turn) * slope / alpha**2
    inner += (1 - task.overlap) * bend / alpha**2
    inner -= 2 * (1 - task.overlap) * slope**2 / alpha**3
    return gain(nu) * gain(nu_star) * inner
