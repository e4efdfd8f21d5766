"""Evidence for the sensitivity, Appendix B.2.2 of Zucchet & Orvieto (2024)."""

import functools
import math
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from sympy import (
    Expr,
    I,
    Integer,
    Rational,
    Symbol,
    exp,
    factor,
    limit,
    oo,
    pi,
    simplify,
)

from sigprop.evidence.kit import energy, moment, power_derivatives
from sigprop.evidence.zucchet.moments import lines
from sigprop.judge import grids
from sigprop.judge.basis import Basis, Check, Example, Grid, by_mutants
from sigprop.judge.results import RouteResult, decided
from sigprop.numerics.points import EigenPoint, exponential
from sigprop.theory.autocorrelation import is_zero
from sigprop.theory.claims import Claim
from sigprop.theory.papers.zucchet.forms import eq_59
from sigprop.theory.symbols import lam, lam_bar, rho


def _diverges(decay: Any, turn: Any) -> bool:
    """True where the sensitivity diverges as ``lam`` tends to ``exp(i pi turn)``."""
    return bool(decay < 1 or turn == 0)


def divergence(
    claim: Claim, seed: int, says: Callable[..., bool] = _diverges
) -> tuple[RouteResult, ...]:
    """Limits of the sensitivity at the boundary, by SymPy and by the package's scan.

    The value of the impulse route is the growth of the moment from gap 1e-2 to gap
    1e-3.
    """
    from sigprop.judge.routes import QUANTITIES  # imports JAX, only for this check

    assert claim.derive is not None
    form = claim.derive().result
    results = [
        decided("symbolic", "every phase, |rho| < 1", math.nan, leading_factor(form))
    ]
    for edge in _edges(form, QUANTITIES["sensitivity"].impulse):
        point = f"rho={edge.decay}, lambda -> exp({edge.turn} i pi)"
        diverges = says(edge.decay, edge.turn)
        right = edge.limit == diverges
        results.append(decided("symbolic", point, math.nan, right))
        # The slowest divergence is of third order: a factor of 1000 per decade.
        grows = (edge.growth > 100) == diverges
        results.append(decided("impulse", point, edge.growth, grows))
    return tuple(results)


def leading_factor(form: Expr) -> bool:
    """Return True if a moment diverges at every phase for ``|rho| < 1``.

    Times ``(1 - |lam|^2)^3`` it tends to ``2 (1 - rho^2) / |1 - rho lam|^2``, positive.
    """
    scaled = factor(form * (1 - lam * lam_bar) ** 3).subs(lam_bar, 1 / lam)
    return is_zero(scaled - 2 * (1 - rho**2) / ((1 - rho * lam) * (1 - rho / lam)))


class _Edge(NamedTuple):
    """Point of the stability boundary, with the sensitivity's limit and growth there."""

    decay: Any
    turn: Any
    limit: bool  # whether it is infinite
    growth: float  # from gap 1e-2 to gap 1e-3


@functools.cache
def _edges(moment: Any, impulse: Callable[..., complex]) -> tuple[_Edge, ...]:
    half, unit, zero = Rational(1, 2), Integer(1), Integer(0)
    radius = Symbol("s", positive=True)
    edges = []
    for decay, turn in (
        *((half, half), (-half, zero), (zero, unit)),
        *((unit, zero), (unit, unit)),
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


def _printed_59(**at: float) -> complex:
    """Eq. 59 at a real eigenvalue."""
    return complex(eq_59().subs({lam: at["lam"], lam_bar: at["lam"], rho: at["rho"]}))


EXPONENTIAL = Grid("sensitivity", grids.COMPLEX_EXPONENTIAL)

EVIDENCE: dict[str, Basis] = {
    "zucchet:49": Grid("sensitivity_kernel", grids.AGES),
    "zucchet:53": Grid(
        "sensitivity_kernel",
        grids.AGES,
        example=Example(
            "dh_0/dlam where x_{-2} = 1 and all other inputs are 0",
            {"lam": 0.9},
            1.0,  # the term n = 1
            lambda lam: 2 * lam,
        ),
    ),
    "zucchet:54": lines.DOUBLE_SUM,
    "zucchet:55": lines.DERIVATIVE,
    "zucchet:56": lines.PRODUCT,
    "zucchet:57": Grid(
        "sensitivity",
        grids.COMPLEX_ANY,
        headline=True,
        example=Example(
            "E|dh/dlam|^2 under white noise of unit variance",
            {"lam": 0.9},
            lambda lam: (1 + lam**2) / (1 - lam) ** 3,
            lambda lam: energy(power_derivatives(lam, 400)),
        ),
    ),
    "zucchet:58": EXPONENTIAL,
    "zucchet:59": Grid(
        "sensitivity",
        grids.COMPLEX_EXPONENTIAL,
        headline=True,
        example=Example(
            "E|dh/dlam|^2 under R = rho^|Delta|",
            {"lam": 0.9, "rho": 0.5},
            _printed_59,
            lambda lam, rho: moment(power_derivatives(lam, 400), rho),
        ),
    ),
    "zucchet:60": Grid("sensitivity", grids.COMPLEX_WHITE),
    "zucchet:61": Grid("sensitivity", grids.COMPLEX_CONSTANT),
    "zucchet:text:divergence": Check(
        divergence,
        by_mutants(
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
