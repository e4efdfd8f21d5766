"""A line for a training on the screen, as it goes on."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import typer

from sigprop.cli.console import UNEXPECTED, aside, console


@contextmanager
def shown_training(title: str, recipe: Any, folder: Path) -> Iterator[tuple[Any, Any]]:
    """Show a training as it goes on, and end the command where it diverges.

    Args:
        title: What is trained.
        recipe: How many steps there are, and how many go together.
        folder: Folder of the training.

    Yields:
        What is to be told of segments and of the last measurements, and what of anything
        that comes after them.
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
    """Name the options that change a preset, to follow the preset's name.

    Example:
        >>> changes(60, None, "float32")
        ', 60 steps'
    """
    text = "" if steps is None else f", {steps} steps"
    text += "" if rate is None else f", rate {rate:g}"
    return text if matmul == "float32" else f"{text}, {matmul}"


def _progress_bar() -> Any:
    """Steps of a training as they are taken, and what was measured last."""
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
