"""The residual block: ``x + dropout(mix(layer(norm(x))))``.

Source: Orvieto et al. (2023), Appendix D.1; Zucchet & Orvieto (2024), Appendix D.1;
BLUR (2025), Eq. 12-13.
"""

from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.nn import gelu, sigmoid
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Layer
from sigprop.networks.config import NetworkConfig
from sigprop.networks.masking import Length, apply_layer
from sigprop.networks.normalisation import Norm, build_norm, normalise
from sigprop.networks.registry import sequence_layer


@final
class GLU(eqx.Module):
    """Gated linear unit ``(W_v g + b_v) s(W_g g + b_g)`` with ``s`` the sigmoid.

    If ``value`` is ``None``, the unit is ``g s(W_g g + b_g)``.

    Source: Dauphin et al. (2017), Eq. 1; Smith et al. (2023) for the unit without
    ``value``.
    """

    value: eqx.nn.Linear | None
    gate: eqx.nn.Linear

    def __call__(self, g: Float[Array, " width"]) -> Float[Array, " width"]:
        """Apply the unit to the features of one step."""
        value = g if self.value is None else self.value(g)
        return value * sigmoid(self.gate(g))


@final
class Block(eqx.Module):
    """Residual block of norm, layer, mixing and skip; build one with ``build_block``.

    ``mixing`` is a ``GLU`` of ``dropout(gelu(y))``, an MLP with one hidden layer as wide as
    the block, or ``None``.  ``skip`` is a linear map, BLUR's ``C``, or ``None`` for the
    identity.

    Dropout drops a feature at all steps of a sequence, once in the mixing and once after
    it.  The papers do not say so; we follow public implementations of S5 and the LRU.
    """

    norm: Norm
    layer: Layer
    mixing_norm: Norm
    mixing: GLU | eqx.nn.MLP | None
    skip: eqx.nn.Linear | None
    dropout: eqx.nn.Dropout

    def __call__(
        self,
        x: Float[Array, "time width"],
        state: eqx.nn.State,
        *,
        length: Length = None,
        key: PRNGKeyArray | None = None,
    ) -> tuple[Float[Array, "time width"], eqx.nn.State]:
        """Return the next features of a sequence, and the state of the normalisations."""
        u, state = normalise(self.norm, x, state, length)
        return self.complete(x, apply_layer(self.layer, u, length), state, length, key)

    def step(
        self, h: Any, x: Float[Array, " width"], state: eqx.nn.State
    ) -> tuple[Any, Float[Array, " width"]]:
        """Take one input in inference; return the layer's next state and the features.

        Raises:
            TypeError: If the layer is bidirectional.
        """
        u, state = normalise(self.norm, x[None], state, None)
        h, y = self.layer.step(h, u[0])
        features, _ = self.complete(x[None], y[None], state, None, None)
        return h, features[0]

    def complete(
        self,
        x: Float[Array, "time width"],
        y: Float[Array, "time width"],
        state: eqx.nn.State,
        length: Length,
        key: PRNGKeyArray | None,
    ) -> tuple[Float[Array, "time width"], eqx.nn.State]:
        """Finish a call, from the inputs ``x`` of the block and outputs ``y`` of its layer."""
        keys = (None, None) if key is None else jax.random.split(key)
        if isinstance(self.mixing, GLU):
            y = self._drop(gelu(y), keys[0])
        y, state = normalise(self.mixing_norm, y, state, length)
        if self.mixing is not None:
            y = jax.vmap(self.mixing)(y)
        y = self._drop(y, keys[1])
        return y + (x if self.skip is None else jax.vmap(self.skip)(x)), state

    def _drop(self, y, key):
        return y * self.dropout(jnp.ones(y.shape[1], y.dtype), key=key)[None]


def build_block(
    key: PRNGKeyArray, config: NetworkConfig, axes: tuple[str, ...]
) -> Block:
    """Draw a residual block.

    Linear maps are initialised as in Equinox: weights and biases are uniform, with
    variance one over three times the number of inputs.

    Args:
        key: Random key of JAX; do not use it for anything else.
        config: Configuration of the network.
        axes: Names of the ``jax.vmap`` axes over which batches are normalised.
    """
    layer_key, value_key, gate_key, skip_key = jax.random.split(key, 4)
    width = config.width
    layer = sequence_layer(
        config.layer, config.state_size, width, key=layer_key, **config.layer_options
    )
    mixing = None
    if config.mixing == "mlp":
        mixing = eqx.nn.MLP(width, width, width, 1, gelu, key=value_key)
    elif config.mixing != "none":
        full = config.mixing == "glu"
        mixing = GLU(
            value=eqx.nn.Linear(width, width, key=value_key) if full else None,
            gate=eqx.nn.Linear(width, width, key=gate_key),
        )
    skip = None
    if config.skip == "linear":
        skip = eqx.nn.Linear(width, width, use_bias=False, key=skip_key)
    return Block(
        norm=build_norm(config.norm, width, axes),
        layer=layer,
        mixing_norm=build_norm(config.norm, width, axes)
        if config.mixing_norm
        else None,
        mixing=mixing,
        skip=skip,
        dropout=eqx.nn.Dropout(config.dropout),
    )
