"""Pathfinder and Path-X, read pixel by pixel: are two marked tips on one contour?

The pictures are generated, or read from the released folders.  They are stored as bytes.  A
packed file is memory-mapped, so that memory holds only what a batch needs.  After an
interruption, packing resumes with the missing pieces.

Source: Linsley et al. (2018); Tay et al. (2021), Section 2.2.5.
"""

import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar, final

import numpy as np
from jaxtyping import UInt8
from PIL import Image, UnidentifiedImageError

from sigprop.numerics.files import mapped, unfinished
from sigprop.numerics.seeds import require_seed
from sigprop.tasks.contours import PATHFINDER_32, Rules, picture
from sigprop.tasks.examples import DataSet, Examples, split
from sigprop.tasks.packed import cache_path

COUNTS = (20_000, 2_000, 2_000)
SHARES = (0.8, 0.1, 0.1)
MAGIC = b"\x93NUMPY"
LAYOUT = 1  # of a packed file; another number leaves old ones alone

Table = UInt8[np.ndarray, "n pixels_and_label"]
Progress = Callable[[str], None]
T = TypeVar("T")


class Entry(NamedTuple):
    """A picture of the released folders.

    Attributes:
        name: Path of the file below the folder of its level.
        label: Class of the picture.
        size: Number of bytes of the file.
    """

    name: str
    label: int
    size: int


def pathfinder(
    folder: Path | None = None,
    *,
    rules: Rules = PATHFINDER_32,
    counts: tuple[int, int, int] = COUNTS,
    seed: int = 0,
    cache: Path | None = None,
    workers: int = 1,
    progress: Progress | None = None,
) -> DataSet:
    """Generate or read pictures as bytes ``(n, window**2, 1)``, row by row.

    Pictures of a folder are split in a fixed random order: 80 % for training, 10 % for
    validation and 10 % for the test.

    Args:
        folder: Folder of one released level, with ``metadata/{batch}.npy`` and
            ``imgs/{batch}/sample_{index}.png``.  Empty files are skipped.  Default:
            pictures are generated.
        rules: Parameters of generated pictures.  If files are read, only ``rules.window``
            is used.
        counts: Numbers of generated training, validation and test pictures.
        seed: Seed of generated pictures.
        cache: Folder for packed pictures, which are memory-mapped.  Default: pictures are
            in memory.
        workers: Number of processes, which does not change the result.
        progress: Function that is called with messages on the progress.

    Raises:
        ValueError: If a count or ``workers`` is below one; if the seed is not an integer
            in ``[0, 2**32)``; if two contours cannot fit the rules; if a file is damaged,
            of another size, or without a label 0 or 1.
        FileNotFoundError: If a file is missing.
    """
    if workers < 1:
        raise ValueError(f"need one worker or more, got {workers}")
    require_seed(seed)
    if folder is None:
        if min(counts) < 1:
            raise ValueError(f"need a picture in every part, got {counts}")
        total = sum(counts)
        shards = [
            partial(_draw, rules, seed, first, last) for first, last in _pieces(total)
        ]
        key = (rules, seed, total)
    else:
        entries = _in_parts(released(folder))
        counts, total = _sizes(len(entries)), len(entries)
        shards = [
            partial(_read, folder, entries[first:last], rules.window)
            for first, last in _pieces(total)
        ]
        key = (str(folder.resolve()), rules.window, *map(tuple, entries))
    work = _Work(shards, total, rules.window**2, workers, progress)
    inputs, labels = _from_cache(cache, key, work) if cache else _in_memory(work)
    lengths = np.full(total, rules.window**2, np.int32)
    every = Examples(inputs, lengths, labels.astype(np.int32))
    return DataSet(*every.parts(counts), classes=2)


# --- one shard ----------------------------------------------------------------------

SHARD = 1000  # pictures in one piece of work


def _pieces(total: int) -> list[tuple[int, int]]:
    return [(first, min(first + SHARD, total)) for first in range(0, total, SHARD)]


def _draw(rules: Rules, seed: int, first: int, last: int) -> Table:
    """Generate pictures, one a row, with the label in the last column."""
    table = np.empty((last - first, rules.window**2 + 1), np.uint8)
    for row, index in zip(table, range(first, last), strict=True):
        sample = picture(rules, seed, index)
        row[:-1], row[-1] = sample.image.ravel(), sample.label
    return table


def _read(folder: Path, entries: Sequence[Entry], window: int) -> Table:
    table = np.empty((len(entries), window**2 + 1), np.uint8)
    for row, entry in zip(table, entries, strict=True):
        row[:-1], row[-1] = _decoded(folder / entry.name, window).ravel(), entry.label
    return table


def _decoded(path: Path, window: int) -> UInt8[np.ndarray, "window window"]:
    try:
        with Image.open(path) as image:
            pixels = np.asarray(image)
    except (UnidentifiedImageError, OSError, SyntaxError) as error:
        raise ValueError(
            f"need a whole PNG file, got {path}: {error}; fetch it again"
        ) from error
    if pixels.dtype != np.uint8 or pixels.shape != (window, window):
        raise ValueError(
            f"need a grey picture of {window} x {window} bytes, got {pixels.dtype} "
            f"{pixels.shape} in {path}; give the rules of that size"
        )
    return pixels


# --- the released folders -----------------------------------------------------------


def released(folder: Path) -> list[Entry]:
    """List the pictures of one released level, in the order of their batches.

    Empty files are skipped.

    Raises:
        ValueError: If a table's name is no number; if it is damaged or has a label that is
            neither 0 nor 1; if there are no pictures.
        FileNotFoundError: If there are no tables, or a picture is missing.
    """
    paths = list((folder / "metadata").glob("*.npy"))
    if not paths:
        raise FileNotFoundError(
            "need metadata/{batch}.npy and imgs/{batch}/sample_{index}.png, as in "
            f"pathfinder32/curv_contour_length_14, in {folder}, got no metadata; leave "
            "the folder out to draw pictures instead"
        )
    strange = [path for path in paths if not path.stem.isdecimal()]
    if strange:
        raise ValueError(f"need metadata named by a number, got {strange[0]}")
    entries = []
    for path in sorted(paths, key=lambda table: int(table.stem)):
        for name, label in _listed(path):
            try:
                size = (folder / name).stat().st_size
            except FileNotFoundError:
                raise FileNotFoundError(
                    f"need {name}, which {path} lists, got no such file; unpack the "
                    "data set again"
                ) from None
            if size:
                entries.append(Entry(name, label, size))
    if not entries:
        raise ValueError(f"need pictures that are not empty in {folder}, got none")
    return entries


def _listed(path: Path) -> Iterator[tuple[str, int]]:
    for number, fields in enumerate(_fields(path), start=1):
        if len(fields) < 4 or fields[3] not in ("0", "1"):
            raise ValueError(
                "need a folder, a file, an index, a label of 0 or 1 and more, got "
                f"{' '.join(fields)[:60]!r} in {path}, line {number}"
            )
        yield f"{fields[0]}/{fields[1]}", int(fields[3])


def _fields(path: Path) -> list[list[str]]:
    """Fields of each line of a table, which is text or a NumPy array of strings."""
    content = path.read_bytes()
    if not content.startswith(MAGIC):
        lines = content.decode("ascii", errors="replace").splitlines()
        return [line.split() for line in lines if line.strip()]
    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(
            f"need text or an array of strings, got {path}: {error}; fetch it again"
        ) from error
    if array.dtype.kind not in "SU" or array.ndim != 2:
        raise ValueError(
            f"need strings in rows and columns, got {array.dtype} {array.shape} in {path}"
        )
    return array.astype(str).tolist()


def _in_parts(entries: list[Entry]) -> list[Entry]:
    """Sort pictures by part, so that each part is a contiguous piece of a packed file."""
    return [entries[row] for part in split(len(entries), SHARES) for row in part]


def _sizes(total: int) -> tuple[int, int, int]:
    first, second, third = map(len, split(total, SHARES))
    return first, second, third


# --- all shards ---------------------------------------------------------------------

Arrays = tuple[UInt8[np.ndarray, "n pixels 1"], UInt8[np.ndarray, " n"]]


@final
@dataclass(frozen=True)
class _Work:
    """Pieces of work, with the number and the size of all pictures."""

    shards: Sequence[Callable[[], Table]]
    total: int
    pixels: int
    workers: int
    progress: Progress | None

    def rows(self, number: int) -> slice:
        return slice(number * SHARD, min((number + 1) * SHARD, self.total))

    def done(self, pieces: Mapping[int, Callable[[], T]]) -> Iterator[tuple[int, T]]:
        """Yield the index and the result of each piece as soon as it is ready."""
        ready = self.total - sum(self._size(number) for number in pieces)
        results = _parallel if self.workers > 1 else _serial
        for number, result in results(pieces, self.workers):
            ready += self._size(number)
            if self.progress:
                self.progress(f"{ready} of {self.total} pictures ready")
            yield number, result

    def _size(self, number: int) -> int:
        rows = self.rows(number)
        return rows.stop - rows.start


def _serial(pieces: Mapping[int, Callable[[], T]], _: int) -> Iterator[tuple[int, T]]:
    for number, piece in pieces.items():
        yield number, piece()


def _parallel(
    pieces: Mapping[int, Callable[[], T]], workers: int
) -> Iterator[tuple[int, T]]:
    with ProcessPoolExecutor(
        min(workers, max(len(pieces), 1)),
        multiprocessing.get_context("spawn"),
        initializer=_end_with_parent,
    ) as pool:
        numbers = {pool.submit(piece): number for number, piece in pieces.items()}
        try:
            for future in as_completed(numbers):
                yield numbers.pop(future), future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _end_with_parent() -> None:
    """End a worker when its parent ends; otherwise it would wait for work forever."""

    def wait() -> None:
        parent = multiprocessing.parent_process()
        if parent:
            parent.join()
            os._exit(1)

    threading.Thread(target=wait, daemon=True).start()


def _in_memory(work: _Work) -> Arrays:
    inputs = np.empty((work.total, work.pixels, 1), np.uint8)
    labels = np.empty(work.total, np.uint8)
    for number, table in work.done(dict(enumerate(work.shards))):
        rows = work.rows(number)
        inputs[rows, :, 0], labels[rows] = table[:, :-1], table[:, -1]
    return inputs, labels


# --- packed files -------------------------------------------------------------------


def _from_cache(cache: Path, key: object, work: _Work) -> Arrays:
    """Map pictures and labels from packed files; write missing files first."""
    path = cache_path(cache, "pathfinder.npy", (LAYOUT, key))
    if not _is_packed(path):
        try:
            _pack(path, work)
        except FileNotFoundError:
            if not _is_packed(path):  # else another process was faster, and tidied up
                raise
    inputs = _mapped(path, (work.total, work.pixels, 1))
    labels = np.array(_mapped(_beside(path), (work.total,)))
    if labels.max() > 1:
        raise ValueError(f"need labels of 0 or 1, got others; delete {path}")
    return inputs, labels


def _pack(path: Path, work: _Work) -> None:
    """Write shards, and then one file of all, which gets its name only when complete."""
    folder = path.with_suffix(".shards")
    folder.mkdir(parents=True, exist_ok=True)
    names = [folder / f"{number:06}.npy" for number in range(len(work.shards))]
    missing = {
        number: partial(_save_shard, name, shard)
        for number, (name, shard) in enumerate(zip(names, work.shards, strict=True))
        if not name.is_file()
    }
    for _ in work.done(missing):
        pass
    labels = np.empty(work.total, np.uint8)
    with unfinished(path) as partial_file:
        inputs = np.lib.format.open_memmap(
            partial_file, "w+", np.uint8, (work.total, work.pixels, 1)
        )
        for number, name in enumerate(names):
            rows = work.rows(number)
            table = _mapped(name, (rows.stop - rows.start, work.pixels + 1))
            inputs[rows, :, 0], labels[rows] = table[:, :-1], table[:, -1]
        inputs.flush()
        _save(_beside(path), labels)
    shutil.rmtree(folder, ignore_errors=True)


def _beside(path: Path) -> Path:
    """Path of the labels, which are written before the file of pictures is complete."""
    return path.with_name(f"{path.stem}-labels.npy")


def _is_packed(path: Path) -> bool:
    return path.is_file() and _beside(path).is_file()


def _save_shard(path: Path, shard: Callable[[], Table]) -> None:
    _save(path, shard())


def _save(path: Path, array: np.ndarray) -> None:
    with unfinished(path) as partial_file, partial_file.open("wb") as stream:
        np.save(stream, array)


def _mapped(path: Path, shape: tuple[int, ...]) -> UInt8[np.ndarray, "*shape"]:
    array = mapped(path)
    if array.dtype != np.uint8 or array.shape != shape:
        raise ValueError(
            f"need uint8 {shape}, got {array.dtype} {array.shape}; delete {path}"
        )
    return array
