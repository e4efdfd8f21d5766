"""Pairs of scientific articles: does one of them cite the other?

The pairs are read line by line from the tables of the long-range benchmark; nothing is
downloaded.

Source: Radev et al. (2013), the articles; Tay et al. (2021), Section 2.2.3, the task and its
bytes; Gu et al. (2022), the characters of S4 and its successors.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from sigprop.tasks.characters import (
    Bytes,
    Characters,
    Code,
    Tokens,
    alphabet,
    cached_alphabet,
)
from sigprop.tasks.examples import DataSet, Examples
from sigprop.tasks.packed import Form, Row, cached, identity

FILES = {name: f"new_aan_pairs.{name}.tsv" for name in ("train", "eval", "test")}
FIELDS = ("label", "first number", "second number", "first text", "second text")
CLASSES = 2
WIDTH = 4000
REPORTED = 5000  # pairs between two reports of progress


class Pair(NamedTuple):
    """Two articles.

    Attributes:
        label: 1 if one article cites the other, otherwise 0.
        texts: Text of each article.
    """

    label: int
    texts: tuple[str, str]


def aan(
    folder: Path,
    *,
    tokens: Tokens = "characters",
    width: int = WIDTH,
    cache: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> DataSet:
    """Load pairs of articles as tokens ``(n, 2, width)``, with two lengths for each pair.

    Texts include the quotation marks of the files and are cut to the width.  Characters are
    numbered by their frequency in the cut texts of the training part; all of these are
    known.  The full set takes 1.5 GB.  With a cache it is memory-mapped, and at most a
    thousand texts are in memory while it is packed.

    Args:
        folder: Folder with ``new_aan_pairs.train.tsv``, ``new_aan_pairs.eval.tsv`` and
            ``new_aan_pairs.test.tsv``.
        tokens: ``characters``, with an end token, or ``bytes``.
        width: Number of steps of a padded text, the end included.
        cache: Folder for packed tokens, which are memory-mapped, and for the table of
            characters.  Default: everything is in memory.
        progress: Function that is called with messages on the progress.

    Raises:
        FileNotFoundError: If a file is missing.
        ValueError: If a file is empty; if ``read_pairs`` refuses a line; if a text is
            empty and ``tokens`` is ``bytes``; if ``width`` is below two.
    """
    if width < 2:
        raise ValueError(f"need a width of two or more, got {width}")
    paths = {name: folder / file for name, file in FILES.items()}
    missing = [path.name for path in paths.values() if not path.is_file()]
    if missing:
        raise FileNotFoundError(
            f"need {', '.join(FILES.values())} in {folder}, as in tsv_data of the "
            f"long-range benchmark, found no {', '.join(missing)}"
        )
    code: Code = Bytes()
    if tokens == "characters":
        code = Characters(_alphabet(paths["train"], width, cache, progress))
    train, validation, test = (
        _examples(name, path, code, width, cache, progress)
        for name, path in paths.items()
    )
    return DataSet(train, validation, test, CLASSES, code.vocabulary)


def read_pairs(path: Path) -> Iterator[Pair]:
    """Read the pairs of a table, one line at a time.

    Quotation marks are ordinary characters, and a line ends in LF or CR LF.

    Raises:
        ValueError: If a line is not in UTF-8; if it does not have five fields with tabs
            between them; if its label is not the decimal number 0 or 1.
    """
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                yield _pair(line)
            except ValueError as error:
                raise ValueError(f"{path}, line {number}: {error}") from None


def _pair(line: bytes) -> Pair:
    fields = line.decode("utf-8").removesuffix("\n").removesuffix("\r").split("\t")
    if len(fields) != len(FIELDS):
        raise ValueError(
            f"need {', '.join(FIELDS)} with tabs between them, got {len(fields)} of "
            f"{len(FIELDS)} fields"
        )
    label, _, _, first, second = fields
    try:
        valid = float(label) in range(CLASSES)
    except ValueError:
        valid = False
    if not valid:
        raise ValueError(f"need a label of 0.0 or 1.0, got {label[:20]!r}")
    return Pair(int(float(label)), (first, second))


def _alphabet(
    path: Path,
    width: int,
    cache: Path | None,
    progress: Callable[[str], None] | None,
) -> str:
    def texts() -> Iterator[str]:
        for pair in _reported(path, "characters counted", progress):
            for text in pair.texts:
                yield text[: width - 1]

    return cached_alphabet(
        cache, "aan", (identity(path), width), lambda: alphabet(texts())
    )


def _reported(
    path: Path, done: str, progress: Callable[[str], None] | None
) -> Iterator[Pair]:
    """Read the pairs, and report their number."""
    count = 0
    for count, pair in enumerate(read_pairs(path), start=1):
        yield pair
        if progress and count % REPORTED == 0:
            progress(f"{path.name}: {count} pairs, {done}")
    if not count:
        raise ValueError(f"need a pair in {path}, got an empty file")
    if progress:
        progress(f"{path.name}: all {count} pairs, {done}")


def _examples(
    name: str,
    path: Path,
    code: Code,
    width: int,
    cache: Path | None,
    progress: Callable[[str], None] | None,
) -> Examples:
    def rows() -> Iterator[Row]:
        for number, pair in enumerate(_reported(path, "packed", progress), start=1):
            for text in pair.texts:
                try:
                    yield code.encoded(text, width), pair.label
                except ValueError as error:
                    raise ValueError(f"{path}, line {number}: {error}") from None

    form = Form(width, code.vocabulary, CLASSES, code.end)
    texts = cached(cache, f"aan-{name}", (identity(path), code), form, rows)
    return Examples(
        texts.inputs.reshape(-1, 2, width),
        texts.lengths.reshape(-1, 2),
        texts.labels[::2],
    )
