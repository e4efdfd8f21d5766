"""Progress bar of a training, with the last measurements."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from sigprop.cli.console import UNEXPECTED, aside, console


@contextmanager
def shown_training(title: str, recipe: Any, folder: Path) -> Iterator[tuple[Any, Any]]:
    """Show the progress of a training, and end the command if the training diverges.

    Args:
        title: Description of the training.
        recipe: Recipe, with the number of steps and the steps per segment.
        folder: Folder of the training.

    Yields:
        Two functions.  The first shows finished segments and the last measurements; the
        second shows a text after the training.
    """
    from sigprop.training.segments import Diverged

    try:
        with _progress_bar() as bar:
            line = bar.add_task(title, total=recipe.optimiser.steps, last="")

            def tell(text: str) -> None:
                bar.update(line, last=text)

            def progress(done: int, last: Mapping[str, float]) -> None:
                bar.update(line, completed=done * recipe.segment)
                tell("  ".join(f"{name} {value:.4g}" for name, value in last.items()))

            yield progress, tell
            bar.update(line, completed=recipe.optimiser.steps)
    except Diverged as error:
        aside(
            f"sigprop: {error}; the last checkpoint is in {folder}; try a smaller "
            "--rate in a new --out"
        )
        raise typer.Exit(UNEXPECTED) from None


def changes(steps: int | None, rate: float | None, matmul: str) -> str:
    """Text that names the options that change a preset, to append to the preset's name.

    Example:
        >>> changes(60, None, "float32")
        ', 60 steps'
    """
    text = "" if steps is None else f", {steps} steps"
    text += "" if rate is None else f", rate {rate:g}"
    return text if matmul == "float32" else f"{text}, {matmul}"


def _progress_bar() -> Any:
    """Progress bar with the number of steps and the last measurements."""
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed}/{task.total} steps"),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        TextColumn("{task.fields[last]}"),
    )
    return Progress(*columns, console=console())
