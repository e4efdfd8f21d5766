"""Assumptions of the theory about a signal, each as one number with an interval.

- *stationary*: power of the last quarter of a window over that of the first, 1;
- *seasonless*: share of power that the mean at each place of the season explains, 0;
- *Gaussian*: fourth moment over the squared second, about the mean, 3;
- *independent*: ``(tr C)**2 / (d tr C**2)`` of the ``d`` channels, 1 where they are
  independent and alike and ``1/d`` where they are one;
- *white*: correlation of neighbouring steps, 0;
- *white, a season apart*: the same a season apart, where a window is longer.

Second moments of linear layers need no Gaussian; sizes of samples and moments through a
gated unit do.
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
"""By name: the number that each would give."""


class Sums(NamedTuple):
    """Sums over the sequences of a block.

    Attributes:
        samples: Sequences times steps.
        ends: Squares in the first and the last quarter of the window.
        powers: First to fourth powers of each channel.
        products: Products of all pairs of channels.
        lagged: Products of steps one apart, and a season; squares of as many.
        seasons: Sums of each channel at each place of the season, and how many.
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
    """Compute the sums from which ``numbers`` follow, for one block.

    Args:
        x: The signal.
        season: Position of each step in its season.
        period: Steps of a season.
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
    """The numbers of ``ASSUMPTIONS``; not a number where there is nothing to see."""
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
    # The mean of all is no season.
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
    """Low, middle and high of every number, from the blocks of one signal."""
    return jackknife(parts, numbers)
