"""Programs that XLA has compiled, kept for whoever needs the same one.

The second process of a run, the next run and the next command compile thousands of
programs that another of them has compiled.  JAX finds them by all that decides them: their
text, its version and the compiler's flags; here a folder of each kind of processor is
added, as programs are for one kind.
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
    """Keep compiled programs below a folder, here and in processes that start here.

    A folder that ``JAX_COMPILATION_CACHE_DIR`` names is taken instead, and what else the
    environment tells JAX stays.  Nothing is kept where the folder cannot be made, or where
    another user could put a program that this one would run; that is said once.  A program
    of which half was written is compiled.
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
    """Make a folder, and those above it, that its owner alone may enter."""
    missing = []
    while not folder.exists():
        missing.append(folder)
        folder = folder.parent
    for missing_folder in reversed(missing):
        missing_folder.mkdir(mode=0o700, exist_ok=True)


def writable_by_others(folder: Path) -> Path | None:
    """The first of a folder and those above it in which another user can put files.

    That is a folder of another user but root, or one that others may write to; where a
    folder is sticky, as ``/tmp`` is, others cannot replace what is in it.
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
    """True for a group of this user's own, in which nobody else is."""
    import grp
    import pwd

    try:
        user, members = pwd.getpwuid(os.getuid()), grp.getgrgid(group)
    except KeyError:
        return False
    return user.pw_gid == group and not {*members.gr_mem} - {user.pw_name}


@functools.cache
def keep_for_user() -> None:
    """Keep programs in the user's cache, and at the end the newest alone of too many."""
    import platformdirs

    folder = platformdirs.user_cache_path("sigprop") / "programs"
    keep_programs(folder)
    atexit.register(forget_programs, folder)


def forget_programs(folder: Path, most: int = MOST) -> None:
    """Remove the oldest programs below a folder where there are more than ``most`` bytes."""
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
    """A name for what the processor can do: programs are for one kind."""
    try:
        text = Path("/proc/cpuinfo").read_text("utf-8")
    except OSError:
        text = platform.processor()
    features = [
        line for line in text.splitlines() if line.startswith(("flags", "model name"))
    ]
    return hashlib.sha256("\n".join(features[:2] or [text]).encode()).hexdigest()[:12]
