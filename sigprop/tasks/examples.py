"""The common format of all data sets, and batches in a reproducible order.

Inputs are tokens ``(n, L)`` or features ``(n, L, d)``; pairs of sequences have another axis
after the first.  Shorter sequences are padded on the right to the length ``L`` of the data
set.  The batch of a training step depends only on seed and step, so that an interrupted
training can be resumed.

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
    """A batch of examples, filled up with copies to a fixed number of rows.

    Attributes:
        inputs: Tokens or features of each step of each example.
        lengths: Number of steps of each example, or of both sequences of each pair.
        labels: Class of each example, or the target values of a regression.
        valid: True for an example, false for a copy that only fills the batch.

    Example:
        Examples 0 and 2 make a batch of size 3, in which the last row is a copy:

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
    """One part of a data set, such as the training examples.

    The arrays may be memory-mapped from a file.

    Attributes:
        inputs: Integer tokens ``(n, L)``, or float or integer features ``(n, L, d)``.
            Integer features ``x`` stand for ``x / scale - centre``.  For pairs of
            sequences, an axis of size 2 follows the first axis.
        lengths: Number of steps of each sequence, without its padding.  The shape is
            ``(n,)``, or ``(n, 2)`` for pairs.
        labels: Class of each example, from 0.
        scale: Divisor of integer features, one number or an array ``(L, d)``.
        centre: Number or array ``(L, d)`` that is subtracted after the division.  The
            defaults of ``scale`` and ``centre`` map bytes to numbers from -1 to 1.

    Raises:
        ValueError: If the arrays have different numbers of examples; if there is no
            example; if a length is outside ``1 ... L``.

    Example:
        Five examples of eight steps, with one number at each step and no padding:

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
        """Number of steps ``L`` of a padded sequence."""
        return self.inputs.shape[self.lengths.ndim]

    @property
    def features(self) -> int | None:
        """Number of features of a step, or None if inputs are tokens."""
        after = self.inputs.shape[self.lengths.ndim + 1 :]
        return after[0] if after else None

    @property
    def full(self) -> bool:
        """True if no example is padded."""
        return bool((self.lengths == self.steps).all())

    def take(self, rows: Int[np.ndarray, " batch"], size: int | None = None) -> Batch:
        """Make a batch of some examples; integer features are converted to floats.

        Args:
            rows: Indices of the examples.
            size: Number of rows of the batch.  If it exceeds the length of ``rows``,
                the batch is filled up with copies of its first example, marked as not
                valid.  Default: the length of ``rows``.
        """
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
        """Split the examples into consecutive parts of given sizes, without copies."""
        ends = np.cumsum(counts)
        return [self.subset(rows) for rows in map(slice, ends - counts, ends)]

    def subset(self, rows: Int[np.ndarray, " some"] | slice) -> "Examples":
        """Return the examples at the indices ``rows``; a slice makes no copy."""
        return replace(
            self,
            inputs=self.inputs[rows],
            lengths=self.lengths[rows],
            labels=self.labels[rows],
        )


@final
@dataclass(frozen=True, eq=False)
class DataSet:
    """Training, validation and test examples of a classification task.

    Attributes:
        train: Examples on which networks are trained.
        validation: Examples by which the best training step is chosen.
        test: Examples on which the final accuracy is reported.
        classes: Number of classes.
        vocabulary: Number of distinct tokens, including the padding; ``None`` for
            numeric inputs.

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
        """True if each example is a pair of sequences."""
        return self.train.lengths.ndim == 2


def training_batch(examples: Examples, size: int, seed: int, step: int) -> Batch:
    """The batch of a training step.

    The random order changes with each epoch, and only full batches are used.

    Args:
        examples: Training examples.
        size: Number of examples in a batch.
        seed: Seed of the orders.
        step: Index of the step, counted from zero over all epochs.

    Raises:
        ValueError: If ``size`` is below one or above the number of examples.
    """
    return examples.take(training_rows(len(examples), size, seed, step))


def training_rows(
    count: int, size: int, seed: int, step: int
) -> Int[np.ndarray, " size"]:
    """Indices, among ``count`` examples, of the batch of a training step.

    The other arguments are those of ``training_batch``.

    Raises:
        ValueError: If ``size`` is below one or above ``count``.
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
    """Iterate over all examples once, in order, in batches of equal size.

    Copies of an example, marked as not valid, fill up the last batch.

    Args:
        examples: Examples to evaluate.
        size: Number of rows of each batch.

    Raises:
        ValueError: If ``size`` is below one.

    Example:
        Five examples in batches of two, the last with one copy:

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
    """Indices of disjoint random parts of ``count`` examples.

    Args:
        count: Number of examples.
        shares: Share of each part.
        seed: Seed of the random order.

    Raises:
        ValueError: If a share is not positive; if the shares do not add up to one; if a
            part would be empty; if the seed is not an integer in ``[0, 2**32)``.
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
    """Count the correctly classified examples and all valid examples of a batch.

    The predicted class is the one with the largest score.

    Args:
        scores: Score of each class for each row of the batch.
        batch: Batch with the labels.

    Returns:
        The number of correct examples and the number of valid examples.

    Raises:
        ValueError: If a score is NaN, or ``scores`` is not a matrix with a row for each
            example.

    Example:
        The labels are 0 and 1, and both rows predict class 0:

        >>> examples = Examples(np.zeros((2, 8, 1)), np.full(2, 8), np.arange(2))
        >>> accuracy(np.array([[0.9, 0.1], [0.8, 0.2]]), examples.take(np.arange(2)))
        (1, 2)
    """
    require_within("scores", scores, -np.inf, np.inf, "[]")
    require_shape("scores", scores, "batch classes")
    if len(scores) != len(batch.labels):
        raise ValueError(
            f"need a row of scores for each of {len(batch.labels)} examples, got "
            f"{len(scores)}"
        )
    right = (scores.argmax(-1) == batch.labels) & batch.valid
    return int(right.sum()), int(batch.valid.sum())
