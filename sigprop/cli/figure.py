"""``sigprop figure``: a figure of the papers, from the best stored results."""

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
            help="smoke (seconds), quick (minutes) or paper (full size). Default: the "
            "largest stored result, else quick."
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
    gallery: Annotated[
        Path | None,
        typer.Option(help="Write a web page with all figures into this folder."),
    ] = None,
) -> None:
    """Draw a figure; run its experiment first if needed."""
    with plain_errors("nothing was written", gallery):
        if gallery is not None:
            if list_ or force or any((name, panel, preset, format_)):
                raise ValueError(
                    "--gallery draws every figure from the best stored results: it goes "
                    "alone"
                )
            require_pages("--gallery")
            from sigprop.cli.gallery import write_gallery

            write_gallery(gallery)
            return
        from sigprop.figures.catalogue import (
            draw_and_save,
            entries,
            entry,
            require_formats,
        )

        if list_ or name is None:
            table = Table(box=None, pad_edge=False, header_style="bold")
            for column in ("figure", "panels", "results", "title"):
                table.add_column(column)
            for key, spec in entries().items():
                results = ", ".join(spec.needs())
                table.add_row(key, " ".join(spec.panels), results, spec.title)
            show_table(console(), table)
            return
        from sigprop.experiments import statuses, store
        from sigprop.experiments.command import best, make
        from sigprop.figures.style import folder
        from sigprop.numerics.files import require_folder

        if force and preset is None:
            raise ValueError(
                "need --preset smoke, quick or paper with --force, got none; add it, or "
                "leave --force out to draw what is stored"
            )
        name = name.casefold()
        formats = require_formats(format_)
        chosen = {
            study: preset or best(study) or "quick"
            for study in entry(name).needs(panel)
        }
        require_folder(folder())
        require_folder(store.folder())
        results = {
            study: store.read(make(study, size, force, aside))
            for study, size in chosen.items()
        }
        origins = ", ".join(f"{study} ({size})" for study, size in chosen.items())
        aside(f"{name} is drawn from {origins}")
        verdicts = statuses.current(entry(name).rows)
        for path in draw_and_save(
            name, results, panel, formats=formats, verdicts=verdicts
        ):
            console().print(str(path), soft_wrap=True)
