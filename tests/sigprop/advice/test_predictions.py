"""Predictions before training at inputs whose variance is not one."""

import jax
import numpy as np
import pytest

from sigprop.advice.predictions import predict_initialisation
from sigprop.audit.autocovariance import Exponentials
from sigprop.layers.mingru import mingru
from sigprop.linear.gated_moments import predict_gated


def test_gates_see_inputs_of_the_deviation_that_the_spectrum_has(x64):
    layer = jax.jit(lambda key: mingru(2, 3, key=key))(jax.random.key(0))
    loud = Exponentials(np.array([9.0]), np.array([0.0]))
    exact = predict_gated(layer, scale=3.0)
    prediction = predict_initialisation(layer, loud)
    assert prediction.state.sum() == pytest.approx(exact["state"].value, rel=1e-6)
    for name, value in prediction.gradient.items():
        assert value == pytest.approx(exact[name].value, rel=1e-6)
