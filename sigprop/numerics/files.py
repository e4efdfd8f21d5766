"""Atomic writing of files: a file is either the complete old one or the complete new one.

Every stored file is written under a temporary name in its folder and renamed when it is
complete.  The temporary name is random, so that nobody can create it in advance.  It also
contains the writing process.  The next process that writes to the folder removes files of
processes that were killed.
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

STANDARD_OUTPUT = Path("-")  # means standard output
WRITTEN: list[Path] = []  # files that this process wrote, in order
STREAMS = ("/proc/", "/dev/fd/", "/dev/std")  # paths of open streams
SHOWN = 40  # letters of the file's name in its temporary one: a name has 255 bytes
UNKNOWN = "0" * 8  # start time of the process is unknown
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
    """Yield the path of an empty temporary file, which replaces ``path`` after the block.

    If ``path`` is a symbolic link, its target is replaced, and the temporary file is in the
    target's folder.  The permissions of an existing file are preserved.

    Raises:
        OSError: If the file cannot be written.  An existing file is then unchanged.
        ValueError: If ``path`` is a folder, a device, a pipe or ``-`` (standard output).
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
    """Write text as UTF-8, completely or not at all; ``-`` is standard output.

    Raises:
        OSError: If the file cannot be written.  An existing file is then unchanged.
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
    """Refuse a path that cannot be written, before a result is computed.

    Args:
        path: Path of a file that will be written; its folder must exist.
        text: True if ``write_text`` will write the file, so that ``-`` is standard output.

    Raises:
        ValueError: If the file cannot be written.
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
    """Refuse a folder that cannot be written or made, before a result is computed.

    Raises:
        ValueError: If the folder cannot be written.
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
    """Memory-map the array of a packed file.

    Raises:
        ValueError: If the file is damaged.
    """
    try:
        return np.load(path, mmap_mode="r")
    except (ValueError, EOFError) as error:
        raise ValueError(f"need a whole packed file, delete {path}: {error}") from error


def _target(path: Path) -> Path:
    """The regular or missing file to which ``path`` leads after links are followed."""
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
    """Kind and permissions of a path, or None if it does not exist."""
    try:
        return os.lstat(path).st_mode
    except FileNotFoundError:
        return None


def _create(target: Path, permissions: int) -> Path:
    """Make a new empty file with a random name in the folder of ``target``."""
    writer = f"{_host()}-{os.getpid()}-{_life(os.getpid())}"
    name = f".{target.name[:SHOWN]}.sigprop-{writer}-{uuid.uuid4().hex}.partial"
    partial = target.with_name(name)
    os.close(os.open(partial, os.O_CREAT | os.O_EXCL | os.O_WRONLY, permissions))
    return partial


def _remove_left_behind(folder: Path) -> None:
    """Remove temporary files of dead processes, if permissions allow."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            match = PARTIAL.fullmatch(entry.name)
            if not match or not entry.is_file(follow_symlinks=False):
                continue
            if _is_dead(match["host"], int(match["pid"]), match["life"]):
                with suppress(OSError):
                    os.unlink(entry.path)


def _is_dead(host: str, pid: int, life: str) -> bool:
    """True if a writer is known to have ended; never for a process of another machine."""
    if host != _host() or os.name != "posix":
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        pass  # the process of another user, so it runs
    now = _life(pid)
    return UNKNOWN not in (now, life) and now != life


def _host() -> str:
    """Digest of this machine and of this process's namespace of process numbers."""
    space = ""
    with suppress(OSError):
        space = os.readlink("/proc/self/ns/pid")
    return _digest(socket.gethostname(), _content("/etc/machine-id"), space)


def _life(pid: int) -> str:
    """Digest that distinguishes a process from later processes with the same number.

    It uses the boot and the start time of the process in ticks, which is field 22 of
    ``/proc/PID/stat``.  The second field is a name in brackets, which may contain anything.
    A process that has ended but is still listed has another digest.
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
