"""Time constants in geometric order, and exponents of their growth by position.

Channel ``k`` of ``N``, counted from zero, has the rate ``A_k``, which increases with
``k``.  At position ``t`` its rate is ``A_k t^(-alpha_k)``, and its time constant is the
inverse.

Notation: ``N``  channels;  ``T``  training length, and the largest time constant at the
first position;  ``t``  position;  ``rise``  of ``log A`` from channel zero to channel
``k``; ``total``  rise to the last channel;  ``gap``  of ``log A`` between two
neighbours;  ``mean`` of all gaps.

Source: own, for the rates and exponents of PoST (arXiv 2604.07658) as in its code,
``models/post_mamba2.py`` of github.com/SiLifen/PoST at commit 1be117b.
"""

import math
from functools import cache

from sympy import Sum, Symbol, expand, integrate, log, solve, symbols

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import N
from sigprop.theory.symbols import T

k, j = symbols("k j", integer=True, nonnegative=True)
t = Symbol("t", positive=True)
rise, total, gap, mean = symbols("rise total gap mean", positive=True)


def fitting_channels(N: int, t: float, T: float) -> int:
    """Number of the time constants ``T^(k/(N - 1))``, ``k < N``, that are at most ``t``.

    Args:
        N: Channels, two or more.
        t: Position, from one to ``T``.
        T: Largest time constant in steps, above one.

    Example:
        >>> fitting_channels(5, 150, 10_000)
        3
    """
    return 1 + math.floor((N - 1) * math.log(t) / math.log(T))


@cache
def mean_squared_excess() -> Derivation:
    """Mean of ``(count - N log t/log T)^2`` over positions, by their logarithm.

    With ``(N - 1) log t/log T = j + f`` the count is ``1 + j``; ``j`` is one of ``N - 1``
    whole numbers and ``f`` is uniform.

    Example:
        >>> mean_squared_excess().result.subs(N, 2)
        1/3
    """
    f = Symbol("f", nonnegative=True)
    excess = 1 + j - N * (j + f) / (N - 1)
    squared = integrate(expand(excess**2), (f, 0, 1))
    return start(
        "The mean over f, then over j",
        Sum(squared, (j, 0, N - 2)) / (N - 1),
        r"\mathbb{E} \left( n_t - N \frac{\log t}{\log T} \right)^2",
    ).then("The sum over j", N / (6 * (N - 1)))


@cache
def exponent() -> Derivation:
    """Exponent that puts all time constants in geometric order at position ``T``.

    The first channel has the exponent one, the last has zero.

    Example:
        >>> exponent().result.subs({k: N - 1, rise: total}).simplify()
        0
    """
    alpha = Symbol("alpha", real=True)
    ends = -log(T), total  # logarithms of the first and last rate, over that of A_0
    line = ends[0] + k * (ends[1] - ends[0]) / (N - 1)
    [root] = solve(rise - alpha * log(T) - line, alpha)
    return start(
        "log A_k - alpha_k log T is on a line between its ends", root, r"\alpha_k"
    ).then(
        "Sorted by T",
        (N - 1 - k) / (N - 1) + (rise - k * total / (N - 1)) / log(T),
    )


@cache
def gap_at() -> Derivation:
    """Logarithm of the ratio of two neighbouring time constants at position ``t``.

    Example:
        >>> gap_at().result.subs(t, 1)
        gap
    """
    later = {rise: rise + gap, k: k + 1}
    step = exponent().result.subs(later, simultaneous=True) - exponent().result
    step = expand(step).subs(total, (N - 1) * mean)
    return start(
        "The gap of the rates, less the difference of exponents times log t",
        gap - step * log(t),
        r"\log \frac{\tau_k(t)}{\tau_{k + 1}(t)}",
    ).then(
        "Sorted by the gaps",
        (1 - log(t) / log(T)) * gap + log(t) / log(T) * mean + log(t) / (N - 1),
    )


def fitting_when_stretched(N: int, t: float, T: float) -> int:
    """Number of time constants that are at most ``t`` with these exponents, as initialised.

    Args:
        N: Channels, two or more, of rates in geometric order from ``1/T`` to one.
        t: Position, from one on.
        T: Largest time constant at the first position in steps, above one.

    Example:
        >>> fitting_when_stretched(5, 9_000, 10_000)
        2
    """
    return 1 + math.floor((N - 1) * math.log(t) / (math.log(t) + math.log(T)))
