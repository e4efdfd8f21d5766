"""Token sequences in a file, which is written once and then memory-mapped.

A packed file is one NumPy array of integers with a row for each example.  A row has the
tokens, padded with zeros to a common width, and the label in the last column.  Rows are
written in blocks, so that memory holds one block at a time.
"""

import hashlib
import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, final

import numpy as np
from jaxtyping import Int, Shaped

from sigprop.numerics.files import mapped, unfinished
from sigprop.tasks.examples import Examples

Row = tuple[Shaped[np.ndarray, " time"], int]  # tokens, their end included, and a label

BLOCK = 1000  # rows written, or checked, together
LAYOUT = 2  # of a packed file; another number leaves old ones alone


@final
@dataclass(frozen=True)
class Form:
    """Format of the rows of a packed file.

    Attributes:
        width: Number of steps of a padded example.
        vocabulary: Number of tokens, including the padding token, which is zero.
        classes: Number of classes.
        end: Token at the end of every example; None if examples have no end token.
    """

    width: int
    vocabulary: int
    classes: int
    end: int | None = None

    @property
    def kind(self) -> np.dtype:
        """The smallest type of integers that can store every token and label."""
        top = max(self.vocabulary, self.classes) - 1
        kinds = (np.uint8, np.int16, np.int32)
        return np.dtype(next(kind for kind in kinds if top <= np.iinfo(kind).max))


def padded(rows: Iterable[Row], form: Form) -> Examples:
    """Make examples in memory from rows of tokens and a label.

    Raises:
        ValueError: If there are no rows, or a row does not have the format.
    """
    return _parts(np.concatenate(list(_blocks(rows, form))), form)


def cached(
    cache: Path | None,
    name: str,
    key: object,
    form: Form,
    rows: Callable[[], Iterable[Row]],
) -> Examples:
    """Map examples from a packed file; write the file first if there is none.

    Args:
        cache: Folder of the packed files.  None: the rows are stored in memory.
        name: First part of the file's name.
        key: Everything on which the rows depend.  Each ``repr`` of it has a separate file.
        form: Format of the rows.
        rows: Function that returns the rows, called if there is no file.

    Raises:
        ValueError: If there are no rows, if a row does not have the format, or if a
            packed file is damaged.
    """
    if cache is None:
        return padded(rows(), form)
    path = cache_path(cache, f"{name}.npy", (key, form))
    if not path.is_file():
        _pack(path, rows(), form)
    return _mapped(path, form)


def cache_path(cache: Path, name: str, key: object) -> Path:
    """The path of a cached file, with a digest of ``key`` before the suffix."""
    digest = hashlib.sha256(repr((LAYOUT, key)).encode()).hexdigest()[:16]
    stem, _, suffix = name.rpartition(".")
    return cache / f"{stem}-{digest}.{suffix}"


def identity(path: Path) -> tuple[str, int, int]:
    """Name, size and modification time of a file, as part of a key of the cache."""
    status = path.stat()
    return path.name, status.st_size, status.st_mtime_ns


def _blocks(
    rows: Iterable[Row], form: Form
) -> Iterator[Shaped[np.ndarray, "some columns"]]:
    rows = iter(rows)
    empty = True
    while block := list(itertools.islice(rows, BLOCK)):
        table = np.zeros((len(block), form.width + 1), np.int32)
        for line, (tokens, label) in zip(table, block, strict=True):
            if not 1 <= len(tokens) <= form.width:
                raise ValueError(f"need 1 to {form.width} tokens, got {len(tokens)}")
            line[: len(tokens)] = tokens
            line[-1] = label
        _lengths(table, form)  # before a smaller type wraps what is too large for it
        empty = False
        yield table.astype(form.kind)
    if empty:
        raise ValueError("need an example at least, got none")


def _pack(path: Path, rows: Iterable[Row], form: Form) -> None:
    blocks = _blocks(rows, form)
    first = next(blocks)  # rows that fail at once leave no folder behind
    with unfinished(path) as partial, partial.open("wb") as stream:
        _write_header(stream, 0, form)
        count = 0
        for block in itertools.chain([first], blocks):
            stream.write(block.tobytes())
            count += len(block)
        stream.seek(0)
        _write_header(stream, count, form)


def _write_header(stream: BinaryIO, count: int, form: Form) -> None:
    """Write NumPy's header, whose length does not depend on the number of rows."""
    content = {
        "descr": np.lib.format.dtype_to_descr(form.kind),
        "fortran_order": False,
        "shape": (count, form.width + 1),
    }
    np.lib.format.write_array_header_1_0(stream, content)


def _mapped(path: Path, form: Form) -> Examples:
    table = mapped(path)
    columns = form.width + 1
    if table.dtype != form.kind or table.ndim != 2 or table.shape[1] != columns:
        raise ValueError(
            f"need {form.kind} of {columns} columns, got {table.dtype} {table.shape}; "
            f"delete {path}"
        )
    try:
        return _parts(table, form)
    except ValueError as error:
        raise ValueError(f"{error}; delete {path}") from None


def _parts(table: Shaped[np.ndarray, "n columns"], form: Form) -> Examples:
    """Examples with the tokens of a table; lengths and labels are copied to memory."""
    firsts = range(0, len(table), BLOCK)
    lengths = [_lengths(table[first : first + BLOCK], form) for first in firsts]
    return Examples(
        table[:, :-1], np.concatenate(lengths), table[:, -1].astype(np.int32)
    )


def _lengths(
    block: Shaped[np.ndarray, "some columns"], form: Form
) -> Int[np.ndarray, " some"]:
    """Check the rows and return the number of tokens of each, without padding."""
    tokens, labels = block[:, :-1], block[:, -1]
    lengths = np.count_nonzero(tokens, axis=1)
    ends = tokens[np.arange(len(block)), lengths - 1]
    ended = ends != 0 if form.end is None else ends == form.end
    if (
        min(tokens.min(), labels.min()) < 0
        or tokens.max() >= form.vocabulary
        or labels.max() >= form.classes
        or not ended.all()
    ):
        raise ValueError(
            f"need tokens up to {form.vocabulary - 1}, an end before the padding and "
            f"labels up to {form.classes - 1}, got others"
        )
    return lengths.astype(np.int32)
