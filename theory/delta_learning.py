"""The delta rule as online regression: errors, tracking and learning rates.

The state ``s`` learns ``m`` from values ``v = m k + noise`` by ``s' = s + beta (v - s k) k^T``.
The keys ``k`` have ``d`` entries and length one, and are independent with ``E k k^T = I/d``.

Notation: ``sigma``  standard deviation of the noise;  ``size``  ``|m|^2`` divided by ``d``;
``q``  variance of the random step of an entry of ``m``;  ``error``  ``E ((s - m) k)^2`` for a
new key;  ``largest``  end of a range of rates.

Source: own; the rule of Widrow & Hoff, which DeltaNet runs in its state.
"""

from functools import cache
from typing import Any

from sympy import Expr, Symbol, diff, integrate, simplify, solve, sqrt, symbols

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import d
from sigprop.theory.symbols import T, beta

sigma, size, q, error, largest = symbols("sigma size q error largest", positive=True)
drift = Symbol("Q", positive=True)  # q d over sigma^2


def _after(before: Expr) -> Expr:
    """Error of a new key after a write, by the error before it."""
    return before * (1 - (2 * beta - beta**2) / d) + sigma**2 * beta**2 / d


@cache
def regression() -> Derivation:
    """Derive the error after ``T`` writes from the zero state.

    Raises:
        AssertionError: If a write changes the limit of the error.
    """
    kept = 1 - (2 * beta - beta**2) / d
    limit = sigma**2 * beta / (2 - beta)
    if simplify(_after(limit) - limit) != 0:
        raise AssertionError("a write keeps the limit")
    return start(
        "The limit, and what is left of the distance to it",
        limit + kept**T * (size - limit),
        r"\mathbb{E} ((s_T - m) k)^2",
    ).then("By size and noise", kept**T * size + limit * (1 - kept**T))


@cache
def tracking() -> Derivation:
    """Derive the limit of the error before a write, if ``m`` takes random steps.

    Example:
        >>> tracking().result.subs({q: 0, beta: 1})
        sigma**2
    """
    [fixed] = solve(_after(error) + q - error, error)
    return start(
        "A write and a move keep the error", fixed.factor(), r"\mathbb{E} ((s - m) k)^2"
    ).then(
        "Over the rate's product", (q * d + sigma**2 * beta**2) / (beta * (2 - beta))
    )


@cache
def tracking_rate() -> Derivation:
    """Derive the rate ``beta`` that minimises the error of ``tracking``.

    The result depends on ``Q = q d/sigma^2``.
    """
    form = (drift + beta**2) / (beta * (2 - beta))
    roots = solve(diff(form, beta), beta)
    right = max(roots, key=lambda root: float(root.subs(drift, 1.0)))
    return start("The positive zero of the derivative", right, r"\beta").then(
        "As one fraction", (sqrt(drift**2 + 4 * drift) - drift) / 2
    )


@cache
def best_gain() -> Derivation:
    """Derive the rate ``beta`` that minimises the error after the next write."""
    [right] = solve(diff(_after(error), beta), beta)
    return start("The zero of the derivative", right.factor())


@cache
def best_error() -> Derivation:
    """Derive the error after a write at the rate ``best_gain``."""
    after: Any = _after(error).subs(beta, best_gain().result)
    return start("The error after it", after.factor(), r"p'").then(
        "Less by a share", error * (1 - error / (d * (error + sigma**2)))
    )


@cache
def random_rate() -> Derivation:
    """Derive ``E|s|^2`` for values of variance one and rates uniform up to ``largest``."""
    first = integrate(beta / largest, (beta, 0, largest))
    second = integrate(beta**2 / largest, (beta, 0, largest))
    return start(
        "The mean squared rate, over what a write removes",
        d * second / (2 * first - second),
        r"\mathbb{E} |s|^2",
    ).then("We cancel", largest * d / (3 - largest))
