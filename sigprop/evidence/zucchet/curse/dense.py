"""What judges dense networks, Eq. 8 and 9 of Zucchet & Orvieto (2024), Section 2.3.

Notation: ``E``  a direction in which ``A`` moves;  ``P``  eigenvectors, one a column;
``late``  by how many steps a state lags behind its newest input.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import (
    across,
    complex_step,
    each,
    energy,
    exponent,
    powered,
    recur,
)
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.curse.responses import RESPONSES
from sigprop.evidence.zucchet.curse.small_networks import linear_layer
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision

SIZE, STEPS = 4, 8

# Eq. 8 and 9: the eigenbasis, and the sensitivity along a random direction.


@functools.cache
def _problem() -> tuple[
    Float[np.ndarray, "n n"], Float[np.ndarray, "n n"], Float[np.ndarray, "time n"]
]:
    """A matrix, a direction and inputs."""
    generator = np.random.default_rng(4)
    A, E = (generator.normal(size=(SIZE, SIZE)) for _ in range(2))
    return 0.45 * A, E, generator.normal(size=(STEPS, SIZE))


def _delayed(late: int) -> Float[np.ndarray, "time n"]:
    x = _problem()[2]
    return np.concatenate([np.zeros((late, SIZE)), x[: STEPS - late]])


def states_by_layer(late: int) -> Float[np.ndarray, "time n"]:
    """States of ``h_{t+1} = A h_t + x_{t+1-late}`` by the dense layer."""
    return computed(
        lambda A, x: linear_layer(A).states(x), _problem()[0], _delayed(late)
    )


def states_by_powers(late: int) -> Float[np.ndarray, "time n"]:
    """States of ``h_{t+1} = A h_t + x_{t+1-late}`` as sums of ``A^age x`` over ages."""
    return powered(_problem()[0], _delayed(late))


def states_by_modes(late: int) -> Complex[np.ndarray, "time n"]:
    """``P h_diag`` of Eq. 8, whose newest input has no delay whatever ``late`` is."""
    A, _, x = _problem()
    lam, P = np.linalg.eig(A)
    return recur(lam, x @ np.linalg.inv(P).T) @ P.T


def moved_by_layer() -> Float[np.ndarray, " n"]:
    """``dh_T/dA`` along ``E`` through the layer."""

    def along(A, E, x):
        return jax.jvp(lambda A: linear_layer(A).states(x)[-1], (A,), (E,))[1]

    return computed(along, *_problem())


def moved_by_step() -> Float[np.ndarray, " n"]:
    """``dh_T/dA`` along ``E`` by a complex step."""
    A, E, x = _problem()
    return complex_step(lambda shift: recur(A + shift * E, x)[-1], 0.0)


def _terms() -> tuple[Complex[np.ndarray, " n"], ...]:
    """The three terms of Eq. 9, by perturbation of eigenvalues and eigenvectors."""
    A, E, x = _problem()
    lam, P = np.linalg.eig(A)
    inverse = np.linalg.inv(P)
    moved = inverse @ E @ P
    apart = lam[None] - lam[:, None] + np.eye(SIZE)
    turn = moved / apart * (1 - np.eye(SIZE))  # dP = P turn, dP^-1 = -turn P^-1
    h, slow, entered = (np.zeros(SIZE, complex) for _ in range(3))
    for x_t in x:
        slow = lam * slow + np.diag(moved) * h
        entered = lam * entered - turn @ inverse @ x_t
        h = lam * h + inverse @ x_t
    return P @ turn @ h, P @ slow, P @ entered


def moved_by_terms() -> Complex[np.ndarray, " n"]:
    """``dh_T/dA`` along ``E`` as the sum of the three terms of Eq. 9."""
    return np.sum(_terms(), axis=0)


def without_readout() -> Complex[np.ndarray, " n"]:
    """Eq. 9 without its first term."""
    return np.sum(_terms()[1:], axis=0)


def without_input() -> Complex[np.ndarray, " n"]:
    """Eq. 9 without its last term."""
    return np.sum(_terms()[:-1], axis=0)


# How the entries of dh/dA grow towards the edge of stability.

Energies = tuple[Float[np.ndarray, "n n"], Float[np.ndarray, "n n"]]


def _at_radius(gap: float) -> Float[np.ndarray, "n n"]:
    """A real matrix of distinct eigenvalues that all have one modulus."""
    frame = np.array([[1.0, 0.3, -0.2], [0.1, 1.0, 0.4], [0.5, -0.3, 1.0]])
    rotation = np.zeros((3, 3))
    rotation[:2, :2] = [[math.cos(1.1), -math.sin(1.1)], [math.sin(1.1), math.cos(1.1)]]
    rotation[2, 2] = 1
    return (1 - gap) * frame @ rotation @ np.linalg.inv(frame)


def _energies_by_covariances(gap: float) -> Energies:
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


@functools.cache
def _energies_by_layer(gap: float) -> Energies:
    """``E|dh/dA_ij|^2`` and what the middle term leaves, by responses of the layer."""
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


def _moved_responses(
    A: Float[np.ndarray, "n n"], E: Float[np.ndarray, "n n"], length: int
) -> Float[np.ndarray, "time n n"]:
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


def _growth(
    energies: Callable[[float], Energies], term: int
) -> Float[np.ndarray, "n n"]:
    """Exponent of ``energy ~ gap^-p`` of every entry, of the whole or the rest."""
    return -exponent(lambda gap: energies(gap)[term], 1e-3, 1e-2)


def entry_growth(energies: Callable[[float], Energies]) -> Float[np.ndarray, "n n"]:
    """Exponent of ``E|dh/dA_ij|^2 ~ gap^-p`` of every entry."""
    return _growth(energies, 0)


def rest_growth(energies: Callable[[float], Energies]) -> Float[np.ndarray, "n n"]:
    """Exponent of what the dominating term leaves, of every entry."""
    return _growth(energies, 1)


# Orthogonal matrices, and eigenvalues on the unit circle.


def orthogonal_norms(steps: int) -> Float[np.ndarray, " n"]:
    """Singular values of the Jacobian over ``steps`` updates of an orthogonal layer."""

    def run(h):
        cell, zero = linear_layer(_orthogonal()), jnp.zeros((steps, SIZE))
        return jax.lax.scan(lambda h, x: cell.step(h, x), h, zero)[0]

    jump = computed(jax.jacfwd(run), np.zeros(SIZE))
    return np.linalg.svd(jump, compute_uv=False)


def _orthogonal() -> Float[np.ndarray, "n n"]:
    upper = np.triu(np.random.default_rng(4).normal(size=(SIZE, SIZE)), 1)
    return scipy.linalg.expm(upper - upper.T)


def orthogonal_norms_by_power(steps: int) -> Float[np.ndarray, " n"]:
    """Singular values of an orthogonal matrix's power, from its Gram matrix."""
    power = np.linalg.matrix_power(_orthogonal(), steps)
    return np.sqrt(np.linalg.eigvalsh(power.T @ power))


def circle_sensitivity(respond: Callable[..., Any], T: int, phase: float) -> float:
    """Energy of ``T`` responses of the sensitivity at an eigenvalue of modulus one."""
    return energy(respond(np.exp(1j * phase), "sensitivity")[:T])


ENERGIES = {"reference": _energies_by_covariances, "autodiff": _energies_by_layer}


EVIDENCE: dict[str, Basis] = {
    "zucchet:8": Evidence(
        ({"late": 0},),
        {"impulse": states_by_layer, "reference": states_by_powers},
        form=states_by_modes,
        printed=lambda late: states_by_powers(late=1),
    ),
    "zucchet:9": Evidence(
        ({},),
        {"autodiff": moved_by_layer, "reference": moved_by_step},
        form=moved_by_terms,
        slips={"no readout term": without_readout, "no input term": without_input},
    ),
    "zucchet:text:dominating-term": Evidence(
        ({},),
        each(rest_growth, ENERGIES),
        form=[[1.0] * 3] * 3,  # in every entry the exponent of the state
        absolute=0.05,
    ),
    "zucchet:text:all-entries": Evidence(
        ({},),
        each(entry_growth, ENERGIES),
        form=[[3.0] * 3] * 3,  # in every entry the exponent of the sensitivity
        absolute=0.05,
    ),
    "zucchet:text:orthogonal": Evidence(
        ({"steps": 1}, {"steps": 50}),
        {"autodiff": orthogonal_norms, "reference": orthogonal_norms_by_power},
        form=[1.0] * SIZE,
    ),
    "zucchet:text:orthogonal-sensitive": Evidence(
        across(T=(2, 7, 40), phase=(0.4, 2.0)), each(circle_sensitivity, RESPONSES)
    ),
}
