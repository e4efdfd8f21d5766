"""Brute force for RotRNN's norms: exact covariances, double sums and roots of them.

Source: RotRNN (2024), Sections 3.3, 3.4 and 4.1.
"""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.linalg
import scipy.optimize
from jaxtyping import Complex

from sigprop.references.rotation import (
    Matrix,
    blocks,
    draw,
    orthogonal,
    rotation,
)

SIZE, WIDTH = 4, 3  # of the heads drawn here


def input_matrix(seed: int, s: float, size: int = SIZE) -> Matrix:
    """``B`` with ``Tr(B^T B) = s``."""
    B = draw(seed + 7, size, WIDTH)
    return math.sqrt(s) * B / np.linalg.norm(B)


def covariance(seed: int, c: float, size: int = SIZE) -> Matrix:
    """A random covariance of trace ``c``."""
    L = draw(seed + 11, size, size)
    return c * L @ L.T / np.linalg.norm(L) ** 2


# Eq. 7-9: one step.


def outcomes(seed: int) -> tuple[Matrix, Matrix]:
    """Equally likely states and inputs, correlated with each other."""
    joint = draw(seed + 3, 12, SIZE + WIDTH) @ draw(seed + 4, *2 * (SIZE + WIDTH,))
    return joint[:, :SIZE], joint[:, SIZE:]


def norm_of_outcomes(seed: int, alpha: float, gamma: float) -> float:
    """Mean of ``|alpha (gamma A x + B u)|^2`` over outcomes."""
    x, u = outcomes(seed)
    after = alpha * (gamma * x @ rotation(seed, SIZE).T + u @ input_matrix(seed, 2.0).T)
    return float(np.mean(np.sum(after**2, axis=1)))


def norm_of_moments(seed: int, alpha: float, gamma: float) -> float:
    """Mean of ``|alpha (gamma A x + B u)|^2``, from joint second moments."""
    both = np.hstack(outcomes(seed))
    step = alpha * np.hstack([gamma * rotation(seed, SIZE), input_matrix(seed, 2.0)])
    return np.trace(step @ (both.T @ both / len(both)) @ step.T)


def norm_of_parts(seed: int, alpha: float, gamma: float) -> float:
    """The right side of Eq. 7, its three expectations apart."""
    x, u = outcomes(seed)
    A, B = rotation(seed, SIZE), input_matrix(seed, 2.0)
    state = np.mean([v @ v for v in x])
    given = np.mean([v @ B.T @ B @ v for v in u])
    cross = np.mean([v @ A.T @ B @ w for v, w in zip(x, u, strict=True)])
    return float(alpha**2 * (gamma**2 * state + given + 2 * gamma * cross))


def _input_covariance(seed: int, white: bool) -> Matrix:
    return np.eye(WIDTH) if white else WIDTH * covariance(seed, 1.0, WIDTH)


def _joint(seed: int, c: float, rho: float, white: bool) -> Matrix:
    """Second moments of state and input, the state of size ``c`` or zero.

    The state is ``rho`` parts a map of the coming input and for the rest independent.
    """
    U = _input_covariance(seed, white)
    G = draw(seed + 5, SIZE, WIDTH)
    G *= math.sqrt(c / np.trace(G @ U @ G.T))
    cross = rho * G @ U
    state = rho**2 * G @ U @ G.T + (1 - rho**2) * covariance(seed, c)
    return np.block([[state, cross], [cross.T, U]])


def step_norm(
    seed: int,
    alpha: float,
    gamma: float,
    c: float,
    s: float,
    rho: float = 0.0,
    state: float = 1.0,
    white: bool = True,
) -> float:
    """``E|x_t|^2`` where ``E|x_{t-1}|^2`` is ``state`` times ``c``, by second moments."""
    joint = _joint(seed, c, rho, white)
    joint[:SIZE] *= math.sqrt(state)
    joint[:, :SIZE] *= math.sqrt(state)
    B = input_matrix(seed, s)
    step = alpha * np.hstack([gamma * rotation(seed, SIZE), B])
    return np.trace(step @ joint @ step.T)


def step_norm_of_atoms(
    seed: int, alpha: float, gamma: float, c: float, s: float, white: bool = True, **_
) -> float:
    """``E|x_t|^2`` for independent states and inputs, each on finitely many atoms."""
    roots = (covariance(seed, c), _input_covariance(seed, white))
    x, u = (
        np.linalg.cholesky(moments).T * math.sqrt(len(moments)) for moments in roots
    )
    A, B = rotation(seed, SIZE), input_matrix(seed, s)
    total = [
        np.sum((alpha * (gamma * A @ p + sign * B @ q)) ** 2)
        for p, q, sign in itertools.product(x, u, (1, -1))
    ]
    return float(np.mean(total))


def step_form(
    seed: int, alpha: float, gamma: float, c: float, s: float, white: bool = True, **_
) -> float:
    """Eq. 8: ``alpha^2 (gamma^2 c + Tr(B^T B E[u u^T]))``."""
    B = input_matrix(seed, s)
    return alpha**2 * (
        gamma**2 * c + np.trace(B.T @ B @ _input_covariance(seed, white))
    )


# Lemma 3 and Eq. 11: the constants that keep a norm, as roots.


def _norm_after(
    gamma: float, c: float, s: float, scale: float, factor: float, steps: int, seed: int
) -> float:
    """``E|x_t|^2`` after steps from a covariance of trace ``c``, white inputs."""
    A, B = rotation(seed, SIZE), factor * input_matrix(seed, s)
    moments = covariance(seed, c)
    for _ in range(steps):
        moments = scale**2 * (gamma**2 * A @ moments @ A.T + B @ B.T)
    return np.trace(moments)


def _root(excess: Callable[[float], float], high: float) -> float:
    """Where a growing function of a positive number vanishes, to rounding."""
    found: Any = scipy.optimize.brentq(excess, 1e-6, high, xtol=1e-15)
    return found


def scale_by_root(gamma: float, c: float, s: float, seed: int = 1) -> float:
    """The ``alpha`` at which the norm is ``c`` after seven steps."""
    return _root(
        lambda alpha: _norm_after(gamma, c, s, alpha, 1.0, 7, seed) - c,
        3 * math.sqrt(c / s),
    )


def scale_by_trials(gamma: float, c: float, s: float, seed: int = 2) -> float:
    """The ``alpha`` that keeps the norm at ``c``, from one step with ``alpha = 1``."""
    return math.sqrt(c / _norm_after(gamma, c, s, 1.0, 1.0, 1, seed))


def kept_by_printed_scale(gamma: float, c: float, s: float, seed: int = 1) -> float:
    """``E|x_t|^2`` one step after ``c``, with Lemma 3's constant as printed."""
    return _norm_after(gamma, c, s, 1 / math.sqrt(c * gamma**2 + s), 1.0, 1, seed)


def kept_in_pairs(gamma: float, c: float, s: float, seed: int = 3) -> float:
    """``E|x_t|^2`` after a step with Lemma 3's printed constant, by impulse responses."""
    A, B = rotation(seed, SIZE), input_matrix(seed, s)
    L = np.linalg.cholesky(covariance(seed, c))
    columns = np.hstack([gamma * A @ L, B]) / math.sqrt(c * gamma**2 + s)
    return np.sum(columns**2)


def _stationary(gamma: float, s: float, factor: float, seed: int) -> float:
    A, B = rotation(seed, SIZE), factor * input_matrix(seed, s)
    return np.trace(scipy.linalg.solve_discrete_lyapunov(gamma * A, B @ B.T))


def factor_by_root(gamma: float, c: float, s: float, seed: int = 1) -> float:
    """The factor on ``B`` at which the stationary norm is ``c``."""
    return _root(
        lambda factor: _stationary(gamma, s, factor, seed) - c,
        2 * math.sqrt(c / s),
    )


def factor_by_steps(gamma: float, c: float, s: float, seed: int = 2) -> float:
    """The factor at which the norm is ``c`` six steps after it was ``c``."""
    return _root(
        lambda factor: _norm_after(gamma, c, s, 1.0, factor, 6, seed) - c,
        2 * math.sqrt(c / s),
    )


def trace_by_root(gamma: float, c: float, s: float = 1.0) -> float:
    """``Tr(B^T B)`` at which the stationary norm is ``c``."""
    return factor_by_root(gamma, c, s) ** 2 * s


def trace_by_steps(gamma: float, c: float, s: float = 1.0) -> float:
    """``Tr(B^T B)`` at which the norm is ``c`` again after six steps."""
    return factor_by_steps(gamma, c, s) ** 2 * s


def stationary_with_printed_factor(gamma: float, c: float, seed: int = 1) -> float:
    """Stationary norm with Eq. 11's factor, by Lyapunov's equation."""
    return _stationary(gamma, 2.0, math.sqrt((1 - c * gamma**2) / 2.0), seed)


def summed_with_printed_factor(gamma: float, c: float, seed: int = 2) -> float:
    """Stationary norm with Eq. 11's factor, by summed squared impulse responses."""
    A, B = rotation(seed, SIZE), input_matrix(seed, 2.0)
    response, total = math.sqrt((1 - c * gamma**2) / 2.0) * B, 0.0
    for _ in range(math.ceil(-20 / math.log(gamma))):
        total += np.sum(response**2)
        response = gamma * A @ response
    return total


def norm_from_zero(gamma: float, T: int, seed: int = 1) -> float:
    """``E|x_T|^2`` from the zero state, Eq. 11 at ``c = 1``, by covariances."""
    A, B = rotation(seed, SIZE), input_matrix(seed, 1 - gamma**2)
    moments = np.zeros((SIZE, SIZE))
    for _ in range(T):
        moments = gamma**2 * A @ moments @ A.T + B @ B.T
    return np.trace(moments)


# Several decays in a head.


def decays_with_constant_norm(seed: int, size: int) -> int:
    """How many decays a head may have, its stationary norm being 1 at all times.

    Each plane of ``P`` has its own decay and its rows of ``B`` are scaled by
    ``sqrt(1 - gamma_i^2)``; the norm starts at its stationary value.
    """
    moments, step, given = _many_decays(seed, size)
    norms = []
    for _ in range(6):
        norms.append(np.trace(moments))
        moments = step @ moments @ step.T + given
    constant = np.allclose(norms, 1, rtol=1e-12)
    return len(set(np.round(np.abs(np.linalg.eigvals(step)), 9))) if constant else 1


def _many_decays(seed: int, size: int) -> tuple[Matrix, Matrix, Matrix]:
    gammas = np.random.default_rng(seed).uniform(0.2, 0.99, size // 2)
    P = orthogonal(seed, size, 1)
    step = P @ np.kron(np.diag(gammas), np.eye(2)) @ blocks(seed, size) @ P.T
    B = draw(seed + 7, size, WIDTH)
    planes = np.linalg.norm(B.reshape(size // 2, -1), axis=1)
    factors = np.sqrt((1 - gammas**2) / (size // 2)) / planes
    B = P @ (np.repeat(factors, 2)[:, None] * B)
    return scipy.linalg.solve_discrete_lyapunov(step, B @ B.T), step, B @ B.T


# Eq. 14: an LRU of two modes.

Modes = Complex[np.ndarray, " modes"]


def _lru(s_1: float, s_2: float, lam: Modes, seed: int) -> tuple[Modes, Matrix]:
    B = draw(seed, 2, WIDTH) + 1j * draw(seed + 1, 2, WIDTH)
    B *= (np.sqrt([s_1, s_2]) / np.linalg.norm(B, axis=1))[:, None]
    return lam, B


def _modes(r_1: float, r_2: float) -> Modes:
    return np.array([r_1, r_2]) * np.exp([1.1j, -2.3j])


def lru_by_covariance(
    s_1: float, s_2: float, r_1: float, r_2: float, T: int, seed: int = 4
) -> float:
    """``E|x_T|^2`` from the zero state: the covariance propagated."""
    lam, B = _lru(s_1, s_2, _modes(r_1, r_2), seed)
    moments = np.zeros((2, 2), complex)
    for _ in range(T):
        moments = lam[:, None] * moments * lam.conj() + B @ B.conj().T
    return np.trace(moments).real


def lru_by_double_sum(
    s_1: float, s_2: float, r_1: float, r_2: float, T: int, seed: int = 5
) -> float:
    """``E|x_T|^2`` from the zero state, by ``Tr(W_i^* W_j) E[u u]`` over input pairs."""
    lam, B = _lru(s_1, s_2, _modes(r_1, r_2), seed)
    weights = [lam[:, None] ** (T - k) * B for k in range(1, T + 1)]
    pairs = itertools.product(range(T), repeat=2)
    return sum(
        np.vdot(weights[i], weights[j]).real * (1.0 if i == j else 0.0)
        for i, j in pairs
    )


def lru_limit(s_1: float, s_2: float, r_1: float, r_2: float, **_) -> float:
    """The stationary norm, by Lyapunov's equation."""
    lam, B = _lru(s_1, s_2, _modes(r_1, r_2), 6)
    found = scipy.linalg.solve_discrete_lyapunov(np.diag(lam), B @ B.conj().T)
    return np.trace(found).real


def lru_limit_by_sum(s_1: float, s_2: float, r_1: float, r_2: float, **_) -> float:
    """The norm after so many steps that no more is left."""
    steps = math.ceil(-20 / math.log(max(r_1, r_2)))
    return lru_by_covariance(s_1, s_2, r_1, r_2, steps)


def normalised_lru_limit(s_1: float, s_2: float, r_1: float, r_2: float) -> float:
    """The stationary norm with rows times ``sqrt(1 - |lambda|^2)``, by Lyapunov."""
    return lru_limit(s_1 * (1 - r_1**2), s_2 * (1 - r_2**2), r_1, r_2)


def normalised_lru_sum(s_1: float, s_2: float, r_1: float, r_2: float) -> float:
    """Norm with rows times ``sqrt(1 - |lambda|^2)``, after steps until it settles."""
    return lru_limit_by_sum(s_1 * (1 - r_1**2), s_2 * (1 - r_2**2), r_1, r_2)


def norm_from_zero_summed(gamma: float, T: int, seed: int = 2) -> float:
    """``E|x_T|^2`` from the zero state: squared impulse responses summed."""
    A, B = rotation(seed, SIZE), input_matrix(seed, 1 - gamma**2)
    power = np.linalg.matrix_power
    return sum(np.sum((power(gamma * A, age) @ B) ** 2) for age in range(T))


def decays_of_constant_sums(seed: int, size: int) -> int:
    """As ``decays_with_constant_norm``, by impulse responses.

    The state at the start is the sum over inputs so old that no older one is felt.
    """
    _, step, given = _many_decays(seed, size)
    radius = np.abs(np.linalg.eigvals(step)).max()
    ages = math.ceil(-18 / math.log(radius))
    norms, term = [], given
    for _ in range(ages + 6):
        norms.append(np.trace(term))
        term = step @ term @ step.T
    totals = np.cumsum(norms)[ages:]
    constant = np.allclose(totals, 1, rtol=1e-12)
    return len(set(np.round(np.abs(np.linalg.eigvals(step)), 9))) if constant else 1
