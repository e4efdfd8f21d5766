"""Networks for pairs: one network reads two sequences, and a head compares the features.

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
    """Network that compares two sequences; built if ``NetworkConfig.head`` is ``pair``.

    The network ``tower`` reads each of the two sequences, and ``head`` compares their
    features.  Batch normalisation treats both sequences of all pairs as one batch.

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
        """Configuration from which the network was built."""
        return self.tower.config

    def __call__(
        self,
        u: Num[Array, "2 time *features"],
        state: eqx.nn.State,
        *,
        length: Int[Array, "2"] | None = None,
        key: PRNGKeyArray | None = None,
    ) -> tuple[Float[Array, " outputs"], eqx.nn.State]:
        """Compute the outputs of one pair of sequences.

        Args:
            u: Inputs of shape (2, time, inputs), or tokens of shape (2, time).
            state: State of the batch normalisations.
            length: Number of valid steps of each of the two sequences. By default all
                steps are valid.
            key: Random key for dropout, needed only in training with dropout.

        Returns:
            The outputs, and the new state of the batch normalisations.

        Raises:
            ValueError: In the same cases as for ``Network.__call__``.
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
    """Concatenate ``x1``, ``x2``, ``x1 - x2`` and ``x1 x2``."""
    return jnp.concatenate([first, second, first - second, first * second])


def draw_towers(key: PRNGKeyArray, config: NetworkConfig) -> TwoTowers:
    """Draw a network for pairs, whose head has one hidden layer as wide as the network."""
    tower_key, head_key = jax.random.split(key)
    return TwoTowers(
        tower=draw_network(tower_key, config, (BATCH, PAIR), decode=False),
        head=eqx.nn.MLP(
            4 * config.width, config.outputs, config.width, 1, gelu, key=head_key
        ),
    )
