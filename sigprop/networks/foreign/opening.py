"""Open a checkpoint: find its files in a folder, read their headers and ``config.json``."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sigprop.networks.foreign.archives import (
    TORCH,
    msgpack_file,
    npz_file,
    refuse_pickle,
    torch_file,
)
from sigprop.networks.foreign.tensors import Checkpoint, Tensor, safetensors_file
from sigprop.numerics.documents import read_object, require_regular
from sigprop.numerics.text import plain_name


def open_checkpoint(path: Path | str) -> Checkpoint:
    """Open a checkpoint, and read ``config.json`` in its folder if there is one.

    Args:
        path: Path of a ``.safetensors``, ``.npz`` or ``.msgpack`` file or, if PyTorch
            is installed, of a ``.pt``, ``.pth``, ``.bin`` or ``.ckpt`` file. It can
            also be a folder with such a file, or with ``model.safetensors.index.json``
            and its shards.

    Raises:
        FileNotFoundError: If there is no such file or folder.
        ValueError: If the format is unknown, the file is damaged, or it contains
            pickled code.

    Example:
        >>> import numpy as np, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     file = Path(folder) / "model.npz"
        ...     np.savez(file, nu_log=np.zeros(8))
        ...     open_checkpoint(file).tensors["nu_log"].shape
        (8,)
    """
    location = Path(path)
    if not location.exists() and not location.is_symlink():
        raise FileNotFoundError(f"no checkpoint {location}; check the path")
    files = _files(location) if location.is_dir() else [location]
    readers = {
        ".safetensors": safetensors_file,
        ".npz": npz_file,
        ".msgpack": msgpack_file,
        **dict.fromkeys(TORCH, torch_file),
    }
    tensors: dict[str, Tensor] = {}
    for file in files:
        require_regular(file)
        if file.suffix not in readers:
            refuse_pickle(file)
            raise ValueError(
                f"need a file that ends in {', '.join(readers)}, got {file}; convert it to "
                "safetensors"
            )
        tensors |= readers[file.suffix](file)
    folder = location if location.is_dir() else location.parent
    return Checkpoint(location, _plainly_named(tensors, location), _config(folder))


def _plainly_named(tensors: Mapping[str, Tensor], location: Path) -> dict[str, Tensor]:
    """Tensors under names that steer no terminal and have no second line.

    Raises:
        ValueError: If two names become one.
    """
    named = {
        plain: replace(tensor, name=plain_name(tensor.name))
        for name, tensor in tensors.items()
        for plain in (plain_name(name),)
    }
    if len(named) < len(tensors):
        raise ValueError(
            f"need names of tensors that differ in visible characters in {location}, got two "
            "that are alike; rename one"
        )
    return named


def _files(folder: Path) -> list[Path]:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        shards = read_object(index).get("weight_map")
        if not (isinstance(shards, dict) and shards) or not all(
            isinstance(shard, str) for shard in shards.values()
        ):
            raise ValueError(
                f"need a weight_map from names of tensors to names of files in {index}, "
                f"got {shards!r:.60}"
            )
        names = sorted({*shards.values()})
        if any(Path(name).name != name for name in names):
            raise ValueError(
                f"need shards in the folder of {index}, got others: {names}"
            )
        absent = [name for name in names if not (folder / name).exists()]
        if absent:
            raise ValueError(
                f"need all files that {index} names, got no {absent[0]}; add it"
            )
        return [folder / name for name in names]
    candidates = sorted(
        file
        for suffix in ("safetensors", "npz", "msgpack", "pt", "pth", "bin")
        for file in folder.glob(f"*.{suffix}")
    )
    kinds = {file.suffix for file in candidates}
    chosen = [
        file for file in candidates if file.suffix == ".safetensors"
    ] or candidates
    if not chosen:
        raise FileNotFoundError(f"no checkpoint in the folder {folder}; name its file")
    if len(chosen) > 1:
        names = ", ".join(file.name for file in candidates)
        raise ValueError(
            f"need one checkpoint in {folder}, got {names} ({len(kinds)} "
            "formats); name the file"
        )
    return chosen


def _config(folder: Path) -> Mapping[str, Any] | None:
    file = folder / "config.json"
    return read_object(file) if file.is_file() else None
