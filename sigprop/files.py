"""Files that are old or new, never half."""

import os
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A name to write under, which becomes ``path`` when the file is complete.

    Raises:
        OSError: If it cannot be written; an old file is as it was.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}-{uuid.uuid4().hex}.partial")
    try:
        yield partial
        with partial.open("rb") as stream:
            os.fsync(stream.fileno())
        os.replace(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def mapped(path: Path) -> np.ndarray:
    """The array of a packed file, read as it is needed.

    Raises:
        ValueError: If the file is damaged.
    """
    try:
        return np.load(path, mmap_mode="r")
    except (ValueError, EOFError) as error:
        raise ValueError(f"need a whole packed file, delete {path}: {error}") from error
