"""Moments of waves, by the autocovariance that they have."""

import numpy as np
import pytest

from sigprop.evidence.zucchet.moments import lines
from sigprop.evidence.zucchet.proofs.sequences import (
    AGES,
    QUARTER,
    REAL_SPECTRUM,
    UNEVEN,
)
from sigprop.theory.papers.zucchet.conditions import is_even

LAM = 0.4 - 0.3j


def for_any_input(lam, R):
    """``(R(0) + 2 Re sum conj(lam)^D R(D)) / (1 - |lam|^2)``, of the note of Eq. 45."""
    lags = sum(np.conj(lam) ** lag * R(lag) for lag in range(1, AGES))
    return (R(0) + 2 * lags.real) / (1 - abs(lam) ** 2)


@pytest.mark.parametrize("R", [REAL_SPECTRUM, UNEVEN, QUARTER])
def test_the_form_for_any_input_holds_for_waves_of_every_sense(R):
    for route in (lines.moment_of_lines, lines.moment_by_scan):
        moment = route(lines.OF_STATE, LAM, R)
        assert moment == pytest.approx(complex(for_any_input(LAM, R)), rel=1e-11)
    assert is_even(R) == (R is REAL_SPECTRUM)


def test_a_wave_at_the_phase_of_the_eigenvalue_adds_up():
    # 1/(1 - 0.5)^2 and 1/(1 - 0.5)^4: every input comes in the same phase.
    state, derivative = (
        lines.moment_of_lines(q, 0.5j, QUARTER)
        for q in (lines.OF_STATE, lines.OF_SENSITIVITY)
    )
    assert (state, derivative) == pytest.approx((4, 16))
