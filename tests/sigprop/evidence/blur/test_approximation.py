"""Norms of reconstructions, and widths of networks that approximate a function."""

import pytest

from sigprop.evidence.blur.approximation import (
    circle_norms,
    padded_neurons,
    reconstruction_norms,
)


def test_a_network_that_misses_its_accuracy_is_refused():
    at = {"states": 1.0, "outputs": 1.0, "radius": 1.0, "barron": 0.3, "Theta": 1.0}
    with pytest.raises(ValueError, match="need an error of at most"):
        padded_neurons(**at, accuracy=-1.0, padding=0)


@pytest.mark.parametrize("spread", ["closing", "half"])
def test_norms_on_a_circle_are_those_of_orthogonal_columns(spread):
    for count in (3, 8):
        norms = reconstruction_norms(count, spread)
        assert norms == pytest.approx(circle_norms(count, spread), rel=1e-12)
