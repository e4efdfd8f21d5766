"""Arrays of a file by name, with dtype and shape from its header; numbers are read later.

No code of a file is executed.  The libraries that read ``.safetensors``, ``.npz`` and flax's
``.msgpack`` unpack numbers only.  A pickle raises an error, except for a ``.pt`` file that
PyTorch reads with ``weights_only``.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import safetensors
from jaxtyping import Shaped

MOST = 1 << 30  # largest tensor that is read, in bytes
PIECE = 1 << 22  # bytes that are read together

# Types of a safetensors header, with NumPy's names.
DTYPES: dict[str, Any] = {
    "BOOL": np.bool_,
    **{
        f"{kind}{bits}": f"{kind.lower()}{bits // 8}"
        for kind in "IU"
        for bits in (8, 16)
    },
    **{
        f"{kind}{bits}": f"{kind.lower()}{bits // 8}"
        for kind in "IU"
        for bits in (32, 64)
    },
    **{f"F{bits}": f"f{bits // 8}" for bits in (16, 32, 64)},
    "BF16": ml_dtypes.bfloat16,
    "C64": np.complex64,
    "F8_E4M3": ml_dtypes.float8_e4m3fn,
    "F8_E5M2": ml_dtypes.float8_e5m2,
}


@dataclass(frozen=True)
class Tensor:
    """Array of a checkpoint, whose numbers are read only when needed.

    Attributes:
        name: Name of the array in the file.
        dtype: Name of the data type of the array.
        shape: Shape of the array.
        pieces: Function that returns an iterator over successive parts of the flattened
            array.
        index: Index along the first axes of the array in the file, if this tensor is
            only a part of that array; otherwise empty.

    Example:
        >>> from sigprop.networks.foreign import of_arrays
        >>> tensor = of_arrays({"nu_log": np.zeros(8)}).tensors["nu_log"]
        >>> tensor.dtype, tensor.size, tensor.read().shape
        ('float64', 8, (8,))
    """

    name: str
    dtype: str
    shape: tuple[int, ...]
    pieces: Callable[[], Iterator[Shaped[np.ndarray, " piece"]]]
    index: tuple[int, ...] = ()

    @property
    def size(self) -> int:
        """Number of entries of the array."""
        return math.prod(self.shape)

    def read(self) -> Shaped[np.ndarray, "*shape"]:
        """Read all numbers of the array.

        Raises:
            ValueError: If the array has more than 1 GiB, or the file is truncated.
        """
        if self.size * itemsize(self.dtype) > MOST:
            raise ValueError(
                f"need a tensor of at most {MOST >> 20} MiB, got {self.name} of shape "
                f"{self.shape} in {self.dtype}"
            )
        parts = list(self.pieces())
        flat = np.concatenate(parts) if parts else np.zeros(0, numpy_dtype(self.dtype))
        if flat.size != self.size:
            raise ValueError(
                f"need {self.size} numbers in {self.name} of shape {self.shape}, got "
                f"{flat.size}; the file is truncated"
            )
        return flat.reshape(self.shape)


@dataclass(frozen=True)
class Checkpoint:
    """Arrays of a checkpoint, and the content of its ``config.json``.

    Attributes:
        path: Path of the file or the folder of the checkpoint.
        tensors: Dictionary from names to arrays.
        config: Content of ``config.json``, or ``None`` if there is no such file.

    Example:
        >>> from sigprop.networks.foreign import of_arrays
        >>> checkpoint = of_arrays({"nu_log": np.zeros(8)})
        >>> sorted(checkpoint.tensors), checkpoint.config
        (['nu_log'], None)
    """

    path: Path
    tensors: Mapping[str, Tensor]
    config: Mapping[str, Any] | None


def numpy_dtype(name: str) -> np.dtype:
    """Return NumPy's type with a given name, such as ``float32`` or ``bfloat16``.

    Raises:
        ValueError: If the name is not that of a type of numbers.
    """
    try:
        dtype = np.dtype(getattr(ml_dtypes, name, name))
    except TypeError as error:
        raise ValueError(f"need a type of numbers, got {name!r}") from error
    if dtype.kind not in "biufcV" or dtype.hasobject:
        raise ValueError(f"need a type of numbers, got {name!r}")
    return dtype


def itemsize(dtype: str) -> int:
    """Return the number of bytes of one number of a type."""
    return numpy_dtype(dtype).itemsize


def in_memory(name: str, array: Shaped[np.ndarray, "*shape"]) -> Tensor:
    """Return the tensor of an array in memory."""

    def pieces() -> Iterator[Shaped[np.ndarray, " piece"]]:
        flat = array.reshape(-1)
        step = max(PIECE // max(array.itemsize, 1), 1)
        for start in range(0, flat.size, step):
            yield flat[start : start + step]

    return Tensor(name, array.dtype.name, tuple(array.shape), pieces)


def part(tensor: Tensor, index: tuple[int, ...]) -> Tensor:
    """Return the part of a tensor at an index along its first axes, such as one layer."""
    shape = tensor.shape[len(index) :]
    size = math.prod(shape)
    first = int(np.ravel_multi_index(index, tensor.shape[: len(index)])) * size

    def pieces() -> Iterator[Shaped[np.ndarray, " piece"]]:
        begin = 0
        for piece in tensor.pieces():
            own = piece[max(first - begin, 0) : max(first + size - begin, 0)]
            if own.size:
                yield own
            begin += piece.size
            if begin >= first + size:
                return

    return Tensor(tensor.name, tensor.dtype, shape, pieces, index)


def transposed(tensor: Tensor) -> Tensor:
    """Return the transpose of a matrix, which is read as a whole."""

    def pieces() -> Iterator[Shaped[np.ndarray, " piece"]]:
        yield tensor.read().T.reshape(-1)

    return Tensor(tensor.name, tensor.dtype, tensor.shape[::-1], pieces)


def safetensors_file(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file, after checking its header.

    Raises:
        ValueError: If the file is truncated or its header is wrong.
    """
    try:
        with safetensors.safe_open(path, "np"):
            pass  # the library checks every offset against the file size
    except safetensors.SafetensorError as error:
        raise ValueError(
            f"need a whole safetensors file, got a damaged one in {path}: {error}"
        ) from error
    with path.open("rb") as stream:
        length = int.from_bytes(stream.read(8), "little")
        header = json.loads(stream.read(length))
    header.pop("__metadata__", None)
    return {
        name: _stored(path, name, about, 8 + length) for name, about in header.items()
    }


def _stored(path: Path, name: str, about: Mapping[str, Any], first: int) -> Tensor:
    label = about["dtype"]
    dtype = np.dtype(DTYPES[label]) if label in DTYPES else None
    begin, end = about["data_offsets"]

    def pieces() -> Iterator[Shaped[np.ndarray, " piece"]]:
        if dtype is None:
            raise ValueError(
                f"need numbers of a known type in {name} of shape {tuple(about['shape'])}"
                f", got {label}; convert it to float32"
            )
        with path.open("rb") as stream:
            stream.seek(first + begin)
            for start in range(begin, end, PIECE):
                content = stream.read(min(PIECE, end - start))
                yield np.frombuffer(content, dtype)

    return Tensor(
        name, label if dtype is None else dtype.name, tuple(about["shape"]), pieces
    )
