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
import sys
import warnings
from pathlib import Path

MOST = 1 << 28
"""Bytes of programs that are kept from run to run; a run of all claims makes 15 MB."""
CUT_OFF = tuple(
    f"Error {what} persistent compilation cache" for what in ("reading", "writing")
)
"""How JAX warns of a program that another process was just writing, or left half of."""


def keep_programs(folder: Path) -> None:
    """Keep compiled programs below a folder, here and in processes that start here.

    A folder that ``JAX_COMPILATION_CACHE_DIR`` names is taken instead, and what else the
    environment tells JAX stays.  Nothing is kept where the folder cannot be made.  A program
    of which half was written is compiled.
    """
    held = os.environ.get("JAX_COMPILATION_CACHE_DIR") or str(folder / _machine())
    try:
        Path(held).mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    told = {
        "jax_compilation_cache_dir": held,
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    for name, value in told.items():
        if name.upper() in os.environ:
            continue
        os.environ[name.upper()] = str(value)
        if "jax" in sys.modules:  # else it reads them when it is imported
            sys.modules["jax"].config.update(name, value)
    before = os.environ.get("PYTHONWARNINGS", "").split(",")
    rules = [
        rule for rule in (*before, *(f"ignore:{words}" for words in CUT_OFF)) if rule
    ]
    os.environ["PYTHONWARNINGS"] = ",".join(dict.fromkeys(rules))
    for words in CUT_OFF:
        warnings.filterwarnings("ignore", words)


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
            found = file.stat()
        except FileNotFoundError:  # another process was forgetting too
            continue
        ages.append((found.st_mtime, found.st_size, file))
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
    told = [
        line for line in text.splitlines() if line.startswith(("flags", "model name"))
    ]
    return hashlib.sha256("\n".join(told[:2] or [text]).encode()).hexdigest()[:12]
