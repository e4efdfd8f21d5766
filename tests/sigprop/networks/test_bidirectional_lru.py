"""The bidirectional LRU against two LRUs, one of which reads backwards."""

import equinox as eqx
import jax
import jax.numpy as jnp
import pytest

from sigprop.layers.base import count_parameters, parameters
from sigprop.layers.bidirectional_lru import bidirectional_lru
from sigprop.layers.lru import lru
from tests.sigprop.networks.small import close, noise, trees_close, weighted


@pytest.fixture
def layer(x64):
    return bidirectional_lru(5, 3, key=jax.random.key(0), r_min=0.4, r_max=0.9)


def test_it_is_an_lru_each_way_with_one_skip(layer):
    u = noise(11, 3)
    forward, backward = layer.halves()
    skip = layer.D[None] * u
    close(layer(u), forward(u) + backward(u[::-1])[::-1] - skip)


def test_the_directions_share_all_but_their_readout(layer):
    forward, backward = layer.halves()
    trees_close(
        eqx.tree_at(lambda half: [half.C_re, half.C_im], forward, [0, 0]),
        eqx.tree_at(lambda half: [half.C_re, half.C_im], backward, [0, 0]),
    )
    assert float(jnp.abs(forward.C_re - backward.C_re).min()) > 0
    single = lru(5, 3, key=jax.random.key(0))
    assert count_parameters(layer) == count_parameters(single) + 2 * 3 * 5


def test_both_readouts_have_the_lrus_law():
    """The mean square of n normal numbers has a standard error of sqrt(2 / n)."""
    layer = bidirectional_lru(200, 200, key=jax.random.key(1))
    for half in (0, 1):
        size = float(jnp.mean(layer.C_re[half] ** 2)) * 200
        assert abs(size - 1) < 5 * (2 / 200**2) ** 0.5 < 0.05


def test_every_output_sees_every_input(layer):
    jacobian = jax.jacrev(layer)(noise(6, 3))
    assert float(jnp.abs(jacobian).max((1, 3)).min()) > 1e-4


def test_every_parameter_has_a_group_and_a_gradient(layer):
    assert set(parameters(layer)) == set(layer.groups())
    gradient = eqx.filter_grad(lambda model: weighted(model(noise(6, 3))))(layer)
    for name, value in parameters(gradient).items():
        assert float(jnp.abs(value).max()) > 1e-4, name


def test_it_has_no_step(layer):
    with pytest.raises(TypeError, match="need the whole sequence"):
        layer.step(layer.initial_state(), jnp.ones(3))


def test_lengths_zero_and_one_work(layer):
    assert layer(jnp.ones((0, 3))).shape == (0, 3)
    assert layer(jnp.ones((1, 3))).shape == (1, 3)


def test_a_wrong_normalisation_is_refused():
    with pytest.raises(ValueError, match="need gamma in"):
        bidirectional_lru(5, 3, key=jax.random.key(0), gamma="unit")
