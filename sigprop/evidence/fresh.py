"""Repetition of all simulations at another seed, to count wrong verdicts.

A run judges at one seed.  This module repeats its random part at other seeds, with the
same plans, closed forms and compiled programs.  Every verdict is compared with the
truth.
"""

import dataclasses
import functools
from collections.abc import Callable, Iterable
from typing import NamedTuple

from sigprop.evidence import row, table
from sigprop.judge.basis import Check, Grid
from sigprop.judge.plans import simulated
from sigprop.judge.results import RouteResult
from sigprop.judge.run import (
    Case,
    prepare,
    ring_distribution,
    simulate_all,
    statistical,
)
from sigprop.judge.verdict import Outcome
from sigprop.theory.claims import find, home, registry

GRIDS = "grids"  # name of the part with all claims on grids
DRAWN = ("monte_carlo", "trained")  # routes that draw random numbers
Simulate = Callable[[int], Iterable[RouteResult]]  # function of a seed
SAME = 1e-9  # relative difference below which two forms are equal


class Answer(NamedTuple):
    """One simulated comparison, and whether its verdict is wrong.

    A right form must be confirmed.  A wrong printed form must not be confirmed, unless
    it is within the margin at the point.  If it is right at the point, it must not be
    refuted.
    """

    claim: str
    result: RouteResult
    wrong: bool


def parts() -> tuple[str, ...]:
    """Names of the separate simulations: all grids together, and each whole model.

    Rows that stored results decide are not simulated.
    """
    return (GRIDS, *_models())


@functools.cache
def _models() -> dict[str, tuple[str, Simulate]]:
    """By part, the claim and the function that judges it at a seed.

    Each case of a claim is a part.
    """
    models: dict[str, tuple[str, Simulate]] = {}
    for claim_id in registry():
        if stored(claim_id):
            continue
        claim, check = find(claim_id), row(claim_id).basis
        if not isinstance(check, Check) or not set(check.routes) & set(DRAWN):
            continue
        for name, case in check.cases.items():
            models[f"{claim_id}, {name}"] = claim_id, case.results
        if not check.cases:
            models[claim_id] = claim_id, functools.partial(check.results, claim)
    return models


def stored(claim_id: str) -> bool:
    """True where stored results of an experiment decide a claim."""
    return callable(table(home(claim_id)).get(claim_id))


def gridded(claim_id: str) -> bool:
    """True where a claim is simulated with the grids."""
    grid = row(claim_id).basis
    return isinstance(grid, Grid) and (simulated(grid) or grid.quantity == "ring_law")


def answers(part: str, seed: int) -> list[Answer]:
    """Simulate one part at a seed.

    Raises:
        ValueError: If there is no such part.
    """
    if part not in parts():
        raise ValueError(f"need a part in {', '.join(parts())}, got {part!r}")
    if part == GRIDS:
        return grid_answers(tuple(filter(gridded, registry())), seed)
    claim_id, simulate = _models()[part]
    return [
        Answer(claim_id, result, result.verdict != Outcome.CONFIRMED)
        for result in simulate(seed)
        if result.route in DRAWN
    ]


def grid_answers(ids: tuple[str, ...], seed: int) -> list[Answer]:
    """Simulate claims on their grids, with shared trajectories."""
    cases = [dataclasses.replace(case, results=[]) for case in _prepared(ids)]
    measured = simulate_all(cases, seed)
    for case in cases:
        if case.grid.quantity == "ring_law":
            ring_distribution(case, seed)
        else:
            statistical(case, measured)
    return [
        Answer(case.claim.id, result, _is_wrong(case, result))
        for case in cases
        for result in case.results
        if result.route in DRAWN
    ]


@functools.cache
def _prepared(ids: tuple[str, ...]) -> tuple[Case, ...]:
    return tuple(prepare(row(claim_id), "quick") for claim_id in ids)


def _is_wrong(case: Case, result: RouteResult) -> bool:
    if result.form == "derived":
        return result.verdict != Outcome.CONFIRMED
    point = next(key for key in case.wrong if str(key) == result.point)
    error = abs(case.wrong[point] / case.truths[point] - 1)
    if error < SAME:
        return result.verdict == Outcome.REFUTED
    return error > case.grid.margin and result.verdict == Outcome.CONFIRMED
