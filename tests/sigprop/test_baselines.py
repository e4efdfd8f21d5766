"""What the LRU is compared with has its parameters, and not its recurrence."""

import jax
import numpy as np

from sigprop.baselines import Way, still, usual
from sigprop.layers.lru import lru

LAYER = lru(jax.random.key(0), 3, 4, r_min=0.5, r_max=0.9)
U = jax.random.normal(jax.random.key(1), (6, 4))


def test_without_a_recurrence_every_step_is_the_first_of_a_sequence():
    found = Way(LAYER, still)(U)
    alone = jax.vmap(lambda u: LAYER(u[None])[0])(U)
    np.testing.assert_allclose(found, alone, atol=1e-5)
    assert np.abs(found - LAYER(U)).max() > 0.1


def test_the_usual_way_is_the_layer():
    np.testing.assert_allclose(Way(LAYER, usual)(U), LAYER(U), atol=1e-5)
