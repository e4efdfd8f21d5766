"""Zucchet & Orvieto (2024), Eq. 5-61 and 74: the forms as printed.

If a printed form is wrong, the corrected form follows it.
"""

from sympy import Expr, Sum, diff, oo, sqrt

from sigprop.theory import diagonal
from sigprop.theory.autocorrelation import double_sum
from sigprop.theory.claims import Condition
from sigprop.theory.conditions import is_stable
from sigprop.theory.papers.zucchet.conditions import is_even, is_exponential
from sigprop.theory.symbols import Delta, R, alpha, beta, lam, lam_bar, n, rho

EXPONENTIAL = Condition(
    "|lambda| < 1, and autocovariance rho^|Delta| with -1 <= rho <= 1", is_exponential
)
STATIONARY = Condition(
    "|lambda| < 1, wide-sense-stationary input with a bounded autocovariance, even as "
    "Lemma 1 asks",
    is_stable,
)
REAL_STATIONARY = Condition(
    "|lambda| < 1, real wide-sense-stationary input with a bounded autocovariance, which "
    "is even then",
    is_stable,
)
REAL_INPUTS = Condition(
    REAL_STATIONARY.text, lambda lam, R, **_: abs(lam) < 1 and is_even(R)
)

square = lam * lam_bar  # |lambda|^2
apart = (1 - rho * lam) * (1 - rho * lam_bar)  # |1 - rho lambda|^2
both = lam_bar**Delta + lam**Delta


def lags(summand: Expr) -> Expr:
    """Return the sum of ``summand * R(Delta)`` over all lags ``Delta >= 1``."""
    return Sum(summand * R(Delta), (Delta, 1, oo))


def bracket() -> Expr:
    """Return the bracket of Eq. 39 and 55, for two independent eigenvalues."""
    return (R(0) + lags(alpha**Delta + beta**Delta)) / (1 - alpha * beta)


def eq_5() -> Expr:
    """Return Eq. 5 as printed."""
    return (R(0) + 2 * lags(lam**Delta)) / (1 - lam**2)


def eq_6() -> Expr:
    """Return Eq. 6 as printed."""
    first = (1 + lam**2) / (1 - lam**2) ** 3 * (R(0) + 2 * lags(lam**Delta))
    return first + 2 / (1 - lam**2) ** 2 * lags(Delta * lam**Delta)


def eq_34() -> Expr:
    """Return the left side of Eq. 34 as printed, with ``beta**n`` instead of ``beta**m``."""
    return double_sum(lambda n, m: alpha**n * beta**n).as_sum()


def eq_45() -> Expr:
    """Return Eq. 45 as printed."""
    return (R(0) + lags(both)) / (1 - square)


def eq_47() -> Expr:
    """Return Eq. 47 as printed."""
    tails = lam_bar * rho / (1 - lam_bar * rho) + lam * rho / (1 - lam * rho)
    return (1 + tails) / (1 - square)


def eq_48() -> Expr:
    """Return Eq. 48 as printed."""
    return (1 - rho**2 * square) / (apart * (1 - square))


def eq_53() -> Expr:
    """Return the weight of ``x_{-n}`` in the printed Eq. 53, a sum of k lam^(k-1) x_{-k-1}."""
    return (n - 1) * lam ** (n - 2)


def eq_56() -> Expr:
    """Return Eq. 56 as printed, at ``alpha = lam`` and ``beta = conj(lam)``."""
    first = (1 + square) / (1 - square) ** 3 * (R(0) + lags(both))
    second = lam / (1 - square) ** 2 * lags(Delta * lam ** (Delta - 1))
    third = lam_bar / (1 - square) ** 2 * lags(Delta * lam_bar ** (Delta - 1))
    return first + second + third


def eq_57() -> Expr:
    """Return Eq. 57 as printed, with ``(1 - |lambda|)^3`` instead of ``(1 - |lambda|^2)^3``."""
    first = (1 + square) / (1 - sqrt(square)) ** 3 * (R(0) + lags(both))
    return first + lags(Delta * both) / (1 - square) ** 2


def eq_57_corrected() -> Expr:
    """Return Eq. 57 with ``(1 - |lambda|^2)^3``, as in Eq. 56."""
    first = (1 + square) / (1 - square) ** 3 * (R(0) + lags(both))
    return first + lags(Delta * both) / (1 - square) ** 2


def eq_58() -> Expr:
    """Return Eq. 58 as printed, the derivative at ``alpha = lam``, ``beta = conj(lam)``."""
    inner = (1 - rho**2 * alpha * beta) / ((1 - rho * alpha) * (1 - rho * beta))
    return diagonal.conjugate_pair(diff(inner / (1 - alpha * beta), alpha, beta))


def eq_59() -> Expr:
    """Return Eq. 59 as printed."""
    head = (1 - rho) * (1 + square) + rho**2 * (1 - square) ** 3
    tail = rho * square * (1 + square) - 2 * lam - 2 * lam_bar
    return (head + rho * (1 - rho) * square * tail) / ((1 - square) ** 3 * apart**2)


def eq_59_corrected() -> Expr:
    """Return Eq. 59 with both factors ``1 - rho`` replaced by ``1 - rho^2``."""
    head = (1 - rho**2) * (1 + square) + rho**2 * (1 - square) ** 3
    tail = rho * square * (1 + square) - 2 * lam - 2 * lam_bar
    return (head + rho * (1 - rho**2) * square * tail) / ((1 - square) ** 3 * apart**2)


def at_modulus(moment: Expr) -> Expr:
    """Return a moment with ``lam`` replaced by its modulus, as in the bound by ``U``.

    Source: Zucchet & Orvieto (2024), text after Eq. 74, its "minor modifications".
    """
    both_sides = dict.fromkeys((lam, lam_bar), sqrt(square))
    return moment.subs(both_sides, simultaneous=True)


def bound_74() -> Expr:
    """Return Eq. 45 with ``R`` replaced by its bound ``U`` and ``lam`` by its modulus."""
    return at_modulus(eq_45())


def sensitivity_bound_74() -> Expr:
    """Return the corrected Eq. 57 with ``R`` replaced by ``U`` and ``lam`` by its modulus."""
    return at_modulus(eq_57_corrected())
