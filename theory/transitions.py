"""Transitions of RWKV-7: eigenvalues, swaps of two entries, products of two steps.

One step multiplies a row of the state by ``A = diag(w) - s k (a k)^T``, with a unit key
``k``, decays ``w`` and gates ``a``.  Released layers have ``s = 1``.  Without a decay,
and with the same gate for all entries, ``s a`` is the rate ``beta`` of DeltaNet.

Notation: ``w``, ``a``  a decay and a gate that all entries share;  ``s``  strength;
``w_0``  the least decay;  ``c``  a squared entry of a key.

Source: own, for the recurrence of RWKV-7 (Peng et al. 2025, arXiv 2503.14456) as in
``RWKV-v7/rwkv_v7_numpy.py`` of github.com/BlinkDL/RWKV-LM.
"""

from functools import cache

from sympy import Abs, Matrix, Symbol, expand, eye, simplify, solve, sqrt

from sigprop.theory.delta_steps import gate, w
from sigprop.theory.derivation import Derivation, start
from sigprop.theory.layers_of_today import c, s

w_0 = Symbol("w_0", positive=True)


@cache
def distance_to_swap() -> Derivation:
    """Spectral norm of ``A - P``, where ``P`` swaps the entries that the key joins.

    The key is ``(e_i - e_j)/sqrt(2)``, so that ``P = I - 2 k k^T``.  Conditions: ``s a`` is
    at most two.

    Example:
        >>> distance_to_swap().result.subs({w: 1, gate: 1, s: 2})
        0
    """
    k = Matrix([1, -1]) / sqrt(2)
    difference = (w * eye(2) - s * gate * k * k.T) - Matrix([[0, 1], [1, 0]])
    along = simplify((difference * k)[0] / k[0])
    across = simplify((difference * Matrix([1, 1]))[0])
    return start(
        "The larger of the differences along the key and across it, without a sign",
        (along - across + Abs(along + across)) / 2,
        r"\| A - P \|",
    ).then("We sort the terms", 1 - s * gate / 2 + Abs(w - s * gate / 2))


@cache
def least_eigenvalue() -> Derivation:
    """The least eigenvalue over all keys, gates up to one and decays from ``w_0`` on.

    ``A`` is similar to ``diag(w) - s q q^T`` with ``q = sqrt(a) k``, whose quadratic form is
    at least ``w_0 - s |q|^2``, and ``|q|`` is at most one.

    Example:
        >>> least_eigenvalue().result.subs({w_0: 1, s: 2})
        -1
    """
    size = Symbol("size", positive=True)  # |q|^2
    return start("At the least decay and the longest q", (w_0 - s * size).subs(size, 1))


@cache
def alternation() -> Derivation:
    """The larger eigenvalue of two steps with gates ``(1, 0)`` and ``(0, 1)``.

    Decays and ``s`` are one, keys ``(sqrt(1 - c), sqrt(c))`` and ``(sqrt(c), sqrt(1 - c))``.

    Example:
        >>> from sympy import Rational
        >>> alternation().result.subs(c, Rational(5, 6))
        5/4
    """
    first, second = Matrix([sqrt(1 - c), sqrt(c)]), Matrix([sqrt(c), sqrt(1 - c)])
    steps = [
        eye(2) - key * Matrix([[gates[0] * key[0], gates[1] * key[1]]])
        for key, gates in ((first, (1, 0)), (second, (0, 1)))
    ]
    z = Symbol("z")
    roots = solve(expand((z * eye(2) - steps[0] * steps[1]).det()), z)
    larger = max(roots, key=lambda root: float(root.subs(c, 0.7)))
    return start(
        "The larger root of the characteristic polynomial",
        larger,
        r"\lambda_{\max}(A_1 A_2)",
    ).then("We factor", c / 2 * (3 - c + sqrt((1 - c) * (5 - c))))
