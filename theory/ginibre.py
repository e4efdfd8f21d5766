r"""Exact mean energy ``|W^k x|^2`` for powers of a random matrix of any finite size.

Notation: ``G`` has ``n x n`` independent normal entries of mean zero and variance one;  ``W``
is ``G / sqrt(n)``, the recurrent matrix of a dense network;  ``k``  steps;
``Q_k = E |W^k x|^2 / |x|^2`` does not depend on ``x``, so that
``Q_k = E tr(W^k W^{*k}) / n``.

Integration by parts pairs one factor ``G`` of a trace with every other factor.  In a trace of
two blocks, ``tr(G^a G^{*b})``, the pairs give

- with a factor of the other block, ``tr(G^{a-1} G^{*q}) tr(G^{*(b-1-q)})``;
- with a factor of another trace ``tr G^{*m}``, ``tr(G^{a-1} G^{*(b+m-1)})`` for both traces;
- if the entries are real, with a factor of its own block at distance ``p + 1``,
  ``tr(G^{a-2-p} G^{*(b+p)})``, in which the block between them is transposed.

Every result consists of traces of one or two blocks with two factors fewer, so that the
recursion ends.  It gives polynomials in ``n`` with integer coefficients.  These count the ways
to glue the sides of a polygon, by the number of remaining corners.

For complex entries ``Q_k`` has a closed form.  For real entries we give a recursion.  Neither
has a term in ``1/n``.  The leading coefficients are equal: ``k^4/24`` at ``1/n^2`` and
``k^8/1920`` at ``1/n^4``, as in ``sinh(c^2/2) / (c^2/2)`` at ``k = c sqrt(n)``.

Source: own.  The profile at ``k = c sqrt(n)``, of complex entries: Seleznova (2026), code
of arXiv 2605.05113.
"""

from math import prod
from typing import Any

from sympy import Poly

from sigprop.theory.symbols import n

Traces = tuple[int, ...]  # lengths of traces of one block


def trace_moment(steps: int, size: Any, real: bool = True) -> Any:
    """Compute ``E tr(G^k G^{*k})`` exactly, for entries of variance one.

    The computing time grows by half with every step; sixteen steps take a second.

    Args:
        steps: Power ``k``.
        size: Number of rows ``n`` of the matrix: an integer, or a polynomial in ``n``.
        real: True if entries are real. Otherwise real and imaginary parts have variance
            one half each.

    Returns:
        A number or a polynomial, like ``size``.

    Raises:
        ValueError: If ``steps`` is negative.

    Example:
        >>> trace_moment(2, 1), trace_moment(2, 1, real=False)  # E g^4 and E |g|^4
        (3, 2)
    """
    if steps < 0:
        raise ValueError(f"need zero steps or more, got {steps}")
    known: dict[tuple[int, int, Traces], Any] = {}

    def expected(a: int, b: int, traces: Traces) -> Any:
        """``E tr(G^a G^{*b})`` times the other traces."""
        if (a, b, traces) not in known:
            known[a, b, traces] = by_parts(a, b, traces)
        return known[a, b, traces]

    def by_parts(a: int, b: int, traces: Traces) -> Any:
        if a == b == 0:
            rest = expected(traces[-1], 0, traces[:-1]) if traces else 1
            return size * rest
        if a == 0:  # the trace of a transpose
            return expected(b, 0, traces)
        total = size * 0
        for q in range(b):
            length = b - 1 - q
            cut = (*traces, length) if length else traces
            other = expected(a - 1, q, tuple(sorted(cut)))
            total += other if length else size * other
        for place, m in enumerate(traces):
            others = traces[:place] + traces[place + 1 :]
            total += m * expected(a - 1, b + m - 1, others)
        if real:
            for p in range(a - 1):
                total += expected(a - 2 - p, b + p, traces)
        return total

    return expected(steps, steps, ())


def polynomial(steps: int, real: bool = True) -> Poly:
    """Return ``E tr(G^k G^{*k}) = n^{k+1} Q_k`` as a polynomial in ``n``.

    Args:
        steps: Power ``k``.
        real: True if entries are real, false if they are complex.

    Raises:
        ValueError: If ``steps`` is negative.

    Example:
        >>> polynomial(3).as_expr()
        n**4 + 10*n**2 + 4*n
    """
    return trace_moment(steps, Poly(n, n), real)


def complex_energy(n: int, k: int) -> float:
    """Compute ``Q_k`` for complex entries by its closed form.

    Args:
        n: Number of rows of the matrix.
        k: Number of steps.

    Source: own; agrees with the profile of Seleznova (2026) at ``k = c sqrt(n)``.

    Example:
        >>> round(complex_energy(8, 6), 2)
        2.21
    """
    rising = prod(range(n, n + k + 2))
    falling = prod(range(n - k - 1, n + 1))
    return (rising - falling) / ((k + 1) * (k + 2) * n ** (k + 1))
