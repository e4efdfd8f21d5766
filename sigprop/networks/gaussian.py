"""Gaussian streams: what filters, maps and nonlinearities make of their covariances.

A ``Signal`` is a stream of correlated channels that is taken for Gaussian and, up to the
last step, for stationary.  Filters and affine maps are exact for such a stream; so are
the covariances of a nonlinearity of one channel (Mehler's series) and of a gated unit,
whose value is integrated by parts against its gate.

Notation: R(lag)  covariance of ``x_t`` and ``x_{t - lag}``, for lags from 0 on;
He_k  Hermite polynomials, orthonormal for a standard normal.

Source: Mehler (1866) for the series; Stein (1981) for the integration by parts; the
second is Bussgang's theorem (1952) where it gives ``E[x f(y)]``.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.nn import sigmoid
from jaxtyping import Array, Float, Inexact

ORDER = 20  # of the last Hermite polynomial: what is beyond is given to that order
NODES = 96  # of the quadratures, exact for polynomials of degree 191

Covariances = Float[Array, "lags a b"]


class Signal(NamedTuple):
    """Means of the channels, and ``R(lag)`` of every pair, at the last step."""

    mean: Float[Array, " n"]
    covariance: Float[Array, "lags n n"]

    def mean_square(self) -> Float[Array, ""]:
        """``E x^2``, averaged over channels."""
        return jnp.mean(jnp.diagonal(self.covariance[0]) + self.mean**2)


def independent(covariance: Float[Any, " lags"], channels: int) -> Signal:
    """Channels of one process of mean zero that know nothing of each other."""
    R = jnp.asarray(covariance, float)
    return Signal(jnp.zeros(channels), R[:, None, None] * jnp.eye(channels)[None])


@jax.jit
def affine(
    signal: Signal, weight: Float[Array, "m n"], bias: Float[Array, " m"]
) -> Signal:
    """``weight x + bias``."""
    return Signal(
        weight @ signal.mean + bias, weight @ signal.covariance @ weight.T[None]
    )


def _spectrum(values: Inexact[Array, "lags a b"]) -> Inexact[Array, "frequencies a b"]:
    """On twice as many steps, so that nothing comes round."""
    return jnp.fft.rfft(values, 2 * values.shape[0], axis=0)


def _both_sides(covariance: Float[Array, "lags n n"]) -> Float[Array, "twice n n"]:
    """Lags ``0, 1, ...``, one that is not asked for, and those below zero."""
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
    """What a filter gives, with its covariances with what it was given.

    ``after(lag)`` is that of ``y_t`` and ``x_{t - lag}``, ``before(lag)`` that of
    ``x_t`` and ``y_{t - lag}``.
    """

    signal: Signal
    after: Float[Array, "lags m n"]
    before: Float[Array, "lags n m"]


@jax.jit
def filtered(signal: Signal, kernel: Float[Array, "lags m n"]) -> Filtered:
    """``y_t = sum over ages of kernel(age) x_{t - age}`` from the zero state.

    Covariances are those of the last of as many steps as there are lags, with those
    before: for the input stationary they are exact, for ages beyond the first step are
    zero on both sides.
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
    """``E|y|^2`` at the last step, summed over the outputs of a filter, real or not."""
    parts = jnp.concatenate([jnp.real(kernel), jnp.imag(kernel)], 1)
    response = _spectrum(parts)
    entering = response @ _spectral_matrix(signal.covariance)
    power = jnp.sum(jnp.real(entering * jnp.conj(response)), (1, 2))
    twice = jnp.full(power.shape, 2.0).at[0].set(1).at[-1].set(1)
    deviation = jnp.sum(twice * power) / (2 * kernel.shape[0])
    return deviation + jnp.sum((parts.sum(0) @ signal.mean) ** 2)


@functools.cache
def _quadrature() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Nodes and weights for a standard normal, and He_k at the nodes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(NODES)
    polynomials = [np.ones(NODES), nodes]
    for k in range(1, ORDER + 1):
        longer = nodes * polynomials[k] - math.sqrt(k) * polynomials[k - 1]
        polynomials.append(longer / math.sqrt(k + 1))
    return nodes, weights / weights.sum(), np.stack(polynomials[: ORDER + 1])


class Expansion(NamedTuple):
    """``f(x) = sum of coefficients_k He_k((x - mean) / deviation)``, for each channel.

    ``square`` is ``E f(x)^2``: what the coefficients leave out of it is known.
    """

    coefficients: Float[Array, "orders n"]
    square: Float[Array, " n"]


def expand(
    function: Callable[[Array], Array],
    mean: Float[Array, " n"],
    variance: Float[Array, " n"],
) -> Expansion:
    """Expand a function of one channel for each of some Gaussian channels."""
    nodes, weights, polynomials = _quadrature()
    values = function(mean[None] + jnp.sqrt(variance)[None] * nodes[:, None])
    weighted = jnp.asarray(polynomials * weights)
    return Expansion(weighted @ values, jnp.asarray(weights) @ values**2)


def correlation(covariance: Float[Array, "lags n n"]) -> Float[Array, "lags n n"]:
    """Correlations, zero for a channel that does not vary."""
    variance = jnp.diagonal(covariance[0])
    inverse = jnp.where(
        variance > 0, lax.rsqrt(jnp.where(variance > 0, variance, 1)), 0
    )
    return jnp.clip(covariance * _now(inverse) * _then(inverse), -1, 1)


def _now(values: Float[Array, " a"]) -> Float[Array, "1 a 1"]:
    """What belongs to the later of two steps."""
    return values[None, :, None]


def _then(values: Float[Array, " b"]) -> Float[Array, "1 1 b"]:
    """What belongs to the step ``lag`` before."""
    return values[None, None]


def series(
    first: Float[Array, "orders a"],
    second: Float[Array, "orders b"],
    rho: Float[Array, "lags a b"],
) -> Float[Array, "lags a b"]:
    """``E[f(x) g(y)]``: Mehler's series in their correlation, by Horner's rule."""

    def add(total, pair):
        return total * rho + _now(pair[0]) * _then(pair[1]), None

    start = jnp.zeros_like(rho)
    return lax.scan(add, start, (first[::-1], second[::-1]), unroll=True)[0]


class Passed(NamedTuple):
    """What a nonlinearity gives, and its effective gain ``E f'`` for each channel."""

    signal: Signal
    gain: Float[Array, " n"]


@functools.partial(jax.jit, static_argnames="function")
def through(signal: Signal, function: Callable[[Array], Array]) -> Passed:
    """Every channel through a function of it."""
    variance = jnp.diagonal(signal.covariance[0])
    known = expand(function, signal.mean, variance)
    lowest, rest = known.coefficients[0], known.coefficients.at[0].set(0)
    rho = correlation(signal.covariance)
    lost = jnp.maximum(known.square - jnp.sum(known.coefficients**2, 0), 0)
    own = rho ** (ORDER + 1) * jnp.diag(lost)[None]
    covariance = series(rest, rest, rho) + own
    slope = expand(derivative(function), signal.mean, variance)
    return Passed(Signal(lowest, covariance), slope.coefficients[0])


def derivative(function: Callable[[Array], Array]) -> Callable[[Array], Array]:
    """Of a function of each entry."""
    return lambda x: jax.jvp(function, (x,), (jnp.ones_like(x),))[1]


class Gated(NamedTuple):
    """What a gated unit gives, and its effective gains for its value and its gate."""

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
    """``v f(g)`` for channels ``v`` and ``g`` that are Gaussian together.

    Args:
        value: ``v``.
        gate: ``g``.
        together: The covariances of ``v_t`` and ``g_{t - lag}``, and of ``g_t`` and
            ``v_{t - lag}``.
        function: ``f``.
    """
    ahead, behind = together
    own = jnp.diagonal(ahead[0])
    variance = jnp.diagonal(gate.covariance[0])
    slope, bend = derivative(function), derivative(derivative(function))
    f, f1, f2 = (
        expand(one, gate.mean, variance).coefficients for one in (function, slope, bend)
    )
    rho = correlation(gate.covariance)
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
    mean = value.mean * f[0] + own * f1[0]
    covariance = product - _now(mean) * _then(mean)
    return Gated(Signal(mean, covariance), f[0], value.mean * f1[0] + own * f2[0])


@jax.jit
def added(
    stream: Signal,
    branch: Signal,
    together: tuple[Float[Array, "lags n n"], Float[Array, "lags n n"]],
) -> Signal:
    """The sum of two streams.

    ``together`` are the covariances of the branch with the stream before, and of the
    stream with the branch before.
    """
    covariance = stream.covariance + branch.covariance + sum(together)
    return Signal(stream.mean + branch.mean, covariance)


def observed(samples: Any) -> Signal:
    """The signal of sampled streams (num, time, n): averages over steps and sequences.

    Raises:
        ValueError: If the array is not of (sequences, time, channels), or holds a NaN or
            an infinity.
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
