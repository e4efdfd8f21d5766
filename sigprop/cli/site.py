"""``sigprop site``: the website with guides, notebooks, API, ledger and gallery."""

import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sigprop.cli.console import aside, console, plain_errors
from sigprop.numerics.extras import extra

if TYPE_CHECKING:
    from sigprop.ledger.gallery import Picture

KERNELS = 2  # notebooks that run at the same time

FIRST = (
    *("zucchet-1a", "zucchet-1bc", "zucchet-2", "zucchet-3", "zucchet-4", "zucchet-5"),
    *("lru-1", "lru-2", "lru-9", "lru-5", "rotrnn-3", "blur-4"),
)
"""Figures that stand first in the gallery: those for which the papers are known."""


def site(
    folder: Annotated[
        Path, typer.Argument(help="Folder of the site: new, empty, or an earlier site.")
    ],
    notebooks: Annotated[
        Path | None,
        typer.Option(
            help="Folder of pages that `sigprop notebooks` wrote. Default: run the "
            "notebooks, which takes minutes."
        ),
    ] = None,
) -> None:
    """Build the website: guides, notebooks, API, ledger and gallery."""
    with plain_errors("an earlier site is as it was", folder, notebooks):
        with extra("docs", "the site"):
            import ipykernel  # noqa: F401  of the process that runs the cells
            import jupytext  # noqa: F401
            import nbclient  # noqa: F401
            import nbconvert  # noqa: F401

            from sigprop.ledger import notebooks as made
            from sigprop.ledger.website import build, pages

            build.require_sphinx()
        build.require_site(folder)
        written = made.written(notebooks) if notebooks else {}
        paths = {} if written else made.find()
        out = console()
        with tempfile.TemporaryDirectory() as scratch, out.status("") as shown:
            with _workers() as pool:
                running = {name: pool.submit(_run, one) for name, one in paths.items()}
                shown.update("drawing figures and running notebooks")
                pictures = _pictures()
                shown.update("writing the ledger and running notebooks")
                ledger = _ledger(pictures)
                shown.update("running notebooks")
                documents, failed = _finished(running, paths)
            shown.update("building the pages")
            files, beside = pages.of_ledger(ledger)
            files |= pages.of_notebooks(written or made.pages(documents), failed)
            gallery, images = pages.of_gallery(pictures, files)
            sources = Path(scratch) / "sources"
            sources.mkdir()
            build.write_sources(sources, files | gallery, beside | images)
            warnings = build.build(folder, sources)
        undrawn = [one.name for one in pictures if not one.png]
        for name in undrawn:
            aside(f"{name} is not drawn; `sigprop figure {name}` makes its result")
        for name, reason in failed.items():
            aside(f"{name} was not run: {reason}")
        for line in warnings.splitlines():
            aside(line)
        out.print(str(folder / "index.html"), soft_wrap=True)


@contextmanager
def _workers() -> Iterator[ThreadPoolExecutor]:
    """Threads that run notebooks; after an interruption no other notebook starts."""
    pool = ThreadPoolExecutor(KERNELS)
    try:
        yield pool
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def _run(path: Path) -> Any:
    from sigprop.ledger import notebooks

    return notebooks.run(notebooks.read(path))


def _finished(
    running: "Mapping[str, Future[Any]]", paths: Mapping[str, Path]
) -> tuple[dict[str, Any], dict[str, str]]:
    """The notebooks with their outputs, and the errors of those that failed.

    A notebook that failed has no outputs.
    """
    from sigprop.ledger.notebooks import read

    done: dict[str, Any] = {}
    failed: dict[str, str] = {}
    for name, future in running.items():
        try:
            done[name] = future.result()
        except ValueError as error:
            failed[name] = str(error)
            done[name] = read(paths[name])
    return done, failed


def _pictures() -> "Sequence[Picture]":
    """The figures in the order of the gallery, drawn if their results are stored."""
    from sigprop.cli.gallery import describe, with_picture
    from sigprop.experiments import statuses
    from sigprop.figures.catalogue import of_rows

    described = describe(statuses.current(of_rows()))
    described.sort(key=lambda one: _rank(one.name))
    return [with_picture(one) for one in described]


def _rank(name: str) -> int:
    return FIRST.index(name) if name in FIRST else len(FIRST)


def _ledger(pictures: "Sequence[Picture]") -> dict[str, str]:
    """The pages of the ledger and its data, from the stored verdicts."""
    from sigprop.cli.judged import stored
    from sigprop.cli.pictures import with_overview
    from sigprop.evidence.measurements import groups
    from sigprop.experiments.rows import shipped
    from sigprop.ledger.dependence import build
    from sigprop.ledger.site import render_site
    from sigprop.ledger.website import data
    from sigprop.theory.claims import registry

    figures = {row: one.name for one in pictures for row in one.rows}
    graph = build(dict(registry()))
    verdicts = stored()
    rendered = render_site(with_overview(verdicts), figures, graph, groups(shipped))
    return rendered | data.files(verdicts, rendered, graph.rests_on)
