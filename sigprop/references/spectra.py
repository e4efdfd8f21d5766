"""Products of Jacobians, orthogonal updates, and eigenvalues that Eq. 15 moves.

Source: Zucchet & Orvieto (2024), Sections 1 and 2.3 and Appendix A.1.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg

from sigprop.layers.dense import LinearRNN, NonlinearRNN, transform_eigenvalues
from sigprop.numerics.precision import double_precision
from sigprop.references.connectivity import linear_layer

SIZE = 4

JACOBIANS = {
    "normal": (np.array([[0.6, -0.4], [0.4, 0.6]]),),
    "sheared": (np.array([[0.7, 2.0], [0.0, 0.6]]),),
    "switching": (
        np.array([[0.0, 2.0], [0.0, 0.0]]),
        np.array([[0.0, 0.0], [2.0, 0.0]]),
    ),
    "expanding": (np.array([[1.05, 3.0], [0.0, 0.4]]),),
}
"""Jacobians that a network goes through, over and over."""


def largest_radius(kind: str) -> float:
    """The largest spectral radius that a Jacobian of the network has."""
    return max(float(np.abs(np.linalg.eigvals(J)).max()) for J in JACOBIANS[kind])


def decay_norm(kind: str, steps: int, **_: object) -> float:
    """Norm of the product of the Jacobians of ``steps`` updates."""
    turns = JACOBIANS[kind]
    product = np.eye(2)
    for i in range(steps):
        product = turns[i % len(turns)] @ product
    return float(np.linalg.norm(product, 2))


def decay_norm_by_layer(kind: str, steps: int, **_: object) -> float:
    """Norm of a layer's Jacobian over ``steps`` updates; inputs switch a ReLU's units."""
    start, inputs = np.array([0.5, 1.0]), np.zeros((steps, 2))
    A = JACOBIANS[kind][0]
    if kind == "switching":
        A = np.array([[0.0, 2.0], [2.0, 0.0]])
        h = start
        for i in range(steps):
            inputs[i, 1 - i % 2] = -1 - (A @ h)[1 - i % 2]
            h = np.maximum(A @ h + inputs[i], 0)
    with double_precision(True):
        eye = jnp.eye(2)
        weights = (jnp.asarray(A)[None], eye, eye, 0 * eye)
        cell = (
            NonlinearRNN(*weights, "relu")
            if kind == "switching"
            else LinearRNN(*weights)
        )

        def run(h):
            return jax.lax.scan(lambda h, x: cell.step(h, x), h, jnp.asarray(inputs))[0]

        return float(np.linalg.norm(np.asarray(jax.jacfwd(run)(jnp.asarray(start))), 2))


def geometric(steps: int, bound: float, **_: object) -> float:
    """``bound^steps``."""
    return bound**steps


def geometric_too_fast_down(steps: int, bound: float, **_: object) -> float:
    """Half of ``bound`` to that power: a decay that is too fast."""
    return (bound / 2) ** steps


def geometric_too_fast(steps: int, bound: float, **_: object) -> float:
    """Twice ``bound`` to that power: a growth that is too fast."""
    return (2 * bound) ** steps


def orthogonal_norms(steps: int) -> np.ndarray:
    """Singular values of the Jacobian over ``steps`` updates of an orthogonal layer."""
    with double_precision(True):
        cell = linear_layer(jnp.asarray(_orthogonal()))
        zero = jnp.zeros((steps, SIZE))

        def run(h):
            return jax.lax.scan(lambda h, x: cell.step(h, x), h, zero)[0]

        jump = np.asarray(jax.jacfwd(run)(jnp.zeros(SIZE)))
    return np.linalg.svd(jump, compute_uv=False)


def _orthogonal() -> np.ndarray:
    upper = np.triu(np.random.default_rng(4).normal(size=(SIZE, SIZE)), 1)
    return scipy.linalg.expm(upper - upper.T)


def orthogonal_norms_by_power(steps: int) -> np.ndarray:
    """Singular values of an orthogonal matrix's power, from its Gram matrix."""
    power = np.linalg.matrix_power(_orthogonal(), steps)
    return np.sqrt(np.linalg.eigvalsh(power.T @ power))


def unit_singular_values(steps: int) -> np.ndarray:
    """Neither vanishing nor exploding, however many steps."""
    return np.ones(SIZE)


@functools.cache
def matrix_of(case: str) -> np.ndarray:
    """Real matrices whose eigenvalues are known by their making."""
    frame = np.array(
        [
            [1.0, 0.2, -0.3, 0.1],
            [0.0, 1.0, 0.4, 0.2],
            [0.3, -0.1, 1.0, 0.0],
            [0.2, 0, 0.1, 1],
        ]
    )
    turned = np.zeros((4, 4))
    turned[:2, :2] = [[-0.3, -0.8], [0.8, -0.3]]
    turned[2:, 2:] = np.diag({"positive": (0.9, 0.2), "negative": (0.9, -0.6)}[case])
    return frame @ turned @ np.linalg.inv(frame)


def _moved_eigenvalues(values: np.ndarray, nu0: float, theta0: float) -> np.ndarray:
    """Eq. 15."""
    size = nu0 + (1 - nu0) * np.tanh(np.abs(values))
    return size * np.exp(1j * np.angle(values) / np.pi * theta0)


def transformed_by_layer(case: str, nu0: float, theta0: float) -> np.ndarray:
    """Eigenvalues of the matrix that the code transforms, sorted."""
    moved = transform_eigenvalues(matrix_of(case), nu0, theta0)
    return np.sort_complex(np.linalg.eigvals(moved))


def transformed_by_print(case: str, nu0: float, theta0: float) -> np.ndarray:
    """Eq. 15 of the eigenvalues as they were made, sorted."""
    known = {"positive": (0.9, 0.2), "negative": (0.9, -0.6)}[case]
    values = np.array([-0.3 + 0.8j, -0.3 - 0.8j, *known])
    return np.sort_complex(_moved_eigenvalues(values, nu0, theta0))


def moved_matrix(case: str, nu0: float, theta0: float) -> np.ndarray:
    """``P diag(lam') P^-1`` with the eigenvalues of Eq. 15."""
    values, P = np.linalg.eig(matrix_of(case))
    return P @ np.diag(_moved_eigenvalues(values, nu0, theta0)) @ np.linalg.inv(P)


def moved_matrix_by_polynomial(case: str, nu0: float, theta0: float) -> np.ndarray:
    """``P diag(lam') P^-1`` as the polynomial in the matrix that interpolates Eq. 15."""
    A = matrix_of(case)
    values = np.linalg.eigvals(A)
    moved = _moved_eigenvalues(values, nu0, theta0)
    weights = np.linalg.solve(np.vander(values, increasing=True), moved)
    powers = np.array([np.linalg.matrix_power(A, i) for i in range(len(A))])
    return np.einsum("i,ijk", weights, powers)


def real_matrix(case: str, nu0: float, theta0: float) -> np.ndarray:
    """The real matrix that the code makes."""
    return transform_eigenvalues(matrix_of(case), nu0, theta0)


@functools.cache
def _random(spread: str) -> np.ndarray:
    """A large matrix of entries from ``N(0, 1/sqrt(n))``, read one way or the other."""
    n = 150
    deviation = {"deviation": n**-0.5, "variance": n**-0.25}[spread]
    return deviation * np.random.default_rng(1).normal(size=(n, n))


@functools.cache
def _spectrum(spread: str) -> np.ndarray:
    return np.linalg.eigvals(_random(spread))


def outer_radius(spread: str, nu0: float) -> float:
    """The largest modulus after Eq. 15, from the eigenvalues."""
    return float(np.abs(_moved_eigenvalues(_spectrum(spread), nu0, 1.0)).max())


def outer_radius_by_norm(spread: str, nu0: float) -> float:
    """Largest modulus after Eq. 15, the radius half the spectral norm in the limit."""
    radius = np.linalg.norm(_random(spread), 2) / 2
    return nu0 + (1 - nu0) * math.tanh(radius)


def outer_radius_printed(nu0: float, **_: object) -> float:
    """``nu_0 + (1 - nu_0) tanh(1)``."""
    return nu0 + (1 - nu0) * math.tanh(1)


def least_modulus(case: str, nu0: float, theta0: float) -> float:
    """The smallest modulus of the code's transformed eigenvalues."""
    return float(np.abs(transformed_by_layer(case, nu0, theta0)).min())


def greatest_modulus(case: str, nu0: float, theta0: float) -> float:
    """The greatest modulus of the code's transformed eigenvalues."""
    return float(np.abs(transformed_by_layer(case, nu0, theta0)).max())


def inner(nu0: float, **_: object) -> float:
    """``nu_0``."""
    return nu0


def inner_too_large(nu0: float, **_: object) -> float:
    """Halfway from ``nu_0`` to one, and then some."""
    return nu0 + 0.6 * (1 - nu0)


def unit(**_: object) -> float:
    """One."""
    return 1.0
