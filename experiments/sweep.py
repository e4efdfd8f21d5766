"""Execution of sweeps: in this process, on Dask workers, or as one of several shards.

Cells of one shape are trained together in *chunks*.  Chunks are cut from the whole grid, so
they are the same on every machine and in every attempt.  A chunk whose cells are all stored
is skipped.  Any other chunk is trained as a whole, from its checkpoint if there is one, and
its missing cells are then written to one file each.  Nothing else is stored: after an
interruption, the next call continues from these files.  The process that trains a chunk holds
a lock on it, so that several calls can share a sweep.  If a call is killed, another call can
train its chunk.

A finished cell has its own file, or is part of a gathered result of its package.  That result
may belong to another sweep or to a larger preset, which contains the cells of a smaller one.
"""

import dataclasses
import functools
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xarray as xr

from sigprop.experiments import store, studies
from sigprop.experiments.workers import FAILURES, cluster
from sigprop.numerics.devices import default_device
from sigprop.numerics.locks import claimed
from sigprop.training.checkpoints import read_checkpoint

PAUSE = 1.0  # seconds; wait before chunks of other processes are tried again
Report = Callable[[float], None]  # called with the number of finished cells, a fraction


@dataclass(frozen=True)
class Chunk:
    """Cells that are trained together.

    Attributes:
        study: Package of the cells.
        preset: Preset of the sweep.
        cells: Configurations of one shape.
    """

    study: str
    preset: str
    cells: tuple[Any, ...]

    def checkpoint(self) -> Path:
        """Return the checkpoint file of an unfinished training."""
        name = f"{self.study}-{studies.digest(self.study, self.cells)}.npz"
        return store.folder() / "checkpoints" / name


def chunks(sweep: str, preset: str, shard: tuple[int, int] = (0, 1)) -> list[Chunk]:
    """Return the chunks of a sweep; shard ``(i, n)`` has every ``n``-th from ``i``.

    Raises:
        ValueError: If the sweep, the preset or the shard is unknown, or the grid empty.
    """
    index, count = shard
    if not 0 <= index < count:
        raise ValueError(f"need a shard i/n with 0 <= i < n, got {index}/{count}")
    study = studies.package_of(sweep)
    cells = studies.part(study, "cells")
    shapes: dict[Any, list[Any]] = {}
    for cell in studies.grid(sweep, preset):
        shapes.setdefault(cells.shape(cell), []).append(cell)
    ordered = []
    for common, group in shapes.items():
        size = cells.chunk_size(common)
        for first in range(0, len(group), size):
            ordered.append(Chunk(study, preset, tuple(group[first : first + size])))
    return ordered[index::count]


def run_chunk(chunk: Chunk, report: Report = lambda cells: None) -> bool:
    """Train a chunk and store its missing cells, unless another process has its lock.

    Returns:
        True if all cells are stored.
    """
    checkpoint = chunk.checkpoint()
    with claimed(checkpoint.with_suffix(".lock")) as mine:
        lost = missing(chunk.study, chunk.cells)
        if not mine or not lost:
            return not lost
        cells = studies.part(chunk.study, "cells")
        results = cells.run_cells(
            chunk.cells, checkpoint, lambda share: report(share * len(lost))
        )
        for config, result in zip(chunk.cells, results, strict=True):
            if config in lost:
                store.save(
                    chunk.study,
                    cells.VERSION,
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
    """Run the missing cells of a sweep, then gather all finished cells.

    Args:
        sweep: A key of ``studies.sweeps``.
        preset: ``smoke``, ``quick`` or ``paper``.
        workers: Dask processes on this machine; with zero, cells run in this process.
        scheduler: Address of a running Dask scheduler.
        shard: Part ``(i, n)`` of the chunks for this process.
        report: Called with the number of finished cells among the missing ones.

    Returns:
        The file of the gathered result, with all finished cells.  The call waits for chunks
        of this shard that other calls train.

    Raises:
        ValueError: If an argument does not fit, or a worker failed.
        ConnectionError: If the scheduler cannot be reached.
    """
    lost = missing_of(chunks(sweep, preset, shard))
    todo = [chunk for chunk, count in lost.items() if count]
    if not todo:
        return gather(sweep, preset)
    done, attempt = 0, 0

    def report_all(cells: float) -> None:
        report(done + cells)

    with _hands(workers, scheduler) as train:
        while todo:
            elsewhere = []
            for chunk, ended in train(todo, attempt, report_all):
                if ended:
                    done += lost[chunk]
                    report(done)
                else:
                    elsewhere.append(chunk)
            if len(elsewhere) == len(todo):
                time.sleep(PAUSE)
            todo, attempt = elsewhere, attempt + 1
    return gather(sweep, preset)


def missing_of(chunks: Sequence[Chunk]) -> dict[Chunk, int]:
    """Return the number of missing cells of each chunk of one sweep."""
    cells = [cell for chunk in chunks for cell in chunk.cells]
    lost = set(missing(chunks[0].study, cells)) if chunks else set()
    return {chunk: len(lost.intersection(chunk.cells)) for chunk in chunks}


def count(sweep: str, preset: str) -> tuple[int, int]:
    """Return the number of stored cells, and the number of all cells."""
    every = studies.grid(sweep, preset)
    lost = missing(studies.package_of(sweep), every)
    return len(every) - len(lost), len(every)


def missing(study: str, cells: Sequence[Any]) -> list[Any]:
    """Return the cells without a result; results written meanwhile may be ignored.

    Raises:
        ValueError: If the file of a gathered result is damaged.
    """
    finished = _finished(study, cells)
    return [cell for cell in cells if cell not in finished]


def gather(sweep: str, preset: str) -> Path | None:
    """Gather the finished cells of a sweep into one result, unless it is stored.

    The gathered result has all contents of the cells' files except details, and can replace
    these files.

    Returns:
        The file, or ``None`` if no cell is finished.

    Raises:
        ValueError: If the sweep or the preset is unknown, or a file is damaged.
    """
    study, every = studies.package_of(sweep), studies.grid(sweep, preset)
    config, version = studies.definition(sweep, preset)
    base = studies.part(study, "cells").VERSION
    gathering = studies.part(study, "gathering")
    finished = _finished(study, every)
    if not finished:
        return None
    config = dataclasses.replace(config, finished=len(finished))
    if store.exists(sweep, version, config):
        return store.path(sweep, version, config)

    def key(cell: Any) -> str:
        return store.key(study, base, cell)

    results = {
        key(cell): gathering.cell(*index) if index else store.load(study, base, cell)
        for cell, index in finished.items()
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


Index = tuple[xr.Dataset, int]
"""A gathered result, and the index of a cell in it."""


def _finished(study: str, cells: Sequence[Any]) -> dict[Any, Index | None]:
    """Return the finished cells in order, each with its place in a gathered result.

    The place is ``None`` for cells with their own file.  An incomplete gathered result does not
    replace cells that have details.
    """
    version, gathered = studies.part(study, "cells").VERSION, dict[str, Index]()
    for sweep in _beside(study):
        for file, about in store.stored(sweep):
            current = int(about["version"]) // 1000 == version
            if current and (about["complete"] or not about["details"]):
                with suppress(FileNotFoundError):  # a fuller one replaced it
                    table = _read(file)
                    keys = table["key"].values.tolist()
                    gathered |= {key: (table, i) for i, key in enumerate(keys)}
    finished: dict[Any, Index | None] = {}
    for cell in cells:
        key = store.key(study, version, cell)
        if store.exists(study, version, cell):
            finished[cell] = None
        elif key in gathered:
            finished[cell] = gathered[key]
    return finished


def _beside(study: str) -> list[str]:
    """Return all sweeps of the same package."""
    return [sweep for sweep, package in studies.sweeps().items() if package == study]


def _read(file: Path) -> xr.Dataset:
    return _read_once(file, file.stat().st_mtime)


@functools.lru_cache(maxsize=32)
def _read_once(file: Path, changed: float) -> xr.Dataset:
    return store.read(file)


def findings(file: Path | None) -> str:
    """Describe the findings of a gathered sweep in a few lines.

    Raises:
        ValueError: If the file is damaged.
    """
    if file is None:
        return "nothing is finished"
    dataset = store.read(file)
    study = studies.package_of(dataset.attrs["study"])
    return studies.part(study, "gathering").findings(dataset)


def damaged(sweep: str, preset: str) -> Iterator[tuple[Path, str]]:
    """Read all files of a sweep, and rename damaged ones.

    These are its cells, its checkpoints, and all gathered results of its package, which may
    contain its cells.

    Yields:
        The new name of each damaged file, and a message with the reason and the command that
        makes it again.
    """
    study = studies.package_of(sweep)
    version = studies.part(study, "cells").VERSION
    for other in _beside(study):
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
    except store.Damaged as error:
        damage = f"{file} is damaged ({error.reason})"
    except ValueError as error:
        damage = str(error).rpartition(";")[0]  # without the advice
    else:
        return
    aside = file.with_name(f"{file.name}.damaged")
    os.replace(file, aside)
    yield aside, f"{damage}; make it again with `{store.command(sweep, preset)}`"


def _preset_of(sweep: str, file: Path) -> str:
    """Return the preset of a gathered result from its name, as it may be unreadable."""
    for preset in store.PRESETS:
        config, version = studies.definition(sweep, preset)
        for finished in range(config.finished + 1):
            part = dataclasses.replace(config, finished=finished)
            if file.stem == f"{sweep}-{store.key(sweep, version, part)}":
                return preset
    return "PRESET"


Attempt = Callable[[list[Chunk], int, Report], Iterator[tuple[Chunk, bool]]]
"""Tries to train chunks; yields each with true if it is now stored."""


@contextmanager
def _hands(workers: int, scheduler: str | None) -> Iterator[Attempt]:
    """Yield a function that trains chunks, in this process or on a cluster."""
    if not (workers or scheduler):
        yield lambda todo, attempt, report: (
            (chunk, run_chunk(chunk, report)) for chunk in todo
        )
        return
    with cluster(workers, scheduler) as client:
        from distributed import as_completed

        def train(
            todo: list[Chunk], attempt: int, report: Report
        ) -> Iterator[tuple[Chunk, bool]]:
            del report  # workers report only whole chunks
            futures = {
                client.submit(
                    run_chunk,
                    chunk,
                    key=f"{chunk.checkpoint().stem}-{attempt}",
                    retries=FAILURES,
                ): chunk
                for chunk in todo
            }
            for future in as_completed(futures):
                yield futures[future], future.result()

        yield train
