"""Which file of a folder is the checkpoint, which library reads it, what lies beside it."""

import json
from collections.abc import Mapping
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


def open_checkpoint(path: Path | str) -> Checkpoint:
    """The tensors of a file or of a folder that has one, ``config.json`` beside it.

    Args:
        path: A ``.safetensors``, ``.npz``, ``.msgpack`` or, with PyTorch, ``.pt`` file; or
            a folder with one, or with ``model.safetensors.index.json`` and its shards.

    Raises:
        FileNotFoundError: If there is nothing.
        ValueError: If the format is unknown or a pickle, or the file is damaged.
    """
    place = Path(path)
    if not place.exists():
        raise FileNotFoundError(f"no checkpoint {place}; check the path")
    files = _files(place) if place.is_dir() else [place]
    readers = {
        ".safetensors": safetensors_file,
        ".npz": npz_file,
        ".msgpack": msgpack_file,
        **dict.fromkeys(TORCH, torch_file),
    }
    tensors: dict[str, Tensor] = {}
    for file in files:
        if file.suffix not in readers:
            refuse_pickle(file)
            raise ValueError(
                f"need a file that ends in {', '.join(readers)}, got {file}; convert it to "
                "safetensors"
            )
        tensors |= readers[file.suffix](file)
    folder = place if place.is_dir() else place.parent
    return Checkpoint(place, tensors, _config(folder))


def _files(folder: Path) -> list[Path]:
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        try:
            shards = json.loads(index.read_text("utf-8"))["weight_map"].values()
            names = sorted({str(one) for one in shards})
        except (ValueError, KeyError, AttributeError) as error:
            raise ValueError(
                f"need a weight_map in {index}, got none: {error}"
            ) from error
        if any(Path(name).name != name for name in names):
            raise ValueError(
                f"need shards in the folder of {index}, got others: {names}"
            )
        return [folder / name for name in names]
    found = sorted(
        one
        for suffix in ("safetensors", "npz", "msgpack", "pt", "pth", "bin")
        for one in folder.glob(f"*.{suffix}")
    )
    kinds = {one.suffix for one in found}
    chosen = [one for one in found if one.suffix == ".safetensors"] or found
    if not chosen:
        raise FileNotFoundError(f"no checkpoint in the folder {folder}; name its file")
    if len(chosen) > 1:
        names = ", ".join(one.name for one in found)
        raise ValueError(
            f"need one checkpoint in {folder}, got {names} ({len(kinds)} "
            "formats); name the file"
        )
    return chosen


def _config(folder: Path) -> Mapping[str, Any] | None:
    file = folder / "config.json"
    if not file.is_file():
        return None
    try:
        config = json.loads(file.read_text("utf-8"))
    except ValueError as error:
        raise ValueError(f"need JSON in {file}, got: {error}") from error
    return config if isinstance(config, dict) else None
