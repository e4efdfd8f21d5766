"""ListOps of the long-range benchmark: compute the value of a nested expression.

The released files are tables of expressions and values.  Equivalent data can be generated.

Source: Nangia and Bowman (2018); Tay et al. (2021), Section 2.2.1.
"""

import csv
import itertools
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
from jaxtyping import UInt8

from sigprop.numerics.files import unfinished
from sigprop.numerics.seeds import require_seed
from sigprop.tasks.examples import DataSet, Examples
from sigprop.tasks.expressions import (
    CLOSE,
    DIGIT,
    EOS,
    LRA,
    OPERATOR,
    TOKENS,
    Rules,
    distinct,
    values,
)
from sigprop.tasks.packed import Form, Row, cached, identity, padded

IDS = {name: number for number, name in enumerate(TOKENS) if number >= DIGIT}
CLASSES = 10
PARTS = ("train", "val", "test")
HEADER = ("Source", "Target")
COUNTS = (96_000, 2_000, 2_000)

ROWS = 1000  # of a file, evaluated together


def curried(tokens: Iterable[int]) -> str:
    """Write one expression with the parentheses of the files: ``( ( ( [MAX 2 ) 9 ) ] )``.

    Raises:
        ValueError: If a token is unknown, if brackets are not balanced, if an operator has
            no arguments, or if there is not exactly one expression.
    """
    pieces: list[str] = []
    opened: list[tuple[int, int]] = []  # place in words, arguments so far
    roots = 0
    for token in tokens:
        if not DIGIT <= token <= CLOSE:
            raise ValueError(f"need tokens from {DIGIT} to {CLOSE}, got {token}")
        if OPERATOR <= token < CLOSE:
            opened.append((len(pieces), 0))
            pieces.append(TOKENS[token])
            continue
        piece = TOKENS[token]
        if token == CLOSE:
            start, count = opened.pop() if opened else (0, 0)
            if not count:
                raise ValueError("need an operator and arguments before a ']'")
            pieces[start] = "( " * (count + 1) + pieces[start]
            piece += " )"
        if opened:
            start, count = opened[-1]
            opened[-1] = start, count + 1
            piece += " )"
        else:
            roots += 1
        pieces.append(piece)
    if opened or roots != 1:
        raise ValueError(
            f"need balanced brackets around one expression, got {len(opened)} "
            f"operators without ']' and {roots} complete expressions"
        )
    return " ".join(pieces)


def parsed(text: str) -> bytes:
    """Parse one expression of a file into tokens.

    Raises:
        ValueError: If a word is unknown, or brackets or parentheses are not balanced.
    """
    names = text.replace("( ", "").replace(" )", "").split(" ")
    unknown = next((name for name in names if name not in IDS), None)
    if unknown is not None:
        raise ValueError(
            f"need words in {' '.join(IDS)} ( ), got unknown token {unknown!r}"
        )
    tokens = bytes(IDS[name] for name in names)
    if curried(tokens) != text:
        raise ValueError(
            "need the parentheses of one function of one argument at a time, balanced "
            "and with single blanks: ( ( ( [MAX 2 ) 9 ) ] )"
        )
    return tokens


def write_table(path: Path, examples: Examples) -> None:
    """Write examples as a table in the released format.

    The table has a header and then a line for each expression and its value.  Lines end in
    CR LF.

    Raises:
        ValueError: If an example is not an expression followed by the end token.
    """
    with (
        unfinished(path) as partial,
        partial.open("w", encoding="ascii", newline="") as file,
    ):
        table = csv.writer(file, delimiter="\t")
        table.writerow(HEADER)
        for row, length, label in zip(
            examples.inputs, examples.lengths, examples.labels, strict=True
        ):
            if row[length - 1] != EOS:
                raise ValueError(f"need the end token {EOS}, got {row[length - 1]}")
            table.writerow((curried(row[: length - 1].tolist()), int(label)))


def read_table(
    path: Path, width: int, progress: Callable[[str], None] | None = None
) -> Examples:
    """Read a table in the released format, and check every value.

    Args:
        path: Path of the file.
        width: Number of steps of a padded example, the end included.
        progress: Function that is called with messages on the progress.

    Raises:
        ValueError: If the header is missing; if there are no rows; if a line is not one
            expression of fewer than ``width`` tokens with its value.
    """
    return padded(_checked(path, width, progress), _form(width))


def _form(width: int) -> Form:
    return Form(width, len(TOKENS), CLASSES, EOS)


def _checked(
    path: Path, width: int, progress: Callable[[str], None] | None
) -> Iterator[Row]:
    """Read the rows of a file, and check that labels are the values of expressions."""
    rows = _rows(path, width)
    count = 0
    while block := list(itertools.islice(rows, ROWS)):
        truth = values(np.frombuffer(b"".join(tokens for tokens, _ in block), np.uint8))
        for (tokens, label), value in zip(block, truth, strict=True):
            if label != value:
                raise ValueError(
                    f"{path}, line {count + 2}: need the label {value}, the value of "
                    f"the expression, got {label}"
                )
            count += 1
            yield _ended(tokens), label
        if progress:
            progress(f"{path.name}: {count} expressions read")
    if not count:
        raise ValueError(f"need an expression in {path}, got the header alone")


def _ended(tokens: bytes) -> UInt8[np.ndarray, " time"]:
    return np.frombuffer(tokens + bytes([EOS]), np.uint8)


def _rows(path: Path, width: int) -> Iterator[tuple[bytes, int]]:
    with path.open(encoding="ascii", errors="replace", newline="\n") as file:
        header = file.readline().rstrip("\r\n")
        if header != "\t".join(HEADER):
            raise ValueError(
                f"need the header {HEADER[0]}<TAB>{HEADER[1]} in {path}, got "
                f"{header[:40]!r}"
            )
        for number, line in enumerate(file, start=2):
            try:
                yield _row(line.rstrip("\r\n"), width)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None


def _row(line: str, width: int) -> tuple[bytes, int]:
    text, *fields = line.split("\t")
    if len(fields) != 1 or fields[0] not in TOKENS[DIGIT:OPERATOR]:
        raise ValueError(f"need an expression, a tab and a digit, got {fields}")
    tokens = parsed(text)
    if len(tokens) >= width:
        raise ValueError(f"need fewer than {width} tokens, got {len(tokens)}")
    return tokens, int(fields[0])


def listops(
    folder: Path | None = None,
    *,
    rules: Rules = LRA,
    counts: tuple[int, int, int] = COUNTS,
    seed: int = 0,
    cache: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> DataSet:
    """Generate or read distinct expressions and their values.

    Tokens are ``uint8 (n, rules.width)``, with an end token after each expression.

    Args:
        folder: Folder with ``basic_train.tsv``, ``basic_val.tsv`` and ``basic_test.tsv``.
            Default: expressions are generated.
        rules: Parameters of generated expressions.  If files are read, only
            ``rules.width`` is used.
        counts: Numbers of generated training, validation and test examples.
        seed: Seed of the expressions and of their order.
        cache: Folder for packed tokens, which are memory-mapped.  Default: tokens are in
            memory.
        progress: Function that is called with messages on the progress.

    Raises:
        ValueError: If the rules do not give enough different expressions; if a count is
            below one; if the seed is not an integer in ``[0, 2**32)``; if ``read_table``
            refuses a file.
        FileNotFoundError: If a file is missing.
    """
    require_seed(seed)
    if folder is None:
        parts = _draw_parts(rules, counts, seed, cache, progress)
    else:
        parts = [_file(folder, name, rules.width, cache, progress) for name in PARTS]
    return DataSet(*parts, classes=CLASSES, vocabulary=len(TOKENS))


def _file(
    folder: Path,
    name: str,
    width: int,
    cache: Path | None,
    progress: Callable[[str], None] | None,
) -> Examples:
    path = folder / f"basic_{name}.tsv"
    if not path.is_file():
        layout = ", ".join(f"basic_{part}.tsv" for part in PARTS)
        raise FileNotFoundError(
            f"need {layout} in {folder}, as released or from write_table, got no "
            f"{path.name}; leave the folder out to draw expressions instead"
        )
    return cached(
        cache,
        "listops",
        (identity(path), width),
        _form(width),
        lambda: _checked(path, width, progress),
    )


def _draw_parts(
    rules: Rules,
    counts: tuple[int, int, int],
    seed: int,
    cache: Path | None,
    progress: Callable[[str], None] | None,
) -> list[Examples]:
    if min(counts) < 1:
        raise ValueError(f"need an expression in every part at least, got {counts}")
    total = sum(counts)

    def rows() -> Iterator[Row]:
        expressions = list(distinct(rules, total, seed, progress).items())
        # Three numbers, so that no block has the same state.
        for row in np.random.default_rng((seed, 0, 1)).permutation(total):
            tokens, label = expressions[row]
            yield _ended(tokens), label

    every = cached(cache, "listops", (rules, counts, seed), _form(rules.width), rows)
    return every.parts(counts)
