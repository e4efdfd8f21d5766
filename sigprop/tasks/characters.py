"""Texts as tokens: character by character, or byte by byte.

Source: Tay et al. (2021), Section 2.2.2, the bytes; Gu et al. (2022), the characters of
S4 and its successors.
"""

import functools
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Literal, final

import numpy as np
from jaxtyping import Int32, UInt32

from sigprop.numerics.files import unfinished
from sigprop.tasks.packed import cache_path

MARKS = ("<pad>", "<unk>", "<eos>")
UNKNOWN, END = 1, 2
CODE_POINTS = 0x110000  # of Unicode

Tokens = Literal["characters", "bytes"]


@final
@dataclass(frozen=True)
class Characters:
    """Encoding of texts as one token for each character, and an end token.

    Tokens 0, 1 and 2 are padding, unknown character and end.

    Attributes:
        alphabet: Known characters, in the order of their tokens, from token 3 on.
    """

    alphabet: str
    end: ClassVar[int | None] = END

    @property
    def vocabulary(self) -> int:
        """Number of tokens, including padding, unknown character and end."""
        return len(MARKS) + len(self.alphabet)

    def encoded(self, text: str, width: int) -> Int32[np.ndarray, " time"]:
        """Tokens of the first ``width - 1`` characters of a text, and the end token."""
        return np.append(self._tokens[code_points(text[: width - 1])], np.int32(END))

    @functools.cached_property
    def _tokens(self) -> Int32[np.ndarray, " code_points"]:
        tokens = np.full(CODE_POINTS, UNKNOWN, np.int32)
        tokens[code_points(self.alphabet)] = range(len(MARKS), self.vocabulary)
        return tokens


@final
@dataclass(frozen=True)
class Bytes:
    """Encoding of texts as UTF-8 bytes: byte ``b`` is token ``b + 1``, without an end."""

    end: ClassVar[int | None] = None
    vocabulary: ClassVar[int] = 257

    def encoded(self, text: str, width: int) -> Int32[np.ndarray, " time"]:
        """Tokens of the first ``width`` bytes of a text.

        Raises:
            ValueError: If the text is empty.
        """
        if not text:
            raise ValueError("need a byte of text at least, got none")
        return np.frombuffer(text.encode()[:width], np.uint8).astype(np.int32) + 1


Code = Characters | Bytes


def code_points(text: str) -> UInt32[np.ndarray, " characters"]:
    """Unicode code point of each character."""
    return np.frombuffer(text.encode("utf-32-le"), "<u4")


def alphabet(texts: Iterable[str], least: int = 1) -> str:
    """The characters that occur ``least`` times or more, most frequent first.

    Characters of equal frequency are in the order of Unicode.

    >>> alphabet(["banana", "cab"], least=2)
    'abn'
    """
    counts = np.zeros(CODE_POINTS, int)
    for text in texts:
        frequencies = np.bincount(code_points(text))
        counts[: len(frequencies)] += frequencies
    frequent = np.flatnonzero(counts >= least)
    order = np.argsort(-counts[frequent], kind="stable")
    return "".join(map(chr, frequent[order]))


def cached_alphabet(
    cache: Path | None, name: str, key: object, make: Callable[[], str]
) -> str:
    """Read an alphabet from a table in the cache; make and store it if there is none.

    Args:
        cache: Folder of the table.  None: nothing is read or stored.
        name: First part of the file's name.
        key: Everything on which the alphabet depends.
        make: Function that returns the alphabet.

    Raises:
        ValueError: If the table is damaged.
    """
    if cache is None:
        return make()
    path = cache_path(cache, f"{name}-vocabulary.json", key)
    if not path.is_file():
        with unfinished(path) as partial, partial.open("wb") as stream:
            stream.write(json.dumps(_numbered([*MARKS, *make()]), indent=0).encode())
    try:
        table = json.loads(path.read_bytes())
        tokens = list(table)
    except (ValueError, TypeError):
        table, tokens = None, []
    marks, characters = tokens[: len(MARKS)], tokens[len(MARKS) :]
    single = all(len(character) == 1 for character in characters)
    if table != _numbered(tokens) or marks != list(MARKS) or not single:
        raise ValueError(f"need a table of characters and tokens, delete {path}")
    return "".join(characters)


def _numbered(tokens: list[str]) -> dict[str, int]:
    return {text: token for token, text in enumerate(tokens)}
