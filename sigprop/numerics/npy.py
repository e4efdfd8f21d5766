"""Headers of NumPy arrays, checked before numbers are read or memory is allocated."""

import math
import zipfile
from typing import Any, NamedTuple

import numpy as np

READ = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
LARGEST = 1 << 62  # bytes: the largest accepted file, within NumPy's index range


class Header(NamedTuple):
    """Header of a file of an array.

    Attributes:
        shape: Shape of the array.
        by_columns: True if entries are in Fortran order.
        dtype: Type of the elements.
    """

    shape: tuple[int, ...]
    by_columns: bool
    dtype: np.dtype

    @property
    def bytes(self) -> int:
        """Number of bytes of all elements."""
        return math.prod(self.shape) * self.dtype.itemsize


def read_header(stream: Any) -> Header:
    """Read the header of an array of plain elements, up to the first element.

    Raises:
        ValueError: If the header is missing or contains other values than literals; if
            elements are Python objects, have fields or have no bytes; if the shape is
            impossible.
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
    """Refuse an array whose number of bytes differs from its header.

    Raises:
        ValueError: If ``size`` is not the number of bytes of the header.
    """
    if header.bytes != size:
        raise ValueError(
            f"its header claims {math.prod(header.shape)} numbers of "
            f"{header.dtype.itemsize} bytes, it holds {size} bytes"
        )


def member_header(archive: zipfile.ZipFile, name: str) -> Header:
    """Read and check the header of an array in an archive.

    Raises:
        ValueError: If ``read_header`` or ``require_bytes`` refuses the array.
    """
    with archive.open(name) as stream:
        header = read_header(stream)
        require_bytes(header, archive.getinfo(name).file_size - stream.tell())
    return header


def read_member(archive: zipfile.ZipFile, name: str) -> np.ndarray:
    """Read an array of an archive, and no more bytes than its header states.

    Raises:
        ValueError: If ``member_header`` refuses the array.
    """
    member_header(archive, name)
    with archive.open(name) as stream:
        unsized: Any = stream  # NumPy reads a size at a time
        return np.lib.format.read_array(unsized, allow_pickle=False)
