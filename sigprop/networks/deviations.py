"""Errors of predicted moments, from simulated trajectories of the network.

If all maps up to a block are affine, impulse responses give its exact moment at the last
step.  For later blocks, Gaussian inputs of the same autocovariance are drawn and run through
the network.  The error of a moment is its distance from their mean, plus ``DEVIATIONS``
standard errors.  Beyond the affine part, no formula of ``sigprop.networks.propagation`` is
used.
"""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import gelu
from jaxtyping import Array, Float, Inexact, PRNGKeyArray
from scipy.linalg import toeplitz

from sigprop.networks.blocks import GLU, Block
from sigprop.networks.gaussian import Signal, square_filtered
from sigprop.networks.network import Network
from sigprop.networks.normalisation import EPSILON, BatchNorm, Norm

DEVIATIONS = 5.0  # standard errors of a sampled mean that bound its error
ROUNDED = 1e-9  # relative rounding error of a mean square
JITTER = 1e-12  # share of the variance added, so that a root always exists
LARGEST = 4096  # rows of the covariance matrix whose root gives the inputs
NUMBERS = 2**22  # numbers in all simulated trajectories
FEWEST, MOST = 64, 1024  # numbers of trajectories

Known = Mapping[int, Float[Any, "many time width"]]


class Moments(NamedTuple):
    """Second moments at the last step, one entry per block.

    Attributes:
        stream: Mean square of the features after the block.
        state: ``E|h|^2`` of the recurrence, summed over neurons. It is NaN for a block
            whose stream was measured.
    """

    stream: Float[Any, " blocks"]
    state: Float[Any, " blocks"]


def is_affine(norm: Norm, state: eqx.nn.State | None) -> bool:
    """True if a normalisation divides by a constant, or ``norm`` is ``None``."""
    return norm is None or (isinstance(norm, BatchNorm) and state is not None)


def errors(
    network: Network,
    source: Signal,
    autocovariance: Float[Any, "lags *channels"],
    state: eqx.nn.State | None,
    known: Known,
    predicted: Moments,
    key: PRNGKeyArray,
    samples: int | None,
) -> Moments:
    """Bound the distances of predicted moments from the true moments of the network.

    Args:
        network: Network without dropout, in double precision.
        source: Covariances of the input.
        autocovariance: The same covariances, as one number per lag if channels are
            independent and have equal autocovariances.
        state: State of the batch normalisations. By default each normalisation uses the
            moments of all sampled trajectories.
        known: Sampled streams that replace the stream after a block, by its index.
        predicted: Predicted moments.
        key: Random key of the sampled inputs.
        samples: Number of trajectories; by default as many as fit in memory, up to
            ``MOST``.

    Returns:
        One bound per moment. The bound of a moment that is not exact is infinite if
        ``samples`` is zero or the sequence is too long to sample.
    """
    depth = len(network.blocks)
    affine = 0  # number of first blocks
    for index, block in enumerate(network.blocks):
        if index in known or not _is_affine(block, state):
            break
        affine += 1
    count = _samples(network, len(source.covariance)) if samples is None else samples
    bounds = Moments(np.full(depth, np.inf), np.full(depth, np.inf))
    size = len(source.covariance) * (
        len(source.mean) if np.ndim(autocovariance) > 1 else 1
    )
    if affine < depth and count > 0 and size <= LARGEST:
        u = draw(key, autocovariance, len(source.mean), count)
        for index, values in enumerate(_squares(network, state, u, dict(known))):
            for error, value, draws in zip(bounds, predicted, values, strict=True):
                mean, sem = (
                    np.mean(draws),
                    np.std(draws) / np.sqrt(len(draws)),
                )
                off = abs(mean - value[index]) + DEVIATIONS * sem
                error[index] = off if np.isfinite(off) else np.inf
    exact = _exact(network, source, state, affine)
    for error, value, right in zip(bounds, predicted, exact, strict=True):
        count = len(right)
        error[:count] = abs(value[:count] - right) + ROUNDED * abs(value[:count])
    for index in known:
        bounds.state[index] = np.nan
    return bounds


def _is_affine(block: Block, state: eqx.nn.State | None) -> bool:
    norms = block.norm, block.mixing_norm
    return block.mixing is None and all(is_affine(norm, state) for norm in norms)


def _samples(network: Network, steps: int) -> int:
    width = max(
        max(*block.layer.widths, block.layer.state_size) for block in network.blocks
    )
    return int(np.clip(NUMBERS // (steps * width), FEWEST, MOST))


def draw(
    key: PRNGKeyArray, autocovariance: Float[Any, "lags *both"], channels: int, num: int
) -> Float[Array, "num lags channels"]:
    """Draw Gaussian sequences of mean zero with a given autocovariance.

    Args:
        key: Random key of JAX; do not use it for anything else.
        autocovariance: Autocovariance by lag, of independent channels or of every pair
            of channels.
        channels: Number of channels.
        num: Number of sequences.

    Raises:
        ValueError: If no stationary process has these covariances.
    """
    R = np.asarray(autocovariance, float)
    steps, alike = len(R), R.ndim == 1
    matrix = toeplitz(R) if alike else _block_toeplitz(R)
    if not (variance := np.diagonal(matrix).max()):
        return jnp.zeros((num, steps, channels))
    try:
        jitter = JITTER * len(matrix) * variance
        root = np.linalg.cholesky(matrix + jitter * np.eye(len(matrix)))
    except np.linalg.LinAlgError as error:
        raise ValueError(
            "need covariances of a process, got some whose matrix over all steps and "
            "channels has a negative eigenvalue"
        ) from error
    if alike:
        normal = jax.random.normal(key, (num, channels, steps), float)
        return jnp.einsum("ts,ncs->ntc", root, normal)
    normal = jax.random.normal(key, (num, len(matrix)), float)
    return (normal @ root.T).reshape(num, steps, channels)


def _block_toeplitz(R: Float[np.ndarray, "lags n n"]) -> Float[np.ndarray, "all all"]:
    """Covariances of all channels at all steps; only the lower half is valid.

    ``R(lag)`` is the covariance of ``x_t`` and ``x_{t - lag}``, so that lags are not
    negative below the diagonal.
    """
    steps, n, _ = R.shape
    lag = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    return R[lag].transpose(0, 2, 1, 3).reshape(steps * n, steps * n)


def _follow(
    network: Network,
    state: eqx.nn.State | None,
    u: Float[Array, "num time n"],
    known: Known,
) -> Iterator[tuple[Float[Array, "num time width"], Inexact[Array, "num time states"]]]:
    """Stream and states of every block for a batch of sequences."""
    x = jax.vmap(jax.vmap(network.encoder))(u)
    for index, block in enumerate(network.blocks):
        if index in known:
            x = jnp.asarray(known[index], float)
            yield x, jnp.full((*x.shape[:2], 1), jnp.nan)
            continue
        z = _normalise(block.norm, x, state)
        h = jax.vmap(block.layer.states)(z)
        y = jax.vmap(block.layer.read)(h, z)
        y = gelu(y) if isinstance(block.mixing, GLU) else y
        y = _normalise(block.mixing_norm, y, state)
        if block.mixing is not None:
            y = jax.vmap(jax.vmap(block.mixing))(y)
        x = y + (x if block.skip is None else jax.vmap(jax.vmap(block.skip))(x))
        yield x, h


def _normalise(
    norm: Norm, x: Float[Array, "num time width"], state: eqx.nn.State | None
) -> Float[Array, "num time width"]:
    if norm is None:
        return x
    if not isinstance(norm, BatchNorm):
        return jax.vmap(jax.vmap(norm))(x)
    mean, variance = x.mean((0, 1)), x.var((0, 1))
    if state is not None:
        mean, variance, _ = (
            jnp.asarray(statistic, x.dtype) for statistic in state.get(norm.statistics)
        )
    scale = lax.rsqrt(variance + EPSILON) * norm.weight
    return (x - mean[None, None]) * scale[None, None] + norm.bias[None, None]


@eqx.filter_jit
def _squares(
    network: Network,
    state: eqx.nn.State | None,
    u: Float[Array, "num time n"],
    known: Known,
) -> list[tuple[Float[Array, " each"], Float[Array, " each"]]]:
    """Squares of every block and sequence, whose means are ``Moments``."""
    return [
        (jnp.mean(x[:, -1] ** 2, 1), jnp.sum(jnp.abs(h[:, -1]) ** 2, 1))
        for x, h in _follow(network, state, u, known)
    ]


@eqx.filter_jit
def _responses(
    network: Network, state: eqx.nn.State | None, u: Float[Array, "num time n"]
) -> list[tuple[Float[Array, "num time width"], Inexact[Array, "num time states"]]]:
    return list(_follow(network, state, u, {}))


def _exact(
    network: Network, source: Signal, state: eqx.nn.State | None, affine: int
) -> Moments:
    """Moments of the first blocks and of the states that only affine maps come before."""
    blocks = network.blocks[: affine + 1]
    states = affine
    if affine < len(network.blocks) and is_affine(blocks[-1].norm, state):
        states += 1
    if not states:
        return Moments(np.zeros(0), np.zeros(0))
    steps, channels = len(source.covariance), len(source.mean)
    impulses = jnp.zeros((channels + 1, steps, channels))
    impulses = impulses.at[jnp.arange(channels), 0, jnp.arange(channels)].set(1)
    first = eqx.tree_at(lambda tree: tree.blocks, network, blocks[:states])

    def square(values: Inexact[Array, "num time states"]) -> float:
        rest = values[-1]
        kernel = jnp.moveaxis(values[:-1] - rest[None], 0, 2)
        return float(square_filtered(source, kernel) + jnp.sum(jnp.abs(rest[-1]) ** 2))

    responses = _responses(first, state, impulses)
    return Moments(
        np.array([square(x) / x.shape[2] for x, _ in responses[:affine]]),
        np.array([square(h) for _, h in responses]),
    )
