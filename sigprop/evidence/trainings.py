"""Mean of a number over trainings with several seeds, and an interval for it."""

import math

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import standard_error

ERRS = 0.05  # probability beyond each end of an interval over trainings


def interval(values: Float[np.ndarray, " trainings"]) -> tuple[float, float, float]:
    """The mean over trainings, and the ends of its interval.

    The interval is Student's; the probability beyond each end is 5 %.  With one
    training, or with a value that is not finite, the interval is infinite.
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
