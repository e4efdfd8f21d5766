"""Run the cells of a sweep: in this process, on Dask workers, or as one shard of many.

Cells of one shape are trained together in *chunks*, cut from the whole grid and so the
same on every machine and in every attempt.  A chunk whose cells are all stored is left
alone; any other is trained whole, from its checkpoint if there is one, and its cells are
then written one by one.  Nothing is kept elsewhere: killed at any moment, the next call
goes on from the files.  Who trains a chunk holds a lock on it, so that several calls at
once share the work; a call that is killed leaves its chunk to the others.
"""

import dataclasses
import functools
import hashlib
import importlib
import json
import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import xarray as xr

from experiments import store
from experiments.workers import FAILURES, cluster
from sigprop.numerics.devices import default_device
from sigprop.numerics.locks import claimed
from sigprop.training.checkpoints import read_checkpoint

PAUSE = 1.0  # seconds until chunks that others are at are looked at again
Report = Callable[[float], None]  # told of cells done, in parts of a cell too


@dataclass(frozen=True)
class Chunk:
    """Cells that are trained together.

    Attributes:
        study: Their study.
        preset: Preset of the sweep; decides the folder they go to.
        cells: Configurations of one shape.
    """

    study: str
    preset: str
    cells: tuple[Any, ...]

    def missing(self) -> list[Any]:
        """Cells without a result."""
        return [one for one in self.cells if not _is_stored(self.study, one)]

    def checkpoint(self) -> Path:
        """The file of a training that is under way."""
        module = _module(self.study, "cells")
        name = _digest(store.key(self.study, module.VERSION, one) for one in self.cells)
        return store.folder() / "checkpoints" / f"{self.study}-{name}.npz"


def _digest(keys: Iterable[str]) -> str:
    return hashlib.sha256(" ".join(keys).encode()).hexdigest()[:16]


def _module(study: str, part: str) -> ModuleType:
    return importlib.import_module(f"experiments.{study}.{part}")


def study_of(sweep: str) -> str:
    """The study of a sweep.

    Raises:
        ValueError: If there is no sweep of that name.
    """
    if sweep not in store.SWEEPS:
        raise ValueError(f"need a sweep in {', '.join(store.SWEEPS)}, got {sweep!r}")
    return store.SWEEPS[sweep]


def chunks(sweep: str, preset: str, shard: tuple[int, int] = (0, 1)) -> list[Chunk]:
    """The chunks of a sweep in order; of shard ``(i, n)``, every ``n``-th from ``i``.

    Raises:
        ValueError: If the sweep, the preset or the shard is unknown, or the grid empty.
    """
    index, count = shard
    if not 0 <= index < count:
        raise ValueError(f"need a shard i/n with 0 <= i < n, got {index}/{count}")
    study = study_of(sweep)
    cells = _module(study, "cells")
    shapes: dict[Any, list[Any]] = {}
    for one in _module(study, "grids").cells(sweep, preset):
        shapes.setdefault(cells.shape(one), []).append(one)
    found = []
    for common, group in shapes.items():
        size = cells.chunk_size(common)
        for first in range(0, len(group), size):
            found.append(Chunk(study, preset, tuple(group[first : first + size])))
    return found[index::count]


def run_chunk(chunk: Chunk, report: Report = lambda cells: None) -> bool:
    """Train what is missing of a chunk and store it, unless another process is at it.

    Returns:
        Whether all its cells are stored.
    """
    checkpoint = chunk.checkpoint()
    with claimed(checkpoint.with_suffix(".lock")) as mine:
        missing = chunk.missing()
        if not mine or not missing:
            return not missing
        module = _module(chunk.study, "cells")
        results = module.run_cells(
            chunk.cells, checkpoint, lambda share: report(share * len(missing))
        )
        for config, result in zip(chunk.cells, results, strict=True):
            if config in missing:
                store.save(
                    chunk.study,
                    module.VERSION,
                    config,
                    result,
                    preset=chunk.preset,
                    device=default_device(),
                    batching=f"vmap over {len(chunk.cells)} cells",
                )
        checkpoint.unlink(missing_ok=True)
    return True


def run(
    sweep: str,
    preset: str = "quick",
    *,
    workers: int = 0,
    scheduler: str | None = None,
    shard: tuple[int, int] = (0, 1),
    report: Report = lambda cells: None,
) -> Path | None:
    """Run what is missing of a sweep, then gather it if nothing is missing any more.

    Args:
        sweep: One of ``store.SWEEPS``.
        preset: ``smoke``, ``quick`` or ``paper``.
        workers: Processes of a Dask cluster on this machine; none runs in this process.
        scheduler: Address of a Dask scheduler that is already there.
        shard: This process's part ``(i, n)`` of the chunks.
        report: Called with the cells done so far, of those that were missing.

    Returns:
        The file of the gathered result, which holds what is finished so far; chunks that
        other calls are at are waited for.

    Raises:
        ValueError: If an argument does not fit, or a worker failed.
        ConnectionError: If the scheduler cannot be reached.
    """
    missing = {one: len(one.missing()) for one in chunks(sweep, preset, shard)}
    todo = [one for one, count in missing.items() if count]
    if not todo:
        return gather(sweep, preset)
    done, attempt = 0, 0

    def told(cells: float) -> None:
        report(done + cells)

    with _hands(workers, scheduler) as train:
        while todo:
            elsewhere = []
            for one, ended in train(todo, attempt, told):
                if ended:
                    done += missing[one]
                    report(done)
                else:
                    elsewhere.append(one)
            if len(elsewhere) == len(todo):
                time.sleep(PAUSE)
            todo, attempt = elsewhere, attempt + 1
    return gather(sweep, preset)


def gather(sweep: str, preset: str) -> Path | None:
    """Put the finished cells of a sweep into one result, unless the same is stored.

    It holds all that the cells' own files do, but for details, and stands in for them.

    Returns:
        Its file; none if no cell is finished.

    Raises:
        ValueError: If the sweep or the preset is unknown, or a file is damaged.
    """
    study = study_of(sweep)
    cells, gathering = _module(study, "cells"), _module(study, "gathering")

    def key(config: Any) -> str:
        return store.key(study, cells.VERSION, config)

    grid = _module(study, "grids").cells(sweep, preset)
    finished = [one for one in grid if _is_stored(study, one)]
    if not finished:
        return None
    whole, version = _gathering(sweep, preset)
    config = dataclasses.replace(whole, finished=len(finished))
    if store.exists(sweep, version, config):
        return store.path(sweep, version, config)
    results = {key(one): _result(study, one) for one in finished}
    dataset = gathering.gather(sweep, preset, key, results)
    complete = int(len(finished) == len(grid))
    details = int(getattr(grid[0], "details", False))
    about = {"preset": preset, "complete": complete, "details": details}
    file = store.save(sweep, version, config, dataset, device=default_device(), **about)
    return _fullest(sweep, version, config.grid, file)


def _gathering(sweep: str, preset: str) -> tuple[store.Members, int]:
    """The configuration of the complete result of a grid, and its version."""
    study = study_of(sweep)
    own = _module(study, "cells").VERSION
    grid = _module(study, "grids").cells(sweep, preset)
    names = _digest(store.key(study, own, one) for one in grid)
    version = 1000 * own + _module(study, "gathering").VERSION
    return store.Members(names, len(grid)), version


def _fullest(sweep: str, version: int, grid: str, file: Path) -> Path:
    """Of gathered results of a grid beside a file, the one with all; the others go.

    Another process may have gathered more cells meanwhile.
    """
    held = {file: 0}
    for other, attributes in store.stored(sweep):
        config = json.loads(attributes["config"])
        if other.parent == file.parent and config["grid"] == grid:
            current = int(attributes["version"]) == version
            held[other] = config["finished"] if current else -1
    fullest = max(held, key=lambda one: held[one])
    for other in set(held) - {fullest}:
        other.unlink(missing_ok=True)
    return fullest


def _is_stored(study: str, config: Any) -> bool:
    version = _module(study, "cells").VERSION
    return store.exists(study, version, config) or (
        store.key(study, version, config) in _gathered(study)
    )


def _result(study: str, config: Any) -> xr.Dataset:
    version = _module(study, "cells").VERSION
    if store.exists(study, version, config):
        return store.load(study, version, config)
    file, index = _gathered(study)[store.key(study, version, config)]
    return _module(study, "gathering").cell(_read(file), index)


def _gathered(study: str) -> dict[str, tuple[Path, int]]:
    """Where the cells are that gathered results hold, by their keys.

    An unfinished one does not stand in for cells that keep details.
    """
    version = _module(study, "cells").VERSION
    return {
        key: (file, index)
        for sweep in _sweeps(study)
        for file, attributes in store.stored(sweep)
        if int(attributes["version"]) // 1000 == version
        and (attributes["complete"] or not attributes["details"])
        for index, key in enumerate(_keys(file))
    }


def _sweeps(study: str) -> list[str]:
    return [sweep for sweep, cells in store.SWEEPS.items() if cells == study]


def _keys(file: Path) -> list[str]:
    """Of the cells in a gathered result, unless a fuller one has just replaced it."""
    try:
        return _read(file)["key"].values.tolist()
    except FileNotFoundError:
        return []


@functools.lru_cache(maxsize=32)
def _read_once(file: Path, changed: float) -> xr.Dataset:
    return store.read(file)


def _read(file: Path) -> xr.Dataset:
    return _read_once(file, file.stat().st_mtime)


def findings(file: Path | None) -> str:
    """Findings of a gathered sweep, in a few lines of text."""
    if file is None:
        return "nothing is finished"
    dataset = store.read(file)
    study = study_of(dataset.attrs["study"])
    return _module(study, "gathering").findings(dataset)


def count(sweep: str, preset: str) -> tuple[int, int]:
    """Cells that are stored, and all of them."""
    every = chunks(sweep, preset)
    total = sum(len(one.cells) for one in every)
    return total - sum(len(one.missing()) for one in every), total


def damaged(sweep: str, preset: str) -> Iterator[tuple[Path, str]]:
    """Read again all that a sweep rests on, and set aside what cannot be read.

    That is its cells, the trainings that are under way, and every gathered result of its
    study, since any of them may stand in for its cells.

    Yields:
        The new name of each damaged file, and what is wrong and how to make it again.
    """
    study = study_of(sweep)
    version = _module(study, "cells").VERSION
    for other in _sweeps(study):
        for file in store.files(other):
            yield from _set_aside(file, store.read, other, _preset_of(other, file))
    for chunk in chunks(sweep, preset):
        for config in chunk.cells:
            for file in store.paths(study, version, config):
                yield from _set_aside(file, store.read, sweep, preset)
        yield from _set_aside(chunk.checkpoint(), read_checkpoint, sweep, preset)


def _set_aside(
    file: Path, read: Callable[[Path], Any], sweep: str, preset: str
) -> Iterator[tuple[Path, str]]:
    if not file.is_file():
        return
    try:
        read(file)
    except ValueError as error:
        aside = file.with_name(f"{file.name}.damaged")
        os.replace(file, aside)
        reason = getattr(error, "reason", "its checksum is wrong")
        again = store.command(sweep, preset)
        yield aside, f"{file} is damaged ({reason}); make it again with `{again}`"


def _preset_of(sweep: str, file: Path) -> str:
    """The preset of a gathered result by its name, since its contents may be lost."""
    for preset in store.PRESETS:
        config, version = _gathering(sweep, preset)
        for finished in range(config.finished + 1):
            part = dataclasses.replace(config, finished=finished)
            if file.stem == f"{sweep}-{store.key(sweep, version, part)}":
                return preset
    return "PRESET"


Attempt = Callable[[list[Chunk], int, Report], Iterator[tuple[Chunk, bool]]]
"""Tries to train chunks, and says of each whether it is stored, or another is at it."""


@contextmanager
def _hands(workers: int, scheduler: str | None) -> Iterator[Attempt]:
    """A function that trains chunks, in this process or on the workers of a cluster."""
    if not (workers or scheduler):
        yield lambda todo, attempt, report: (
            (one, run_chunk(one, report)) for one in todo
        )
        return
    with cluster(workers, scheduler) as client:
        from distributed import as_completed

        def train(
            todo: list[Chunk], attempt: int, report: Report
        ) -> Iterator[tuple[Chunk, bool]]:
            del report  # workers tell of whole chunks alone
            futures = {
                client.submit(
                    run_chunk,
                    one,
                    key=f"{one.checkpoint().stem}-{attempt}",
                    retries=FAILURES,
                ): one
                for one in todo
            }
            for future in as_completed(futures):
                yield futures[future], future.result()

        yield train
