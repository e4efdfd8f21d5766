"""``sigprop sweep run | status | check | track``: many trainings in files."""

import time
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sigprop.cli.console import UNEXPECTED, aside, console, plain_errors, show_table
from sigprop.cli.help import Commands
from sigprop.cli.pictures import NoFigures, picture

sweeps = typer.Typer(
    name="sweep",
    cls=Commands,
    no_args_is_help=True,
    help="Run the grids of trainings behind the figures.",
)
Name = Annotated[str, typer.Argument(help="Name of a sweep, e.g. memory_gap.")]
Either = Annotated[
    str, typer.Argument(help="Name of a sweep or study, e.g. memory_gap.")
]
Preset = Annotated[
    str,
    typer.Option(
        help="smoke (seconds), quick (minutes) or paper (hours); some studies also have "
        "full, the paper's own size."
    ),
]


def _shard(text: str) -> tuple[int, int]:
    parts = text.split("/")
    if len(parts) != 2 or not all(part.isdecimal() for part in parts):
        raise ValueError(f"need --shard i/n, such as 0/4, got {text!r}")
    return int(parts[0]), int(parts[1])


@sweeps.command()
def run(
    name: Either,
    preset: Preset = "quick",
    workers: Annotated[
        int,
        typer.Option(help="Number of worker processes; 0 uses the present process."),
    ] = 0,
    scheduler: Annotated[
        str | None,
        typer.Option(help="Address of a Dask scheduler that runs the trainings."),
    ] = None,
    shard: Annotated[
        str, typer.Option(help="i/n runs every n-th chunk from i on, for job arrays.")
    ] = "0/1",
    no_figures: NoFigures = False,
) -> None:
    """Run what is missing of a sweep, or a study, and collect the results.

    Repeat the command to resume after an interruption; several processes may share a
    sweep. Losses against the learning rate are drawn in the figures folder as
    sweep-NAME-PRESET.png.
    """
    with plain_errors("repeat the command to resume"):
        from rich.progress import (
            BarColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
            TimeElapsedColumn,
            TimeRemainingColumn,
        )

        from sigprop.experiments import store, studies, sweep
        from sigprop.numerics.files import require_folder

        part = _shard(shard)
        if workers < 0:
            raise ValueError(f"need --workers of at least 0, got {workers}")
        if studies.is_study(name):
            if workers or scheduler or part != (0, 1):
                raise ValueError(
                    f"need no --workers, --scheduler or --shard for {name}: a study runs "
                    "in one process"
                )
            _run_study(name, preset)
            return
        chosen = sweep.chunks(name, preset, part)
        require_folder(store.folder())
        missing = sum(sweep.missing_of(chosen).values())
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        began = time.perf_counter()
        with Progress(*columns, console=console()) as bar:
            cells = bar.add_task(f"{name} ({preset})", total=missing)
            file = sweep.run(
                name,
                preset,
                workers=workers,
                scheduler=scheduler,
                shard=part,
                report=lambda done: bar.update(cells, completed=int(done)),
            )
        done, total = sweep.count(name, preset)
        seconds = time.perf_counter() - began
        out = console()
        out.print(
            f"{done} of {total} cells are stored; {missing} of them took {seconds:.1f} s"
        )
        if done == total:
            out.print(sweep.findings(file), soft_wrap=True)
        out.print(str(file), soft_wrap=True)
        if done == total and file is not None and not no_figures:
            _draw(name, preset, store.read(file), out)


def _run_study(name: str, preset: str) -> None:
    from sigprop.experiments import store
    from sigprop.experiments.command import make
    from sigprop.numerics.files import require_folder

    require_folder(store.folder())
    console().print(str(make(name, preset, progress=aside)), soft_wrap=True)


def _draw(name: str, preset: str, result: Any, out: Console) -> None:
    """Draw losses against the learning rate, if a sweep has several rates."""
    if "log_rate" not in result.coords or len(set(result["log_rate"].values)) < 2:
        return
    from sigprop.figures import style

    def draw() -> Any:
        from sigprop.figures import scans

        return scans.draw(result, f"{name}, preset {preset}")

    picture(style.folder() / f"sweep-{name}-{preset}.png", draw, out)


@sweeps.command()
def status(
    name: Annotated[
        str | None, typer.Argument(help="Name of a sweep. Default: all.")
    ] = None,
    preset: Preset = "quick",
) -> None:
    """Count the finished trainings of a sweep."""
    with plain_errors():
        from sigprop.experiments import studies, sweep

        table = Table(box=None, pad_edge=False, header_style="bold")
        for column in ("sweep", "stored", "cells", "under way"):
            table.add_column(column, justify="left" if column == "sweep" else "right")
        for key in [name] if name else studies.sweeps():
            done, total = sweep.count(key, preset)
            open_ = sum(
                chunk.checkpoint().is_file() for chunk in sweep.chunks(key, preset)
            )
            table.add_row(key, str(done), str(total), f"{open_} chunks")
        show_table(console(), table)


@sweeps.command()
def check(name: Name, preset: Preset = "quick") -> None:
    """Read all stored trainings and set damaged files aside."""
    with plain_errors():
        from sigprop.experiments import sweep

        out = console()
        aside = list(sweep.damaged(name, preset))
        for file, error in aside:
            out.print(f"{error}\nset aside as {file}", soft_wrap=True, markup=False)
        done, total = sweep.count(name, preset)
        out.print(
            f"{done} of {total} cells are stored and sound, {len(aside)} were not"
        )
        if aside:
            raise typer.Exit(UNEXPECTED)


@sweeps.command()
def track(name: Either) -> None:
    """Copy a result at the preset paper into the repository."""
    with plain_errors():
        from sigprop.experiments import command

        console().print(str(command.track(name)), soft_wrap=True)
