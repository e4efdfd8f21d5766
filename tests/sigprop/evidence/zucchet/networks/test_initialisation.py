"""The gates of a GRU at chrono initialisation."""

import pytest

from sigprop.evidence.zucchet.networks.initialisation import chrono_gate


@pytest.mark.parametrize("times", [1.0, 2.0])
def test_a_chrono_gate_has_the_odds_that_it_is_given(times):
    gate = chrono_gate(0.9, times)
    assert gate / (1 - gate) == pytest.approx(times / 0.1)
