"""Packages that a plain install leaves out, and the extras that bring them."""

from collections.abc import Iterator
from contextlib import contextmanager


def command(name: str) -> str:
    """The command that installs an extra of ``pyproject.toml``.

    >>> command("data")
    "`pip install 'sigprop[data]'`"
    """
    return f"`pip install 'sigprop[{name}]'`"


@contextmanager
def extra(name: str, purpose: str) -> Iterator[None]:
    """Import packages of an extra inside this block.

    Args:
        name: Name of the extra in ``pyproject.toml``.
        purpose: What needs the packages, for the message.

    Raises:
        ModuleNotFoundError: If a package is not installed, naming it and the extra.

    >>> with extra("data", "digits"):
    ...     import missing
    Traceback (most recent call last):
    ModuleNotFoundError: need missing for digits, got none; run `pip install 'sigprop[data]'`
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "sigprop").partition(".")[0]
        if package == "sigprop":  # our own words, or a module of ours
            raise
        raise ModuleNotFoundError(
            f"need {package} for {purpose}, got none; run {command(name)}"
        ) from error
