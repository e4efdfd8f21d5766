r"""Mean products of two filtered signals with one stationary input, and their derivatives.

The outputs of the filters ``x**n`` and ``y**m`` of one input have the mean product
``s(x, y) = sum x**n y**m R(n - m)`` of Lemma 1.  Curvatures need its divided differences.  At
equal nodes these are derivatives, ``s[x, x] = ds/dx`` and ``s[x, x, x] = d^2s/dx^2 / 2``.  At
two eigenvalues ``x_1``, ``x_2`` of a matrix ``A``, they describe a change of ``A`` between the
eigenvectors, which changes ``A**n`` by ``(x_1**n - x_2**n) / (x_1 - x_2)``.  The differences of
the nodes cancel, so that close or equal nodes do not reduce the accuracy.

If the second filter runs backwards in time, the sum is over ``R(n + m)``.

Source: Zucchet & Orvieto (2024), Lemmas 1 and 2 and Appendix C.2; divided differences
and filters that run backwards are ours.
"""

import itertools
from functools import cache, reduce
from math import factorial, prod

from sympy import Add, Expr, Float, Pow, S, Symbol, cancel, factor, symbols

from sigprop.theory.autocorrelation import INPUTS, geometric_sum, lemma_1
from sigprop.theory.symbols import Delta, a, alpha, b, beta

X = symbols("x_1:4")  # nodes of the first filter
Y = symbols("y_1:4")  # nodes of the second
SOURCES = ("white", "exponential")


@cache
def shared(source: str) -> Expr:
    """Return ``sum alpha**n beta**m R(n - m)`` of Lemma 1 for one of ``SOURCES``."""
    return factor(lemma_1().on(source))


@cache
def opposed(source: str) -> Expr:
    """Return ``sum alpha**n beta**m R(n + m)``, with the second filter backwards in time.

    Inputs of the ages ``n`` and ``m`` are ``n + m`` steps apart; both filters have only the
    current input in common.

    Example:
        >>> opposed("exponential")
        1/((alpha*rho - 1)*(beta*rho - 1))
    """
    covariance = INPUTS[source]
    if covariance.lag == 0:
        return covariance.zero
    # R(n + m) = R(n) R(m) for a geometric autocovariance, and R(0) = 1.
    first, second = (
        1 + geometric_sum(Pow(x, Delta) * covariance.lag, Delta, S.One, S.Infinity)
        for x in (alpha, beta)
    )
    return factor(first * second)


def of_lags(values: tuple[float, ...], backwards: bool = False) -> Expr:
    """Return ``shared`` or ``opposed`` for an autocovariance with finitely many ``values``."""
    if backwards:
        return Add(
            *(
                value * Pow(alpha, n) * Pow(beta, lag - n)
                for lag, value in enumerate(values)
                for n in range(lag + 1)
            )
        )
    pair = lemma_1()
    tails = (pair.lag.subs(Delta, lag) for lag in range(1, len(values)))
    weights = (pair.zero, *tails)
    return Add(*(r * weight for r, weight in zip(values, weights, strict=True)))


def mixed(backwards: bool = False) -> Expr:
    """Return ``shared`` or ``opposed`` for ``R = a [lag = 0] + b rho**|lag|``."""
    white, correlated = map(opposed if backwards else shared, SOURCES)
    return a * white + b * correlated


def divided(form: Expr, first: int, second: int) -> Expr:
    """Return the divided difference of a form of alpha and beta at nodes ``X`` and ``Y``.

    Args:
        form: Rational function of alpha and beta.
        first: Number of nodes ``x_1, x_2, ...`` for alpha, at most three.
        second: Number of nodes ``y_1, y_2, ...`` for beta, at most three.

    Example:
        >>> divided(shared("white"), 2, 1)
        y_1/((x_1*y_1 - 1)*(x_2*y_1 - 1))
    """
    return _differences(_differences(form, alpha, X[:first]), beta, Y[:second])


def _differences(form: Expr, variable: Symbol, nodes: tuple[Symbol, ...]) -> Expr:
    """Newton's recursion: one node more at a time."""

    def with_node(difference: Expr, pair: tuple[Symbol, Symbol]) -> Expr:
        old, new = pair
        quotient = (difference.subs(old, new) - difference) / (new - old)
        # Common factors are visible in exact numbers, but not in rounded ones.
        return factor(cancel(quotient) if quotient.has(Float) else quotient)

    start_ = form.subs(variable, nodes[0])
    return reduce(with_node, itertools.pairwise(nodes), start_)


def repeated(form: Expr, first: int, second: int) -> Expr:
    """Return ``divided`` at equal nodes, i.e. derivatives divided by factorials.

    Example:
        >>> repeated(shared("white"), 2, 1)
        beta/(alpha*beta - 1)**2
    """
    orders = ((alpha, first - 1), (beta, second - 1))
    return factor(form.diff(*orders) / prod(factorial(n) for _, n in orders))
