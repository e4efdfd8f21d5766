"""The delta rule as a memory: energy of the state, and errors of values that are read.

A row of the state obeys ``s' = alpha s (I - beta k k^T) + beta v k^T``.  The keys ``k`` have
``d`` entries and length one, and are independent with ``E k k^T = I/d``.  The values ``v`` are
independent, with mean zero and variance one.  DeltaNet has ``alpha = 1``, Gated DeltaNet a
decay ``alpha < 1``.

Notation: ``p``  probability of a key;  ``kept``  share of the energy ``|s|^2`` that remains
after a step with ``alpha = 1``, without the new value.

Source: own, for the rules of DeltaNet (Yang et al. 2024) and Gated DeltaNet (Yang, Kautz &
Hatamizadeh 2025).
"""

from functools import cache
from typing import Any

from sympy import (
    Integer,
    Poly,
    Sum,
    Symbol,
    diff,
    log,
    numer,
    oo,
    roots,
    simplify,
    solve,
    sqrt,
    together,
)

from sigprop.theory.autocorrelation import geometric_sum
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import d
from sigprop.theory.symbols import T, alpha, beta, n

p = Symbol("p", positive=True)
kept = 1 - (2 * beta - beta**2) / d


@cache
def state_energy() -> Derivation:
    """Derive ``E|s_T|^2`` after ``T`` writes from the zero state, at ``alpha = 1``.

    Example:
        >>> state_energy().result.subs({beta: 1, d: 1}).simplify()
        1
    """
    total: Any = Sum(beta**2 * kept**n, (n, 0, T - 1))
    return start(
        "Of its energy beta^2 a value n steps old keeps a share a^n",
        total,
        r"\mathbb{E} |s_T|^2",
    ).then(
        "We sum over the ages, with 1 - a = beta (2 - beta)/d",
        beta * d / (2 - beta) * (1 - kept**T),
    )


@cache
def gated_energy() -> Derivation:
    """Derive the limit of ``E|s|^2`` with a decay ``alpha``.

    Example:
        >>> gated_energy().result.subs({alpha: 0})
        beta**2
    """
    energy = Symbol("energy")
    [fixed] = solve(energy - alpha**2 * kept * energy - beta**2, energy)
    return start("A step keeps alpha^2 a of the energy and adds beta^2", fixed.factor())


@cache
def interference() -> Derivation:
    """Derive the variance that ``T`` later writes add when an older key is read."""
    return start(
        "A key of its own sees 1/d of the energy of T writes",
        state_energy().result / d,
        r"\frac{1}{d} \mathbb{E} |s_T|^2",
    ).then("We cancel d", beta / (2 - beta) * (1 - kept**T))


@cache
def overlap_energy() -> Derivation:
    """Derive ``E (k^T A k)^2`` for the product ``A`` of ``T`` steps with uniform keys.

    The keys are uniform on the sphere.

    ``E u u^T`` of ``u = A k`` stays ``e_0 I/d + e_1 (k k^T - I/d)``.

    Example:
        >>> overlap_energy().result.subs({beta: 0})
        1
    """
    turned = 1 - 2 * beta / d + 2 * beta**2 / (d * (d + 2))
    return start(
        "Of the part e_1 without a trace a step keeps, with E[k k^T M k k^T] = "
        "(2 M + I tr M)/(d (d + 2))",
        turned,
        "e_1(1)",
    ).then("The trace and the rest of k k^T", kept**T / d + (1 - 1 / d) * turned**T)


@cache
def reading_energy() -> Derivation:
    """Derive the limit of ``E (s k)^2``, which is the same for new and for written keys.

    With ``E s s^T = x I``, writing a key ``k`` gives ``x (I - k k^T) + (x (1 - beta)^2 +
    beta^2) k k^T``.  In the limit this is again ``x I``.

    Raises:
        AssertionError: If writing a key changes the limit.
    """
    limit = beta / (2 - beta)
    if simplify(limit * (1 - beta) ** 2 + beta**2 - limit) != 0:
        raise AssertionError("writing a key keeps the covariance of the limit")
    return start(
        "E s s^T = x I in the limit, with x = E|s|^2/d",
        gated_energy().result.subs(alpha, 1) / d,
        "x",
    ).then("We cancel", limit)


@cache
def reading_error() -> Derivation:
    """Derive the squared error of a value that is read ``T`` writes after it was written.

    Example:
        >>> reading_error().result.subs({beta: 1, T: 0})
        0
    """
    signal = beta * (1 - beta / d) ** T
    return start(
        "Energy of the reading, less twice its product with the value, plus one",
        reading_energy().result - 2 * signal + 1,
        r"\mathbb{E} (s_T k - v)^2",
    ).then("Over one denominator", 2 / (2 - beta) - 2 * signal)


@cache
def horizon() -> Derivation:
    """Derive the number of writes after which reading a value is no better than zero."""
    left = Symbol("left", positive=True)  # (1 - beta/d)^T
    [share] = solve(2 / (2 - beta) - 2 * beta * left - 1, left)
    return start(
        "The error is one where this is left of the key",
        share.factor(),
        r"(1 - \beta/d)^T",
    ).then("Its logarithm", -log(2 * (2 - beta)) / log(1 - beta / d))


@cache
def explained() -> Derivation:
    """Derive the share of a value's variance that reading explains ``T`` writes later."""
    signal = beta * (1 - beta / d) ** T
    return start(
        "The squared product over the energy",
        signal**2 / reading_energy().result,
        r"\frac{(\mathbb{E}\, v s_T k)^2}{\mathbb{E} (s_T k)^2}",
    ).then("We cancel", beta * (2 - beta) * (1 - beta / d) ** (2 * T))


@cache
def best_rate() -> Derivation:
    """Derive the rate ``beta`` that maximises ``explained`` for a value ``T`` writes old.

    Example:
        >>> best_rate().result.subs({T: 1, d: 2})
        1/2
    """
    slope: Any = together(
        diff(log(beta) + log(2 - beta) + 2 * T * log(1 - beta / d), beta)
    )
    both = roots(Poly(numer(slope), beta))
    root = min(both, key=lambda x: float(x.subs({T: 1, d: 2})))
    return start(
        "The derivative of the share's logarithm", slope, r"\partial_\beta \log R"
    ).then("Its smaller root", root)


@cache
def capacity() -> Derivation:
    """Derive the sum of ``explained`` over all values that were ever written."""
    share: Any = explained().result.subs(T, n)
    total: Any = simplify(geometric_sum(share, n, Integer(0), oo))
    return start("A geometric sum over the ages", total.factor())


@cache
def decayed_share() -> Derivation:
    """Derive the explained share for linear attention, ``s' = alpha s + v k^T``."""
    own = alpha ** (2 * T)
    noise = (1 / (1 - alpha**2) - own) / d
    return start(
        "The own value over itself and the other values, which share 1/d each",
        own / (own + noise),
    )


@cache
def best_decay() -> Derivation:
    """Derive the square of the decay that maximises ``decayed_share``.

    The share increases with ``alpha^(2 T) (1 - alpha^2)`` for any ``d``.
    """
    squared = Symbol("squared", positive=True)
    slope = diff(T * log(squared) + log(1 - squared), squared)
    [root] = solve(slope, squared)
    return start("The zero of the derivative of the logarithm", root)


@cache
def best_decayed_share() -> Derivation:
    """Derive the largest value of ``decayed_share`` over all decays."""
    squared = best_decay().result
    best: Any = decayed_share().result.subs(alpha, sqrt(squared))
    return start(
        "The share at its best decay",
        best,
        r"\max_\alpha R_T",
    ).then("Over one denominator", d / (d - 1 + (T + 1) * (1 + 1 / T) ** T))


@cache
def best_share_limit() -> Derivation:
    """Derive the limit of ``T`` times the largest explained share of the delta rule.

    Example:
        >>> best_share_limit().result.subs(d, 1)
        exp(-1)
    """
    slow = Symbol("slow", positive=True)  # beta = slow/T
    share: Any = explained().result.subs(beta, slow / T)
    limit: Any = (T * share).limit(T, oo)
    [best] = solve(diff(limit, slow), slow)
    return start("At beta = slow/T, with the best slow = d/2", limit.subs(slow, best))


@cache
def crowded_share() -> Derivation:
    """Derive the explained share of one of ``T`` values, for linear attention."""
    return start(
        "One over one and T - 1 other values of energy 1/d",
        1 / (1 + (T - 1) / d),
        r"\frac{(\mathbb{E}\, v\, s_T k)^2}{\mathbb{E} (s_T k)^2}",
    ).then("Over one denominator", d / (d + T - 1))


@cache
def rare_key() -> Derivation:
    """Derive ``E s_j^2`` along a key that is written with probability ``p`` per step."""
    left = 1 - p * (2 * beta - beta**2)
    total: Any = Sum(p * beta**2 * left**n, (n, 0, T - 1))
    return start(
        "A write keeps (1 - beta)^2 of the energy and adds beta^2",
        total,
        r"\mathbb{E} s_{j, T}^2",
    ).then("We sum over the ages", beta / (2 - beta) * (1 - left**T))


@cache
def gated_edge() -> Derivation:
    """Derive the largest rate at which a state with a decay has a finite second moment."""
    both = solve(alpha**2 * kept - 1, beta)
    largest = max(both, key=lambda x: float(x.subs({alpha: 0.5, d: 2})))
    return start("The larger root of alpha^2 a = 1", largest, r"\beta").then(
        "Written by the loss 1/alpha^2 - 1",
        1 + sqrt(1 + d * (1 / alpha**2 - 1)),
    )
