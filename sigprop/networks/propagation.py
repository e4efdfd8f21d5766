"""Second moments through a deep network, from those of its input: one call.

``predict(network, autocovariance)`` follows the residual stream block by block: the
encoder's output, normalised, is the input of a recurrence, whose output goes through
the mixing and is added to the stream.  Weights are those of the network, all pairs of
channels are kept.

What is approximated: (1) every stream is Gaussian, so that its covariances say all of
it; (2) what enters a block is stationary, with the covariances of the last step with
those before; (3) the moments of a layer normalisation are their expectations.  A network
of linear layers without mixing is exact once the zero state is forgotten.
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import gelu
from jaxtyping import Array, Float, Inexact

from sigprop.layers.base import Layer
from sigprop.linear.covariances import require_autocovariance
from sigprop.linear.impulse_response import kernel
from sigprop.networks.blocks import GLU, Block
from sigprop.networks.gaussian import (
    Filtered,
    Signal,
    added,
    affine,
    filtered,
    gated,
    independent,
    observed,
    square_filtered,
    through,
)
from sigprop.networks.network import Network
from sigprop.networks.normalisation import EPSILON, BatchNorm, Norm
from sigprop.networks.retrieval import TwoTowers
from sigprop.numerics.precision import double_precision

ROUNDED = 1e-9  # of a mean square, by which a variance may be below zero


class Moments(NamedTuple):
    """Second moments at the last step, an entry a block.

    ``stream`` is the mean square of a feature after the block, ``state`` is ``E|h|^2`` of
    its recurrence, summed over neurons; NaN for a block that was measured.
    """

    stream: Float[np.ndarray, " blocks"]
    state: Float[np.ndarray, " blocks"]


class Map(NamedTuple):
    """An affine map of the features at each step."""

    weight: Float[Array, "m n"]
    bias: Float[Array, " m"]


def predict(
    network: Network | TwoTowers | Layer,
    autocovariance: Float[Any, "lags *channels"],
    state: eqx.nn.State | None = None,
    *,
    measured: Mapping[int, Float[Any, "num time width"]] | None = None,
) -> Moments:
    """Moments of a network's stream and states at the last step of a sequence.

    Of a layer by itself the stream is its output.

    Args:
        network: Without dropout; of one for pairs, its tower.
        autocovariance: ``R`` of independent input channels of mean zero at lags from 0,
            or of every pair of channels as (lags, channels, channels).  There are as many
            steps as lags, from the zero state.
        state: Of the batch normalisations, whose averages are then taken; if left out,
            a batch has the moments that are predicted.
        measured: Sampled streams after a block, by its index: from there on the
            prediction goes on with their moments.

    Raises:
        ValueError: If a layer has no theory, covariances are those of no process, the
            input is not a stream of numbers, or no finite moments come out of a block.

    Example:
        >>> import jax
        >>> from sigprop import AR1
        >>> from sigprop.networks import build, zucchet_paper
        >>> from sigprop.networks.propagation import predict
        >>> from dataclasses import replace
        >>> config = replace(zucchet_paper(nu0=0.5, features=3), width=8, state_size=8)
        >>> network, _ = build(jax.random.key(0), config)
        >>> predict(network, AR1(0.9).autocovariance(np.arange(64))).stream.shape
        (4,)
    """
    with double_precision(True):
        network = network.tower if isinstance(network, TwoTowers) else network
        given = source(network, autocovariance)
        known = dict(measured or {})
        if isinstance(network, Layer):
            require_theory(network, "the layer")
            linear = responses(widened(network), len(given.covariance))
            out = filtered(given, linear.output).signal
            rows = [(out.mean_square(), square_filtered(given, linear.state))]
        else:
            rows = _follow(widened(network), given, state, known)
        stream, states = np.array(rows, float).T
    return Moments(stream, states)


def _follow(
    network: Network,
    signal: Signal,
    state: eqx.nn.State | None,
    measured: dict[int, Any],
) -> list[tuple[Any, Any]]:
    blocks = network.blocks
    for place, block in enumerate(blocks):
        if place not in measured:
            require_theory(block.layer, f"block {place}")
    if unknown := sorted(set(measured) - set(range(len(blocks)))):
        raise ValueError(
            f"need measured streams of blocks 0 ... {len(blocks) - 1}, got {unknown}"
        )
    signal = affine(signal, network.encoder.weight, bias(network.encoder))
    require_moments(signal, "the encoder")
    rows = []
    for place, block in enumerate(blocks):
        if place in measured:
            signal, square = _of_samples(measured[place], signal, place), jnp.nan
        else:
            signal, square = advance(block, signal, state)
            require_moments(signal, f"block {place}", type(block.layer).__name__)
        rows.append((signal.mean_square(), square))
    return rows


def advance(
    block: Block, stream: Signal, state: eqx.nn.State | None
) -> tuple[Signal, Float[Array, ""]]:
    """The stream after a block, and ``E|h|^2`` of the block's recurrence."""
    norm = normaliser(block.norm, stream, state)
    entering = affine(stream, *norm)
    linear = responses(block.layer, len(stream.covariance))
    square = square_filtered(entering, linear.state)
    response = filtered(stream, linear.output @ norm.weight[None])
    mean = linear.output.sum(0) @ entering.mean
    branch, gain = _mix(block, response.signal._replace(mean=mean), state)
    skip = jnp.eye(len(stream.mean)) if block.skip is None else block.skip.weight
    together = _with_skip(response, gain, skip)
    kept = affine(stream, skip, jnp.zeros(len(skip)))
    return added(kept, branch, together), square


def _mix(
    block: Block, y: Signal, state: eqx.nn.State | None
) -> tuple[Signal, Float[Array, "m n"]]:
    """What the mixing makes of the layer's output, and its effective linear map."""
    gain = jnp.eye(len(y.mean))
    if isinstance(block.mixing, GLU):
        y, slope = through(y, gelu)
        gain = slope[:, None] * gain
    norm = normaliser(block.mixing_norm, y, state)
    y, gain = affine(y, *norm), norm.weight @ gain
    if isinstance(block.mixing, GLU):
        return _gate(block.mixing, y, gain)
    for place, part in enumerate(() if block.mixing is None else block.mixing.layers):
        if place:
            y, slope = through(y, gelu)
            gain = slope[:, None] * gain
        y, gain = affine(y, part.weight, bias(part)), part.weight @ gain
    return y, gain


def _gate(
    unit: GLU, y: Signal, gain: Float[Array, "m n"]
) -> tuple[Signal, Float[Array, "m n"]]:
    width = len(y.mean)
    value = Map(jnp.eye(width), jnp.zeros(width))
    if unit.value is not None:
        value = Map(unit.value.weight, bias(unit.value))
    gate = Map(unit.gate.weight, bias(unit.gate))
    ahead = value.weight @ y.covariance @ gate.weight.T[None]
    behind = gate.weight @ y.covariance @ value.weight.T[None]
    out, by_value, by_gate = gated(affine(y, *value), affine(y, *gate), (ahead, behind))
    effective = by_value[:, None] * value.weight + by_gate[:, None] * gate.weight
    return out, effective @ gain


def _with_skip(
    response: Filtered, gain: Float[Array, "m n"], skip: Float[Array, "m n"]
) -> tuple[Float[Array, "lags m m"], Float[Array, "lags m m"]]:
    """Covariances of the mixed branch and the kept stream, by the branch's linear part."""
    return (
        gain @ response.after @ skip.T[None],
        skip @ response.before @ gain.T[None],
    )


def normaliser(norm: Norm, signal: Signal, state: eqx.nn.State | None) -> Map:
    """A normalisation by moments that are known, as an affine map."""
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


class Responses(NamedTuple):
    """Impulse responses of a layer's outputs and states."""

    output: Float[Array, "lags d_out d_in"]
    state: Inexact[Array, "lags n d_in"]


def responses(layer: Layer, steps: int) -> Responses:
    """Of a causal linear layer, to an impulse in each of its inputs."""
    width = layer.widths[0]
    impulses = jnp.zeros((width, steps, width)).at[:, 0].set(jnp.eye(width))
    return Responses(kernel(layer, steps), _states(layer, impulses))


@eqx.filter_jit
def _states(
    layer: Layer, impulses: Float[Array, "d_in lags d_in"]
) -> Inexact[Array, "lags n d_in"]:
    return jnp.moveaxis(jax.vmap(layer.states)(impulses), 0, -1)


def widened(model: Any) -> Any:
    """The same in double precision."""
    return jax.tree.map(_wide, model)


def _wide(leaf: Any) -> Any:
    if not eqx.is_inexact_array(leaf):
        return leaf
    wide = jnp.complex128 if jnp.iscomplexobj(leaf) else jnp.float64
    return jnp.asarray(leaf, wide)


def bias(part: Any) -> Float[Array, " m"]:
    """The bias of a linear map, zero if it has none."""
    return jnp.zeros(part.weight.shape[0]) if part.bias is None else part.bias


def _of_samples(samples: Any, before: Signal, place: int) -> Signal:
    signal = observed(samples)
    if signal.covariance.shape != before.covariance.shape:
        lags, width, _ = before.covariance.shape
        raise ValueError(
            f"need measured streams of block {place} with {lags} steps of {width} "
            f"features, got shape {np.shape(samples)}"
        )
    return signal


def require_theory(layer: Layer, place: str) -> None:
    """Refuse a layer that no moments go through.

    Raises:
        ValueError: Naming the place and the layer.
    """
    if layer.linear and layer.causal:
        return
    why = "reads from both ends" if layer.linear else "is not linear"
    raise ValueError(
        f"need a causal linear layer in {place}, got {type(layer).__name__}, which {why}: "
        "no moments go through it; give sampled streams after the block as measured="
    )


def require_moments(signal: Signal, place: str, what: str = "") -> None:
    """Refuse a stream that is not one of finite moments.

    Raises:
        ValueError: Naming the place.
    """
    square = float(signal.mean_square())
    least = float(jnp.diagonal(signal.covariance[0]).min())
    if np.isfinite(square) and least >= -ROUNDED * square:
        return
    raise ValueError(
        "need streams of moderate size, whose Gaussian moments are finite, got a mean "
        f"square of {square:.3g} and a least variance of {least:.3g} after {place}"
        f"{what and f' ({what})'}; lower its gains, normalise, or give sampled streams "
        "after the block as measured="
    )


def source(model: Network | Layer, autocovariance: Any) -> Signal:
    """The input's signal.

    Raises:
        ValueError: If there is no such process, or the model reads tokens.
    """
    R = np.asarray(autocovariance)
    if isinstance(model, Layer):
        channels = model.widths[0]
    else:
        channels = model.config.inputs
        if not isinstance(model.encoder, eqx.nn.Linear):
            raise ValueError(
                "need a linear encoder, got an embedding of tokens, which have no "
                "autocovariance; measure the embedded stream"
            )
    if R.ndim != 3:
        require_autocovariance(R, max(np.size(R), 1))
        return independent(R, channels)
    if R.shape[1:] != (channels, channels) or not np.isfinite(R).all():
        raise ValueError(
            f"need finite covariances of shape (lags, {channels}, {channels}), got "
            f"{R.shape}"
        )
    return Signal(jnp.zeros(channels), jnp.asarray(R, float))
