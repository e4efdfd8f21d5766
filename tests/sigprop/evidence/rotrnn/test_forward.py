"""The listing runs where it can."""

import numpy as np
import pytest

from sigprop.evidence.rotrnn.forward import listing_outputs


def test_the_listing_stops_at_an_odd_head_size():
    assert np.isfinite(listing_outputs(1, 2, 4)).all()
    with pytest.raises(ValueError, match="All input arrays must have the same shape"):
        listing_outputs(1, 2, 3)
