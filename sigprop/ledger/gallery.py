"""The gallery: every figure on one page that loads nothing, beside the ledger's pages.

What stands on it is prepared by the caller, who may know figures; here is the page.
"""

import base64
import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from io import BytesIO
from operator import attrgetter
from pathlib import Path

from PIL import Image

from sigprop.ledger.report import anchors, environment
from sigprop.numerics.files import write_text

PAGE = "gallery.html"
SMALL, LARGE = 400, 1650  # pixels of a thumbnail, and across a large picture
QUALITY = 85  # of WebP: no artefact is visible beside lines and letters
MARK = '<meta name="generator" content="sigprop gallery">'
UNDRAWN = '<meta name="generator" content="sigprop gallery, no pictures yet">'


@dataclass(frozen=True)
class Picture:
    """A figure and what is said about it; without pictures, only the latter.

    Attributes:
        name: As in ``sigprop figure NAME``.
        title: What it is about.
        source: The figure of the paper that it follows, or ours.
        caption: What is drawn.
        rows: What the ledger found, by the ids of its rows.
        shown: Sentences on what it shows.
        details: The numbers behind them, as the header and the rows of a table.
        origin: Sizes, seeds and versions of its results.
        files: Names of the files of its results.
        notebooks: Titles of the notebooks about it, by their file names.
        png: The picture.
        verdicts: What the ledger found, without the rows' titles, each once.
    """

    name: str
    title: str
    source: str
    caption: str
    rows: Mapping[str, str]
    shown: str = ""
    details: tuple[tuple[str, ...], ...] = ()
    origin: str = ""
    files: tuple[str, ...] = ()
    notebooks: tuple[tuple[str, str], ...] = ()
    png: bytes = b""
    verdicts: tuple[str, ...] = ()

    @property
    def size(self) -> tuple[int, int]:
        """Pixels across and up."""
        with Image.open(BytesIO(self.png)) as picture:
            return picture.size

    @property
    def thumbnail(self) -> bytes:
        """A copy of at most ``SMALL`` pixels across and up, as WebP."""
        return self._webp(SMALL)

    @property
    def large(self) -> bytes:
        """A copy of at most ``LARGE`` pixels across, as WebP."""
        return self._webp(LARGE, max(LARGE, self.size[1]))

    def _webp(self, across: int, up: int | None = None) -> bytes:
        copy = BytesIO()
        with Image.open(BytesIO(self.png)) as picture:
            picture.thumbnail((across, up or across))
            picture.convert("RGB").save(copy, "WEBP", quality=QUALITY, method=6)
        return copy.getvalue()


COPIES = {"small": attrgetter("thumbnail"), "large": attrgetter("large")}
"""Copies of a picture by the filters that give their addresses to the page."""


def render(
    pictures: Iterable[Picture],
    beside: Iterable[str] = (),
    folder: str = "",
) -> str:
    """The page.

    Args:
        pictures: In their order.
        beside: Names of the files in its folder, and of those in ``notebooks`` there, to
            which it may link.
        folder: With the files of the pictures, see ``files``.  The page has the pictures
            in itself if it is left out.
    """
    shown = tuple(pictures)
    env = environment()
    for kind in COPIES:
        env.filters[kind] = functools.partial(_address, folder, kind)
    return env.get_template("gallery.html.j2").render(
        pictures=shown,
        beside=frozenset(beside),
        anchor=lambda row: next(anchors([row])),
        mark=MARK if any(picture.png for picture in shown) else UNDRAWN,
    )


def files(pictures: Iterable[Picture]) -> dict[str, bytes]:
    """Both copies of every picture, by the name of their files."""
    return {
        _file(one, kind): copy(one)
        for one in pictures
        if one.png
        for kind, copy in COPIES.items()
    }


def _file(picture: Picture, kind: str) -> str:
    return f"{picture.name}-{kind}.webp"


def _address(folder: str, kind: str, picture: Picture) -> str:
    if folder:
        return f"{folder}/{_file(picture, kind)}"
    return f"data:image/webp;base64,{base64.b64encode(COPIES[kind](picture)).decode()}"


def is_ours(folder: Path) -> bool:
    """True where a gallery has written the page, or nothing has its name."""
    return not (folder / PAGE).exists() or _marked(folder, MARK, UNDRAWN)


def has_pictures(folder: Path) -> bool:
    """True where a gallery has been written with pictures."""
    return _marked(folder, MARK)


def require_ours(folder: Path) -> None:
    """Refuse to replace a page that no gallery wrote.

    Raises:
        ValueError: If there is one; names it.
    """
    if not is_ours(folder):
        raise ValueError(
            f"need a place for {folder / PAGE}, got a file that no gallery wrote; move it "
            "away or choose another folder"
        )


def _marked(folder: Path, *marks: str) -> bool:
    file = folder / PAGE
    if not file.is_file() or file.is_symlink():
        return False
    with file.open(encoding="utf-8", errors="replace") as page:
        head = page.read(len(f"<!DOCTYPE html>{UNDRAWN}") + 200)
    return any(mark in head for mark in marks)


def write(folder: Path, pictures: Iterable[Picture]) -> Path:
    """Write the page whole or not at all; links lead to what is in the folder by then.

    Raises:
        OSError: If it cannot be written.
        ValueError: If another file has its name.
    """
    require_ours(folder)
    there = [*folder.glob("*.html"), *folder.glob("notebooks/*.html")]
    beside = [file.relative_to(folder).as_posix() for file in there]
    write_text(folder / PAGE, render(pictures, beside))
    return folder / PAGE
