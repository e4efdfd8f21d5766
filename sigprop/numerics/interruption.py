"""Ctrl-C whenever it comes: the command ends with status 130, at once and in one piece.

Three things stand in the way.  Python drops an exception that is raised in the callback
of a weak reference or of the garbage collector, which imports and JAX use, and so does
code in C that looks an attribute up: an interruption is lost with it.  XLA compiles on
threads of its own that nothing stops: an interpreter that ends frees the devices that
they still use, and the process dies of a segmentation fault, when they are done.  And an
interpreter that ends takes its time, in which a signal kills it as if nothing was done.
"""

import _thread
import atexit
import contextlib
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

INTERRUPTED = 130
AGAIN = 0.05  # seconds after which an interruption that was dropped is raised again
GRACE = 10.0  # seconds that are left to write down what is kept, whoever dropped it
_announced = threading.Event()
_requested = threading.Event()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let an interruption end the process, whatever else it is doing.

    For the outermost call of a program: one that was interrupted does not return.
    """
    before = sys.unraisablehook

    def dropped(unraisable: Any) -> None:
        if unraisable.exc_type is KeyboardInterrupt:
            threading.Timer(AGAIN, _interrupt).start()
        else:
            before(unraisable)

    sys.unraisablehook = dropped
    try:
        with _watched():
            yield
    except KeyboardInterrupt:
        leave(INTERRUPTED)
    except SystemExit as end:
        if end.code == INTERRUPTED:
            leave(INTERRUPTED)
        raise
    finally:
        sys.unraisablehook = before
        atexit.register(signal.signal, signal.SIGINT, signal.SIG_IGN)  # all is done


def heed() -> None:
    """Raise an interruption that was asked for and has not been heard yet.

    Raises:
        KeyboardInterrupt: If so; in a loop, where it ends well.
    """
    if _requested.is_set():
        raise KeyboardInterrupt


@contextmanager
def _watched() -> Iterator[None]:
    """Know of every interruption, and leave if the block goes on for long after one."""
    receiver, written = socket.socketpair()
    written.setblocking(False)
    ended = threading.Event()

    def watch() -> None:
        with receiver:
            while signals := receiver.recv(1):
                if signals[0] == signal.SIGINT:
                    _requested.set()
                    if not ended.wait(GRACE):
                        leave(INTERRUPTED)

    before = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=watch, daemon=True).start()
    try:
        yield
    finally:
        ended.set()
        _requested.clear()
        signal.set_wakeup_fd(before)
        written.close()


def tell(text: str) -> None:
    """Say in one line that the program is interrupted, and what that leaves behind."""
    print(text, file=sys.stderr)
    _announced.set()


def leave(status: int) -> NoReturn:
    """End the process with its workers, and wait for no thread of a compiler.

    What is written must be closed before.
    """
    if not _announced.is_set():
        tell("interrupted")
    if workers := sys.modules.get("multiprocessing"):
        for child in workers.active_children():
            child.terminate()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # a pipe that nobody reads
            stream.flush()
    os._exit(status)


def _interrupt() -> None:
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:  # wakes a thread that waits
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
