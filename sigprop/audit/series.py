"""Time series of the user: read from a file, checked, cut into windows, standardised."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Bool, Float

from sigprop.numerics.cells import is_number, read_cells, to_numbers
from sigprop.numerics.documents import require_regular
from sigprop.numerics.npy import read_header

MIN_STEPS = 8  # shorter windows have too few lags
MAX_STEPS = 8192  # the covariance matrix then takes 512 MiB
CLOCK = 0.9  # share of equal steps from which a column is a time, perhaps with gaps
FEW_WINDOWS = 100  # with 200 independent squared Gaussians the interval covered 93 %


@dataclass(frozen=True)
class Series:
    """Windows of a time series with standardised features.

    Attributes:
        values: Windows of equal length, in the order of time.
        names: Name of each feature.
        notes: Sentences about the preparation, such as dropped rows.
        block: Number of consecutive windows that the bootstrap resamples together.

    Example:
        >>> x = np.random.default_rng(0).normal(size=(40, 32, 2))
        >>> Series(x, ("wind", "rain"), notes=(), block=1).values.shape
        (40, 32, 2)
    """

    values: Float[np.ndarray, "sequences time features"]
    names: tuple[str, ...]
    notes: tuple[str, ...]
    block: int


def load_series(path: Path, window: int = 512) -> Series:
    """Read a time series from a ``.npy`` or ``.csv`` file, and cut it into windows.

    Every feature is scaled to mean 0 and variance 1 over all windows.  A column that
    only grows or only falls is treated as a time stamp or an index and dropped, with a
    note.  The same holds for a column that changes by the same amount in at least 90 %
    of the rows.

    Args:
        path: File with the series.  A ``.npy`` array has the shape (time, features) for
            one series, or (sequences, time, features).  A ``.csv`` file has one row per
            step, with cells separated by ``,``, ``;`` or tabs.  The first column is
            dropped if it is an index or not numeric.
        window: Number of steps of a window, 8 or more.  It is ignored for an array of
            several sequences, where each sequence is a window.

    Raises:
        FileNotFoundError: If the file does not exist.
        ValueError: If ``window`` is below 8 or a window has over 8192 steps; if the file
            has another format or fewer than two windows; or if a value is not finite or
            a feature is constant.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "noise.npy"
        ...     np.save(file, np.random.default_rng(0).normal(size=(1000, 2)))
        ...     load_series(file, window=100).values.shape
        (10, 100, 2)
    """
    if window < MIN_STEPS:
        raise ValueError(
            f"need a window of at least {MIN_STEPS} steps, got {window}; use --window "
            f"{MIN_STEPS} or more"
        )
    if not path.exists() and not path.is_symlink():
        raise FileNotFoundError(
            f"need a .npy or .csv file, found none at {path}; check the path"
        )
    require_regular(path)
    suffix = path.suffix.lower()
    if suffix not in (".npy", ".csv"):
        raise ValueError(
            f"need a .npy or .csv file, got {path.name}; convert it or rename it"
        )
    if path.stat().st_size == 0:
        raise ValueError(f"need a series, got the empty file {path.name}")
    values, names, notes = (
        _from_npy(path, window) if suffix == ".npy" else _from_csv(path, window)
    )
    values, names, clocks = _without_clocks(values, names)
    notes = (*notes, *clocks)
    sequences, steps, _ = values.shape
    if steps > MAX_STEPS:
        raise ValueError(
            f"need at most {MAX_STEPS} steps, got {steps}: the covariance matrix holds "
            "steps x steps numbers; cut shorter windows"
        )
    block = max(1, round(sequences ** (1 / 3)))
    notes = (
        *notes,
        f"each feature scaled to mean 0 and variance 1 over {sequences} windows of "
        f"{steps} steps",
        f"bootstrap in blocks of {block} windows out of {sequences}; features are "
        "judged separately, though they may depend on each other",
    )
    if sequences < FEW_WINDOWS:
        notes += (
            f"only {sequences} windows: the 95 % intervals are too narrow (for squared "
            "Gaussians from 34 independent windows they cover 88 %, from 10 81 %)",
        )
    return Series(_standardised(values, names), names, notes, block)


def _from_npy(
    path: Path, window: int
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    try:
        _require_complete(path)
        with path.open("rb") as file:
            values = np.lib.format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(
            f"need a whole .npy file of plain numbers, got {path.name}, which holds "
            "Python objects, is cut short, or is not .npy; write it with "
            "np.save(path, array.astype(float))"
        ) from error
    if values.dtype.kind not in "fiu":
        raise ValueError(
            f"need real numbers, got dtype {values.dtype}; use array.astype(float) "
            f"for {path.name}"
        )
    if values.ndim not in (2, 3) or values.shape[-1] == 0:
        raise ValueError(
            "need an array of shape (time, features) or (sequences, time, features), "
            f"got shape {values.shape}; reshape it"
        )
    names = tuple(f"feature {index}" for index in range(values.shape[-1]))
    if values.ndim == 2:
        return _one_series(values.astype(np.float64), window, names)
    sequences, steps = values.shape[:2]
    if sequences < 2 or steps < MIN_STEPS:
        raise ValueError(
            f"need at least 2 sequences of {MIN_STEPS} steps, got {sequences} of "
            f"{steps}; a single long series has the shape (time, features)"
        )
    values = values.astype(np.float64)
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        sequence, step, feature = map(int, wrong[0])
        raise ValueError(
            f"need finite numbers, got {values[sequence, step, feature]} at sequence "
            f"{sequence}, step {step}, feature {feature} (counted from 0); fill or "
            "remove it"
        )
    return values, names, ("each .npy row is one sequence; --window is not applied",)


def _one_series(
    values: Float[np.ndarray, "time features"], window: int, names: tuple[str, ...]
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Return the windows of one series from a ``.npy`` file with a row per step."""
    rows, features = values.shape
    told = (
        f"a .npy array of shape ({rows}, {features}) is one series of {rows} steps and "
        f"{features} feature{'' if features == 1 else 's'}; sequences have the shape "
        "(sequences, time, features)"
    )
    if rows < 2 * window:
        raise ValueError(
            f"need at least 2 windows of {window} steps, got {rows} rows: {told}; use "
            f"--window {max(rows // 2, MIN_STEPS)} or less, or reshape it"
        )
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        step, feature = map(int, wrong[0])
        raise ValueError(
            f"need finite numbers, got {values[step, feature]} at step {step}, feature "
            f"{feature} (counted from 0); fill or remove it"
        )
    windows, dropped = _cut(values, window)
    return windows, names, (told, *dropped)


def _cut(
    rows: Float[np.ndarray, "rows features"], window: int
) -> tuple[Float[np.ndarray, "windows steps features"], tuple[str, ...]]:
    """Return the whole windows of a series, and a note on the remaining rows."""
    windows, left = divmod(len(rows), window)
    dropped = f"dropped the last {left} of {len(rows)} rows: they fill no window"
    cut = rows[: windows * window].reshape(windows, window, -1)
    return cut, (dropped,) if left else ()


def _require_complete(path: Path) -> None:
    """Raise an error, before memory is allocated, if a file is shorter than its header says.

    Raises:
        ValueError: If the file is too short or has no header.
    """
    with path.open("rb") as file:
        header = read_header(file)
        size = path.stat().st_size - file.tell()
    if header.bytes > size:
        raise ValueError(f"claims {header.bytes} bytes and holds {size}")


def _from_csv(
    path: Path, window: int
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Read windows from a CSV file; messages count the header as row 1."""
    lines, cells, notes = read_cells(path)
    names = tuple(f"column {index}" for index in range(1, len(cells[0]) + 1))
    index_column = cells[0][0].strip() == ""
    header = cells[0] if len(cells[0]) == 1 else cells[0][1:]
    if index_column or not all(map(is_number, header)):
        names = _names(cells[0])
        lines, cells = lines[1:], cells[1:]
    dated = not any(is_number(row[0]) for row in cells)
    if len(names) > 1 and cells and (dated or index_column):
        kind = "unnamed index" if index_column else f"non-numeric {names[0]!r}"
        notes.append(f"dropped the leading column: {kind}")
        names, cells = names[1:], [row[1:] for row in cells]
    rows = len(cells)
    if rows < 2 * MIN_STEPS:
        raise ValueError(
            f"need at least {2 * MIN_STEPS} rows (2 windows of {MIN_STEPS} steps), got "
            f"{rows}; give a longer series"
        )
    if rows < 2 * window:
        raise ValueError(
            f"need at least 2 windows of {window} steps, got {rows} rows; use --window "
            f"{rows // 2} or less"
        )
    values = to_numbers(lines, cells, names)
    windows, dropped = _cut(values, window)
    return windows, names, (*notes, *dropped)


def _names(header: list[str]) -> tuple[str, ...]:
    """Return the header cells, with a column number if they are empty or repeated."""
    plain = [cell.strip() for cell in header]
    return tuple(
        name if name and plain.count(name) == 1 else f"{name} column {index}".strip()
        for index, name in enumerate(plain, start=1)
    )


def _counts_time(
    values: Float[np.ndarray, "sequences time features"],
) -> Bool[np.ndarray, " features"]:
    """Mark features that only grow, only fall, or nearly always move by the same step."""
    clocks = []
    _, exponents = np.frexp(np.abs(values).max(axis=(0, 1)))
    smaller = np.ldexp(values, -exponents - 1)  # exact: differences cannot overflow
    for column in np.moveaxis(np.diff(smaller, axis=1), 2, 0):
        moves, counts = np.unique(column, return_counts=True)
        step = moves[np.argmax(counts)]
        monotone = moves[0] >= 0 or moves[-1] <= 0
        even = step != 0 and counts.max() >= CLOCK * column.size
        clocks.append(bool(np.any(moves) and (monotone or even)))
    return np.array(clocks, bool)


def _without_clocks(
    values: Float[np.ndarray, "sequences time features"], names: tuple[str, ...]
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Drop features that are a time or an index, and return a note on them.

    Raises:
        ValueError: If no feature remains.
    """
    clock = _counts_time(values)
    if not clock.any():
        return values, names, ()
    dropped = ", ".join(
        repr(name) for name, is_one in zip(names, clock, strict=True) if is_one
    )
    why = (
        "only grows, only falls, or moves by one step alone, as a time or an index does"
    )
    if clock.all():
        raise ValueError(
            f"need a series that fluctuates, got {dropped} alone, which {why}; add the "
            "measured columns, or take differences of a trend"
        )
    kept_names = tuple(
        name for name, is_one in zip(names, clock, strict=True) if not is_one
    )
    return values[:, :, ~clock], kept_names, (f"dropped {dropped}: it {why}",)


def _standardised(
    values: Float[np.ndarray, "sequences time features"], names: tuple[str, ...]
) -> Float[np.ndarray, "sequences time features"]:
    constant = values.min(axis=(0, 1)) == values.max(axis=(0, 1))
    if constant.any():
        column = int(np.argmax(constant))
        raise ValueError(
            f"need columns that vary, got {names[column]!r} constant at "
            f"{values[0, 0, column]:g}; remove it"
        )
    scaled = values / np.abs(values).max(axis=(0, 1))  # squares of 1e200 overflow
    centred = scaled - scaled.mean(axis=(0, 1))
    return centred / np.sqrt((centred**2).mean(axis=(0, 1)))
