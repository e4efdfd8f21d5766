"""``sigprop notebooks``: the notebooks, run and written as pages that read offline."""

from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any

import typer

from sigprop.cli.console import console, plain_errors

NEEDED = ("ipykernel", "jupytext", "nbclient", "nbconvert")


def notebooks(
    folder: Annotated[
        Path, typer.Argument(help="Folder for the pages; created if needed.")
    ],
    source: Annotated[
        Path | None,
        typer.Option(help="Folder of your own notebooks. Default: sigprop's."),
    ] = None,
) -> None:
    """Run the notebooks and write them as web pages."""
    with plain_errors("no page was written", folder, source):
        missing = [name for name in NEEDED if find_spec(name) is None]
        if missing:
            raise ValueError(
                f"need {', '.join(NEEDED)}, got no {', '.join(missing)}; install them with "
                "`pip install sigprop[notebooks]`"
            )
        from sigprop.ledger import notebooks as made
        from sigprop.numerics.files import write_text

        found = {name: made.read(path) for name, path in made.find(source).items()}
        made.check(found)
        made.require_free(folder, found)
        out = console()
        _run(found, out)
        for name, page in made.pages(found).items():
            write_text(folder / name, page)
        out.print(f"{len(found)} notebooks: {folder / made.INDEX}", soft_wrap=True)


def _run(found: dict[str, Any], out: Any) -> None:
    """Run all under a bar that counts cells."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from sigprop.ledger.notebooks import cells, run

    columns = (
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("cells"),
    )
    with Progress(*columns, console=out, transient=True) as bar:
        whole = bar.add_task("", total=sum(map(cells, found.values())))
        for name, one in found.items():
            bar.update(whole, description=name)
            try:
                run(one, lambda: bar.advance(whole))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
