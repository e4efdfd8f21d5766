"""What every command shares: where it prints, and how it fails."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer
from rich.console import Console

from sigprop.interruption import INTERRUPTED

EXPECTED, UNEXPECTED, BAD_INPUT = 0, 1, 2


def console(*files: Path | None) -> Console:
    """Output, wide enough for a table when it goes to a file.

    Args:
        files: What the command writes; where ``-`` is one of them, that has standard
            output to itself, and all else goes to standard error.
    """
    aside = Path("-") in files
    stream = sys.stderr if aside else sys.stdout
    width = None if stream.isatty() else 150
    return Console(width=width, highlight=False, stderr=aside)


@contextmanager
def plain_errors(interrupted: str = "nothing was written") -> Iterator[None]:
    """Bad input is one message and status 2; an interruption is status 130.

    Args:
        interrupted: What an interruption leaves behind.
    """
    try:
        yield
    except KeyboardInterrupt:
        typer.echo(f"interrupted; {interrupted}", err=True)
        raise typer.Exit(INTERRUPTED) from None
    except (ValueError, KeyError, FileNotFoundError, ConnectionError) as error:
        message = error.args[0] if isinstance(error, KeyError) else error
        typer.echo(f"sigprop: {message}", err=True)
        raise typer.Exit(BAD_INPUT) from None
