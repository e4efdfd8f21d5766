"""The autocovariance of many sequences of vectors, and sums of exponentials near it.

Sequences are read a few at a time; what is kept of each is its own average, so that
intervals are by a bootstrap over sequences.

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

BATCH = 16  # sequences held at once
RATES = 40  # memories that a fit may choose from


class Measured(NamedTuple):
    """``R`` at lags from 0 on, averaged over features, and its 95 % interval.

    ``each`` has that of every sequence, a row each.
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
    """Measure ``E x_t x_{t+lag}`` over steps, features and sequences; no mean removed.

    Args:
        sequences: Two sequences or more, read a few at a time.
        max_lag: Last lag in steps; by default the last of the whole length.
        block: Sequences that the bootstrap keeps together: one where they are
            independent, more where they are neighbours in time.
        seed: Seed of the bootstrap.
        draws: Number of resamples of the bootstrap.

    Raises:
        ValueError: If there is one sequence alone, or a lag, a block, the draws or the
            seed are out of range.

    Source: Zucchet & Orvieto (2024), Eq. 75, by ``empirical_autocovariance``.

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
    """White noise and one exponential, by a straight line through ``log R``.

    Args:
        R: Autocovariances from lag 0 on.
        last: The last lag of the line, whose first is one; by default the last before
            ``R`` is no longer above zero.

    Raises:
        ValueError: If fewer than two lags are left, or the line is that of no process of
            this kind: growing, or above ``R(0)`` at its start.

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
    """``R(lag) = sum of weights rho**lag``; the first has ``rho = 0`` and is white."""

    weights: Float[np.ndarray, " terms"]
    rho: Float[np.ndarray, " terms"]

    def autocovariance(
        self, lags: Int[np.ndarray, " lags"]
    ) -> Float[np.ndarray, " lags"]:
        """The sum at these lags."""
        powers = self.rho[None] ** np.abs(np.asarray(lags))[:, None]
        return powers @ self.weights


def fit_exponentials(R: Float[np.ndarray, " lags"]) -> Exponentials:
    """The sum of decaying exponentials nearest to ``R``, by least squares over its lags.

    Weights are not negative, so that it is the autocovariance of a process: independent
    AR(1) beside white noise.  Memories ``1/(1 - rho)`` are those of a logarithmic grid
    from 2 to ten times the lags; those without weight are left out.

    Raises:
        ValueError: If there are fewer than two finite lags, or nothing is positive.

    Example:
        >>> R = 1.5 * 0.9 ** np.arange(40)
        >>> found = fit_exponentials(R)
        >>> round(float(found.weights.sum()), 2)
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
