"""Second moments in a deep network, predicted from the autocovariance of its input.

``predict_signals(network, autocovariance)`` propagates means and covariances block by block.
The normalised stream is the input of a recurrence, whose output passes the mixing and is
added to the stream.  The weights are those of the network.  Covariances of all pairs of
channels are included.

There are three approximations: (1) every stream is Gaussian; (2) the input of a block is
stationary, with the covariances of the last step; (3) a layer normalisation divides by
expected moments.  For linear layers without mixing, the prediction is exact after enough
steps to forget the zero state.

The size of the deviation depends on the weights, not on the width alone.  With 8 features,
the moments after the third of three blocks were 0.67 to 1.33 times the prediction.  Every
moment therefore has an error, which ``sigprop.networks.deviations`` estimates by simulating
the network.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import Tracer
from jax.nn import gelu
from jaxtyping import Array, Float

from sigprop.layers.base import Layer
from sigprop.linear.covariances import require_autocovariance
from sigprop.networks import deviations
from sigprop.networks.blocks import GLU, Block
from sigprop.networks.deviations import ROUNDED, Moments
from sigprop.networks.filters import filter_of, filtered, square_filtered
from sigprop.networks.gaussian import (
    Covariances,
    Signal,
    added,
    affine,
    gated,
    independent,
    observed,
    through,
)
from sigprop.networks.network import Network
from sigprop.networks.normalisation import EPSILON, BatchNorm, Norm
from sigprop.networks.retrieval import TwoTowers
from sigprop.numerics.precision import double_precision
from sigprop.numerics.seeds import require_seed
from sigprop.numerics.tracing import is_traced, numbers

MOST_SAMPLES = 10**6


class Predicted(NamedTuple):
    """Predicted moments of each block, with bounds of their errors.

    Attributes:
        stream: Mean square of the features after each block, averaged over features.
        state: ``E|h|^2`` of the recurrence of each block, summed over neurons.
        error: Bound of the distance of each moment from its true value, with the fields
            ``stream`` and ``state``. It includes five standard errors of a simulation. For
            an exact moment it is a bound of the rounding error, and infinity if no
            trajectories were simulated.
    """

    stream: Float[Any, " blocks"]
    state: Float[Any, " blocks"]
    error: Moments


class Map(NamedTuple):
    """Affine map ``weight x + bias`` of the features at each step."""

    weight: Float[Array, "m n"]
    bias: Float[Array, " m"]


def predict_signals(
    network: Network | TwoTowers | Layer,
    autocovariance: Float[Any, "lags *channels"],
    state: eqx.nn.State | None = None,
    *,
    measured: Mapping[int, Float[Any, "num time width"]] | None = None,
    samples: int | None = None,
    seed: int = 0,
) -> Predicted:
    """Predict mean squares of the residual stream and of the states at the last step.

    For a single layer, the predictions are for its outputs instead of the stream.  Most
    of the computing time is spent on bounds of the errors of the predictions.  With
    ``samples=0`` no bound is computed, and the bound of each moment that is not exact
    is infinite.

    The function also works under ``jit``, ``vmap``, ``grad`` and ``jvp`` with respect
    to the network, the autocovariance and the state.  Under a transformation it
    computes in the precision of these arguments.  All error bounds of a network (but
    not of a single layer) are then infinite.

    Args:
        network: Network or layer. Dropout is ignored. For a ``TwoTowers``, the
            prediction is for its field ``tower``.
        autocovariance: Autocovariance at lags 0, 1, ... of the input, which has mean
            zero. An array of shape (lags,) applies to every channel, and the channels
            are taken as independent. An array of shape (lags, channels, channels) has
            the covariances of all pairs of channels. The input has as many steps as
            there are lags, and the layers start from the zero state.
        state: State with the running averages that batch normalisations use. By default
            they use the predicted moments instead.
        measured: Dictionary from the index of a block to samples of the stream after
            it, of shape (num, time, width). Predictions for later blocks start from the
            moments of these samples. By default no block is measured.
        samples: Number of simulated trajectories for the bounds: 0, or 2 to a million.
            By default it is 64 to 1024, depending on memory.
        seed: Seed of the simulated trajectories.

    Returns:
        A ``Predicted``. For each block, ``stream`` is the mean square of the features
        after the block, and ``state`` is ``E|h|^2`` summed over the neurons of the
        block. ``error`` has the same two fields, with bounds of the errors.

    Raises:
        ValueError: If a layer is nonlinear or not causal, unless its block is in
            ``measured``; if no stationary process has this ``autocovariance``; if the
            network reads tokens; if a moment is not finite; if ``samples`` or ``seed``
            is out of range; or if ``samples`` is neither None nor zero under a
            transformation of JAX.

    Example:
        >>> import jax
        >>> from sigprop import AR1
        >>> from sigprop.networks import build, predict_signals, zucchet_paper
        >>> from dataclasses import replace
        >>> config = replace(zucchet_paper(nu0=0.5, features=3), width=8, state_size=8)
        >>> network, _ = build(config, key=jax.random.key(0))
        >>> found = predict_signals(network, AR1(0.9).autocovariance(np.arange(64)))
        >>> found.stream.shape, bool((found.error.stream < found.stream).all())
        ((4,), True)
    """
    require_seed(seed)
    if samples is not None and not (samples == 0 or 1 < samples <= MOST_SAMPLES):
        raise ValueError(
            f"need samples=0 or at least 2 and at most {MOST_SAMPLES}, got {samples=}"
        )
    network = network.tower if isinstance(network, TwoTowers) else network
    known = dict(measured or {})
    if is_traced(network, autocovariance, state):
        if samples:
            raise ValueError(
                f"need samples=None or 0 under jit, vmap or grad, got {samples=}: no "
                "trajectories can be drawn there"
            )
        if isinstance(network, Layer):
            return _of_layer(network, autocovariance)
        stream, square = _moments(_follow(network, autocovariance, state, known))
        unknown = jnp.full(stream.shape, jnp.inf)
        return Predicted(stream, square, Moments(unknown, unknown))
    with double_precision(True):
        wide = widened(network)
        if isinstance(wide, Layer):
            return jax.tree.map(np.array, _of_layer(wide, autocovariance))
        rows = _follow(wide, autocovariance, state, known)
        moments = Moments(*map(np.array, _moments(rows)))
        signal, key = (
            source(autocovariance, wide.config.inputs),
            jax.random.key(seed),
        )
        error = deviations.errors(
            wide, signal, autocovariance, state, known, moments, key, samples
        )
    return Predicted(*moments, error)


def _moments(rows: list[tuple[Any, Any]]) -> Moments:
    return Moments(*(jnp.stack(column) for column in zip(*rows, strict=True)))


def _of_layer(layer: Layer, autocovariance: Any) -> Predicted:
    signal = source(autocovariance, layer.widths[0])
    require_theory(layer, "the layer")
    linear = filter_of(layer, len(signal.covariance))
    out = filtered(signal, linear).signal
    moments = _moments([(out.mean_square(), square_filtered(signal, linear))])
    return Predicted(*moments, Moments(*(ROUNDED * moment for moment in moments)))


def _follow(
    network: Network,
    autocovariance: Any,
    state: eqx.nn.State | None,
    measured: dict[int, Any],
) -> list[tuple[Any, Any]]:
    signal, blocks = entering(network, autocovariance), network.blocks
    for index, block in enumerate(blocks):
        if index not in measured:
            require_theory(block.layer, f"block {index}")
    if unknown := sorted(set(measured) - set(range(len(blocks)))):
        raise ValueError(
            f"need measured streams of blocks 0 ... {len(blocks) - 1}, got {unknown}"
        )
    rows = []
    for index, block in enumerate(blocks):
        if index in measured:
            signal = _of_samples(measured[index], signal, index)
            square = jnp.array(jnp.nan)
        else:
            signal, square = advance(block, signal, state)
            require_moments(signal, f"block {index}", type(block.layer).__name__)
        rows.append((signal.mean_square(), square))
    return rows


def advance(
    block: Block, stream: Signal, state: eqx.nn.State | None
) -> tuple[Signal, Float[Array, ""]]:
    """Return the stream after a block, and ``E|h|^2`` of the block's recurrence."""
    steps = len(stream.covariance)
    linear = filter_of(block.layer, steps)
    square = square_filtered(normalised(block.norm, stream, state), linear)
    norm = normaliser(block.norm, stream, state)
    response = filtered(stream, linear.after(norm.weight))
    mean = response.signal.mean + linear.gain(steps) @ norm.bias
    branch, gain = _mix(block, response.signal._replace(mean=mean), state)
    together = gain @ response.after, response.before @ gain.T[None]
    if block.skip is None:
        return added(stream, branch, together), square
    skip = block.skip.weight
    together = together[0] @ skip.T[None], skip @ together[1]
    skipped = affine(stream, skip, jnp.zeros(len(skip)))
    return added(skipped, branch, together), square


def normalised(norm: Norm, signal: Signal, state: eqx.nn.State | None) -> Signal:
    """Return the stream after a normalisation by known moments."""
    return signal if norm is None else affine(signal, *normaliser(norm, signal, state))


def _mix(
    block: Block, y: Signal, state: eqx.nn.State | None
) -> tuple[Signal, Float[Array, "m n"]]:
    """Signal after the mixing of the layer's output, and its effective linear map."""
    gain = jnp.eye(len(y.mean))
    if isinstance(block.mixing, GLU):
        y, derivative = through(y, gelu)
        gain = derivative[:, None] * gain
    gain = normaliser(block.mixing_norm, y, state).weight @ gain
    y = normalised(block.mixing_norm, y, state)
    if isinstance(block.mixing, GLU):
        return _gate(block.mixing, y, gain)
    for index, part in enumerate(() if block.mixing is None else block.mixing.layers):
        if index:
            y, derivative = through(y, gelu)
            gain = derivative[:, None] * gain
        y, gain = affine(y, part.weight, bias(part)), part.weight @ gain
    return y, gain


def _gate(
    unit: GLU, y: Signal, gain: Float[Array, "m n"]
) -> tuple[Signal, Float[Array, "m n"]]:
    value, gate, together = branches(unit, y)
    out, by_value, by_gate = gated(value, gate, together)
    V = jnp.eye(len(y.mean)) if unit.value is None else unit.value.weight
    effective = by_value[:, None] * V + by_gate[:, None] * unit.gate.weight
    return out, effective @ gain


def branches(
    unit: GLU, y: Signal
) -> tuple[Signal, Signal, tuple[Covariances, Covariances]]:
    """Return value and gate of a gated unit, and their covariances with each other.

    The covariances relate ``v_t`` to ``g_{t - lag}``, and ``g_t`` to ``v_{t - lag}``.
    """
    gate = Map(unit.gate.weight, bias(unit.gate))
    width = len(y.mean)
    value = Map(jnp.eye(width), jnp.zeros(width))
    if unit.value is not None:
        value = Map(unit.value.weight, bias(unit.value))
    return _both(y, value, gate)


@jax.jit
def _both(y: Signal, value: Map, gate: Map):
    v, g = value.weight @ y.covariance, gate.weight @ y.covariance
    by_value, by_gate = value.weight.T[None], gate.weight.T[None]
    return (
        Signal(value.weight @ y.mean + value.bias, v @ by_value),
        Signal(gate.weight @ y.mean + gate.bias, g @ by_gate),
        (v @ by_gate, g @ by_value),
    )


def normaliser(norm: Norm, signal: Signal, state: eqx.nn.State | None) -> Map:
    """Return a normalisation by known moments as an affine map."""
    width = len(signal.mean)
    if norm is None:
        return Map(jnp.eye(width), jnp.zeros(width))
    variance = jnp.diagonal(signal.covariance[0])
    if isinstance(norm, BatchNorm):
        mean = signal.mean
        if state is not None:
            mean, variance, _ = (
                jnp.asarray(part, float) for part in state.get(norm.statistics)
            )
        scale = norm.weight * lax.rsqrt(variance + EPSILON)
        return Map(jnp.diag(scale), norm.bias - scale * mean)
    centre = jnp.eye(width) - 1 / width
    spread = jnp.einsum("ij,jk,ik->i", centre, signal.covariance[0], centre)
    power = jnp.mean(spread + (centre @ signal.mean) ** 2)
    assert norm.weight is not None
    assert norm.bias is not None
    scale = norm.weight * lax.rsqrt(power + norm.eps)
    return Map(scale[:, None] * centre, norm.bias)


def widened(model: Any) -> Any:
    """Return a model, or any tree, with all its numbers in double precision."""
    return jax.tree.map(_wide, model)


def _wide(leaf: Any) -> Any:
    if not eqx.is_inexact_array(leaf):
        return leaf
    wide = jnp.complex128 if jnp.iscomplexobj(leaf) else jnp.float64
    return jnp.asarray(leaf, wide)


def bias(part: Any) -> Float[Array, " m"]:
    """Return the bias of a linear map, zero if it has none."""
    return jnp.zeros(part.weight.shape[0]) if part.bias is None else part.bias


def _of_samples(samples: Any, before: Signal, index: int) -> Signal:
    signal = observed(samples)
    if signal.covariance.shape != before.covariance.shape:
        lags, width, _ = before.covariance.shape
        raise ValueError(
            f"need measured streams of block {index} with {lags} steps of {width} "
            f"features, got shape {np.shape(samples)}"
        )
    return signal


def require_theory(layer: Layer, where: str) -> None:
    """Check that a layer is linear and causal, so that its moments can be predicted.

    Raises:
        ValueError: If it is not; the message gives ``where`` and the layer.
    """
    if layer.linear and layer.causal:
        return
    why = "reads from both ends" if layer.linear else "is not linear"
    raise ValueError(
        f"need a causal linear layer in {where}, got {type(layer).__name__}, which {why}: "
        "no moments go through it; give sampled streams after the block as measured="
    )


def require_moments(signal: Signal, where: str, kind: str = "") -> None:
    """Check that the moments of a stream are finite; skip streams that JAX traces.

    Raises:
        ValueError: If a moment is not finite or a variance is negative; the message gives
            ``where``.
    """
    if is_traced(signal):
        return
    square = float(signal.mean_square())
    least = float(jnp.diagonal(signal.covariance[0]).min())
    if np.isfinite(square) and least >= -ROUNDED * square:
        return
    raise ValueError(
        "need streams of moderate size, whose Gaussian moments are finite, got a mean "
        f"square of {square:.3g} and a least variance of {least:.3g} after {where}"
        f"{kind and f' ({kind})'}; lower its gains, normalise, or give sampled streams "
        "after the block as measured="
    )


def source(autocovariance: Any, channels: int) -> Signal:
    """Return the signal of the input.

    Raises:
        ValueError: If no stationary process has this ``autocovariance``, or its shape
            is wrong.
    """
    R = numbers(autocovariance)
    if R.ndim != 3:
        require_autocovariance(R, max(np.size(R), 1))
        return independent(R, channels)
    finite = isinstance(R, Tracer) or np.isfinite(R).all()
    if R.shape[1:] != (channels, channels) or not finite:
        raise ValueError(
            f"need finite covariances of shape (lags, {channels}, {channels}), got "
            f"{R.shape}"
        )
    return Signal(jnp.zeros(channels), jnp.asarray(R, float))


def entering(network: Network, autocovariance: Any) -> Signal:
    """Return the signal of the stream that enters the first block.

    Raises:
        ValueError: If no stationary process has this ``autocovariance``, the network
            reads tokens, or a moment after the encoder is not finite.
    """
    encoder, R = network.encoder, numbers(autocovariance)
    if not isinstance(encoder, eqx.nn.Linear):
        raise ValueError(
            "need a linear encoder, got an embedding of tokens, which have no "
            "autocovariance; measure the embedded stream"
        )
    if R.ndim == 3:
        source_signal = source(R, network.config.inputs)
        signal = affine(source_signal, encoder.weight, bias(encoder))
    else:  # identically distributed channels: one number per lag
        scalar = source(R, 1).covariance
        mixed = encoder.weight @ encoder.weight.T
        signal = Signal(bias(encoder), scalar * mixed[None])
    require_moments(signal, "the encoder")
    return signal
