"""The complex diagonal recurrence."""

import numpy as np

from sigprop.evidence.zucchet.networks.diagonal import diagonalised_print
from sigprop.evidence.zucchet.networks.models import layer_outputs


def test_a_late_input_changes_outputs_and_an_early_one_does_not():
    right = layer_outputs("dense", 2)
    np.testing.assert_allclose(diagonalised_print(2, late=0), right, atol=1e-12)
    assert np.abs(diagonalised_print(2) - right).max() > 0.1
