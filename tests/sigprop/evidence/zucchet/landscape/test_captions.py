"""Wells of one unit's loss."""

import math

import numpy as np
import pytest

from sigprop.evidence.zucchet.landscape.responses import kernel, normalised


@pytest.mark.parametrize("nu", [0.3, 0.9])
def test_the_whole_circle_descends_to_the_teacher_however_sharp_the_well(nu):
    turns = np.linspace(0, math.pi, 400)
    losses = [normalised(kernel, nu * np.exp(1j * turn), nu) for turn in turns]
    assert (np.diff(losses) > 0).all()
