"""What judges the text on norms, decays and constants of RotRNN (2024)."""

import functools
import math
from typing import Any

import mpmath
import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import (
    covariances,
    crossed,
    energy,
    impulse_response,
    points,
    recur,
)
from sigprop.evidence.rotrnn.forward import listing_outputs
from sigprop.evidence.rotrnn.heads import TIME, dense, dense_outputs, layer, parameters
from sigprop.evidence.rotrnn.random_matrices import (
    Matrix,
    blocks,
    draw,
    orthogonal,
    rotation,
)
from sigprop.evidence.rotrnn.white_noise import (
    SIZE,
    WIDTH,
    covariance,
    factor_by_root,
    factor_by_steps,
    input_matrix,
    norm_after,
    stationary,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision

# Norms of one head from the zero state, and of all heads of a layer.


def norm_from_zero(gamma: float, T: int, seed: int = 1) -> float:
    """``E|x_T|^2`` from the zero state, Eq. 11 at ``c = 1``, by covariances."""
    B = input_matrix(seed, 1 - gamma**2)
    return np.trace(covariances(gamma * rotation(seed, SIZE), B @ B.T, T)[-1])


def norm_from_zero_summed(gamma: float, T: int, seed: int = 2) -> float:
    """``E|x_T|^2`` from the zero state: squared impulse responses summed."""
    return _summed(gamma, input_matrix(seed, 1 - gamma**2), T, seed)


def _summed(gamma: float, B: Matrix, steps: int, seed: int) -> float:
    A = gamma * rotation(seed, SIZE)
    return energy(impulse_response(A, B, np.eye(SIZE), steps))


@functools.cache
def _responses(
    seed: int, heads: int, size: int, length: int
) -> Float[np.ndarray, "length states inputs"]:
    """Impulse responses of the states through the layer."""
    import jax
    import jax.numpy as jnp

    with double_precision(True):
        model = layer(parameters(seed, heads, size))
        pulses = jnp.zeros((WIDTH, length, WIDTH)).at[:, 0].set(jnp.eye(WIDTH))
        return np.asarray(jax.jit(jax.vmap(model.states))(pulses)).transpose(1, 2, 0)


def norms_through_layer(seed: int, heads: int, size: int) -> Float[np.ndarray, " time"]:
    """``E|x_t|^2`` at t = 1 ... under white inputs, from impulse responses."""
    responses = _responses(seed, heads, size, TIME)
    return np.cumsum(np.sum(responses**2, axis=(1, 2)))


def norms_by_covariance(seed: int, heads: int, size: int) -> Float[np.ndarray, " time"]:
    """``E|x_t|^2`` at t = 1 ... under white inputs, by propagated covariances."""
    heads_of = dense(parameters(seed, heads, size))
    moments = [covariances(A, B @ B.T, TIME) for A, B in heads_of]
    return np.trace(sum(moments), axis1=1, axis2=2)


def transient_norms(seed: int, heads: int, size: int) -> Float[np.ndarray, " time"]:
    """``sum_h 1 - gamma_h^{2t}``."""
    squares = parameters(seed, heads, size).decays ** 2
    return np.array([np.sum(1 - squares**t) for t in range(1, TIME + 1)])


def correlated_norm(seed: int, size: int, rho: float) -> float:
    """Stationary ``E|x|^2`` of a head under inputs ``R = rho^|lag|``, through the layer."""
    responses = _responses(seed, 1, size, 400)
    ages = np.arange(len(responses))
    weights = rho ** np.abs(ages[:, None] - ages)
    return np.einsum("ain,ab,bin->", responses, weights, responses)


def correlated_norm_by_lyapunov(seed: int, size: int, rho: float) -> float:
    """Stationary ``E|x|^2`` under inputs ``R = rho^|lag|``, by Lyapunov's equation."""
    ((A, B),) = dense(parameters(seed, 1, size))
    zeros, eye = np.zeros((WIDTH, size)), np.eye(WIDTH)
    step = np.block([[A, rho * B], [zeros, rho * eye]])
    noise = math.sqrt(1 - rho**2) * np.vstack([B, eye])
    joint = scipy.linalg.solve_discrete_lyapunov(step, noise @ noise.T)
    return np.trace(joint[:size, :size])


# Several decays in a head.


def _many_decays(seed: int, size: int) -> tuple[Matrix, Matrix]:
    """A step with a decay for each plane, and the covariance of its inputs."""
    gammas = np.random.default_rng(seed).uniform(0.2, 0.99, size // 2)
    P = orthogonal(seed, size, 1)
    step = P @ np.kron(np.diag(gammas), np.eye(2)) @ blocks(seed, size) @ P.T
    B = draw(seed + 7, size, WIDTH)
    planes = np.linalg.norm(B.reshape(size // 2, -1), axis=1)
    factors = np.sqrt((1 - gammas**2) / (size // 2)) / planes
    B = P @ (np.repeat(factors, 2)[:, None] * B)
    return step, B @ B.T


def _decays(step: Matrix, norms: Float[np.ndarray, " time"]) -> int:
    """Different decays of a step, if it keeps a norm of 1; otherwise one."""
    if not np.allclose(norms, 1, rtol=1e-12):
        return 1
    return len(set(np.round(np.abs(np.linalg.eigvals(step)), 9)))


def decays_with_constant_norm(seed: int, size: int) -> int:
    """How many decays a head may have, its stationary norm being 1 at all times.

    Each plane of ``P`` has its own decay and its rows of ``B`` are scaled by
    ``sqrt(1 - gamma_i^2)``; the norm starts at its stationary value.
    """
    step, noise = _many_decays(seed, size)
    start = scipy.linalg.solve_discrete_lyapunov(step, noise)
    moments = np.stack([start, *covariances(step, noise, 5, start)])
    return _decays(step, np.trace(moments, axis1=1, axis2=2))


def decays_of_constant_sums(seed: int, size: int) -> int:
    """How many decays a head of constant norm may have, by impulse responses.

    The state at the start is the sum over inputs so old that no older one is felt.
    """
    step, noise = _many_decays(seed, size)
    ages = math.ceil(-18 / math.log(np.abs(np.linalg.eigvals(step)).max()))
    norms, term = [], noise
    for _ in range(ages + 6):
        norms.append(np.trace(term))
        term = step @ term @ step.T
    return _decays(step, np.cumsum(norms)[ages:])


# The constants, as printed.


def kept_by_printed_scale(gamma: float, c: float, s: float, seed: int = 1) -> float:
    """``E|x_t|^2`` one step after ``c``, with Lemma 3's constant as printed."""
    return norm_after(gamma, c, s, 1 / math.sqrt(c * gamma**2 + s), 1.0, 1, seed)


def kept_in_pairs(gamma: float, c: float, s: float, seed: int = 3) -> float:
    """``E|x_t|^2`` after a step with Lemma 3's printed constant, by impulse responses."""
    A, B = rotation(seed, SIZE), input_matrix(seed, s)
    L = np.linalg.cholesky(covariance(seed, c))
    columns = np.hstack([gamma * A @ L, B]) / math.sqrt(c * gamma**2 + s)
    return np.sum(columns**2)


def stationary_with_printed_factor(gamma: float, c: float, seed: int = 1) -> float:
    """Stationary norm with Eq. 11's factor, by Lyapunov's equation."""
    return stationary(gamma, 2.0, math.sqrt((1 - c * gamma**2) / 2.0), seed)


def summed_with_printed_factor(gamma: float, c: float, seed: int = 2) -> float:
    """Stationary norm with Eq. 11's factor, by summed squared impulse responses."""
    B = math.sqrt((1 - c * gamma**2) / 2.0) * input_matrix(seed, 2.0)
    return _summed(gamma, B, math.ceil(-20 / math.log(gamma)), seed)


# How inputs fade, and the decay of the layer.


def fading(seed: int, size: int, alpha: float, gamma: float) -> float:
    """Weight of an input eight steps old over that of one seven steps old."""
    pulse = np.zeros((9, size))
    pulse[0] = draw(seed, size)
    states = recur(alpha * gamma * rotation(seed, size), pulse, np.zeros(size))
    before, after = np.linalg.norm(states[-2:], axis=1)
    return after / before


def fading_in_eigenbasis(seed: int, size: int, alpha: float, gamma: float) -> float:
    """The spectral radius of one step."""
    return np.abs(np.linalg.eigvals(alpha * gamma * rotation(seed, size))).max()


def decay_of_layer(gamma_log: float) -> float:
    """``gamma`` of the layer."""
    p = parameters(1, 1, 2)._replace(gamma_log=np.array([[gamma_log]]))
    with double_precision(True):
        return float(layer(p).decays()[0])


def decay_precisely(gamma_log: float) -> Any:
    """``exp(-exp(gamma_log))`` with 30 digits, by the series of both exponentials."""
    with mpmath.workdps(30):
        inner = mpmath.nsum(
            lambda k: mpmath.mpf(gamma_log) ** k / mpmath.factorial(k), [0, 80]
        )
        return mpmath.nsum(lambda k: (-inner) ** k / mpmath.factorial(k), [0, 80])


CONSTANTS = points("gamma c", (0.9, 0.6), (0.5, 2.4), (0.7, 1.6))

EVIDENCE: dict[str, Basis] = {
    "rotrnn:text:constant-norm": Evidence(
        points("gamma T", (0.9, 1), (0.5, 3), (0.99, 20), (0.7, 2)),
        {"reference": norm_from_zero, "summed": norm_from_zero_summed},
    ),
    "rotrnn:text:stronger-guarantee": Evidence(
        (dict(seed=1, heads=2, size=4),),
        {"impulse": norms_through_layer, "reference": norms_by_covariance},
        transient_norms,
        printed=lambda seed, heads, size: [heads] * TIME,
    ),
    "rotrnn:text:white-inputs": Evidence(
        points("seed size rho", (1, 4, 0.0), (2, 4, 0.0), (1, 4, 0.9), (1, 4, -0.6)),
        {"lyapunov": correlated_norm_by_lyapunov, "impulse": correlated_norm},
        1.0,
    ),
    "rotrnn:text:scalar-decay": Evidence(
        points("seed size", (1, 4), (1, 6), (1, 8)),
        {"covariance": decays_with_constant_norm, "impulse": decays_of_constant_sums},
        lambda seed, size: size / 2,
        printed=1,
    ),
    "rotrnn:text:any-head-size": Evidence(
        points("seed heads size", (1, 2, 2), (1, 2, 3)),
        {"reference": dense_outputs},
        listing_outputs,
        alone="whether the listing runs, and gives what dense matrices give",
    ),
    "rotrnn:text:lemma3-last-step": Evidence(
        crossed(CONSTANTS, points("s", 0.4, 2.5)),
        {"reference": kept_by_printed_scale, "summed": kept_in_pairs},
    ),
    "rotrnn:text:forgetting": Evidence(
        points(
            "seed size alpha gamma",
            (1, 3, 0.7, 0.9),
            (2, 2, 1.3, 0.6),
            (3, 4, 0.4, 0.95),
        ),
        {"reference": fading, "eigenbasis": fading_in_eigenbasis},
    ),
    "rotrnn:text:trace": Evidence(
        CONSTANTS,
        {
            "reference": lambda gamma, c: factor_by_root(gamma, c, 1.0) ** 2,
            "steps": lambda gamma, c: factor_by_steps(gamma, c, 1.0) ** 2,
        },
    ),
    "rotrnn:text:c-one": Evidence(
        points("gamma c", (0.9, 1.0), (0.3, 1.0), (0.9, 0.6), (0.5, 2.4)),
        {
            "lyapunov": stationary_with_printed_factor,
            "summed": summed_with_printed_factor,
        },
        lambda gamma, c: c,
    ),
    "rotrnn:text:decay": Evidence(
        points("gamma_log", -3.0, 0.4, 1.1),
        {"layer": decay_of_layer, "precise": decay_precisely},
    ),
}
