"""Evidence for the proofs of Lemmas 1 and 2, Appendix B.1 of Zucchet & Orvieto (2024)."""

from functools import cache, partial
from itertools import product

import numpy as np
import scipy
from jaxtyping import Complex
from sympy import Pow, S, diff, expand, oo, symbols

from sigprop.evidence.kit import NODES, TURNS, contour, power_derivatives, powers
from sigprop.evidence.zucchet.proofs.responses import mixed
from sigprop.evidence.zucchet.proofs.sequences import (
    AGES,
    CHIRP,
    COMPLEX,
    FADING,
    LOPSIDED,
    SHORT,
    TURNING,
    Sequence,
    Series,
    ages,
)
from sigprop.judge import grids
from sigprop.judge.basis import Basis, Evidence, Example, Grid
from sigprop.theory import autocorrelation
from sigprop.theory.autocorrelation import (
    geometric_sum,
    is_zero,
    lemma_1,
    lemma_2,
    same_form,
)
from sigprop.theory.papers.zucchet import forms
from sigprop.theory.symbols import Delta, alpha, beta, m, n

# The left sides, as sums over all pairs of ages and their derivatives.


@cache
def _table(u: Sequence) -> Complex[np.ndarray, "ages ages"]:
    """``u_{n-m}`` over all pairs of ages."""
    later, earlier = (np.array([u(s * d) for d in ages()], complex) for s in (1, -1))
    return scipy.linalg.toeplitz(later, earlier)


def double_sum(alpha: complex, beta: complex, u: Sequence) -> complex:
    """``sum alpha^n beta^m u_{n-m}`` over all pairs of ages."""
    first, second = (powers(complex(lam), AGES) for lam in (alpha, beta))
    return complex(first @ _table(u) @ second)


def double_sum_34(alpha: complex, beta: complex, u: Sequence) -> complex:
    """The left side of Eq. 34 as printed, with beta to the power n."""
    return complex(powers(complex(alpha * beta), AGES) @ _table(u).sum(axis=1))


def mixed_derivative(alpha: complex, beta: complex, u: Sequence) -> complex:
    """``d/dalpha d/dbeta`` of the double sum."""
    return mixed(alpha, beta, _table(u))


def bracket_derivative(alpha: complex, beta: complex, u: Sequence) -> complex:
    """``d/dalpha d/dbeta`` of the right side of Eq. 34, by values on two circles."""
    lags, radius = np.array([u(d) for d in ages(1)]), 0.1
    first, second = (z + radius * TURNS for z in (alpha, beta))
    by_lag = (powers(z, AGES)[:, 1:] @ lags for z in (first, second))
    values = (u(0) + np.add.outer(*by_lag)) / (1 - np.outer(first, second))
    weights = TURNS.conj() / (NODES * radius)
    return complex(weights @ values @ weights)


def derivative_by_beta(alpha: complex, beta: complex, u: Sequence) -> complex:
    """``d/dbeta`` of the double sum."""
    return contour(lambda w: double_sum(alpha, w, u), beta, 0.1)


# The right sides.


def bracket(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Right side of Eq. 34 and 38."""
    return (
        u(0) + sum((alpha**d + beta**d) * u(d) for d in ages(1))
    ) / (1 - alpha * beta)  # fmt: skip


def bracket_from_zero(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant: the sum over lags includes lag zero."""
    return (u(0) + sum((alpha**d + beta**d) * u(d) for d in ages())) / (
        1 - alpha * beta
    )


def bracket_one_sided(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant: only lags of one sign."""
    return (u(0) + sum(alpha**d * u(d) for d in ages(1))) / (1 - alpha * beta)


def bracket_of_products(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant: the product of the powers instead of their sum."""
    return (u(0) + 2 * sum((alpha * beta) ** d * u(d) for d in ages(1))) / (
        1 - alpha * beta
    )


def three_sets(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Right side of Eq. 35: pairs with n = m, with n > m and with n < m."""
    equal = sum(alpha**n * beta**n * u(0) for n in ages())
    later = sum(alpha**n * beta**m * u(n - m) for n in ages() for m in range(n))
    earlier = sum(alpha**n * beta**m * u(n - m) for m in ages() for n in range(m))
    return equal + later + earlier


def two_sets(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant: without pairs with n < m."""
    return complex(powers(alpha, AGES) @ np.tril(_table(u)) @ powers(beta, AGES))


def overlapping_sets(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant: pairs with n = m count twice."""
    return two_sets(alpha, beta, u) + two_sets(beta, alpha, lambda lag: u(-lag))


def turned_lags(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant: the lag of a pair is m - n."""
    return double_sum(beta, alpha, u)


def two_sides(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Right side of Eq. 36, with separate sums over lags of either sign."""
    diagonal = sum((alpha * beta) ** n for n in ages())
    return diagonal * (
        u(0)
        + sum(alpha**d * u(d) for d in ages(1))
        + sum(beta**d * u(-d) for d in ages(1))
    )


def summed_diagonal(
    alpha: complex, beta: complex, u: Sequence, oldest: int = 0
) -> complex:
    """Right side of Eq. 37; the first age is not zero for a mutant."""
    return sum((alpha * beta) ** n for n in ages(oldest)) * (
        u(0) + sum((alpha**d + beta**d) * u(d) for d in ages(1))
    )


def derived_once(alpha: complex, beta: complex, u: Sequence) -> complex:
    """The sum in Eq. 40, differentiated by beta only."""
    return sum(
        m * alpha**n * beta ** (m - 1) * u(n - m)
        for n, m in product(ages(), ages(1))
    )  # fmt: skip


def derived_by_alpha(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant of Eq. 40: differentiated by alpha."""
    return complex(power_derivatives(alpha, AGES) @ _table(u) @ powers(beta, AGES))


def powers_unlowered_once(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant of Eq. 40: the factor m without a lower power."""
    return beta * derived_once(alpha, beta, u)


def derived_twice(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Right side of Eq. 41; terms with n = 0 or m = 0 are zero by convention."""
    return sum(
        n * m * alpha ** (n - 1) * beta ** (m - 1) * u(n - m)
        for n, m in product(ages(1), repeat=2)
    )


def powers_unlowered_twice(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant of Eq. 41: the factors n and m without lower powers."""
    return alpha * beta * derived_twice(alpha, beta, u)


def power_of_n(alpha: complex, beta: complex, u: Sequence) -> complex:
    """Mutant of Eq. 41: the second power has the exponent n, as in Eq. 34."""
    ages_of_n = np.arange(AGES)
    weights = power_derivatives(alpha, AGES) * powers(beta, AGES) / beta
    return complex(weights @ _table(u) @ ages_of_n)


# The proofs, for all parameters.


def _three_sets() -> bool:
    """Any double sum over the first six ages equals the sum over the three sets."""
    u, size = symbols("u_0:11"), range(6)
    term = {(i, j): alpha**i * beta**j * u[i - j + 5] for i, j in product(size, size)}
    sets = (lambda i, j: i == j, lambda i, j: i > j, lambda i, j: i < j)
    parts = sum(
        value for pair, value in term.items() for contains in sets if contains(*pair)
    )
    return expand(sum(term.values()) - parts) == 0


def _two_sides() -> bool:
    """The diagonals of each side of Eq. 36 sum to its weights."""
    later = geometric_sum(Pow(alpha, n + Delta) * Pow(beta, n), n, S.Zero, oo)
    earlier = geometric_sum(Pow(alpha, n) * Pow(beta, n + Delta), n, S.Zero, oo)
    diagonal_sum = geometric_sum(Pow(alpha, n) * Pow(beta, n), n, S.Zero, oo)
    return is_zero(later - diagonal_sum * alpha**Delta) and is_zero(
        earlier - diagonal_sum * beta**Delta
    )


def _summed() -> bool:
    return same_form(lemma_1().as_sum(), forms.bracket())


def _derived_termwise() -> bool:
    """Each term differentiates as stated, and so do the lag weights of the sum."""
    term = Pow(alpha, n) * Pow(beta, m)
    once = m * alpha**n * beta ** (m - 1)
    right = is_zero(diff(term, beta) - once)
    weights = autocorrelation.double_sum(lambda i, j: j * alpha**i * beta ** (j - 1))
    return right and same_form(
        weights.as_sum(), lemma_1().map(lambda w: diff(w, beta)).as_sum()
    )


def _derived_twice() -> bool:
    weights = autocorrelation.double_sum(
        lambda i, j: i * j * alpha ** (i - 1) * beta ** (j - 1)
    )
    return same_form(weights.as_sum(), lemma_2().as_sum())


PLACES = ((0.5 + 0.3j, -0.4 + 0.2j), (-0.6, 0.55j), (0.3 - 0.4j, 0.3 + 0.4j))


def _at(*pairs) -> tuple[dict[str, object], ...]:
    return tuple({"alpha": a, "beta": b, "u": u} for (a, b), u in pairs)


EVEN = _at(*zip(PLACES, (CHIRP, COMPLEX, CHIRP), strict=True), (PLACES[0], SHORT))
UNEVEN = _at(*zip(PLACES, (LOPSIDED, TURNING, CHIRP), strict=True))
SUMMABLE = _at(*product(PLACES, (SHORT, FADING)))

SUM = {"reference": double_sum}
BRACKETS = {
    "lag zero twice": bracket_from_zero,
    "one side": bracket_one_sided,
    "powers multiplied": bracket_of_products,
}
TWICE = {
    "one derivative": derived_once,
    "powers kept": powers_unlowered_twice,
    "beta to the n": power_of_n,
}
THREE = Series("1, 1, 0, ...", lambda d: float(abs(d) <= 1))
BY_HAND = Example(
    "the sum over n, m (u_0 = u_1 = u_-1 = 1, all other u are 0)",
    {"alpha": 0.5, "beta": 0.2},
    partial(double_sum_34, u=THREE),
    partial(double_sum, u=THREE),
)

EVIDENCE: dict[str, Basis] = {
    "zucchet:34": Grid("state_pair", grids.PAIRS, example=BY_HAND),
    "zucchet:39": Grid("sensitivity_pair", grids.PAIRS),
    "zucchet:lemma1": Evidence(
        (*EVEN, *SUMMABLE), SUM, bracket, proof=_summed, mutants=BRACKETS
    ),
    "zucchet:35": Evidence(
        UNEVEN,
        SUM,
        three_sets,
        proof=_three_sets,
        mutants={
            "two sets": two_sets,
            "pairs in two sets": overlapping_sets,
            "the lag turned": turned_lags,
        },
    ),
    "zucchet:36": Evidence(
        UNEVEN,
        SUM,
        two_sides,
        proof=_two_sides,
        mutants={
            "sides exchanged": lambda alpha, beta, u: two_sides(beta, alpha, u),
            "two sets": two_sets,
            "lags of one sign": summed_diagonal,
        },
    ),
    "zucchet:37": Evidence(
        EVEN,
        SUM,
        summed_diagonal,
        proof=_summed,
        mutants=BRACKETS
        | {"the diagonal from one on": partial(summed_diagonal, oldest=1)},
    ),
    "zucchet:38": Evidence(EVEN, SUM, bracket, proof=_summed, mutants=BRACKETS),
    "zucchet:lemma2": Evidence(
        EVEN,
        {"reference": bracket_derivative, "closed_form": mixed_derivative},
        derived_twice,
        proof=_derived_twice,
        mutants=TWICE,
    ),
    "zucchet:40": Evidence(
        UNEVEN,
        {"reference": derivative_by_beta},
        derived_once,
        proof=_derived_termwise,
        mutants={
            "two derivatives": derived_twice,
            "by the other letter": derived_by_alpha,
            "the power kept": powers_unlowered_once,
        },
    ),
    "zucchet:41": Evidence(
        (*EVEN, *UNEVEN),
        {"reference": mixed_derivative},
        derived_twice,
        proof=_derived_twice,
        mutants=TWICE,
    ),
}
