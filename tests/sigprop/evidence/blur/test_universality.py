"""Inputs from states, where all of it can be followed."""

import numpy as np
import pytest

from sigprop.evidence.blur import universality


@pytest.mark.parametrize("spread", ["circle", "real"])
@pytest.mark.parametrize("route", ["elimination", "interpolation"])
def test_inputs_are_recovered_in_their_order(route, spread, monkeypatch):
    inputs = np.array([3.0, -1.0, 0.5])
    monkeypatch.setattr(universality, "exact_inputs", lambda k, spread: inputs)
    values = getattr(universality, f"recovered_by_{route}")(k=3, spread=spread)
    np.testing.assert_allclose(values, inputs, rtol=1e-15)
