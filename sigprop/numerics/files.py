"""Files that are old or new, never half.

All that is kept is written here: under a temporary name in the folder of the file, which
becomes the file when it is complete.  The name cannot be foretold, so that nothing can lie
there in wait, and says who writes: what a killed process leaves behind is removed by the
next one that writes to the folder.
"""

import hashlib
import os
import re
import socket
import stat
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

STANDARD_OUTPUT = Path("-")  # in place of a file of text
WRITTEN: list[Path] = []  # by this process, in order: for what an interruption leaves
STREAMS = ("/proc/", "/dev/fd/", "/dev/std")  # names of what a process has open
SHOWN = 40  # letters of the file's name in its temporary one: a name has 255 bytes
UNKNOWN = "0" * 8  # no word of when a process began
PARTIAL = re.compile(
    r"\..*\.sigprop-(?P<host>[0-9a-f]{8})-(?P<pid>[0-9]{1,10})-(?P<life>[0-9a-f]{8})"
    r"-[0-9a-f]{32}\.partial",
    re.DOTALL,
)
KINDS = {
    stat.S_IFCHR: "device",
    stat.S_IFBLK: "device",
    stat.S_IFIFO: "pipe",
    stat.S_IFSOCK: "socket",
    stat.S_IFLNK: "circle of links",
}


@contextmanager
def unfinished(path: Path) -> Iterator[Path]:
    """A name to write under, which becomes ``path`` when the file is complete.

    There is an empty file of that name already.  A symbolic link stays what it is: the
    file that it points to is replaced, and the temporary name is in that file's folder.
    An older file's permissions stay.

    Raises:
        OSError: If it cannot be written, with the path; an old file is as it was.
        ValueError: If ``path`` is a folder, a device or a pipe, or stands for standard
            output.
    """
    target = _target(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    _remove_left_behind(target.parent)
    mode = _mode(target)
    partial = _create(target, 0o666 if mode is None else 0o600)
    try:
        yield partial
        with partial.open("rb") as stream:
            os.fsync(stream.fileno())
        if mode is not None:
            partial.chmod(stat.S_IMODE(mode))
        os.replace(partial, target)
        WRITTEN.append(path)
    except OSError as error:
        if error.errno and error.filename is None:  # a full disk names no file
            error.filename = str(path)
        raise
    finally:
        partial.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    """Write ``text`` as UTF-8, whole or not at all; ``-`` is standard output.

    Raises:
        OSError: If it cannot be written; an old file is as it was.
        ValueError: If ``path`` is a folder, a device or a pipe.
    """
    if path == STANDARD_OUTPUT:
        sys.stdout.flush()
        sys.stdout.buffer.write(text.encode())
        sys.stdout.buffer.flush()
        return
    with unfinished(path) as partial:
        partial.write_bytes(text.encode())


def require_writable(path: Path, *, text: bool = True) -> None:
    """Refuse a path that cannot be written, before the work and not after it.

    Args:
        path: What will be written; its folder is not made.
        text: True if ``write_text`` will do it, so that ``-`` is standard output.

    Raises:
        ValueError: Naming the folder or the file that stands in the way.
    """
    if text and path == STANDARD_OUTPUT:
        return
    try:
        _create(_target(path), 0o600).unlink()
    except OSError as error:
        raise ValueError(
            f"cannot write {path}: {error.strerror}; choose a folder that exists and "
            "that you may write to"
        ) from None


def require_folder(folder: Path) -> None:
    """Refuse a folder that cannot be written, or made, before the work and not after it.

    Raises:
        ValueError: Naming the folder.
    """
    existing = folder
    while not existing.exists() and existing != existing.parent:
        existing = existing.parent
    try:
        with tempfile.TemporaryFile(dir=existing):
            pass
    except OSError as error:
        raise ValueError(
            f"cannot write to the folder {folder}: {error.strerror}; choose another"
        ) from None


def mapped(path: Path) -> np.ndarray:
    """The array of a packed file, read as it is needed.

    Raises:
        ValueError: If the file is damaged.
    """
    try:
        return np.load(path, mmap_mode="r")
    except (ValueError, EOFError) as error:
        raise ValueError(f"need a whole packed file, delete {path}: {error}") from error


def _target(path: Path) -> Path:
    """The file that ``path`` means, links followed: a regular one, or none so far."""
    if path == STANDARD_OUTPUT:
        raise ValueError(
            "need a file to write, got -, which stands for standard output where text is "
            "written; add a file name"
        )
    if os.path.abspath(path).startswith(STREAMS):
        raise ValueError(
            f"need a file to write, got {path}; for standard output write -"
        )
    target = Path(os.path.realpath(path))
    mode = _mode(target)
    if mode is None or stat.S_ISREG(mode):
        return target
    if stat.S_ISDIR(mode):
        raise ValueError(
            f"need a file to write, got the folder {path}; add a file name"
        )
    kind = KINDS.get(stat.S_IFMT(mode), "special file")
    raise ValueError(
        f"need a regular file to replace, got the {kind} {path}; choose another name"
    )


def _mode(path: Path) -> int | None:
    """Kind and permissions of what has this name, if anything has."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None


def _create(target: Path, permissions: int) -> Path:
    """An empty file beside ``target`` that nobody else had a part in."""
    writer = f"{_host()}-{os.getpid()}-{_life(os.getpid())}"
    name = f".{target.name[:SHOWN]}.sigprop-{writer}-{uuid.uuid4().hex}.partial"
    partial = target.with_name(name)
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, permissions))
    return partial


def _remove_left_behind(folder: Path) -> None:
    """Remove temporary files of ours whose writer is dead; what cannot be, stays."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = PARTIAL.fullmatch(entry.name)
            if not match or not entry.is_file(follow_symlinks=False):
                continue
            if _is_dead(match["host"], int(match["pid"]), match["life"]):
                with suppress(OSError):
                    os.unlink(entry.path)


def _is_dead(host: str, pid: int, life: str) -> bool:
    """True where a writer is known to be gone; of other machines' nothing is known."""
    if host != _host() or os.name != "posix":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass  # another user's, so it lives
    now = _life(pid)
    return UNKNOWN not in (now, life) and now != life


def _host() -> str:
    """Digest of this machine and of the process numbering that this process is in."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return _digest(socket.gethostname(), _content("/etc/machine-id"), space)


def _life(pid: int) -> str:
    """Digest that tells a process from others that have its number at other times.

    From the boot and the ticks since then (field 22 of ``/proc/PID/stat``; the second
    field, a name in brackets, may hold anything).  A dead process that nobody has asked
    for its status has ended, so it is told from itself.
    """
    fields = _content(f"/proc/{pid}/stat").rpartition(")")[2].split()
    if len(fields) < 20:
        return UNKNOWN
    ended = "ended" if fields[0] in "ZX" else ""
    return _digest(_content("/proc/sys/kernel/random/boot_id"), fields[19], ended)


def _content(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", errors="replace")
    except OSError:
        return ""


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:8]
