"""Autocovariance and power spectrum of stationary inputs, and moments of states.

An input is given as a sum of decaying exponentials, which has closed forms, or as a
measured autocovariance.  Oscillating inputs, such as speech or seasons, are not a sum of
decaying exponentials and need the measured form.
"""

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.audit.autocovariance import Exponentials, fit_exponentials
from sigprop.audit.series import Series
from sigprop.audit.series_moments import empirical_autocovariance
from sigprop.neuron import stable
from sigprop.numerics.arguments import require_moderate, require_number
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import double_precision
from sigprop.theory import advice
from sigprop.theory.symbols import rho, theta

SHARE = 0.95  # share of the input's power that phases cover


class Measured(NamedTuple):
    """Measured autocovariance of an input, scaled to variance one.

    Attributes:
        covariance: ``R(lag)`` at the lags 0, 1, ...  It is the sum of ``x_t x_{t+lag}``
            over the pairs in a window of ``T`` steps, divided by ``T`` (not by the number
            of pairs).  With this divisor the power spectrum is never negative.
        fitted: Best fit of a sum of exponentials, for predictions that need a closed
            form.
    """

    covariance: Float[np.ndarray, " lags"]
    fitted: Exponentials


Spectrum = Exponentials | Measured


def closed(spectrum: Spectrum) -> Exponentials:
    """Return an autocovariance as a sum of exponentials, fitted if it was measured."""
    return spectrum.fitted if isinstance(spectrum, Measured) else spectrum


def exponential(decay: float) -> Exponentials:
    """Return the autocovariance ``decay**|lag|`` of an input, for ``advise``.

    Args:
        decay: Correlation of successive inputs, in (-1, 1); 0 is white noise.

    Raises:
        ValueError: Unless ``-1 < decay < 1``.

    Example:
        >>> exponential(0.9).rho
        array([0.9])
    """
    if not -1 < decay < 1:
        raise ValueError(
            f"need -1 < rho < 1, got rho={decay}: its inputs are known from the first"
        )
    return Exponentials(np.array([1.0]), np.array([float(decay)]))


def exponentials(terms: Sequence[tuple[float, float]]) -> Exponentials:
    """Return the autocovariance ``sum_k weight_k decay_k**|lag|``, for ``advise``.

    Args:
        terms: Pairs ``(weight, decay)``: the variance of a term, above 0, and its decay
            factor per lag, in (-1, 1).

    Raises:
        ValueError: If there is no term, a weight is not positive, or a decay is not
            between -1 and 1.

    Example:
        >>> exponentials([(0.4, 0.0), (0.6, 0.8)]).rho
        array([0. , 0.8])
    """
    if not len(terms):
        raise ValueError("need a term (weight, decay), got none")
    for weight, decay in terms:
        require_number("weight", weight, 0)
        exponential(decay)
    return Exponentials(*np.array(terms, float).T)


def of_covariance(covariance: Sequence[float] | Float[np.ndarray, " lags"]) -> Measured:
    """Return a measured autocovariance and exponentials fitted to it, for ``advise``.

    Args:
        covariance: ``R(lag)`` at the lags 0, 1, ..., ``T - 1`` for a window of ``T``
            steps.  Each value is the sum of ``x_t x_{t+lag}`` over the window, divided
            by ``T`` (not by the number of pairs).  The scale of ``R`` does not matter,
            because the function divides by ``R(0)``.

    Raises:
        ValueError: If there are fewer than four lags, a value is not finite, or ``R(0)``
            is not positive.

    Example:
        >>> of_covariance([2.0, 1.0, 0.5, 0.2]).covariance
        array([1.  , 0.5 , 0.25, 0.1 ])
    """
    require_moderate("covariance", covariance, "lags")
    R = np.asarray(covariance, float)
    steps = len(R)
    if steps < 4 or not R[0] > 0:
        raise ValueError(
            f"need four autocovariances or more, the first above zero, got {steps}"
        )
    R = R / R[0]
    half = steps // 2
    fitted = fit_exponentials(R[:half] / (1 - np.arange(half) / steps))
    weights = fitted.weights / fitted.weights.sum()
    return Measured(R, Exponentials(weights, fitted.rho))


def of_series(series: Series) -> tuple[Measured, str]:
    """Return the measured autocovariance of a series, for ``advise``.

    The autocovariance is averaged over the features of the series.

    Args:
        series: Windows of a time series, from ``sigprop.audit.load_series``.

    Returns:
        The autocovariance, and a sentence about the largest error of the exponentials
        that are fitted to it.

    Source: Zucchet & Orvieto (2024), Eq. 75.

    Example:
        >>> from sigprop.audit import Series
        >>> noise = np.random.default_rng(0).normal(size=(4, 512, 1))
        >>> spectrum, note = of_series(Series(noise, ("noise",), (), block=1))
        >>> round(power_below(spectrum, math.pi), 6)  # the power at all frequencies
        1.0
    """
    each = [
        empirical_autocovariance(channel)
        for channel in np.moveaxis(series.values, 2, 0)
    ]
    every = np.mean(each, axis=0)
    steps = len(every)
    covariance = every / every[0] * (1 - np.arange(steps) / steps)
    measured = every[: steps // 2]
    fitted = fit_exponentials(measured)
    weights = fitted.weights / fitted.weights.sum()
    fitted = Exponentials(weights, fitted.rho)
    missed = measured - fitted.autocovariance(np.arange(len(measured)))
    worst = int(np.argmax(np.abs(missed)))
    return Measured(covariance, fitted), (
        f"states and phases by the autocovariance of {steps} lags; gradients and gates by "
        f"{int((weights > 0).sum())} decaying exponentials, off from its first "
        f"{len(measured)} lags by {abs(missed[worst]):.2g} of R(0) at most, at lag {worst}: "
        "what oscillates, as seasons do, is not of this form"
    )


@functools.cache
def _power_below() -> Callable[..., Any]:
    return compile_expr(advice.power_below().result, theta, rho, backend="numpy")


@functools.cache
def _power_of_lag() -> Callable[..., Any]:
    return compile_expr(
        advice.power_of_lag().result, theta, advice.lag, backend="numpy"
    )


def power_below(spectrum: Spectrum, phase: float) -> float:
    """Return the share of the input's power at frequencies below ``phase``.

    Args:
        spectrum: Autocovariance of the input.
        phase: Frequency in radians per step, in [0, pi].

    Raises:
        ValueError: If ``phase`` is outside [0, pi].

    Source: ``sigprop.theory.advice.power_below`` and ``power_of_lag``.

    Example:
        >>> round(power_below(exponential(0.0), math.pi / 2), 6)  # white noise
        0.5
    """
    require_number("phase", phase, 0, math.pi, "[]")
    if isinstance(spectrum, Measured):
        R = spectrum.covariance
        later = _power_of_lag()(phase, np.arange(1.0, len(R)))
        return phase / math.pi + float(later @ R[1:] / R[0])
    weights = spectrum.weights / spectrum.weights.sum()
    return float(weights @ _power_below()(phase, spectrum.rho))


def bandwidth(spectrum: Spectrum, share: float = SHARE) -> float:
    """Return the frequency in radians per step below which a share of the power lies.

    Args:
        spectrum: Spectrum of the input, given by its autocovariance; see ``exponential``
            and ``of_series``.
        share: Share of the input's power, in (0, 1).

    Raises:
        ValueError: Unless ``0 < share < 1``.

    Example:
        >>> round(bandwidth(exponential(0.0), 0.5) / math.pi, 6)  # white noise
        0.5
    """
    require_number("share", share, 0, 1)
    edge = 1e-12
    solution = scipy.optimize.root_scalar(
        lambda at: power_below(spectrum, at) - share, bracket=(edge, math.pi - edge)
    )
    return float(solution.root)


def equivalent_rho(spectrum: Spectrum) -> float:
    """Return ``rho`` of the exponential with the same variance and power at frequency zero.

    The second moments of states with long time constants are proportional to this power.

    Example:
        >>> equivalent_rho(exponential(0.9))
        0.9
        >>> round(equivalent_rho(Exponentials(np.array([0.5, 0.5]), np.array([0.0, 0.9]))), 6)
        0.818182
    """
    weights, decays = closed(spectrum)
    power = float(weights @ ((1 + decays) / (1 - decays)) / weights.sum())
    return round((power - 1) / (power + 1), 12)


def state_moments(
    spectrum: Spectrum,
    gap: Float[np.ndarray, " n"],
    phase: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """Return the stationary ``E|h|^2`` of ``h_t = lam h_{t-1} + x_t`` for each mode.

    Args:
        spectrum: Autocovariance of the input ``x``.
        gap: ``1 - |lam|``, in (0, 1].
        phase: Phase of ``lam`` in radians.

    Source: Zucchet & Orvieto (2024), Eq. 48, summed over the exponentials.  For a
    measured autocovariance, Eq. 45, summed over the lags.
    """
    if isinstance(spectrum, Measured):
        return _measured_moments(spectrum.covariance, gap, phase)
    total = np.zeros(len(gap))
    with double_precision(True):
        for weight, decay in zip(spectrum.weights, spectrum.rho, strict=True):
            if weight:
                total += weight * np.asarray(stable.state_moment(gap, phase, decay))
    return total


def _measured_moments(
    covariance: Float[np.ndarray, " lags"],
    gap: Float[np.ndarray, " n"],
    phase: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    ages = np.arange(1, len(covariance))
    shared = [
        ((1 - gap_of_mode) ** ages * np.cos(ages * at)) @ covariance[1:]
        for gap_of_mode, at in zip(gap, phase, strict=True)
    ]
    return (covariance[0] + 2 * np.array(shared)) / (gap * (2 - gap))
