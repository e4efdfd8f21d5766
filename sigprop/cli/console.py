"""Output and error handling that all commands share."""

import errno
import os
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console, ConsoleOptions
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Column, Table
from rich.text import Text

from sigprop.cli.help import ClickException
from sigprop.numerics.extras import extra
from sigprop.numerics.files import WRITTEN
from sigprop.numerics.interruption import INTERRUPTED, tell
from sigprop.numerics.text import plain

EXPECTED, UNEXPECTED, BAD_INPUT, DEFECT = 0, 1, 2, 3
TRACEBACK = "SIGPROP_TRACEBACK"  # environment variable: show tracebacks
WIDE = 160  # columns of a table in a file
SHOWN = 8  # largest number of files that are named
PROSE = 16  # smallest legible width of a column of words

REMEDIES = {
    errno.ENOENT: "check the path",
    errno.EACCES: "choose a place that you may read and write, or change its permissions",
    errno.EPERM: "choose a place that you may read and write, or change its permissions",
    errno.EROFS: "choose a place that can be written",
    errno.EEXIST: "a file stands where a folder is wanted: move it or choose another name",
    errno.ENOTDIR: "a file stands where a folder is wanted: move it or choose another name",
    errno.EISDIR: "add a file name to the folder",
    errno.ENOSPC: "free space on its disk, or choose a place on another one",
    errno.EDQUOT: "free space within your quota, or choose another place",
    errno.EFBIG: "choose a place that holds files of this size",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ELOOP: "a link leads back to itself: choose another path",
    errno.EMFILE: "raise the number of open files with `ulimit -n`",
    errno.ENOMEM: "close other programs, or ask for less at once",
}
OTHERWISE = "check the path and its disk"
LESS = "give less at once, or use a machine with more memory"


class PlainConsole(Console):
    """Console that prints strings literally, without markup and emoji codes.

    Control characters are escaped.  Coloured output is passed as a ``Text``.
    """

    def render_str(self, text: str, **more: Any) -> Text:
        """Render plain text as Rich does, after escaping control characters."""
        return super().render_str(plain(text), **more)


def console(*files: Path | None) -> Console:
    """Console for the output of a command.

    In a file, lines are wide enough for a table.  ``COLUMNS`` sets the width.

    Args:
        files: Files that the command writes.  If one is ``-``, that file gets standard
            output, and everything else is printed to standard error.
    """
    aside = Path("-") in files
    stream = sys.stderr if aside else sys.stdout
    width = None if stream.isatty() or "COLUMNS" in os.environ else WIDE
    return PlainConsole(
        width=width, highlight=False, markup=False, emoji=False, stderr=aside
    )


def show_table(out: Console, table: Table, keys: int = 1) -> None:
    """Print a table below its key; if the screen is too narrow, print a block per row.

    Args:
        out: Console.
        table: Table whose numbers are justified to the right.  Its caption explains the
            columns.
        keys: Number of first columns that form the header of a block.  An empty header
            repeats the previous one.
    """
    if table.caption:
        out.print(_text(table.caption))
        out.print()
        table.caption = None
    if fits(out, table):
        out.print(table)
        return
    if table.title:
        out.print(_text(table.title))
    cells = [[*map(_text, column.cells)] for column in table.columns]
    heads = [_text(column.header) for column in table.columns]
    for row in zip(*cells, strict=True):
        for depth, head in enumerate(row[:keys]):
            if head:
                out.print(
                    Padding(head, (0, 0, 0, 2 * depth), expand=False), style="bold"
                )
        _flow(out, 2 * keys, [*zip(heads[keys:], row[keys:], strict=True)])


def fits(out: Console, table: Table) -> bool:
    """Return True if the table fits, with no number cut and all words legible."""
    needed = [_needed(out, column) for column in table.columns]
    between = 2 * (len(needed) - 1) if table.box is None else 3 * len(needed) + 1
    if sum(needed) + between > out.width:
        return False
    numbers = [column.cells for column in table.columns if column.justify == "right"]
    if not numbers:
        return True
    shown = "".join(segment.text for segment in out.render(table))
    return all(_text(cell).plain in shown for cells in numbers for cell in cells)


def _needed(out: Console, column: Column) -> int:
    """Width that a column of a table needs.

    The headers of number columns can wrap.
    """
    parts = [*column.cells, ""]
    head = Measurement.get(out, _endless(out), column.header)
    widest = max(Measurement.get(out, _endless(out), part).maximum for part in parts)
    if column.no_wrap:
        return max(widest, head.maximum)
    if column.justify == "right":
        column.no_wrap = head.maximum <= widest
        return max(widest, head.minimum)
    return min(max(widest, head.maximum), PROSE)


def _endless(out: Console) -> ConsoleOptions:
    return out.options.update_width(10_000)


def _text(cell: Any) -> Text:
    return cell if isinstance(cell, Text) else Text(plain(str(cell)))


def _flow(out: Console, indent: int, pairs: list[tuple[Text, Text]]) -> None:
    """Print names and values in a row, with line breaks between pairs."""
    line = Text()
    for name, value in pairs:
        if not value:
            continue
        head = name.plain.replace("\n", " ")
        pair = Text.assemble((head, "dim"), " ", value) if head else value
        if line and indent + line.cell_len + 3 + pair.cell_len > out.width:
            out.print(Padding(line, (0, 0, 0, indent), expand=False))
            line = Text()
        line = Text.assemble(line, "   ", pair) if line else pair
    if line:
        out.print(Padding(line, (0, 0, 0, indent), expand=False))


def aside(line: str) -> None:
    """Print a line to standard error, unchanged."""
    typer.echo(plain(line), err=True)


def require_distinct(**files: Path | None) -> None:
    """Refuse the same file for two purposes, because one would overwrite the other.

    Args:
        files: Files by the names of their options.

    Raises:
        ValueError: If two options have the same file; names both options.
    """
    options: dict[Path, str] = {}
    for option, path in files.items():
        if path is None:
            continue
        target = path if path == Path("-") else Path(os.path.realpath(path))
        if target in options:
            raise ValueError(
                f"need a file for --{options[target]} and another for --{option}, got {path} "
                "for both; name another"
            )
        options[target] = option


def require_pages(option: str) -> None:
    """Check that the packages for web pages are installed.

    Raises:
        ModuleNotFoundError: If one is missing; names the extra ``site``.
    """
    with extra("site", option):
        import jinja2  # noqa: F401
        import latex2mathml  # noqa: F401


@contextmanager
def plain_errors(
    interrupted: str = "nothing was written", *files: Path | None
) -> Iterator[None]:
    """Turn errors into one message and an exit status.

    The status is 2 for bad input, 130 for an interruption and 3 for a defect of
    sigprop.  If the environment sets ``SIGPROP_TRACEBACK``, a defect raises its
    exception instead.

    Args:
        interrupted: Message after an interruption if no file was written.
        files: Files that the command reads and writes, for errors that name no file.
    """
    before = len(WRITTEN)
    try:
        yield
    except KeyboardInterrupt:
        tell(f"interrupted; {_left(WRITTEN[before:]) or interrupted}")
        raise typer.Exit(INTERRUPTED) from None
    except (BrokenPipeError, typer.Exit, typer.Abort, ClickException):
        raise  # the output was closed, or click ends the program
    except OSError as error:
        _refuse(_of_system(error, files))
    except (ValueError, KeyError) as error:
        if hasattr(error, "__notes__"):  # an error in a row, not in the input
            _report(error, files)
        _refuse(str(error.args[0] if isinstance(error, KeyError) else error))
    except OverflowError as error:
        _refuse(f"a number is too large to compute with: {error}; give a smaller one")
    except MemoryError as error:
        _refuse(_of_memory(error, files))
    except ImportError as error:
        if error.name is None:  # the message is from sigprop
            _refuse(str(error))
        if error.name.partition(".")[0] == "sigprop":
            _report(error, files)
        _refuse(f"need the package {error.name}, got: {error}; install it")
    except Exception as error:
        if "RESOURCE_EXHAUSTED" in str(error):
            _refuse(_of_memory(error, files))
        _report(error, files)


def _left(written: list[Path]) -> str:
    """Names of files that a command wrote before its interruption, if any."""
    names = [*dict.fromkeys(str(path) for path in written)]
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"written before: {plain(', '.join(names[:SHOWN]))}{more}" if names else ""


def _report(error: Exception, files: tuple[Path | None, ...]) -> NoReturn:
    """Print a defect, the files in use, and how to report it."""
    if os.environ.get(TRACEBACK):
        raise error
    names = _named(files)
    frame = traceback.extract_tb(error.__traceback__)[-1]
    notes = "".join(f" {note}" for note in getattr(error, "__notes__", ()))
    _end(
        f"a defect of sigprop at work{f' on {names}' * bool(names)}: "
        f"{type(error).__name__}: {error} ({Path(frame.filename).name}, line "
        f"{frame.lineno}){notes}; report this line with your command and files; "
        f"{TRACEBACK}=1 in the environment shows the traceback",
        DEFECT,
    )


def _refuse(message: str) -> NoReturn:
    _end(message, BAD_INPUT)


def _end(message: str, status: int) -> NoReturn:
    line = " ".join(plain(message).splitlines())
    typer.echo(f"sigprop: {line}", err=True)
    raise typer.Exit(status) from None


def _named(files: tuple[Path | None, ...]) -> str:
    return ", ".join(str(path) for path in files if path is not None)


def _of_system(error: OSError, files: tuple[Path | None, ...]) -> str:
    """Message for a system error: reason, place and remedy.

    Messages that sigprop itself raises are returned unchanged.
    """
    if error.errno is None and error.filename is None:
        if isinstance(error, FileNotFoundError | ConnectionError):
            return str(error)
        names = _named(files)
        return f"{error}; {OTHERWISE}" + f", of {names}" * bool(names)
    paths = [error.filename, error.filename2]
    where = " and ".join(str(_path(path)) for path in paths if path is not None)
    where = where or _named(files) or "a file"
    reason = error.strerror or str(error)
    return f"{where}: {reason}; {REMEDIES.get(error.errno or 0, OTHERWISE)}"


def _path(path: Any) -> Any:
    return path.decode(errors="replace") if isinstance(path, bytes) else path


def _of_memory(error: BaseException, files: tuple[Path | None, ...]) -> str:
    names = _named(files)
    at_work = f" at work on {names}" if names else ""
    detail = f" ({error})" if str(error) else ""
    return f"the memory is too small{at_work}{detail}; {LESS}"
