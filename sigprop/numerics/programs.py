"""Persistent cache of programs that XLA has compiled.

Processes of a run, later runs and other commands need thousands of the same programs.  JAX
identifies a program by its text, JAX's version and the compiler's flags.  A program is for
one kind of processor, so each kind has a folder.
"""

import atexit
import functools
import hashlib
import os
import platform
import stat
import sys
import warnings
from pathlib import Path

MOST = 1 << 28
"""Bytes of programs that are kept from run to run; a run of all claims makes 15 MB."""
CUT_OFF = tuple(
    f"Error {action} persistent compilation cache" for action in ("reading", "writing")
)
"""How JAX warns of a program that another process was just writing, or left half of."""


def keep_programs(folder: Path) -> None:
    """Store compiled programs below a folder, for this process and those that it starts.

    If the environment variable ``JAX_COMPILATION_CACHE_DIR`` is set, its folder is used
    instead.  Other settings of JAX in the environment remain.  No programs are stored if
    the folder cannot be made, or if another user could place programs in it.  A message
    then says so once.  An incomplete program is compiled again.
    """
    named = os.environ.get("JAX_COMPILATION_CACHE_DIR")
    cache = named or str(folder / _machine())
    try:
        _make_private(Path(cache))
        stranger = None if named else writable_by_others(Path(cache))
    except OSError:
        return
    if stranger is not None:
        print(
            f"sigprop: compiled programs are not kept: another user may write to "
            f"{stranger}; remove {folder}, or take write permission from others",
            file=sys.stderr,
        )
        return
    settings = {
        "jax_compilation_cache_dir": cache,
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    for name, value in settings.items():
        if name.upper() in os.environ:
            continue
        os.environ[name.upper()] = str(value)
        if "jax" in sys.modules:  # else it reads them when it is imported
            sys.modules["jax"].config.update(name, value)
    before = os.environ.get("PYTHONWARNINGS", "").split(",")
    rules = [
        rule
        for rule in (*before, *(f"ignore:{message}" for message in CUT_OFF))
        if rule
    ]
    os.environ["PYTHONWARNINGS"] = ",".join(dict.fromkeys(rules))
    for message in CUT_OFF:
        warnings.filterwarnings("ignore", message)


def _make_private(folder: Path) -> None:
    """Make a folder and its missing parents, which only their owner may enter."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for missing_folder in reversed(missing):
        missing_folder.mkdir(mode=0o700, exist_ok=True)


def writable_by_others(folder: Path) -> Path | None:
    """The first of a folder and its parents in which another user can place files.

    Such a folder belongs to another user except root, or is writable by others.  A sticky
    parent, such as ``/tmp``, is accepted, because others cannot replace its files.
    """
    if os.name != "posix":
        return None
    target = Path(os.path.realpath(folder))
    for folder_or_parent in (target, *target.parents):
        status = folder_or_parent.stat()
        others = (
            stat.S_IWOTH if _is_private(status.st_gid) else stat.S_IWOTH | stat.S_IWGRP
        )
        sticky = folder_or_parent != target and status.st_mode & stat.S_ISVTX
        if status.st_uid not in (os.getuid(), 0) or (
            status.st_mode & others and not sticky
        ):
            return folder_or_parent
    return None


def _is_private(group: int) -> bool:
    """True if this user is the only member of a group."""
    import grp
    import pwd

    try:
        user, members = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and not {*members.gr_mem} - {user.pw_name}


@functools.cache
def keep_for_user() -> None:
    """Store programs in the user's cache; at exit, remove the oldest if there are too many."""
    import platformdirs

    folder = platformdirs.user_cache_path("sigprop") / "programs"
    keep_programs(folder)
    atexit.register(forget_programs, folder)


def forget_programs(folder: Path, most: int = MOST) -> None:
    """Remove the oldest programs below a folder if there are more than ``most`` bytes."""
    ages = []
    for file in folder.rglob("*-cache"):
        try:
            status = file.stat()
        except FileNotFoundError:  # another process was forgetting too
            continue
        ages.append((status.st_mtime, status.st_size, file))
    spare = sum(size for _, size, _ in ages) - most
    for _, size, file in sorted(ages):
        if spare <= 0:
            break
        spare -= size
        file.unlink(missing_ok=True)


def _machine() -> str:
    """Digest of the processor's features, because programs are for one kind of processor."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        text = platform.processor()
    features = [
        line for line in text.splitlines() if line.startswith(("flags", "model name"))
    ]
    return hashlib.sha256("\n".join(features[:2] or [text]).encode()).hexdigest()[:12]
