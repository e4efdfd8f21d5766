"""Options of the command line: which there are, and which have a test of their effect."""

from collections.abc import Callable, Iterator
from typing import Any

import typer

from sigprop.cli.main import app

HELP = "--help"
TESTED: dict[tuple[str, str], str] = {}
"""The test of each option, by its command and its name."""


def all_options() -> set[tuple[str, str]]:
    """Every option of every command, as the command line itself has them."""
    options = set(_options(typer.main.get_command(app), ""))
    return {(command, name) for command, name in options if name != HELP}


def _options(command: Any, prefix: str) -> Iterator[tuple[str, str]]:
    for parameter in command.params:
        if parameter.param_type_name == "option":
            yield prefix, max(parameter.opts, key=len)
    for name, inner in getattr(command, "commands", {}).items():
        yield from _options(inner, f"{prefix} {name}".strip())


def option(command: str, *names: str) -> Callable[[Any], Any]:
    """Say that a test shows how the result changes with the value of these options."""

    def mark(test: Any) -> Any:
        for name in names:
            TESTED.setdefault((command, name), test.__qualname__)
        return test

    return mark
