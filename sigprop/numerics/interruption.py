"""Handling of Ctrl-C at any moment: the command ends at once, with status 130.

Three problems are solved.  First, Python drops exceptions in callbacks of weak references
and of the garbage collector, and C code drops them when it looks up an attribute.  An
interruption may be lost like this.  Second, XLA compiles on threads that cannot be stopped.
If the interpreter ends, it frees devices that these threads use, and the process ends in a
segmentation fault.  Third, an interpreter takes some time to end.  A signal during this
time would kill a process whose work is complete.
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
GRACE = 10.0  # seconds to store results after an interruption
_announced = threading.Event()
_requested = threading.Event()


@contextmanager
def interruptible() -> Iterator[None]:
    """Let an interruption end the process at any time.

    Use it around the outermost call of a program; after an interruption, the process ends
    in this block.
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
    """Raise a pending interruption; call it at points of a loop where the loop may end.

    Raises:
        KeyboardInterrupt: If an interruption is pending.
    """
    if _requested.is_set():
        raise KeyboardInterrupt


@contextmanager
def _watched() -> Iterator[None]:
    """Watch for interruptions; end the process if the block continues long after one."""
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
    """Print one line on the interruption and on what has been stored."""
    print(text, file=sys.stderr)
    _announced.set()


def leave(status: int) -> NoReturn:
    """End the process and its workers without waiting for threads of the compiler.

    Files must be closed before this call.
    """
    if not _announced.is_set():
        tell("interrupted")
    if workers := sys.modules.get("multiprocessing"):
        for child in workers.active_children():
            child.terminate()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(OSError, ValueError):  # nobody reads the pipe
            stream.flush()
    os._exit(status)


def _interrupt() -> None:
    if sys.platform == "win32":
        _thread.interrupt_main()
    else:  # wakes a thread that waits
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)
