"""Examples of one shape that every data set delivers, in an order that can be resumed.

Inputs are tokens ``(n, L)`` or numbers ``(n, L, d)``, or pairs of such as ``(n, 2, L)``,
padded on the right to the data set's own ``L``; a batch says which steps and which examples
count.  The batch of a training
step is a function of seed and step alone, so that a training goes on where it stopped.

Source: the conventions of the long-range benchmarks, Tay et al. (2021).
"""

import functools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Float, Float32, Int, Num, Shaped

from sigprop.numerics.arguments import require_count, require_shape, require_within
from sigprop.numerics.seeds import require_seed

SPLIT_SEED = 42  # of a split that a data set does not bring along


class Batch(NamedTuple):
    """Examples of one static shape.

    Attributes:
        inputs: Tokens or floats, zero after an example's end.
        lengths: Steps of each example, or of both sequences of each pair.
        labels: Classes, or numbers to come near to.
        valid: True for an example, false for a row that fills the batch.

    Example:
        >>> examples = Examples(np.zeros((5, 8, 1)), np.full(5, 8), np.arange(5))
        >>> batch = examples.take(np.array([0, 2]), size=3)
        >>> batch.inputs.shape, batch.labels.tolist(), batch.valid.tolist()
        ((3, 8, 1), [0, 2, 0], [True, True, False])
    """

    inputs: Shaped[np.ndarray, "batch *sequence"]
    lengths: Int[np.ndarray, "batch *pair"]
    labels: Num[np.ndarray, "batch *answer"]
    valid: Bool[np.ndarray, " batch"]


@final
@dataclass(frozen=True, eq=False)
class Examples:
    """One part of a data set; its arrays may be mapped from a file.

    Attributes:
        inputs: Tokens ``(n, L)`` of whole numbers, or ``(n, L, d)`` of floats, or of
            whole numbers, which stand for ``x / scale - centre``; pairs have an axis after
            the first.
        lengths: Steps of each example ``(n,)``, or of pairs ``(n, 2)``; at least one.
        labels: Classes from zero.
        scale: Divisor of whole numbers with features, one number or ``(L, d)``.
        centre: Number or ``(L, d)`` that is subtracted after the division. By default
            bytes go to -1 ... 1.

    Raises:
        ValueError: If the arrays differ in number or are empty, or a length is outside
            ``1 ... L``.

    Example:
        >>> examples = Examples(np.zeros((5, 8, 1)), np.full(5, 8), np.arange(5))
        >>> examples.steps, examples.features, examples.full
        (8, 1, True)
    """

    inputs: Shaped[np.ndarray, "n *sequence"]
    lengths: Int[np.ndarray, "lengths *pair"]
    labels: Int[np.ndarray, " labels"]
    scale: Float32[np.ndarray, "..."] | float = 127.5
    centre: Float32[np.ndarray, "..."] | float = 1.0

    def __post_init__(self) -> None:
        counts = {len(self.inputs), len(self.lengths), len(self.labels)}
        if len(counts) != 1 or 0 in counts:
            raise ValueError(
                "need as many inputs, lengths and labels, one at least, got "
                f"{len(self.inputs)}, {len(self.lengths)} and {len(self.labels)}"
            )
        low, high = int(self.lengths.min()), int(self.lengths.max())
        if low < 1 or high > self.steps:
            raise ValueError(
                f"need lengths from 1 to {self.steps}, got {low} to {high}"
            )

    def __len__(self) -> int:
        return len(self.labels)

    @property
    def steps(self) -> int:
        """Steps of a padded sequence."""
        return self.inputs.shape[self.lengths.ndim]

    @property
    def features(self) -> int | None:
        """Numbers a step, or none where it is a token."""
        after = self.inputs.shape[self.lengths.ndim + 1 :]
        return after[0] if after else None

    @property
    def full(self) -> bool:
        """True where no example is padded."""
        return bool((self.lengths == self.steps).all())

    def take(self, rows: Int[np.ndarray, " batch"], size: int | None = None) -> Batch:
        """The examples of these rows, filled up to ``size`` with copies that are not valid."""
        size = len(rows) if size is None else size
        filled = np.concatenate([rows, np.repeat(rows[:1], size - len(rows))])
        inputs = np.asarray(self.inputs[filled])
        if self.features and inputs.dtype.kind in "iu":
            inputs = inputs.astype(np.float32) / self.scale - self.centre
        return Batch(
            inputs,
            np.asarray(self.lengths[filled]),
            np.asarray(self.labels[filled]),
            np.arange(size) < len(rows),
        )

    def parts(self, counts: Sequence[int]) -> "list[Examples]":
        """Split the examples into consecutive parts of these sizes, without a copy."""
        ends = np.cumsum(counts)
        return [self.subset(rows) for rows in map(slice, ends - counts, ends)]

    def subset(self, rows: Int[np.ndarray, " some"] | slice) -> "Examples":
        """Some of the examples; copied, unless they are a slice."""
        return replace(
            self,
            inputs=self.inputs[rows],
            lengths=self.lengths[rows],
            labels=self.labels[rows],
        )


@final
@dataclass(frozen=True, eq=False)
class DataSet:
    """Three parts, and what a network must know to read them.

    Attributes:
        train: Examples that a network learns from.
        validation: Examples that choose the best step.
        test: Examples whose accuracy is reported.
        classes: Number of labels.
        vocabulary: Number of tokens, padding included; none for numbers.

    Example:
        >>> from sigprop.tasks import load_task
        >>> data = load_task("digits")
        >>> data.pairs, data.vocabulary, data.classes
        (False, None, 10)
    """

    train: Examples
    validation: Examples
    test: Examples
    classes: int
    vocabulary: int | None = None

    @property
    def pairs(self) -> bool:
        """True where an example is two sequences."""
        return self.train.lengths.ndim == 2


def training_batch(examples: Examples, size: int, seed: int, step: int) -> Batch:
    """The batch of a training step, counted from zero over all epochs.

    Each epoch has an order of its own; whole batches of it are taken one after another.

    Raises:
        ValueError: If a batch has no example, or more than there are.
    """
    return examples.take(training_rows(len(examples), size, seed, step))


def training_rows(
    count: int, size: int, seed: int, step: int
) -> Int[np.ndarray, " size"]:
    """Indices among ``count`` examples of those in the batch of a training step.

    Raises:
        ValueError: If a batch has no example, or more than there are.
    """
    epoch, batch = divmod(step, _batches(count, size))
    return _order(count, seed, epoch)[batch * size : (batch + 1) * size]


def _batches(count: int, size: int) -> int:
    if not 1 <= size <= count:
        raise ValueError(f"need a batch of 1 to {count} examples, got {size}")
    return count // size


@functools.lru_cache(maxsize=2)
def _order(count: int, seed: int, epoch: int) -> Int[np.ndarray, " count"]:
    return np.random.default_rng((seed, epoch)).permutation(count)


def evaluation_batches(examples: Examples, size: int) -> Iterator[Batch]:
    """Every example once, in order; the last batch is filled with rows that are not valid.

    Raises:
        ValueError: If the size is below one.

    Example:
        >>> examples = Examples(np.zeros((5, 8, 1)), np.full(5, 8), np.arange(5))
        >>> [int(batch.valid.sum()) for batch in evaluation_batches(examples, 2)]
        [2, 2, 1]
    """
    size = require_count("size", size)  # now, not when the first batch is asked for
    firsts = range(0, len(examples), size)
    ends = (min(first + size, len(examples)) for first in firsts)
    rows = (np.arange(*both) for both in zip(firsts, ends, strict=True))
    return (examples.take(indices, size) for indices in rows)


def split(
    count: int, shares: tuple[float, ...], seed: int = SPLIT_SEED
) -> list[Int[np.ndarray, " some"]]:
    """Rows of disjoint parts of these shares, in a fixed random order.

    Raises:
        ValueError: If the shares do not add up to one, or a part would be empty.
    """
    require_seed(seed)
    if min(shares) <= 0 or abs(sum(shares) - 1) > 1e-9:
        raise ValueError(f"need positive shares that add up to one, got {shares}")
    ends = np.round(np.cumsum(shares)[:-1] * count).astype(int)
    parts = np.split(np.random.default_rng(seed).permutation(count), ends)
    if any(not len(part) for part in parts):
        raise ValueError(f"need an example in every part, got {count} for {shares}")
    return parts


def accuracy(
    scores: Float[np.ndarray, "batch classes"], batch: Batch
) -> tuple[int, int]:
    """Correct answers and examples of a batch.

    Raises:
        ValueError: If a score is not a number, or there are not as many as in the batch.

    Example:
        >>> examples = Examples(np.zeros((2, 8, 1)), np.full(2, 8), np.arange(2))
        >>> accuracy(np.array([[0.9, 0.1], [0.8, 0.2]]), examples.take(np.arange(2)))
        (1, 2)
    """
    require_within("scores", scores, -np.inf, np.inf, "[]")
    require_shape("scores", scores, "batch classes")
    right = (scores.argmax(-1) == batch.labels) & batch.valid
    return int(right.sum()), int(batch.valid.sum())
