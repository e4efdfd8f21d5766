"""Brute force for RotRNN: matrices drawn at random, states summed, covariances propagated.

Source: RotRNN (2024), Sections 2-4 and Appendices A and B.
"""

import itertools
import math

import mpmath
import numpy as np
import scipy.integrate
import scipy.linalg
import scipy.optimize
from jaxtyping import Float, Inexact

Matrix = Inexact[np.ndarray, "_ _"]


def draw(seed: int, *shape: int) -> Float[np.ndarray, "*shape"]:
    """Normal entries."""
    return np.random.default_rng(seed).normal(size=shape)


def skew(seed: int, size: int) -> Matrix:
    """``M - M^T`` of a random ``M``."""
    M = draw(seed, size, size)
    return M - M.T


def orthogonal(seed: int, size: int, sign: int) -> Matrix:
    """A random orthogonal matrix of the given determinant."""
    Q, R = np.linalg.qr(draw(seed, size, size))
    Q = Q * np.sign(np.diag(R))
    Q[:, -1] *= sign * np.sign(np.linalg.det(Q))
    return Q


def blocks(seed: int, size: int, times: int = 1) -> Matrix:
    """``Theta`` to a power: rotations by random angles, and a one if the size is odd."""
    parts = [
        np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
        for a in times * angles(seed, size)
    ]
    return np.asarray(scipy.linalg.block_diag(*parts, *[1.0] * (size % 2)))


def angles(seed: int, size: int) -> Float[np.ndarray, " pairs"]:
    """Angles of ``blocks``."""
    return np.random.default_rng(seed + 99).uniform(0, 2 * math.pi, size // 2)


def rotation(seed: int, size: int, sign: int = 1) -> Matrix:
    """``P Theta P^T`` with ``P`` of the given determinant."""
    P = orthogonal(seed, size, sign)
    return P @ blocks(seed, size) @ P.T


def contraction(seed: int, size: int) -> Matrix:
    """A real matrix with eigenvalues inside the unit circle, real and complex."""
    A = draw(seed, size, size)
    return 0.9 * A / np.abs(np.linalg.eigvals(A)).max()


# Eq. 2, 4, 6, 10, 12: a recurrence, its unrolled sum, and one linear system of all states.


def recurrence(
    A: Matrix,
    inputs: Inexact[np.ndarray, "time size"],
    initial: Float[np.ndarray, " size"],
) -> Float[np.ndarray, "time size"]:
    """``x_t = A x_{t-1} + v_t``."""
    return np.array(
        list(itertools.accumulate(inputs, lambda x, v: A @ x + v, initial=initial))[1:]
    )


def all_at_once(
    A: Matrix,
    inputs: Inexact[np.ndarray, "time size"],
    initial: Float[np.ndarray, " size"],
) -> Float[np.ndarray, "time size"]:
    """States of ``x_t = A x_{t-1} + v_t`` from one linear system of all times."""
    time, size = inputs.shape
    whole = np.eye(time * size) - np.kron(np.eye(time, k=-1), A)
    right = inputs.copy()
    right[0] = right[0] + A @ initial
    return np.linalg.solve(whole, right.ravel()).reshape(time, size)


def unrolled(
    A: Matrix, inputs: Inexact[np.ndarray, "time size"]
) -> Inexact[np.ndarray, "time size"]:
    """``sum_{k=1}^t A^{t-k} v_k``."""
    power = np.linalg.matrix_power
    return np.array(
        [
            sum(power(A, t - k) @ inputs[k - 1] for k in range(1, t + 1))
            for t in range(1, len(inputs) + 1)
        ]
    )


def linear_case(seed: int, size: int, time: int, start: float = 0.0):
    """Matrix, inputs ``B u`` and initial state of a general linear recurrence."""
    inputs = draw(seed + 1, time, 2) @ draw(seed + 2, size, 2).T
    return contraction(seed, size), inputs, start * draw(seed + 3, size)


def states_of_recurrence(**at) -> Float[np.ndarray, "time size"]:
    """States of ``linear_case``, step by step."""
    return recurrence(*linear_case(**at))


def states_at_once(**at) -> Float[np.ndarray, "time size"]:
    """States of ``linear_case`` from one linear system."""
    return all_at_once(*linear_case(**at))


def states_unrolled(**at) -> Float[np.ndarray, "time size"]:
    """Eq. 2."""
    A, inputs, _ = linear_case(**at)
    return unrolled(A, inputs)


def rotated_case(
    seed: int, size: int, time: int, alpha: float, gamma: float, start: float = 0.0
):
    """``alpha gamma A``, inputs ``alpha B u`` and initial state of Eq. 6."""
    _, inputs, initial = linear_case(seed, size, time, start)
    return alpha * gamma * rotation(seed, size), alpha * inputs, initial


def rotated_recurrence(**at) -> Float[np.ndarray, "time size"]:
    """Eq. 6, step by step."""
    return recurrence(*rotated_case(**at))


def rotated_at_once(**at) -> Float[np.ndarray, "time size"]:
    """Eq. 6 from one linear system."""
    return all_at_once(*rotated_case(**at))


def rotated_unrolled(
    seed: int, size: int, time: int, alpha: float, gamma: float, start: float = 0.0
) -> Float[np.ndarray, "time size"]:
    """Eq. 10, its powers of ``alpha``, ``gamma`` and ``A`` apart."""
    _, inputs, _ = linear_case(seed, size, time, start)
    A, power = rotation(seed, size), np.linalg.matrix_power
    return np.array(
        [
            sum(
                alpha ** (t + 1 - k)
                * gamma ** (t - k)
                * (power(A, t - k) @ inputs[k - 1])
                for k in range(1, t + 1)
            )
            for t in range(1, time + 1)
        ]
    )


def fading(seed: int, size: int, alpha: float, gamma: float) -> float:
    """Weight of an input eight steps old over that of one seven steps old."""
    pulse = np.zeros((9, size))
    pulse[0] = draw(seed, size)
    states = recurrence(alpha * gamma * rotation(seed, size), pulse, np.zeros(size))
    before, after = np.linalg.norm(states[-2:], axis=1)
    return after / before


def fading_in_eigenbasis(seed: int, size: int, alpha: float, gamma: float) -> float:
    """The spectral radius of one step."""
    return np.abs(np.linalg.eigvals(alpha * gamma * rotation(seed, size))).max()


# Rotations.


def exponential_series(S: Matrix, terms: int = 60) -> Matrix:
    """``exp(S)``: the series of ``exp(S / 16)``, to the 16th power."""
    half = np.eye(len(S))
    total = half.copy()
    for k in range(1, terms):
        half = half @ (S / 16) / k
        total += half
    return np.linalg.matrix_power(total, 16)


def exponential_by_eigenvalues(S: Matrix) -> Matrix:
    """The exponential of a skew matrix through the Hermitian ``i S``."""
    values, U = np.linalg.eigh(1j * S)
    return np.real((U * np.exp(-1j * values)) @ U.conj().T)


def _membership(A: Matrix) -> Matrix:
    """``A A^T``, ``A^T A`` and ``det A``, stacked: of SO(N), two identities and a one."""
    return np.vstack([A @ A.T, A.T @ A, np.full((1, len(A)), np.linalg.det(A))])


def member_of_series(seed: int, size: int) -> Matrix:
    """Membership of ``exp(M - M^T)``, by its series."""
    return _membership(exponential_series(skew(seed, size)))


def member_of_eigenvalues(seed: int, size: int) -> Matrix:
    """Membership of ``exp(M - M^T)``, by its eigenvalues."""
    return _membership(exponential_by_eigenvalues(skew(seed, size)))


def member_of_blocks(seed: int, size: int, sign: int) -> Matrix:
    """Membership of ``P Theta P^T`` with ``det P`` of either sign."""
    return _membership(rotation(seed, size, sign))


def member_of_precise_blocks(seed: int, size: int, sign: int) -> Matrix:
    """Membership of ``P Theta P^T``, product and determinant with 30 digits."""
    with mpmath.workdps(30):
        Q = mpmath.matrix(orthogonal(seed, size, sign).tolist())
        P, _ = mpmath.qr(Q)
        if mpmath.det(P) * sign < 0:
            P[:, 0] = -P[:, 0]
        A = P * mpmath.matrix(blocks(seed, size).tolist()) * P.T
        rows = [*(A * A.T).tolist(), *(A.T * A).tolist(), [mpmath.det(A)] * size]
        return np.array(rows, dtype=float)


def member(seed: int, size: int, **_) -> Matrix:
    """Membership as SO(N) has it: ``A A^T = A^T A = I`` and ``det A = 1``, stacked."""
    return np.vstack([np.eye(size), np.eye(size), np.ones((1, size))])


def phases_of_product(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Phases of the eigenvalues of ``P Theta P^T``, sorted."""
    return np.sort(np.angle(np.linalg.eigvals(rotation(seed, size))))


def phases_of_blocks(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Both signs of each angle, and a zero if the size is odd, sorted."""
    turned = np.angle(np.exp(1j * angles(seed, size)))
    return np.sort(np.concatenate([turned, -turned, [0.0] * (size % 2)]))


def phases_of_schur(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Phases of the eigenvalues of ``P Theta P^T``, sorted, from its Schur form."""
    triangle = scipy.linalg.schur(rotation(seed, size), output="complex")[0]
    return np.sort(np.angle(np.diag(triangle)))


def member_of_group(seed: int, size: int) -> Matrix:
    """Membership of a product of three rotations, one of them inverted."""
    A, B, C = (rotation(seed + i, size) for i in range(3))
    return _membership(A @ np.linalg.inv(B) @ C)


def determinant_of_series(seed: int, size: int) -> float:
    """``det exp(M - M^T)``, by the series."""
    return np.linalg.det(exponential_series(skew(seed, size)))


def exponential_of_trace(seed: int, size: int) -> float:
    """``exp Tr(M - M^T)``."""
    return math.exp(np.trace(skew(seed, size)))


def determinant_of_any(seed: int, size: int) -> float:
    """``det exp(M)`` of a matrix that is not skew, by the series."""
    return np.linalg.det(exponential_series(0.5 * draw(seed, size, size)))


def product_of_exponentials(seed: int, size: int) -> float:
    """``det exp(M)`` of a matrix that is not skew, from its eigenvalues."""
    return float(np.prod(np.exp(np.linalg.eigvals(0.5 * draw(seed, size, size)))).real)


def exponential_of_any_trace(seed: int, size: int) -> float:
    """``exp Tr(M)``."""
    return math.exp(0.5 * np.trace(draw(seed, size, size)))


def determinant_of_blocks(seed: int, size: int, sign: int) -> float:
    """``det(P Theta P^T)``."""
    return np.linalg.det(rotation(seed, size, sign))


def product_of_determinants(seed: int, size: int, sign: int) -> float:
    """``det(P) det(Theta) det(P^T)``, each from its eigenvalues."""
    P = orthogonal(seed, size, sign)
    factors = (P, blocks(seed, size), P.T)
    return float(np.real(np.prod([np.prod(np.linalg.eigvals(A)) for A in factors])))


def determinant_of_P(seed: int, size: int, sign: int) -> float:
    """``det(P)``."""
    return np.linalg.det(orthogonal(seed, size, sign))


def inverse_determinant_of_transpose(seed: int, size: int, sign: int) -> float:
    """``1 / det(P^T)``, from the eigenvalues."""
    return float(1 / np.prod(np.linalg.eigvals(orthogonal(seed, size, sign).T)).real)


def skew_products(seed: int, size: int) -> Matrix:
    """``S S^T`` and ``S^T S``, stacked."""
    S = skew(seed, size)
    return np.vstack([S @ S.T, S.T @ S])


def skew_products_by_spectrum(seed: int, size: int) -> Matrix:
    """``S S^T`` and ``S^T S``, stacked, from the spectrum of the Hermitian ``i S``."""
    values, U = np.linalg.eigh(1j * skew(seed, size))
    return np.vstack(2 * [np.real((U * values**2) @ U.conj().T)])


def minus_squares(seed: int, size: int) -> Matrix:
    """``-S^2``, twice."""
    S = skew(seed, size)
    return np.vstack(2 * [-S @ S])


def plus_squares(seed: int, size: int) -> Matrix:
    """``S^2``, twice."""
    return -minus_squares(seed, size)


def power_of_product(seed: int, size: int, times: int) -> Matrix:
    """``(P Theta P^T)^k``."""
    return np.linalg.matrix_power(rotation(seed, size), times)


def product_of_power(seed: int, size: int, times: int) -> Matrix:
    """``P Theta(k theta) P^T``."""
    P = orthogonal(seed, size, 1)
    return P @ blocks(seed, size, times) @ P.T


def moduli_of_product(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Moduli of the eigenvalues of ``P Theta P^T``."""
    return np.abs(np.linalg.eigvals(rotation(seed, size)))


def series_of_skew(seed: int, size: int) -> Matrix:
    """``exp(M - M^T)`` by its series."""
    return exponential_series(skew(seed, size))


def eigenvalues_of_skew(seed: int, size: int) -> Matrix:
    """``exp(M - M^T)`` by its eigenvalues."""
    return exponential_by_eigenvalues(skew(seed, size))
