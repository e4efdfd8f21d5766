"""Forecasts that need no network: what every network has to beat.

Three repeat what was seen; the fourth is the best linear map from a window to the rows
after it, the same for each feature, by least squares.

Source: Zeng et al. (2023), whose one-layer linear models share a map among features; the
naive ones are customary.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Float64

from sigprop.tasks.forecasts import Forecasts, Windows


def last_value(task: Forecasts, windows: Windows) -> Float[np.ndarray, "n horizon f"]:
    """The last row that was seen, at every step.

    Example:
        >>> from sigprop.tasks import Forecasts, carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> windows = task.windows("test")
        >>> bool((last_value(task, windows)[:, 0] == windows.inputs[:, -1]).all())
        True
    """
    last = windows.inputs[:, -1:]
    return np.broadcast_to(last, (len(last), task.horizon, last.shape[2]))


def season(task: Forecasts, windows: Windows) -> Float[np.ndarray, "n horizon f"]:
    """The last season that was seen, again and again.

    Raises:
        ValueError: If a window is shorter than a season.

    Example:
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
    """The mean over the training rows, at every step: zero in scaled units.

    Example:
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


class Linear(NamedTuple):
    """A linear map from a window to the rows after it, of each feature alone.

    Attributes:
        weights: From each row that was seen to each that follows.
        bias: Bias of each row that follows.
    """

    weights: Float64[np.ndarray, "length horizon"]
    bias: Float64[np.ndarray, " horizon"]

    def __call__(
        self, inputs: Float[np.ndarray, "n length f"]
    ) -> Float64[np.ndarray, "n horizon f"]:
        """Forecast of the linear map."""
        mapped = np.einsum("nlf,lh->nhf", inputs, self.weights, optimize=True)
        return mapped + self.bias[:, None]


def least_squares(task: Forecasts) -> Linear:
    """The linear map with the least squared error over all windows of the training.

    A triangular factor is carried from feature to feature: the condition of the windows is
    never squared, and memory holds the windows of two features at most.

    Raises:
        ValueError: If there are fewer windows than rows in one.

    Example:
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
