"""Single steps of delta rules: rotation, expansion, and the energy that remains.

Notation: ``w``, ``a``, ``c``  decays, gates and the removed key of RWKV-7.

Source: own, for the rules of DeltaProduct (arXiv 2502.10297), RWKV-7 (Peng et al. 2025) and
Longhorn.
"""

from functools import cache
from typing import Any

from sympy import Matrix, Symbol, eye, simplify, solve, sqrt, symbols

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import beta_1, beta_2, c, d, householder_pair, s, z
from sigprop.theory.symbols import T, beta

w, gate = symbols("w a", positive=True)
decays = symbols("w_1:4", real=True)
gates = symbols("a_1:4", real=True)
key = symbols("c_1:4", real=True)


@cache
def turning() -> Derivation:
    """Derive the discriminant of two equal steps; if negative, their product rotates."""
    polynomial: Any = householder_pair().result.subs({beta_1: beta, beta_2: beta})
    polynomial = polynomial.expand()
    linear, constant = polynomial.coeff(z, 1), polynomial.coeff(z, 0)
    return start(
        "The square of the linear coefficient less four times the constant",
        (linear**2 - 4 * constant).factor(),
    )


@cache
def gaussian_keys() -> Derivation:
    """Derive the energy after ``T`` steps for keys with normal entries of variance ``1/d``."""
    quartic = (d + 2) / d**2  # of E |k|^2 k k^T = (d + 2)/d^2 I
    return start(
        "One step keeps 1 - 2 beta/d + beta^2 E|k|^4/d",
        1 - 2 * beta / d + beta**2 * quartic,
        "E A_1^T A_1",
    ).then("T independent steps", (1 - (2 * beta - beta**2 * (1 + 2 / d)) / d) ** T)


@cache
def implicit_energy() -> Derivation:
    """Derive the energy after ``T`` implicit steps, with keys of squared norm ``s``."""
    along = 1 / (1 + beta * s)
    return start(
        "Along a key 1/(1 + beta s) is left, across it all",
        1 - (1 - along**2) / d,
        "E A_1^T A_1",
    ).then("T independent steps", (1 - (1 - along**2) / d) ** T)


@cache
def implicit_state() -> Derivation:
    """Derive the limit of ``E|s|^2`` for implicit steps and values of variance one."""
    rate = beta / (1 + beta * s)
    removed = (2 * rate * s - (rate * s) ** 2) / d
    return start(
        "A write adds rate^2 s, and removes a share of the energy",
        rate**2 * s / removed,
        r"\mathbb{E} |s|^2",
    ).then("We cancel", beta * d / (2 + beta * s))


@cache
def goose_polynomial() -> Derivation:
    """Derive the characteristic polynomial of a step of RWKV-7 with three key entries."""
    column = Matrix(key)
    row = Matrix([[a * x for a, x in zip(gates, key, strict=True)]])
    step = Matrix.diag(*decays) - column * row
    return start("The determinant", (z * eye(3) - step).det().expand())


@cache
def goose_norm() -> Derivation:
    """Derive the largest squared singular value of ``I - c (a c)^T`` with ``a = (1, 0)``.

    The result is a function of ``c_1^2``.

    Example:
        >>> from sympy import Rational
        >>> goose_norm().result.subs(c, Rational(1, 3))
        4/3
    """
    step = Matrix([[1 - c, 0], [-sqrt(c * (1 - c)), 1]])
    square = Symbol("square")
    roots = solve((square * eye(2) - step.T * step).det(), square)
    largest = max(roots, key=lambda x: float(x.subs(c, 0.3)))
    return start("The larger eigenvalue of A^T A", simplify(largest))


@cache
def goose_energy() -> Derivation:
    """Derive the energy after ``T`` steps of RWKV-7 with one decay and one gate."""
    return start(
        "Along the key w - a is left, across it w",
        w**2 * (1 - 1 / d) + (w - gate) ** 2 / d,
        "E A_1^T A_1",
    ).then("T independent steps", (w**2 - (2 * w * gate - gate**2) / d) ** T)
