"""``sigprop ledger``: verdicts on all statements as text, JSON or a website."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from sigprop.cli.console import (
    EXPECTED,
    UNEXPECTED,
    aside,
    console,
    plain_errors,
    require_distinct,
    require_pages,
    show_table,
)
from sigprop.cli.help import JSON_HELP, PAPER_HELP
from sigprop.cli.pictures import NoFigures, with_overview
from sigprop.numerics.compilation import compile_quickly
from sigprop.numerics.seeds import require_seed

if TYPE_CHECKING:
    from sigprop.judge.results import ClaimResult


def ledger(
    paper: Annotated[str | None, typer.Option(help=PAPER_HELP)] = None,
    status: Annotated[
        str | None, typer.Option(help="Show only rows with this verdict, e.g. refuted.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help=JSON_HELP)] = None,
    html: Annotated[
        Path | None,
        typer.Option(
            help="Write the website to this folder: overview, errata, results of our "
            "trainings, and a page for each row."
        ),
    ] = None,
    schema: Annotated[
        bool,
        typer.Option("--schema", help="Print the JSON schema of the rows and errata."),
    ] = False,
    seed: Annotated[int, typer.Option(help="Seed of the simulations.")] = 0,
    no_figures: NoFigures = False,
) -> None:
    """Judge all claims and write them as text, JSON or a website."""
    with plain_errors("nothing was written", json, html):
        import dataclasses

        if schema:
            _print_schema()
            return
        from sigprop.cli.judged import judge
        from sigprop.ledger.dependence import build
        from sigprop.ledger.entries import write_json
        from sigprop.ledger.headline import headlines
        from sigprop.ledger.overview import PICTURES
        from sigprop.ledger.terminal import ledger_table, outcome
        from sigprop.numerics.files import require_writable
        from sigprop.theory.claims import Status, registry, select

        require_seed(seed)
        require_distinct(json=json, html=html)
        status = status and status.casefold()
        if status is not None and status not in set(Status):
            known = ", ".join(Status)
            raise ValueError(f"need a status in {known}, got {status!r}")
        if json is not None:
            require_writable(json)
        chosen = select(paper)
        if html is not None:  # the pages of a status depend on the verdicts
            require_pages("--html")
            from sigprop.ledger.site import page_names, require_free

            names = page_names(claim.id for claim in chosen if status is None)
            require_free(html, [*names, *([] if no_figures else PICTURES)])
        how = {"tier": "quick", "seed": seed, "samples": None}
        out = console(json)
        compile_quickly()
        run, loaded = judge(chosen, how, "cpu", out)
        shown = [entry for entry in run.claims if status in (None, entry.status)]
        show_table(out, ledger_table(shown))
        counts = Counter(entry.status for entry in run.claims)
        out.print("\n" + ", ".join(f"{n} {name}" for name, n in counts.items()) + ".")
        out.print(outcome(run, loaded))
        for name, counts_of_paper in headlines(run.claims).items():
            out.print(f"{name}: {counts_of_paper.sentence}.")
        wanted = json is not None or html is not None
        graph = build({claim.id: claim for claim in chosen}) if wanted else None
        if json is not None:
            write_json(json, shown, graph and graph.rests_on)
        if html is not None:
            from sigprop.cli.gallery import describe
            from sigprop.evidence.measurements import groups
            from sigprop.experiments.rows import shipped
            from sigprop.judge.findings import finding
            from sigprop.ledger.site import write_site

            run = run if no_figures else with_overview(run)
            pictures = describe(
                {entry.id: f"{entry.title}: {finding(entry)}" for entry in shown}
            )
            shorter = dataclasses.replace(run, claims=tuple(shown))
            write_site(html, shorter, pictures, graph, groups(shipped))
        if {entry.id for entry in run.claims} == set(registry()):
            _keep(run.claims, seed)
        raise typer.Exit(EXPECTED if run.as_expected else UNEXPECTED)


def _print_schema() -> None:
    import json as encoder

    from sigprop.ledger.schema import schema

    typer.echo(encoder.dumps(schema(), indent=2))


def _keep(claims: "Iterable[ClaimResult]", seed: int) -> None:
    """Store the statuses for the figures; if that fails, print a message."""
    from sigprop.experiments import statuses

    try:
        statuses.keep(claims, seed)
    except OSError as error:
        aside(f"figures will not know of these statuses: {error}")
