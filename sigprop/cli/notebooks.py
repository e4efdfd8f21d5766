"""``sigprop notebooks``: the notebooks, run and written as pages that read offline."""

from pathlib import Path
from typing import Annotated, Any

import typer

from sigprop.cli.console import console, plain_errors
from sigprop.numerics.extras import extra


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
        with extra("notebooks", "notebooks"):
            import ipykernel  # noqa: F401  of the process that runs the cells
            import jupytext  # noqa: F401
            import nbclient  # noqa: F401
            import nbconvert  # noqa: F401

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
