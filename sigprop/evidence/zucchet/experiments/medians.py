"""Comparison of students by the median of their losses over teachers.

Students are paired by seed, because a seed gives all of them the same teacher.  The
loss ratios of a pair are in decades.  With ten seeds, the second smallest and the
second largest ratio bound the median at level 97.9 %, for any distribution: 11 of the
1024 patterns of signs have fewer than two on one side.  A run that diverged has an
infinite loss.  If an interval contains zero, the verdict is inconclusive, and the row
is undecided.

Source of the data: ``sigprop.experiments.teacher_student`` at the preset ``paper``.
"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from jaxtyping import Float

from sigprop.evidence import Load
from sigprop.judge.basis import Check, by_mutants
from sigprop.judge.evidence import describe
from sigprop.judge.results import RouteResult
from sigprop.theory.claims import Claim

if TYPE_CHECKING:
    import xarray as xr

LEAST_SEEDS = 10
TUNED = "one experiment decides: ten teachers, every student tuned by itself"
Decades = Float[np.ndarray, " seeds"]


def outcome(
    points: tuple[Mapping[str, Any], ...],
    ratios: Callable[..., Decades],
    alone: str = TUNED,
) -> Check:
    """Check that medians over seeds are positive, by their intervals.

    Args:
        points: Comparisons.
        ratios: Function of a point that returns sorted decades by seed.
        alone: Description of the single experiment.
    """

    def results(
        claim: Claim, seed: int, turned: bool = False
    ) -> tuple[RouteResult, ...]:
        return tuple(_decided(p, ratios(**p), turned) for p in points)

    turned = by_mutants({"the order turned round": partial(results, turned=True)})
    return Check(results, turned, ("trained",), alone=alone)


def _decided(at: Mapping[str, Any], ratios: Decades, turned: bool) -> RouteResult:
    """The interval of a median, as a ratio, and True if it is above one."""
    ratios = -ratios[::-1] if turned else ratios
    low, high = least(ratios), greatest(ratios)
    verdict = "confirmed" if low > 0 else "refuted" if high < 0 else "inconclusive"
    middle, low, high = (10.0**x for x in (float(np.median(ratios)), low, high))
    return RouteResult("trained", describe(at), middle, low, high, verdict)


def compared(load: Load, *pairs: tuple[str, str, str, float]) -> Check:
    """Check that one student has a smaller median loss over teachers than another.

    Args:
        load: Reads the result of a sweep.
        pairs: Sweep, student behind, student ahead, and the condition.
    """
    names = ("sweep", "behind", "ahead", "condition")
    points = (dict[str, Any](zip(names, pair, strict=True)) for pair in pairs)
    return outcome(tuple(points), lambda sweep, **point: decades(load(sweep), **point))


def least(ratios: Decades) -> float:
    """Lower end of the interval of the median."""
    return float(ratios[1])


def greatest(ratios: Decades) -> float:
    """Upper end of the interval of the median."""
    return float(ratios[-2])


def decades(data: "xr.Dataset", behind: str, ahead: str, condition: float) -> Decades:
    """Decades by which the loss of ``ahead`` is below that of ``behind``, sorted.

    There is one value per seed.  Each student has its best learning rate at the
    condition.

    Raises:
        ValueError: If there are fewer than ten seeds.
    """
    ratio = _gap(data, behind, ahead, condition)
    if ratio.size < LEAST_SEEDS:
        raise ValueError(f"need {LEAST_SEEDS} seeds for the interval, got {ratio.size}")
    return np.sort(ratio)


def widening(
    data: "xr.Dataset", behind: str, ahead: str, wide: float, narrow: float
) -> Decades:
    """Growth of the lead between two conditions, in decades, sorted over seeds."""
    start, end = (_gap(data, behind, ahead, condition) for condition in (wide, narrow))
    return np.sort(end - start)


def _gap(data: "xr.Dataset", behind: str, ahead: str, condition: float) -> Decades:
    best = data["best"].sel(condition=condition)
    losses = [best.sel(student=name).values for name in (behind, ahead)]
    return np.log10(losses[0] / losses[1])


def rates(data: "xr.Dataset", behind: str, ahead: str) -> Decades:
    """Decades between two networks' effective recurrent rates, sorted over seeds.

    For each training at 1e-3, it is the median over the recurrent parameters at its
    end.
    """
    data = data.isel(record=-1)
    rates = data["rate"].sel(group="recurrent", quantile=0.5)
    by_seed = [
        rates.isel(cell=np.flatnonzero(data["network"] == name)).sortby("seed").values
        for name in (behind, ahead)
    ]
    return np.sort(np.log10(by_seed[1] / by_seed[0]))
