"""Pictures beside what a command prints: drawn by ``figures``, and never in its way."""

from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from sigprop.cli.console import aside
from sigprop.cli.help import version

NoFigures = Annotated[bool, typer.Option("--no-figures", help="Draw no picture.")]


def picture(path: Path, draw: Callable[[], Any], out: Console, made_by: str) -> None:
    """Draw a PNG and say where it is; if that fails, say why, and lose nothing else.

    Args:
        path: Of the picture.
        draw: Makes the Matplotlib figure.
        out: Where its path is printed.
        made_by: The command; stands below the picture and in its metadata.
    """
    try:
        from figures import style

        origin = f"{made_by}; {version()}"
        style.save(draw(), path.stem, path.parent, ("png",), made_by, origin)
    except Exception as error:
        aside(f"sigprop: {path} was not drawn: {type(error).__name__}: {error}")
        return
    out.print(str(path), soft_wrap=True)
