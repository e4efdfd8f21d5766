"""``sigprop table``: what the papers print, and what we found beside it."""

from typing import Annotated

import typer
from rich.table import Table

from sigprop.cli.console import console, plain_errors


def tables(
    name: Annotated[
        str | None, typer.Argument(help="A table, e.g. lru-7; all are listed if none.")
    ] = None,
    preset: Annotated[
        str, typer.Option(help="Of our results: quick or paper (full size).")
    ] = "paper",
) -> None:
    """Show a table of the papers with ours beside it, and where orders differ."""
    with plain_errors():
        from experiments.tables import TABLES, results, table

        if name is not None:
            console().print(table(name.casefold(), preset))
            return
        listed = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("table", "source", "title", "beside it"):
            listed.add_column(column)
        for key, published in TABLES.items():
            beside = ", ".join(results(key))
            listed.add_row(key, published.source, published.title, beside)
        console().print(listed)
