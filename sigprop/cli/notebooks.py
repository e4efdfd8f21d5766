"""``sigprop notebooks``: executed notebooks as web pages that need no network."""

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

        documents = {name: made.read(path) for name, path in made.find(source).items()}
        made.check(documents)
        made.require_free(folder, documents)
        out = console()
        _run(documents, out)
        for name, page in made.pages(documents).items():
            write_text(folder / name, page)
        out.print(f"{len(documents)} notebooks: {folder / made.INDEX}", soft_wrap=True)


def _run(documents: dict[str, Any], out: Any) -> None:
    """Run all notebooks under a progress bar that counts cells."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    from sigprop.ledger.notebooks import cells, run

    columns = (
        TextColumn("{task.description:<28}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("cells"),
    )
    with Progress(*columns, console=out, transient=True) as bar:
        bar_task = bar.add_task("", total=sum(map(cells, documents.values())))
        for name, document in documents.items():
            bar.update(bar_task, description=name)
            try:
                run(document, lambda: bar.advance(bar_task))
            except ValueError as error:
                raise ValueError(f"{name}: {error}") from error
