"""Tables of features at regular times: read, checked, and nothing guessed.

The first column of a file is the time of each row.  Times are ISO 8601, such as
``2016-07-01 00:00:00``, or month, day and year as ``7/1/2016 0:00``; a day is never taken
for a month.  An offset from Greenwich, such as ``Z`` or ``+02:00``, is read where all
times have one; they are then times of Greenwich.  Times have to grow by one and the same
step, in seconds or in months.

Source: Zhou et al. (2021), Informer, for ETT, WTH and ECL; Keeling and Whorf (2004), for
the carbon dioxide over Mauna Loa.
"""

import os
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple, final

import numpy as np
import pandas
from jaxtyping import Float, Shaped

from sigprop.numerics.cells import read_cells, to_numbers
from sigprop.numerics.documents import require_regular
from sigprop.numerics.extras import extra
from sigprop.tasks.catalogue import VARIABLE

AMERICAN = ("%m/%d/%Y %H:%M", "%m/%d/%Y %H:%M:%S", "%m/%d/%Y")
OFFSET = r"(?:[T ]\d\d|:\d\d(?:[.,]\d+)?)(?:Z|[+-]\d\d(?::?\d\d)?)$"
DAY = np.timedelta64(24 * 60 * 60, "s")
LARGEST = 1e150  # of a feature: squares are finite


class Step(NamedTuple):
    """The time between two rows: seconds, or calendar months where there are any."""

    seconds: int
    months: int = 0

    def __str__(self) -> str:
        if self.months:
            return f"{self.months} month" + "s" * (self.months != 1)
        for size, name in ((86400, "day"), (3600, "hour"), (60, "minute")):
            if self.seconds % size == 0:
                count = self.seconds // size
                return f"{count} {name}" + "s" * (count != 1)
        return f"{self.seconds} seconds"

    @property
    def season(self) -> int:
        """Steps of a day, where they divide it; otherwise of a year, to the nearest."""
        if self.months:
            return max(1, round(12 / self.months))
        day = int(DAY.astype(int))
        if self.seconds < day and day % self.seconds == 0:
            return day // self.seconds
        return max(1, round(365.25 * day / self.seconds))


@final
@dataclass(frozen=True, eq=False)
class Table:
    """Features over time.

    Attributes:
        name: Name of the source, for messages and pictures.
        times: Time of each row.
        values: Value of each feature in each row.
        features: Their names.
        step: Time between two rows.

    Example:
        >>> table = carbon_dioxide()
        >>> table.features, table.values.shape, table.column("co2")
        (('co2',), (2284, 1), 0)
    """

    name: str
    times: Shaped[np.ndarray, " rows"]
    values: Float[np.ndarray, "rows features"]
    features: tuple[str, ...]
    step: Step

    def column(self, feature: str) -> int:
        """The place of a feature.

        Raises:
            ValueError: If there is none of this name.
        """
        if feature not in self.features:
            raise ValueError(
                f"need a column of {self.name}, {', '.join(self.features)}, got "
                f"{feature!r}"
            )
        return self.features.index(feature)


def read_table(path: Path) -> Table:
    r"""A ``.csv`` whose first column is the time of each row.

    Args:
        path: Path of the file; its first row names the columns.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If a cell is no time or no number, times are repeated, out of order or
            at another step than the first two, a column is constant, or there are fewer
            than two rows or no feature; it names the row of the file and the column.

    Example:
        >>> import tempfile
        >>> rows = "time,level\n2024-01-01,1.0\n2024-01-02,2.0\n2024-01-03,4.0\n"
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "levels.csv"
        ...     _ = file.write_text(rows)
        ...     read_table(file).values[:, 0].tolist()
        [1.0, 2.0, 4.0]
    """
    if not path.exists() and not path.is_symlink():
        raise FileNotFoundError(
            f"need a .csv file with a column of times, found none at {path}; check the path"
        )
    require_regular(path)
    lines, cells, _ = read_cells(path)
    header = [cell.strip() for cell in cells[0]]
    features = tuple(header[1:])
    if not features or len(set(features)) < len(features) or "" in features:
        raise ValueError(
            f"need a column of times and one at least of numbers, each with a name of its "
            f"own in the first row, got {header}"
        )
    lines, cells = lines[1:], cells[1:]
    if len(cells) < 2:
        raise ValueError(f"need at least 2 rows of numbers, got {len(cells)}")
    times = _times(lines, [row[0].strip() for row in cells], header[0])
    step = _step(lines, times)
    values = to_numbers(lines, [row[1:] for row in cells], features)
    return _checked(Table(path.name, times, values, features, step))


def _checked(table: Table) -> Table:
    """A table whose features all vary, in units in which their squares are finite.

    Raises:
        ValueError: Naming one that does not.
    """
    large = np.abs(table.values).max(axis=0) > LARGEST
    if large.any():
        raise ValueError(
            f"need numbers of at most {LARGEST:g} in size, got larger ones in "
            f"{table.features[int(np.argmax(large))]!r}; give them in a larger unit"
        )
    constant = np.ptp(table.values, axis=0) == 0
    if constant.any():
        column = int(np.argmax(constant))
        raise ValueError(
            f"need columns that vary, got {table.features[column]!r} constant at "
            f"{table.values[0, column]:g}; remove it"
        )
    return table


def _times(
    lines: list[int], cells: list[str], name: str
) -> Shaped[np.ndarray, " rows"]:
    """Times of the rows, from whichever notation each cell has."""
    text = pandas.Series(cells).str.upper()
    slashed = text.str.contains("/", regex=False)
    times = pandas.Series(pandas.NaT, index=text.index, dtype="datetime64[s]")
    times[~slashed] = _parsed(text[~slashed], "ISO8601")
    offset = text.str.contains(OFFSET)
    if offset.any() and not offset.all():
        row = int(np.flatnonzero(offset != offset[0])[0])
        raise ValueError(
            f"need an offset such as Z or +02:00 in all times or in none, got {cells[0]!r} "
            f"and, in row {lines[row]}, {cells[row]!r}"
        )
    for form in AMERICAN:
        open_ = slashed & times.isna()
        times[open_] = _parsed(text[open_], form)
    wrong = np.flatnonzero(times.isna())
    if wrong.size:
        row = int(wrong[0])
        raise ValueError(
            f"need a time as 2016-07-01 00:00:00 or 7/1/2016 0:00 (month first), got "
            f"{cells[row]!r} in row {lines[row]}, column {name!r}"
        )
    return times.to_numpy().astype("datetime64[s]")


def _parsed(text: pandas.Series, form: str) -> pandas.Series:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # that nothing was parsed
        parsed = pandas.to_datetime(text, format=form, errors="coerce", utc=True)
    return parsed.dt.tz_localize(None).astype("datetime64[s]")


def _step(lines: list[int], times: Shaped[np.ndarray, " rows"]) -> Step:
    """The one step of all rows.

    Raises:
        ValueError: Naming the first row that is before another, or at another step.
    """
    steps = np.diff(times).astype(int)
    months = np.diff(times.astype("datetime64[M]").astype(int))
    since = (times - times.astype("datetime64[M]")).astype(int)
    if months[0] > 0 and (since == since[0]).all() and (months == months[0]).all():
        return Step(0, int(months[0]))
    first = steps[0]
    wrong = np.flatnonzero((steps <= 0) | (steps != first))
    if wrong.size == 0:
        return Step(int(first))
    back = np.flatnonzero(steps < 0)  # a row that seems to be missing may stand later
    row = int((back if back.size else wrong)[0])
    was, now = (str(time).replace("T", " ") for time in times[row : row + 2])
    if steps[row] == 0:
        problem, remedy = f"{now} twice", "remove one of the rows"
    elif steps[row] < 0:
        problem, remedy = f"{now} after {was}", "sort the rows by time"
    elif first > 0 and steps[row] % first == 0:
        missing = int(steps[row] // first) - 1
        problem = f"{now} after {was}: {missing} row{'s' * (missing != 1)} missing"
        remedy = "fill them in, or give a part without gaps"
    else:
        problem, remedy = f"{now} after {was}", "give rows at one step"
    usual = f", here {Step(int(first))}" if first > 0 else ""
    raise ValueError(
        f"need times that grow by one step{usual}, got {problem}, in row "
        f"{lines[row + 1]}; {remedy}"
    )


def carbon_dioxide() -> Table:
    """Weekly carbon dioxide over Mauna Loa, 1958 to 2001, which ``statsmodels`` brings.

    59 of the 2284 weeks were not measured: they lie on a straight line between their
    neighbours.

    Raises:
        ModuleNotFoundError: If statsmodels, of the extra ``data``, is not installed.

    Example:
        >>> table = carbon_dioxide()
        >>> table.values.shape, float(table.values[0, 0])
        ((2284, 1), 316.1)
    """
    with extra("data", "the table co2"):
        from statsmodels.datasets import co2
    weekly = pandas.DataFrame(co2.load_pandas().data)["co2"].interpolate()
    times = weekly.index.to_numpy().astype("datetime64[s]")
    step = _step(list(range(2, len(times) + 2)), times)
    values = weekly.to_numpy(np.float64)[:, None]
    return _checked(Table("co2", times, values, ("co2",), step))


FILES = {
    "ETTh1": "ett/ETTh1.csv",
    "ETTh2": "ett/ETTh2.csv",
    "ETTm1": "ett/ETTm1.csv",
    "ETTm2": "ett/ETTm2.csv",
    "WTH": "weather/WTH.csv",
    "ECL": "electricity/ECL.csv",
}


def load_table(data: str) -> Table:
    """A table by its name, or from a file.

    Args:
        data: ``co2``; one of ``FILES``, found below the environment's ``SIGPROP_DATA``;
            with or without ``.csv``; or the path of a ``.csv``, which comes first.

    Raises:
        FileNotFoundError: If there is no such file, or the environment names no folder.
        ModuleNotFoundError: If ``co2`` is asked for and statsmodels, of the extra
            ``data``, is not installed.
        ValueError: If it is no table of regular times.

    Example:
        >>> load_table("co2").features
        ('co2',)
    """
    if not data:
        raise ValueError("need data, a name or the path of a .csv, got data=''")
    if data == "co2":
        return carbon_dioxide()
    name = data.removesuffix(".csv")
    if name not in FILES or (name != data and Path(data).is_file()):
        return read_table(Path(data))
    folder = os.environ.get(VARIABLE)
    path = Path(folder or "") / FILES[name]
    if not folder or not path.is_file():
        raise FileNotFoundError(
            f"need {FILES[name]} below the folder {VARIABLE}, got {folder or 'none'}; set "
            f"it, or give the path of a .csv"
        )
    return read_table(path)
