"""The models that routes of BLUR's rows start from."""

import numpy as np

from sigprop.evidence.blur.recurrences import model


def test_kinds_of_models_differ_as_they_say():
    equal, twins = (model(0, 2, 3, kind)[1] for kind in ("equal", "twins"))
    assert np.ptp(np.abs(equal.lam_f)) == 0
    assert equal.lam_f[0] != equal.lam_b[0]
    np.testing.assert_array_equal(twins.lam_f, twins.lam_b)
    np.testing.assert_array_equal(twins.B_f, 1)
