"""Evidence for dense networks, Eq. 8 and 9 of Zucchet & Orvieto (2024), Section 2.3.

Notation: ``E``  a direction along which ``A`` changes;  ``P``  eigenvectors as columns;
``late``  number of steps by which the input of a state is delayed.
"""

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import (
    across,
    central,
    complex_step,
    each,
    energy,
    exponent,
    points,
    powered,
    recur,
)
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.curse.responses import RESPONSES
from sigprop.evidence.zucchet.curse.small_networks import linear_layer
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision
from sigprop.theory import recurrences
from sigprop.theory.dense import diagonal_network_agrees
from sigprop.theory.rotation import distinct_eigenvalues_are_generic

SIZE, STEPS = 4, 8

# Eq. 8 and 9: the eigenbasis, and the sensitivity along a random direction.


@functools.cache
def _problem(
    draw: int = 4,
) -> tuple[
    Float[np.ndarray, "n n"], Float[np.ndarray, "n n"], Float[np.ndarray, "time n"]
]:
    """A matrix, a direction and inputs."""
    generator = np.random.default_rng(draw)
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


def states_by_modes(
    late: int, *, entering: str = "inverse", leaving: str = "vectors"
) -> Complex[np.ndarray, "time n"]:
    """``P h_diag`` of Eq. 8, in which the newest input has no delay.

    Args:
        late: Ignored.
        entering: Maps an input to modes; another map is a mutant.
        leaving: Maps modes to states; another map is a mutant.
    """
    A, _, x = _problem()
    lam, P = np.linalg.eig(A)
    turns = {"vectors": P, "inverse": np.linalg.inv(P), "adjoint": P.conj().T}
    return recur(lam, x @ turns[entering].T) @ turns[leaving].T


def moved_by_layer(draw: int) -> Float[np.ndarray, " n"]:
    """``dh_T/dA`` along ``E`` through the layer."""

    def along(A, E, x):
        return jax.jvp(lambda A: linear_layer(A).states(x)[-1], (A,), (E,))[1]

    return computed(along, *_problem(draw))


def moved_by_step(draw: int) -> Float[np.ndarray, " n"]:
    """``dh_T/dA`` along ``E`` by a complex step."""
    A, E, x = _problem(draw)
    return complex_step(lambda shift: recur(A + shift * E, x)[-1], 0.0)


def _terms(draw: int) -> tuple[Complex[np.ndarray, " n"], ...]:
    """The three terms of Eq. 9, by perturbation of eigenvalues and eigenvectors."""
    A, E, x = _problem(draw)
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


def moved_by_terms(
    draw: int, weights: Sequence[float] = (1.0, 1.0, 1.0)
) -> Complex[np.ndarray, " n"]:
    """``dh_T/dA`` along ``E`` as the sum of the three terms of Eq. 9.

    Args:
        draw: Index of the matrix, direction and inputs.
        weights: Weights of the terms (readout, eigenvalues, input); not all one for a
            mutant.
    """
    return np.array(weights) @ np.array(_terms(draw))


# Random matrices: eigenvectors, and effects of their entries.


@functools.cache
def random_matrix(draw: int, size: int) -> Float[np.ndarray, "n n"]:
    """Independent normal entries of deviation ``1/sqrt(n)``."""
    generator = np.random.default_rng(draw)
    return generator.normal(size=(size, size)) / math.sqrt(size)


def independent_eigenvectors(draw: int, size: int) -> int:
    """Rank of the eigenvectors that LAPACK finds."""
    return rank_of_eigenvectors(random_matrix(draw, size))


def rank_of_eigenvectors(A: Float[np.ndarray, "n n"]) -> int:
    """Number of independent eigenvectors of a matrix."""
    return int(np.linalg.matrix_rank(np.linalg.eig(A)[1], tol=1e-6))


def distinct_eigenvalues(draw: int, size: int) -> int:
    """Number of distinct eigenvalues, exactly: degree less that of ``gcd(p, p')``.

    ``p`` is the characteristic polynomial of the stored entries, which are fractions.
    """
    A = [[Fraction(entry) for entry in row] for row in random_matrix(draw, size)]
    p = _characteristic(A)
    derivative = [k * value for k, value in enumerate(p)][1:]
    return len(p) - len(_common_divisor(p, derivative))


def _characteristic(A: list[list[Fraction]]) -> list[Fraction]:
    """Coefficients of ``det(x - A)``, the constant first, by Faddeev and LeVerrier."""
    n = len(A)
    product, coefficients = [[Fraction(0)] * n for _ in range(n)], [Fraction(1)]
    for k in range(1, n + 1):
        for i in range(n):
            product[i][i] += coefficients[-1]
        columns = [*zip(*product, strict=True)]
        product = [
            [sum(map(Fraction.__mul__, row, column), Fraction(0)) for column in columns]
            for row in A
        ]
        trace = sum((product[i][i] for i in range(n)), Fraction(0))
        coefficients.append(-trace / k)
    return coefficients[::-1]


def _common_divisor(p: list[Fraction], q: list[Fraction]) -> list[Fraction]:
    """The greatest common divisor of two polynomials, the constant first."""
    while q:
        while len(p) >= len(q):
            factor, shift = p[-1] / q[-1], len(p) - len(q)
            p = [
                value - factor * (q[k - shift] if k >= shift else 0)
                for k, value in enumerate(p)
            ][:-1]
        while p and p[-1] == 0:
            p = p[:-1]
        p, q = q, p
    return p


def real_eigenvalues(draw: int, size: int) -> int:
    """Mutant: eigenvectors that are real."""
    return int(np.sum(np.isreal(np.linalg.eigvals(random_matrix(draw, size)))))


def moved_by_perturbation(
    A: Float[np.ndarray, "n n"],
) -> Complex[np.ndarray, "eigenvalues n n"]:
    """``dlambda_k/dA_ij = (P^-1)_ki P_jk``."""
    P = np.linalg.eig(A)[1]
    return np.einsum("ki,jk->kij", np.linalg.inv(P), P)


def moved_by_difference(
    A: Float[np.ndarray, "n n"],
) -> Complex[np.ndarray, "eigenvalues n n"]:
    """Differences of the eigenvalues, each of which is that nearest to the unmoved one."""
    start, moved = np.linalg.eigvals(A), []

    def followed(matrix: Float[np.ndarray, "n n"]) -> Complex[np.ndarray, " n"]:
        values = np.linalg.eigvals(matrix)
        return values[np.argmin(np.abs(values[None] - start[:, None]), axis=1)]

    for entry in np.ndindex(A.shape):
        E = np.zeros(A.shape)
        E[entry] = 1.0
        moved.append(central(followed, A, 1e-4, E))
    return np.moveaxis(np.reshape(moved, (*A.shape, len(A))), -1, 0)


def eigenvalues_moved(
    by: Callable[..., Complex[np.ndarray, "eigenvalues n n"]], draw: int, size: int
) -> int:
    """Number of derivatives of eigenvalues by entries that are not zero."""
    return int(np.sum(np.abs(by(random_matrix(draw, size))) > 1e-6))


# Growth of the entries of dh/dA at the stability boundary.

Energies = tuple[Float[np.ndarray, "n n"], Float[np.ndarray, "n n"]]


def _at_radius(gap: float) -> Float[np.ndarray, "n n"]:
    """A real matrix of distinct eigenvalues of one modulus, at angles 1.1, -1.1 and pi."""
    frame = np.array([[1.0, 0.3, -0.2], [0.1, 1.0, 0.4], [0.5, -0.3, 1.0]])
    rotation = np.zeros((3, 3))
    rotation[:2, :2] = [[math.cos(1.1), -math.sin(1.1)], [math.sin(1.1), math.cos(1.1)]]
    rotation[2, 2] = -1
    return (1 - gap) * frame @ rotation @ np.linalg.inv(frame)


def _energies_by_covariances(gap: float, source: str) -> Energies:
    """``E|dh/dA_ij|^2`` and that of what Eq. 9's middle term leaves."""
    if source == "constant":
        return _energies_at_rest(gap)
    A = _at_radius(gap)
    lam, P = np.linalg.eig(A)
    inverse, size = np.linalg.inv(P), 3
    total, rest = np.zeros((size, size)), np.zeros((size, size))
    for entry in np.ndindex(size, size):
        E = np.zeros((size, size))
        E[entry] = 1
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
        total[entry] = np.trace(V[size : 2 * size, size : 2 * size]).real
        rest[entry] = np.trace(left @ V @ left.conj().T).real
    return total, rest


def _energies_at_rest(gap: float) -> Energies:
    """Both energies under constant input, for which derivatives converge."""
    A, size = _at_radius(gap), 3
    lam, P = np.linalg.eig(A)
    inverse, still = np.linalg.inv(P), np.linalg.inv(np.eye(size) - A)
    total, rest = np.zeros((size, size)), np.zeros((size, size))
    for entry in np.ndindex(size, size):
        E = np.zeros((size, size))
        E[entry] = 1
        moved = still @ E @ still
        dominating = P * (np.diag(inverse @ E @ P) / (1 - lam) ** 2) @ inverse
        total[entry], rest[entry] = energy(moved), energy(moved - dominating)
    return total, rest


@functools.cache
def _energies_by_layer(gap: float, source: str) -> Energies:
    """``E|dh/dA_ij|^2`` and what the middle term leaves, by responses of the layer."""
    A, length = _at_radius(gap), int(25 / gap)
    lam, P = np.linalg.eig(A)
    inverse, ages = np.linalg.inv(P), np.arange(length)
    total, rest = np.zeros((3, 3)), np.zeros((3, 3))
    weights = ages[:, None] * lam[None] ** np.maximum(ages - 1, 0)[:, None]
    for entry in np.ndindex(3, 3):
        E = np.zeros((3, 3))
        E[entry] = 1
        modes = np.diag(inverse @ E @ P)
        dominating = np.einsum("im,tm,m,mk->tki", P, weights, modes, inverse)
        moved = _moved_responses(A, E, length)
        left = moved - dominating
        if source == "constant":  # constant inputs sum the responses
            moved, left = moved.sum(axis=0), left.sum(axis=0)
        total[entry], rest[entry] = energy(moved), energy(left)
    return total, rest


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


def entry_growth(
    energies: Callable[..., Energies], source: str
) -> Float[np.ndarray, "n n"]:
    """Exponent of ``E|dh/dA_ij|^2 ~ gap^-p`` of every entry."""
    return -exponent(lambda gap: energies(gap, source)[0], 1e-3, 1e-2)


def share_left(
    energies: Callable[..., Energies], source: str
) -> Float[np.ndarray, "n n"]:
    """Exponent of the share outside the dominating term, ``gap^p``, by entry."""

    def share(gap: float) -> Float[np.ndarray, "n n"]:
        total, rest = energies(gap, source)
        return rest / total

    return exponent(share, 1e-3, 1e-2)


def _everywhere(power: float) -> list[list[float]]:
    return [[power] * 3] * 3


def corner(radius: float) -> tuple[float, float]:
    """``dh_1/dA_11`` at rest: the eigenvalue term, and the total.

    ``A`` is a quarter turn times ``radius``, and the input is ``(1, 0)``.
    """
    A, E = radius * np.array([[0.0, -1.0], [1.0, 0.0]]), np.diag([1.0, 0.0])
    lam, P = np.linalg.eig(A)
    inverse, still = np.linalg.inv(P), np.linalg.inv(np.eye(2) - A)
    modes = P * (np.diag(inverse @ E @ P) / (1 - lam) ** 2) @ inverse
    return float(modes[0, 0].real), float((still @ E @ still)[0, 0])


UNEXCITED = Example(
    "dh_1/dA_11 under the constant input (1, 0), A = r (0, -1; 1, 0), printed by its "
    "eigenvalue term alone,",
    {"r": 0.99},
    lambda r: corner(r)[0],
    lambda r: corner(r)[1],
)

# Orthogonal matrices, and eigenvalues on the unit circle.


def orthogonal_norms(steps: int) -> Float[np.ndarray, " n"]:
    """Singular values of the Jacobian over ``steps`` updates of an orthogonal layer."""

    def run(h):
        cell, zero = linear_layer(_orthogonal()), jnp.zeros((steps, SIZE))
        return jax.lax.scan(lambda h, x: cell.step(h, x), h, zero)[0]

    jump = computed(jax.jacfwd(run), np.zeros(SIZE))
    return np.linalg.svd(jump, compute_uv=False)


def _upper() -> Float[np.ndarray, "n n"]:
    return np.triu(np.random.default_rng(4).normal(size=(SIZE, SIZE)), 1)


def _orthogonal() -> Float[np.ndarray, "n n"]:
    return scipy.linalg.expm(_upper() - _upper().T)


def orthogonal_norms_by_power(steps: int) -> Float[np.ndarray, " n"]:
    """Singular values of an orthogonal matrix's power, from its Gram matrix."""
    power = np.linalg.matrix_power(_orthogonal(), steps)
    return np.sqrt(np.linalg.eigvalsh(power.T @ power))


def sheared_norms(steps: int) -> Float[np.ndarray, " n"]:
    """Mutant: a matrix whose eigenvalues are one in modulus, but not orthogonal."""
    power = np.linalg.matrix_power(np.eye(SIZE) + _upper(), steps)
    return np.linalg.svd(power, compute_uv=False)


def circle_sensitivity(respond: Callable[..., Any], T: int, phase: float) -> float:
    """Energy of ``T`` responses of the sensitivity at an eigenvalue of modulus one."""
    return energy(respond(np.exp(1j * phase), "sensitivity")[:T])


ENERGIES = {"reference": _energies_by_covariances, "autodiff": _energies_by_layer}


EVIDENCE: dict[str, Basis] = {
    "zucchet:8": Evidence(
        ({"late": 0},),
        {"impulse": states_by_layer, "reference": states_by_powers},
        form=states_by_modes,
        proof=diagonal_network_agrees,
        mutants={
            "P for its inverse": functools.partial(
                states_by_modes, entering="vectors", leaving="inverse"
            ),
            "inputs not turned back": functools.partial(
                states_by_modes, entering="vectors"
            ),
            "the adjoint for the inverse": functools.partial(
                states_by_modes, entering="adjoint"
            ),
            "the input one step late": lambda late: states_by_powers(late=1),
        },
    ),
    "zucchet:text:diagonalisable": Evidence(
        across(draw=(4, 9, 17), size=(2, 5, 10)),
        {"reference": independent_eigenvectors, "exact": distinct_eigenvalues},
        form=lambda draw, size: size,
        proof=distinct_eigenvalues_are_generic,
        mutants={
            "real eigenvectors alone": real_eigenvalues,
            "a shift": lambda draw, size: rank_of_eigenvectors(np.eye(size, k=1)),
        },
    ),
    "zucchet:text:all-eigenvalues": Evidence(
        points("draw size", (4, 3), (9, 5), (17, 6)),
        each(
            eigenvalues_moved,
            {"reference": moved_by_difference, "closed_form": moved_by_perturbation},
        ),
        form=lambda draw, size: size**3,
        mutants={
            "one eigenvalue an entry": lambda draw, size: size**2,
            "a triangular matrix": lambda draw, size: np.count_nonzero(
                moved_by_difference(np.triu(random_matrix(draw, size))).round(6)
            ),
        },
    ),
    "zucchet:9": Evidence(
        ({"draw": 4}, {"draw": 9}),
        {"autodiff": moved_by_layer, "reference": moved_by_step},
        form=moved_by_terms,
        mutants={
            name: functools.partial(moved_by_terms, weights=weights)
            for name, weights in {
                "no readout term": (0.0, 1.0, 1.0),
                "no eigenvalue term": (1.0, 0.0, 1.0),
                "no input term": (1.0, 1.0, 0.0),
                "the inverse moves as P does": (1.0, 1.0, -1.0),
            }.items()
        },
    ),
    "zucchet:text:dominating-term": Evidence(
        ({"source": "white"}, {"source": "constant"}),
        each(share_left, ENERGIES),
        form=_everywhere(2.0),
        absolute=0.05,
        mutants={
            "a constant share": _everywhere(0.0),
            "as the state": _everywhere(1.0),
            "on the diagonal": lambda source: 2 * np.eye(3),
        },
        example=UNEXCITED,
    ),
    "zucchet:text:all-entries": Evidence(
        ({"source": "white"},),
        each(entry_growth, ENERGIES),
        form=_everywhere(3.0),  # in every entry the exponent of the sensitivity
        absolute=0.05,
        mutants={
            "as the state": _everywhere(1.0),
            "on the diagonal": lambda source: 2 * np.eye(3) + 1,
            "above the diagonal": lambda source: 2 * np.triu(np.ones((3, 3))) + 1,
        },
    ),
    "zucchet:text:orthogonal": Evidence(
        ({"steps": 1}, {"steps": 50}),
        {"autodiff": orthogonal_norms, "reference": orthogonal_norms_by_power},
        form=[1.0] * SIZE,
        proof=recurrences.orthogonal_products_are_orthogonal,
        mutants={"of unit eigenvalues": sheared_norms},
    ),
    "zucchet:text:orthogonal-sensitive": Evidence(
        across(T=(2, 7, 40), phase=(0.4, 2.0)), each(circle_sensitivity, RESPONSES)
    ),
}
