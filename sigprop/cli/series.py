"""``sigprop series``: the moments of a user's time series beside the theory."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sigprop.cli.console import console, plain_errors, require_distinct, show_table
from sigprop.cli.help import JSON_HELP
from sigprop.cli.pictures import picture, require_png
from sigprop.numerics.seeds import require_seed


def series(
    file: Annotated[
        Path,
        typer.Argument(
            help="A .npy array (sequences, steps), or a .csv with a row for each step."
        ),
    ],
    window: Annotated[
        int, typer.Option(help="Steps of each window cut from a .csv.")
    ] = 512,
    seed: Annotated[int, typer.Option(help="Seed of the resampled intervals.")] = 0,
    json: Annotated[Path | None, typer.Option(help=JSON_HELP)] = None,
    figure: Annotated[
        Path | None, typer.Option(help="Draw the comparison to this .png file.")
    ] = None,
) -> None:
    """Compare the moments of neurons that a time series drives with theory."""
    with plain_errors("nothing was written", file, json, figure):
        import json as encoder

        from rich.progress import track

        from sigprop.audit.series import load_series
        from sigprop.audit.series_moments import audit_series, rows_json
        from sigprop.audit.series_summary import as_dataset, conclusion, table
        from sigprop.numerics.files import require_writable, write_text

        require_seed(seed)
        require_distinct(file=file, json=json, figure=figure)
        require_png(figure)
        for path in (json, figure):
            if path is not None:
                require_writable(path)
        loaded = load_series(file, window)
        out = console(json)
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
        if figure is not None:

            def draw() -> Any:
                from sigprop.figures import series_moments

                steps = loaded.values.shape[1]
                return series_moments.draw(as_dataset(rows, steps), file.name)

            picture(figure, draw, out)
