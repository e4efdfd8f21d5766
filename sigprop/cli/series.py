"""``sigprop series``: moments of neurons on a time series, beside theory."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from sigprop.cli.console import (
    console,
    plain_errors,
    require_distinct,
    require_pages,
    show_table,
)
from sigprop.cli.help import JSON_HELP
from sigprop.cli.pictures import picture, require_png, undrawn_reported
from sigprop.numerics.seeds import require_seed


def series(
    file: Annotated[
        Path,
        typer.Argument(
            help="A .npy array (steps, features) or (sequences, steps, features), or a .csv "
            "with a row for each step."
        ),
    ],
    window: Annotated[
        int, typer.Option(help="Steps of each window cut from a single series.")
    ] = 512,
    seed: Annotated[int, typer.Option(help="Seed of the resampled intervals.")] = 0,
    json: Annotated[Path | None, typer.Option(help=JSON_HELP)] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write a page with a picture to this file, or print it if the name is '-'."
        ),
    ] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the comparison to this .png file.")
    ] = None,
) -> None:
    """Compare the moments of neurons that a time series drives with theory."""
    with plain_errors("nothing was written", file, json, report, figure):
        import json as encoder

        from rich.progress import track

        from sigprop.audit.series import load_series
        from sigprop.audit.series_moments import audit_series, rows_json
        from sigprop.audit.series_summary import as_dataset, conclusion, table
        from sigprop.numerics.files import require_writable, write_text

        require_seed(seed)
        require_distinct(file=file, json=json, report=report, figure=figure)
        require_png(figure)
        if report is not None:
            require_pages("--report")
        for path in (json, report, figure):
            if path is not None:
                require_writable(path)
        loaded = load_series(file, window)
        out = console(json, report)
        for note in loaded.notes:
            out.print(f"note: {note}", soft_wrap=True)
        rows = audit_series(
            loaded,
            seed=seed,
            shown=lambda names: track(names, "columns", console=out, transient=True),
        )
        show_table(out, table(rows), keys=2)
        out.print(conclusion(rows))
        if json is not None:
            write_text(json, encoder.dumps(rows_json(rows), indent=2) + "\n")

        def draw() -> Any:
            from sigprop.figures import series_moments

            steps = loaded.values.shape[1]
            return series_moments.draw(as_dataset(rows, steps), file.name)

        if report is not None:
            _write_page(report, file.name, loaded.notes, rows, draw)
            if report != Path("-"):
                out.print(str(report), soft_wrap=True)
        if figure is not None:
            picture(figure, draw, out)


def _write_page(
    report: Path,
    name: str,
    notes: tuple[str, ...],
    rows: Sequence[Any],
    draw: Callable[[], Any],
) -> None:
    """Write the report, without a picture if it cannot be drawn."""
    from sigprop.audit.series_summary import HEADS, cells, conclusion, reading
    from sigprop.ledger.series import render
    from sigprop.numerics.files import write_text

    page: dict[str, Any] = {
        "file": name,
        "conclusion": conclusion(rows),
        "notes": notes,
        "table": (HEADS, *map(cells, rows)),
        "reading": reading(rows),
    }
    with undrawn_reported("the picture of the report"):
        from sigprop.figures import inline, style

        figure = draw()
        page["caption"] = style.notes(figure)
        label = f"Predicted over measured moments of {name}"
        page["picture"] = inline.svg(figure, "moments", label)
    write_text(report, render(**page))
