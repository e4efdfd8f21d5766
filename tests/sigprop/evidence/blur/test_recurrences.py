"""The models that routes of BLUR's rows start from."""

import numpy as np
import pytest

from sigprop.evidence.blur.recurrences import model


def test_kinds_of_models_differ_as_they_say():
    equal, twins = (model(0, 2, 3, kind)[1] for kind in ("equal", "twins"))
    assert np.ptp(np.abs(equal.lam_f)) == 0
    assert equal.lam_f[0] != equal.lam_b[0]
    np.testing.assert_array_equal(twins.lam_f, twins.lam_b)
    np.testing.assert_array_equal(twins.B_f, 1)


def test_a_wide_model_has_eigenvalues_inside_the_ring_of_the_others():
    drawn, wide = (model(0, 64, 3, kind)[1].lam_f for kind in ("drawn", "wide"))
    assert np.abs(drawn).min() > 0.5 > np.abs(wide).min()
    assert np.abs(drawn).max() < 0.95 < np.abs(wide).max() < 1


def test_an_unknown_kind_of_model_is_refused():
    with pytest.raises(
        ValueError, match=r"need a kind in drawn, wide, .*, got 'round'"
    ):
        model(0, 2, 3, "round")
