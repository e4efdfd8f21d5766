"""Learn a convolution from a few pairs of input and output, with one recurrent layer.

Source: Orvieto et al. (2023), Appendix E.2 and Fig. 7.
"""

from typing import Any, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Layer
from sigprop.layers.dense import ACTIVATIONS, LinearRNN, NonlinearRNN
from sigprop.layers.initialisers import normal, require_sizes
from sigprop.linear.impulse_response import kernel

LENGTH, SEQUENCES = 100, 32


@final
class Convolution(eqx.Module):
    """The task of learning a convolution; build one with ``convolution``.

    Attributes:
        response: Kernel to learn; entry ``j`` is the weight of the input ``j`` steps ago.
        inputs: Input sequences of one channel.
        outputs: Convolutions of the inputs with the kernel, from the zero state.
        windows: Entry ``[n, t, j]`` is the input of sequence ``n`` at step ``t - j``.
    """

    response: Float[Array, " length"]
    inputs: Float[Array, "sequences length"]
    outputs: Float[Array, "sequences length"]
    windows: Float[Array, "sequences length length"]

    def loss(self, layer: Layer) -> Float[Array, ""]:
        """Mean squared error of a layer over all sequences and steps.

        The outputs of a linear causal layer are computed from its impulse response.

        Raises:
            ValueError: If the layer does not have one input and one output.
        """
        if layer.widths != (1, 1):
            raise ValueError(f"need a layer of widths (1, 1), got {layer.widths}")
        if layer.linear and layer.causal:
            learnt = kernel(layer, len(self.response))[:, 0, 0]
            outputs = self.windows @ learnt
        else:
            outputs = jax.vmap(layer)(self.inputs[:, :, None])[:, :, 0]
        return jnp.mean((outputs - self.outputs) ** 2)

    @property
    def power(self) -> Float[Array, ""]:
        """Mean square of the outputs, i.e. the loss of a layer whose output is zero."""
        return jnp.mean(self.outputs**2)


def convolution(
    response: Float[Array, " length"], inputs: Float[Array, "sequences time"]
) -> Convolution:
    """Make the task of learning a kernel from input sequences of its length.

    Args:
        response: Kernel to learn; entry ``j`` is the weight of the input ``j`` steps ago.
        inputs: Input sequences, one a row.

    Raises:
        ValueError: If the kernel has fewer than two steps, or the inputs have another
            number of steps.
    """
    length = len(response)
    if length < 2:
        raise ValueError(f"need a kernel of at least 2 steps, got {length}")
    if inputs.shape[1] != length:
        raise ValueError(
            f"need inputs of the kernel's {length} steps, got {inputs.shape[1]}"
        )
    ages = np.arange(length)[:, None] - np.arange(length)
    windows = jnp.where(ages >= 0, inputs[:, np.maximum(ages, 0)], 0)
    return Convolution(response, inputs, windows @ response, windows)


def bumped_kernel(length: int = LENGTH) -> Float[Array, " length"]:
    """The kernel ``exp(-0.015 k) cos(0.04 k)^2 / 10``, which decays with a bump at 74.

    Args:
        length: Number of steps.

    Raises:
        ValueError: If the kernel has fewer than two steps.

    Source: Orvieto et al. (2023), Appendix E.2.
    """
    if length < 2:
        raise ValueError(f"need a kernel of at least 2 steps, got {length}")
    k = jnp.arange(length)
    return jnp.exp(-0.015 * k) * jnp.cos(0.04 * k) ** 2 / 10


def waves(
    key: PRNGKeyArray, largest: float, length: int = LENGTH, count: int = SEQUENCES
) -> Float[Array, "count length"]:
    """Draw inputs ``sin(0.05 w k) cos(0.05 v k)^2``, with ``w``, ``v`` uniform on [0, largest].

    Args:
        key: Random key.
        largest: Largest value of ``w`` and ``v``.
        length: Number of steps of a sequence.
        count: Number of sequences.

    Raises:
        ValueError: If a size is below one or ``largest`` is not positive.

    Source: Orvieto et al. (2023), Appendix E.2, where the range is not given.
    """
    require_sizes(length=length, count=count)
    if not largest > 0:
        raise ValueError(f"need largest > 0, got {largest}")
    w, v = jax.random.uniform(key, (2, count, 1), maxval=largest)
    k = jnp.arange(length)[None]
    return jnp.sin(0.05 * w * k) * jnp.cos(0.05 * v * k) ** 2


def glorot_rnn(
    key: PRNGKeyArray, n: int, activation: str = "identity", scale: Any = 1.0
) -> LinearRNN | NonlinearRNN:
    """Draw a dense RNN with one input and one output, with Glorot initialisation.

    The entries of a matrix have the variance 2 / (rows + columns).  A key draws the same
    matrices for every activation.

    Args:
        key: Random key of the matrices.
        n: Number of neurons.
        activation: Name of the activation, a key of ``sigprop.layers.dense.ACTIVATIONS``.
        scale: Factor of the recurrent matrix, whose spectral radius is about one without
            the factor.

    Raises:
        ValueError: If ``n`` is below one, or the activation is unknown.

    Source: Orvieto et al. (2023), caption of Fig. 7; Glorot and Bengio (2010).
    """
    require_sizes(n=n)
    if activation not in ACTIVATIONS:
        raise ValueError(f"need activation in {tuple(ACTIVATIONS)}, got {activation!r}")
    shapes = ((n, n), (n, 1), (1, n), (1, 1))
    keys = jax.random.split(key, len(shapes))
    A, B, C, D = (
        normal(part_key, rows, columns, 2 / (rows + columns))
        for part_key, (rows, columns) in zip(keys, shapes, strict=True)
    )
    arrays = scale * A[None], B, C, D
    if activation == "identity":
        return LinearRNN(*arrays)
    return NonlinearRNN(*arrays, activation)


def kernel_at_rest(
    layer: LinearRNN | NonlinearRNN, length: int
) -> Float[Array, " length"]:
    """Impulse response of a layer to small inputs, for which it is linear.

    The derivative of each activation at zero is one.

    Raises:
        ValueError: If ``length`` is below one.
    """
    return kernel(LinearRNN(layer.A, layer.B, layer.C, layer.D), length)[:, 0, 0]
