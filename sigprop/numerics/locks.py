"""Claims on a piece of work that end with the process that holds them, however it ends.

A claim is a lock of the operating system on a small file, which the last holder removes:
a process that is killed keeps nothing.  On network file systems it holds between machines
where these pass locks on (NFS 4, Lustre with ``flock``); where there are no locks at all,
every claim is granted, and the same work may be done twice, to the same end.
"""

import contextlib
import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HELD = {
    errno.EACCES,
    errno.EAGAIN,
    errno.EDEADLK,
}  # Windows says the first and the last


@contextmanager
def claimed(place: Path) -> Iterator[bool]:
    """Hold a file's work until the block ends; yields False where another process does.

    Raises:
        OSError: If the file cannot be made.
    """
    place.parent.mkdir(parents=True, exist_ok=True)
    stream = _open(place)
    if stream is None:
        yield False
        return
    try:
        yield True
    finally:
        with contextlib.suppress(OSError):  # Windows keeps the name of an open file
            place.unlink()
        os.close(stream)


def _open(place: Path) -> int | None:
    """A locked file that still has its name, or nothing where another has it."""
    while True:
        stream = os.open(place, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            _lock(stream)
            if os.path.samestat(os.fstat(stream), os.stat(place)):
                return stream
        except FileNotFoundError:
            pass  # the last holder removed it before it was locked here
        except OSError as error:
            if error.errno in HELD:
                os.close(stream)
                return None
            return stream
        except BaseException:
            os.close(stream)
            raise
        os.close(stream)


if sys.platform == "win32":
    import msvcrt

    def _lock(stream: int) -> None:
        msvcrt.locking(stream, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(stream: int) -> None:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
