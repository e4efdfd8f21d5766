"""Claims on a piece of work, which end when the claiming process ends.

A claim is a lock of the operating system on a small file, which the last process removes.
It ends even if the process is killed.  On network file systems, claims work across machines
if the file system supports locks (NFS 4, Lustre with ``flock``).
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def claimed(path: Path) -> Iterator[bool]:
    """Claim the work of a file for a block; yield False if another process has claimed it.

    Raises:
        OSError: If the file of the lock cannot be made.
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
        # Remove the file before the release, so that no other process has locked it.
        with suppress(OSError):  # Windows keeps the name of an open file
            path.unlink()
        lock.release()
