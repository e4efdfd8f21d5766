"""``sigprop figure``: figures of the papers, drawn from stored results.

If several presets of a result are stored, the largest is used.
"""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sigprop.cli.console import (
    aside,
    console,
    plain_errors,
    require_pages,
    show_table,
)


def figure(
    name: Annotated[
        str | None, typer.Argument(help="Name of a figure, e.g. zucchet-1a.")
    ] = None,
    list_: Annotated[bool, typer.Option("--list", help="List all figures.")] = False,
    panel: Annotated[
        str | None, typer.Option(help="Draw this panel only, e.g. b.")
    ] = None,
    preset: Annotated[
        str | None,
        typer.Option(
            help="smoke (seconds), quick (minutes) or paper (hours); full (the paper's own "
            "size) for figures whose origin names it. Default: the largest stored "
            "result, else quick."
        ),
    ] = None,
    force: Annotated[
        bool,
        typer.Option(help="Run the experiments again, although a result is stored."),
    ] = False,
    format_: Annotated[
        list[str] | None,
        typer.Option(
            "--format", help="pdf, png or svg; may be repeated. Default: pdf and png."
        ),
    ] = None,
    into: Annotated[
        Path | None,
        typer.Option(
            help="Folder for the files. Default: figures/out in a checkout, else "
            "figures-out."
        ),
    ] = None,
    caption: Annotated[
        bool,
        typer.Option(
            "--caption",
            help="Draw the caption below the panels, too; it is in NAME.md in any case.",
        ),
    ] = False,
    gallery: Annotated[
        Path | None,
        typer.Option(help="Write a web page with all figures into this folder."),
    ] = None,
) -> None:
    """Draw a figure; run its experiment first if needed."""
    with plain_errors("nothing was written", gallery):
        if gallery is not None:
            if list_ or force or any((name, panel, preset, format_, into, caption)):
                raise ValueError(
                    "--gallery draws every figure from the best stored results: it goes "
                    "alone"
                )
            require_pages("--gallery")
            from sigprop.cli.gallery import write_gallery

            write_gallery(gallery)
            return
        from sigprop.figures.catalogue import entries

        if list_ or name is None:
            table = Table(box=None, pad_edge=False, header_style="bold")
            for column in ("figure", "panels", "results", "title"):
                table.add_column(column)
            for key, spec in entries().items():
                results = ", ".join(spec.needs())
                table.add_row(key, " ".join(spec.panels), results, spec.title)
            show_table(console(), table)
            return
        from sigprop.figures.command import make_and_draw

        for path in make_and_draw(
            name.casefold(), panel, preset, force, format_, into, caption, aside
        ):
            console().print(str(path), soft_wrap=True)
