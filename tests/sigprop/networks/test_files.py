"""A network in a file: the same outputs, and nothing read that is no network."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.lru import lru
from sigprop.networks import (
    NetworkConfig,
    build,
    load_network,
    save_network,
)
from sigprop.networks.files import save
from tests.sigprop.networks.small import in_batch

CONFIG = NetworkConfig(
    inputs=3, outputs=2, width=4, state_size=5, depth=2, layer="lru", dropout=0.1
)


@pytest.mark.parametrize("suffix", [".safetensors", ".npz"])
@pytest.mark.sampled(keep=[".safetensors"])
def test_a_network_comes_back_with_its_running_averages(tmp_path, suffix):
    network, state = build(CONFIG, key=jax.random.key(0))
    u = 3 + jax.random.normal(jax.random.key(1), (6, 11, 3))
    _, state = in_batch(network, state, u, key=jax.random.key(2))
    path = save_network(tmp_path / f"network{suffix}", network, state)
    loaded, restored = load_network(path)
    assert loaded.config == CONFIG
    expected, fresh, repeated = (
        in_batch(eqx.nn.inference_mode(model), its, u)[0]
        for model, its in (
            (network, state),
            (network, build(CONFIG, key=jax.random.key(0))[1]),
            (loaded, restored),
        )
    )
    np.testing.assert_array_equal(repeated, expected)
    assert float(jnp.max(jnp.abs(fresh - expected))) > 0.1


def test_a_layer_is_no_network(tmp_path):
    path = save(
        tmp_path / "layer.npz", lru(5, 4, key=jax.random.key(0)), {"state_size": 5}
    )
    with pytest.raises(ValueError, match="need the keys"):
        load_network(path)
