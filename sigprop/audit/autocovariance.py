"""Autocovariance of many sequences of vectors, and fits of exponentials to it.

Sequences are read a few at a time.  The module keeps the average of each sequence, so
that a bootstrap over sequences gives intervals.

Source: Zucchet & Orvieto (2024), Eq. 75 and Figure 12.
"""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.optimize import nnls

from sigprop.audit.series_moments import bootstrap_interval, empirical_autocovariance
from sigprop.inputs import Mixed
from sigprop.numerics.arguments import require_count, require_moderate
from sigprop.tasks.sequences import Sequences

BATCH = 16  # sequences in memory at once
RATES = 40  # time constants of the grid of a fit


class Measured(NamedTuple):
    """Measured autocovariance at the lags 0, 1, ..., averaged over features.

    Attributes:
        R: Mean over the sequences.
        low: Lower end of the 95 % interval of ``R``.
        high: Upper end of the 95 % interval of ``R``.
        each: Autocovariance of each sequence, a row per sequence.
    """

    R: Float[np.ndarray, " lags"]
    low: Float[np.ndarray, " lags"]
    high: Float[np.ndarray, " lags"]
    each: Float[np.ndarray, "sequences lags"]


def autocovariance(
    sequences: Sequences,
    max_lag: int | None = None,
    *,
    block: int = 1,
    seed: int = 0,
    draws: int = 1000,
) -> Measured:
    """Measure an autocovariance, averaged over steps, features and sequences.

    The autocovariance at a lag is the mean of ``x_t x_{t+lag}`` for a signal ``x``.
    The mean of ``x`` is not subtracted, so ``x`` should have mean zero.

    Args:
        sequences: Two or more sequences of the signal ``x``.
        max_lag: Largest lag in steps.  Default: the length of a sequence minus one.
        block: Number of consecutive sequences that the bootstrap resamples together.  Use
            1 for independent sequences, and more if consecutive sequences are neighbours
            in time.
        seed: Seed of the bootstrap.
        draws: Number of bootstrap resamples.

    Returns:
        The autocovariance ``R`` at the lags 0, 1, ..., and the ends ``low`` and
        ``high`` of its 95 % bootstrap interval.  ``each`` has the autocovariance of one
        sequence per row.

    Raises:
        ValueError: If there is only one sequence; or if ``max_lag``, ``block``, ``draws``
            or ``seed`` is out of range.

    Source: Zucchet & Orvieto (2024), Eq. 75.

    Example:
        >>> x = np.random.default_rng(0).normal(size=(40, 32, 1))
        >>> noise = Sequences("noise", 40, 32, 1, lambda at, num: x[at : at + num])
        >>> found = autocovariance(noise, max_lag=2)
        >>> found.R.shape, bool(found.low[0] < 1 < found.high[0])
        ((3,), True)
    """
    if sequences.number < 2:
        raise ValueError(
            f"need two sequences for an interval, got {sequences.number}; cut shorter ones"
        )
    rows = []
    for first in range(0, sequences.number, BATCH):
        num = min(BATCH, sequences.number - first)
        taken = np.asarray(sequences.take(first, num), float)
        rows += [empirical_autocovariance(sequence.T, max_lag) for sequence in taken]
    each = np.stack(rows)
    low, high = bootstrap_interval(each, block, seed, draws)
    return Measured(each.mean(0), low, high, each)


def fit_mixed(R: Float[np.ndarray, " lags"], last: int | None = None) -> Mixed:
    """Fit white noise plus one exponential to ``R``, by a straight line through ``log R``.

    Args:
        R: Autocovariances at the lags 0, 1, ...
        last: Largest lag of the fit, which starts at lag 1.  Default: the last lag
            before ``R`` first becomes zero or negative.

    Returns:
        The input process.  ``a`` is the variance of the white noise, and ``b rho**lag``
        is the exponential.

    Raises:
        ValueError: If fewer than two lags can be fitted; if ``R`` is zero or negative
            at a lag of the fit; or if the fitted exponential grows or exceeds ``R(0)``
            at lag 0.

    Source: Zucchet & Orvieto (2024), Figure 12.

    Example:
        >>> found = fit_mixed(np.array([1.0, 0.45, 0.405, 0.3645]))
        >>> round(found.a, 6), round(found.b, 6), round(found.rho, 6)
        (0.5, 0.5, 0.9)
    """
    require_moderate("R", R, "lags")
    if last is not None:
        require_count("last", last, least=2)
    R = np.asarray(R, float)
    gone = np.flatnonzero(R[1:] <= 0)
    positive = int(gone[0]) if gone.size else len(R) - 1
    last = positive if last is None else last
    if not 2 <= last <= positive:
        raise ValueError(
            f"need positive autocovariances R at lags 1 to {max(last, 2)}, got last={last} "
            f"and the first {positive} positive, R(1) = {R[1]:.4g}; average over more "
            "sequences or fit fewer lags"
        )
    lags = np.arange(1, last + 1)
    log_rho, start = np.polyfit(lags, np.log(R[1 : last + 1]), 1)
    b, rho = float(np.exp(start)), float(np.exp(log_rho))
    if rho > 1 or b > R[0]:
        raise ValueError(
            f"need autocovariances that decay from below R(0) = {R[0]:.3g}, got a line "
            f"from {b:.3g} with rho = {rho:.4g}; fit other lags"
        )
    return Mixed(float(R[0]) - b, b, rho)


class Exponentials(NamedTuple):
    """Autocovariance ``R(lag) = sum_k weights_k rho_k**|lag|``.

    Attributes:
        weights: Variance of each term.
        rho: Correlation of successive steps of each term.  The first is 0 (white noise).
    """

    weights: Float[np.ndarray, " terms"]
    rho: Float[np.ndarray, " terms"]

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        """Return ``R`` at the given lags."""
        powers = self.rho[None] ** np.abs(np.asarray(lags))[:, None]
        return powers @ self.weights


def fit_exponentials(R: Float[np.ndarray, " lags"]) -> Exponentials:
    """Fit a sum of decaying exponentials to ``R``, by least squares over the lags.

    The weights are not negative, so that the fit is the autocovariance of white noise plus
    independent AR(1) processes.  The time constants ``1/(1 - rho)`` are on a logarithmic
    grid of 40 values, from 2 steps to ten times the number of lags.  The result omits
    exponentials of weight zero.

    Args:
        R: Autocovariances at the lags 0, 1, ...

    Returns:
        The fit: the variance (``weights``) and the decay factor per lag (``rho``) of
        each term.  The first term is the white noise, with ``rho = 0``.

    Raises:
        ValueError: If there are fewer than two lags, a value is not finite, or ``R(0)``
            is not positive.

    Example:
        >>> R = 1.5 * 0.9 ** np.arange(40)
        >>> found = fit_exponentials(R)
        >>> round(float(found.weights.sum()), 2)  # R(0)
        1.5
    """
    require_moderate("R", R, "lags")
    R = np.asarray(R, float)
    if len(R) < 2 or not R[0] > 0:
        raise ValueError(
            "need two autocovariances R or more, the first above zero, got shape "
            f"{R.shape} from {R[0]} on"
        )
    memories = np.geomspace(2, max(10 * len(R), 4), RATES)
    rho = np.append(0.0, 1 - 1 / memories)
    basis = rho[None] ** np.arange(len(R))[:, None]
    weights, _ = nnls(basis, R)
    positive = weights > 0
    positive[0] = True
    return Exponentials(weights[positive], rho[positive])
