"""What the tests keep of what they compile, on disk and in memory."""

import os
import threading
from pathlib import Path
from typing import Any

import jax
import pytest
from jax._src.interpreters import mlir

from sigprop.numerics.devices import resident

FOLDER = Path(__file__).parents[1] / ".pytest_cache" / "programs"
MOST = 1 << 30  # bytes of programs that are kept from run to run
FULL = 2 << 30  # bytes of a process from which on it lets go of what it has compiled
CONTEXTS: dict[int, Any] = {}  # of MLIR, by thread


def share_contexts() -> None:
    """Let the programs that a thread lowers one after the other share a context of MLIR.

    JAX makes one for each program and keeps it as long, of thousands of small ones a tenth
    of the time and half of the memory, and has no option for this.  Nothing is shared where
    JAX's own function has another name.
    """
    make = getattr(mlir, "make_ir_context", None)
    if make is None:
        return

    def context():
        thread = threading.get_ident()
        if _lowering():
            return make()
        if thread not in CONTEXTS:
            CONTEXTS[thread] = make()
        return CONTEXTS[thread]

    mlir.make_ir_context = context


def _lowering() -> bool:
    """Whether this thread is lowering a program, into which another would be written."""
    try:
        return mlir.ir.Context.current is not None
    except ValueError:
        return False


def let_go(full: float = FULL) -> None:
    """Let go of what this process has compiled, if it holds so many bytes."""
    if resident() >= full:
        CONTEXTS.clear()
        jax.clear_caches()


def own_programs(folder: Path) -> dict[str, str]:
    """The environment of processes that keep their programs in a folder of their own.

    Those that are killed may leave half of one, which others would read and compile again.
    """
    return {**os.environ, "JAX_COMPILATION_CACHE_DIR": str(folder)}


@pytest.fixture(scope="module")
def compiled_anew():
    """No program is kept, here and in processes that start here, for what times them."""
    before = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]
    with pytest.MonkeyPatch.context() as patch:
        patch.delenv("JAX_COMPILATION_CACHE_DIR")
        patch.setenv("JAX_ENABLE_COMPILATION_CACHE", "false")
        jax.config.update("jax_compilation_cache_dir", None)
        yield
    jax.config.update("jax_compilation_cache_dir", before)
