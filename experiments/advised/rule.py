"""Rules that compare two initialisations, fixed before any training.

A training is measured by its last validation loss.  Two trainings with the same seed are a
pair.  The difference of a pair is the logarithm of the ratio of its losses: -0.1 is about 10 %
less.  So differences on several tasks can be compared.  The verdict is ``better`` or ``worse``
if the 95 % interval of Student's t for the mean difference does not contain zero.

A training whose loss or gradient is not finite is lost.  The initialisation that loses more
trainings is worse, whatever the other trainings say.  If both lose as many, the pairs in
which both trainings are finite are compared.

Advice is worth following if it is worse on one task at most, and better on at least half of
the tasks.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float
from scipy import stats

LEVEL = 0.95  # of the intervals
BETTER, WORSE, SAME = "better", "worse", "no difference shown"
LAST = 0.1  # share of a training whose mean loss is the one to be reached
SPARED = 1  # tasks on which advice may be worse


class Comparison(NamedTuple):
    """A mean difference with its interval and verdict.

    Attributes:
        mean: First less second; not a number where pairs are lost.
        low: Lower end of the interval.
        high: Upper end.
        word: ``BETTER``, ``WORSE`` or ``SAME``.
    """

    mean: float
    low: float
    high: float
    verdict: str


def interval(
    differences: Float[np.ndarray, " pairs"],
) -> tuple[float, float, float]:
    """Mean of independent differences, and the ends of its interval by Student's t.

    Raises:
        ValueError: If there are fewer than two, or one is not finite.
    """
    values = np.asarray(differences, float)
    if values.size < 2 or not np.isfinite(values).all():
        raise ValueError(f"need two finite differences or more, got {values.tolist()}")
    mean = float(values.mean())
    reach = stats.t.ppf((1 + LEVEL) / 2, values.size - 1) * stats.sem(values)
    return mean, mean - float(reach), mean + float(reach)


def compare(
    first: Float[np.ndarray, " pairs"], second: Float[np.ndarray, " others"]
) -> Comparison:
    """Compare the losses of two initialisations, seed by seed.

    Args:
        first: Positive losses of one initialisation; not finite for diverged trainings.
        second: Losses of the other initialisation, in the same order of seeds.

    Raises:
        ValueError: If there are not as many of both.

    Example:
        >>> compare(np.array([1.0, 1.1, 0.9]), np.array([2.0, 2.1, 1.9])).verdict
        'better'
    """
    losses, others = np.asarray(first, float), np.asarray(second, float)
    if losses.shape != others.shape:
        raise ValueError(f"need pairs of losses, got {losses.size} and {others.size}")
    lost = int((~np.isfinite(losses)).sum()) - int((~np.isfinite(others)).sum())
    if lost:
        return _unmeasured(WORSE if lost > 0 else BETTER)
    whole = np.isfinite(losses) & np.isfinite(others)
    if whole.sum() < 2:
        return _unmeasured(SAME)
    return judged(np.log(losses[whole]) - np.log(others[whole]))


def _unmeasured(verdict: str) -> Comparison:
    """Return a verdict without a measured difference."""
    return Comparison(math.nan, math.nan, math.nan, verdict)


def judged(differences: Float[np.ndarray, " pairs"]) -> Comparison:
    """Differences of which less is better, with their word.

    Raises:
        ValueError: As ``interval``.
    """
    mean, low, high = interval(differences)
    return Comparison(
        mean, low, high, BETTER if high < 0 else WORSE if low > 0 else SAME
    )


def area(
    first: Float[np.ndarray, "pairs records"],
    second: Float[np.ndarray, "pairs records"],
) -> Comparison:
    """Compare training losses by the mean over records of the difference of logarithms.

    Records that are not finite in both, as after a divergence, are left out, and so is a
    pair without any.
    """
    losses, others = np.asarray(first, float), np.asarray(second, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = np.log(losses) - np.log(others)
    whole = [row[np.isfinite(row)] for row in difference]
    means = np.array([row.mean() for row in whole if row.size])
    return judged(means) if means.size > 1 else _unmeasured(SAME)


def reached(
    first: Float[np.ndarray, " records"], second: Float[np.ndarray, " records"]
) -> float:
    """Share of the training after which the first has the loss that the second ends with.

    Both are smoothed by means over ``LAST`` of all records; infinite if it never has.
    """
    width = max(1, round(LAST * len(second)))
    means = np.convolve(first, np.full(width, 1 / width), "valid")
    hits = np.flatnonzero(means <= np.mean(second[-width:]))
    return (int(hits[0]) + width) / len(first) if hits.size else math.inf


def worth(verdicts: Sequence[str]) -> bool:
    """Decide from the verdicts on all tasks whether the advice reaches its aim.

    Example:
        >>> worth([BETTER, BETTER, SAME, WORSE]), worth([BETTER, BETTER, WORSE, WORSE])
        (True, False)
    """
    better, worse = verdicts.count(BETTER), verdicts.count(WORSE)
    return worse <= SPARED and 2 * better >= len(verdicts)
