"""Layers and networks as files: ``.safetensors`` or plain ``.npz``, never a pickle.

A file holds every array under its path in the tree, such as ``blocks.0.layer.nu_log``.  A
running average has the path of its normalisation.  A JSON text under ``__sigprop__`` holds
the configuration, the name of the architecture, the version of the format and a checksum.
Values that are not arrays, such as a dropout rate, are not stored.  They follow from the
configuration, as does the tree that the arrays fill::

    save("trained.safetensors", layer, {"state_size": 16, "width": 5})
    layer = load("trained.safetensors", lambda config: lru(**config, key=jax.random.key(0)))

Files of other programs have no configuration.  If the arrays have the names of the LRU
paper's listing::

    arrays, _ = read("theirs.npz")
    layer = lru_from_arrays(arrays)
"""

import contextlib
import io
import json
import os
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import safetensors
import safetensors.numpy
from jax.tree_util import keystr, tree_flatten_with_path

from sigprop.numerics.files import unfinished
from sigprop.numerics.npy import read_member

VERSION = 1
HEADER = "__sigprop__"
NUMBERS = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "bfloat16", "float32", "float64", "complex64", "complex128"),
)
T = TypeVar("T")
Arrays = dict[str, np.ndarray]
File = os.PathLike[str] | str


def named_arrays(tree: Any) -> Arrays:
    """Return every array of a tree by its dotted path, as NumPy arrays.

    The tree can be a pair of a network and its ``eqx.nn.State``.  An array of the state then
    has the path of its index in the network: ``blocks.0.norm.batch_state_index.0``.

    Raises:
        ValueError: If two arrays would have one name, or a name is empty, unprintable
            or begins with two underscores; or if an array does not hold numbers, or the
            state does not belong to the network.
    """
    arrays: Arrays = {}
    for name, leaf in zip(_names(tree), jax.tree.leaves(tree), strict=True):
        if not _is_array(leaf):
            continue
        if name in arrays:
            raise ValueError(f"need one name an array, got two arrays named {name!r}")
        if not name or not name.isprintable() or name.startswith("__"):
            raise ValueError(
                f"need a printable name that does not begin with two underscores, got "
                f"{name!r}; put the array into a field or under another key"
            )
        if leaf.dtype.name not in NUMBERS:
            raise ValueError(f"need numbers in {name}, got {leaf.dtype}")
        array = np.asarray(leaf)
        arrays[name] = array.astype(array.dtype.newbyteorder("="), "C", copy=False)
    return arrays


def fill(skeleton: T, arrays: Mapping[str, Any]) -> T:
    """Return a copy of a tree, filled with new arrays by name.

    Arrays are converted to the precision of the skeleton if this loses no digits: float32
    becomes float64, but float64 does not become float32.

    Args:
        skeleton: Tree of arrays, or of shapes from ``eqx.filter_eval_shape``. Its other
            leaves do not change.
        arrays: Arrays by the names of ``named_arrays(skeleton)``.

    Raises:
        ValueError: If a name is missing or unknown, or a number is not finite; or if an
            array has the wrong shape, the wrong kind of numbers, or too high a
            precision.
    """
    leaves, structure = jax.tree.flatten(skeleton)
    named = list(zip(_names(skeleton), leaves, strict=True))
    needed = {name for name, leaf in named if _is_array(leaf)}
    missing, unknown = needed - set(arrays), set(arrays) - needed
    if missing or unknown:
        raise ValueError(
            f"need the {len(needed)} arrays of the architecture, got {len(arrays)}: "
            f"missing {_some(missing)}; unknown {_some(unknown)}"
        )
    filled = [
        _fit(name, np.asarray(arrays[name]), leaf) if _is_array(leaf) else leaf
        for name, leaf in named
    ]
    return jax.tree.unflatten(structure, filled)


def save(path: File, tree: Any, config: Mapping[str, Any]) -> Path:
    """Write a layer, a network, or a pair of network and state to a file.

    An interrupted call leaves no partial file, and does not change an older file.

    Args:
        path: Path of the file. Its suffix selects the format, ``.safetensors`` or
            ``.npz``.
        tree: Layer, network, or pair of network and state. The file stores its type as
            the name of the architecture.
        config: JSON values from which ``load`` can build the tree again.

    Raises:
        ValueError: If the suffix is not one of the two, the configuration is not JSON, or
            an array has no valid name or is not finite.
    """
    path = Path(path)
    write, _ = _format(path)
    arrays = named_arrays(tree)
    for name, array in arrays.items():
        _require_finite(name, array)
    stored = {name: _encode(array) for name, array in arrays.items()}
    try:
        plain = json.loads(_json(dict(config)))
    except (TypeError, ValueError) as error:
        raise ValueError(f"need a configuration of JSON values: {error}") from error
    header = {
        "version": VERSION,
        "architecture": _architecture(tree),
        "config": plain,
        "dtypes": {
            name: array.dtype.name
            for name, array in arrays.items()
            if array is not stored[name]
        },
    }
    checksum = _checksum(header, stored)
    content = write(stored, _json(header | {"crc32": checksum}))
    with unfinished(path) as partial, partial.open("wb") as stream:
        stream.write(content)
    return path


def read(path: File) -> tuple[Arrays, dict[str, Any] | None]:
    """Return the arrays of a file by name, and its configuration.

    The configuration is ``None`` if another program wrote the file.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the suffix is unknown, the file is damaged or of another format,
            or a newer version wrote it.
    """
    arrays, _, config = _read(Path(path))
    return arrays, config


def load(path: File, build: Callable[[dict[str, Any]], T]) -> T:
    """Read the tree that ``save`` wrote.

    Arrays are converted to the precision of the tree if this loses no digits.

    Args:
        path: Path of a file that ``save`` wrote.
        build: Function that makes the tree from its configuration. Only the structure, the
            shapes and the types of its result are used, so any random key will do. JAX
            traces the function, and runs it only if this fails.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If the file is damaged, has no configuration, or is of another
            format or a newer version; or if ``build`` raises an error, or its arrays
            differ in architecture, shape or type.
    """
    path = Path(path)
    arrays, stored, config = _read(path)
    if config is None:
        raise ValueError(
            f"need a file that `save` wrote, got arrays without a configuration in "
            f"{path}; use `read` and `fill`"
        )
    try:
        skeleton = _skeleton(build, config)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(
            f"need a configuration that `build` knows, got that of {stored} in {path}, "
            f"{config}: {error!r}"
        ) from error
    if _architecture(skeleton) != stored:
        raise ValueError(f"need {_architecture(skeleton)}, got {stored} in {path}")
    try:
        return fill(skeleton, arrays)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _skeleton(build: Callable[[dict[str, Any]], T], config: dict[str, Any]) -> T:
    try:
        return eqx.filter_eval_shape(build, config)
    except jax.errors.JAXTypeError:  # a layer needs concrete values
        return build(config)


def _is_array(leaf: Any) -> bool:
    return isinstance(leaf, jax.Array | np.ndarray | jax.ShapeDtypeStruct)


def _is_pair(tree: Any) -> bool:
    return type(tree) is tuple and len(tree) == 2 and isinstance(tree[1], eqx.nn.State)


def _architecture(tree: Any) -> str:
    return type(tree[0] if _is_pair(tree) else tree).__name__


def _dotted(path: tuple[Any, ...]) -> str:
    return keystr(path, simple=True, separator=".")


def _names(tree: Any) -> list[str]:
    """One name a leaf, in the order of the leaves."""
    if _is_pair(tree):
        return _names(tree[0]) + _state_names(*tree)
    return [_dotted(path) for path, _ in tree_flatten_with_path(tree)[0]]


def _state_names(network: Any, state: eqx.nn.State) -> list[str]:
    leaves, structure = jax.tree.flatten(state)
    numbers = jax.tree.unflatten(structure, range(len(leaves)))
    names: dict[int, str] = {}

    def is_index(node: Any) -> bool:
        return isinstance(node, eqx.nn.StateIndex)

    try:
        for path, index in tree_flatten_with_path(network, is_leaf=is_index)[0]:
            if is_index(index):
                for inner, number in tree_flatten_with_path(numbers.get(index))[0]:
                    names.setdefault(number, _dotted(path + inner))
        return [names[number] for number in range(len(leaves))]
    except KeyError as error:
        raise ValueError(
            "need the state that was made with the network, got another; make both by "
            "eqx.nn.make_with_state"
        ) from error


def _some(names: Iterable[str], most: int = 8) -> str:
    ordered = sorted(names)
    more = f" and {len(ordered) - most} more" if len(ordered) > most else ""
    return f"{ordered[:most]}{more}"


def _kind(dtype: np.dtype) -> str:
    return "f" if dtype == jnp.bfloat16 else dtype.kind


def _fit(name: str, array: np.ndarray, leaf: Any) -> Any:
    if array.shape != leaf.shape:
        raise ValueError(f"need {name} of shape {leaf.shape}, got {array.shape}")
    alike = _kind(array.dtype) == _kind(leaf.dtype)
    if not (alike and np.can_cast(array.dtype, leaf.dtype, "safe")):
        advice = (
            ", which would lose digits; load inside `with sigprop.double_precision(True):`"
            ", or narrow the arrays of `read` and use `fill`"
        )
        raise ValueError(
            f"need {leaf.dtype} in {name}, got {array.dtype}{advice if alike else ''}"
        )
    _require_finite(name, array)
    array = array.astype(leaf.dtype)
    return array if isinstance(leaf, np.ndarray) else jnp.asarray(array)


def _require_finite(name: str, array: np.ndarray) -> None:
    if not np.isfinite(array).all():
        raise ValueError(f"need finite {name}, got a NaN or infinity in it")


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, allow_nan=False)


def _encode(array: np.ndarray) -> np.ndarray:
    """Numbers with one more axis, for types that a format may not have."""
    kind, size = array.dtype.kind, array.dtype.itemsize
    plain = {"c": f"f{size // 2}", "V": f"u{size}"}
    return array[..., None].view(plain[kind]) if kind in plain else array


def _decode(stored: Arrays, dtypes: Mapping[str, str]) -> Arrays:
    ready = {
        name: stored[name].view(jnp.dtype(dtypes[name]))[..., 0] for name in dtypes
    }
    return stored | ready


def _checksum(header: Mapping[str, Any], stored: Arrays) -> int:
    crc = zlib.crc32(_json(header).encode())
    for name in sorted(stored):
        array = stored[name]
        crc = zlib.crc32(_json([name, array.dtype.name, array.shape]).encode(), crc)
        crc = zlib.crc32(array.tobytes(), crc)
    return crc


@contextlib.contextmanager
def _parsing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError:
        raise
    except Exception as error:  # a damaged file can raise any exception
        raise ValueError(
            f"need a whole {path.suffix} file of numbers, got a damaged one or another "
            f"format in {path}: {error}"
        ) from error


def _read(path: Path) -> tuple[Arrays, str | None, dict[str, Any] | None]:
    """Arrays, architecture and configuration."""
    _, parse = _format(path)
    if not path.is_file():
        raise FileNotFoundError(f"no file {path}; `save` makes one")
    with _parsing(path):
        stored, text = parse(path)
        if text is None:  # written by another program
            return stored, None, None
        header = json.loads(text)
        version = int(header["version"])
    if version > VERSION:
        raise ValueError(
            f"need a file of version {VERSION} or below, got {version} in {path}; a "
            "newer sigprop reads it"
        )
    with _parsing(path):
        crc = header.pop("crc32")
        if crc != _checksum(header, stored):
            raise ValueError("its checksum does not fit")
        arrays = _decode(stored, header["dtypes"])
        return arrays, str(header["architecture"]), dict(header["config"])


def _write_safetensors(stored: Arrays, text: str) -> bytes:
    return safetensors.numpy.save(stored, {HEADER: text})


def _read_safetensors(path: Path) -> tuple[Arrays, str | None]:
    with safetensors.safe_open(path, "np") as stream:
        text = (stream.metadata() or {}).get(HEADER)
        arrays = {name: stream.get_tensor(name) for name in sorted(stream.keys())}
    return arrays, text


def _write_npz(stored: Arrays, text: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, array in {**stored, HEADER: np.array(text)}.items():
            member = io.BytesIO()
            np.lib.format.write_array(member, array, allow_pickle=False)
            # A fixed date, so that equal arrays make equal files.
            archive.writestr(zipfile.ZipInfo(f"{name}.npy"), member.getvalue())
    return content.getvalue()


def _read_npz(path: Path) -> tuple[Arrays, str | None]:
    stored: Arrays = {}
    with zipfile.ZipFile(io.BytesIO(path.read_bytes())) as archive:
        for member in archive.namelist():
            stored[member.removesuffix(".npy")] = read_member(archive, member)
    text = stored.pop(HEADER, None)
    return stored, None if text is None else str(text)


FORMATS = {
    ".safetensors": (_write_safetensors, _read_safetensors),
    ".npz": (_write_npz, _read_npz),
}


def _format(path: Path) -> tuple[Callable[..., bytes], Callable[..., Any]]:
    if path.suffix not in FORMATS:
        raise ValueError(
            f"need a file name that ends in {' or '.join(FORMATS)}, got {path}"
        )
    return FORMATS[path.suffix]
