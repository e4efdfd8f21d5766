"""Products of independent random matrices of a finite size: mean and typical energy.

Notation: ``n``  rows;  ``k``  matrices;  ``W``  entries independent, of mean zero and
variance ``1/n``;  ``spread``  sum of ``x^4`` over ``|x|^4`` of an input ``x``.

Source: own.
"""

from functools import cache

import mpmath
from sympy import Poly, Rational, Symbol, digamma, gamma, log, simplify

from sigprop.theory.derivation import Derivation, start
from sigprop.theory.ginibre import trace_moment
from sigprop.theory.symbols import k, n

spread = Symbol("spread", positive=True)


def typical_energy(n: int, k: int) -> float:
    """Mean logarithm of ``|W_k ... W_1 x|^2 / |x|^2`` for normal entries, by mpmath.

    Args:
        n: Rows of the matrices.
        k: Matrices.

    Example:
        >>> round(typical_energy(100, 1), 5)
        -0.01003
    """
    half = mpmath.mpf(n) / 2
    return float(k * (mpmath.digamma(half) - mpmath.log(half)))


def typical_holds() -> bool:
    """Prove ``E log X = psi(n/2) + log 2`` of a chi-squared ``X``, by its powers.

    ``E X^s = 2^s Gamma(n/2 + s) / Gamma(n/2)``, whose derivative at zero is ``E log X``.
    """
    s, size = Symbol("s", real=True), Symbol("size", positive=True)
    power = 2**s * gamma(size / 2 + s) / gamma(size / 2)
    return simplify(power.diff(s).subs(s, 0) - digamma(size / 2) - log(2)) == 0


@cache
def kurtosis() -> Derivation:
    """``E |W_k ... W_1 x|^4 / |x|^4`` for normal entries."""
    one = (n * 3 + n * (n - 1)) / n**2
    return start(
        "n squares of E y^4 = 3/n^2, and products of different entries",
        one,
        r"\frac{\mathbb{E} \| W_1 x \|^4}{\| x \|^4}",
    ).then("k independent matrices", (1 + 2 / n) ** k)


@cache
def uniform_kurtosis() -> Derivation:
    """``E |W x|^4 / |x|^4`` for uniform entries of variance ``1/n``, as Glorot's."""
    excess = Rational(9, 5) - 3  # of E w^4 n^2, less that of a normal variable
    fourth = (3 + excess * spread) / n**2
    return start(
        "n fourth moments, and products of different entries",
        n * fourth + n * (n - 1) / n**2,
        r"\frac{\mathbb{E} \| W x \|^4}{\| x \|^4}",
    ).then("By the excess of a uniform variable", 1 + 2 / n - 6 * spread / (5 * n))


@cache
def uniform_second() -> Derivation:
    """``E tr(W^2 W^{*2})/n`` for uniform entries of variance ``1/n``.

    Normal entries give ``1 + 2/n^2``; only the fourth power of a diagonal entry differs.
    """
    normal = trace_moment(2, Poly(n, n)).as_expr() / n**3
    excess = Rational(9, 5) - 3
    return start(
        "n diagonal entries with another fourth moment", normal + excess / n**2, "Q_2"
    ).then("Together", 1 + Rational(4, 5) / n**2)
