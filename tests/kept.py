"""Programs that XLA has compiled, kept for whoever needs the same one.

Workers, the processes that tests start and the next run compile thousands of programs that
another of them has compiled.  JAX finds them by all that decides them: their text, its
version and the compiler's flags.
"""

import hashlib
import os
import platform
from pathlib import Path

import jax
import pytest

FOLDER = Path(__file__).parents[1] / ".pytest_cache" / "programs"
MOST = 1 << 30  # bytes that are kept from run to run


def keep_programs() -> None:
    """Keep compiled programs below pytest's cache, here and in processes that start here.

    A folder that the user has named is taken instead.
    """
    held = os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(FOLDER / _machine()))
    told = {
        "jax_compilation_cache_dir": held,
        "jax_persistent_cache_min_compile_time_secs": 0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    for name, value in told.items():
        jax.config.update(name, value)
        os.environ.setdefault(name.upper(), str(value))


def own_programs(folder: Path) -> dict[str, str]:
    """The environment of processes that keep their programs in a folder of their own.

    Those that are killed may leave half of one, which others would read and compile again.
    """
    return {**os.environ, "JAX_COMPILATION_CACHE_DIR": str(folder)}


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


def forget_programs(folder: Path = FOLDER, most: int = MOST) -> None:
    """Remove the oldest programs where there are more than ``most`` bytes."""
    files = sorted(folder.rglob("*-cache"), key=lambda file: file.stat().st_mtime)
    spare = sum(file.stat().st_size for file in files) - most
    for file in files:
        if spare <= 0:
            break
        spare -= file.stat().st_size
        file.unlink(missing_ok=True)


@pytest.fixture(scope="module")
def compiled_anew():
    """No program is kept, here and in processes that start here, for what times them."""
    before = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAX_COMPILATION_CACHE_DIR")
        jax.config.update("jax_compilation_cache_dir", None)
        yield
    jax.config.update("jax_compilation_cache_dir", before)
