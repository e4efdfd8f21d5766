"""``sigprop claims`` and ``sigprop show``: rows of the ledger, without judging them."""

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from sigprop.cli.console import console, plain_errors, show_table
from sigprop.cli.help import JSON_HELP, PAPER_HELP
from sigprop.numerics.compilation import compile_quickly


def claims(
    paper: Annotated[str | None, typer.Option(help=PAPER_HELP)] = None,
    json: Annotated[Path | None, typer.Option(help=JSON_HELP)] = None,
) -> None:
    """List all claims with source and expected verdict."""
    with plain_errors("nothing was written", json):
        import json as encoder

        from sigprop.ledger.terminal import status_text
        from sigprop.numerics.files import require_writable, write_text
        from sigprop.theory.claims import select

        if json is not None:
            require_writable(json)
        chosen = select(paper)
        table = Table(box=None, pad_edge=False, header_style="bold")
        for name in ("claim", "kind", "status", "title", "source"):
            table.add_column(name, no_wrap=name in ("claim", "status"))
        for claim in chosen:
            status = status_text(claim.expected)
            table.add_row(claim.id, claim.kind, status, claim.title, claim.locator)
        show_table(console(json), table)
        if json is not None:
            from sigprop.experiments.rows import row
            from sigprop.ledger.catalogue import as_json

            rows = [as_json(row(claim.id)) for claim in chosen]
            write_text(json, encoder.dumps(rows, indent=2, ensure_ascii=False) + "\n")


def show(
    claim: Annotated[
        str, typer.Argument(help="Identifier of a claim, as `sigprop claims` lists it.")
    ],
) -> None:
    """Print one claim with its derivation, code and evidence."""
    with plain_errors():
        from sigprop.experiments.rows import row
        from sigprop.figures.catalogue import of_rows
        from sigprop.ledger.catalogue import describe

        compile_quickly()
        claim_row = row(claim)
        out = console()
        out.print(describe(claim_row), soft_wrap=True)
        if figure := of_rows().get(claim_row.claim.id):
            out.print(f"\nfigure      sigprop figure {figure}", soft_wrap=True)
