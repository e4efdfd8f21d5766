"""Forecasts of the test rows by a trained network, and by methods without a network.

The intervals come from the validation rows.  At each step and feature they are the forecast
plus the 5 % and the 95 % quantile of the error (truth minus forecast).  The share of test
values inside the interval is measured, not guaranteed.

Source: Zhou et al. (2021), Informer, for errors in scaled units over all windows.
"""

import functools
from collections.abc import Callable, Iterator

import equinox as eqx
import numpy as np
import xarray as xr
from jaxtyping import Float, Float64

from sigprop.networks import Network
from sigprop.tasks.baselines import NAIVE, Linear, least_squares
from sigprop.tasks.forecasts import Errors, Forecasts, Part, Windows
from sigprop.training.forecasting import ForecastRecipe, measure, predictions

LEVELS = (0.05, 0.95)
MOST = (
    20_000_000  # numbers of one variable: beyond it, every second window is kept, ...
)
CHUNK = 2_000_000  # numbers of baseline forecasts in memory

ForecastBatches = Iterator[tuple[slice, Float[np.ndarray, "some horizon features"]]]


def controls(task: Forecasts, part: Part = "test") -> dict[str, Errors | None]:
    """Return the errors of forecasts by simple methods, in standardised units.

    The methods ``last value`` and ``season`` repeat input rows, and ``climatology``
    forecasts the training mean.  The method ``linear`` is a linear map fitted to the
    training windows by least squares.

    Args:
        task: Forecasting task.
        part: Part of the series: ``train``, ``validation`` or ``test``.

    Returns:
        A dictionary from the name of each method to its errors, or to None if the
        method cannot be applied to the task.

    Example:
        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> sorted(controls(task))
        ['climatology', 'last value', 'linear', 'season']
    """
    windows = task.windows(part)
    ways: dict[str, Callable[[Windows], np.ndarray]] = {
        name: lambda shown, way=way: way(task, shown) for name, way in NAIVE.items()
    }
    errors = {name: _without(way, windows) for name, way in ways.items()}
    try:
        linear = _linear(task)
    except ValueError:
        return {**errors, "linear": None}
    return {**errors, "linear": _without(lambda shown: linear(shown.inputs), windows)}


@functools.lru_cache(maxsize=1)
def _linear(task: Forecasts) -> Linear:
    """Fit the linear forecast of a task, once for validation and test."""
    return least_squares(task)


def _without(way: Callable[[Windows], np.ndarray], windows: Windows) -> Errors | None:
    count, horizon, features = windows.targets.shape
    size = max(1, CHUNK // (horizon * features))

    def batches() -> ForecastBatches:
        for first in range(0, count, size):
            rows = slice(first, min(first + size, count))
            yield rows, way(Windows(*(part[rows] for part in windows)))

    try:
        return measure(batches(), windows)
    except ValueError:
        return None  # a season longer than the window


def forecasts(
    recipe: ForecastRecipe,
    network: Network,
    state: eqx.nn.State,
    task: Forecasts,
) -> xr.Dataset:
    """Forecast the test rows with a trained network; return forecasts and errors.

    Args:
        recipe: Recipe with which the network was trained.
        network: Trained network in inference mode.
        state: Running averages of the network's normalisations.
        task: Forecasting task.

    Returns:
        A data set.  ``forecast`` and ``truth`` have the units of the table and the
        dimensions ``window``, ``step`` and ``feature``.  ``forecast_scaled`` and
        ``truth_scaled`` are the same in standardised units.  The coordinate ``window``
        is the time of the first forecast row.  ``lower`` and ``upper`` are the 5 % and
        the 95 % quantile of the validation errors (truth minus forecast), with the
        dimensions ``step`` and ``feature``.  ``lower`` and ``upper`` are in the units
        of the table.  ``coverage`` is the share of test values between
        ``forecast + lower`` and ``forecast + upper``.  ``mse`` and ``mae`` are mean
        errors over all windows in standardised units, with the dimensions
        ``forecaster``, ``step`` and ``feature``.  The coordinate ``forecaster`` is
        ``model`` for the network, or the name of a method of ``controls``.  The errors
        of a method that cannot be applied to the task are NaN.  Values in standardised
        units are ``(value - mean) / scale``, with ``mean`` and ``scale`` of each
        ``feature``.  The attribute ``every`` is ``n`` if only every ``n``-th window is
        stored.

    Example:
        >>> from sigprop.networks import Head, NetworkConfig
        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> from sigprop.training import ForecastRecipe, Optimiser, fit_forecaster
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> head = Head(horizon=26, features=1)
        >>> sizes = {"inputs": 1, "outputs": 26, "width": 2, "state_size": 2, "depth": 1}
        >>> network = NetworkConfig(layer="lru", norm="none", **sizes)
        >>> short = {"batch": 4, "segment": 2, "evaluate": 1}
        >>> schedule = {"optimiser": Optimiser(steps=2), "rate": 0.01, **short}
        >>> recipe = ForecastRecipe(network=network, head=head, **schedule)
        >>> fitted = fit_forecaster(recipe, task)
        >>> forecasts(recipe, fitted.network, fitted.state, task).forecast.shape
        (431, 26, 1)
    """
    limits = _limits(recipe, network, state, task)
    windows = task.windows("test")
    every = _every(windows)
    thinned, inside, errors = _of_test(recipe, network, state, windows, limits, every)
    rows = {"model": errors, **controls(task)}
    nothing = np.full_like(errors.squared, np.nan)
    scale, mean = task.scale, task.mean
    truth = windows.targets[::every].astype(np.float32)
    by = ("window", "step", "feature")
    starts = task.split["test"].start + np.arange(len(windows.targets))[::every]
    return xr.Dataset(
        {
            "forecast": (by, (thinned * scale + mean).astype(np.float32)),
            "truth": (by, (truth * scale + mean).astype(np.float32)),
            "forecast_scaled": (by, thinned),
            "truth_scaled": (by, truth),
            "lower": (by[1:], limits[0] * scale),
            "upper": (by[1:], limits[1] * scale),
            "coverage": (by[1:], inside),
            "mse": (
                ("forecaster", *by[1:]),
                np.stack([nothing if e is None else e.squared for e in rows.values()]),
            ),
            "mae": (
                ("forecaster", *by[1:]),
                np.stack([nothing if e is None else e.absolute for e in rows.values()]),
            ),
            "mean": ("feature", mean),
            "scale": ("feature", scale),
        },
        {
            "window": task.table.times[starts].astype("datetime64[ns]"),
            "step": np.arange(1, task.horizon + 1),
            "feature": list(task.features),
            "forecaster": list(rows),
        },
        {"table": task.table.name, "every": every, "length": task.length},
    )  # fmt: skip


def _every(windows: Windows) -> int:
    return max(1, -(-windows.targets.size // MOST))


def _limits(
    recipe: ForecastRecipe, network: Network, state: eqx.nn.State, task: Forecasts
) -> Float64[np.ndarray, "2 horizon features"]:
    """Return quantiles of truth minus forecast on the validation part, standardised."""
    windows = task.windows("validation")
    every = _every(windows)
    thinned = Windows(*(part[::every] for part in windows))
    off = np.concatenate(
        [
            thinned.targets[rows] - forecast
            for rows, forecast in predictions(recipe, network, state, thinned)
        ]
    )
    return np.quantile(off, LEVELS, axis=0)


def _of_test(
    recipe: ForecastRecipe,
    network: Network,
    state: eqx.nn.State,
    windows: Windows,
    limits: Float64[np.ndarray, "2 horizon features"],
    every: int,
) -> tuple[np.ndarray, np.ndarray, Errors]:
    """Return stored forecasts, the share of true values inside the limits, and all errors."""
    thinned: list[np.ndarray] = []
    inside = np.zeros(windows.targets.shape[1:])

    def watched() -> ForecastBatches:
        for rows, forecast in predictions(recipe, network, state, windows):
            off = windows.targets[rows] - forecast
            inside[:] += ((limits[0] <= off) & (off <= limits[1])).sum(0)
            thinned.append(forecast[-rows.start % every :: every])
            yield rows, forecast

    errors = measure(watched(), windows)
    return np.concatenate(thinned), inside / len(windows.targets), errors
