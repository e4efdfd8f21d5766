"""Scales of gradients: parametrisations, correlated inputs, spacing of decays.

Notation: ``raw``  a parameter;  ``x``  rate of a decay ``exp(-x)``;  ``taps``  number of past
inputs that a linear filter reads;  ``N``  number of channels.

Source: own. The scale ``|f'|/(1 - f)^2`` is from StableSSM (arXiv 2311.14495), the role of
the input's covariance from Liu & Li (arXiv 2411.19455), spacing from PoST (arXiv 2604.07658).
"""

from functools import cache
from itertools import pairwise
from typing import Any

from sympy import (
    Expr,
    Integer,
    Matrix,
    Symbol,
    diff,
    exp,
    eye,
    factor,
    log,
    simplify,
    solve,
    sqrt,
    tanh,
)

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import x
from sigprop.theory.symbols import rho

raw = Symbol("raw", real=True)
taps = Symbol("taps", integer=True, positive=True)


def _scale(f: Expr) -> Expr:
    return diff(f, raw) / (1 - f) ** 2


@cache
def sigmoid_scale() -> Derivation:
    """Derive ``f'/(1 - f)^2`` for a sigmoid ``f``.

    Example:
        >>> sigmoid_scale().result.subs(raw, 0)
        1
    """
    return start(
        "The derivative, over (1 - f)^2",
        _scale(1 / (1 + exp(-raw))),
        r"\frac{f'(w)}{(1 - f(w))^2}",
    ).then("We cancel", exp(raw))


@cache
def tanh_scale() -> Derivation:
    """Derive ``f'/(1 - f)^2`` for a hyperbolic tangent ``f``."""
    return start(
        "The derivative, over (1 - f)^2",
        _scale(tanh(raw)),
        r"\frac{f'(w)}{(1 - f(w))^2}",
    ).then("(1 + f)/(1 - f)", exp(2 * raw))


@cache
def exponential_scale() -> Derivation:
    """Derive ``|f'|/(1 - f)^2`` for ``f = exp(-exp(raw))`` in terms of ``x = exp(raw)``."""
    scale: Any = -_scale(exp(-exp(raw)))
    return start("The derivative, over (1 - f)^2", scale.subs(raw, log(x)))


def _covariance(count: int) -> Matrix:
    return Matrix(count, count, lambda i, j: rho ** abs(i - j))


@cache
def three_taps() -> Derivation:
    """Derive the largest eigenvalue of the covariance of three successive inputs."""
    level = Symbol("level")
    polynomial = factor((_covariance(3) - level * eye(3)).det())
    roots = solve(polynomial, level)
    largest = max(roots, key=lambda root: float(root.subs(rho, 0.5)))
    return start(
        "The largest root of the characteristic polynomial", largest, r"\lambda"
    ).then("By its even part", 1 + rho**2 / 2 + rho * sqrt(rho**2 + 8) / 2)


def _inverse(count: int) -> Matrix:
    """The inverse of the covariance: three bands.

    Raises:
        AssertionError: If it is another matrix.
    """
    bands = (1 + rho**2) * eye(count)
    bands[0, 0] = bands[-1, -1] = Integer(1)
    for first, second in pairwise(range(count)):
        bands[first, second] = bands[second, first] = -rho
    bands /= 1 - rho**2
    if (bands * _covariance(count)).applyfunc(simplify) != eye(count):
        raise AssertionError("three bands are the inverse")
    return bands


@cache
def noise_gain() -> Derivation:
    """Derive the trace of the inverse covariance of ``taps`` successive inputs."""
    ends, inner = (_inverse(4)[index, index] for index in (0, 1))
    return start(
        "Two ends, and the taps between them",
        2 * ends + (taps - 2) * inner,
        r"\mathrm{tr} R^{-1}",
    ).then("Over one denominator", (2 + (taps - 2) * (1 + rho**2)) / (1 - rho**2))


def _determinant(count: int) -> Any:
    return _covariance(count).det()


@cache
def volume() -> Derivation:
    """Derive the determinant of the covariance of ``taps`` successive inputs."""
    larger, smaller = (_determinant(count) for count in (4, 3))
    ratio = (larger / smaller).cancel()
    return start(
        "A further input adds what the others do not predict",
        ratio,
        r"\frac{\det R_{T + 1}}{\det R_T}",
    ).then("To the power of the inputs after the first", (1 - rho**2) ** (taps - 1))


def largest_gap(N: int) -> float:
    """Compute the expected largest of the ``N + 1`` gaps between ``N`` uniform draws.

    The draws are on [0, 1], and the gaps at both ends count.

    Args:
        N: Number of draws.

    Source: own; the gaps are distributed as exponential variables over their sum.

    Example:
        >>> largest_gap(1)
        0.75
    """
    return sum(1 / k for k in range(1, N + 2)) / (N + 1)
