"""The front door: ``sigprop verify | ledger | claims | show | figure | sweep | train ...``.

Nothing heavy is imported before a command needs it, so that help, ``claims`` and
``show`` answer at once and without JAX.
"""

import os
import time
from collections import Counter
from pathlib import Path
from typing import Annotated, Any

# More threads than cores inside one small linear-algebra call only slow it down.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import typer
from rich.console import Console
from rich.table import Table

from sigprop.cli.audit import audit
from sigprop.cli.bench import bench
from sigprop.cli.console import (
    EXPECTED,
    UNEXPECTED,
    aside,
    console,
    plain_errors,
    require_distinct,
    show_table,
)
from sigprop.cli.figure import figure
from sigprop.cli.help import CONTEXT, Commands, main_options
from sigprop.cli.notebooks import notebooks
from sigprop.cli.pictures import (
    NoFigures,
    beside,
    overview_beside,
    with_overview,
)
from sigprop.cli.sweep import sweeps
from sigprop.cli.table import tables
from sigprop.cli.train import train
from sigprop.numerics.compilation import compile_quickly
from sigprop.numerics.seeds import require_seed
from theory.claims import PAPERS

PAPER_HELP = f"Only this paper: {', '.join(PAPERS)}."
JSON_HELP = "Write JSON rows here; - prints them."

app = typer.Typer(
    cls=Commands,
    context_settings=CONTEXT,
    add_completion=False,
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    help="Derives, evaluates and verifies the theory of signal propagation in linear "
    "recurrent networks.",
)
app.callback()(main_options)
app.add_typer(sweeps)
app.command()(figure)
app.command()(notebooks)
app.command()(train)
app.command()(audit)
app.command("table")(tables)
app.command()(bench)


@app.command()
def verify(
    paper: Annotated[str | None, typer.Option(help=PAPER_HELP)] = None,
    claim: Annotated[
        list[str] | None, typer.Option(help="Only this claim; may be repeated.")
    ] = None,
    tier: Annotated[
        str, typer.Option(help="quick: 5 %; headline: the main moments at 1 %.")
    ] = "quick",
    seed: Annotated[int, typer.Option(help="Moves every simulation.")] = 0,
    samples: Annotated[
        int | None, typer.Option(help="Trajectories a point, if more than planned.")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(help="Write an HTML report here; - prints it.")
    ] = None,
    json: Annotated[
        Path | None,
        typer.Option(
            help="Write JSON rows here, and a picture of them beside it, .png; - prints "
            "the rows."
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="cpu or gpu.")] = "cpu",
    input: Annotated[
        Path | None,
        typer.Option(
            help="Audit your own series, .npy or .csv, instead of the claims."
        ),
    ] = None,
    window: Annotated[
        int, typer.Option(help="Steps a window cut from a .csv has.")
    ] = 512,
    yes: Annotated[
        bool, typer.Option("--yes", help="Begin, though it takes more than a day.")
    ] = False,
    no_figures: NoFigures = False,
) -> None:
    """Judge every claim: derive, evaluate, simulate, and say what is true."""
    with plain_errors("nothing was written", input, report, json):
        from sigprop.numerics.files import require_writable

        require_seed(seed)
        figure = None if no_figures or input else beside(json)
        require_distinct(input=input, report=report, json=json, figure=figure)
        for path in (report, json, figure):
            if path is not None:
                require_writable(path)
        if input is not None:
            if paper or claim or report or samples or tier != "quick":
                raise ValueError(
                    "--input audits a series and judges no claim: it goes with --window, "
                    "--seed and --json alone"
                )
            _audit(input, window, seed, json)
            return
        chosen = {"tier": tier, "seed": seed, "samples": samples}
        ids, drawn = tuple(claim or ()), not no_figures
        _verify(paper, ids, chosen, report, json, device, yes, drawn)


def _verify(
    paper: str | None,
    ids: tuple[str, ...],
    how: dict[str, Any],
    report: Path | None,
    json: Path | None,
    device: str,
    yes: bool,
    drawn: bool,
) -> None:
    from sigprop.ledger.entries import write_json
    from sigprop.ledger.terminal import outcome, summary
    from theory.claims import select

    compile_quickly()
    out, chosen = console(report, json), select(paper, ids)
    _forecast(chosen, how, device, yes)
    run, loaded = _judge(chosen, how, device, out)
    show_table(out, summary(run))
    out.print(
        "Routes: sym symbolic proof, ref brute-force sum, imp impulse through the JAX "
        "recurrence, ad autodiff, cf stable closed form, mc Monte Carlo, others by name. "
        "The interval spans the grid's own, at level 1e-7 each.\n"
    )
    out.print(outcome(run, loaded))
    if json is not None:
        write_json(json, run.claims)
        if drawn:
            overview_beside(json, run, out)
    if report is not None:
        from sigprop.ledger.report import write_report

        write_report(report, with_overview(run) if drawn else run)
        out.print(f"Report: {report}")
    if not run.as_expected:
        raise typer.Exit(UNEXPECTED)


def _forecast(chosen: Any, how: dict[str, Any], device: str, yes: bool) -> None:
    """Say what more trajectories than usual will take, and refuse what is too much."""
    if how["samples"] is None and how["tier"] == "quick":
        return
    from sigprop.cli.judged import row
    from sigprop.judge.forecast import allow, of_rows
    from sigprop.numerics.devices import use_device

    with use_device(device):
        rows = [row(claim.id) for claim in chosen]
        forecast = of_rows(rows, how["tier"], how["samples"])
    remedy = "lower --samples, judge fewer claims, or add --yes"
    allow(forecast, remedy, yes=yes, say=lambda line: typer.echo(line, err=True))


def _judge(
    chosen: Any, how: dict[str, Any], device: str, out: Console
) -> tuple[Any, float]:
    """Judge claims under a bar on ``out``, and hold them against what they announce.

    Returns the ledger, and the seconds that imports took before it.
    """
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    began = time.perf_counter()
    from sigprop.cli.judged import row
    from sigprop.judge.run import verify as judge_rows
    from sigprop.ledger.entries import announced
    from sigprop.numerics.devices import use_device

    loaded = time.perf_counter() - began
    columns = (
        TextColumn("{task.description:<24}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with (
        use_device(device),
        Progress(*columns, console=out, transient=True) as bar,
    ):
        stages: dict[str, Any] = {}

        def progress(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bar.add_task(stage, total=total)
            bar.update(stages[stage], completed=done, total=total)

        rows = [row(claim.id) for claim in chosen]
        run = judge_rows(rows, progress=progress, again=row, **how)
    return announced(run, chosen), loaded


def _audit(path: Path, window: int, seed: int, json: Path | None) -> None:
    import json as encoder

    from sigprop.audit.series import load_series
    from sigprop.audit.series_moments import audit_series, rows_json
    from sigprop.audit.series_summary import conclusion, table
    from sigprop.numerics.files import write_text

    series = load_series(path, window)
    out = console(json)
    for note in series.notes:
        out.print(f"note: {note}", soft_wrap=True)
    rows = audit_series(series, seed=seed)
    show_table(out, table(rows), keys=2)
    out.print(conclusion(rows))
    if json is not None:
        write_text(json, encoder.dumps(rows_json(rows), indent=2) + "\n")


@app.command()
def ledger(
    paper: Annotated[str | None, typer.Option(help=PAPER_HELP)] = None,
    status: Annotated[
        str | None, typer.Option(help="Show only this status, e.g. refuted.")
    ] = None,
    json: Annotated[Path | None, typer.Option(help=JSON_HELP)] = None,
    html: Annotated[
        Path | None,
        typer.Option(help="Write the site here: overview, errata, a page a row."),
    ] = None,
    seed: Annotated[int, typer.Option(help="Moves every simulation.")] = 0,
    no_figures: NoFigures = False,
) -> None:
    """Judge every statement of the papers and list it with its status."""
    with plain_errors("nothing was written", json, html):
        import dataclasses

        from sigprop.ledger.entries import write_json
        from sigprop.ledger.overview import PICTURES
        from sigprop.ledger.site import page_names, require_free, write_site
        from sigprop.ledger.terminal import ledger_table, outcome
        from sigprop.numerics.files import require_writable
        from theory.claims import Status, registry, select

        require_seed(seed)
        require_distinct(json=json, html=html)
        status = status and status.casefold()
        if status is not None and status not in set(Status):
            words = ", ".join(Status)
            raise ValueError(f"need a status in {words}, got {status!r}")
        if json is not None:
            require_writable(json)
        chosen = select(paper)
        if html is not None:  # which pages a status has, the verdicts will say
            names = page_names(claim.id for claim in chosen if status is None)
            require_free(html, [*names, *([] if no_figures else PICTURES)])
        how = {"tier": "quick", "seed": seed, "samples": None}
        out = console(json)
        compile_quickly()
        run, loaded = _judge(chosen, how, "cpu", out)
        shown = [entry for entry in run.claims if status in (None, entry.status)]
        show_table(out, ledger_table(shown))
        counts = Counter(entry.status for entry in run.claims)
        out.print("\n" + ", ".join(f"{n} {word}" for word, n in counts.items()) + ".")
        out.print(outcome(run, loaded))
        if json is not None:
            write_json(json, shown)
        if html is not None:
            from sigprop.cli.gallery import describe

            run = run if no_figures else with_overview(run)
            pictures = describe({entry.id: entry.status for entry in shown})
            write_site(html, dataclasses.replace(run, claims=tuple(shown)), pictures)
        statuses = {entry.id: str(entry.status) for entry in run.claims}
        if set(statuses) == set(registry()):
            _keep(statuses, seed)
        raise typer.Exit(EXPECTED if run.as_expected else UNEXPECTED)


def _keep(found: dict[str, str], seed: int) -> None:
    """Leave the statuses to the figures; what cannot be written is said, no more."""
    from experiments import statuses

    try:
        statuses.keep(found, seed)
    except OSError as error:
        aside(f"figures will not know of these statuses: {error}")


@app.command()
def claims(
    paper: Annotated[str | None, typer.Option(help=PAPER_HELP)] = None,
    json: Annotated[Path | None, typer.Option(help=JSON_HELP)] = None,
) -> None:
    """List every claim with its source and expected status."""
    with plain_errors("nothing was written", json):
        import json as encoder

        from sigprop.ledger.terminal import status_word
        from sigprop.numerics.files import require_writable, write_text
        from theory.claims import select

        if json is not None:
            require_writable(json)
        chosen = select(paper)
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("claim", "kind", "status", "title", "source"):
            table.add_column(name, no_wrap=name in ("claim", "status"))
        for claim in chosen:
            word = status_word(claim.expected)
            table.add_row(claim.id, claim.kind, word, claim.title, claim.locator)
        show_table(console(json), table)
        if json is not None:
            from sigprop.cli.judged import row
            from sigprop.ledger.catalogue import as_json

            rows = [as_json(row(claim.id)) for claim in chosen]
            write_text(json, encoder.dumps(rows, indent=2, ensure_ascii=False) + "\n")


@app.command()
def show(
    claim: Annotated[str, typer.Argument(help="An id from `sigprop claims`.")],
) -> None:
    """Show one claim: statement, source, derivation, code, routes, grid, mutants."""
    with plain_errors():
        from figures.catalogue import of_rows
        from sigprop.cli.judged import row
        from sigprop.ledger.catalogue import describe

        compile_quickly()
        found = row(claim)
        out = console()
        out.print(describe(found), soft_wrap=True)
        if figure := of_rows().get(found.claim.id):
            out.print(f"\nfigure      sigprop figure {figure}", soft_wrap=True)


@app.command()
def models(
    paper: Annotated[
        str | None, typer.Option(help="Only this paper: lru, rotrnn, blur, zucchet.")
    ] = None,
) -> None:
    """List the papers' networks with the real parameters of each part."""
    with plain_errors():
        import equinox as eqx
        import jax

        from sigprop.networks import all_presets, build, parameter_table

        presets = all_presets()
        papers = dict.fromkeys(name.split("-")[0] for name in presets)
        if paper is not None and paper.casefold() not in papers:
            raise ValueError(f"need a paper in {', '.join(papers)}, got {paper!r}")
        paper = paper and paper.casefold()
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("network", "blocks x width, state"):
            table.add_column(name, no_wrap=True)
        for name, config in presets.items():
            if paper not in (None, name.split("-")[0]):
                continue
            network, _ = eqx.filter_eval_shape(build, jax.random.key(0), config)
            counts = parameter_table(network)
            if len(table.columns) == 2:
                for part in counts:
                    table.add_column(part, justify="right", no_wrap=True)
            size = f"{config.depth} x {config.width}, {config.state_size}"
            table.add_row(name, size, *(f"{n:,}" for n in counts.values()))
        show_table(console(), table)
