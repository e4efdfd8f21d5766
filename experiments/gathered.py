"""Which cells of a sweep are finished, and one labelled result of them all.

A finished cell has a file of its own, or is held by a gathered result of its study, be it
of this sweep or of another: the larger preset has the cells of the smaller.
"""

import dataclasses
import functools
import hashlib
import importlib
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from types import ModuleType
from typing import Any

import xarray as xr

from sigprop.experiments import store
from sigprop.numerics.devices import default_device


def study_of(sweep: str) -> str:
    """The study of a sweep.

    Raises:
        ValueError: If there is no sweep of that name.
    """
    if sweep not in store.SWEEPS:
        raise ValueError(f"need a sweep in {', '.join(store.SWEEPS)}, got {sweep!r}")
    return store.SWEEPS[sweep]


def module(study: str, part: str) -> ModuleType:
    """A module of a study: its ``cells``, ``grids`` or ``gathering``."""
    return importlib.import_module(f"sigprop.experiments.{study}.{part}")


def grid(sweep: str, preset: str) -> list[Any]:
    """The configurations of all cells of a sweep.

    Raises:
        ValueError: If the sweep or the preset is unknown, or the grid empty.
    """
    return module(study_of(sweep), "grids").cells(sweep, preset)


def digest(study: str, cells: Iterable[Any]) -> str:
    """Sixteen hexadecimal digits that name these cells in this order."""
    version = module(study, "cells").VERSION
    names = " ".join(store.key(study, version, cell) for cell in cells)
    return hashlib.sha256(names.encode()).hexdigest()[:16]


def whole(sweep: str, preset: str) -> tuple[store.Members, int]:
    """The configuration of the complete result of a sweep, and its version.

    Raises:
        ValueError: As ``grid``.
    """
    study, cells = study_of(sweep), grid(sweep, preset)
    base, gathering = (module(study, part).VERSION for part in ("cells", "gathering"))
    return store.Members(digest(study, cells), len(cells)), 1000 * base + gathering


def missing(study: str, cells: Sequence[Any]) -> list[Any]:
    """Cells of a study without a result; what others write meanwhile may count or not.

    Raises:
        ValueError: If the file of a gathered result is damaged.
    """
    finished = _finished(study, cells)
    return [cell for cell in cells if cell not in finished]


def gather(sweep: str, preset: str) -> Path | None:
    """Put the finished cells of a sweep into one result, unless the same is stored.

    It holds all that the cells' own files do, but for details, and stands in for them.

    Returns:
        Its file; none if no cell is finished.

    Raises:
        ValueError: If the sweep or the preset is unknown, or a file is damaged.
    """
    study, every = study_of(sweep), grid(sweep, preset)
    config, version = whole(sweep, preset)
    base, gathering = module(study, "cells").VERSION, module(study, "gathering")
    finished = _finished(study, every)
    if not finished:
        return None
    config = dataclasses.replace(config, finished=len(finished))
    if store.exists(sweep, version, config):
        return store.path(sweep, version, config)

    def key(cell: Any) -> str:
        return store.key(study, base, cell)

    results = {
        key(cell): gathering.cell(*place) if place else store.load(study, base, cell)
        for cell, place in finished.items()
    }
    dataset = gathering.gather(sweep, preset, key, results)
    about = {
        "preset": preset,
        "device": default_device(),
        "complete": int(len(finished) == len(every)),
        "details": int(getattr(every[0], "details", False)),
    }
    file = store.save(sweep, version, config, dataset, **about)
    return store.fullest(file, config, version)


Place = tuple[xr.Dataset, int]
"""A gathered result, and the number of a cell in it."""


def _finished(study: str, cells: Sequence[Any]) -> dict[Any, Place | None]:
    """Cells with a result, in their order, and the gathered one that holds it.

    The others have files of their own.  An unfinished gathered result does not stand in
    for cells that keep details.
    """
    version, held = module(study, "cells").VERSION, dict[str, Place]()
    for sweep in sweeps(study):
        for file, about in store.stored(sweep):
            current = int(about["version"]) // 1000 == version
            if current and (about["complete"] or not about["details"]):
                with suppress(FileNotFoundError):  # a fuller one has just replaced it
                    table = _read(file)
                    keys = table["key"].values.tolist()
                    held |= {key: (table, index) for index, key in enumerate(keys)}
    places: dict[Any, Place | None] = {}
    for cell in cells:
        key = store.key(study, version, cell)
        if store.exists(study, version, cell):
            places[cell] = None
        elif key in held:
            places[cell] = held[key]
    return places


def sweeps(study: str) -> list[str]:
    """The sweeps whose cells are of a study."""
    return [sweep for sweep, cells in store.SWEEPS.items() if cells == study]


def _read(file: Path) -> xr.Dataset:
    return _read_once(file, file.stat().st_mtime)


@functools.lru_cache(maxsize=32)
def _read_once(file: Path, changed: float) -> xr.Dataset:
    return store.read(file)


def findings(file: Path | None) -> str:
    """Findings of a gathered sweep, in a few lines of text.

    Raises:
        ValueError: If the file is damaged.
    """
    if file is None:
        return "nothing is finished"
    dataset = store.read(file)
    study = study_of(dataset.attrs["study"])
    return module(study, "gathering").findings(dataset)
