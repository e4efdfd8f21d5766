"""Sequences of real vectors as inputs of networks: embeddings of text, and others.

Embeddings are read from a user's file, ``.npy`` of shape (sequences, steps, width), which is
memory-mapped.  ``stand_in`` draws sequences with the autocovariance that Zucchet & Orvieto
fit to their embeddings.  Other sequences are tokens of ListOps and rows of tables.  All are
read a few sequences at a time.

Source: Zucchet & Orvieto (2024), Section 5, Appendix D.1 and Figure 12.
"""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int, PRNGKeyArray

from sigprop.inputs import Mixed
from sigprop.linear.measured_moments import channels
from sigprop.numerics.seeds import require_seed
from sigprop.tasks.expressions import EOS, TOKENS
from sigprop.tasks.forecasts import Forecasts
from sigprop.tasks.listops import listops
from sigprop.tasks.tables import Table

EMBEDDINGS = Mixed(0.332, 0.044, 0.997)  # Figure 12
CHECKED = 64  # sequences of a file looked at together

Taken = Float[np.ndarray, "num steps width"]


class Sequences(NamedTuple):
    """A set of sequences of vectors, read a few at a time.

    Attributes:
        name: Name of the set.
        number: Number of sequences.
        steps: Number of steps of each sequence.
        width: Number of features of a step.
        take: Function ``take(first, num)`` that returns ``num`` sequences from index
            ``first`` on.
    """

    name: str
    number: int
    steps: int
    width: int
    take: Callable[[int, int], Any]


def stand_in(
    count: int, steps: int, width: int, seed: int = 0, process: Mixed = EMBEDDINGS
) -> Sequences:
    """Draw sequences of independent channels in place of embeddings.

    A sequence does not depend on the other sequences that are read with it.

    Args:
        count: Number of sequences.
        steps: Number of steps of each sequence.
        width: Number of channels.
        seed: Seed of the draws.
        process: Process of each channel.  Default: the fit to embeddings of Figure 12.

    Raises:
        ValueError: If a size is below one, or the seed is not an integer in ``[0, 2**32)``.
    """
    require_seed(seed)
    _require_sizes(count, steps, width)
    key = jax.random.key(seed)

    def take(first: int, num: int) -> Taken:
        numbers = _numbers(first, num, count)
        return np.asarray(_draw(key, numbers, process, steps, width))

    return Sequences("stand-in", count, steps, width, take)


@functools.partial(jax.jit, static_argnames=("process", "steps", "width"))
def _draw(
    key: PRNGKeyArray,
    numbers: Int[Array, " num"] | Int[np.ndarray, " num"],
    process: Mixed,
    steps: int,
    width: int,
) -> Float[Array, "num steps width"]:
    def sequence(number: Int[Array, ""]) -> Float[Array, "steps width"]:
        own = jax.random.fold_in(key, number)
        return channels(own, process, 1, steps, width, jnp.float32)[0]

    return jax.vmap(sequence)(jnp.asarray(numbers))


def embeddings(
    path: Path,
    width: int | None = None,
    count: int | None = None,
    steps: int | None = None,
) -> Sequences:
    """Memory-map a ``.npy`` file of embeddings, with axes (sequences, steps, width).

    The numbers that are used are checked once, in parts.

    Args:
        path: Path of the file.
        width: Required width.  Default: any width.
        count: Number of sequences, from the first on.  Default: all.
        steps: Number of steps of each sequence, from the first on.  Default: all.

    Raises:
        FileNotFoundError: If there is no file at ``path``.
        ValueError: If the file is no array of real numbers with three axes; if it is
            empty, constant or not finite; if it has another width, or fewer sequences or
            steps than required.
    """
    if not path.is_file():
        raise FileNotFoundError(f"need a .npy of embeddings, found none at {path}")
    try:
        values = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError, OSError) as error:
        raise ValueError(
            f"need a whole .npy file of plain numbers, got {path.name}, which holds "
            "Python objects, is cut short, or is not .npy; write it with np.save"
        ) from error
    if not isinstance(values, np.ndarray) or values.dtype.kind != "f":
        kind = getattr(values, "dtype", type(values).__name__)
        raise ValueError(f"need real embeddings, float16 to float64, got {kind}")
    if values.ndim != 3 or 0 in values.shape:
        raise ValueError(
            "need embeddings of shape (sequences, steps, width), none of them zero, got "
            f"{values.shape}; reshape the array"
        )
    if width is not None and values.shape[2] != width:
        raise ValueError(
            f"need embeddings of width {width}, got {values.shape[2]} in {path.name}; "
            "give the network as many inputs, or another file"
        )
    wanted = count or values.shape[0], steps or values.shape[1]
    if wanted[0] > values.shape[0] or wanted[1] > values.shape[1]:
        raise ValueError(
            f"need {wanted[0]} sequences of {wanted[1]} steps, got {values.shape[0]} of "
            f"{values.shape[1]} in {path.name}; ask for fewer"
        )
    chosen = values[: wanted[0], : wanted[1]]
    _require_alive(chosen, path.name)

    def take(first: int, num: int) -> Taken:
        return np.asarray(chosen[_numbers(first, num, len(chosen))], np.float32)

    number, length, features = chosen.shape
    return Sequences(path.stem, number, length, features, take)


def _require_alive(values: Float[np.ndarray, "n steps width"], name: str) -> None:
    low, high = np.inf, -np.inf
    for first in range(0, len(values), CHECKED):
        part = values[first : first + CHECKED]
        if not np.isfinite(part).all():
            sequence, step, feature = map(int, np.argwhere(~np.isfinite(part))[0])
            raise ValueError(
                f"need finite embeddings, got {part[sequence, step, feature]} in sequence "
                f"{first + sequence}, step {step}, feature {feature} of {name}; replace it"
            )
        low, high = min(low, part.min()), max(high, part.max())
    if low == high:
        raise ValueError(
            f"need embeddings that vary, got {low:g} everywhere in {name}; write the "
            "file again"
        )


def listops_sequences(
    count: int, steps: int, seed: int = 0, folder: Path | None = None
) -> Sequences:
    """First tokens of ListOps expressions as one-hot vectors minus their mean.

    Args:
        count: Number of expressions.
        steps: Number of tokens of each expression, at most that of the shortest one.
        seed: Seed of generated expressions.
        folder: Folder with the released files.  Default: expressions are generated.

    Raises:
        ValueError: If a size is below one; if there are fewer expressions than ``count``;
            if an expression has fewer tokens than ``steps``.
        FileNotFoundError: If a file of the folder is missing.
    """
    _require_sizes(count, steps, 1)
    examples = listops(folder, counts=(count, 1, 1), seed=seed).train
    tokens = np.asarray(examples.inputs[:count, :steps])
    if len(tokens) < count:
        raise ValueError(f"need {count} expressions, got {len(tokens)}; ask for fewer")
    if steps > tokens.shape[1] or (tokens <= EOS).any():
        least = int(np.min(examples.lengths[:count])) - 1
        raise ValueError(
            f"need expressions of at least {steps} tokens, got one of {least}; ask for "
            "fewer steps"
        )
    hot = np.eye(len(TOKENS), dtype=np.float32)
    mean = hot[tokens].mean((0, 1))

    def take(first: int, num: int) -> Taken:
        return hot[tokens[_numbers(first, num, count)]] - mean

    return Sequences("ListOps", count, steps, len(TOKENS), take)


def table_sequences(table: Table, steps: int) -> Sequences:
    """Features of a table in successive windows without overlap, scaled as in ``Forecasts``.

    The last rows are dropped if they do not fill a window.

    Args:
        table: Table of features.
        steps: Number of rows of a window.

    Raises:
        ValueError: If ``steps`` is below one or above the number of rows.
    """
    _require_sizes(1, steps, 1)
    values = np.asarray(Forecasts(table, length=1, horizon=1).scaled(), np.float32)
    count = len(values) // steps
    if count == 0:
        raise ValueError(
            f"need at least {steps} rows for one window, got {len(values)} in "
            f"{table.name}; ask for fewer steps"
        )
    windows = values[: count * steps].reshape(count, steps, -1)

    def take(first: int, num: int) -> Taken:
        return windows[_numbers(first, num, count)]

    return Sequences(table.name, count, steps, windows.shape[2], take)


def _numbers(first: int, num: int, count: int) -> Int[np.ndarray, " num"]:
    if not (first >= 0 and num >= 1 and first + num <= count):
        raise ValueError(
            f"need sequences between 0 and {count}, got {first} to {first + num}"
        )
    return np.arange(first, first + num)


def _require_sizes(count: int, steps: int, width: int) -> None:
    if min(count, steps, width) < 1:
        raise ValueError(
            f"need count, steps and width of at least 1, got {count}, {steps} and {width}"
        )
