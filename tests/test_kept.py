"""Compiled programs are kept and found again, and the oldest forgotten."""

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import jax
import pytest

from sigprop.numerics.devices import peak_memory
from tests.kept import let_go, resident


def unlikely_of_its_name(x):
    return 3 * x + 1


def stored_files():
    folder = Path(os.environ["JAX_COMPILATION_CACHE_DIR"])
    return list(folder.glob("jit_unlikely_of_its_name-*"))


def test_a_kept_program_is_read_and_one_half_written_is_compiled():
    for file in stored_files():
        file.unlink()
    assert jax.jit(unlikely_of_its_name)(2) == 7
    (file,) = stored_files()
    content = file.read_bytes()
    jax.clear_caches()
    assert jax.jit(unlikely_of_its_name)(2) == 7
    file.write_bytes(content[:-20])
    jax.clear_caches()
    with pytest.warns(UserWarning, match="^Error reading persistent compilation cache"):
        assert jax.jit(unlikely_of_its_name)(2) == 7
    file.unlink()


def context_of(addend):
    return jax.jit(lambda x: x + addend).lower(2).compiler_ir().context


def test_programs_that_a_thread_lowers_share_a_context():
    assert context_of(0) is context_of(1)
    with ThreadPoolExecutor(1) as pool:
        beside = pool.submit(context_of, 2).result()
    assert beside is not context_of(3)


@pytest.mark.parametrize(("full", "traced"), [(0, 2), (float("inf"), 1)])
def test_what_is_compiled_is_let_go_where_memory_is_full(full, traced):
    traces = []

    @jax.jit
    def noted(x):
        traces.append(x)
        return x

    noted(2), let_go(full), noted(2)
    assert len(traces) == traced


def test_memory_is_counted_in_bytes():
    assert peak_memory() / 20 < resident() <= peak_memory()


def test_contexts_are_let_go_with_programs():
    before = context_of(4)
    let_go(0)
    assert context_of(5) is not before


def test_a_program_that_is_lowered_within_another_is_not_written_into_it():
    let_go(0)
    with jax.ensure_compile_time_eval():  # lowering a draw evaluates its counters
        sample = jax.jit(lambda: jax.random.normal(jax.random.key(0), (8, 3)))()
    assert abs(sample).max() > 0
