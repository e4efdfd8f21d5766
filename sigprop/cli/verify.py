"""``sigprop verify``: verdicts on claims by proof, evaluation and simulation."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sigprop.cli.console import (
    UNEXPECTED,
    console,
    plain_errors,
    require_distinct,
    require_pages,
    show_table,
)
from sigprop.cli.help import PAPER_HELP
from sigprop.cli.pictures import NoFigures, beside, overview_beside, with_overview
from sigprop.numerics.compilation import compile_quickly
from sigprop.numerics.seeds import require_seed


def verify(
    paper: Annotated[str | None, typer.Option(help=PAPER_HELP)] = None,
    claim: Annotated[
        list[str] | None, typer.Option(help="Judge this claim only; may be repeated.")
    ] = None,
    tier: Annotated[
        str,
        typer.Option(
            help="'quick' detects errors of 5 % in all claims; 'headline' detects errors of "
            "1 % in the formulas of the main moments."
        ),
    ] = "quick",
    seed: Annotated[int, typer.Option(help="Seed of every simulation.")] = 0,
    samples: Annotated[
        int | None,
        typer.Option(
            help="Number of simulated sequences for each choice of parameters. Default: as "
            "many as the tier needs."
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            help="Write an HTML report to this file, or print it if the name is '-'."
        ),
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            help="Write the rows as JSON to this file and a picture beside it, or print "
            "the rows if the name is '-'."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Where to simulate: cpu or gpu.")] = "cpu",
    yes: Annotated[
        bool,
        typer.Option(
            "--yes", help="Start even if the estimated running time is above one day."
        ),
    ] = False,
    no_figures: NoFigures = False,
) -> None:
    """Judge claims by proof, evaluation and simulation."""
    with plain_errors("nothing was written", report, json):
        from sigprop.numerics.files import require_writable

        require_seed(seed)
        if samples is not None and samples < 1:
            raise ValueError(f"need --samples of at least 1, got {samples}")
        figure = None if no_figures else beside(json)
        require_distinct(report=report, json=json, figure=figure)
        if report is not None:
            require_pages("--report")
        for path in (report, json, figure):
            if path is not None:
                require_writable(path)
        chosen = {"tier": tier, "seed": seed, "samples": samples}
        ids, figures = tuple(claim or ()), not no_figures
        _verify(paper, ids, chosen, report, json, device, yes, figures)


def _verify(
    paper: str | None,
    ids: tuple[str, ...],
    how: dict[str, Any],
    report: Path | None,
    json: Path | None,
    device: str,
    yes: bool,
    figures: bool,
) -> None:
    from sigprop.cli.judged import judge
    from sigprop.experiments.rows import row
    from sigprop.judge.basis import main_moments
    from sigprop.ledger.entries import write_json
    from sigprop.ledger.terminal import outcome, summary
    from sigprop.ledger.verdicts import in_lines
    from sigprop.theory.claims import select

    compile_quickly()
    out, chosen = console(report, json), select(paper, ids)
    if how["tier"] == "headline" and not ids:
        chosen = tuple(
            main_row.claim for main_row in main_moments([row(c.id) for c in chosen])
        )
    _forecast(chosen, how, device, yes)
    run, loaded = judge(chosen, how, device, out)
    show_table(out, summary(run))
    out.print()
    for entry in run.claims if ids else ():
        out.print("\n".join(in_lines(entry)) + "\n", soft_wrap=True)
    out.print(outcome(run, loaded))
    if json is not None:
        write_json(json, run.claims)
        if figures:
            overview_beside(json, run, out)
    if report is not None:
        from sigprop.ledger.report import write_report

        write_report(report, with_overview(run) if figures else run)
        out.print(f"Report: {report}")
    if not run.as_expected:
        raise typer.Exit(UNEXPECTED)


def _forecast(chosen: Any, how: dict[str, Any], device: str, yes: bool) -> None:
    """Print the cost of a large simulation, and refuse one that is too large."""
    if how["samples"] is None and how["tier"] == "quick":
        return
    from sigprop.experiments.rows import row
    from sigprop.judge.forecast import allow, of_rows
    from sigprop.numerics.devices import use_device

    with use_device(device):
        rows = [row(claim.id) for claim in chosen]
        forecast = of_rows(rows, how["tier"], how["samples"])
    remedy = "lower --samples, judge fewer claims, or add --yes"
    allow(forecast, remedy, yes=yes, say=lambda line: typer.echo(line, err=True))
