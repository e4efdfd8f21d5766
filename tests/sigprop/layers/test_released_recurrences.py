"""Layers of 2024 to 2026 give the numbers of code that others released.

The numbers are the last outputs after 40 inputs, in single precision, of this code:

- LinOSS: ``apply_linoss_im`` and ``apply_linoss_imex`` of ``models/LinOSS.py``,
  github.com/tk-rusch/linoss.
- Mamba-2: ``ssd_forward`` of the package mamba2-jax 1.1.2, in chunks of 16.
- Mamba-3: ``mamba3_siso_step_ref`` of ``tests/ops/triton/test_mamba3_siso.py``,
  github.com/state-spaces/mamba, carried over to NumPy.
- RWKV-7: ``generalized_delta_rule`` of the package rwkv-ops 0.11.3, in Keras on JAX.
- DeltaNet and DeltaProduct: ``delta_net_recurrent`` of rwkv-ops 0.11.3, whose tokens are
  repeated for each reflection.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import parameters, replace
from sigprop.layers.delta_product import delta_product
from sigprop.layers.linoss import linoss
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.rwkv7 import rwkv7
from sigprop.layers.ssd import ssd
from tests.sigprop.layers.helpers import run

KEY = jax.random.key(0)
TIME = 40

RELEASED = {
    "linoss-im": (
        lambda: linoss(5, 3, key=KEY),
        [-11.85898, 1.651377, 7.401888],
    ),
    "linoss-imex": (
        lambda: linoss(5, 3, key=KEY, discretisation="imex"),
        [-12.6477, 2.710896, 8.831796],
    ),
    "mamba-2": (
        lambda: ssd(4, 6, key=KEY, heads=3),
        [-0.04367211, -0.03811254, -0.1363083, 0.06510085, -0.3769972, -0.02696233],
    ),
    "mamba-3": (
        lambda: mamba3(4, 6, key=KEY, heads=3),
        [-0.5330808, 0.1597829, -0.1245259, -0.1150151, 0.5874164, 0.8200422],
    ),
    "rwkv-7": (
        lambda: rwkv7(3, 6, key=KEY, heads=2, rank=2),
        [-0.2651048, -0.2986782, 0.2048754, -0.2463355, 0.5837775, 0.2850905],
    ),
    "deltanet": (
        lambda: delta_product(3, 6, key=KEY, heads=2, reflections=1, largest=1.0),
        [0.07016757, -0.06710678, 0.04802351, 0.06842399, 0.04321108, 0.07951092],
    ),
    "deltaproduct": (
        lambda: delta_product(3, 6, key=KEY, heads=2, reflections=3),
        [-0.07137528, -0.07522923, 0.04110737, -0.4956454, 0.09190501, -0.06588577],
    ),
}


def by_cosines(layer):
    """The layer with entries that depend on no generator of random numbers."""
    values, count = {}, 0
    for name, old in sorted(parameters(layer).items()):
        n = np.arange(old.size) + count
        entries = 0.6 * np.cos(1.0 + n + 0.1 * n**2 / 7)
        values[name] = jnp.asarray(entries.reshape(old.shape), jnp.float32)
        count += old.size
    return replace(layer, values)


@pytest.mark.parametrize("name", RELEASED)
def test_the_last_output_is_that_of_released_code(name):
    draw, outputs = RELEASED[name]
    layer = by_cosines(draw())
    n = np.arange(TIME * layer.widths[0])
    u = np.sin(1.0 + n + 0.3 * n**2 / 11).reshape(TIME, -1)
    y = np.asarray(run(layer, jnp.asarray(u, jnp.float32)))
    assert y.dtype == np.float32
    np.testing.assert_allclose(y[-1], outputs, atol=1e-5 * np.abs(y).max())
