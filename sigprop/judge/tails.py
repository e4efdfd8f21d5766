"""Tail index of samples, which decides if their variance is finite.

The variance is finite only if the tail index is above two.  Otherwise the error of a mean does
not decrease as one over the square root of the sample size.  No sample size can then be
planned.
"""

import math

import numpy as np
from jaxtyping import Float

LARGEST = 2**8  # samples in the tail, out of ``trials.PILOT``
LEAST = 2.0  # tail index at or below which the variance is infinite


def tail_index(samples: Float[np.ndarray, " n"], largest: int = LARGEST) -> float:
    """Estimate the tail index ``a`` of samples, with ``P(|s - mean| > x) ~ x**-a``.

    For tails that are not a power law, the estimate is large or infinite.  Squares and
    fourth powers of Gaussians are examples; in 16384 samples, Hill's estimator gives them
    the indices 3.5 and 1.9.

    Args:
        samples: Independent samples.
        largest: Number of samples in the tail, the furthest from the mean.

    Returns:
        The tail index. It is infinite for a tail lighter than any power. It is also
        infinite if the largest distance occurs twice, because the samples are bounded.

    Raises:
        ValueError: If there are not more samples than ``largest``.

    Source: Dekkers, Einmahl & de Haan (1989), Annals of Statistics 17.

    Example:
        >>> uniform = (np.arange(10_000) + 0.5) / 10_000
        >>> round(tail_index(uniform**-1.0), 1), round(tail_index(-np.log(uniform)))
        (0.9, 35)
    """
    if len(samples) <= largest:
        raise ValueError(f"need more than {largest} samples, got {len(samples)}")
    distance = np.abs(samples - samples.mean())
    top = np.sort(np.partition(distance, -largest - 1)[-largest - 1 :])
    if not top[0] > 0 or top[-1] == top[-2]:
        return math.inf
    logs = np.log(top[1:] / top[0])
    first, second = logs.mean(), (logs**2).mean()
    inverse = float(first + 1 - 0.5 / (1 - first**2 / second))
    return 1 / inverse if inverse > 0 else math.inf
