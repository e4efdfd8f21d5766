"""Windows of a series for an audit, in blocks that follow one another in time.

Windows that overlap are not independent.  A block has the windows of one period of time.
Intervals come from the jackknife over blocks, which repeats each estimate without one of
the blocks.  The jackknife corrects the bias of ratios to first order.  It does not detect
variation that all blocks share, such as a season of the year.

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
    """Windows of one period of time, in the form that the network reads.

    Attributes:
        batch: Input sequences, and target values of the outputs.
        season: Position in the season of each step of each sequence, from 0.
    """

    batch: Batch
    season: Int[np.ndarray, "sequences length"]


def blocks_of(
    task: Forecasts, head: Head, part: Part, windows: int, blocks: int = BLOCKS
) -> list[Block]:
    """Return evenly spaced windows of a series, in blocks of equal size.

    Args:
        task: Forecasting task with the series.
        head: Settings of the network's forecasts, which determine the inputs and
            targets of a window.
        part: Part of the series: ``train``, ``validation`` or ``test``.
        windows: Largest total number of windows in all blocks.
        blocks: Number of blocks, two or more.  Each block covers one period of time.

    Raises:
        ValueError: If there are fewer than two blocks; if a block would have fewer than
            two windows; or if ``part`` is unknown.

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
    """Return an estimate with its 95 % interval, by the jackknife over blocks.

    Args:
        parts: Sums over each block, as pytrees of the same structure.
        estimate: Function from the total of the sums of several blocks to an array.

    Returns:
        The lower end, the estimate and the upper end, along the first axis.
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
