"""Heads of the delta rule with inputs that remember: sampled sequences, and no memory."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1
from sigprop.layers.deltanet import deltanet
from sigprop.linear.gated_moments import predict_gated, squares
from sigprop.neuron.delta import Head
from sigprop.neuron.delta_correlated import (
    correlated_delta_moments,
    mutated_correlated_delta_moments,
)
from sigprop.neuron.delta_moments import delta_moments

STEPS, WIDTH, NUM, RHO = 12, 4, 40_000, 0.9
NAMES = ("state", "W_v", "W_beta")
FAR = 5.0  # standard errors


def head(d=4, seed=0):
    draws = np.random.default_rng(seed)
    shapes = (2, d), (2, d), d
    return Head(
        *(draws.normal(size=shape) / 2 for shape in shapes), None, 0.0, 0.0, 1e-6
    )


@pytest.fixture(scope="module", params=[0, 5])
def sampled(request):
    """A layer, and squares of its state and slopes over AR(1) sequences."""
    seed = request.param
    with jax.enable_x64(True):
        layer = deltanet(2, WIDTH, key=jax.random.key(seed))
        layer = jax.tree.map(lambda leaf: 2 * jnp.asarray(leaf, float), layer)
        series = AR1(RHO).sample(jax.random.key(seed + 1), NUM * WIDTH, STEPS)
        u = jnp.moveaxis(series.reshape(NUM, WIDTH, STEPS), 1, 2)
        samples = {name: np.asarray(x) for name, x in squares(layer)(u).items()}
    return layer, samples


@pytest.mark.usefixtures("x64")
def test_moments_are_those_of_sampled_sequences(sampled):
    layer, samples = sampled
    moments = predict_gated(layer, terms=((1.0, RHO),), steps=STEPS)
    alone, count = predict_gated(layer, steps=STEPS), 0
    for name, (value, error) in moments.items():
        mean, sem = samples[name].mean(), samples[name].std() / NUM**0.5
        assert abs(mean - value) < FAR * sem + error, name
        assert error < 0.02 * value
        count += abs(mean - alone[name].value) > 2 * FAR * sem
    assert count >= 2  # as if independent they are others


def test_without_memory_they_are_those_of_independent_inputs():
    delta_head = head()
    known = delta_moments(delta_head, NAMES, steps=5)
    moments = correlated_delta_moments(delta_head, NAMES, terms=((1.0, 0.0),), steps=5)
    for name, (value, error) in moments.items():
        np.testing.assert_allclose(value, known[name][0], rtol=0.01)
        assert abs(value - known[name][0]) < 3 * error + 1e-3 * value


def test_a_mutant_in_a_gate_moves_them():
    delta_head, options = head(), {"terms": ((1.0, 0.5),), "steps": 3}
    right = correlated_delta_moments(delta_head, NAMES, **options)
    wrong = mutated_correlated_delta_moments(
        lambda gates: gates._replace(slope=gates.beta), delta_head, NAMES, **options
    )
    assert wrong["state"] == right["state"]
    assert wrong["W_beta"][0] > 1.5 * right["W_beta"][0]


def test_what_is_too_much_is_refused():
    terms = ((1.0, 0.5),)
    with pytest.raises(
        ValueError, match=r"need one term and 2 to 5 inputs .* 6 inputs"
    ):
        correlated_delta_moments(head(6), NAMES, terms=terms, steps=2)
    with pytest.raises(ValueError, match=r"need steps for heads .* got none"):
        correlated_delta_moments(head(), NAMES, terms=terms, steps=None)
    with pytest.raises(ValueError, match="got 2 terms"):
        correlated_delta_moments(head(), NAMES, terms=2 * terms, steps=2)
