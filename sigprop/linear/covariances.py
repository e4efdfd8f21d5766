"""Check of autocovariances of stationary processes, and the nearest possible ones.

``R`` at lags ``0, 1, ... n - 1`` is an autocovariance if its Toeplitz matrix is positive
semi-definite.  Any other ``R`` would give negative second moments.
"""

from typing import Any

import numpy as np
from jax.core import Tracer
from jaxtyping import Float

from sigprop.numerics.arguments import LARGEST, require_moderate
from sigprop.numerics.tracing import numbers

# Negative eigenvalues up to this share of R(0) are accepted, because cancelling sums of
# 1e4 rounded terms have such errors.
SLACK = 1e-8
ROUNDED = 64  # the same in units of the rounding error, if that is larger


def require_autocovariance(covariance: Any, steps: int) -> None:
    """Refuse an array that is no autocovariance of a stationary process.

    If JAX traces the array, only its shape and type are checked.

    Args:
        covariance: Autocovariance ``R`` at lags ``0, 1, ...``.
        steps: Number of lags that are needed; only these are checked.

    Raises:
        ValueError: If ``covariance`` has fewer than ``steps`` values, a value is not a
            finite real number, or the Toeplitz matrix has a negative eigenvalue.
    """
    values = numbers(covariance)
    if values.ndim != 1 or values.size == 0 or values.dtype.kind not in "fiu":
        raise ValueError(
            "need the covariances R(0), R(1), ... as an array of real numbers, got shape "
            f"{values.shape} of {values.dtype}; take the real part, or one row"
        )
    if len(values) < steps:
        raise ValueError(
            f"need {steps} covariances, got {len(values)}: one for each of the steps"
        )
    if isinstance(values, Tracer):
        return
    used = values[:steps]
    if not (np.abs(used) <= LARGEST).all():
        lag = int(np.argmin(np.abs(used) <= LARGEST))
        raise ValueError(
            f"need finite covariances of at most {LARGEST:g}, got R({lag}) = {used[lag]}"
        )
    if not used[:1] >= 0:
        raise ValueError(f"need covariances of R(0) >= 0, got R(0) = {used[0]}")
    lag = _first_impossible(used)
    if lag is not None:
        raise ValueError(
            "need a positive semi-definite autocovariance, got one whose Toeplitz matrix "
            f"of {lag + 1} lags has a negative eigenvalue: no process has R(0) = "
            f"{used[0]:.6g} and R({lag}) = {used[lag]:.6g} with the lags between; "
            "average measured products over all steps rather than over the pairs of a lag"
        )


def nearest_process(
    covariance: Float[np.ndarray, " lags"],
) -> Float[np.ndarray, " lags"]:
    """Replace measured covariances by the autocovariance of a stationary process.

    Measured covariances may have a Toeplitz matrix with a negative eigenvalue.  No
    stationary process has such covariances.  In that case the function extends them
    symmetrically and periodically, with a period of about twice the number of lags.  It
    sets negative values of the spectrum to zero, and rescales the result so that it has
    the measured ``R(0)``.  All other covariances are returned unchanged.

    Args:
        covariance: Measured covariance ``R`` at lags ``0, 1, ...``.

    Raises:
        ValueError: If the array is empty, a value is not finite, or ``R(0)`` is negative.

    Example:
        No process with ``R(0) = 1`` and ``R(1) = 0.9`` has ``R(2) = 0.2``:

        >>> nearest_process(np.array([1.0, 0.9, 0.2])).round(3).tolist()
        [1.0, 0.652, 0.304]
    """
    require_moderate("covariance", covariance, "lags")
    if covariance[0] < 0:
        raise ValueError(f"need covariance of R(0) >= 0, got R(0) = {covariance[0]}")
    if _first_impossible(covariance) is None:
        return covariance
    cut = np.maximum(_spectrum(covariance), 0)
    nearest = np.fft.ifft(cut).real[: len(covariance)]
    return nearest * (covariance[0] / nearest[0])


def _spectrum(covariance: np.ndarray) -> np.ndarray:
    """Spectrum of the covariances, continued with a period of twice the lags."""
    return np.fft.fft(np.concatenate([covariance, covariance[-2:0:-1]])).real


def _first_impossible(covariance: np.ndarray) -> int | None:
    """The first lag whose value is impossible given the earlier lags; None if all fit.

    The values are possible if the spectrum of their periodic continuation is nowhere
    negative.  This quick test suffices for most covariances.
    """
    power = float(covariance[0])
    if power == 0:
        nonzero = np.flatnonzero(covariance)
        return int(nonzero[0]) if nonzero.size else None
    eps = np.finfo(covariance.dtype).eps if covariance.dtype.kind == "f" else 0.0
    ratios = covariance.astype(float) / power
    slack = max(SLACK, ROUNDED * float(eps))
    return (
        None
        if _spectrum(ratios).min() >= -slack
        else _first_by_recursion(ratios, slack)
    )


def _first_by_recursion(ratios: np.ndarray, slack: float) -> int | None:
    """The first impossible lag of an autocorrelation, in time quadratic in its lags.

    The Levinson-Durbin recursion gives the variance of the error of the best linear
    prediction from earlier inputs.  It is negative if a leading minor is negative.
    """
    error, weights = 1 + slack, np.zeros(0)
    for lag in range(1, len(ratios)):
        reflection = (ratios[lag] - weights @ ratios[lag - 1 : 0 : -1]) / error
        if not abs(reflection) < 1:
            return lag
        weights = np.append(weights - reflection * weights[::-1], reflection)
        error *= 1 - reflection**2
    return None


def require_process(process: Any) -> None:
    """Refuse an object that is not a stationary process.

    Raises:
        ValueError: If ``process`` is a class or lacks the method ``sample`` or
            ``autocovariance``.
    """
    lacking = [
        name
        for name in ("sample", "autocovariance")
        if isinstance(process, type) or not callable(getattr(process, name, None))
    ]
    if lacking:
        raise ValueError(
            "need a process of sigprop.inputs, such as White() or AR1(0.5), with sample "
            f"and autocovariance, got {process!r}"
        )
