"""``sigprop lint``: faults in the recurrences of a checkpoint, found without data."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sigprop.cli.console import (
    UNEXPECTED,
    console,
    fits,
    plain_errors,
    require_distinct,
    require_pages,
    show_table,
)
from sigprop.cli.help import JSON_HELP, MAPPING_HELP
from sigprop.cli.help import version as program
from sigprop.cli.pictures import NoFigures, layers_drawn


def lint(
    checkpoint: Annotated[
        Path,
        typer.Argument(help="A .safetensors, .npz or .msgpack file, or its folder."),
    ],
    length: Annotated[int | None, typer.Option(help="Steps of your sequences.")] = None,
    dtype: Annotated[
        str | None,
        typer.Option(
            help="Precision in which the model computes eigenvalues: bfloat16, "
            "float16, float32 or float64."
        ),
    ] = None,
    optimizer: Annotated[
        Path | None,
        typer.Option(
            help="Optimiser settings to check too: a TOML or JSON file with lr, weight_decay, "
            "no_decay or groups."
        ),
    ] = None,
    mapping: Annotated[
        Path | None,
        typer.Option(help=MAPPING_HELP),
    ] = None,
    accept: Annotated[
        Path | None,
        typer.Option(
            help="Accepted findings, which do not count: a TOML or JSON file with a rule, "
            "a reason and, for some layers alone, a layer in each [[accept]]."
        ),
    ] = None,
    fail_on: Annotated[
        str,
        typer.Option(
            help="Exit with status 1 from this severity on: error, warning or note."
        ),
    ] = "warning",
    json: Annotated[Path | None, typer.Option(help=JSON_HELP)] = None,
    sarif: Annotated[
        Path | None,
        typer.Option(
            help="Write SARIF 2.1.0 to this file, or print it if the name is '-'."
        ),
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            help="Write a page with pictures to this file, or print it if the name is '-'."
        ),
    ] = None,
    no_figures: NoFigures = False,
) -> None:
    """Find faulty recurrences in a checkpoint, without data.

    The exit status is 0 if there is no error or warning (see --fail-on), 1 if there is
    any, and 2 if nothing in the file can be judged. A tensor that looks recurrent and was
    not judged counts as a warning. Accepted findings do not count.
    """
    with plain_errors("nothing was written", checkpoint, json, sarif, html):
        import json as encoder
        from importlib.metadata import version

        from sigprop.audit.lint import Settings
        from sigprop.audit.lint import lint as check
        from sigprop.audit.lint.accepted import accept as without
        from sigprop.audit.lint.accepted import read_accepted
        from sigprop.audit.lint.findings import require_severity
        from sigprop.audit.lint.optimiser import read_optimiser
        from sigprop.audit.lint.report import (
            as_json,
            as_sarif,
            conclusion,
            lines,
            notes,
            table,
        )
        from sigprop.networks.foreign import open_checkpoint
        from sigprop.numerics.files import require_writable, write_text

        least = require_severity(fail_on)
        read = {"optimizer": optimizer, "mapping": mapping, "accept": accept}
        written = {"json": json, "sarif": sarif, "html": html}
        require_distinct(checkpoint=checkpoint, **read, **written)
        if html is not None:
            require_pages("--html")
        for file in written.values():
            if file is not None:
                require_writable(file)
        optimiser = None if optimizer is None else read_optimiser(optimizer)
        settings = Settings(length, dtype, optimiser)
        accepted = () if accept is None else read_accepted(accept)
        report = check(open_checkpoint(checkpoint), settings, mapping)
        report = without(report, accepted)
        out = console(json, sarif, html)
        show_table(out, _fitting(out, table(report, picture=True), table(report)))
        out.print()
        for line in lines(report):
            out.print(line, soft_wrap=True)
        out.print(conclusion(report), soft_wrap=True)
        if json is not None:
            write_text(json, encoder.dumps(as_json(report), indent=2) + "\n")
        if sarif is not None:
            content = as_sarif(report, version("sigprop"))
            write_text(sarif, encoder.dumps(content, indent=2) + "\n")
        if html is not None:
            content = as_json(report) | {
                "conclusion": conclusion(report),
                "notes": list(notes(report)),
                "program": program(),
            }
            _write_page(html, content, report, not no_figures)
            if html != Path("-"):
                out.print(str(html), soft_wrap=True)
    if report.at_least(least):
        raise typer.Exit(UNEXPECTED)


def _write_page(
    html: Path, content: dict[str, Any], report: Any, figures: bool
) -> None:
    """Write the page, without pictures if they cannot be drawn."""
    from sigprop.ledger.lint import render
    from sigprop.numerics.files import write_text

    names = [layer.layer for layer in report.layers]
    modes = [layer.drawn for layer in report.layers]
    drawn = layers_drawn(names, modes, report.settings.length, figures)
    write_text(html, render(content, drawn))


def _fitting(out: Console, drawn: Table, plain: Table) -> Table:
    """The table with histograms, if the screen can show them."""
    if not out.encoding.startswith("utf"):
        return plain
    return plain if fits(out, plain) and not fits(out, drawn) else drawn
