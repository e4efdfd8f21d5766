"""Run the cells of a sweep: in this process, on Dask workers, or as one shard of many.

Cells of one shape are trained together in *chunks*, cut from the whole grid and so the
same on every machine and in every attempt.  A chunk whose cells are all stored is left
alone; any other is trained whole, from its checkpoint if there is one, and its cells are
then written one by one.  Nothing is kept elsewhere: killed at any moment, the next call
goes on from the files.
"""

import functools
import hashlib
import importlib
import json
import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import xarray as xr

from experiments import store
from experiments.command import device

FAILURES = 20  # deaths of a worker that a chunk survives
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


def run_chunk(chunk: Chunk, report: Report = lambda cells: None) -> int:
    """Train what is missing of a chunk and store it; the number of cells written."""
    missing = chunk.missing()
    if not missing:
        return 0
    module = _module(chunk.study, "cells")
    checkpoint = chunk.checkpoint()
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
                device=device(),
                batching=f"vmap over {len(chunk.cells)} cells",
            )
    checkpoint.unlink(missing_ok=True)
    return len(missing)


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
        The file of the gathered result, which holds what is finished so far.

    Raises:
        ValueError: If an argument does not fit, or a worker failed.
        ConnectionError: If the scheduler cannot be reached.
    """
    todo = [one for one in chunks(sweep, preset, shard) if one.missing()]
    if todo and (workers or scheduler):
        _distribute(todo, workers, scheduler, report)
    else:
        done = 0.0
        for one in todo:
            count = len(one.missing())
            run_chunk(one, lambda cells, done=done: report(done + cells))
            done += count
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
    version = 1000 * cells.VERSION + gathering.VERSION
    config = store.Members(_digest(map(key, grid)), len(finished))
    if store.exists(sweep, version, config):
        return store.path(sweep, version, config)
    results = {key(one): _result(study, one) for one in finished}
    dataset = gathering.gather(sweep, preset, key, results)
    complete = int(len(finished) == len(grid))
    details = int(getattr(grid[0], "details", False))
    about = {"preset": preset, "complete": complete, "details": details}
    file = store.save(sweep, version, config, dataset, device=device(), **about)
    for older, attributes in list(store.stored(sweep)):
        same = json.loads(attributes["config"])["grid"] == config.grid
        if same and older.parent == file.parent and older != file:
            older.unlink()  # it held a part of these cells
    return file


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
        for sweep, cells in store.SWEEPS.items()
        if cells == study
        for file, attributes in store.stored(sweep)
        if int(attributes["version"]) // 1000 == version
        and (attributes["complete"] or not attributes["details"])
        for index, key in enumerate(_read(file)["key"].values.tolist())
    }


@functools.lru_cache(maxsize=32)
def _read_once(file: Path, changed: float) -> xr.Dataset:
    return store.read(file)


def _read(file: Path) -> xr.Dataset:
    return _read_once(file, file.stat().st_mtime)


def findings(file: Path | None) -> str:
    """What a gathered sweep says, in a few lines of text."""
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
    """Read every stored cell again, and set aside those that cannot be read.

    Yields:
        The new name of each damaged file, and what is wrong with it.
    """
    for chunk in chunks(sweep, preset):
        version = _module(chunk.study, "cells").VERSION
        for config in chunk.cells:
            file = store.path(chunk.study, version, config)
            if not file.is_file():
                continue
            try:
                store.read(file)
            except ValueError as error:
                aside = file.with_name(f"{file.name}.damaged")
                os.replace(file, aside)
                yield aside, str(error)


def _distribute(
    todo: list[Chunk], workers: int, scheduler: str | None, report: Report
) -> None:
    try:
        from dask import config as settings
        from distributed import Client, LocalCluster, as_completed
    except ImportError:
        raise ValueError(
            "need Dask for workers; install it with `pip install 'sigprop[cluster]'`"
        ) from None
    if workers and scheduler:
        raise ValueError("need --workers or --scheduler, got both")
    cluster = None
    settings.set({"distributed.scheduler.allowed-failures": FAILURES})
    try:
        if scheduler is None:
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                dashboard_address=None,  # pyright: ignore[reportArgumentType]
            )
        try:
            client = Client(cluster or scheduler, timeout="10s")
        except OSError as error:
            raise ConnectionError(
                f"need a Dask scheduler at {scheduler}, and none answers ({error}); start "
                "one with `dask scheduler`, or leave --scheduler out"
            ) from None
        with client:
            futures = {
                client.submit(
                    run_chunk, one, key=one.checkpoint().stem, retries=FAILURES
                ): one
                for one in todo
            }
            done = 0
            for future in as_completed(futures):
                future.result()
                done += len(futures[future].cells)
                report(done)
    finally:
        if cluster is not None:
            cluster.close()
