"""Moments of the diagonal recurrence on a time series of the user: measured and predicted.

The recurrence ``h_{t+1} = lam h_t + x_{t+1}`` runs over each window from the zero state.
The measured ``E|h_T|^2`` and ``E|dh_T/dlam|^2`` are compared with predictions under more
and more assumptions: none, wide-sense stationarity, an infinite past, white noise.  The
results are descriptive, because windows of one series are not independent.

Source: Zucchet & Orvieto (2024), Eq. 5, 6 and 45; Appendix B.2.4, Eq. 75.
"""

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from jaxtyping import Array, Complex, Float
from sympy import Expr, oo

from sigprop.audit.series import Series
from sigprop.neuron.recurrence import linear_recurrence, sensitivity
from sigprop.numerics.compile import Backend, compile_expr
from sigprop.numerics.precision import double_precision
from sigprop.numerics.seeds import require_seed
from sigprop.theory.diagonal import QUANTITIES, functional
from sigprop.theory.symbols import Delta, T, lam, lam_bar

BATCH = 64  # windows that run at once, which limits the memory of the states
NONE = "none"  # in a table, for NaN
MIN_DRAWS = 40  # smallest number with a resample beyond each end of a 95 % interval
MOST_DRAWS = 10**6  # each resample has as many indices as there are blocks

EIGENVALUES: tuple[tuple[float, float], ...] = (
    (0.5, 0.0),
    (0.1, 0.0),
    (0.01, 0.0),
    (0.1, math.pi),
    (0.05, 0.3),
    (0.01, 0.05),
)
"""Default eigenvalues as pairs ``(1 - |lam|, arg lam)``, with the angle in radians."""


@dataclass(frozen=True)
class SeriesRow:
    """Measured and predicted moment for one feature, quantity and eigenvalue.

    A prediction at or below zero is not a second moment.  It and its log-ratios are then
    NaN, and the note gives the reason.

    Attributes:
        feature: Name of the feature.
        quantity: ``state`` for ``E|h_T|^2``, ``sensitivity`` for ``E|dh_T/dlam|^2``.
        gap: ``1 - |lam|``.
        theta: Phase of ``lam`` in radians.
        measured: Mean over the windows of ``T`` steps.
        low: Lower end of the 95 % bootstrap interval of ``measured``.
        high: Upper end of the 95 % bootstrap interval of ``measured``.
        covariance: Prediction from the full covariance matrix, without assumptions; it
            equals ``measured`` up to rounding.
        toeplitz: Prediction for a stationary input.
        stationary: Prediction for a stationary input with an infinite past.
        white: Prediction for white noise of the same variance.
        log_toeplitz: ``log(toeplitz / covariance)``.
        log_stationary: ``log(stationary / toeplitz)``.
        log_white: ``log(white / stationary)``.
        windows: Number of windows.
        note: Remark on missing predictions, or an empty text.
    """

    feature: str
    quantity: str
    gap: float
    theta: float
    measured: float
    low: float
    high: float
    covariance: float
    toeplitz: float
    stationary: float
    white: float
    log_toeplitz: float
    log_stationary: float
    log_white: float
    windows: int
    note: str = ""


def empirical_autocovariance(
    values: Float[np.ndarray, "sequences time"], max_lag: int | None = None
) -> Float[np.ndarray, " lags"]:
    """Return the mean of ``x_t x_{t+lag}`` over the ``T - lag`` pairs of every sequence.

    The mean of ``x`` is not subtracted.  For values of mean zero the result is the
    autocovariance.

    Source: Zucchet & Orvieto (2024), Eq. 75.  The paper's sequences ``x_0..x_T`` have
    ``T - lag + 1`` pairs.  Here a sequence has ``T`` values, so the divisor is
    ``T - lag``.

    Args:
        values: Sequences of ``T`` values, one per row.
        max_lag: Largest lag.  Default: ``T - 1``.

    Raises:
        ValueError: If ``max_lag`` is not in ``0..T-1``.
    """
    steps = values.shape[1]
    last = steps - 1 if max_lag is None else max_lag
    if not 0 <= last < steps:
        raise ValueError(f"need 0 <= max_lag < {steps} steps, got {max_lag=}")
    size = 2 ** (2 * steps - 1).bit_length()  # zero padding: no wrapped pairs
    power = np.mean(np.abs(np.fft.rfft(values, size, axis=1)) ** 2, axis=0)
    return np.fft.irfft(power, size)[: last + 1] / (steps - np.arange(last + 1))


def covariance_matrix(
    values: Float[np.ndarray, "sequences time"],
) -> Float[np.ndarray, "time time"]:
    """Return the mean over sequences of ``x_s x_t``, which does not assume stationarity."""
    return values.T @ values / len(values)


@cache
def _compiled(
    quantity: str, horizon: Expr, backend: Backend
) -> tuple[Callable[..., Any], ...]:
    weights = functional(quantity, horizon)
    return tuple(
        compile_expr(weight, lam, lam_bar, Delta, T, backend=backend)
        for weight in (weights.zero, weights.lag)
    )


def lag_weights(
    quantity: str, gap: float, theta: float, steps: int, horizon: Expr = oo
) -> Float[np.ndarray, " steps"]:
    """Return the weight of each lag ``0..steps-1`` of the autocovariance in a moment.

    The function evaluates ``sigprop.theory.diagonal.functional``.  That formula subtracts
    ``|lam|^2`` from 1 and loses digits like ``(gap T)**-3``.  For ``gap * steps <= 1`` it
    is therefore evaluated with more digits.

    Args:
        quantity: ``state`` or ``sensitivity``.
        gap: ``1 - |lam|``.
        theta: Phase of ``lam`` in radians.
        steps: Number of lags, and of steps if the horizon is finite.
        horizon: Symbol ``T`` for a moment after ``steps`` steps, or SymPy's ``oo`` for
            the stationary limit.

    Raises:
        ValueError: Unless ``0 < gap < 1`` and ``theta`` is finite.
    """
    _require_stable(gap, theta)
    if gap * steps > 1:
        zero, lag = _compiled(quantity, horizon, "numpy")
        value = (1 - gap) * np.exp(1j * theta)
        pair = (value, value.conjugate())
        ages = np.arange(1, steps)
        weights = np.append(zero(*pair, 0, steps), lag(*pair, ages, steps))
        return np.real(weights)
    zero, lag = _compiled(quantity, horizon, "mpmath")
    with mpmath.workdps(30 + 4 * math.ceil(-math.log10(gap))):
        value = (1 - mpmath.mpf(gap)) * mpmath.expj(theta)
        pair = (value, mpmath.conj(value))
        weights = [lag(*pair, age, steps) for age in range(1, steps)]
        weights = [zero(*pair, 0, steps), *weights]
        return np.array([float(mpmath.re(weight)) for weight in weights])


def _require_stable(gap: float, theta: float) -> None:
    if not (0 < gap < 1 and math.isfinite(theta)):
        raise ValueError(
            "need eigenvalues (gap, theta) with 0 < gap = 1 - |lam| < 1 and a finite "
            f"theta, got {gap=}, {theta=}; at gap <= 0 the moments diverge, at gap = 1 "
            "there is no memory"
        )


@jax.jit
def _final(
    values: Complex[Array, " eigenvalues"], windows: Float[Array, "sequences time"]
) -> tuple[Complex[Array, "sequences eigenvalues"], ...]:
    def last(x):
        inputs = x[:, None]
        return linear_recurrence(values, inputs)[-1], sensitivity(values, inputs)[-1]

    return jax.lax.map(last, windows, batch_size=BATCH)


def _run(
    values: Complex[np.ndarray, " eigenvalues"],
    windows: Float[np.ndarray, "sequences time"],
) -> dict[str, Complex[np.ndarray, "sequences eigenvalues"]]:
    """Run the recurrence over every window; return the final states and sensitivities."""
    with double_precision(True):
        final = _final(jnp.asarray(values), jnp.asarray(windows))
        return dict(zip(QUANTITIES, map(np.asarray, final), strict=True))


def _kernels(
    values: Complex[np.ndarray, " eigenvalues"], steps: int
) -> dict[str, Complex[np.ndarray, "time eigenvalues"]]:
    """Return the weight of each input in final state and sensitivity, oldest input first."""
    age = np.arange(steps - 1, -1, -1)[:, None]
    older = values ** np.maximum(age - 1, 0)
    return {"state": values**age, "sensitivity": age * older}


def _quadratic_form(
    matrix: Float[np.ndarray, "time time"],
    kernels: Complex[np.ndarray, "time eigenvalues"],
) -> Float[np.ndarray, " eigenvalues"]:
    """Return ``k^H C k`` of every kernel for a real symmetric ``C``, in real arithmetic."""
    parts = (np.real(kernels), np.imag(kernels))
    return sum(
        (np.sum(part * (matrix @ part), axis=0) for part in parts),
        start=np.zeros(kernels.shape[1]),
    )


def bootstrap_interval(
    samples: Float[np.ndarray, "windows columns"], block: int, seed: int, draws: int
) -> tuple[Float[np.ndarray, " columns"], Float[np.ndarray, " columns"]]:
    """Return the 95 % percentile interval of the mean, by a circular block bootstrap.

    Args:
        samples: Values of each window, in the order of time.
        block: Number of consecutive windows that are resampled together, at most the
            number of windows.
        seed: Seed of the resampling, which is the same for every column.
        draws: Number of resamples, at least 40.

    Returns:
        The lower and the upper end of the interval for each column.

    Raises:
        ValueError: If ``block``, ``draws`` or ``seed`` is out of range.
    """
    require_seed(seed)
    count = len(samples)
    if not 1 <= block <= count:
        raise ValueError(f"need 1 <= block <= {count} windows, got {block=}")
    if not MIN_DRAWS <= draws <= MOST_DRAWS:
        raise ValueError(
            f"need at least {MIN_DRAWS} bootstrap draws and at most {MOST_DRAWS}, got "
            f"{draws=}"
        )
    blocks_inside, part = divmod(count, block)
    rng = np.random.default_rng(seed)
    starts = rng.integers(count, size=(draws, blocks_inside + 1))
    around = np.concatenate([samples, samples[:block]])
    running = np.concatenate([np.zeros_like(samples[:1]), np.cumsum(around, axis=0)])
    blocks = running[block : block + count] - running[:count]
    rest = running[part : part + count] - running[:count]
    low, high = np.empty((2, samples.shape[1]))
    for column in range(samples.shape[1]):
        total = blocks[starts[:, :blocks_inside], column].sum(axis=1)
        means = (total + rest[starts[:, blocks_inside], column]) / count
        low[column], high[column] = np.quantile(means, (0.025, 0.975))
    return low, high


def audit_series(
    series: Series,
    eigenvalues: Sequence[tuple[float, float]] = EIGENVALUES,
    seed: int = 0,
    draws: int = 1000,
    shown: Callable[[Sequence[str]], Iterable[str]] = iter,
) -> tuple[SeriesRow, ...]:
    """Measure and predict second moments of a linear recurrence on a time series.

    The recurrence ``h_{t+1} = lam h_t + x_{t+1}`` runs over each window of ``T`` steps
    from the zero state.  The moments are ``E|h_T|^2`` of the state and
    ``E|dh_T/dlam|^2`` of its derivative, called ``sensitivity``.

    Args:
        series: Windows of a time series, from ``load_series``.
        eigenvalues: Pairs ``(1 - |lam|, arg lam)``, with the angle in radians.
        seed: Seed of the bootstrap.
        draws: Number of bootstrap resamples for each interval, from 40 to 10^6.
        shown: Function that receives the feature names and yields them one by one, for
            a progress bar.  Default: no progress bar.

    Returns:
        A row for each feature, quantity and eigenvalue.  A row has the measured moment
        with its 95 % interval.  It also has four predictions: without assumptions, for
        a stationary input, for a stationary input with an infinite past, and for white
        noise of the same variance.

    Raises:
        ValueError: Unless ``0 < |lam| < 1`` for every eigenvalue; or if ``seed`` or
            ``draws`` is out of range.

    Example:
        >>> from sigprop.audit import Series
        >>> x = np.random.default_rng(0).normal(size=(40, 32, 1))
        >>> series = Series(x, ("noise",), notes=(), block=1)
        >>> row, _ = audit_series(series, eigenvalues=[(0.2, 0.0)], draws=100)
        >>> row.quantity, round(row.white, 2)  # near 1 / (1 - 0.8**2) = 2.78
        ('state', 2.68)
    """
    require_seed(seed)
    for gap, theta in eigenvalues:
        _require_stable(gap, theta)
    count, steps, _ = series.values.shape
    values = np.array([(1 - gap) * np.exp(1j * theta) for gap, theta in eigenvalues])
    kernels = _kernels(values, steps)
    weights = {
        (quantity, index, horizon): lag_weights(quantity, *pair, steps, horizon)
        for quantity in QUANTITIES
        for index, pair in enumerate(eigenvalues)
        for horizon in (T, oo)
    }
    rows = []
    for feature, name in enumerate(shown(series.names)):
        windows = np.ascontiguousarray(series.values[:, :, feature])
        autocovariance = empirical_autocovariance(windows)
        matrix = covariance_matrix(windows)
        final = _run(values, windows)
        for quantity in QUANTITIES:
            samples = np.abs(final[quantity]) ** 2
            low, high = bootstrap_interval(samples, series.block, seed, draws)
            covariance = _quadratic_form(matrix, kernels[quantity])
            for index, (gap, theta) in enumerate(eigenvalues):
                endless = weights[quantity, index, oo]
                predicted = {
                    "covariance": float(covariance[index]),
                    "toeplitz": float(weights[quantity, index, T] @ autocovariance),
                    "stationary": float(endless @ autocovariance),
                    "white": float(endless[0] * autocovariance[0]),
                }
                note = _note(predicted)
                predicted = {
                    name: value if value > 0 else math.nan
                    for name, value in predicted.items()
                }
                rows.append(
                    SeriesRow(
                        feature=name,
                        quantity=quantity,
                        gap=gap,
                        theta=theta,
                        measured=float(samples[:, index].mean()),
                        low=float(low[index]),
                        high=float(high[index]),
                        **predicted,
                        **_log_ratios(predicted),
                        windows=count,
                        note=note,
                    )
                )
    return tuple(rows)


def _log_ratios(predicted: dict[str, float]) -> dict[str, float]:
    """Return the log-ratio of each prediction to the previous one; NaN if undefined."""
    names = list(predicted)
    return {
        f"log_{name}": math.log(predicted[name] / predicted[before])
        if predicted[name] > 0 and predicted[before] > 0
        else math.nan
        for before, name in pairwise(names)
    }


def _note(predicted: dict[str, float]) -> str:
    wrong = [name for name, value in predicted.items() if not value > 0]
    if not wrong:
        return ""
    return (
        f"{' and '.join(wrong)} not positive, shown as {NONE}: averaging along diagonals "
        "and cutting at lag T need not leave a positive definite autocovariance; no "
        "log-ratio"
    )


def rows_json(rows: Sequence[SeriesRow]) -> list[dict[str, Any]]:
    """Return each row as a dictionary for JSON; NaN becomes the text ``"nan"``."""
    return [
        {
            key: str(value)
            if isinstance(value, float) and not math.isfinite(value)
            else value
            for key, value in dataclasses.asdict(row).items()
        }
        for row in rows
    ]
