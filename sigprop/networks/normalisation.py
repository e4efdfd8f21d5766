"""Batch normalisation over the valid steps of all sequences of a batch.

In training, ``x <- weight (x - mean) / sqrt(variance + EPSILON) + bias``.  The mean and the
(biased) variance of each feature are over all sequences and valid steps of the batch.
Inference uses running averages of both, in which the ``k``-th batch has the weight
``max(1/k, 1 - MOMENTUM)``.

``equinox.nn.BatchNorm`` does not support padding.  In its mode ``batch``, the running
variance starts from one but is divided as if it had started from zero.  After a hundred
batches, inference then still differs by a few per cent.

Source: Ioffe & Szegedy (2015), Algorithm 1 and 2.
"""

from typing import final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float, Int

from sigprop.networks.masking import Length, valid_steps

EPSILON = 1e-5
MOMENTUM = 0.95  # the value of S5's scripts, from which the LRU's settings come

Statistics = tuple[Float[Array, " width"], Float[Array, " width"], Int[Array, ""]]


@final
class BatchNorm(eqx.Module):
    """Batch normalisation, with running averages in an ``equinox.nn.State``.

    ``axes`` are the names of the ``jax.vmap`` axes of a batch.
    """

    weight: Float[Array, " width"]
    bias: Float[Array, " width"]
    statistics: eqx.nn.StateIndex[Statistics]
    axes: tuple[str, ...] = eqx.field(static=True)
    inference: bool

    def __init__(self, width: int, axes: tuple[str, ...]):
        self.weight, self.bias = jnp.ones(width), jnp.zeros(width)
        self.statistics = eqx.nn.StateIndex(
            (jnp.zeros(width), jnp.ones(width), jnp.zeros((), jnp.int32))
        )
        self.axes = axes
        self.inference = False

    def __call__(
        self, x: Float[Array, "time width"], state: eqx.nn.State, length: Length
    ) -> tuple[Float[Array, "time width"], eqx.nn.State]:
        """Return the normalised sequence, and the state updated by this batch.

        Raises:
            ValueError: If it is in training mode outside ``jax.vmap`` over its axes.
        """
        running_mean, running_variance, batches = state.get(self.statistics)
        if self.inference:
            mean, variance = running_mean, running_variance
        else:
            mean, variance = self._moments(x, length)
            share = jnp.maximum(1 / (batches + 1).astype(mean.dtype), 1 - MOMENTUM)
            averages = (
                running_mean + share * (mean - running_mean),
                running_variance + share * (variance - running_variance),
                batches + 1,
            )
            state = state.set(self.statistics, averages)
        scale = self.weight * lax.rsqrt(variance + EPSILON)
        return (x - mean[None]) * scale[None] + self.bias[None], state

    def _moments(
        self, x: Float[Array, "time width"], length: Length
    ) -> tuple[Float[Array, " width"], Float[Array, " width"]]:
        valid = valid_steps(x.shape[0], length)
        try:
            steps = jnp.maximum(lax.psum(valid.sum(), self.axes), 1)
        except NameError as error:
            raise ValueError(
                "need a batch for batch normalisation in training, got one sequence; call "
                "sigprop.networks.over_batch, or equinox.nn.inference_mode first"
            ) from error

        def average(z):
            masked = jnp.where(valid[:, None], z, 0)
            return lax.psum(masked.sum(0), self.axes) / steps

        mean = average(x)
        return mean, average((x - mean[None]) ** 2)


Norm = BatchNorm | eqx.nn.LayerNorm | None


def normalise(
    norm: Norm,
    x: Float[Array, "time width"],
    state: eqx.nn.State,
    length: Length,
) -> tuple[Float[Array, "time width"], eqx.nn.State]:
    """Apply a batch normalisation, a layer normalisation, or none to one sequence."""
    if isinstance(norm, BatchNorm):
        return norm(x, state, length)
    return (x if norm is None else jax.vmap(norm)(x)), state


def build_norm(kind: str, width: int, axes: tuple[str, ...]) -> Norm:
    """Return a new normalisation: ``batch``, ``layer``, or ``None`` for ``none``."""
    if kind == "batch":
        return BatchNorm(width, axes)
    return eqx.nn.LayerNorm(width) if kind == "layer" else None
