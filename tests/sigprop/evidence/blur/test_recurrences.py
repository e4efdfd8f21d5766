"""The models that routes of BLUR's rows start from."""

import numpy as np
import pytest

from sigprop.evidence.blur.recurrences import model


def test_kinds_of_models_differ_as_they_say():
    random_model, ones = (model(0, 2, 3, kind)[1] for kind in ("drawn", "ones"))
    np.testing.assert_array_equal(random_model.lam_f, ones.lam_f)
    np.testing.assert_array_equal([ones.B_f, ones.B_b], 1)
    assert len({*random_model.lam_f, *random_model.lam_b}) == 4


def test_an_unknown_kind_of_model_is_refused():
    with pytest.raises(ValueError, match="need a kind in drawn, ones, got 'round'"):
        model(0, 2, 3, "round")
