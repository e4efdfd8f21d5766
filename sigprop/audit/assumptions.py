"""Assumptions of the theory about a signal, each tested by one number with an interval.

The number in parentheses is the value if the assumption is true.

- *stationary* (1): power in the last quarter of a window over power in the first quarter;
- *seasonless* (0): share of the power that the mean at each step of the season explains;
- *Gaussian* (3): kurtosis, the fourth central moment over the squared variance;
- *independent* (1): ``(tr C)**2 / (d tr C**2)`` for the covariance ``C`` of ``d`` channels.
  It is 1 for independent channels of equal variance, and ``1/d`` for identical channels;
- *white* (0): correlation of neighbouring steps;
- *white, a season apart* (0): correlation of steps one season apart, if a window is longer.

Second moments of linear layers do not need Gaussian inputs.  Sample sizes and moments of
gated units do.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from sigprop.audit.windows import jackknife

ASSUMPTIONS = {
    "stationary": 1.0,
    "seasonless": 0.0,
    "Gaussian": 3.0,
    "independent": 1.0,
    "white": 0.0,
    "white, a season apart": 0.0,
}
"""Value of each number if its assumption is true, by name."""


class Sums(NamedTuple):
    """Sums over the sequences and steps of a block.

    Attributes:
        samples: Number of sequences times steps.
        ends: Sums of squares in the first and the last quarter of the window.
        powers: Sums of the first to fourth powers of each channel.
        products: Sums of the products of all pairs of channels.
        lagged: A row for lag one and a row for a season.  The columns are the sum of the
            products at this lag, and the sum of the squares of the same steps.
        seasons: Sum of each channel at each step of the season, and the number of
            samples at that step.
    """

    samples: int
    ends: Float[np.ndarray, " 2"]
    powers: Float[np.ndarray, "4 channels"]
    products: Float[np.ndarray, "channels channels"]
    lagged: Float[np.ndarray, "2 2"]
    seasons: tuple[Float[np.ndarray, "places channels"], Float[np.ndarray, " places"]]


def sums(
    x: Float[np.ndarray, "sequences time channels"],
    season: Int[np.ndarray, "sequences time"],
    period: int,
) -> Sums:
    """Compute the sums over one block from which ``numbers`` follow.

    Args:
        x: Signal.
        season: Position of each step in its season, from 0.
        period: Number of steps of a season.
    """
    time, channels = x.shape[1:]
    flat, quarter = x.reshape(-1, channels), max(1, time // 4)
    ends = [(x[:, :quarter] ** 2).sum(), (x[:, -quarter:] ** 2).sum()]
    by_position = np.zeros((period, channels))
    np.add.at(by_position, season.ravel(), flat)
    return Sums(
        len(flat),
        np.array(ends),
        np.stack([(flat**power).sum(0) for power in range(1, 5)]),
        flat.T @ flat,
        np.array([_lagged(x, lag) for lag in (1, period)]),
        (by_position, np.bincount(season.ravel(), minlength=period).astype(float)),
    )


def _lagged(x: Float[np.ndarray, "sequences time channels"], lag: int):
    if lag >= x.shape[1]:
        return np.nan, np.nan
    early, late = x[:, :-lag], x[:, lag:]
    return (early * late).sum(), ((early**2).sum() + (late**2).sum()) / 2


def numbers(known: Sums) -> Float[np.ndarray, " assumptions"]:
    """Return the number of each of ``ASSUMPTIONS``; NaN if it cannot be measured."""
    first, second, third, fourth = known.powers / known.samples
    centred = second - first**2
    about = fourth - 4 * first * third + 6 * first**2 * second - 3 * first**4
    varies = centred > 1e-9 * max(second.max(), 1e-300)
    kurtosis = np.mean(about[varies] / centred[varies] ** 2) if varies.any() else np.nan
    covariance = known.products / known.samples
    channels = len(first)
    spread = np.trace(covariance) ** 2 / (channels * (covariance**2).sum())
    totals, counts = known.seasons
    present = counts > 0
    explained = (totals[present] ** 2 / counts[present, None]).sum() / known.samples
    # The overall mean is not part of the season.
    share = (explained - (first**2).sum()) / second.sum()
    return np.array(
        [
            known.ends[1] / known.ends[0],
            share if len(counts) > 1 else np.nan,
            kurtosis,
            spread if channels > 1 else np.nan,
            *known.lagged[:, 0] / known.lagged[:, 1],
        ]
    )


def measured(parts: Sequence[Sums]) -> Float[np.ndarray, "3 assumptions"]:
    """Return the lower end, estimate and upper end of each number's 95 % interval.

    Args:
        parts: Sums over each block of one signal.
    """
    return jackknife(parts, numbers)
