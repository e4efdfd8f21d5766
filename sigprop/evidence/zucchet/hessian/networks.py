"""Hessians at optimality of dense and diagonal linear networks under white noise.

At optimality the Hessian is ``sum_k grad g_k grad g_k^T`` over the impulse response
``g_k = C A^k B``, ``g_0 = C B + D``.  Its gradients are computed by their recurrences,
or by differences.

Source: the networks of Zucchet & Orvieto (2024), Section 4.3, Figure 4.
"""

import functools
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.kit import central, from_modes, power_derivatives, powers

LENGTH = 1024  # 0.99^(2 LENGTH) is 1e-9

Parameters = Float[np.ndarray, " p"]
Jacobian = Float[np.ndarray, "ages p"]


class Network(NamedTuple):
    """A dense network with its eigenvalues and its gains in the eigenbasis."""

    A: Float[np.ndarray, "n n"]
    B: Float[np.ndarray, " n"]
    C: Float[np.ndarray, " n"]
    eigenvalues: Complex[np.ndarray, " n"]
    b: Complex[np.ndarray, " n"]
    c: Complex[np.ndarray, " n"]


@functools.cache
def teacher(seed: int, normal: bool, size: int = 4, radius: float = 0.99) -> Network:
    """Conjugate pairs of one modulus and evenly spaced angles, in random eigenvectors.

    With ``normal``, the eigenvectors are orthonormal; otherwise they are Gaussian.
    """
    generator = np.random.default_rng(seed)
    pairs = size // 2
    upper = radius * np.exp(1j * np.pi * (np.arange(pairs) + 0.5) / pairs)
    vectors = generator.normal(size=(size, 2 * pairs))
    if normal:
        vectors = np.linalg.qr(vectors)[0] / np.sqrt(2)
    half = vectors[:, ::2] + 1j * vectors[:, 1::2]
    basis = np.concatenate([half, half.conj()], axis=1)
    basis = basis / np.linalg.norm(basis, axis=0)
    eigenvalues = np.concatenate([upper, upper.conj()])
    inverse = np.linalg.inv(basis)
    A = np.real(from_modes(eigenvalues, basis))
    B, C = generator.normal(size=size), generator.normal(size=size) / np.sqrt(size)
    return Network(A, B, C, eigenvalues, inverse @ B, C @ basis)


def at_an_angle(degrees: float) -> Network:
    """Two real modes, 0.99 and 0.5, with unit gains and a given eigenvector angle."""
    turn = np.deg2rad(degrees)
    basis = np.array([[1.0, np.cos(turn)], [0.0, np.sin(turn)]])
    eigenvalues, ones = np.array([0.99, 0.5]), np.ones(2)
    A, C = from_modes(eigenvalues, basis), ones @ np.linalg.inv(basis)
    return Network(A, basis @ ones, C, eigenvalues, ones, ones)


def length(network: Network) -> int:
    """Ages after which the squared impulse response is below 1e-9."""
    return max(LENGTH, round(10.24 / (1 - abs(network.eigenvalues).max())))


def dense_jacobian(network: Network) -> Jacobian:
    """Gradients of the impulse response by A, B, C and D, by their recurrences."""
    A, size = network.A, len(network.A)
    by_A, forward, backward = np.zeros((size, size)), network.B, network.C
    rows = []
    for age in range(length(network)):
        rows.append(
            np.concatenate([by_A.ravel(), backward, forward, [float(age == 0)]])
        )
        by_A = A.T @ by_A + np.outer(network.C, forward)
        forward, backward = A @ forward, backward @ A
    return np.array(rows)


def diagonal_jacobian(network: Network) -> Jacobian:
    """Gradients of the impulse response by (re, im) of lambda, b, c, and by d."""
    b, c, lam, ages = network.b, network.c, network.eigenvalues, length(network)
    power, derivative = powers(lam, ages).T, power_derivatives(lam, ages).T
    parts = (b * c * derivative, c * power, b * power)
    columns = [half for part in parts for half in (np.real(part), -np.imag(part))]
    return np.concatenate([*columns, np.eye(ages, 1)], axis=1)


def differenced(
    response: Callable[[Parameters], Float[np.ndarray, " ages"]], at: Parameters
) -> Jacobian:
    """Central differences of a response by every parameter."""
    moves = np.eye(len(at))
    columns = [central(response, at, 1e-6, along, order=2) for along in moves]
    return np.stack(columns, axis=1)


def impulse_response(
    A: Float[np.ndarray, "n n"],
    B: Float[np.ndarray, " n"],
    C: Float[np.ndarray, " n"],
    ages: int = LENGTH,
) -> Float[np.ndarray, " ages"]:
    """``C A**k B`` by age, by doubling the number of known ages."""
    states = B[:, None]
    while states.shape[1] < ages:
        states, A = np.concatenate([states, A @ states], axis=1), A @ A
    return C @ states[:, :ages]


def dense_jacobian_by_differences(network: Network) -> Jacobian:
    """Gradients as in ``dense_jacobian``, from differences of the impulse response."""
    size, ages = len(network.A), length(network)

    def response(flat: Parameters) -> Float[np.ndarray, " ages"]:
        A, rest = flat[: size**2].reshape(size, size), flat[size**2 :]
        values = impulse_response(A, rest[:size], rest[size : 2 * size], ages)
        values[0] += rest[-1]
        return values

    flat = np.concatenate([network.A.ravel(), network.B, network.C, [0.0]])
    return differenced(response, flat)


JACOBIANS: dict[str, Callable[[Network], Jacobian]] = {
    "dense": dense_jacobian,
    "diagonal": diagonal_jacobian,
    "dense differences": dense_jacobian_by_differences,
}


def top(kind: str, network: Network) -> float:
    """The largest eigenvalue of a network's Hessian."""
    return float(np.linalg.norm(JACOBIANS[kind](network), 2) ** 2)


@functools.cache
def spectrum(
    kind: str, seed: int, normal: bool, size: int = 4
) -> tuple[Parameters, Float[np.ndarray, "p p"]]:
    """Eigenvalues of the Hessian, largest first, and its eigenvectors as columns."""
    jacobian = JACOBIANS[kind](teacher(seed, normal, size))
    values, vectors = np.linalg.eigh(jacobian.T @ jacobian)
    return values[::-1], vectors[:, ::-1]
