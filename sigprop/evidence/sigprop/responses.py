"""The expected loss by brute force, from responses of layers at all steps.

Notation: G  response of each step to each impulse (T, d_out, T, d_in);  g  response by
age, from ``1 - T`` to ``T - 1`` (2 T - 1, d_out, d_in);  T  steps of a sequence.
"""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Int

from sigprop.layers.base import Layer

Responses = Float[np.ndarray, "*points T d_out T2 d_in"]
Ages = Float[np.ndarray, "ages d_out d_in"]


def responses(layer: Layer, length: int) -> Float[Array, "T d_out T2 d_in"]:
    """Outputs of all steps for a unit impulse at each step of each channel."""
    width = layer.widths[0]
    impulses = np.eye(length * width).reshape(-1, length, width)
    outputs = jax.vmap(layer)(jnp.asarray(impulses))
    return jnp.moveaxis(outputs.reshape(length, width, length, -1), (0, 1), (2, 3))


def toeplitz(
    covariance: Float[np.ndarray, " lags"], length: int
) -> Float[np.ndarray, "T T2"]:
    """Covariance of the inputs of all steps."""
    steps = np.arange(length)
    return covariance[abs(steps[:, None] - steps)]


def expected_error(
    error: Responses, covariance: Float[np.ndarray, " lags"]
) -> Float[np.ndarray, "*points"]:
    """``tr(E K E') / (2 T)``: the mean over steps, without counting ages."""
    length = error.shape[-2]
    weighed = np.einsum("st,...pqti->...pqsi", toeplitz(covariance, length), error)
    return np.asarray(np.einsum("...pqsi,...pqsi->...", weighed, error) / (2 * length))


def relative_variance(
    error: Float[np.ndarray, "T d_out T2 d_in"], covariance: Float[np.ndarray, " lags"]
) -> float:
    """``Var(s) / E[s]^2`` of the loss ``s`` of one sequence of Gaussian inputs.

    ``2 tr(S S) / tr(S)^2`` with ``S`` the covariance of all errors.
    """
    length, d_out, _, d_in = error.shape
    inputs = np.kron(toeplitz(covariance, length), np.eye(d_in))
    flat = error.reshape(length * d_out, length * d_in)
    errors = flat @ inputs @ flat.T
    return float(2 * np.sum(errors * errors.T) / np.trace(errors) ** 2)


def by_age(response: Float[np.ndarray, "T d_out T2 d_in"]) -> Ages:
    """``g``: response to the first input; at negative ages, of the first output."""
    later = response[:, :, 0]
    earlier = np.moveaxis(response[0, :, :0:-1], 1, 0)
    return np.concatenate([earlier, later])


def steps_met(length: int) -> Int[np.ndarray, "ages ages2"]:
    """``n(j, k)``: steps at which inputs of both ages exist, counted one by one."""
    ages, steps = np.arange(1 - length, length), np.arange(length)
    entered = steps[:, None] - ages
    exists = ((entered >= 0) & (entered < length)).astype(int)
    return exists.T @ exists


Weights = Callable[[Any, Any, Any, int], Float[np.ndarray, "ages ages2"]]


def right(n: Any, lag: Any, R: Any, T: int) -> Float[np.ndarray, "ages ages2"]:
    """The right weight ``n(j, k) R(j - k) / (2 T)``."""
    return n * R[lag] / (2 * T)


MUTANTS: Mapping[str, Weights] = {
    "one step fewer": lambda n, lag, R, T: right(np.maximum(n - 1, 0), lag, R, T),
    "one step more": lambda n, lag, R, T: right(n + (n > 0), lag, R, T),
    "no transient": lambda n, lag, R, T: right(T, lag, R, T),
    "a lag too many": lambda n, lag, R, T: right(n, lag + 1, R, T),
    "the lag halved": lambda n, lag, R, T: right(n, lag // 2, R, T),
    "every input white": lambda n, lag, R, T: right(n * (lag == 0), lag, R, T),
    "every input constant": lambda n, lag, R, T: right(n, 0 * lag, R, T),
    "the younger age alone": lambda n, lag, R, T: right(
        np.maximum(np.diag(n)[:, None], np.diag(n)), lag, R, T
    ),
    "steps counted below zero": lambda n, lag, R, T: right(
        np.where(n > 0, n, T - lag), lag, R, T
    ),
    "the weight squared": lambda n, lag, R, T: right(n * n / T, lag, R, T),
}
"""Wrong weights of a pair of ages, by the mutant that makes them."""
SLIGHT = ("steps counted below zero",)  # changes a loss by at most half a per cent


def pair_weights(
    covariance: Float[np.ndarray, " lags"], length: int, weights: Weights = right
) -> Float[np.ndarray, "ages ages2"]:
    """Weight ``w(j, k)`` of ``<d_j, d_k>`` in the loss, for every pair of ages.

    Args:
        covariance: ``R`` at lags from 0 to ``2 T - 1``.
        length: ``T``.
        weights: The right weights, or a mutant of ``MUTANTS``.
    """
    ages = np.arange(1 - length, length)
    lag = abs(ages[:, None] - ages)
    return weights(steps_met(length), lag, covariance, length)


def paired(
    first: Ages, weights: Float[np.ndarray, "ages ages2"], second: Ages
) -> float:
    """``sum_jk w(j, k) <first_j, second_k>``."""
    return float(np.einsum("joi,jk,koi->", first, weights, second, optimize=True))
