"""Means and covariances of Gaussian streams after filters, maps and nonlinearities.

A ``Signal`` describes a stream of correlated channels, which is assumed to be Gaussian and,
up to the last step, stationary.  Filters and affine maps are exact for such a stream.  For a
nonlinearity of one channel, Mehler's series gives the covariances; for a gated unit,
integration by parts does.  Both expand the nonlinearity in Hermite polynomials up to
``ORDER``, so that the result is a valid covariance for any nonlinearity.  The variance of
each channel is exact.

Notation: R(lag)  covariance of ``x_t`` and ``x_{t - lag}``, for lags from 0 on;
He_k  Hermite polynomials, orthonormal for a standard normal.

Source: Mehler (1866) for the series; Stein (1981) for the integration by parts; the
second is Bussgang's theorem (1952) where it gives ``E[x f(y)]``.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid
from jaxtyping import Array, Float, Inexact

from sigprop.linear.covariances import require_autocovariance
from sigprop.numerics.arguments import require_count

ORDER = 20  # largest Hermite order; the remaining variance counts as the next
NODES, REACH = 401, 14.0  # trapezoidal rule: nodes, and standard deviations
CENTRED = 8.0  # standard deviations within which a kink matters
FLAT = 1e-4  # standard deviation below which a function is linearised

Covariances = Float[Array, "lags a b"]


class Signal(NamedTuple):
    """Means and autocovariances of several channels of a Gaussian process.

    Attributes:
        mean: Mean of each channel at the last step ``t``.
        covariance: Matrix of covariances of ``x_t`` (rows) with ``x_{t - lag}``
            (columns) at lags 0, 1, ...

    Example:
        >>> signal = independent(np.array([1.0, 0.5]), 3)
        >>> signal.mean.shape, signal.covariance.shape, float(signal.mean_square())
        ((3,), (2, 3, 3), 1.0)
    """

    mean: Float[Array, " n"]
    covariance: Float[Array, "lags n n"]

    def mean_square(self) -> Float[Array, ""]:
        """Return ``E x^2`` at the last step, averaged over channels."""
        return jnp.mean(jnp.diagonal(self.covariance[0]) + self.mean**2)


def independent(covariance: Float[Any, " lags"], channels: int) -> Signal:
    """Return the ``Signal`` of independent channels with equal autocovariances.

    Args:
        covariance: Autocovariance at lags 0, 1, ... of each channel, which has mean
            zero.
        channels: Number of channels.

    Raises:
        ValueError: If no stationary process has the autocovariance ``covariance``, or
            ``channels`` is below one.

    Example:
        >>> independent(np.array([1.0, 0.5]), 2).covariance.tolist()
        [[[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.0], [0.0, 0.5]]]
    """
    require_autocovariance(covariance, np.size(covariance))
    channels = require_count("channels", channels)
    R = jnp.asarray(covariance, float)
    return Signal(jnp.zeros(channels), R[:, None, None] * jnp.eye(channels)[None])


@jax.jit
def affine(
    signal: Signal, weight: Float[Array, "m n"], bias: Float[Array, " m"]
) -> Signal:
    """Return the signal of ``weight x + bias``."""
    return Signal(
        weight @ signal.mean + bias, weight @ signal.covariance @ weight.T[None]
    )


def _spectrum(values: Inexact[Array, "lags a b"]) -> Inexact[Array, "frequencies a b"]:
    """On twice as many steps, so that nothing comes round."""
    return jnp.fft.rfft(values, 2 * values.shape[0], axis=0)


def _both_sides(covariance: Float[Array, "lags n n"]) -> Float[Array, "twice n n"]:
    """Array of the lags ``0, 1, ...``, one unused lag, and the negative lags."""
    before = covariance[1:].transpose(0, 2, 1)[::-1]
    return jnp.concatenate([covariance, jnp.zeros_like(covariance[:1]), before])


def _spectral_matrix(
    covariance: Float[Array, "lags n n"],
) -> Inexact[Array, "frequencies n n"]:
    return jnp.fft.rfft(_both_sides(covariance), axis=0)


def _inverse(spectrum: Inexact[Array, "frequencies a b"], lags: int) -> Covariances:
    return jnp.fft.irfft(spectrum, 2 * lags, axis=0)[:lags]


def _backwards(
    left: Float[Array, "lags a n"], kernel: Inexact[Array, "frequencies b n"]
) -> Covariances:
    """``sum over m of left(lag + m) kernel(m)^T``, as far as ``left`` goes."""
    turned = jnp.conj(kernel).transpose(0, 2, 1)
    return _inverse(_spectrum(left) @ turned, left.shape[0])


class Filtered(NamedTuple):
    """Output ``y`` of a filter, and its covariances with the input ``x``.

    Attributes:
        signal: Means and covariances of the output.
        after: Covariance of ``y_t`` with ``x_{t - lag}`` at each lag.
        before: Covariance of ``x_t`` with ``y_{t - lag}`` at each lag.
    """

    signal: Signal
    after: Float[Array, "lags m n"]
    before: Float[Array, "lags n m"]


@jax.jit
def filtered(signal: Signal, kernel: Float[Array, "lags m n"]) -> Filtered:
    """Filter a signal, ``y_t = sum over ages of kernel(age) x_{t - age}``.

    The covariances relate the last step to every earlier step.  There are as many steps
    as lags, and no input before the first step.  For a stationary input they are exact.
    """
    lags, response = kernel.shape[0], _spectrum(kernel)
    after = _inverse(response @ _spectral_matrix(signal.covariance), lags)
    before = _backwards(signal.covariance, response)
    mean = kernel.sum(0) @ signal.mean
    return Filtered(Signal(mean, _backwards(after, response)), after, before)


@jax.jit
def square_filtered(
    signal: Signal, kernel: Inexact[Array, "lags m n"]
) -> Float[Array, ""]:
    """Compute ``E|y|^2`` at the last step, summed over real or complex outputs ``y``."""
    parts = jnp.concatenate([jnp.real(kernel), jnp.imag(kernel)], 1)
    response = _spectrum(parts)
    entering = response @ _spectral_matrix(signal.covariance)
    power = jnp.sum(jnp.real(entering * jnp.conj(response)), (1, 2))
    twice = jnp.full(power.shape, 2.0).at[0].set(1).at[-1].set(1)
    deviation = jnp.sum(twice * power) / (2 * kernel.shape[0])
    return deviation + jnp.sum((parts.sum(0) @ signal.mean) ** 2)


def _quadrature(
    mean: Float[Array, " n"], deviation: Float[Array, " n"]
) -> tuple[Float[Array, "nodes n"], Float[Array, "nodes n"]]:
    """Nodes and weights for a standard normal ``z`` at which ``f(mean + deviation z)`` bends.

    They are as close about zero of the function's argument as the function's own unit is
    in deviations: a trapezoidal rule after ``sinh``, whose error falls exponentially.
    """
    own = 1 / jnp.maximum(deviation, 1)
    centre = jnp.where(deviation > 1, jnp.clip(-mean * own, -CENTRED, CENTRED), 0)
    span = jnp.arcsinh((REACH + CENTRED) / own)
    u = jnp.linspace(-1, 1, NODES)[:, None] * span[None]
    nodes = centre[None] + own[None] * jnp.sinh(u)
    weights = jnp.exp(-(nodes**2) / 2) * jnp.cosh(u)
    return nodes, weights / weights.sum(0, keepdims=True)


def _hermite(nodes: Float[Array, "nodes n"]) -> Float[Array, "orders nodes n"]:
    """He_k at the nodes."""

    def grow(pair, k):
        last, now = pair
        longer = (nodes * now - jnp.sqrt(k) * last) / jnp.sqrt(k + 1)
        return (now, longer), longer

    start = jnp.ones_like(nodes), nodes
    rest = lax.scan(grow, start, jnp.arange(1.0, ORDER))[1]
    return jnp.concatenate([jnp.stack(start), rest])


class HermiteExpansion(NamedTuple):
    """Hermite expansion of a function ``f`` for each channel.

    ``f(x) = sum of coefficients_k He_k(z)`` with ``z = (x - mean) / deviation``.

    Attributes:
        coefficients: Coefficients of the orders 0, 1, ..., ``ORDER``.
        squares: Means ``E z^p f(x)^2`` for ``p = 0, 1, 2``, which give the remainder of the
            truncated series.
        derivative: Mean derivative ``E f'(x)``.
    """

    coefficients: Float[Array, "orders n"]
    squares: Float[Array, "powers n"]
    derivative: Float[Array, " n"]


def hermite_expansion(
    function: Callable[[Array], Array],
    mean: Float[Array, " n"],
    variance: Float[Array, " n"],
) -> HermiteExpansion:
    """Expand a function in Hermite polynomials of each Gaussian channel.

    Args:
        function: Function of one channel. Its derivatives may vary on a scale of one near
            zero; elsewhere it must be smoother.
        mean: Mean of each channel.
        variance: Variance of each channel.
    """
    deviation = jnp.sqrt(jnp.maximum(variance, 0))
    nodes, weights = _quadrature(mean, deviation)
    values = function(mean[None] + deviation[None] * nodes)
    coefficients = jnp.einsum("kqn,qn->kn", _hermite(nodes), weights * values)
    powers = jnp.stack([jnp.ones_like(nodes), nodes, nodes**2])
    squares = jnp.einsum("pqn,qn->pn", powers, weights * values**2)
    flat = deviation < FLAT
    steep = coefficients[1] / jnp.where(flat, 1, deviation)
    mean_derivative = jnp.where(flat, derivative(function)(mean), steep)
    return HermiteExpansion(coefficients, squares, mean_derivative)


def bent(coefficients: Float[Array, "orders n"]) -> Float[Array, "orders n"]:
    """Return the Hermite coefficients of the derivative by the standard normal argument."""
    roots = jnp.sqrt(jnp.arange(1.0, len(coefficients)))
    return jnp.zeros_like(coefficients).at[:-1].set(roots[:, None] * coefficients[1:])


def inverse_deviation(covariance: Float[Array, "lags n n"]) -> Float[Array, " n"]:
    """Return one over the standard deviation, or zero for a constant channel."""
    variance = jnp.diagonal(covariance[0])
    safe = jnp.where(variance > 0, variance, 1)
    return jnp.where(variance > 0, lax.rsqrt(safe), 0)


def correlation(covariance: Float[Array, "lags n n"]) -> Float[Array, "lags n n"]:
    """Return the correlations, zero for a constant channel."""
    inverse = inverse_deviation(covariance)
    return jnp.clip(covariance * _now(inverse) * _then(inverse), -1, 1)


def _now(values: Float[Array, " a"]) -> Float[Array, "1 a 1"]:
    """Values at the later of two steps, along the axis of rows."""
    return values[None, :, None]


def _then(values: Float[Array, " b"]) -> Float[Array, "1 1 b"]:
    """Values at the step ``lag`` before, along the axis of columns."""
    return values[None, None]


def series(
    first: Float[Array, "orders a"],
    second: Float[Array, "orders b"],
    rho: Float[Array, "lags a b"],
) -> Float[Array, "lags a b"]:
    """Compute ``E[f(x) g(y)]`` by Mehler's series in the correlation of ``x`` and ``y``."""

    def add(total, pair):
        return total * rho + _now(pair[0]) * _then(pair[1]), None

    start = jnp.zeros_like(rho)
    return lax.scan(add, start, (first[::-1], second[::-1]), unroll=True)[0]


class Passed(NamedTuple):
    """Output of a nonlinearity ``f``, and its mean derivative ``E f'`` in each channel."""

    signal: Signal
    gain: Float[Array, " n"]


@functools.partial(jax.jit, static_argnames="function")
def through(signal: Signal, function: Callable[[Array], Array]) -> Passed:
    """Apply a function to every channel of a signal."""
    variance = jnp.diagonal(signal.covariance[0])
    known = hermite_expansion(function, signal.mean, variance)
    lowest, rest = known.coefficients[0], known.coefficients.at[0].set(0)
    rho = correlation(signal.covariance)
    covariance = series(rest, rest, rho)
    covariance = covariance + beyond(known.squares[0] - lowest**2, covariance, rho)
    return Passed(Signal(lowest, covariance), known.derivative)


def beyond(
    own: Float[Array, " n"], covariances: Covariances, rho: Covariances
) -> Covariances:
    """Return the remainder of the truncated series, which is diagonal in the channels.

    Args:
        own: Exact moments of each channel at lag zero.
        covariances: Moments by the truncated series.
        rho: Correlations of the channels.
    """
    lost = own - jnp.diagonal(covariances[0])
    return rho ** (ORDER + 1) * jnp.diag(lost)[None]


def derivative(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Return the derivative of a function that acts entry by entry."""
    return lambda x: jax.jvp(function, (x,), (jnp.ones_like(x),))[1]


class Gated(NamedTuple):
    """Output of a gated unit, and its mean derivatives by the value and by the gate."""

    signal: Signal
    value_gain: Float[Array, " n"]
    gate_gain: Float[Array, " n"]


@functools.partial(jax.jit, static_argnames="function")
def gated(
    value: Signal,
    gate: Signal,
    together: tuple[Float[Array, "lags n n"], Float[Array, "lags n n"]],
    function: Callable[[Array], Array] = sigmoid,
) -> Gated:
    """Compute the signal of ``v f(g)`` for jointly Gaussian channels ``v`` and ``g``.

    Args:
        value: Signal of ``v``.
        gate: Signal of ``g``.
        together: Covariances of ``v_t`` with ``g_{t - lag}``, and of ``g_t`` with
            ``v_{t - lag}``.
        function: Function ``f`` of one number.
    """
    known = hermite_expansion(function, gate.mean, jnp.diagonal(gate.covariance[0]))
    f = known.coefficients
    f1, f2 = bent(f), bent(bent(f))
    rho, inverse = correlation(gate.covariance), inverse_deviation(gate.covariance)
    # With standardised gates, derivatives have the size of the function.
    ahead, behind = together[0] * _then(inverse), together[1] * _now(inverse)
    own = jnp.diagonal(ahead[0])
    both, early, late = series(f, f, rho), series(f1, f, rho), series(f, f1, rho)
    left, right = _now(own), _then(own)
    v, w = _now(value.mean), _then(value.mean)
    product = (
        (value.covariance + v * w) * both
        + (v * behind + w * left) * early
        + (v * right + w * ahead) * late
        + left * behind * series(f2, f, rho)
        + (left * right + ahead * behind) * series(f1, f1, rho)
        + ahead * right * series(f, f2, rho)
    )
    apart = jnp.diagonal(value.covariance[0]) - own**2
    weights = jnp.stack([value.mean**2 + apart, 2 * value.mean * own, own**2])
    product = product + beyond(jnp.sum(weights * known.squares, 0), product, rho)
    mean = value.mean * f[0] + own * f1[0]
    covariance = product - _now(mean) * _then(mean)
    curved = jnp.where(inverse > 1 / FLAT, 0, inverse) * f2[0]
    by_gate = value.mean * known.derivative + own * curved
    return Gated(Signal(mean, covariance), f[0], by_gate)


@jax.jit
def added(
    stream: Signal,
    branch: Signal,
    together: tuple[Float[Array, "lags n n"], Float[Array, "lags n n"]],
) -> Signal:
    """Return the signal of the sum of two streams.

    Args:
        stream: Signal of the residual stream.
        branch: Signal that is added to it.
        together: Covariances of the branch with the earlier stream, and of the stream
            with the earlier branch.
    """
    covariance = stream.covariance + branch.covariance + sum(together)
    return Signal(stream.mean + branch.mean, covariance)


def observed(samples: Any) -> Signal:
    """Estimate a signal from sampled sequences, by averages over steps and sequences.

    Args:
        samples: Array of shape (sequences, time, channels).

    Raises:
        ValueError: If the array has another shape, or a number is not finite.
    """
    values = np.asarray(samples, float)
    if values.ndim != 3 or 0 in values.shape:
        raise ValueError(
            f"need an array of shape (sequences, time, channels), got {values.shape}"
        )
    if not np.isfinite(values).all():
        raise ValueError(
            "need finite numbers in the measured streams, got a NaN or inf"
        )
    mean = values.mean((0, 1))
    steps = values.shape[1]
    spectrum = np.fft.rfft(values - mean, 2 * steps, axis=1)
    power = np.einsum("bfi,bfj->fij", spectrum, spectrum.conj()) / len(values)
    sums = np.fft.irfft(power, 2 * steps, axis=0)[:steps]
    pairs = steps - np.arange(steps)
    return Signal(jnp.asarray(mean), jnp.asarray(sums / pairs[:, None, None]))
