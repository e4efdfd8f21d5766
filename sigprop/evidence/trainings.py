"""What trainings say of a number: its mean over seeds, and an interval for it."""

import math

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import standard_error
from sigprop.judge.results import RouteResult

ERRS = 0.05  # how often an interval over trainings ends too early, on either side


def interval(values: Float[np.ndarray, " trainings"]) -> tuple[float, float, float]:
    """The mean over trainings, and the ends of its interval.

    By Student's law; each end is passed once in twenty.  With one training, or one that
    has no finite value, nothing is known but what was measured.
    """
    n = len(values)
    if n < 2 or not np.isfinite(values).all():
        return float(np.mean(values)), -math.inf, math.inf
    reach = scipy.special.stdtrit(n - 1, 1 - ERRS) * standard_error(values)
    low, middle, high = values.mean() + reach * np.array([-1, 0, 1])
    return float(middle), float(low), float(high)


def typical(factors: Float[np.ndarray, " trainings"]) -> tuple[float, float, float]:
    """The geometric mean over trainings, and the ends of its interval."""
    if len(factors) < 2 or not np.isfinite(factors).all():
        return math.inf, 0.0, math.inf
    middle, low, high = np.exp(interval(np.log(factors)))
    return float(middle), float(low), float(high)


def judged(
    factors: Float[np.ndarray, " trainings"], most: float, quantity: str
) -> RouteResult:
    """Whether a factor is below a bound in the mean, or above it, or neither is sure.

    Args:
        factors: A training each.
        most: The bound.
        quantity: Of each training, for a reader.
    """
    value, low, high = typical(factors)
    verdict = (
        "confirmed" if high < most else "refuted" if low > most else "inconclusive"
    )
    point = f"{len(factors)} trainings, {quantity}"
    return RouteResult("audited", point, value, low, high, verdict, n=len(factors))
