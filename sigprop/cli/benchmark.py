"""``sigprop benchmark``: statements for a reviewer to judge, and scores."""

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.table import Table

from sigprop.cli.console import console, plain_errors, require_distinct, show_table
from sigprop.cli.help import JSON_HELP, PAPER_HELP, Commands
from sigprop.numerics.seeds import require_seed

benchmark = typer.Typer(
    name="benchmark",
    cls=Commands,
    no_args_is_help=True,
    help="Write statements for a reviewer to judge, and score the answers.",
)


@benchmark.command()
def write(
    folder: Annotated[Path, typer.Argument(help="New folder for the statements.")],
    paper: Annotated[str | None, typer.Option(help=PAPER_HELP)] = None,
    planted: Annotated[
        int, typer.Option(help="Number of deliberate errors added.")
    ] = 0,
    seed: Annotated[int, typer.Option(help="Seed of the deliberate errors.")] = 0,
) -> None:
    """Write statements without verdicts; some can be wrong on purpose."""
    with plain_errors("nothing was written", folder):
        from sigprop.ledger.benchmark import ANSWERS, Benchmark
        from sigprop.ledger.benchmark import write as write_statements
        from sigprop.theory.claims import select

        require_seed(seed)
        if planted < 0:
            raise ValueError(f"need planted >= 0, got {planted}")
        wanted = Benchmark(planted=planted, seed=seed)
        if paper is not None:
            papers = {claim.paper for claim in select(paper)}
            wanted = Benchmark(tuple(papers), planted, seed)
        count = write_statements(folder, wanted)
        console().print(
            f"{count} statements to judge in {folder}, {planted} of them with a "
            f"deliberate error. Fill in {ANSWERS}, then run "
            f"`sigprop benchmark score {folder / ANSWERS}`.",
            soft_wrap=True,
        )


@benchmark.command()
def score(
    answers: Annotated[
        Path, typer.Argument(help="The completed answers.json of a benchmark.")
    ],
    json: Annotated[Path | None, typer.Option(help=JSON_HELP)] = None,
) -> None:
    """Score a reviewer's verdicts on the claims of a benchmark."""
    with plain_errors("nothing was written", answers, json):
        import json as encoder

        from sigprop.ledger.benchmark import as_json, mark, questions, read_answers
        from sigprop.numerics.files import require_writable, write_text

        require_distinct(answers=answers, json=json)
        if json is not None:
            require_writable(json)
        asked, answers_by_id = read_answers(answers)
        marks = mark(questions(asked), answers_by_id)
        out = console(json)
        show_table(out, _table(marks))
        out.print("\n" + "\n".join(_summary(marks)), soft_wrap=True)
        for one in marks.differences:
            out.print("\n" + "\n".join(_difference(one)), soft_wrap=True)
        if json is not None:
            write_text(json, encoder.dumps(as_json(marks), indent=2) + "\n")


def _summary(marks: Any) -> list[str]:
    """The score and its parts in sentences."""
    from sigprop.ledger.benchmark import CHANCE

    low, high = marks.specificity.interval
    missing = sum(marks.unanswered)
    return [
        f"Balanced accuracy {marks.balanced:.2f} over answered statements, "
        f"{marks.balanced_of_all:.2f} over all ({missing} unanswered). Chance is "
        f"{CHANCE}: who calls every statement wrong, or none, gets {CHANCE}.",
        f"Specificity: {marks.specificity.hits} of {marks.specificity.of} answered "
        f"statements that are right were called right (95 % interval {low:.2f} to "
        f"{high:.2f}).",
        f"Precision: {marks.precision.hits} of {marks.precision.of} accused statements "
        f"are not right; {marks.base_rate:.0%} of the answered statements are not.",
        f"Agreement: {marks.agreement.hits} of {marks.agreement.of} answers are the "
        f"ledger's word; {len(marks.differences)} differ"
        + (", with both reasons below." if marks.differences else "."),
    ]


def _difference(one: Any) -> list[str]:
    """A statement with different verdicts of reviewer and ledger, and both reasons."""
    return [
        f"{one.id}: you say {one.answer}, the ledger says {one.truth} ({one.source})",
        f"  statement   {one.statement}",
        f"  our reason  {one.ours}",
        f"  yours       {one.theirs or 'none given'}",
    ]


def _table(marks: Any) -> Table:
    """Errors found by class, out of the answered ones and out of all."""
    from sigprop.ledger.benchmark import PLANTED
    from sigprop.theory.errata import CLASSES

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("errors", no_wrap=True)
    for head in ("found of answered", "found of all", "above chance"):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column("meaning", no_wrap=False)
    meanings = {
        **CLASSES,
        "all": "all statements that are wrong or conditional",
        PLANTED: "a deliberate error that we added",
    }
    for kind, found in marks.found.items():
        table.add_row(
            kind,
            f"{found.hits} of {found.answered}",
            f"{found.hits} of {found.of}",
            f"{marks.above_chance(kind):+.2f}" if found.answered else "-",
            meanings.get(kind, "errors without a class"),
        )
    return table
