"""Dense recurrences: their eigenbasis and their sensitivity.

Notation: ``E``  a direction in which ``A`` moves;  ``P``  eigenvectors, one a column;
``late``  by how many steps a state lags behind its newest input.

Source: Zucchet & Orvieto (2024), Section 2.3.
"""

import functools
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from sigprop.layers.dense import LinearRNN
from sigprop.numerics.precision import double_precision

SIZE, STEPS = 4, 8


@functools.cache
def _problem() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A matrix, a direction and inputs."""
    generator = np.random.default_rng(4)
    A, E = (generator.normal(size=(SIZE, SIZE)) for _ in range(2))
    return 0.45 * A, E, generator.normal(size=(STEPS, SIZE))


def linear_layer(A: Any) -> LinearRNN:
    """The dense layer with unit input weights."""
    eye = jnp.eye(A.shape[0])
    return LinearRNN(A[None], eye, eye, 0 * eye)


def _delayed(late: int) -> np.ndarray:
    x = _problem()[2]
    return np.concatenate([np.zeros((late, SIZE)), x[: STEPS - late]])


def states_by_layer(late: int) -> np.ndarray:
    """States of ``h_{t+1} = A h_t + x_{t+1-late}`` by the dense layer."""
    with double_precision(True):
        cell = linear_layer(jnp.asarray(_problem()[0]))
        return np.asarray(cell.states(jnp.asarray(_delayed(late))))


def states_by_powers(late: int) -> np.ndarray:
    """States of ``h_{t+1} = A h_t + x_{t+1-late}`` as sums of ``A^age x`` over ages."""
    A, x = _problem()[0], _delayed(late)
    powers = [np.linalg.matrix_power(A, age) for age in range(STEPS)]
    return np.array(
        [sum(powers[t - s] @ x[s] for s in range(t + 1)) for t in range(STEPS)]
    )


def states_by_modes(late: int) -> np.ndarray:
    """``P h_diag`` of Eq. 8, whose newest input has no delay whatever ``late`` is."""
    A, _, x = _problem()
    lam, P = np.linalg.eig(A)
    h, found = np.zeros(SIZE, complex), []
    for now in x:
        h = lam * h + np.linalg.solve(P, now.astype(complex))
        found.append(P @ h)
    return np.array(found)


def moved_by_layer() -> np.ndarray:
    """``dh_T/dA`` along ``E`` through the layer."""
    A, E, x = _problem()
    with double_precision(True):
        inputs = jnp.asarray(x)
        _, moved = jax.jvp(
            lambda A: linear_layer(A).states(inputs)[-1],
            (jnp.asarray(A),),
            (jnp.asarray(E),),
        )
        return np.asarray(moved)


def moved_by_step() -> np.ndarray:
    """``dh_T/dA`` along ``E`` by a complex step."""
    A, E, x = _problem()
    h, moved = np.zeros(SIZE, complex), A + 1e-30j * E
    for now in x:
        h = moved @ h + now
    return np.imag(h) / 1e-30


def _terms() -> tuple[np.ndarray, ...]:
    """The three terms of Eq. 9, by perturbation of eigenvalues and eigenvectors."""
    A, E, x = _problem()
    lam, P = np.linalg.eig(A)
    inverse = np.linalg.inv(P)
    moved = inverse @ E @ P
    apart = lam[None] - lam[:, None] + np.eye(SIZE)
    turn = moved / apart * (1 - np.eye(SIZE))  # dP = P turn, dP^-1 = -turn P^-1
    h, slow, entered = (np.zeros(SIZE, complex) for _ in range(3))
    for now in x:
        slow = lam * slow + np.diag(moved) * h
        entered = lam * entered - turn @ inverse @ now
        h = lam * h + inverse @ now
    return P @ turn @ h, P @ slow, P @ entered


def moved_by_terms() -> np.ndarray:
    """``dh_T/dA`` along ``E`` as the sum of the three terms of Eq. 9."""
    return np.sum(_terms(), axis=0)


def _by_terms_without(index: int) -> np.ndarray:
    return np.sum([term for i, term in enumerate(_terms()) if i != index], axis=0)


def without_readout() -> np.ndarray:
    """Eq. 9 without its first term."""
    return _by_terms_without(0)


def without_input() -> np.ndarray:
    """Eq. 9 without its last term."""
    return _by_terms_without(2)


def _at_radius(gap: float) -> np.ndarray:
    """A real matrix of distinct eigenvalues that all have one modulus."""
    frame = np.array([[1.0, 0.3, -0.2], [0.1, 1.0, 0.4], [0.5, -0.3, 1.0]])
    turned = np.zeros((3, 3))
    turned[:2, :2] = [[math.cos(1.1), -math.sin(1.1)], [math.sin(1.1), math.cos(1.1)]]
    turned[2, 2] = 1
    return (1 - gap) * frame @ turned @ np.linalg.inv(frame)


def _entry_energies(gap: float) -> tuple[np.ndarray, np.ndarray]:
    """``E|dh/dA_ij|^2`` and that of what Eq. 9's middle term leaves, white input."""
    A = _at_radius(gap)
    lam, P = np.linalg.eig(A)
    inverse, size = np.linalg.inv(P), 3
    whole, rest = np.zeros((size, size)), np.zeros((size, size))
    for place in np.ndindex(size, size):
        E = np.zeros((size, size))
        E[place] = 1
        along = np.diag(inverse @ E @ P)[:, None] * inverse
        joint = np.zeros((3 * size, 3 * size), complex)  # state, dh, and its modes
        joint[:size, :size] = joint[size : 2 * size, size : 2 * size] = A
        joint[size : 2 * size, :size] = E
        joint[2 * size :, :size] = along
        joint[2 * size :, 2 * size :] = np.diag(lam)
        noise = np.zeros_like(joint)
        noise[:size, :size] = np.eye(size)
        V = scipy.linalg.solve_discrete_lyapunov(joint, noise)
        left = np.concatenate([0 * A, np.eye(size), -P], axis=1)
        whole[place] = np.trace(V[size : 2 * size, size : 2 * size]).real
        rest[place] = np.trace(left @ V @ left.conj().T).real
    return whole, rest


def _slope(wide: np.ndarray, narrow: np.ndarray, ratio: float) -> np.ndarray:
    return np.log(narrow / wide) / math.log(ratio)


def entry_growth() -> np.ndarray:
    """Exponent of ``E|dh/dA_ij|^2 ~ gap^-p`` of every entry, by covariances."""
    return _slope(_entry_energies(1e-2)[0], _entry_energies(1e-3)[0], 10)


def rest_growth() -> np.ndarray:
    """Exponent of what the dominating term leaves, of every entry."""
    return _slope(_entry_energies(1e-2)[1], _entry_energies(1e-3)[1], 10)


@functools.cache
def _responses(gap: float) -> tuple[np.ndarray, np.ndarray]:
    """As ``_entry_energies``, summed over responses through the layer."""
    A, length = _at_radius(gap), int(25 / gap)
    lam, P = np.linalg.eig(A)
    inverse, ages = np.linalg.inv(P), np.arange(length)
    whole, rest = np.zeros((3, 3)), np.zeros((3, 3))
    weights = ages[:, None] * lam[None] ** np.maximum(ages - 1, 0)[:, None]
    for place in np.ndindex(3, 3):
        E = np.zeros((3, 3))
        E[place] = 1
        modes = np.diag(inverse @ E @ P)
        dominating = np.einsum("im,tm,m,mk->tki", P, weights, modes, inverse)
        moved = _moved_responses(A, E, length)
        whole[place] = (np.abs(moved) ** 2).sum()
        rest[place] = (np.abs(moved - dominating) ** 2).sum()
    return whole, rest


def _moved_responses(A: np.ndarray, E: np.ndarray, length: int) -> np.ndarray:
    """Derivative along ``E`` of the states after each unit input; (time, input, state)."""
    with double_precision(True):
        return np.asarray(_moved_jitted(jnp.asarray(A), jnp.asarray(E), length))


@functools.partial(jax.jit, static_argnums=2)
def _moved_jitted(A, E, length):
    def run(A, unit):
        pulse = jnp.zeros((length, 3)).at[0].set(unit)
        return linear_layer(A).states(pulse)

    def along(unit):
        return jax.jvp(lambda A: run(A, unit), (A,), (E,))[1]

    return jax.vmap(along, out_axes=1)(jnp.eye(3))


def entry_growth_by_layer() -> np.ndarray:
    """``entry_growth`` through the layer."""
    return _slope(_responses(1e-2)[0], _responses(1e-3)[0], 10)


def rest_growth_by_layer() -> np.ndarray:
    """``rest_growth`` through the layer."""
    return _slope(_responses(1e-2)[1], _responses(1e-3)[1], 10)


def like_the_state() -> np.ndarray:
    """One in every entry: the state's exponent."""
    return np.ones((3, 3))


def like_the_sensitivity() -> np.ndarray:
    """Three in every entry: the exponent of ``E[(dh/dlam)^2]``."""
    return np.full((3, 3), 3.0)
