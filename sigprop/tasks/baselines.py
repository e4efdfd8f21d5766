"""Forecasts without a network, with which networks are compared.

Three naive forecasts repeat the last row, the last season or the training mean.  The
fourth is a linear map from the input rows to the following rows, fitted by least squares.
All features share this map.

Source: Zeng et al. (2023) for the linear map.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64

from sigprop.tasks.forecasts import Forecasts, Windows


def last_value(task: Forecasts, windows: Windows) -> Float[np.ndarray, "n horizon f"]:
    """Forecast that every row equals the last input row.

    Args:
        task: Forecasting task; its ``horizon`` is the number of forecast rows.
        windows: Windows of the training, validation or test part, from
            ``task.windows``.

    Example:
        The first forecast row equals the last input row:

        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> windows = task.windows("test")
        >>> bool((last_value(task, windows)[:, 0] == windows.inputs[:, -1]).all())
        True
    """
    last = windows.inputs[:, -1:]
    return np.broadcast_to(last, (len(last), task.horizon, last.shape[2]))


def season(task: Forecasts, windows: Windows) -> Float[np.ndarray, "n horizon f"]:
    """Forecast by repeating the last season of the input rows.

    Args:
        task: Forecasting task.  A season, such as a day or a year, has
            ``task.table.step.season`` rows.
        windows: Windows of the training, validation or test part, from
            ``task.windows``.

    Raises:
        ValueError: If windows have fewer input rows than a season.

    Example:
        The forecasts have 431 windows, 26 weeks and one feature:

        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> season(task, task.windows("test")).shape
        (431, 26, 1)
    """
    period = task.table.step.season
    if period > task.length:
        raise ValueError(
            f"need windows of at least a season of {period} rows, got {task.length}"
        )
    steps = task.length - period + np.arange(task.horizon) % period
    return windows.inputs[:, steps]


def climatology(task: Forecasts, windows: Windows) -> Float[np.ndarray, "n horizon f"]:
    """Forecast each feature's training mean, which is zero in scaled units.

    Args:
        task: Forecasting task, which defines the number of forecast rows and of
            features.
        windows: Windows of the training, validation or test part, from
            ``task.windows``.

    Example:
        The forecasts have 431 windows, 26 weeks and one feature:

        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> climatology(task, task.windows("test")).shape
        (431, 26, 1)
    """
    return np.zeros((len(windows.inputs), task.horizon, len(task.features)))


NAIVE: dict[str, Callable[[Forecasts, Windows], np.ndarray]] = {
    "last value": last_value,
    "season": season,
    "climatology": climatology,
}
"""Naive forecasts by name: ``last value``, ``season`` and ``climatology``."""


class Linear(NamedTuple):
    """A linear map from the input rows to the following rows, applied to each feature.

    Attributes:
        weights: A row for each input row and a column for each forecast row.
        bias: Constant that is added to each forecast row.
    """

    weights: Float64[np.ndarray, "length horizon"]
    bias: Float64[np.ndarray, " horizon"]

    def __call__(
        self, inputs: Float[np.ndarray, "n length f"]
    ) -> Float64[np.ndarray, "n horizon f"]:
        """Apply the map to the input rows of windows."""
        mapped = np.einsum("nlf,lh->nhf", inputs, self.weights, optimize=True)
        return mapped + self.bias[:, None]


def least_squares(task: Forecasts) -> Linear:
    """Fit a linear map from input rows to forecast rows by least squares.

    The map has a constant term, is the same for all features, and minimises the squared
    error over all training windows.  The windows of at most two features are in memory
    at a time.

    Args:
        task: Forecasting task with the training windows.

    Returns:
        The map.  Calling it with the input rows of windows returns the forecasts.

    Raises:
        ValueError: If the number of training windows times the number of features does
            not exceed the number of input rows of a window.

    Example:
        Fit the training windows, and forecast from the test windows:

        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> least_squares(task)(task.windows("test").inputs).shape
        (431, 26, 1)
    """
    inputs, targets, _ = task.windows("train")
    n, length, features = inputs.shape
    if n * features <= length:
        raise ValueError(
            f"need more than {length} windows over all features for a map from {length} "
            f"rows, got {n * features}; shorten the window"
        )
    unknowns = length + 1
    factor = np.zeros((0, unknowns + task.horizon))
    for feature in range(features):
        block = [inputs[:, :, feature], np.ones((n, 1)), targets[:, :, feature]]
        stacked = np.concatenate([factor, np.concatenate(block, 1)])
        factor = np.asarray(np.linalg.qr(stacked, mode="r"))
    coefficients = np.linalg.lstsq(
        factor[:unknowns, :unknowns], factor[:unknowns, unknowns:], rcond=None
    )[0]
    return Linear(coefficients[:-1], coefficients[-1])
