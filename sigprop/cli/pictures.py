"""Pictures that a command draws beside its output.

If a picture cannot be drawn, the command prints the reason and continues.
"""

import dataclasses
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sigprop.cli.console import aside
from sigprop.cli.help import command_line, version

DISCS = 24  # largest number of layers whose eigenvalues are drawn
NoFigures = Annotated[bool, typer.Option("--no-figures", help="Draw no pictures.")]


def picture(path: Path, draw: Callable[[], Any], out: Console) -> None:
    """Draw a PNG and print its path; if that fails, print the reason and continue.

    Caption, command line and version are in the metadata of the picture, and in a file
    of the same name that ends in ``.md``.

    Args:
        path: Path of the picture.
        draw: Makes the Matplotlib figure.
        out: Console on which the paths are printed.
    """
    with undrawn_reported(path):
        from sigprop.figures import style
        from sigprop.figures.catalogue import Drawn

        _require_place(path.with_suffix(".md"), path.name)
        figure = draw()
        title = figure.get_suptitle() or path.stem
        origin = f"{command_line()}; {version()}"
        one = Drawn(figure, title, "", style.notes(figure), "", "", origin)
        for file in one.save(path.stem, path.parent, ("png",)):
            out.print(str(file), soft_wrap=True)


def _require_place(beside: Path, shown: str) -> None:
    """Refuse to overwrite a text file that does not belong to the picture.

    Raises:
        ValueError: If the file does not show the picture.
    """
    if not beside.is_file():
        return
    if f"]({shown})" not in beside.read_text("utf-8", errors="replace"):
        raise ValueError(
            f"need a place for the caption, {beside.name}, got a file that does not show "
            f"{shown}; move it away or give the picture another name"
        )


def require_png(figure: Path | None) -> None:
    """Refuse any format except PNG.

    Raises:
        ValueError: If the name does not end in ``.png``.
    """
    if figure is not None and figure.suffix != ".png":
        raise ValueError(f"need a --figure that ends in .png, got {figure}")


def with_overview(run: Any) -> Any:
    """A ledger with pictures for its pages, or without if they cannot be drawn.

    Args:
        run: A ``Ledger``.
    """
    with undrawn_reported("the overview"):
        from sigprop.figures import inline, style
        from sigprop.figures.overview import PANELS, draw
        from sigprop.ledger.overview import PICTURES, overview

        data = overview(run)
        labels = "Statuses by paper and kind", "Simulated over closed form, by point"
        pictures, captions = {}, {}
        for file, panel, label in zip(PICTURES, PANELS, labels, strict=True):
            if data.sizes["result"] or panel == PANELS[0]:
                figure = draw(data, panel)
                pictures[file] = inline.svg(figure, Path(file).stem, label)
                captions[file] = style.notes(figure)
        return dataclasses.replace(run, overview=pictures, captions=captions)
    return run


def beside(json: Path | None) -> Path | None:
    """Path of the picture beside a file of rows; ``None`` for standard output."""
    return None if json in (None, Path("-")) else json.with_suffix(".png")


def overview_beside(json: Path, run: Any, out: Console) -> None:
    """Draw the overview of a ledger beside the file of its rows."""

    def draw_overview() -> Any:
        from sigprop.figures.overview import draw
        from sigprop.ledger.overview import overview

        return draw(overview(run))

    if (path := beside(json)) is not None:
        picture(path, draw_overview, out)


@contextmanager
def undrawn_reported(subject: Path | str, was: str = "was") -> Iterator[None]:
    """Print in one line why a picture was not drawn, and continue.

    Args:
        subject: File or name of the picture.
        was: The verb, singular or plural.
    """
    try:
        yield
    except Exception as error:
        aside(f"sigprop: {subject} {was} not drawn: {type(error).__name__}: {error}")


def layers_drawn(
    names: list[str], modes: list[Any], length: int | None, figures: bool
) -> Any:
    """Pictures of layers for a page; ``None`` if not wanted or not possible.

    Args:
        names: Names of the layers.
        modes: Modes of each layer, as ``sigprop.audit.lint.picture_data.Modes``.
        length: Steps of the sequences, if known.
        figures: False for a page without pictures.
    """
    from sigprop.audit.lint import picture_data
    from sigprop.ledger.layers import Drawn

    drawn = Drawn(picture_data.MOST)
    if figures and names:
        with undrawn_reported("the pictures", "were"):
            from sigprop.figures import checkpoints, inline

            steps = length or 10 ** picture_data.decades(modes, None)
            discs = [
                x for x in zip(names, modes, strict=True) if x[1].phases is not None
            ]
            times = inline.svg(
                checkpoints.draw_times(picture_data.histograms(names, modes, length)),
                "times",
                picture_data.label(names, modes),
            )
            planes = tuple(
                inline.svg(
                    checkpoints.draw(
                        picture_data.eigenvalues(of, steps), "memory", name
                    ),
                    f"p{index}",
                    f"Eigenvalues of {name} in the complex plane",
                )
                for index, (name, of) in enumerate(discs[:DISCS])
            )
            drawn = Drawn(picture_data.MOST, times, planes, len(discs[DISCS:]))
    return drawn
