"""Random nested expressions of digits and operators, and their values.

An expression is a digit, or an operator with its arguments and a closing bracket.  Its
length depends only on its tree.  Trees are therefore drawn first, many at once and level by
level.  Digits and operators are drawn only for accepted trees.

Source: Nangia and Bowman (2018), the grammar; Tay et al. (2021), Section 2.2.1 and its
public configuration, the lengths; the order of the draws is ours.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from jaxtyping import Bool, Int, UInt8

from sigprop.numerics.seeds import require_seed

PAD, UNKNOWN, EOS, DIGIT, OPERATOR, CLOSE = 0, 1, 2, 3, 13, 17
TOKENS = (
    *("<pad>", "<unk>", "<eos>", *"0123456789"),
    *("[MIN", "[MAX", "[MED", "[SM", "]"),
)

BLOCK = 4096  # draws from one state of the random numbers; about 340 are accepted
PATIENCE = 200  # blocks without a new expression


@final
@dataclass(frozen=True)
class Rules:
    """Parameters of random expressions; the defaults are those of the long-range benchmark.

    Attributes:
        max_depth: Number of levels of the tree; all nodes of the last level are digits.
        max_args: Largest number of arguments of an operator, which is uniform from 2 on.
        min_length: Accepted expressions have more tokens than this.
        max_length: Accepted expressions have fewer tokens than this.
        p_operator: Probability that a node above the last level is an operator.

    Raises:
        ValueError: If ``max_depth`` is below one; if ``max_args`` is below two; if no
            length lies between the bounds; if the probability is not in [0, 1].
    """

    max_depth: int = 10
    max_args: int = 10
    min_length: int = 500
    max_length: int = 2000
    p_operator: float = 0.25

    def __post_init__(self) -> None:
        if self.max_depth < 1 or self.max_args < 2:
            raise ValueError(
                f"need max_depth >= 1 and max_args >= 2, got {self.max_depth} and "
                f"{self.max_args}"
            )
        if not 0 <= self.min_length < self.max_length - 1:
            raise ValueError(
                "need 0 <= min_length < max_length - 1, because both ends are excluded, got "
                f"{self.min_length} and {self.max_length}"
            )
        if not 0 <= self.p_operator <= 1:
            raise ValueError(f"need 0 <= p_operator <= 1, got {self.p_operator}")

    @property
    def width(self) -> int:
        """Number of steps of a padded example, a power of two with room for the end token."""
        return 1 << (self.max_length - 1).bit_length()


LRA = Rules()
SHORT = Rules(max_depth=6, min_length=20, max_length=128)


class Expressions(NamedTuple):
    """Expressions one after another, without padding or end tokens.

    Attributes:
        tokens: Tokens of all expressions.
        lengths: Number of tokens of each expression.
    """

    tokens: UInt8[np.ndarray, " tokens"]
    lengths: Int[np.ndarray, " n"]


class _Level(NamedTuple):
    """Nodes of one depth, from left to right; arguments are nodes of the next level."""

    trees: Int[np.ndarray, " nodes"]
    arguments: Int[np.ndarray, " nodes"]

    @property
    def branches(self) -> Bool[np.ndarray, " nodes"]:
        return self.arguments > 0

    @property
    def firsts(self) -> Int[np.ndarray, " branches"]:
        """Index in the next level of the first argument of each operator."""
        return (np.cumsum(self.arguments) - self.arguments)[self.branches]


def expressions(rules: Rules, seed: int, block: int) -> Expressions:
    """The expressions accepted among ``BLOCK`` draws, fixed by seed and block alone.

    Args:
        rules: Parameters of the expressions.
        seed: Seed of the data set.
        block: Index of the block of draws.

    Raises:
        ValueError: If the seed is not an integer in ``[0, 2**32)``.
    """
    require_seed(seed)
    rng = np.random.default_rng((seed, block))
    levels = _grown(rng, rules)
    symbols = [_symbols(rng, level) for level in levels]
    return _written(levels, symbols)


def _grown(rng: np.random.Generator, rules: Rules) -> list[_Level]:
    """Trees of accepted lengths; a tree is dropped as soon as it must become too long."""
    trees = np.arange(BLOCK)
    lengths = np.zeros(BLOCK, int)
    levels = []
    for depth in range(1, rules.max_depth + 1):
        chance = rules.p_operator if depth < rules.max_depth else 0
        branches = rng.random(len(trees)) < chance
        arity = rng.integers(2, rules.max_args, len(trees), endpoint=True)
        level = _Level(trees, np.where(branches, arity, 0))
        levels.append(level)
        lengths += np.bincount(trees, 1 + branches, BLOCK).astype(int)
        waiting = np.bincount(trees, level.arguments, BLOCK).astype(int)
        alive = lengths + waiting < rules.max_length
        trees = np.repeat(trees, level.arguments)
        trees = trees[alive[trees]]
        lengths[~alive] = rules.max_length
    fits = (rules.min_length < lengths) & (lengths < rules.max_length)
    return [_Level(*(array[fits[level.trees]] for array in level)) for level in levels]


def _symbols(rng: np.random.Generator, level: _Level) -> UInt8[np.ndarray, " nodes"]:
    count = len(level.trees)
    operators = rng.integers(OPERATOR, CLOSE, count, np.uint8)
    digits = rng.integers(DIGIT, OPERATOR, count, np.uint8)
    return np.where(level.branches, operators, digits)


def _written(levels: list[_Level], symbols: list[np.ndarray]) -> Expressions:
    """Tokens of trees: compute sizes from the leaves up, then positions from the roots down."""
    sizes = [1 + level.branches.astype(int) for level in levels]
    for depth in range(len(levels) - 2, -1, -1):
        level = levels[depth]
        within = np.add.reduceat(sizes[depth + 1], level.firsts, dtype=int)
        sizes[depth][level.branches] += within
    lengths = sizes[0]
    starts = np.cumsum(lengths) - lengths
    tokens = np.empty(lengths.sum(), np.uint8)
    for depth, level in enumerate(levels):
        tokens[starts] = symbols[depth]
        parents = starts[level.branches]
        tokens[parents + sizes[depth][level.branches] - 1] = CLOSE
        if depth + 1 < len(levels):
            before = np.cumsum(sizes[depth + 1]) - sizes[depth + 1]
            shift = parents + 1 - before[level.firsts]
            starts = before + np.repeat(shift, level.arguments[level.branches])
    return Expressions(tokens, lengths)


def values(tokens: UInt8[np.ndarray, " tokens"]) -> Int[np.ndarray, " n"]:
    """The value of every expression, a digit.

    ``[SM`` is the sum modulo ten.  ``[MED`` is the median; for an even number of arguments,
    it is the mean of the two middle ones, rounded down.

    Args:
        tokens: Expressions one after another, without end tokens.

    Raises:
        ValueError: If a token is neither digit, operator nor bracket, if brackets are not
            balanced, or if an operator has no arguments.
    """
    strange = (tokens < DIGIT) | (tokens > CLOSE)
    opening, closing = tokens >= OPERATOR, tokens == CLOSE
    opening &= ~closing
    within = np.cumsum(opening.astype(int) - closing)
    if strange.any() or (within < 0).any() or (len(within) and within[-1] != 0):
        raise ValueError(
            f"need tokens from {DIGIT} to {CLOSE} and every bracket closed, got others"
        )
    nodes = np.flatnonzero(~closing)
    depths = (within - opening)[nodes]
    order = np.argsort(depths.astype(np.int16), kind="stable")
    ends = np.cumsum(np.bincount(depths))
    result = np.zeros(0, int)
    below = nodes[:0]
    for level in reversed(np.split(nodes[order], ends[:-1])):
        branches = opening[level]
        parents = np.searchsorted(level[branches], below) - 1
        here = tokens[level].astype(int) - DIGIT
        here[branches] = _applied(tokens[level[branches]] - OPERATOR, parents, result)
        result, below = here, level
    return result


def _applied(
    operators: UInt8[np.ndarray, " n"],
    parents: Int[np.ndarray, " arguments"],
    arguments: Int[np.ndarray, " arguments"],
) -> Int[np.ndarray, " n"]:
    """Value of each operator.

    Args:
        operators: Index of each operator among minimum, maximum, median and sum.
        parents: Index of the operator of each argument, in increasing order.
        arguments: Value of each argument.
    """
    counts = np.bincount(parents, minlength=len(operators))
    if not counts.all():
        raise ValueError("need at least one argument of every operator, got none")
    if not len(operators):
        return np.zeros(0, int)
    columns = np.arange(len(parents)) - np.repeat(np.cumsum(counts) - counts, counts)
    # Ten sorts behind every digit and adds nothing modulo ten.
    ranked = np.full((len(operators), counts.max()), 10, np.uint8)
    ranked[parents, columns] = arguments
    ranked.sort(axis=1)
    rows = np.arange(len(operators))
    middle = ranked[rows, (counts - 1) // 2] + ranked[rows, counts // 2]
    table = np.stack(
        [
            ranked[:, 0],
            ranked[rows, counts - 1],
            middle // 2,
            ranked.sum(axis=1, dtype=int) % 10,
        ]
    )
    return table[operators, rows].astype(int)


def distinct(
    rules: Rules,
    count: int,
    seed: int,
    progress: Callable[[str], None] | None = None,
) -> dict[bytes, int]:
    """Draw distinct expressions with their values.

    A smaller ``count`` gives the first of the same expressions.

    Args:
        rules: Parameters of the expressions.
        count: Number of expressions.
        seed: Seed of the data set.
        progress: Function that is called with messages on the progress.

    Raises:
        ValueError: If 200 blocks of draws in a row have no new expression.
    """
    drawn_values: dict[bytes, int] = {}
    block, last = 0, 0
    while len(drawn_values) < count:
        tokens, lengths = expressions(rules, seed, block)
        before, content, end = len(drawn_values), tokens.tobytes(), 0
        for length, value in zip(lengths, values(tokens), strict=True):
            drawn_values.setdefault(content[end : end + length], int(value))
            end += length
        block += 1
        if len(drawn_values) > before:
            last = block
        elif block - last == PATIENCE:
            raise ValueError(
                f"need {count} distinct expressions, got {len(drawn_values)} and no new one in "
                f"{PATIENCE * BLOCK} draws of {rules}; ask for fewer or widen the rules"
            )
        if progress:
            progress(f"{min(len(drawn_values), count)} of {count} expressions drawn")
    return dict(itertools.islice(drawn_values.items(), count))
