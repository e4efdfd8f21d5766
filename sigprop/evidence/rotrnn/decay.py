"""Evidence for the text on norms, decays and constants of RotRNN (2024)."""

import functools
import math
from functools import partial
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
    spectral_norm,
)
from sigprop.evidence.rotrnn.heads import TIME, dense, layer, parameters
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
    root,
    stationary,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision
from sigprop.theory.rotation import norm_from_zero

# Norms of one head from the zero state, and of all heads of a layer.


def norm_from(gamma: float, T: int, seed: int = 1) -> float:
    """``E|x_T|^2`` from the zero state, Eq. 11 at ``c = 1``, by covariances."""
    return norm_after(gamma, 0.0, 1 - gamma**2, 1.0, 1.0, T, seed)


def norm_from_summed(gamma: float, T: int, seed: int = 2) -> float:
    """``E|x_T|^2``: squared responses to all inputs, summed."""
    return _summed(gamma, input_matrix(seed, 1 - gamma**2), T, seed)


def predicted_norm(gamma: float, T: int, passed: float = 1.0) -> float:
    """``passed (1 - gamma^2T)``: the norm where inputs pass on so much."""
    return passed * (1 - gamma ** (2 * T))


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


def norms_by_pulses(seed: int, heads: int, size: int) -> Float[np.ndarray, " time"]:
    """``E|x_t|^2`` at t = 1 ... under white inputs, by squared impulse responses."""
    energies = [
        np.sum(impulse_response(A, B, np.eye(size), TIME) ** 2, axis=(1, 2))
        for A, B in dense(parameters(seed, heads, size))
    ]
    return np.cumsum(np.sum(energies, axis=0))


def transient_norms(
    seed: int, heads: int, size: int, power: int = 2, shift: int = 0
) -> Float[np.ndarray, " time"]:
    """``sum_h 1 - gamma_h^{2t}``, or with another power of ``gamma`` or another ``t``."""
    decays = parameters(seed, heads, size).decays ** power
    return np.array([np.sum(1 - decays ** (t + shift)) for t in range(1, TIME + 1)])


WRONG_TRANSIENTS = {
    "gamma not squared": partial(transient_norms, power=1),
    "one step more": partial(transient_norms, shift=1),
    "one step fewer": partial(transient_norms, shift=-1),
}


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


def _planes(decays: tuple[float, ...], seed: int) -> Matrix:
    """One step of a head whose planes have decays of their own."""
    size = 2 * len(decays)
    P = orthogonal(seed, size, 1)
    return P @ (np.repeat(decays, 2)[:, None] * blocks(seed, size)) @ P.T


def spread_of_norms(decays: tuple[float, ...], seed: int = 1) -> float:
    """Largest less least squared norm after a step from norm 1, by singular values."""
    values = np.linalg.svd(_planes(decays, seed))[1]
    return values[0] ** 2 - values[-1] ** 2


def spread_of_searched_norms(decays: tuple[float, ...], seed: int = 2) -> float:
    """Largest less least squared norm after a step from norm 1, by power iteration."""
    step = _planes(decays, seed)
    gram = step.T @ step
    moved = (
        np.eye(len(gram)) - gram
    )  # its largest eigenvalue is one minus the least of gram
    return spectral_norm(gram) - (1 - spectral_norm(moved))


# The constants, as printed.


def scale_after_a_step(gamma: float, c: float, s: float, seed: int = 1) -> float:
    """The ``alpha`` at which the norm is ``c`` a step after it was ``c``."""
    high = 3 * math.sqrt(c / s)
    return root(lambda alpha: norm_after(gamma, c, s, alpha, 1.0, 1, seed) - c, high)


def scale_of_columns(gamma: float, c: float, s: float, seed: int = 3) -> float:
    """The ``alpha`` that keeps the norm, from squares of what state and input pass on."""
    A, B = rotation(seed, SIZE), input_matrix(seed, s)
    L = np.linalg.cholesky(covariance(seed, c))
    return math.sqrt(c / energy(np.hstack([gamma * A @ L, B])))


def stationary_with_printed_factor(gamma: float, s: float, seed: int = 1) -> float:
    """Stationary norm with Eq. 11's factor at ``c = 1``, by Lyapunov's equation."""
    return stationary(gamma, s, math.sqrt((1 - gamma**2) / s), seed)


def summed_with_printed_factor(gamma: float, s: float, seed: int = 2) -> float:
    """Stationary norm with Eq. 11's factor, by summed squared impulse responses."""
    B = math.sqrt((1 - gamma**2) / s) * input_matrix(seed, s)
    return _summed(gamma, B, math.ceil(-20 / math.log(gamma)), seed)


# Decay of inputs, and the decay of the layer.


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
        points("gamma T", (0.9, 1), (0.7, 2), (0.5, 3), (0.99, 20)),
        {"reference": norm_from, "summed": norm_from_summed},
        predicted_norm,
        printed=1.0,
        mutants={
            "gamma not squared in xi": lambda gamma, T: predicted_norm(
                gamma, T, passed=1 / (1 + gamma)
            ),
            "no factor on B": lambda gamma, T: predicted_norm(
                gamma, T, passed=1 / (1 - gamma**2)
            ),
            "a step too far": lambda gamma, T: predicted_norm(gamma, T + 1),
        },
        proof=norm_from_zero,
        example=Example(
            "E|x_T|^2 of a head from the zero state, c = 1,",
            {"gamma": 0.9, "T": 1},
            1.0,
            norm_from,
        ),
    ),
    "rotrnn:text:stronger-guarantee": Evidence(
        points("seed heads size", (1, 2, 4)),
        {"impulse": norms_through_layer, "reference": norms_by_covariance},
        transient_norms,
        printed=lambda seed, heads, size: [heads] * TIME,
        mutants=WRONG_TRANSIENTS,
        example=Example(
            "E|x_T|^2 of a head, equal to that of an LRU mode with |lambda| = gamma,",
            {"gamma": 0.9, "T": 1},
            1.0,
            norm_from,
        ),
    ),
    "rotrnn:text:white-inputs": Evidence(
        points("seed size rho", (1, 4, 0.0), (2, 4, 0.0)),
        {"lyapunov": correlated_norm_by_lyapunov, "impulse": correlated_norm},
        1.0,
        mutants={
            "inputs correlated by 0.9": lambda seed, size, rho: (
                correlated_norm_by_lyapunov(seed, size, 0.9)
            )
        },
    ),
    "rotrnn:text:scalar-decay": Evidence(
        points("decays", (0.9, 0.6), (0.3, 0.8, 0.5), (0.7, 0.7)),
        {"singular_values": spread_of_norms, "search": spread_of_searched_norms},
        lambda decays: max(decays) ** 2 - min(decays) ** 2,
        absolute=1e-12,
        mutants={
            "no need of one decay": 0.0,
            "decays not squared": lambda decays: max(decays) - min(decays),
        },
    ),
    "rotrnn:text:any-head-size": Evidence(
        points("seed heads size", (1, 2, 2), (1, 2, 3), (2, 1, 5), (2, 3, 4)),
        {"reference": norms_by_covariance, "pulses": norms_by_pulses},
        transient_norms,
        mutants=WRONG_TRANSIENTS,
    ),
    "rotrnn:text:lemma3-last-step": Evidence(
        crossed(CONSTANTS, points("s", 0.4, 2.5)),
        {"reference": scale_after_a_step, "columns": scale_of_columns},
        example=Example(
            "E|x_t|^2 a step after it was c, for Tr[B^T B] = s,",
            {"gamma": 0.5, "c": 2.4, "s": 0.4},
            lambda c, **_: c,
            lambda gamma, c, s: norm_after(
                gamma, c, s, (c * gamma**2 + s) ** -0.5, 1.0, 1, seed=1
            ),
        ),
    ),
    "rotrnn:text:forgetting": Evidence(
        points(
            "seed size alpha gamma",
            (1, 3, 0.7, 0.9),
            (2, 2, 0.85, 0.6),
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
        example=Example(
            "the value of Tr[B^T B] that keeps E|x_t|^2 = c with alpha = 1",
            {"gamma": 0.5, "c": 2.0},
            lambda gamma, c: 1 - c * gamma**2,
            lambda gamma, c: c * (1 - gamma**2),
        ),
    ),
    "rotrnn:text:c-one": Evidence(
        points("gamma s", (0.9, 2.0), (0.3, 0.7), (0.6, 1.6)),
        {
            "lyapunov": stationary_with_printed_factor,
            "summed": summed_with_printed_factor,
        },
        1.0,
        mutants={
            "gamma not squared": lambda gamma, s: 1 / (1 + gamma),
            "not divided by the trace": lambda gamma, s: s,
            "no root": lambda gamma, s: (1 - gamma**2) / s,
            "the first state for the limit": lambda gamma, s: 1 - gamma**2,
        },
    ),
    "rotrnn:text:decay": Evidence(
        points("gamma_log", -3.0, 0.4, 1.1),
        {"layer": decay_of_layer, "precise": decay_precisely},
    ),
}
