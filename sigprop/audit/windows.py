"""Windows of a series for an audit: blocks that follow one another in time.

Windows that overlap are far from independent.  A block holds windows of one stretch of
time; what differs from block to block gives the intervals, by the jackknife: every
estimate is made again without each block.  That corrects the bias of ratios to first
order, and leaves what blocks share, such as a season of the year, unseen.

Source: Kuensch (1989) for the jackknife over blocks of a stationary series; Tukey (1958).
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Int
from scipy.stats import t

from sigprop.networks.forecaster import Head, shown_windows
from sigprop.numerics.arguments import require_choice, require_count
from sigprop.tasks.examples import Batch
from sigprop.tasks.forecasts import Forecasts, Part

BLOCKS, LEVEL = 16, 0.95
Sums = TypeVar("Sums")


class Block(NamedTuple):
    """Windows of one stretch of time, as the network reads them.

    Attributes:
        batch: Sequences, and the numbers that should come out.
        season: Place in the season of each step of each sequence.
    """

    batch: Batch
    season: Int[np.ndarray, "sequences length"]


def blocks_of(
    task: Forecasts, head: Head, part: Part, windows: int, blocks: int = BLOCKS
) -> list[Block]:
    """Windows of a part at equal distances, the same number in each block.

    Args:
        task: Series, and the rows that a forecast reads and predicts.
        head: Head of the network, which says how windows are shown to it.
        part: Part of the rows: ``train``, ``validation`` or ``test``.
        windows: Largest number of windows.
        blocks: Number of stretches of time.

    Raises:
        ValueError: If the part has fewer than two windows a block, or is asked for them;
            if there is no such part.

    Example:
        >>> from sigprop.tasks import carbon_dioxide
        >>> task = Forecasts(carbon_dioxide(), length=52, horizon=13)
        >>> blocks = blocks_of(task, Head(horizon=13, features=1), "test", 64)
        >>> len(blocks), blocks[0].batch.inputs.shape
        (16, (4, 52, 1))
    """
    require_choice("part", part, tuple(task.split))
    windows, blocks = (
        require_count(name, count)
        for name, count in (("windows", windows), ("blocks", blocks))
    )
    available = task.windows(part)
    count = min(windows, len(available.inputs)) // blocks
    if count < 2 or blocks < 2:
        raise ValueError(
            f"need two windows in each of {max(blocks, 2)} blocks at least, got "
            f"{len(available.inputs)} of {part} and {windows} asked for"
        )
    every = len(available.inputs) // (count * blocks)
    first = task.split[part].start - (0 if part == "train" else task.length)
    rows = 1 if head.kind == "steps" else head.horizon
    result = []
    for block in range(blocks):
        first_rows = every * (block * count + np.arange(count))
        inputs, targets, marks = (
            np.asarray(array[first_rows], np.float32) for array in available
        )
        read = shown_windows(head, jnp.asarray(inputs), jnp.asarray(marks))
        shown, offset = map(np.asarray, read)
        wanted = targets[:, :rows] - offset
        if head.channels == "each":
            wanted = np.moveaxis(wanted, 2, 1)
        steps = max(first, 0) + first_rows[:, None] + np.arange(task.length)
        repeats = len(shown) // count
        batch = Batch(
            shown,
            np.full(len(shown), task.length),
            np.ascontiguousarray(wanted.reshape(len(shown), -1)),
            np.ones(len(shown), bool),
        )
        season = np.repeat(steps % task.table.step.season, repeats, 0)
        result.append(Block(batch, season))
    return result


def jackknife(
    parts: Sequence[Sums], estimate: Callable[[Sums], Any]
) -> Float[np.ndarray, "3 *shape"]:
    """Low, middle and high of a function of sums over blocks.

    Args:
        parts: Sums of each block, in trees of one form.
        estimate: Of the sums of several blocks, added up.
    """
    count = len(parts)
    total = jax.tree.map(lambda *block_sums: sum(block_sums), *parts)
    left_out = np.stack(
        [
            np.asarray(
                estimate(jax.tree.map(lambda all_, own: all_ - own, total, part))
            )
            for part in parts
        ]
    )
    overall, mean = np.asarray(estimate(total)), left_out.mean(0)
    middle = count * overall - (count - 1) * mean
    error = np.sqrt((count - 1) * ((left_out - mean) ** 2).mean(0))
    reach = t.ppf((1 + LEVEL) / 2, count - 1) * error
    return np.stack([middle - reach, middle, middle + reach])
