"""Stationary inputs as sums of decaying exponentials, and where their power lies."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float
from scipy.optimize import root_scalar

from sigprop.audit.autocovariance import Exponentials, fit_exponentials
from sigprop.audit.series import Series
from sigprop.audit.series_moments import empirical_autocovariance
from sigprop.neuron import stable
from sigprop.numerics.compile import compile_expr
from sigprop.numerics.precision import double_precision
from theory import advice
from theory.symbols import rho, theta

SHARE = 0.95  # of the power of the input that phases are to cover


def exponential(decay: float) -> Exponentials:
    """``R = decay**|lag|``; white noise at zero.

    Raises:
        ValueError: Unless ``-1 < decay < 1``: of a constant input nothing is learnt.
    """
    if not -1 < decay < 1:
        raise ValueError(
            f"need -1 < rho < 1, got rho={decay}: its inputs are known from the first"
        )
    return Exponentials(np.array([1.0]), np.array([float(decay)]))


def of_series(series: Series) -> tuple[Exponentials, str]:
    """The sum of exponentials nearest to a measured series, and a note on how near it is.

    Features are standardised, and their autocovariances averaged.

    Source: Zucchet & Orvieto (2024), Eq. 75.
    """
    each = [empirical_autocovariance(one) for one in np.moveaxis(series.values, 2, 0)]
    measured = np.mean(each, axis=0)[: series.values.shape[1] // 2]
    fitted = fit_exponentials(measured)
    weights = fitted.weights / fitted.weights.sum()
    fitted = Exponentials(weights, fitted.rho)
    missed = measured - fitted.autocovariance(np.arange(len(measured)))
    worst = int(np.argmax(np.abs(missed)))
    return fitted, (
        f"autocovariance of {len(measured)} lags fitted by {int((weights > 0).sum())} "
        f"decaying exponentials, off by {abs(missed[worst]):.2g} of R(0) at most, at lag "
        f"{worst}; what oscillates, as seasons do, is not of this form"
    )


@functools.cache
def _power_below() -> Callable[..., Any]:
    return compile_expr(advice.power_below().result, theta, rho, backend="numpy")


def power_below(spectrum: Exponentials, phase: float) -> float:
    """Share of the input's power at phases between zero and one in (0, pi).

    Source: ``theory.advice.power_below``.
    """
    weights = spectrum.weights / spectrum.weights.sum()
    return float(weights @ _power_below()(phase, spectrum.rho))


def bandwidth(spectrum: Exponentials, share: float = SHARE) -> float:
    """The phase in radians below which a share of the input's power lies.

    Raises:
        ValueError: Unless ``0 < share < 1``.

    Example:
        >>> round(bandwidth(exponential(0.0), 0.5) / math.pi, 6)  # white
        0.5
    """
    if not 0 < share < 1:
        raise ValueError(f"need 0 < share < 1, got {share}")
    edge = 1e-12
    found = root_scalar(
        lambda at: power_below(spectrum, at) - share, bracket=(edge, math.pi - edge)
    )
    return float(found.root)


def as_one(spectrum: Exponentials) -> float:
    """``rho`` of the one exponential of the same variance and power at phase zero.

    Of states that remember long this power is what their moments are proportional to.

    Example:
        >>> as_one(exponential(0.9))
        0.9
        >>> round(as_one(Exponentials(np.array([0.5, 0.5]), np.array([0.0, 0.9]))), 6)
        0.818182
    """
    weights = spectrum.weights / spectrum.weights.sum()
    power = float(weights @ ((1 + spectrum.rho) / (1 - spectrum.rho)))
    return round((power - 1) / (power + 1), 12)


def state_moments(
    spectrum: Exponentials,
    gap: Float[np.ndarray, " n"],
    phase: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """``E|h|^2`` of modes, stationary, for inputs of gain one.

    Args:
        spectrum: Of the input.
        gap: ``1 - |lam|``, in (0, 1].
        phase: Of the eigenvalues, in radians.

    Source: Zucchet & Orvieto (2024), Eq. 48, summed over the exponentials.
    """
    total = np.zeros(len(gap))
    with double_precision(True):
        for weight, decay in zip(spectrum.weights, spectrum.rho, strict=True):
            if weight:
                total += weight * np.asarray(stable.state_moment(gap, phase, decay))
    return total
