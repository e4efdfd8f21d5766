"""Tables of features at regular times: read from files and checked.

The first column of a file is the time of each row.  Times are ISO 8601, such as
``2016-07-01 00:00:00``, or month, day and year as ``7/1/2016 0:00``.  The month always
comes before the day.  If all times have an offset, such as ``Z`` or ``+02:00``, they are
converted to UTC.  Successive times must differ by one constant step, in seconds or in
months.

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
    """The time between two successive rows of a table.

    Attributes:
        seconds: Number of seconds; ignored if ``months`` is not zero.
        months: Number of calendar months, or zero.
    """

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
        """Number of steps in a season.

        The season is a day if a day is a whole number of steps, at least two.  Otherwise
        it is a year, and the number is rounded.
        """
        if self.months:
            return max(1, round(12 / self.months))
        day = int(DAY.astype(int))
        if self.seconds < day and day % self.seconds == 0:
            return day // self.seconds
        return max(1, round(365.25 * day / self.seconds))


@final
@dataclass(frozen=True, eq=False)
class Table:
    """A table with a column per feature and a row per time, at a constant time step.

    Attributes:
        name: Name of the table for messages and figures, such as its file name.
        times: Time of each row, as ``datetime64[s]``.
        values: Value of each feature in each row.
        features: Names of the features.
        step: Time between two successive rows.

    Example:
        The table of carbon dioxide at Mauna Loa has one feature and 2284 weeks:

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
        """Index of a feature among the columns of ``values``.

        Raises:
            ValueError: If there is no feature of this name.
        """
        if feature not in self.features:
            raise ValueError(
                f"need a column of {self.name}, {', '.join(self.features)}, got "
                f"{feature!r}"
            )
        return self.features.index(feature)


def read_table(path: Path) -> Table:
    r"""Read a ``.csv`` file whose first column is the time of each row.

    Times have a form such as ``2016-07-01 00:00:00`` or ``7/1/2016 0:00`` (month
    first).  If all times have an offset such as ``Z`` or ``+02:00``, they are converted
    to UTC.

    Args:
        path: Path of the file.  Its first row contains the names of the columns.

    Raises:
        FileNotFoundError: If there is no file at ``path``.
        ValueError: If a cell is not a time or a number; if times are repeated, out of
            order, or not separated by one constant step; if a feature is constant or
            has a number of absolute value above 1e150; if the name of a feature is
            missing or repeated; if there are fewer than two rows, or there is no
            feature.

    Example:
        The first row of this file names its columns ``time`` and ``level``:

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
    """Return the table if every feature varies and can be squared.

    Raises:
        ValueError: If a feature is constant, or has a number above ``LARGEST`` in size.
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
    """Times of the rows; each cell may have either notation."""
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
    """The step that is common to all rows.

    Raises:
        ValueError: If times are repeated or out of order, or steps differ.
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
    """Load the weekly concentration of carbon dioxide over Mauna Loa, 1958 to 2001.

    The unit is parts per million by volume.  Of the 2284 weeks, 59 have no measurement;
    their values are interpolated linearly.  The package ``statsmodels`` contains the
    data.

    Raises:
        ModuleNotFoundError: If statsmodels is not installed
            (``pip install 'sigprop[data]'``).

    Example:
        The value of the first week is 316.1 ppm:

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
    """Load a table of features, by its name or from a file.

    Args:
        data: Path of a ``.csv`` file, or the name of a table.  ``co2`` is loaded from
            the package statsmodels.  ``ETTh1``, ``ETTh2``, ``ETTm1``, ``ETTm2``,
            ``WTH`` and ``ECL`` are read from the folder that the environment variable
            ``SIGPROP_DATA`` names.  Each of these six names can have the suffix
            ``.csv``.  With the suffix, a file of this name in the working folder takes
            precedence.

    Raises:
        FileNotFoundError: If there is no file at the path; if ``data`` is one of the
            six names, and ``SIGPROP_DATA`` is not set or its folder lacks the file.
        ModuleNotFoundError: If ``data`` is ``co2`` and statsmodels is not installed
            (``pip install 'sigprop[data]'``).
        ValueError: If ``data`` is empty, or ``read_table`` does not accept the file.

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
