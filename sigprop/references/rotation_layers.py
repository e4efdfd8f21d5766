"""RotRNN's layer beside dense matrices: outputs, and norms from impulse responses.

Source: RotRNN (2024), Eq. 11-13, Section 4.1, Appendix B.
"""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import scipy.linalg
from jaxtyping import Float

from sigprop.layers.rotrnn import BidirectionalRotRNN, RotRNN
from sigprop.numerics.precision import double_precision
from sigprop.references.rotation import draw, recurrence, unrolled
from sigprop.references.rotation_listing import (
    TIME,
    WIDTH,
    Parameters,
    Sequence,
    inputs,
    parameters,
)


def layer(p: Parameters) -> RotRNN:
    """``sigprop.layers.RotRNN`` of the same parameters."""
    B = jnp.asarray(p.B).reshape(-1, WIDTH)
    theta, decays, M, C, D = (
        jnp.asarray(a) for a in (p.theta, p.gamma_log[:, 0], p.M, p.C, p.D)
    )
    return RotRNN(theta, decays, M, B, C, D)


@functools.cache
def layer_outputs(seed: int, heads: int, size: int) -> Sequence:
    """Outputs of the layer."""
    with double_precision(True):
        one = layer(parameters(seed, heads, size))
        return np.asarray(jax.jit(RotRNN.__call__)(one, jnp.asarray(inputs(seed))))


@functools.cache
def layer_states(seed: int, heads: int, size: int) -> Sequence:
    """States of the layer from zero."""
    with double_precision(True):
        one = layer(parameters(seed, heads, size))
        return np.asarray(jax.jit(RotRNN.states)(one, jnp.asarray(inputs(seed))))


def factors(decays, B) -> Float[np.ndarray, " heads"]:
    """Eq. 11 at ``c = 1``, head by head."""
    return np.array(
        [
            math.sqrt((1 - gamma**2) / np.trace(one.T @ one))
            for gamma, one in zip(decays, B, strict=True)
        ]
    )


def _dense(p: Parameters):
    """``gamma A`` and ``xi B`` of each head, by dense matrices."""
    for head, gamma in enumerate(p.decays):
        P = scipy.linalg.expm(p.M[head] - p.M[head].T)
        turns = [
            np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
            for a in p.theta[head]
        ]
        rest = [1.0] * (len(P) % 2)
        A = P @ np.asarray(scipy.linalg.block_diag(*turns, *rest)) @ P.T
        yield gamma * A, factors(p.decays, p.B)[head] * p.B[head]


def dense_states(seed: int, heads: int, size: int, start: float = 0.0) -> Sequence:
    """Eq. 12's recurrence, head by head, concatenated."""
    p, u = parameters(seed, heads, size), inputs(seed)
    first = start * draw(seed + 6, size)
    return np.hstack([recurrence(A, u @ B.T, first) for A, B in _dense(p)])


def summed_states(seed: int, heads: int, size: int, start: float = 0.0) -> Sequence:
    """Eq. 12's sum."""
    p, u = parameters(seed, heads, size), inputs(seed)
    return np.hstack([unrolled(A, u @ B.T) for A, B in _dense(p)])


def dense_outputs(seed: int, heads: int, size: int) -> Sequence:
    """Eq. 13 of the states of the recurrence, ``D`` as a diagonal matrix."""
    p, u = parameters(seed, heads, size), inputs(seed)
    return dense_states(seed, heads, size) @ p.C.T + u @ np.diag(p.D).T


def factor_of_layer(seed: int, heads: int, size: int) -> Float[np.ndarray, " heads"]:
    """``|xi B|`` over ``|B|`` in each head of the layer."""
    p = parameters(seed, heads, size)
    with double_precision(True):
        B = np.asarray(jax.jit(RotRNN.normalised_B)(layer(p))).reshape(p.B.shape)
    return np.array(
        [np.linalg.norm(b) / np.linalg.norm(a) for a, b in zip(p.B, B, strict=True)]
    )


def factor_of_heads(seed: int, heads: int, size: int) -> Float[np.ndarray, " heads"]:
    """Eq. 11 at ``c = 1``."""
    p = parameters(seed, heads, size)
    return factors(p.decays, p.B)


# Norms through the layer.


@functools.cache
def _responses(seed: int, heads: int, size: int, length: int) -> np.ndarray:
    """Impulse responses of the states through the layer: (length, states, inputs)."""
    with double_precision(True):
        one = layer(parameters(seed, heads, size))
        pulses = jnp.zeros((WIDTH, length, WIDTH)).at[:, 0].set(jnp.eye(WIDTH))
        return np.asarray(jax.jit(jax.vmap(one.states))(pulses)).transpose(1, 2, 0)


def norms_through_layer(seed: int, heads: int, size: int) -> Float[np.ndarray, " time"]:
    """``E|x_t|^2`` at t = 1 ... under white inputs, from impulse responses."""
    responses = _responses(seed, heads, size, TIME)
    return np.cumsum(np.sum(responses**2, axis=(1, 2)))


def norms_by_covariance(seed: int, heads: int, size: int) -> Float[np.ndarray, " time"]:
    """``E|x_t|^2`` at t = 1 ... under white inputs, by propagated covariances."""
    total = np.zeros(TIME)
    for A, B in _dense(parameters(seed, heads, size)):
        moments = np.zeros_like(A)
        for t in range(TIME):
            moments = A @ moments @ A.T + B @ B.T
            total[t] += np.trace(moments)
    return total


def transient_norms(seed: int, heads: int, size: int) -> Float[np.ndarray, " time"]:
    """``sum_h 1 - gamma_h^{2t}``."""
    squares = parameters(seed, heads, size).decays ** 2
    return np.array([np.sum(1 - squares**t) for t in range(1, TIME + 1)])


def constant_norms(seed: int, heads: int, size: int) -> Float[np.ndarray, " time"]:
    """The constant that the text claims, one a head."""
    return np.full(TIME, float(heads))


def correlated_norm(seed: int, size: int, rho: float) -> float:
    """Stationary ``E|x|^2`` of a head under inputs ``R = rho^|lag|``, through the layer."""
    responses = _responses(seed, 1, size, 400)
    ages = np.arange(len(responses))
    weights = rho ** np.abs(ages[:, None] - ages)
    return np.einsum("ain,ab,bin->", responses, weights, responses)


def correlated_norm_by_lyapunov(seed: int, size: int, rho: float) -> float:
    """Stationary ``E|x|^2`` under inputs ``R = rho^|lag|``, by Lyapunov's equation."""
    ((A, B),) = _dense(parameters(seed, 1, size))
    still, eye = np.zeros((WIDTH, size)), np.eye(WIDTH)
    step = np.block([[A, rho * B], [still, rho * eye]])
    noise = math.sqrt(1 - rho**2) * np.vstack([B, eye])
    joint = scipy.linalg.solve_discrete_lyapunov(step, noise @ noise.T)
    return np.trace(joint[:size, :size])


# Planar heads without M, both directions, angles and decays.


def output_by_M(seed: int, heads: int, other: int) -> Sequence:
    """States of planar heads with the ``M`` of another seed."""
    p = parameters(seed, heads, 2)._replace(M=draw(other, heads, 2, 2))
    with double_precision(True):
        return np.asarray(jax.jit(RotRNN.states)(layer(p), jnp.asarray(inputs(seed))))


def output_without_M(seed: int, heads: int, **_) -> Sequence:
    """States of planar heads by dense matrices, ``M`` being zero."""
    p = parameters(seed, heads, 2)
    p, u = p._replace(M=np.zeros_like(p.M)), inputs(seed)
    return np.hstack([recurrence(A, u @ B.T, np.zeros(2)) for A, B in _dense(p)])


def both_directions(seed: int, heads: int, size: int) -> Sequence:
    """Outputs of the bidirectional layer."""
    p = parameters(seed, heads, size)
    with double_precision(True):
        one = layer(p)
        C = jnp.stack([one.C, jnp.asarray(draw(seed + 8, *p.C.shape))])
        shared = (one.theta, one.gamma_log, one.M, one.B)
        both = BidirectionalRotRNN(*shared, C, one.D)
        run = jax.jit(BidirectionalRotRNN.__call__)
        return np.asarray(run(both, jnp.asarray(inputs(seed))))


def both_by_loops(seed: int, heads: int, size: int) -> Sequence:
    """Outputs of the bidirectional layer by dense matrices, one ``C`` a direction."""
    p, u = parameters(seed, heads, size), inputs(seed)

    def states(v):
        return np.hstack([recurrence(A, v @ B.T, np.zeros(size)) for A, B in _dense(p)])

    back = states(u[::-1])[::-1] @ draw(seed + 8, *p.C.shape).T
    return states(u) @ p.C.T + back + p.D * u


def angles_of_layer(heads: int, size: int) -> float:
    """Planes that the layer's transition turns: half the eigenvalues off the real axis."""
    p = parameters(1, heads, size)
    with double_precision(True):
        values = np.linalg.eigvals(np.asarray(jax.jit(RotRNN.transition)(layer(p)))[0])
    return np.sum(np.abs(values.imag) > 1e-9) / 2


def angles_of_loops(heads: int, size: int) -> float:
    """Planes that the dense matrices turn: half their eigenvalues off the real axis."""
    ((A, _), *_) = _dense(parameters(1, heads, size))
    return np.sum(np.abs(np.linalg.eigvals(A).imag) > 1e-9) / 2


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
