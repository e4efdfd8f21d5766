"""Forecasting: windows of a table, the rows that follow each window, and errors.

Rows are split in time and scaled by the mean and standard deviation of the training rows.
Every window is used.  Inputs of the first validation or test windows come from the rows
before that part.  The first row that is forecast is thus the first row of the part.

Source: Zhou et al. (2021), Informer, and its code for splits, scale and calendar; Tang et
al. (2025), BLUR, whose windows are as long as the horizon.
"""

import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, final

import numpy as np
import pandas
from jaxtyping import Float, Float64

from sigprop.numerics.arguments import require_count, require_moderate
from sigprop.tasks.tables import Table

Part = Literal["train", "validation", "test"]
PARTS: tuple[Part, ...] = ("train", "validation", "test")
MONTH = 30 * 24  # hours: the transformers' twelve, four and four months
HOURLY = ("ETTh1", "ETTh2")
QUARTERLY = ("ETTm1", "ETTm2")


class Rows(NamedTuple):
    """The rows ``start ... stop - 1`` of a table, counted from 0."""

    start: int
    stop: int


Splits = Mapping[Part, Rows]


def splits(table: Table) -> dict[Part, Rows]:
    """Split the rows of a table into training, validation and test parts.

    The tables ETTh1, ETTh2, ETTm1 and ETTm2 are split into 12, 4 and 4 months of 30
    days; later rows are unused.  Any other table is split into the first 70 %, the next
    10 % and the last 20 % of its rows.

    Returns:
        The range of rows of each part, ``start`` to ``stop - 1``, under the keys
        ``train``, ``validation`` and ``test``.

    Raises:
        ValueError: If the table is ETTh1, ETTh2, ETTm1 or ETTm2 and has fewer than 20
            months of rows.

    Example:
        The training part ends before row 1598, and the test part starts at row 1828:

        >>> from sigprop.tasks import carbon_dioxide
        >>> rows = splits(carbon_dioxide())
        >>> rows["train"], rows["test"].start
        (Rows(start=0, stop=1598), 1828)
    """
    name, rows = table.name.removesuffix(".csv"), len(table.values)
    if name in HOURLY + QUARTERLY:
        month = MONTH * (4 if name in QUARTERLY else 1)
        ends = [12 * month, 16 * month, 20 * month]
        if rows < ends[-1]:
            raise ValueError(
                f"need at least {ends[-1]} rows of {name}, got {rows}; give the whole "
                "file, or another name"
            )
    else:
        ends = [int(0.7 * rows), rows - int(0.2 * rows), rows]
    starts = [0, *ends[:-1]]
    return {
        part: Rows(start, stop)
        for part, start, stop in zip(PARTS, starts, ends, strict=True)
    }


class Windows(NamedTuple):
    """All windows of one part (training, validation or test) of a table.

    A window consists of input rows and the rows to forecast, which follow the input
    rows.  Windows overlap and share memory, so the arrays are read-only.

    Attributes:
        inputs: Input rows of each window.  Each feature is scaled to mean 0 and
            variance 1 over the training rows.
        targets: Rows to forecast in each window, scaled in the same way.
        calendar: Calendar features, such as hour and weekday, scaled to [-0.5, 0.5],
            for all rows of each window.  There are none if the task has
            ``calendar=False``.

    Example:
        431 windows, each of 104 weeks as input and 26 weeks to forecast:

        >>> from sigprop.tasks import carbon_dioxide
        >>> windows = Forecasts(carbon_dioxide(), length=104, horizon=26).windows("test")
        >>> windows.inputs.shape, windows.targets.shape
        ((431, 104, 1), (431, 26, 1))
    """

    inputs: Float[np.ndarray, "windows length features"]
    targets: Float[np.ndarray, "windows horizon outputs"]
    calendar: Float[np.ndarray, "windows rows marks"]


@final
@dataclass(frozen=True, eq=False)
class Forecasts:
    """A forecasting task: predict the next rows of a table from the rows before them.

    Attributes:
        table: Table of features in physical units.
        length: Number of input rows of a window.
        horizon: Number of rows to forecast.
        univariate: Name of the only feature that is used.  Default: all features.
        calendar: If true, windows include calendar features such as hour and weekday.
        rows: First row and end (exclusive) of the training, validation and test part.
            Default: the result of ``splits``.

    Raises:
        ValueError: If ``length`` or ``horizon`` is below one; if the table has no
            feature ``univariate``; if a part is too short for a window, reaches outside
            the table, or starts before the end of the preceding part; if a feature is
            constant over the training rows.

    Example:
        The test part has 431 windows, each of 104 weeks as input and 26 weeks to forecast:

        >>> from sigprop.tasks import carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=104, horizon=26)
        >>> task.features, task.count("test")
        (('co2',), 431)
    """

    table: Table
    length: int
    horizon: int
    univariate: str | None = None
    calendar: bool = False
    rows: Splits | None = None

    def __post_init__(self) -> None:
        for name in ("horizon", "length"):
            require_count(name, getattr(self, name))
        self._columns()
        end = 0
        for part in PARTS:
            start, stop = self.split[part]
            if not end <= start < stop <= len(self.table.values):
                raise ValueError(
                    f"need rows of {part} within {end} ... {len(self.table.values)} and "
                    f"at least one, got {start} ... {stop}"
                )
            end = stop
            if self.count(part) < 1:
                need, unit = self.horizon, "one forecast"
                if part == "train":  # the windows of other parts may begin before them
                    need, unit = need + self.length, "one window and what follows it"
                raise ValueError(
                    f"need {need} rows of {part} for {unit}, got {stop - start} of the "
                    f"table's {len(self.table.values)}, length={self.length} and "
                    f"horizon={self.horizon}; shorten the window or the horizon, or give "
                    "a longer table"
                )
        constant = np.flatnonzero(self.scale == 0)
        if constant.size:
            raise ValueError(
                "need columns that vary over the training rows, got "
                f"{self.features[int(constant[0])]!r} constant there; remove it"
            )

    @property
    def split(self) -> Splits:
        """Rows of the training, validation and test part.

        The keys are ``train``, ``validation`` and ``test``.  Each value is a range of
        rows from ``start`` to ``stop - 1``.
        """
        return splits(self.table) if self.rows is None else self.rows

    @property
    def marks(self) -> int:
        """Number of calendar features of a row; zero if ``calendar`` is false."""
        return calendar(self.table).shape[1] if self.calendar else 0

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the features in windows: ``univariate`` alone, or all."""
        return (self.univariate,) if self.univariate else self.table.features

    @property
    def mean(self) -> Float64[np.ndarray, " features"]:
        """Mean of each feature over the training rows, in physical units."""
        return self._training().mean(0)

    @property
    def scale(self) -> Float64[np.ndarray, " features"]:
        """Standard deviation of each feature over the training rows, in physical units."""
        return self._training().std(0)

    def scaled(self) -> Float64[np.ndarray, "rows features"]:
        """All rows of the table, scaled to mean 0 and variance 1 over the training rows."""
        return (self.table.values[:, self._columns()] - self.mean) / self.scale

    def count(self, part: Part) -> int:
        """Number of windows of a part (``train``, ``validation`` or ``test``)."""
        start, stop = self.split[part]
        return stop - self._first(start, part) - self.length - self.horizon + 1

    def windows(self, part: Part) -> Windows:
        """All windows of a part (``train``, ``validation`` or ``test``), in time order."""
        start, stop = self.split[part]
        first = self._first(start, part)
        rows = self.scaled()[first:stop]
        marks = calendar(self.table) if self.calendar else self.table.values[:, :0]
        rows_of_windows, times = (
            _sliding(column, self.length + self.horizon)
            for column in (rows, marks[first:stop])
        )
        return Windows(
            rows_of_windows[:, : self.length], rows_of_windows[:, self.length :], times
        )

    def about(self) -> dict[str, Any]:
        """Settings of the task and checksums of the table, for storage as JSON."""
        arrays = self.table.times.astype(np.int64), self.table.values
        return {
            "table": self.table.name,
            "rows": len(self.table.values),
            "checksums": [zlib.crc32(array.tobytes()) for array in arrays],
            "features": list(self.features),
            "length": self.length,
            "horizon": self.horizon,
            "calendar": self.calendar,
            "split": {part: list(self.split[part]) for part in PARTS},
        }

    def _columns(self) -> list[int]:
        return [self.table.column(name) for name in self.features]

    def _training(self) -> Float64[np.ndarray, "rows features"]:
        start, stop = self.split["train"]
        return self.table.values[start:stop, self._columns()]

    def _first(self, start: int, part: Part) -> int:
        """The first input row of a part's windows."""
        return start if part == "train" else max(0, start - self.length)


def _sliding(
    rows: Float[np.ndarray, "rows columns"], size: int
) -> Float[np.ndarray, "windows size columns"]:
    view = np.lib.stride_tricks.sliding_window_view(rows, size, axis=0)
    return np.moveaxis(view, -1, 1)


def calendar(table: Table) -> Float64[np.ndarray, "rows marks"]:
    """Calendar features of each row, each from -1/2 to 1/2.

    These are the hour, the weekday, the day of the month and the day of the year.  If rows
    are less than an hour apart, the minute comes first.
    """
    times = pandas.DatetimeIndex(table.times)
    marks = [
        times.hour / 23,
        times.day_of_week / 6,
        (times.day - 1) / 30,
        (times.day_of_year - 1) / 365,
    ]
    if 0 < table.step.seconds < 3600:
        marks.insert(0, times.minute / 59)
    return np.stack([np.asarray(mark, np.float64) for mark in marks], 1) - 0.5


class Errors(NamedTuple):
    """Errors of a forecast, averaged over its windows.

    Attributes:
        squared: Mean squared error for each row of the horizon and each feature.
        absolute: Mean absolute error for each row of the horizon and each feature.

    Example:
        Four windows, a horizon of two rows and one feature, with errors of 1:

        >>> found = errors(np.zeros((4, 2, 1)), np.ones((4, 2, 1)))
        >>> found.squared.shape, found.mse, found.mae
        ((2, 1), 1.0, 1.0)
    """

    squared: Float64[np.ndarray, "horizon features"]
    absolute: Float64[np.ndarray, "horizon features"]

    @property
    def mse(self) -> float:
        """Mean squared error over all rows and features."""
        return float(self.squared.mean())

    @property
    def mae(self) -> float:
        """Mean absolute error over all rows and features."""
        return float(self.absolute.mean())

    def in_units(self, scale: Float64[np.ndarray, " features"]) -> "Errors":
        """Convert errors of scaled features to the physical units of the features.

        Args:
            scale: Standard deviation by which each feature was divided, such as
                ``Forecasts.scale``.
        """
        return Errors(self.squared * scale**2, self.absolute * scale)


def errors(
    forecast: Float[np.ndarray, "windows horizon features"],
    truth: Float[np.ndarray, "windows horizon features"],
) -> Errors:
    """Compute the mean squared and absolute errors of a forecast.

    Args:
        forecast: Forecast rows of each window.
        truth: True rows of each window, in the units of the forecast.

    Raises:
        ValueError: If there is no window, or a value of ``forecast`` or ``truth`` is
            not finite or too large to square.

    Example:
        All errors are 3:

        >>> errors(np.zeros((4, 2, 1)), np.full((4, 2, 1), 3.0)).mse
        9.0
    """
    for name, rows in (("forecast", forecast), ("truth", truth)):
        require_moderate(name, rows, "windows horizon features")
    off = np.asarray(forecast, np.float64) - truth
    return Errors((off**2).mean(0), np.abs(off).mean(0))
