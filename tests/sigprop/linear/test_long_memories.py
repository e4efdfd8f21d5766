"""Moments of gated layers are within one percent of simulations at memories up to 1000."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import replace
from sigprop.layers.delta_product import delta_product
from sigprop.layers.hgrn2 import hgrn2
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.mlstm import mlstm
from sigprop.layers.rwkv7 import rwkv7
from sigprop.layers.ssd import ssd
from sigprop.linear.gated_moments import predict_gated

WIDTH, BATCH, MOST = 8, 4096, 600
MARGIN, SIGMAS = 0.01, 4.0  # a right moment fails once in 16 000 cases
KEY = jax.random.key(7)


def log_odds(share):
    return float(np.log(share / (1 - share)))


def _rwkv7(memory):
    layer = rwkv7(2, WIDTH, key=KEY, rank=2)
    shift = jnp.full_like(layer.w_bias, log_odds(0.5 / memory))
    return replace(layer, {"w_bias": shift, "a_bias": shift})


# A layer of about the memory, of which each value is a sample of one gate's past.
LAYERS = {
    "ssd": lambda memory: replace(
        ssd(2, WIDTH, key=KEY, steps=(0.05, 0.05)),
        {"A_log": jnp.log(jnp.array([1 / (0.05 * memory)]))},
    ),
    "hgrn2": lambda memory: hgrn2(2, WIDTH, key=KEY, bound=1 - 2 / memory),
    "mlstm": lambda memory: mlstm(
        2, WIDTH, key=KEY, offsets=(log_odds(1 - 1 / memory),) * 2
    ),
    "delta_product": lambda memory: delta_product(
        2, WIDTH, key=KEY, largest=min(2.0, 2 / memory)
    ),
    "mamba3": lambda memory: mamba3(2, WIDTH, key=KEY, steps=(1.4 / memory,) * 2),
    "rwkv7": _rwkv7,
}


@eqx.filter_jit
def last_squares(layer, key, steps):
    """``|h|^2`` at the end of a batch of sequences."""

    def body(t, carried):
        h, key = carried
        u = jax.random.normal(jax.random.fold_in(key, t), (BATCH, WIDTH))
        return jax.vmap(lambda state, now: layer.step(state, now)[0])(h, u), key

    zero = jnp.broadcast_to(layer.initial_state(), (BATCH, layer.state_size))
    h, _ = jax.lax.fori_loop(0, steps, body, (zero, key))
    return (h**2).sum(1)


@pytest.mark.parametrize("memory", [4, 60, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name != "rwkv7" else ())
        for name in LAYERS
    ],
)
def test_the_state_is_within_a_percent_of_a_simulation(name, memory):
    layer, steps = LAYERS[name](memory), 2 * memory
    value, error = predict_gated(layer, steps=steps)["state"]
    samples = np.zeros(0)
    for index in range(MOST):
        batch = last_squares(layer, jax.random.fold_in(KEY, index), steps)
        samples = np.concatenate([samples, np.asarray(batch, float)])
        sem = samples.std() / len(samples) ** 0.5
        if index > 0 and SIGMAS * sem + error < MARGIN * value:
            break
    assert SIGMAS * sem + error < MARGIN * value
    assert abs(samples.mean() - value) < SIGMAS * sem + error
