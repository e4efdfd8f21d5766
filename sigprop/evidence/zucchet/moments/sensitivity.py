"""What judges the sensitivity, Appendix B.2.2 of Zucchet & Orvieto (2024)."""

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from sympy import I, Integer, Rational, Symbol, exp, limit, oo, pi, simplify

from sigprop.judge import grids
from sigprop.judge.basis import Basis, Check, Grid, by_slips
from sigprop.judge.results import RouteResult, decided
from sigprop.numerics.points import EigenPoint, exponential
from theory.claims import Claim
from theory.symbols import lam, lam_bar, rho


def _diverges(decay: Any, turn: Any) -> bool:
    """True where the sensitivity diverges as ``lam`` tends to ``exp(i pi turn)``."""
    return decay != -1 or turn == 1


def divergence(
    claim: Claim, seed: int, says: Callable[..., bool] = _diverges
) -> tuple[RouteResult, ...]:
    """Limits of the sensitivity at the edge: by SymPy, and seen through the scan.

    The impulse route's value is the growth of the moment from gap 1e-2 to gap 1e-3.
    """
    from sigprop.judge.routes import QUANTITIES  # and with it JAX, for this check alone

    assert claim.derive is not None
    assert claim.condition is not None
    results = []
    for edge in _edges(claim.derive().result, QUANTITIES["sensitivity"].impulse):
        point = f"rho={edge.decay}, lambda -> exp({edge.turn} i pi)"
        statements = [("derived", says(edge.decay, edge.turn))]
        inside = claim.condition.holds(rho=edge.decay, turn=edge.turn)
        if not inside:
            statements.append(("printed", True))
        for form, word in statements:
            infinite = edge.limit == word
            results.append(decided("symbolic", point, math.nan, infinite, form, inside))
            # The slowest divergence is of the third power: a thousandfold each decade.
            grows = (edge.growth > 100) == word
            results.append(decided("impulse", point, edge.growth, grows, form, inside))
    return tuple(results)


class _Edge(NamedTuple):
    """Where the sensitivity was taken to the edge, and what became of it."""

    decay: Any
    turn: Any
    limit: bool  # whether it is infinite
    growth: float  # from gap 1e-2 to gap 1e-3


@functools.cache
def _edges(moment: Any, impulse: Callable[..., complex]) -> tuple[_Edge, ...]:
    half, one, zero = Rational(1, 2), Integer(1), Integer(0)
    radius = Symbol("s", positive=True)
    edges = []
    for decay, turn in (
        *((half, half), (-half, zero), (zero, one)),
        *((one, zero), (-one, one), (-one, zero)),
    ):
        direction = exp(I * pi * turn)
        values: list[Any] = [
            (rho, decay),
            (lam, radius * direction),
            (lam_bar, radius / direction),
        ]
        edge = limit(simplify(moment.subs(values, simultaneous=True)), radius, 1, "-")
        far, near = (
            impulse(
                EigenPoint(gap, float(pi * turn), exponential(float(decay)), 1), False
            ).real
            for gap in (1e-2, 1e-3)
        )
        edges.append(_Edge(decay, turn, abs(edge) == oo, near / far))
    return tuple(edges)


ANY = Grid("sensitivity", grids.COMPLEX_ANY)
EXPONENTIAL = Grid("sensitivity", grids.COMPLEX_EXPONENTIAL)

EVIDENCE: dict[str, Basis] = {
    "zucchet:49": Grid("sensitivity_kernel", grids.AGES),
    "zucchet:53": Grid("sensitivity_kernel", grids.AGES),
    "zucchet:54": ANY,
    "zucchet:55": ANY,
    "zucchet:56": ANY,
    "zucchet:57": Grid("sensitivity", grids.COMPLEX_ANY, headline=True),
    "zucchet:58": EXPONENTIAL,
    "zucchet:59": Grid("sensitivity", grids.COMPLEX_EXPONENTIAL, headline=True),
    "zucchet:60": Grid("sensitivity", grids.COMPLEX_WHITE),
    "zucchet:61": Grid("sensitivity", grids.COMPLEX_CONSTANT),
    "zucchet:text:divergence": Check(
        divergence,
        by_slips(
            {
                "never": partial(divergence, says=lambda decay, turn: False),
                "always": partial(divergence, says=lambda decay, turn: True),
                "for rho > 0": partial(divergence, says=lambda decay, turn: decay > 0),
                "for rho < 1": partial(divergence, says=lambda decay, turn: decay < 1),
                "on the real axis": partial(
                    divergence, says=lambda decay, turn: turn in (0, 1)
                ),
            }
        ),
        ("symbolic", "impulse"),
    ),
}
