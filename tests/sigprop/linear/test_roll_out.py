"""What a linear layer says after its last input: powers of one matrix, and the loop."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.blur import blur
from sigprop.layers.dense import linear_rnn
from sigprop.layers.gru import gru
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.s4 import s4
from sigprop.linear.linearise import linearise
from sigprop.linear.roll_out import fed_back, fed_back_by_step, silent

LAYERS = {
    "lru": lambda key: lru(key, 5, 3, r_min=0.4, r_max=0.95),
    "s4": lambda key: s4(key, 5, 3, 3, nu0=0.5, theta0=2.0),
    "rotrnn": lambda key: rotrnn(key, 4, 3, heads=2),
    "dense": lambda key: linear_rnn(key, 6, 3, 3, nu0=0.8, theta0=1.0),
}
STEPS = 20
layers = pytest.mark.parametrize("name", LAYERS)


def drawn(name, seed):
    """A layer, and a window that it reads."""
    key, window = jax.random.split(jax.random.key(seed))
    return LAYERS[name](key), jax.random.normal(window, (11, 3))


@layers
@pytest.mark.parametrize("seed", [0, 4])
def test_feeding_outputs_back_is_one_power_of_one_matrix(name, seed, x64):
    layer, u = drawn(name, seed)
    found = fed_back(layer, u, STEPS)
    looped = np.asarray(jax.jit(fed_back_by_step, static_argnums=2)(layer, u, STEPS))
    assert found.shape == (STEPS, 3)
    np.testing.assert_allclose(found, looped, rtol=1e-9, atol=1e-9 * abs(looped).max())
    # The first answer is the layer's own to the window, the second to one row more.
    np.testing.assert_allclose(found[0], layer(u)[-1], rtol=1e-9, atol=1e-12)
    longer = jnp.concatenate([u, jnp.asarray(found[:1])])
    np.testing.assert_allclose(found[1], layer(longer)[-1], rtol=1e-9, atol=1e-12)


@layers
@pytest.mark.parametrize("seed", [0, 4])
def test_without_inputs_the_state_decays_by_itself(name, seed, x64):
    layer, u = drawn(name, seed)
    found = silent(layer, layer.states(u)[-1], STEPS)
    padded = jnp.concatenate([u, jnp.zeros((STEPS, 3))])
    truth = np.asarray(layer(padded))[len(u) :]
    np.testing.assert_allclose(found, truth, rtol=1e-9, atol=1e-9 * abs(truth).max())
    assert silent(layer, layer.states(u)[-1], 0).shape == (0, 3)


def test_a_complex_state_is_not_fed_back_by_its_complex_matrices(x64):
    """``Re(C h)`` is not linear over the complex numbers: two real parts are needed."""
    layer, u = drawn("lru", 0)
    A, B, C, D = (np.asarray(part) for part in linearise(layer))
    once = np.block([[A + B @ C, B @ D], [C, D]])
    start = np.concatenate([np.asarray(layer.states(u)[-1]), np.asarray(u[-1])])
    naive = (np.hstack([C, D]) @ np.linalg.matrix_power(once, 3) @ start).real
    assert np.abs(naive - fed_back(layer, u, 4)[3]).max() > 1e-3


def test_what_has_no_closed_form_is_refused():
    u = jnp.ones((4, 3))
    key = jax.random.key(0)
    with pytest.raises(ValueError, match="need a linear layer, got GRU"):
        fed_back(gru(key, 3, 3, 3, times=(1.0, 4.0)), u, 2)
    with pytest.raises(TypeError, match="need a causal layer, got BLUR"):
        fed_back(blur(key, 3, 3), u, 2)
    wide = s4(key, 4, 3, 2, nu0=0.5, theta0=1.0)
    for roll in (fed_back, fed_back_by_step):
        with pytest.raises(ValueError, match="as many outputs as inputs"):
            roll(wide, u, 2)
        with pytest.raises(ValueError, match="0 rows"):
            roll(LAYERS["lru"](key), u[:0], 2)
