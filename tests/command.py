"""Calling the command line as a user does, in this process."""

from typer.testing import CliRunner

from sigprop.cli import console
from sigprop.cli import main as cli


def sigprop(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def ran(*arguments, status=console.EXPECTED):
    """Return the result of a command that ends with this status."""
    result = sigprop(*arguments)
    assert result.exit_code == status, result.output
    return result


def refused(*arguments):
    """The one line of a command that refuses its input."""
    result = sigprop(*arguments)
    assert result.exit_code == console.BAD_INPUT, result.output
    assert result.exception is None or isinstance(result.exception, SystemExit)
    (line,) = result.stderr.splitlines()
    return line
