"""Work over cores: every tile once, and nothing left running behind a failure."""

import time

import pytest

from sigprop.numerics import tiles


@pytest.mark.parametrize("there", [1, 2, 3, 16])
def test_every_tile_is_done_once(there, monkeypatch):
    monkeypatch.setattr(tiles, "cores", lambda: there)
    done = []
    tiles.over_cores(
        lambda first, count: done.extend(range(first, first + count)), 7, tiles.ENOUGH
    )
    assert sorted(done) == list(range(7))


@pytest.mark.parametrize("wrong", [0, 1])
def test_a_failure_is_raised_once_all_parts_have_ended(wrong, monkeypatch):
    monkeypatch.setattr(tiles, "cores", lambda: 2)
    ended = []

    def task(first, count):
        if first == wrong:
            raise ArithmeticError("lost")
        time.sleep(0.05)
        ended.append(first)

    with pytest.raises(ArithmeticError, match="lost"):
        tiles.over_cores(task, 2, tiles.ENOUGH)
    assert ended == [1 - wrong]
