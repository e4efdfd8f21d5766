"""What the command line says to files and strings that do not fit."""

import builtins
import errno
import os
import re
from pathlib import Path

import numpy as np
import pytest
import typer
from typer.testing import CliRunner

from sigprop.cli import console
from sigprop.judge import parallel
from sigprop.numerics.files import unfinished
from sigprop.theory.claims import find
from tests.command import refused, sigprop
from tests.rows import changed, row

# --- errors of the system -----------------------------------------------------------

SYSTEM = {
    "full": (errno.ENOSPC, "free space on its disk, or choose a place on another one"),
    "quota": (errno.EDQUOT, "free space within your quota, or choose another place"),
    "forbidden": (
        errno.EACCES,
        "choose a place that you may read and write, or change",
    ),
    "read-only": (errno.EROFS, "choose a place that can be written"),
    "a file": (errno.ENOTDIR, "a file stands where a folder is wanted"),
    "a folder": (errno.EISDIR, "add a file name to the folder"),
    "there": (errno.EEXIST, "a file stands where a folder is wanted"),
    "none": (errno.ENOENT, "check the path"),
    "worn": (errno.EIO, "check the path and its disk"),
}


def failing(error, *files, status=console.BAD_INPUT):
    """The line that a command prints which meets an error."""
    app = typer.Typer()

    @app.command()
    def meet() -> None:
        with console.plain_errors("nothing was written", *files):
            raise error

    result = CliRunner().invoke(app)
    assert result.exit_code == status, result.output
    (line,) = result.stderr.splitlines()
    return line


@pytest.mark.parametrize("case", SYSTEM)
def test_what_the_system_refuses_is_one_line_with_path_and_remedy(case):
    number, remedy = SYSTEM[case]
    reason = os.strerror(number)
    line = failing(OSError(number, reason, "data/x.csv"))
    assert line.startswith(f"sigprop: data/x.csv: {reason}; {remedy}")
    # A write to a full disk names no file: the command's own are named.
    line = failing(OSError(number, reason), None, Path("a.json"), Path("b.html"))
    assert line.startswith(f"sigprop: a.json, b.html: {reason}; {remedy}")


def test_an_error_without_a_number_names_the_files_and_what_to_check():
    error = OSError("512 requested and 0 written")
    assert failing(error, Path("x.npz")) == (
        "sigprop: 512 requested and 0 written; check the path and its disk, of x.npz"
    )
    assert failing(FileNotFoundError("need a folder")) == "sigprop: need a folder"


class Exhausted(RuntimeError):
    """As JAX says it."""


@pytest.mark.parametrize(
    "error",
    [MemoryError("Unable to allocate 7 TiB"), Exhausted("RESOURCE_EXHAUSTED: 7")],
)
def test_too_little_memory_is_one_line(error):
    assert failing(error, Path("x.npy")) == (
        f"sigprop: the memory is too small at work on x.npy ({error}); give less at "
        "once, or use a machine with more memory"
    )


def _exceptions(kind=Exception):
    """Every exception of Python's, where one can be made of a text."""
    for subclass in kind.__subclasses__():
        built_in = (
            vars(builtins).get(subclass.__name__) is subclass
        )  # extensions claim it too
        if built_in or subclass.__module__ in ("zipfile", "zlib", "struct"):
            yield subclass
            yield from _exceptions(subclass)


OURS = (OSError, ValueError, KeyError, OverflowError, MemoryError, ImportError)
DEFECTS = {
    error.__name__: error
    for error in _exceptions()
    if not issubclass(error, (*OURS, BaseExceptionGroup))
}


@pytest.mark.parametrize("name", sorted(DEFECTS))
def test_a_defect_is_one_line_with_the_files_and_how_to_report_it(monkeypatch, name):
    monkeypatch.delenv(console.TRACEBACK, raising=False)
    error = DEFECTS[name]("two\nlines \x1b[31m")
    line = failing(error, Path("a.npz"), status=console.DEFECT)
    assert line.startswith(
        f"sigprop: a defect of sigprop at work on a.npz: {name}: two lines \\x1b[31m ("
    )
    assert "report this line with your command and files" in line
    assert f"{console.TRACEBACK}=1" in line


@pytest.mark.parametrize("kind", [ValueError, KeyError, TypeError])
def test_an_error_in_a_row_is_a_defect_that_names_the_row(monkeypatch, kind):
    monkeypatch.delenv(console.TRACEBACK, raising=False)
    error = kind("odd")

    def fails(claim, seed):
        raise error

    one = changed(row("lru:thm3.1"), {"results": fails})
    with pytest.raises(kind):
        parallel.check(one, 0)
    line = failing(error, status=console.DEFECT)
    assert re.search(r"\.py, line \d+\) while judging lru:thm3\.1; report", line)


def test_a_defect_is_loud_where_the_environment_asks_for_it(monkeypatch):
    monkeypatch.setenv(console.TRACEBACK, "1")
    for error in (TypeError("a defect"), RuntimeError("a defect")):
        with pytest.raises(AssertionError):
            failing(error, status=console.DEFECT)


def test_a_reader_that_has_seen_enough_is_no_defect():
    with pytest.raises(AssertionError):
        failing(BrokenPipeError(errno.EPIPE, "Broken pipe"), status=console.DEFECT)


def test_a_missing_package_is_bad_input_and_a_missing_part_of_ours_a_defect(
    monkeypatch,
):
    monkeypatch.delenv(console.TRACEBACK, raising=False)
    assert failing(ModuleNotFoundError("need x; pip install x")) == (
        "sigprop: need x; pip install x"
    )
    missing = ModuleNotFoundError("No module named 'x.y'", name="x.y")
    assert failing(missing).startswith("sigprop: need the package x.y, got: No module")
    ours = ModuleNotFoundError("No module named 'sigprop.z'", name="sigprop.z")
    assert "a defect" in failing(ours, status=console.DEFECT)


def test_a_number_too_large_is_one_line():
    assert failing(OverflowError("int too large\nto convert")).startswith(
        "sigprop: a number is too large to compute with: int too large to convert; give"
    )


def test_an_unfinished_file_says_where_the_disk_was_full(tmp_path):
    path = tmp_path / "result.nc"
    with pytest.raises(OSError, match="No space left") as error, unfinished(path):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert error.value.filename == str(path)
    assert not list(tmp_path.iterdir())


def test_a_command_that_cannot_finish_its_file_says_so(tmp_path, monkeypatch):
    def full(number):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    path = tmp_path / "claims.json"
    assert refused("claims", "--paper", "lru", "--json", path) == (
        f"sigprop: {path}: No space left on device; free space on its disk, or choose a "
        "place on another one"
    )
    assert not list(tmp_path.iterdir())


def test_paths_that_are_no_files_are_refused_by_name(tmp_path):
    (tmp_path / "file").write_text("x")
    below = tmp_path / "file" / "x"
    assert str(below) in refused("claims", "--paper", "lru", "--json", below)
    assert str(below) in refused("series", f"{below}.csv")
    assert str(below) in refused("train", "digits", "--out", below)
    assert str(tmp_path / "none") in refused("audit", tmp_path / "none")


def test_an_array_that_claims_a_tebibyte_is_refused(tmp_path):
    path = tmp_path / "large.npy"
    np.lib.format.open_memmap(path, "w+", "<f8", (2, 9)).flush()
    text = path.read_bytes()
    path.write_bytes(text.replace(b"(2, 9), }            ", b"(2, 999999999999), } "))
    assert len(path.read_bytes()) == len(text)
    assert "need a whole .npy file of plain numbers" in refused("series", path)


# --- strings of users ---------------------------------------------------------------

MARKUP = "[/date] [bold]x[/] :smile: \x1b[31mred\u202e\x07"
SHOWN = r"[/date] [bold]x[/] :smile: \x1b[31mred\u202e\x07"


def test_strings_are_shown_as_they_are_without_steering_the_terminal(tmp_path):
    rows = np.random.default_rng(0).standard_normal((40, 2))
    lines = [f'"{MARKUP}","[/x]"', *(f"{x},{y}" for x, y in rows)]
    path = tmp_path / "series.csv"
    path.write_text("\n".join(lines))
    result = sigprop("series", path, "--window", 8)
    assert result.exit_code == 0, result.output
    assert not {"\x1b", "\x07", "\u202e"} & set(result.output)
    assert "[/x]" in result.output
    assert "[/date]" in result.output
    assert r"\x1b[31m" in result.output


@pytest.mark.parametrize(
    "command",
    [
        ("show",),
        ("verify", "--claim"),
        ("verify", "--paper"),
        ("ledger", "--status"),
        ("figure",),
        ("table",),
        ("models", "--paper"),
        ("train",),
        ("sweep", "status"),
        ("series",),
    ],
    ids=" ".join,
)
def test_what_is_refused_is_quoted_without_escapes(command):
    line = refused(*command, MARKUP)
    assert not {"\x1b", "\x07", "\u202e"} & set(line)
    assert "[/date]" in line


@pytest.mark.parametrize("command", [("x\x1b[31m",), ("verify", "--x\x1b[31m")])
def test_usage_errors_are_quoted_without_escapes(command):
    result = sigprop(*command)
    assert result.exit_code == console.BAD_INPUT
    assert "\x1b" not in result.stderr
    assert r"x\x1b[31m" in result.stderr


def test_a_report_with_brackets_in_its_path_is_written(tmp_path, monkeypatch):
    from sigprop.theory import claims

    monkeypatch.chdir(tmp_path)
    few = (find("zucchet:75"),)
    monkeypatch.setattr(claims, "select", lambda *arguments: few)
    Path("[").mkdir()
    result = sigprop("verify", "--report", "[/x].html")
    assert result.exit_code == 0, result.output
    assert "Report: [/x].html" in result.output
    assert (tmp_path / "[" / "x].html").is_file()


def test_the_console_prints_every_string_as_it_is(capsys, monkeypatch):
    from rich.table import Table

    grid = Table(MARKUP, title=MARKUP, caption=MARKUP)
    grid.add_row(MARKUP)
    monkeypatch.setattr(console, "WIDE", 300)
    out = console.console()
    out.print(grid)
    out.print(MARKUP)
    printed = capsys.readouterr().out
    assert printed.count(SHOWN) == 5
    assert not {"\x1b", "\x07", "\u202e"} & set(printed)
