"""Claims on a piece of work that end with the process that holds them, however it ends.

A claim is a lock of the operating system on a small file, which the last holder removes:
a process that is killed keeps nothing.  On network file systems it holds between machines
where these pass locks on (NFS 4, Lustre with ``flock``).
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def claimed(path: Path) -> Iterator[bool]:
    """Hold a file's work until the block ends; yields False where another process does.

    Raises:
        OSError: If the file cannot be made.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(path)
    try:
        lock.acquire(blocking=False)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        # While it is held: nobody can lock a file whose name is gone (filelock 3.30).
        with suppress(OSError):  # Windows keeps the name of an open file
            path.unlink()
        lock.release()
