"""How two ways to begin are compared: written down before any was trained.

The measure of a training is its last validation loss.  Trainings of one seed are a pair;
a pair's difference is the natural logarithm of the quotient of its losses, -0.1 being ten
per cent less, so that tasks compare.  ``better`` and ``worse`` are said where the 95 %
interval of Student's t for the mean difference leaves zero out.  A training whose loss or
gradient is not finite is lost: the way that loses more of them is the worse one, whatever
the others say; with as many on both sides the pairs that are whole are compared.

The advice is worth following where it is worse on one task at most and better on half of
them at least.
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


class Compared(NamedTuple):
    """A mean difference with its interval, and the word for it.

    Attributes:
        mean: First less second; not a number where pairs are lost.
        low: Lower end of the interval.
        high: Upper end.
        word: ``BETTER``, ``WORSE`` or ``SAME``.
    """

    mean: float
    low: float
    high: float
    word: str


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
) -> Compared:
    """The first way against the second by their losses, seed by seed.

    Args:
        first: Positive losses of the way in question; not finite where one is lost.
        second: Those of the other way, in the same order of seeds.

    Raises:
        ValueError: If there are not as many of both.

    Example:
        >>> compare(np.array([1.0, 1.1, 0.9]), np.array([2.0, 2.1, 1.9])).word
        'better'
    """
    one, other = np.asarray(first, float), np.asarray(second, float)
    if one.shape != other.shape:
        raise ValueError(f"need pairs of losses, got {one.size} and {other.size}")
    lost = int((~np.isfinite(one)).sum()) - int((~np.isfinite(other)).sum())
    if lost:
        return _unmeasured(WORSE if lost > 0 else BETTER)
    whole = np.isfinite(one) & np.isfinite(other)
    if whole.sum() < 2:
        return _unmeasured(SAME)
    return judged(np.log(one[whole]) - np.log(other[whole]))


def _unmeasured(word: str) -> Compared:
    """A word without a number."""
    return Compared(math.nan, math.nan, math.nan, word)


def judged(differences: Float[np.ndarray, " pairs"]) -> Compared:
    """Differences of which less is better, with their word.

    Raises:
        ValueError: As ``interval``.
    """
    mean, low, high = interval(differences)
    return Compared(mean, low, high, BETTER if high < 0 else WORSE if low > 0 else SAME)


def area(
    first: Float[np.ndarray, "pairs records"],
    second: Float[np.ndarray, "pairs records"],
) -> Compared:
    """The same of the training losses, each pair's logarithms averaged along the way.

    Records that are not finite in both, as after a divergence, are left out, and so is a
    pair without any.
    """
    one, other = np.asarray(first, float), np.asarray(second, float)
    with np.errstate(invalid="ignore", divide="ignore"):
        difference = np.log(one) - np.log(other)
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


def worth(words: Sequence[str]) -> bool:
    """Whether advice is worth following, by its words on all tasks.

    Example:
        >>> worth([BETTER, BETTER, SAME, WORSE]), worth([BETTER, BETTER, WORSE, WORSE])
        (True, False)
    """
    given = list(words)
    return given.count(WORSE) <= SPARED and 2 * given.count(BETTER) >= len(given)
