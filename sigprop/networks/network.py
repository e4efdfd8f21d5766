"""Deep network of an encoder, residual blocks, pooling and a decoder.

``network(u, state, length=..., key=...)`` reads one sequence, ``over_batch`` reads a batch,
and ``step`` reads one input at a time.  A network from ``build`` is in training mode.  In
inference mode, ``equinox.nn.inference_mode(network)``, there is no dropout, and batch
normalisations use running averages.

Source: Orvieto et al. (2023), Section 2 and Appendix D.1.
"""

from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Inexact, Int, Num, PRNGKeyArray

from sigprop.networks.blocks import Block, build_block
from sigprop.networks.config import NetworkConfig
from sigprop.networks.masking import Length, clear_padding
from sigprop.networks.normalisation import BatchNorm
from sigprop.numerics.arguments import require_moderate

BATCH = "batch"

Stream = tuple[tuple[Any, ...], tuple[Float[Array, ""], Float[Array, " width"]]]


@final
class Network(eqx.Module):
    """Deep network of sequence layers; build one with ``sigprop.networks.build``.

    If ``decoder`` is ``None``, the outputs are the features after pooling.

    Example:
        >>> from sigprop.networks import NetworkConfig, build
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 2}
        >>> config = NetworkConfig(layer="lru", **sizes)
        >>> network, _ = build(config, key=jax.random.key(0))
        >>> isinstance(network, Network), network.causal, len(network.blocks)
        (True, True, 2)
    """

    encoder: eqx.nn.Linear | eqx.nn.Embedding
    blocks: tuple[Block, ...]
    decoder: eqx.nn.Linear | None
    config: NetworkConfig = eqx.field(static=True)

    @property
    def causal(self) -> bool:
        """True if all layers are causal, so that no feature depends on later inputs."""
        return all(block.layer.causal for block in self.blocks)

    @property
    def training(self) -> bool:
        """True if dropout is active or normalisations use moments of the batch."""
        drops = self.config.dropout > 0 and not self.blocks[0].dropout.inference
        norm = self.blocks[0].norm
        return drops or (isinstance(norm, BatchNorm) and not norm.inference)

    def __call__(
        self,
        u: Num[Array, "time *features"],
        state: eqx.nn.State,
        *,
        length: Length = None,
        key: PRNGKeyArray | None = None,
    ) -> tuple[Inexact[Array, "*time outputs"], eqx.nn.State]:
        """Compute the outputs of one sequence.

        Args:
            u: Inputs of shape (time, inputs), or tokens of shape (time,) for an embedding.
            state: State of the batch normalisations, from ``build`` or from the
                previous call in training.
            length: Number of valid steps; the steps after them are padding, whose values
                have no effect. By default all steps are valid.
            key: Random key for dropout, needed only in training with dropout.

        Returns:
            The outputs and the new state of the batch normalisations. With pooling, the
            outputs are one vector. Without pooling, they have one row per step, and the
            rows of the padding are zero.

        Raises:
            ValueError: If the inputs have a wrong shape or type; if there is no step to
                pool; if ``length`` is out of range; if a token is not in the
                vocabulary; if ``key`` is missing in training with dropout; or if the
                network needs a batch for batch normalisation (see ``over_batch``). If
                JAX traces the tokens, a token outside the vocabulary gives NaNs
                instead.
        """
        x, state = self.features(u, state, length=length, key=key)
        if self.decoder is None:
            return x, state
        if x.ndim == 1:
            return self.decoder(x), state
        return clear_padding(jax.vmap(self.decoder)(x), length), state

    def features(
        self,
        u: Num[Array, "time *features"],
        state: eqx.nn.State,
        *,
        length: Length = None,
        key: PRNGKeyArray | None = None,
    ) -> tuple[Float[Array, "*time width"], eqx.nn.State]:
        """Compute the features after the last block and pooling, for the decoder.

        Args:
            u: Inputs of shape (time, inputs), or tokens of shape (time,) for an embedding.
            state: State of the batch normalisations.
            length: Number of valid steps; the steps after them are padding. By default
                all steps are valid.
            key: Random key for dropout, needed only in training with dropout.

        Returns:
            The features, and the new state of the batch normalisations.

        Raises:
            ValueError: In the same cases as for ``Network.__call__``.
        """
        self._require(u, length, key)
        x = self.encode(u, length)
        keys = [None] * len(self.blocks)
        if key is not None:
            keys = jax.random.split(key, len(self.blocks))
        for block, block_key in zip(self.blocks, keys, strict=True):
            x, state = block(x, state, length=length, key=block_key)
        return self.pool(x, length), state

    def initial_states(self) -> Stream:
        """Return the first ``stream`` for ``step``: zero states and zero sums."""
        states = tuple(block.layer.initial_state() for block in self.blocks)
        total = jnp.zeros(self.config.width, self.encoder.weight.dtype)
        return states, (jnp.zeros_like(total[0]), total)

    def step(
        self, stream: Stream, u: Num[Array, "*features"], state: eqx.nn.State
    ) -> tuple[Stream, Float[Array, " outputs"]]:
        """Read the input of one step, and return the next ``stream`` and the outputs.

        The network must be in inference mode.  If it pools, the outputs after ``t``
        steps equal the result of a call of the network with all ``t`` inputs at once.
        If it does not pool, the outputs equal the last row of that result.

        Args:
            stream: States of the layers, and for mean pooling the number of steps so
                far and the sum of the features over these steps. It comes from
                ``initial_states`` or from the previous ``step``.
            u: Inputs of shape (inputs,) of one step, or one token.
            state: State of the batch normalisations, which does not change.

        Raises:
            ValueError: If the network is in training mode, or ``u`` has a wrong shape.
            TypeError: If a layer of the network is bidirectional.
        """
        if self.training:
            raise ValueError(
                "need inference mode for one step at a time, got a network in training; "
                "call equinox.nn.inference_mode(network) first"
            )
        self._require(u[None], None, None)
        states, (steps, total) = stream
        x, following = self.encode(u[None], None)[0], []
        for block, h in zip(self.blocks, states, strict=True):
            h, x = block.step(h, x, state)
            following.append(h)
        steps, total = steps + 1, total + x
        if self.config.pooling == "mean":
            x = total / steps
        outputs = x if self.decoder is None else self.decoder(x)
        return (tuple(following), (steps, total)), outputs

    def encode(
        self, u: Num[Array, "time *features"], length: Length
    ) -> Float[Array, "time width"]:
        """Compute the inputs of the first block, ignoring values in the padding."""
        u = clear_padding(u, length)
        if isinstance(self.encoder, eqx.nn.Linear):
            return jax.vmap(self.encoder)(u)
        # Its own call would take the nearest token in place of one that does not exist.
        return self.encoder.weight.at[u].get(
            mode="fill", fill_value=jnp.nan, wrap_negative_indices=False
        )

    def pool(
        self, x: Float[Array, "time width"], length: Length
    ) -> Float[Array, "*time width"]:
        """Pool the features over the valid steps, as ``config.pooling`` defines."""
        if self.config.pooling == "none":
            return x
        steps = jnp.maximum(x.shape[0] if length is None else length, 1)
        if self.config.pooling == "last":
            return x[steps - 1]
        return clear_padding(x, length).sum(0) / steps

    def _require(self, u, length, key) -> None:
        config = self.config
        require_sequence(config, u)
        if u.shape[0] == 0 and config.pooling != "none":
            raise ValueError(f"need a step to take the {config.pooling} of, got none")
        if config.dropout > 0 and not self.blocks[0].dropout.inference and key is None:
            raise ValueError(
                "need key for dropout in training, got none; for inference call "
                "equinox.nn.inference_mode(network) first"
            )
        require_values(config, u, length)


def require_sequence(config: NetworkConfig, u: Any) -> None:
    """Check the shape and the type of one sequence of inputs.

    Raises:
        ValueError: If they do not fit the encoder; the message gives what it needs.
    """
    if config.encoder == "embedding":
        fits = u.ndim == 1 and jnp.issubdtype(u.dtype, jnp.integer)
        needed = "integer tokens of shape (time,)"
    else:
        fits = u.ndim == 2 and u.shape[1] == config.inputs
        fits = fits and jnp.issubdtype(u.dtype, jnp.floating)
        needed = f"real inputs of shape (time, {config.inputs})"
    if not fits:
        raise ValueError(
            f"need {needed}, got {u.dtype} of shape {u.shape}; for a batch call "
            "sigprop.networks.over_batch"
        )


def require_values(config: NetworkConfig, u: Any, length: Any) -> None:
    """Check the range of lengths and tokens, unless JAX traces them.

    The inputs are one sequence, or a batch of sequences with their lengths.

    Raises:
        ValueError: If a length or a token is out of range; the message gives the range.
    """
    token = config.encoder == "embedding"
    time = u.shape[-1 if token else -2]
    lengths = _known(time if length is None else length)
    if lengths is None or lengths.size == 0:
        return
    least = 0 if config.pooling == "none" else 1
    if lengths.min() < least or lengths.max() > time:
        raise ValueError(
            f"need {least} <= length <= {time}, got {lengths.min()} ... {lengths.max()}"
        )
    tokens = _known(u) if token else None
    if tokens is None:
        return
    valid = tokens[np.broadcast_to(np.arange(time) < lengths[..., None], u.shape)]
    if valid.size and (valid.min() < 0 or valid.max() >= config.inputs):
        raise ValueError(
            f"need tokens 0 ... {config.inputs - 1}, got {valid.min()} ... {valid.max()}"
        )


def _known(values: Any) -> np.ndarray | None:
    try:
        return np.asarray(values)
    except jax.errors.TracerArrayConversionError:
        return None


def over_batch(
    network: Any,
    state: eqx.nn.State,
    u: Num[Array, "batch *sequence"],
    *,
    lengths: Int[Array, "*each"] | None = None,
    key: PRNGKeyArray | None = None,
) -> tuple[Float[Array, "batch *outputs"], eqx.nn.State]:
    """Apply a network to every sequence, or pair of sequences, of a batch.

    Args:
        network: ``Network`` or ``TwoTowers`` from ``build``.
        state: State of the batch normalisations, from ``build`` or from the previous
            call in training.
        u: Inputs of shape (batch, time, inputs), or tokens of shape (batch, time). For
            pairs, the second axis has size 2: (batch, 2, time, ...).
        lengths: Number of valid steps of each sequence, of shape (batch,), or (batch, 2)
            for pairs. By default there is no padding.
        key: Random key for dropout, needed only in training with dropout. It is split
            into one key per sequence.

    Returns:
        The outputs, and the new state of the batch normalisations.

    Raises:
        ValueError: If ``u`` or ``lengths`` has a wrong shape or type; if a length or a
            token is out of range; if an input is not finite; or if ``key`` is missing
            in training with dropout.

    Example:
        >>> from sigprop.networks import NetworkConfig, build
        >>> sizes = {"inputs": 3, "outputs": 2, "width": 8, "state_size": 4, "depth": 1}
        >>> config = NetworkConfig(layer="lru", **sizes)
        >>> network, state = build(config, key=jax.random.key(0))
        >>> outputs, state = over_batch(network, state, jnp.ones((5, 10, 3)))
        >>> outputs.shape
        (5, 2)
    """
    if not isinstance(getattr(network, "config", None), NetworkConfig):
        raise ValueError(f"need a network of sigprop.networks.build, got {network!r}")
    leading = 2 if network.config.head == "pair" else 1
    require_sequence(network.config, jax.ShapeDtypeStruct(u.shape[leading:], u.dtype))
    if lengths is not None and lengths.shape != u.shape[:leading]:
        raise ValueError(
            f"need lengths {u.shape[:leading]}, got {lengths.shape} for u of {u.shape}"
        )
    require_values(network.config, u, lengths)
    require_moderate("u", u)
    keys = None if key is None else jax.random.split(key, u.shape[0])

    def apply(state, u, length, key):
        return network(u, state, length=length, key=key)

    batched = jax.vmap(
        apply, in_axes=(None, 0, 0, 0), out_axes=(0, None), axis_name=BATCH
    )
    return batched(state, u, lengths, keys)


def draw_network(
    key: PRNGKeyArray,
    config: NetworkConfig,
    axes: tuple[str, ...] = (BATCH,),
    *,
    decode: bool = True,
) -> Network:
    """Draw a network.

    Args:
        key: Random key of JAX; do not use it for anything else.
        config: Configuration of the network.
        axes: Names of the ``jax.vmap`` axes over which batches are normalised.
        decode: If false, the network has no decoder.
    """
    encoder_key, decoder_key, *keys = jax.random.split(key, 2 + config.depth)
    encoder = eqx.nn.Embedding if config.encoder == "embedding" else eqx.nn.Linear
    decoder = None
    if decode:
        decoder = eqx.nn.Linear(config.width, config.outputs, key=decoder_key)
    return Network(
        encoder=encoder(config.inputs, config.width, key=encoder_key),
        blocks=tuple(build_block(block_key, config, axes) for block_key in keys),
        decoder=decoder,
        config=config,
    )
