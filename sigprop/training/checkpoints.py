"""Checkpoints of a training, each in one file that is replaced as a whole.

A file contains every leaf of a pytree under its path, and the curves so far.  It also has
the number of finished segments and a description of the training.  Random keys are stored
as integers.
The comment of the archive is a checksum of everything before it, because ``np.load`` reads
some damaged files without an error.
"""

import hashlib
import io
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from sigprop.numerics.files import unfinished

DONE, ABOUT, RECORD = "segments_done", "about", "record "  # names beside the leaves
CHECKSUM = len(hashlib.sha256().hexdigest())  # characters
END = 22  # bytes at the end of an archive without a comment
Records = Mapping[str, list[np.ndarray]]


def save_checkpoint(
    path: Path,
    tree: Any,
    done: int,
    records: Records,
    about: Mapping[str, Any] | None = None,
) -> None:
    """Write the state of a training to a new file, which then replaces the old file.

    Args:
        path: File of the checkpoint.
        tree: State of the training, as a pytree of arrays.
        done: Number of finished segments.
        records: Arrays recorded in the segments so far, by name.
        about: Description of the training in plain data.

    Raises:
        OSError: If the file cannot be written; the old file then stays unchanged.
    """
    arrays: dict[str, Any] = {DONE: np.array(done), ABOUT: json.dumps(about or {})}
    arrays |= {f"{RECORD}{name}": np.stack(values) for name, values in records.items()}
    arrays |= {name: np.asarray(leaf) for name, leaf in _leaves(_plain(tree))}
    packed = io.BytesIO()
    np.savez(packed, **arrays)
    # An archive ends with the length of its comment, in two bytes, and the comment.
    packed.seek(-2, io.SEEK_END)
    packed.write(CHECKSUM.to_bytes(2, "little"))
    with unfinished(path) as partial, partial.open("wb") as stream:
        stream.write(packed.getbuffer())
        stream.write(_checksum(packed.getbuffer()))


def load_checkpoint(
    path: Path, like: Any, about: Mapping[str, Any] | None = None
) -> tuple[Any, int, dict[str, list[np.ndarray]]]:
    """Read the state of a training from a file of ``save_checkpoint``.

    Args:
        path: File of the checkpoint.
        like: Pytree with the same structure, shapes and types as the stored one.
        about: Description of the training, which must equal the stored one.  Default:
            no comparison.

    Returns:
        The pytree, the number of finished segments, and the recorded arrays by name.

    Raises:
        ValueError: If the file is damaged, or belongs to another training.
        OSError: If the file cannot be read.
    """
    arrays = read_checkpoint(path)
    changed = [] if about is None else differences(_about(arrays), about)
    if changed:
        raise ValueError(
            f"{path} is a checkpoint of another training, with another "
            f"{' and '.join(changed)}; delete it to start over"
        )
    plain = _plain(like)
    for name, leaf in _leaves(plain):
        stored = arrays.get(name)
        if stored is None or (stored.shape, stored.dtype) != (leaf.shape, leaf.dtype):
            has = "nothing" if stored is None else f"{stored.dtype}{stored.shape}"
            raise ValueError(
                f"{path} is a checkpoint of another training: need {name} as "
                f"{leaf.dtype}{leaf.shape}, it has {has}; delete it to start over"
            )
    leaves = [
        jax.random.wrap_key_data(jnp.asarray(arrays[name]))
        if _is_key(leaf)
        else jnp.asarray(arrays[name])
        for (name, _), leaf in zip(_leaves(plain), jax.tree.leaves(like), strict=True)
    ]
    records = {
        name.removeprefix(RECORD): list(value)
        for name, value in arrays.items()
        if name.startswith(RECORD)
    }
    tree = jax.tree.unflatten(jax.tree.structure(like), leaves)
    return tree, int(arrays[DONE]), records


def read_checkpoint(path: Path) -> dict[str, np.ndarray]:
    """Check the checksum of a file, and return its arrays by name.

    Raises:
        ValueError: If the file is damaged, or written by an early version without
            checksums.
        OSError: If the file cannot be read.
    """
    content = path.read_bytes()
    if content[-END:].startswith(b"PK\5\6") and content.endswith(b"\0\0"):
        raise ValueError(
            f"{path} was written by an early sigprop 0.1.0, which wrote no checksums; "
            "end the training with that version, or delete the file to start over"
        )
    body, checksum = memoryview(content)[:-CHECKSUM], content[-CHECKSUM:]
    if len(content) <= CHECKSUM or checksum != _checksum(body):
        raise ValueError(
            f"{path} is no checkpoint of this version, or damaged: its checksum is "
            "wrong; delete it to start over"
        )
    with np.load(io.BytesIO(content)) as stored:
        return dict(stored)


def _checksum(body: bytes | memoryview) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


def differences(first: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the keys whose JSON values differ, or that only one mapping has."""
    first, other = (json.loads(json.dumps(each)) for each in (first, other))
    return sorted(
        name for name in {*first, *other} if first.get(name) != other.get(name)
    )


def _about(arrays: Mapping[str, np.ndarray]) -> dict[str, Any]:
    return json.loads(str(arrays[ABOUT])) if ABOUT in arrays else {}


def _is_key(leaf: Array) -> bool:
    return jnp.issubdtype(leaf.dtype, jax.dtypes.prng_key)


def _plain(tree: Any) -> Any:
    return jax.tree.map(
        lambda leaf: jax.random.key_data(leaf) if _is_key(leaf) else leaf, tree
    )


def _leaves(tree: Any) -> list[tuple[str, Array]]:
    leaves = jax.tree.leaves_with_path(tree)
    return [(jax.tree_util.keystr(path), leaf) for path, leaf in leaves]
