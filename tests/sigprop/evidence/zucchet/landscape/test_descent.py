"""Runs of Adam on one unit's loss."""

import pytest

from sigprop.evidence.zucchet.landscape.descent import ANGLES, STUDENT, descend


@pytest.mark.parametrize("angle", ANGLES)
def test_every_run_starts_from_the_same_student(angle):
    _, moduli, angles = descend(angle)
    assert moduli[0] == pytest.approx(STUDENT[0], abs=1e-3)
    assert angles[0] == pytest.approx(STUDENT[1], abs=1e-2)


def test_the_plain_run_is_not_the_best_one():
    assert descend("polar")[0][-1] < 1e-6 < descend("optimal")[0][-1]
