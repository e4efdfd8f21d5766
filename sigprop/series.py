"""The user's own series: read, checked, cut into windows, standardised."""

import csv
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from jaxtyping import Float

MIN_STEPS = 8  # fewer leave no lag to speak of
MAX_STEPS = 8192  # the covariance matrix then takes 512 MiB
FEW_WINDOWS = 100  # the interval covered 93 % at 200 independent squared Gaussians


@dataclass(frozen=True)
class Series:
    """Windows of one or more standardised features, and what was done to get them.

    ``block`` is the length, in windows, of the bootstrap's blocks.
    """

    values: Float[np.ndarray, "sequences time features"]
    names: tuple[str, ...]
    notes: tuple[str, ...]
    block: int


def load_series(path: Path, window: int = 512) -> Series:
    """Read ``.npy`` sequences, or cut the columns of a ``.csv`` into windows.

    Every feature is scaled to mean 0 and variance 1 over the windows that are kept.

    Args:
        path: ``.npy`` of shape (sequences, time[, features]), one sequence a row; or
            ``.csv``, whose leading column is dropped when it is an index or no number.
        window: steps per window of a ``.csv``; a ``.npy`` keeps its own sequences.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is not of that form, too short, not finite or constant.
    """
    if window < MIN_STEPS:
        raise ValueError(
            f"need a window of at least {MIN_STEPS} steps, got {window}; use --window "
            f"{MIN_STEPS} or more"
        )
    if not path.is_file():
        raise FileNotFoundError(
            f"need a .npy or .csv file, found none at {path}; check the path"
        )
    suffix = path.suffix.lower()
    if suffix not in (".npy", ".csv"):
        raise ValueError(
            f"need a .npy or .csv file, got {path.name}; convert it or rename it"
        )
    if path.stat().st_size == 0:
        raise ValueError(f"need a series, got the empty file {path.name}")
    values, names, notes = (
        _from_npy(path) if suffix == ".npy" else _from_csv(path, window)
    )
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


def _from_npy(path: Path) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    try:
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
            f"need real numbers, got dtype {values.dtype}; use array.astype(float)"
        )
    if values.ndim not in (2, 3) or values.shape[-1] == 0:
        raise ValueError(
            "need an array of shape (sequences, time) or (sequences, time, features), "
            f"got shape {values.shape}; reshape it"
        )
    sequences, steps = values.shape[:2]
    if sequences < 2 or steps < MIN_STEPS:
        raise ValueError(
            f"need at least 2 sequences of {MIN_STEPS} steps, got {sequences} of "
            f"{steps}; a single long series goes in a .csv, or reshape it to "
            "(windows, steps)"
        )
    values = values.reshape(sequences, steps, -1).astype(np.float64)
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        sequence, step, feature = map(int, wrong[0])
        raise ValueError(
            f"need finite numbers, got {values[sequence, step, feature]} at sequence "
            f"{sequence}, step {step}, feature {feature} (counted from 0); fill or "
            "remove it"
        )
    names = tuple(f"feature {index}" for index in range(values.shape[2]))
    return values, names, ("each .npy row is one sequence; --window is not applied",)


def _from_csv(
    path: Path, window: int
) -> tuple[np.ndarray, tuple[str, ...], tuple[str, ...]]:
    """Rows in messages are lines of the file, its header being row 1."""
    lines, cells = _read_cells(path)
    names = tuple(f"column {index}" for index in range(1, len(cells[0]) + 1))
    index_column = cells[0][0].strip() == ""
    header = cells[0] if len(cells[0]) == 1 else cells[0][1:]
    if index_column or not all(map(_is_number, header)):
        names = _names(cells[0])
        lines, cells = lines[1:], cells[1:]
    notes = []
    dated = not any(_is_number(row[0]) for row in cells)
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
    values = _numbers(lines, cells, names)
    windows, left = divmod(rows, window)
    if left:
        notes.append(f"dropped the last {left} of {rows} rows: they fill no window")
    kept = values[: windows * window].reshape(windows, window, -1)
    return kept, names, tuple(notes)


def _read_cells(path: Path) -> tuple[list[int], list[list[str]]]:
    lines: list[int] = []
    cells: list[list[str]] = []
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.reader(file)
            for row in reader:
                if not row:
                    continue
                if cells and len(row) != len(cells[0]):
                    raise ValueError(
                        f"need {len(cells[0])} cells in every row, got {len(row)} in "
                        f"row {reader.line_num}; complete or remove it"
                    )
                lines.append(reader.line_num)
                cells.append(row)
    except (UnicodeDecodeError, csv.Error) as error:
        raise ValueError(
            f"need comma-separated text in UTF-8, got {path.name}, which is "
            f"not: {error}; save it as CSV UTF-8"
        ) from error
    if not cells:
        raise ValueError(f"need a series, got the empty file {path.name}")
    return lines, cells


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def _names(header: list[str]) -> tuple[str, ...]:
    """Header cells, told apart by their position where they are empty or repeated."""
    plain = [cell.strip() for cell in header]
    return tuple(
        name if name and plain.count(name) == 1 else f"{name} column {index}".strip()
        for index, name in enumerate(plain, start=1)
    )


def _numbers(
    lines: list[int], cells: list[list[str]], names: tuple[str, ...]
) -> np.ndarray:
    try:
        values = np.array(cells, dtype=np.float64)
    except ValueError as error:
        row, column = next(
            (row, column)
            for row, line in enumerate(cells)
            for column, cell in enumerate(line)
            if not _is_number(cell)
        )
        raise ValueError(
            f"need a number, got {cells[row][column]!r} in row {lines[row]}, column "
            f"{names[column]!r}; fill or remove it"
        ) from error
    wrong = np.argwhere(~np.isfinite(values))
    if wrong.size:
        row, column = map(int, wrong[0])
        raise ValueError(
            f"need finite numbers, got {values[row, column]} in row {lines[row]}, "
            f"column {names[column]!r}; fill or remove it"
        )
    return values


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
