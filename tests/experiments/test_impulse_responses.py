"""What the responses to an impulse hold, and how often they turn."""

import math

import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.experiments import impulse_responses
from sigprop.neuron.ring import mean_turns
from sigprop.numerics.precision import double_precision


@pytest.fixture(scope="module")
def responses():
    return impulse_responses.run(impulse_responses.SMOKE)


def test_states_are_damped_cosines_of_phases_in_their_range(responses):
    phase, age = responses["phase"], responses["age"]
    exact = np.exp(-0.00005 * age) * np.cos(phase * age)
    states = responses["state"].transpose(*exact.dims)
    np.testing.assert_allclose(states, exact, atol=1e-6)
    np.testing.assert_allclose(responses["envelope"], 0.99995**age, atol=2e-6)
    full, small = phase.values
    assert full.max() > small.max()
    assert 0 <= small.min() < small.max() <= math.pi / 50
    assert responses["max_phase"].values.tolist() == [2 * math.pi, math.pi / 50]


def test_a_mode_turns_by_the_smaller_of_its_angles():
    """Between samples less than half a period passes, so that no zero is missed."""
    phase, lengths = np.array([0.3, math.pi - 0.1, math.pi + 0.2, 6.0]), (10, 500)
    with double_precision(True):
        lam = jnp.asarray(0.999 * np.exp(1j * phase))
        turns = np.asarray(impulse_responses._turns(lam, lengths))
    angle = np.minimum(phase, 2 * math.pi - phase)[:, None]
    zeros = np.floor(angle * (np.array(lengths) - 1) / math.pi + 0.5)
    np.testing.assert_array_equal(turns, zeros / 2)


def test_counted_turns_agree_with_the_mean_over_all_phases(responses):
    turns, exact = responses["turns"], responses["mean_turns"]
    error = turns.std("draw", ddof=1) / np.sqrt(turns.sizes["draw"])
    assert float(np.abs((turns.mean("draw") - exact) / error).max()) < 5
    swapped = exact[::-1].values
    assert (np.abs((turns.mean("draw") - swapped) / error) > 5).all()


@pytest.mark.parametrize("largest", [0.06, 1.7, math.pi, 4.0, 2 * math.pi])
def test_mean_of_turns_is_that_of_the_folded_phases(largest):
    phases = (np.arange(10_000) + 0.5) / 10_000 * largest
    folded = np.minimum(phases, 2 * math.pi - phases)
    exact = 700 * folded.mean() / (2 * math.pi)
    assert mean_turns(700, largest) == pytest.approx(exact, rel=1e-7)


@pytest.mark.parametrize("largest", [0.0, -1.0, 6.3])
def test_phases_beyond_the_circle_are_refused(largest):
    with pytest.raises(ValueError, match="need 0 < max_phase <= 2 pi, got"):
        mean_turns(10, largest)


def test_no_phase_is_drawn_twice_up_to_its_range(responses):
    share = responses["phase"] / responses["max_phase"]
    assert np.unique(np.round(share, 6)).size == share.size
