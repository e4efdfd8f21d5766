r"""Energy that powers of a random matrix keep, at any finite size, exactly.

Notation: ``G`` has ``n x n`` independent entries of mean zero and variance one;  ``W`` is
``G / sqrt(n)``, Glorot's matrix of a dense recurrence;  ``k``  steps;
``Q_k = E |W^k x|^2 / |x|^2``, the same for every ``x``, so that
``Q_k = E tr(W^k W^{*k}) / n``.

Integration by parts of one Gaussian letter ``G`` of a trace pairs it with every other
letter.  In a trace of two blocks, ``tr(G^a G^{*b})``, the pairs give (``m`` below stands
for another trace, ``tr G^{*m}``)

- with a letter of the other block ``tr(G^{a-1} G^{*q}) tr(G^{*(b-1-q)})``,
- with a letter of another trace ``tr(G^{a-1} G^{*(b+m-1)})``, in its place,
- and, if the entries are real, with a letter of its own block at distance ``p + 1``
  ``tr(G^{a-2-p} G^{*(b+p)})``, the block between them turned over.

Every result is again traces of two blocks and of one, two letters fewer.  The recursion
thus closes.  It gives polynomials in ``n`` with integer coefficients: how many ways there
are to glue the sides of a polygon, by the number of its corners that stay apart.

For complex entries Q_k has a closed form; the one for real entries, where half of the
gluings turn a side over, is ours, as a recursion.  Both have no term ``1/n``.  Leading
coefficients are equal: ``k^4/24`` at ``1/n^2`` and ``k^8/1920`` at ``1/n^4``, which are
those of ``sinh(c^2/2) / (c^2/2)`` at ``k = c sqrt(n)``.

Source: own.  The profile at ``k = c sqrt(n)``, of complex entries: Seleznova (2026), code
of arXiv 2605.05113.
"""

from math import prod
from typing import Any

from sympy import Poly

from sigprop.theory.symbols import n

Traces = tuple[int, ...]  # lengths of traces of one block


def trace_moment(steps: int, size: Any, real: bool = True) -> Any:
    """``E tr(G^k G^{*k})``, exactly, for entries of variance one.

    Time grows by half with every step; sixteen steps take a second.

    Args:
        steps: The power ``k``.
        size: Rows ``n`` of the matrix: an integer, or a polynomial in ``n``.
        real: Whether entries are real; otherwise real and imaginary parts have variance
            one half each.

    Returns:
        A number or a polynomial, as ``size`` is.

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
    """``E tr(G^k G^{*k})`` as a polynomial in ``n``; ``n^{k+1} Q_k``.

    Args:
        steps: The power ``k``.
        real: Whether entries are real.

    Raises:
        ValueError: If ``steps`` is negative.

    Example:
        >>> polynomial(3).as_expr()
        n**4 + 10*n**2 + 4*n
    """
    return trace_moment(steps, Poly(n, n), real)


def complex_energy(n: int, k: int) -> float:
    """``Q_k`` of complex entries in closed form.

    Args:
        n: Rows of the matrix.
        k: Steps.

    Source: own; agrees with the profile of Seleznova (2026) at ``k = c sqrt(n)``.

    Example:
        >>> round(complex_energy(8, 6), 2)
        2.21
    """
    rising = prod(range(n, n + k + 2))
    falling = prod(range(n - k - 1, n + 1))
    return (rising - falling) / ((k + 1) * (k + 2) * n ** (k + 1))
