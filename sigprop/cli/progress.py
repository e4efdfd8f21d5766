"""A line for a training on the screen, as it goes on."""

from typing import Any

from sigprop.cli.console import console


def progress_bar() -> Any:
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
