"""Headers of NumPy's arrays: checked before a number is read or room is made."""

import math
import zipfile
from typing import Any, NamedTuple

import numpy as np

READ = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
LARGEST = 1 << 62  # bytes: the most that a file may hold, and less than NumPy counts to


class Header(NamedTuple):
    """Header of an array's file, which precedes the numbers."""

    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype

    @property
    def bytes(self) -> int:
        """Bytes that all numbers take."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(stream: Any) -> Header:
    """The header of an array of plain elements; the stream is then at the first one.

    Raises:
        ValueError: If there is none, it holds more than plain values, the elements are
            Python objects, have parts or no bytes, or the sizes are impossible.
    """
    version = np.lib.format.read_magic(stream)
    if version not in READ:
        raise ValueError(f"its arrays are of version {version}")
    try:
        header = Header(*READ[version](stream))
    except ValueError:
        raise
    except Exception as error:  # it is Python's text, and NumPy lets much through
        raise ValueError(f"its header is none of NumPy's: {error!r:.80}") from error
    shape, _, dtype = header
    if dtype.hasobject:
        raise ValueError(f"an array of shape {shape} holds objects, which is a pickle")
    if dtype.fields is not None or dtype.itemsize == 0:
        raise ValueError(f"need numbers, got elements of type {dtype}")
    if any(isinstance(size, bool) or size < 0 for size in shape) or (
        header.bytes > LARGEST
    ):
        raise ValueError(f"need a possible shape, got {shape}")
    return header


def require_bytes(header: Header, size: int) -> None:
    """Refuse an array that does not hold the bytes of its header and no others.

    Raises:
        ValueError: With both.
    """
    if header.bytes != size:
        raise ValueError(
            f"its header claims {math.prod(header.shape)} numbers of "
            f"{header.dtype.itemsize} bytes, it holds {size} bytes"
        )


def member_header(archive: zipfile.ZipFile, name: str) -> Header:
    """The header of an archive's array, which holds what its header claims.

    Raises:
        ValueError: As ``read_header`` and ``require_bytes``.
    """
    with archive.open(name) as stream:
        header = read_header(stream)
        require_bytes(header, archive.getinfo(name).file_size - stream.tell())
    return header


def read_member(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """An array of an archive; no more bytes are read than its header claims.

    Raises:
        ValueError: As ``member_header``.
    """
    member_header(archive, name)
    with archive.open(name) as stream:
        unsized: Any = stream  # NumPy reads a size at a time
        return np.lib.format.read_array(unsized, allow_pickle=False)
