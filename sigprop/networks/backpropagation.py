"""Second moments of gradients in a deep network, from the autocovariance of its input.

``predict_errors(network, autocovariance)`` first predicts the moments of the residual
stream, as ``sigprop.networks.propagation`` does.  It then propagates errors backwards.  The
errors at the last stream are independent, with variance one at every step and feature.  They
pass through mixing, recurrence, normalisation and skip of each block.  The error at a step
is a filter of the errors at later steps, so the computation runs in reversed time.

There are three approximations besides the Gaussian stream:

- errors are independent of the stream, and so of the derivatives that multiply them;
- the derivatives at different stages are independent of one another;
- gradients through the moments of a normalisation are ignored.

For linear layers without mixing and normalisation, the prediction is exact for errors that
have passed enough steps.  Errors through nearly closed or nearly open gates are rare and
large, so that few sequences determine their mean square.

Source: Schoenholz et al. (2017) for independence of errors and activations; the
integration by parts is Stein's (1981).
"""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.nn import gelu, sigmoid
from jaxtyping import Array, Float

from sigprop.networks.blocks import GLU, Block
from sigprop.networks.filters import filter_of, filtered
from sigprop.networks.gaussian import (
    Signal,
    added,
    affine,
    bent,
    correlation,
    derivative,
    gated,
    hermite_expansion,
    independent,
    inverse_deviation,
    series,
    through,
)
from sigprop.networks.network import Network
from sigprop.networks.propagation import (
    Map,
    advance,
    bias,
    branches,
    entering,
    normalised,
    normaliser,
    require_moments,
    require_theory,
    widened,
)
from sigprop.numerics.precision import double_precision
from sigprop.numerics.tracing import is_traced

Matrices = Float[Array, "lags a b"]
OF_GELU, OF_GATE = derivative(gelu), derivative(sigmoid)  # derived once


class Depth(NamedTuple):
    """Mean squares over features, before the first block and after every block.

    Attributes:
        stream: Mean square of the features ``x`` of the residual stream at the last
            step.
        error: Mean square of ``dL/dx`` over these features at the first step.
    """

    stream: Float[Any, " streams"]
    error: Float[Any, " streams"]


def predict_errors(
    network: Network,
    autocovariance: Float[Any, "lags *channels"],
    state: eqx.nn.State | None = None,
) -> Depth:
    """Predict the mean squares of activations and gradients in the residual stream.

    The gradients of the loss ``L = sum v x`` are taken with respect to the stream
    before the first block and after each block.  The sum runs over all steps and
    features ``x`` of the stream after the last block.  The weights ``v`` are
    independent, with mean zero and variance one.  The function also works under
    ``jit``, ``vmap``, ``grad`` and ``jvp``.  Under these transformations it computes in
    the precision of its arguments.

    Args:
        network: Network whose sequence layers are causal and linear. Dropout is
            ignored.
        autocovariance: Autocovariance at lags 0, 1, ... of the input, which has mean
            zero. An array of shape (lags,) applies to every channel, and the channels
            are taken as independent. An array of shape (lags, channels, channels) has
            the covariances of all pairs of channels. The input has as many steps as
            there are lags, and the layers start from the zero state.
        state: State with the running averages that batch normalisations use. By default
            they use the predicted moments instead.

    Returns:
        A ``Depth``. ``stream`` has the mean squares of the features at the last step.
        ``error`` has the mean squares of the gradient with respect to the features at
        the first step. Both arrays have an entry for the stream before the first block
        and one for the stream after each block.

    Raises:
        ValueError: If a layer is nonlinear or not causal, no stationary process has
            this ``autocovariance``, the network reads tokens, or a moment is not
            finite.

    Example:
        >>> import jax
        >>> from dataclasses import replace
        >>> from sigprop import AR1
        >>> from sigprop.networks import build, zucchet_paper
        >>> config = replace(zucchet_paper(nu0=0.5, features=3), width=8, state_size=8)
        >>> network, _ = build(config, key=jax.random.key(0))
        >>> predict_errors(network, AR1(0.9).autocovariance(np.arange(64))).error[-1]
        np.float64(1.0)
    """
    traced = is_traced(network, autocovariance, state)
    with nullcontext() if traced else double_precision(True):
        network = network if traced else widened(network)
        streams = [entering(network, autocovariance)]
        for index, block in enumerate(network.blocks):
            require_theory(block.layer, f"block {index}")
        for index, block in enumerate(network.blocks):
            streams.append(advance(block, streams[-1], state)[0])
            require_moments(streams[-1], f"block {index}", type(block.layer).__name__)
        now = jnp.zeros(len(streams[0].covariance)).at[0].set(1)
        errors = [independent(now, len(streams[-1].mean))]
        for index in reversed(range(len(network.blocks))):
            block, stream = network.blocks[index], streams[index]
            errors.append(retreat(block, stream, errors[-1], state))
            require_moments(errors[-1], f"block {index} on the way back")
        values = [
            [x.mean_square() for x in signals] for signals in (streams, errors[::-1])
        ]
        moments = [jnp.stack(squares) for squares in values]
    return Depth(*(moments if traced else map(np.array, moments)))


def retreat(
    block: Block, stream: Signal, error: Signal, state: eqx.nn.State | None
) -> Signal:
    """Return the error before a block from the error after it, in reversed time."""
    linear = filter_of(block.layer, len(stream.covariance))
    y = filtered(normalised(block.norm, stream, state), linear).signal
    branch, gain = _unmix(block, y, error, state)
    norm = normaliser(block.norm, stream, state)
    backwards = linear.after(norm.weight).turned()
    came = filtered(branch, backwards).signal
    known = filtered(error, backwards.after(gain))  # covariances from the linear part
    if block.skip is None:
        return added(error, came, (known.after, known.before))
    skip = block.skip.weight
    skipped = affine(error, skip.T, jnp.zeros(skip.shape[1]))
    return added(skipped, came, (known.after @ skip[None], skip.T[None] @ known.before))


Step = Callable[[Signal], tuple[Signal, Float[Array, "m n"]]]


def _unmix(
    block: Block, y: Signal, error: Signal, state: eqx.nn.State | None
) -> tuple[Signal, Float[Array, "m n"]]:
    """The error before the mixing, and the mean derivative that multiplies it."""
    steps: list[Step] = []
    if isinstance(block.mixing, GLU):
        y = _gelu(y, steps)
    if block.mixing_norm is not None:
        y = _turn(y, normaliser(block.mixing_norm, y, state), steps)
    if isinstance(block.mixing, GLU):
        unit = block.mixing
        steps.append(lambda error, y=y: _ungate(unit, y, error))
    for index, part in enumerate(
        ()
        if block.mixing is None or isinstance(block.mixing, GLU)
        else block.mixing.layers
    ):
        if index:
            y = _gelu(y, steps)
        y = _turn(y, Map(part.weight, bias(part)), steps)
    gain = jnp.eye(len(error.mean))
    for step in steps[::-1]:
        error, derivative = step(error)
        gain = derivative @ gain
    return error, gain


def _turn(y: Signal, by: Map, steps: list[Step]) -> Signal:
    zero, weight = jnp.zeros(by.weight.shape[1]), by.weight.T
    steps.append(lambda error: (affine(error, weight, zero), weight))
    return affine(y, *by)


def _gelu(y: Signal, steps: list[Step]) -> Signal:
    def step(error: Signal) -> tuple[Signal, Float[Array, "n n"]]:
        derivatives = through(_reversed(y), OF_GELU).signal
        return _multiplied(error, derivatives), jnp.diag(derivatives.mean)

    steps.append(step)
    return through(y, gelu).signal


def _reversed(signal: Signal) -> Signal:
    """Signal with its last step first."""
    return Signal(signal.mean, signal.covariance.transpose(0, 2, 1))


def _square(signal: Signal) -> Matrices:
    """``E[x x^T]`` at each lag."""
    return signal.covariance + jnp.outer(signal.mean, signal.mean)[None]


def _multiplied(error: Signal, by: Signal) -> Signal:
    """An error times an independent process, channel by channel."""
    return Signal(error.mean, error.covariance * _square(by))


def _ungate(unit: GLU, y: Signal, error: Signal) -> tuple[Signal, Float[Array, "m n"]]:
    """Back through ``v s(g)``: the error comes by the value and by the gate."""
    width = len(y.mean)
    V = jnp.eye(width) if unit.value is None else unit.value.weight
    G = unit.gate.weight
    value, gate, (ahead, behind) = branches(unit, _reversed(y))
    by_value = through(gate, sigmoid).signal
    by_gate = gated(value, gate, (ahead, behind), OF_GATE).signal
    cross = _gate_by_derivative(value, gate, (ahead, behind))
    C = error.covariance
    back = (
        V.T[None] @ (C * _square(by_value)) @ V[None]
        + G.T[None] @ (C * _square(by_gate)) @ G[None]
        + V.T[None] @ (C * cross[0]) @ G[None]
        + G.T[None] @ (C * cross[1]) @ V[None]
    )
    mean = V.T * by_value.mean[None] + G.T * by_gate.mean[None]
    return Signal(jnp.zeros(width), back), mean


@jax.jit
def _gate_by_derivative(
    value: Signal, gate: Signal, together: tuple[Matrices, Matrices]
) -> tuple[Matrices, Matrices]:
    """``E[s(g_t) v s'(g)]`` with ``v, g`` the step ``lag`` before, and the other way."""
    rho, inverse = correlation(gate.covariance), inverse_deviation(gate.covariance)
    ahead = together[0] * inverse[None, None]
    behind = together[1] * inverse[None, :, None]
    own, v = jnp.diagonal(ahead[0]), value.mean
    variance = jnp.diagonal(gate.covariance[0])
    f, f1 = (
        hermite_expansion(function, gate.mean, variance).coefficients
        for function in (sigmoid, OF_GATE)
    )
    g, g1 = bent(f), bent(f1)
    level, up = series(f, f1, rho), series(g, f1, rho)
    first = v[None, None] * level + behind * up
    first = first + own[None, None] * series(f, g1, rho)
    level, up = series(f1, f, rho), series(f1, g, rho)
    second = v[None, :, None] * level + ahead * up
    return first, second + own[None, :, None] * series(g1, f, rho)
