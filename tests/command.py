"""Calling the command line as a user does, in this process."""

from typer.testing import CliRunner

from sigprop.cli import console
from sigprop.cli import main as cli


def sigprop(*arguments):
    return CliRunner().invoke(cli.app, [str(argument) for argument in arguments])


def ran(*arguments, status=console.EXPECTED):
    """Return the result of a command that ends with this status."""
    done = sigprop(*arguments)
    assert done.exit_code == status, done.output
    return done


def refused(*arguments):
    """The one line of a command that refuses its input."""
    done = sigprop(*arguments)
    assert done.exit_code == console.BAD_INPUT, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    (line,) = done.stderr.splitlines()
    return line
