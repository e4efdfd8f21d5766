"""Signals whose rectified spectra are known."""

import numpy as np
import pytest

from sigprop.evidence.lru import spectral


@pytest.mark.parametrize("regions", [((0.3, 0.8),), ((0.3, 0.8), (-1.5, 0.4))])
def test_a_rectified_signal_is_positive_in_its_regions_only(regions):
    signal = spectral._roots(regions)
    inside = [centre for centre, _ in regions]
    outside = [edge + 0.01 for edge in (sum(region) for region in regions)]
    assert (signal(np.array(inside)) > 0).all()
    assert (signal(np.array(outside)) < 0).all()
