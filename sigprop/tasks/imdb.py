"""Film reviews read character by character or byte by byte: are they positive?

The reviews are read from a folder in their original layout; nothing is downloaded.

Source: Maas et al. (2011), the reviews; Tay et al. (2021), Section 2.2.2, the task and its
bytes; Gu et al. (2022), the characters of S4 and its successors.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from sigprop.tasks.characters import (
    Bytes,
    Characters,
    Code,
    Tokens,
    alphabet,
    cached_alphabet,
)
from sigprop.tasks.examples import DataSet, Examples, split
from sigprop.tasks.packed import Form, Row, cached, identity

WIDTH = {"characters": 4096, "bytes": 4000}
CLASSES = {"neg": 0, "pos": 1}
RATINGS = {"neg": range(1, 5), "pos": range(7, 11)}
REPORTED = 5000  # reviews between two reports of progress

Reviews = list[tuple[Path, int]]  # each with its class


def imdb(
    folder: Path,
    *,
    tokens: Tokens = "characters",
    width: int | None = None,
    least: int = 15,
    val_split: float = 0.1,
    lra_compat: bool = False,
    reviews: int = 12_500,
    cache: Path | None = None,
    progress: Callable[[str], None] | None = None,
) -> DataSet:
    """Load film reviews as tokens ``(n, width)``; class 1 is positive, class 0 negative.

    Texts include markup, case and punctuation of the files, and are cut to the width.
    Characters are numbered by their frequency in the cut texts of the training part.

    Args:
        folder: Folder ``aclImdb``, with ``train/pos``, ``train/neg``, ``test/pos`` and
            ``test/neg``.
        tokens: ``characters``, with an end token, or ``bytes``.
        width: Number of steps of a padded example.  Default: 4,096 characters, the end
            included, or 4,000 bytes.
        least: Smallest number of times that a known character occurs.
        val_split: Share of the training reviews of each class that is the validation
            part, chosen in a fixed random order.
        lra_compat: If true, all training reviews are the training part, and the test part
            is the validation part too.  Published results choose the best step like this.
        reviews: Number of files in each of the four folders.
        cache: Folder for packed tokens, which are memory-mapped, and for the table of
            characters.  Default: nothing is stored.
        progress: Function that is called with messages on the progress.

    Raises:
        FileNotFoundError: If one of the four folders has no reviews.
        ValueError: If a folder has another number of reviews; if a file has another name
            or rating, or is not in UTF-8; if a text is empty and ``tokens`` is ``bytes``;
            if a part has no reviews; if ``width`` is below two.
    """
    width = WIDTH[tokens] if width is None else width
    if width < 2:
        raise ValueError(f"need a width of two or more, got {width}")
    parts = {name: _reviews(folder, name, reviews) for name in ("train", "test")}
    if not lra_compat:
        parts["train"], parts["validation"] = _divided(parts["train"], val_split)
    code: Code = Bytes()
    if tokens == "characters":
        code = Characters(_alphabet(parts["train"], width, least, cache))
    examples = {
        name: _examples(name, part, code, width, cache, progress)
        for name, part in parts.items()
    }
    validation = examples["test" if lra_compat else "validation"]
    return DataSet(
        examples["train"], validation, examples["test"], len(CLASSES), code.vocabulary
    )


def _alphabet(train: Reviews, width: int, least: int, cache: Path | None) -> str:
    return cached_alphabet(
        cache,
        "imdb",
        (_identities(train), width, least),
        lambda: alphabet((_text(path)[: width - 1] for path, _ in train), least),
    )


def _examples(
    name: str,
    part: Reviews,
    code: Code,
    width: int,
    cache: Path | None,
    progress: Callable[[str], None] | None,
) -> Examples:
    def rows() -> Iterator[Row]:
        for count, (path, label) in enumerate(part, start=1):
            try:
                yield code.encoded(_text(path), width), label
            except ValueError as error:
                raise ValueError(f"{error}; check {path}") from None
            if progress and (count % REPORTED == 0 or count == len(part)):
                progress(f"{name}: {count} of {len(part)} reviews read")

    form = Form(width, code.vocabulary, len(CLASSES), code.end)
    return cached(cache, f"imdb-{name}", (_identities(part), code), form, rows)


def _identities(part: Reviews) -> list[object]:
    return [(label, identity(path)) for path, label in part]


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise ValueError(f"need a text in UTF-8, got {path}: {error}") from error


def _reviews(folder: Path, part: str, count: int) -> Reviews:
    """The reviews of a part in the order of their numbers, negative ones first."""
    reviews = []
    for sort, label in CLASSES.items():
        paths = (folder / part / sort).glob("*.txt")
        numbered = sorted((_number(path, sort), path) for path in paths)
        if not numbered:
            raise FileNotFoundError(
                "need reviews in train/pos, train/neg, test/pos and test/neg, as files "
                f"{{id}}_{{rating}}.txt, found none in {folder / part / sort}"
            )
        if len(numbered) != count:
            raise ValueError(
                f"need {count} reviews, got {len(numbered)} in {folder / part / sort}; "
                "unpack the data set again"
            )
        reviews += [(path, label) for _, path in numbered]
    return reviews


def _number(path: Path, sort: str) -> int:
    match = re.fullmatch(r"([0-9]+)_([0-9]+)\.txt", path.name)
    ratings = RATINGS[sort]
    if match is None or int(match[2]) not in ratings:
        raise ValueError(
            f"need files {{id}}_{{rating}}.txt with ratings from {ratings[0]} to "
            f"{ratings[-1]}, got {path}"
        )
    return int(match[1])


def _divided(reviews: Reviews, share: float) -> tuple[Reviews, Reviews]:
    """Two parts with the same share of each class."""
    kept_back: tuple[Reviews, Reviews] = [], []
    for label in CLASSES.values():
        of_class = [review for review in reviews if review[1] == label]
        for part, rows in zip(
            kept_back, split(len(of_class), (1 - share, share)), strict=True
        ):
            part += [of_class[row] for row in np.sort(rows)]
    return kept_back
