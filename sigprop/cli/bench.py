"""``sigprop bench``: run times of sigprop and of alternatives on this machine."""

import json as encoder
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sigprop.cli.console import aside, console, plain_errors, show_table

SIGNIFICANT = "{:.3g}"


def bench(
    quick: Annotated[
        bool,
        typer.Option("--quick", help="Use fewer repeats and sizes; takes minutes."),
    ] = False,
    part: Annotated[
        list[str] | None,
        typer.Option(
            help="Measure this part only, e.g. speed_moments; may be repeated."
        ),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            help="Write the results as JSON to this file, or print them if the name is '-'."
        ),
    ] = None,
) -> None:
    """Measure how fast sigprop simulates, runs layers and trains.

    Every run measures all parts again, and compares them with alternatives. After an
    interruption the finished parts stay stored.
    """
    with plain_errors("the parts that ended are stored"):
        from sigprop.experiments import bench as report
        from sigprop.experiments.command import make
        from sigprop.experiments.store import folder, read
        from sigprop.numerics.files import require_folder, require_writable, write_text

        chosen = tuple(part or report.STUDIES)
        if unknown := set(chosen) - set(report.STUDIES):
            raise ValueError(
                f"need --part in {', '.join(report.STUDIES)}, got "
                f"{', '.join(sorted(unknown))}"
            )
        if json is not None:
            require_writable(json)
        require_folder(folder())
        preset = "quick" if quick else "paper"
        results = {study: read(make(study, preset, True, aside)) for study in chosen}
        out = console(json)
        rows = report.rows(results)
        if rows:
            show_table(out, _ratios(rows), keys=2)
        for line in report.conclusions(results):
            out.print(line)
        if json is not None:
            content = {"comparisons": rows, "limits": report.limits(results)}
            write_text(json, encoder.dumps(content, indent=2) + "\n")


def _ratios(rows: list[dict[str, str | float]]) -> Table:
    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("what", "of", "beside", "takes, times", "from", "to", "ours, ms"):
        table.add_column(
            name, justify="left" if name in ("what", "of", "beside") else "right"
        )
    for row in rows:
        numbers = [row[name] for name in ("ratio", "least", "most")]
        texts = [SIGNIFICANT.format(x) for x in (*numbers, 1e3 * float(row["seconds"]))]
        table.add_row(str(row["part"]), str(row["what"]), str(row["other"]), *texts)
    return table
