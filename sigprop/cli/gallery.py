"""``sigprop figure --gallery DIR``: one page with every figure, from stored results."""

import re
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sigprop.cli.console import aside, console
from sigprop.ledger import gallery
from sigprop.ledger.gallery import Picture
from sigprop.numerics.paths import on_disk
from sigprop.theory.claims import PAPERS, find


def write_gallery(folder: Path) -> None:
    """Draw every figure with stored results, and write the page.

    Raises:
        OSError: If the folder cannot be made.
        ValueError: If the page cannot be written, or if its name belongs to a page of
            another program.  Then nothing is drawn.
    """
    from rich.progress import track

    from sigprop.experiments import statuses
    from sigprop.figures.catalogue import of_rows
    from sigprop.numerics.files import require_writable

    gallery.require_ours(folder)
    folder.mkdir(parents=True, exist_ok=True)
    require_writable(folder / gallery.PAGE)
    described = describe(statuses.current(of_rows()))
    out = console()
    pictures = [
        with_picture(picture)
        for picture in track(described, "drawing", console=out, transient=True)
    ]
    missing = [picture.name for picture in pictures if not picture.png]
    if missing:
        aside(
            f"not drawn, for want of results: {', '.join(missing)}; `sigprop figure` makes "
            "them"
        )
    out.print(str(gallery.write(folder, pictures)), soft_wrap=True)


def describe(verdicts: Mapping[str, str]) -> list[Picture]:
    """Return the name, title and verdicts of every figure, without its results.

    Args:
        verdicts: Titles and findings by the ledger's rows; other rows are left out.
    """
    from sigprop.figures.catalogue import entries, source_and_caption

    texts = _notebooks()
    return [
        Picture(
            name,
            spec.title,
            *source_and_caption(name),
            rows={row: verdicts[row] for row in spec.rows if row in verdicts},
            verdicts=_without_titles(verdicts, spec.rows),
            notebooks=tuple(
                (file, title)
                for file, (title, text) in texts.items()
                if re.search(rf"`sigprop figure {name}`", text)
            ),
        )
        for name, spec in sorted(entries().items(), key=_by_paper)
    ]


def _without_titles(
    verdicts: Mapping[str, str], rows: Iterable[str]
) -> tuple[str, ...]:
    """The findings of some rows, each once, without the rows' titles.

    A title can contain a colon.
    """
    found = (
        verdicts[row].removeprefix(f"{find(row).title}: ")
        for row in rows
        if row in verdicts
    )
    return tuple(dict.fromkeys(found))


def _by_paper(figure: tuple[str, Any]) -> int:
    """The position of a figure's paper in the ledger; our own figures come last."""
    return [*PAPERS].index(figure[0].partition("-")[0])


def _notebooks() -> dict[str, tuple[str, str]]:
    """Return the titles and texts of the notebooks, by their file names."""
    files = sorted(on_disk("notebooks").glob("*.py"))
    texts = {file.name: file.read_text("utf-8") for file in files}
    titles = {
        name: re.search(r"^# # (.+)$", text, re.M) for name, text in texts.items()
    }
    return {name: (title[1], texts[name]) for name, title in titles.items() if title}


def with_picture(picture: Picture) -> Picture:
    """Add the picture and its results to a figure, if they are stored."""
    from sigprop.experiments.command import best, make
    from sigprop.experiments.store import read
    from sigprop.figures import style
    from sigprop.figures.catalogue import details, drawn, entry

    sizes = {study: best(study) for study in entry(picture.name).needs()}
    if None in sizes.values():
        return picture
    files = {study: make(study, size) for study, size in sizes.items() if size}
    results = {study: read(file) for study, file in files.items()}
    one = drawn(picture.name, results)
    with tempfile.TemporaryDirectory() as folder:
        (file,) = style.save(
            one.figure, picture.name, Path(folder), ("png",), caption=False
        )
        png = file.read_bytes()
    return replace(
        picture,
        caption=one.caption,
        shown=one.shown,
        details=details(picture.name, results),
        origin=one.origin,
        files=tuple(file.name for file in files.values()),
        png=png,
    )
