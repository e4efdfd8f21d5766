"""Ctrl-C ends a program at once, with its status, whatever else it is doing."""

import signal
import subprocess
import sys
import time

import pytest

from sigprop.__main__ import main
from sigprop.cli import main as cli
from sigprop.experiments import command, studies
from sigprop.numerics import interruption

BUSY = """
import atexit, threading, time
from sigprop.numerics.interruption import interruptible
atexit.register(print, "ended as usual")
threading.Thread(target=time.sleep, args=(60,)).start()  # nobody can stop a compiler
with interruptible():
    try:
        print("ready", flush=True)
        time.sleep(60)
    finally:
        print("closed", end="")
"""
DROPPED = """
import time, weakref
from sigprop.numerics.interruption import interruptible
class Thing: pass
def ask(_): raise KeyboardInterrupt
with interruptible():
    print("ready", flush=True)
    thing = Thing()
    watched = weakref.ref(thing, ask)
    del thing  # Python prints and forgets what a callback raises
    for _ in range(2000):
        time.sleep(0.01)
    print("went on")
"""


SWALLOWED = """
import time
from sigprop.numerics import interruption
interruption.GRACE = {grace}
with interruption.interruptible():
    print("ready", flush=True)
    for _ in range(2):
        try:
            time.sleep(30)
        except KeyboardInterrupt:
            time.sleep(0.5)  # as code in C does; the watch has heard of it
        {then}
print("went on")
"""
OVER = """
import atexit, os, signal, time
from sigprop.numerics.interruption import interruptible
atexit.register(os.kill, os.getpid(), signal.SIGINT)  # called after those of later
with interruptible():
    print("ready", flush=True)
"""


def start(script):
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


def test_an_interruption_waits_for_no_thread_and_flushes_what_was_printed():
    process = start(BUSY)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=40)
    assert process.returncode == 130
    assert (out, err) == ("closed", "interrupted\n")
    assert time.monotonic() - began < 30


def test_an_interruption_that_python_drops_comes_again():
    process = start(DROPPED)
    out, err = process.communicate(timeout=40)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")


@pytest.mark.parametrize(
    "script",
    [
        SWALLOWED.format(grace=60, then="interruption.heed()"),
        SWALLOWED.format(grace=0.2, then="pass"),
    ],
    ids=["heeded", "watched"],
)
def test_an_interruption_that_is_swallowed_ends_the_program_all_the_same(script):
    process = start(script)
    began = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "interrupted\n")
    assert time.monotonic() - began < 25


def test_an_interruption_of_what_is_done_changes_nothing():
    out, err = (process := start(OVER)).communicate(timeout=40)
    assert (process.returncode, out, err) == (0, "", "")


def test_the_handlers_are_the_callers_again():
    assert signal.set_wakeup_fd(-1) == -1
    with interruption.interruptible():
        assert signal.set_wakeup_fd(-1) >= 0
    assert signal.set_wakeup_fd(-1) == -1
    assert not interruption._requested.is_set()


# Typer makes a status of an interruption that comes before a command, and says nothing.
SILENT = """
import typer
from sigprop.cli import console
from sigprop.cli import main as cli
from sigprop.__main__ import main
app = typer.Typer()
@app.command()
def one():
    {guard}
        raise KeyboardInterrupt
cli.app = app
print("ready", flush=True)
main()
"""


@pytest.mark.parametrize(
    ("guard", "message"),
    [
        ("if True:", "interrupted\n"),
        ("with console.plain_errors('all is kept'):", "interrupted; all is kept\n"),
    ],
)
def test_an_interruption_is_told_in_one_line(guard, message):
    process = start(SILENT.format(guard=guard))
    out, err = process.communicate(timeout=40)
    assert (process.returncode, out, err) == (130, "", message)


class Left(Exception):
    pass


@pytest.fixture
def left(monkeypatch):
    def leave(status):
        raise Left(status)

    monkeypatch.setattr(interruption, "leave", leave)


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), SystemExit(130)])
def test_the_command_lines_leave_when_they_are_interrupted(left, monkeypatch, raised):
    def interrupted(*_):
        raise raised

    monkeypatch.setattr(cli, "app", interrupted)
    with pytest.raises(Left, match="130"):
        main()
    monkeypatch.setattr(command, "make", interrupted)
    monkeypatch.setattr(studies, "study_module", lambda study: sys)  # imports less
    monkeypatch.setattr(sys, "argv", ["accuracy"])
    with pytest.raises(Left, match="130"):
        command.main("accuracy")


@pytest.mark.parametrize("status", [0, 1, 2])
def test_every_other_end_is_as_usual(left, monkeypatch, status):
    def end():
        raise SystemExit(status)

    before = sys.unraisablehook
    monkeypatch.setattr(cli, "app", end)
    with pytest.raises(SystemExit) as error:
        main()
    assert error.value.code == status
    assert sys.unraisablehook is before
