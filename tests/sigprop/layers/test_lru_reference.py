"""What the LRU is compared with has its parameters, and not its recurrence."""

import jax
import numpy as np
import pytest

from sigprop.experiments.speed_training import WAYS
from sigprop.layers.base import parameters
from sigprop.layers.lru import lru
from sigprop.layers.lru_reference import ForwardOnly, published, without_recurrence
from sigprop.networks.masking import apply_layer

LAYER = lru(3, 4, key=jax.random.key(0), r_min=0.5, r_max=0.9)
U = jax.random.normal(jax.random.key(1), (6, 4))


def test_without_a_recurrence_every_step_is_the_first_of_a_sequence():
    outputs = ForwardOnly(LAYER, without_recurrence)(U)
    alone = jax.vmap(lambda u: LAYER(u[None])[0])(U)
    np.testing.assert_allclose(outputs, alone, atol=1e-5)
    assert np.abs(outputs - LAYER(U)).max() > 0.1


def test_the_published_way_is_the_layer():
    np.testing.assert_allclose(ForwardOnly(LAYER, published)(U), LAYER(U), atol=1e-5)


@pytest.mark.parametrize("name", WAYS)
def test_a_network_takes_every_timed_way_for_its_layer(name):
    way = WAYS[name](LAYER)
    np.testing.assert_array_equal(apply_layer(way, U, None), way(U))
    assert set(parameters(way)) == set(way.groups())
    if isinstance(way, ForwardOnly):
        assert {f"layer.{group}" for group in LAYER.groups()} == set(way.groups())


def test_a_way_has_no_steps_to_show():
    way = ForwardOnly(LAYER, without_recurrence)
    for call in (
        way.initial_state,
        lambda: way.step(None, U[0]),
        lambda: way.states(U),
        lambda: way.read(None, U),
    ):
        with pytest.raises(TypeError, match="need a whole sequence for a ForwardOnly"):
            call()
