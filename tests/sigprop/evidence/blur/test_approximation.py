"""Norms of reconstructions, and widths of networks that approximate a function."""

import pytest

from sigprop.evidence.blur.approximation import (
    circle_norms,
    neurons_of_logistic,
    reconstruction_norms,
)


@pytest.mark.parametrize(("accuracy", "neurons"), [(0.1, 1), (0.2, 0)])
def test_a_logistic_function_needs_a_neuron_where_no_constant_is_near(
    accuracy, neurons
):
    # 1/(1 + exp(-0.8)) - 1/2 is 0.19
    assert neurons_of_logistic(1.0, 0.2, accuracy) == neurons


@pytest.mark.parametrize("spread", ["closing", "half"])
def test_norms_on_a_circle_are_those_of_orthogonal_columns(spread):
    for count in (3, 8):
        norms = reconstruction_norms(count, spread)
        assert norms == pytest.approx(circle_norms(count, spread), rel=1e-12)
