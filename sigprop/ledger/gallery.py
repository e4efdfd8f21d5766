"""The gallery: one page with every figure, which loads nothing from the network.

The caller prepares the figures and their texts.  This module makes the page.
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
SMALL, LARGE = 400, 1650  # pixels: sides of a thumbnail, width of a large picture
QUALITY = 85  # WebP quality without visible artefacts
MARK = '<meta name="generator" content="sigprop gallery">'
UNDRAWN = '<meta name="generator" content="sigprop gallery, no pictures yet">'


@dataclass(frozen=True)
class Picture:
    """A figure and its texts; before the figure is drawn, only the texts.

    Attributes:
        name: Name as in ``sigprop figure NAME``.
        title: Subject of the figure.
        source: The figure of the paper that it follows; our own figures say so.
        caption: Caption.
        rows: Findings of the ledger, by the ids of its rows.
        shown: Sentences on what the figure shows.
        details: Numbers behind these sentences, as the header and rows of a table.
        origin: Sizes, seeds and versions of the results.
        files: Names of the files of the results.
        notebooks: Titles of the notebooks about the figure, by their file names.
        png: The picture.
        verdicts: Findings of the ledger without the rows' titles, each once.
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
        """Width and height in pixels."""
        with Image.open(BytesIO(self.png)) as picture:
            return picture.size

    @property
    def thumbnail(self) -> bytes:
        """A copy of at most ``SMALL`` pixels in each direction, as WebP."""
        return self._webp(SMALL)

    @property
    def large(self) -> bytes:
        """A copy of at most ``LARGE`` pixels in width, as WebP."""
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
    """The page as HTML.

    Args:
        pictures: Pictures in their order.
        beside: Names of files in its folder and in ``notebooks`` there, for links.
        folder: Folder with the files of the pictures (see ``files``).  By default the
            page itself contains the pictures.
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
    """Both copies of every picture, by file name."""
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
    """True if a gallery wrote the page, or if no file has its name."""
    return not (folder / PAGE).exists() or _marked(folder, MARK, UNDRAWN)


def has_pictures(folder: Path) -> bool:
    """True if there is a page of a gallery with pictures."""
    return _marked(folder, MARK)


def require_ours(folder: Path) -> None:
    """Refuse to overwrite a page that no gallery wrote.

    Raises:
        ValueError: If there is such a page; names it.
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
    """Write the complete page, or keep the old one; links lead to files in the folder.

    Raises:
        OSError: If the page cannot be written.
        ValueError: If a file of another program has its name.
    """
    require_ours(folder)
    there = [*folder.glob("*.html"), *folder.glob("notebooks/*.html")]
    beside = [file.relative_to(folder).as_posix() for file in there]
    write_text(folder / PAGE, render(pictures, beside))
    return folder / PAGE
