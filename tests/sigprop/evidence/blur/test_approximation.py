"""Widths of networks that approximate a function."""

import pytest

from sigprop.evidence.blur.approximation import padded_neurons


def test_a_network_that_misses_its_accuracy_is_refused():
    at = {"states": 1.0, "outputs": 1.0, "radius": 1.0, "barron": 0.3, "Theta": 1.0}
    with pytest.raises(ValueError, match="need an error of at most"):
        padded_neurons(**at, accuracy=-1.0, padding=0)
