"""File formats of other libraries: NumPy archives, flax msgpack and PyTorch files."""

import shlex
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from jaxtyping import Shaped

from sigprop.networks.foreign.tensors import MOST, PIECE, Tensor, in_memory, numpy_dtype
from sigprop.numerics.extras import extra
from sigprop.numerics.npy import member_header, read_header

TORCH = (".pt", ".pth", ".bin", ".ckpt")
PICKLES = (*TORCH, ".pkl", ".pickle", ".joblib", ".npy")
CONVERT = (
    "import sys, torch, safetensors.torch as s; t = torch.load(sys.argv[1], "
    "weights_only=True, map_location='cpu'); s.save_file({k: v.clone().contiguous() for k, "
    "v in t.get('state_dict', t).items()}, sys.argv[2])"
)
CHUNKED = "__msgpack_chunked_array__"  # flax's key of an array in pieces


def refuse_pickle(path: Path) -> None:
    """Raise an error for a pickle, which may contain code.

    Raises:
        ValueError: If the suffix or the first bytes are those of a pickle. The message
            gives a command that converts the file.
    """
    with path.open("rb") as stream:
        start = stream.read(2)
    pickled = start[:1] == b"\x80" and start[1:] in (b"\x02", b"\x03", b"\x04", b"\x05")
    if pickled or path.suffix in PICKLES:
        target = path.with_suffix(".safetensors")
        command = shlex.join(["python", "-c", CONVERT, str(path), str(target)])
        raise ValueError(
            f"need a file that holds no code, got {path}, which may be a pickle; convert "
            f"it where PyTorch is installed: {command}"
        )


def npz_file(path: Path) -> dict[str, Tensor]:
    """Return the arrays of a NumPy archive; only their headers are read at once.

    Raises:
        ValueError: If the file is damaged, or an array holds objects.
    """
    with _reading(path), zipfile.ZipFile(path) as archive:
        names = [name for name in archive.namelist() if name.endswith(".npy")]
        if not names and any(name.endswith(".pkl") for name in archive.namelist()):
            raise ValueError("it holds a pickle; rename it to .pt")
        return {
            name.removesuffix(".npy"): _member(path, archive, name)
            for name in names
            if not name.startswith("__")
        }


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Add the name of the archive to any error of a damaged archive."""
    try:
        yield
    except OSError:
        raise
    except Exception as error:
        raise ValueError(
            f"need a whole npz file of numbers, got another in {path}: {error}"
        ) from error


def _member(path: Path, archive: zipfile.ZipFile, name: str) -> Tensor:
    plain = name.removesuffix(".npy")
    try:
        header = member_header(archive, name)
    except ValueError as error:
        raise ValueError(f"{plain}: {error}") from error
    shape, by_columns, dtype = header
    if dtype.kind not in "biufcV":
        raise ValueError(f"{plain}: need numbers, got elements of type {dtype}")

    def pieces() -> Iterator[Shaped[np.ndarray, " piece"]]:
        with _reading(path), zipfile.ZipFile(path) as again, again.open(name) as stream:
            read_header(stream)
            left, step = header.bytes, PIECE // dtype.itemsize * dtype.itemsize
            if by_columns and len(shape) > 1:  # the array is stored in column order
                if left > MOST:
                    raise ValueError(
                        f"{plain} has {left} bytes by columns; need by rows"
                    )
                flat = np.frombuffer(stream.read(left), dtype)
                yield flat.reshape(shape[::-1]).T.reshape(-1)
                return
            while left and (content := stream.read(min(step, left))):
                left -= len(content)
                yield np.frombuffer(content, dtype)

    return Tensor(plain, dtype.name, shape, pieces)


def msgpack_file(path: Path) -> dict[str, Tensor]:
    """Return the arrays of a flax msgpack file, by dotted names.

    Raises:
        ModuleNotFoundError: If msgpack is not installed; it is in the extra ``interop``.
        ValueError: If the file is damaged or too large.
    """
    with extra("interop", str(path)):
        import msgpack
    if path.stat().st_size > MOST:
        raise ValueError(
            f"need a msgpack file of at most {MOST >> 20} MiB, got {path} of "
            f"{path.stat().st_size >> 20} MiB; convert it to safetensors"
        )

    def unpack(code: int, content: bytes) -> Any:
        if code not in (
            1,
            3,
        ):  # an array, a NumPy scalar; flax's complex is no parameter
            return None
        shape, dtype, raw = msgpack.unpackb(content, raw=True)
        return np.frombuffer(raw, numpy_dtype(dtype.decode())).reshape(shape)

    try:
        tree = msgpack.unpackb(path.read_bytes(), ext_hook=unpack, strict_map_key=False)
        return {name: in_memory(name, array) for name, array in _leaves("", tree)}
    except Exception as error:  # a damaged file can raise any exception
        raise ValueError(
            f"need a whole msgpack file of flax, got another in {path}: {error!r}"
        ) from error


def _leaves(prefix: str, tree: Any) -> Iterator[tuple[str, np.ndarray]]:
    if isinstance(tree, np.ndarray):
        yield prefix, tree
    elif isinstance(tree, Mapping):
        if CHUNKED in tree:
            parts = [tree["chunks"][str(i)] for i in range(len(tree["chunks"]))]
            shape = [tree["shape"][str(i)] for i in range(len(tree["shape"]))]
            yield prefix, np.concatenate(parts).reshape(shape)
            return
        for name, branch in tree.items():
            yield from _leaves(f"{prefix}.{name}" if prefix else str(name), branch)


def torch_file(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a PyTorch file, read with ``weights_only``.

    Raises:
        ValueError: If PyTorch is not installed, or the file contains other objects.
    """
    try:
        import torch  # pyright: ignore[reportMissingImports]
    except ImportError:
        refuse_pickle(path)
        raise
    try:
        tree = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except Exception as error:
        raise ValueError(
            f"need a file of tensors alone, got another in {path}: {error}"
        ) from error

    def leaves(prefix: str, tree: Any) -> Iterator[tuple[str, np.ndarray]]:
        if isinstance(tree, torch.Tensor):
            wide = tree.detach()
            wide = wide.float() if wide.dtype == torch.bfloat16 else wide
            yield prefix, wide.numpy()
        elif isinstance(tree, Mapping):
            for name, branch in tree.items():
                yield from leaves(f"{prefix}.{name}" if prefix else str(name), branch)

    return {name: in_memory(name, array) for name, array in leaves("", tree)}
