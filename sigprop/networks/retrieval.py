"""Two towers: one network reads two sequences, and a head compares what it found.

Source: Tay et al. (2021), Section 2.2.3, for the task; Smith et al. (2023) for the head.
"""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.nn import gelu
from jaxtyping import Array, Float, Int, Num, PRNGKeyArray

from sigprop.networks.config import NetworkConfig
from sigprop.networks.network import BATCH, Network, draw_network

PAIR = "pair"


@final
class TwoTowers(eqx.Module):
    """The network on pairs; build one with ``head="pair"``.

    Both sequences of all pairs make one batch to the batch normalisations.

    Example:
        >>> from sigprop.networks import NetworkConfig, build
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", head="pair", **sizes)
        >>> network, _ = build(config, key=jax.random.key(0))
        >>> isinstance(network, TwoTowers), network.config.head
        (True, 'pair')
    """

    tower: Network
    head: eqx.nn.MLP

    @property
    def config(self) -> NetworkConfig:
        """The configuration from which the network was built."""
        return self.tower.config

    def __call__(
        self,
        u: Num[Array, "2 time *features"],
        state: eqx.nn.State,
        *,
        length: Int[Array, "2"] | None = None,
        key: PRNGKeyArray | None = None,
    ) -> tuple[Float[Array, " outputs"], eqx.nn.State]:
        """Outputs of one pair, and the state of the batch normalisations.

        Raises:
            ValueError: As a call of ``Network`` on each of the two.
        """
        keys = None if key is None else jax.random.split(key)

        def embed(state, u, length, key):
            return self.tower(u, state, length=length, key=key)

        towers = jax.vmap(
            embed, in_axes=(None, 0, 0, 0), out_axes=(0, None), axis_name=PAIR
        )
        (first, second), state = towers(state, u, length, keys)
        return self.head(compare(first, second)), state


def compare(
    first: Float[Array, " width"], second: Float[Array, " width"]
) -> Float[Array, " four_widths"]:
    """``x1, x2, x1 - x2, x1 x2``, side by side."""
    return jnp.concatenate([first, second, first - second, first * second])


def draw_towers(key: PRNGKeyArray, config: NetworkConfig) -> TwoTowers:
    """Draw the tower, and a head of one hidden layer as wide as the network."""
    tower_key, head_key = jax.random.split(key)
    return TwoTowers(
        tower=draw_network(tower_key, config, (BATCH, PAIR), decode=False),
        head=eqx.nn.MLP(
            4 * config.width, config.outputs, config.width, 1, gelu, key=head_key
        ),
    )
