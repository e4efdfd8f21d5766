"""Products of independent random matrices of a finite size: mean and typical energy.

Notation: ``n``  number of rows;  ``k``  number of matrices;  ``W``  matrix of independent
entries with mean zero and variance ``1/n``;  ``spread``  sum of ``x^4`` divided by ``|x|^4``.

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
    """Compute the mean of ``log(|W_k ... W_1 x|^2 / |x|^2)`` for normal entries.

    Args:
        n: Number of rows of the matrices.
        k: Number of matrices.

    Example:
        >>> round(typical_energy(100, 1), 5)
        -0.01003
    """
    half = mpmath.mpf(n) / 2
    return float(k * (mpmath.digamma(half) - mpmath.log(half)))


def typical_holds() -> bool:
    """Prove ``E log X = psi(n/2) + log 2`` for a chi-squared ``X``, by its powers.

    ``E X^s = 2^s Gamma(n/2 + s) / Gamma(n/2)``, whose derivative at zero is ``E log X``.
    """
    s, size = Symbol("s", real=True), Symbol("size", positive=True)
    power = 2**s * gamma(size / 2 + s) / gamma(size / 2)
    return simplify(power.diff(s).subs(s, 0) - digamma(size / 2) - log(2)) == 0


@cache
def kurtosis() -> Derivation:
    """Derive ``E |W_k ... W_1 x|^4 / |x|^4`` for normal entries."""
    one = (n * 3 + n * (n - 1)) / n**2
    return start(
        "n squares of E y^4 = 3/n^2, and products of different entries",
        one,
        r"\frac{\mathbb{E} \| W_1 x \|^4}{\| x \|^4}",
    ).then("k independent matrices", (1 + 2 / n) ** k)


@cache
def uniform_kurtosis() -> Derivation:
    """Derive ``E |W x|^4 / |x|^4`` for uniform entries of variance ``1/n``."""
    excess = Rational(9, 5) - 3  # of E w^4 n^2, less that of a normal variable
    fourth = (3 + excess * spread) / n**2
    return start(
        "n fourth moments, and products of different entries",
        n * fourth + n * (n - 1) / n**2,
        r"\frac{\mathbb{E} \| W x \|^4}{\| x \|^4}",
    ).then("By the excess of a uniform variable", 1 + 2 / n - 6 * spread / (5 * n))


@cache
def uniform_second() -> Derivation:
    """Derive ``E tr(W^2 W^{*2})/n`` for uniform entries of variance ``1/n``.

    For normal entries it is ``1 + 2/n^2``.  Only the fourth powers of diagonal entries
    differ.
    """
    normal = trace_moment(2, Poly(n, n)).as_expr() / n**3
    excess = Rational(9, 5) - 3
    return start(
        "n diagonal entries with another fourth moment", normal + excess / n**2, "Q_2"
    ).then("Together", 1 + Rational(4, 5) / n**2)
