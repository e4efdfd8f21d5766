"""Wells of one unit's loss."""

import math

import pytest

from sigprop.evidence.zucchet.landscape.captions import well


def test_the_whole_circle_descends_to_the_teacher_however_sharp_the_well():
    wells = [well(nu, "descent") for nu in (0.3, 0.9)]
    assert wells == pytest.approx([2 * math.pi] * 2)
