"""Sequences arranged in tiles, which several cores process in parallel."""

import functools
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise

import numpy as np
from jaxtyping import Shaped

from sigprop.numerics.devices import cores

TILE = 32  # sequences side by side in memory: a few of the widest vectors
ENOUGH = 2**20  # smallest number of results for which a second thread is faster
Task = Callable[[int, int], object]  # of the first tile and the number of tiles


def tiled(
    values: Shaped[np.ndarray, "*rows sequences"],
) -> Shaped[np.ndarray, "tiles *rows tile"]:
    """Cut the last axis into tiles, and fill the last tile with zeros.

    >>> tiled(np.ones((5, 2, 70))).shape
    (3, 5, 2, 32)
    """
    *rows, sequences = values.shape
    tiles = -(-sequences // TILE)
    padded = np.zeros((*rows, tiles * TILE), values.dtype)
    padded[..., :sequences] = values
    cut = padded.reshape(*rows, tiles, TILE)
    return np.ascontiguousarray(np.moveaxis(cut, -2, 0))


def untiled(
    tiles: Shaped[np.ndarray, "tiles *rows tile"], sequences: int
) -> Shaped[np.ndarray, "*rows sequences"]:
    """Invert ``tiled``.

    >>> untiled(tiled(np.arange(40)), 40).tolist() == list(range(40))
    True
    """
    together = np.moveaxis(tiles, 0, -2)
    return together.reshape(*tiles.shape[1:-1], tiles.shape[0] * TILE)[..., :sequences]


def over_cores(task: Task, tiles: int, numbers: int) -> None:
    """Call ``task(first, count)`` for all tiles, with one thread for each core.

    If fewer than ``ENOUGH`` numbers are computed, only this thread runs.

    Args:
        task: Function of the first tile and the number of tiles.
        tiles: Number of all tiles.
        numbers: Number of numbers to compute.
    """
    parts = min(cores(), tiles) if numbers >= ENOUGH else 1
    ends = [tiles * part // parts for part in range(parts + 1)]
    first, *others = pairwise(ends)
    futures = [_threads().submit(task, a, b - a) for a, b in others]
    try:
        task(first[0], first[1] - first[0])
    finally:
        wait(futures)  # even after an interruption: they write where the caller reads
    for future in futures:
        future.result()


@functools.cache
def _threads() -> ThreadPoolExecutor:
    """Pool of threads, started once."""
    return ThreadPoolExecutor(cores())
