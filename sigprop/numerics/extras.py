"""Optional packages, and the extras that install them."""

from collections.abc import Iterator
from contextlib import contextmanager


def command(name: str) -> str:
    """Command that installs an extra of ``pyproject.toml``.

    >>> command("data")
    "`pip install 'sigprop[data]'`"
    """
    return f"`pip install 'sigprop[{name}]'`"


@contextmanager
def extra(name: str, purpose: str) -> Iterator[None]:
    """Context in which to import packages of an extra.

    Args:
        name: Name of the extra in ``pyproject.toml``.
        purpose: Feature that needs the packages, for the message.

    Raises:
        ModuleNotFoundError: If a package is not installed.  The message has its name and
            the command that installs the extra.

    >>> with extra("data", "digits"):
    ...     import missing
    Traceback (most recent call last):
    ModuleNotFoundError: need missing for digits, got none; run `pip install 'sigprop[data]'`
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "sigprop").partition(".")[0]
        if package == "sigprop":  # an error of sigprop itself
            raise
        raise ModuleNotFoundError(
            f"need {package} for {purpose}, got none; run {command(name)}"
        ) from error
