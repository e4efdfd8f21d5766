"""Compiled programs are kept and found again, and the oldest forgotten."""

import os
from pathlib import Path

import jax
import pytest

from tests.kept import forget_programs


def unlikely_of_its_name(x):
    return 3 * x + 1


def held():
    folder = Path(os.environ["JAX_COMPILATION_CACHE_DIR"])
    return list(folder.glob("jit_unlikely_of_its_name-*"))


def test_a_kept_program_is_read_and_one_half_written_is_compiled():
    for file in held():
        file.unlink()
    assert jax.jit(unlikely_of_its_name)(2) == 7
    (file,) = held()
    whole = file.read_bytes()
    jax.clear_caches()
    assert jax.jit(unlikely_of_its_name)(2) == 7
    file.write_bytes(whole[:-20])
    jax.clear_caches()
    with pytest.warns(UserWarning, match="^Error reading persistent compilation cache"):
        assert jax.jit(unlikely_of_its_name)(2) == 7
    file.unlink()


def test_the_oldest_are_forgotten(tmp_path):
    for place, name in enumerate("abcd"):
        file = tmp_path / "kind" / f"{name}-cache"
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(bytes(10))
        os.utime(file, (place, place))
    (tmp_path / "kind" / "other").write_bytes(bytes(100))
    forget_programs(tmp_path, 25)
    names = sorted(file.name for file in (tmp_path / "kind").iterdir())
    assert names == ["c-cache", "d-cache", "other"]
    forget_programs(tmp_path / "none", 25)
