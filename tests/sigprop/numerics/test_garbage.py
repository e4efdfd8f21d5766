"""Garbage in cycles is looked for seldom, and still found."""

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
