"""Garbage in cycles is looked for seldom, and still found; programs go as memory fills."""

import jax
import jax.numpy as jnp
import pytest

from sigprop.numerics import garbage
from tests.programs import printed_by

PROGRAM = """
import gc
import weakref
from sigprop.numerics.garbage import collect_seldom

class Loop:
    def __init__(self):
        self.self = self

collect_seldom()
found = []
gc.callbacks.append(lambda phase, _: found.append(phase))
loop = weakref.ref(Loop())
kept = [[] for _ in range(10_000)]
print(found, loop() is None)
kept += [[] for _ in range(20_000)]
print(found, loop() is None)
"""


def test_a_loop_is_found_among_twenty_thousand_objects():
    early, late = printed_by(PROGRAM).splitlines()
    assert early == "[] False"
    assert late == "['start', 'stop'] True"


def test_a_command_collects_seldom_while_it_is_loaded():
    program = """
import gc
from sigprop import __main__
from sigprop.cli import main
main.app = lambda: print(gc.get_threshold(), gc.get_freeze_count() > 0)
__main__.main()
"""
    assert printed_by(program) == f"{garbage.SELDOM} True\n"


@pytest.fixture
def memory_readings(monkeypatch):
    """A process that says how much it holds, and forgets what it was."""
    bytes_held = [garbage.FULL - 1]
    monkeypatch.setattr("sigprop.numerics.devices.resident", lambda: bytes_held[-1])
    monkeypatch.setattr(garbage, "_limit", {"bytes": garbage.FULL})
    return bytes_held


def test_programs_are_let_go_at_the_limit_and_again_after_as_much_more(
    memory_readings, monkeypatch
):
    cleared = []
    monkeypatch.setattr(
        jax, "clear_caches", lambda: cleared.append(memory_readings[-1])
    )
    full, room = garbage.FULL, garbage.ROOM
    readings = [
        full - 1,
        full,
        full + 1,
        full + room - 1,
        full + room,
        full + 2 * room - 1,
    ]
    for bytes_held in readings:
        memory_readings.append(bytes_held)
        garbage.let_go()
    assert cleared == [full, full + room]


def test_a_program_that_was_let_go_is_compiled_again(memory_readings):
    traced = []
    program = jax.jit(lambda x: traced.append(x) or jnp.sin(x))
    for bytes_held, times in ((garbage.FULL - 1, 1), (garbage.FULL, 2)):
        program(1.0)
        memory_readings.append(bytes_held)
        garbage.let_go()
        program(1.0)
        assert len(traced) == times
