"""Evidence for Eq. 13 to 19 of RotRNN (2024), and the steps of its proofs."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import covariances, each, points
from sigprop.evidence.rotrnn.forward import listing_outputs
from sigprop.evidence.rotrnn.heads import (
    WIDTH,
    WRONG_OUTPUTS,
    dense_outputs,
    layer_outputs,
)
from sigprop.evidence.rotrnn.random_matrices import (
    Matrix,
    angles,
    blocks,
    draw,
    orthogonal,
    rotation,
    skew,
)
from sigprop.evidence.rotrnn.rotations import (
    BLOCKS,
    BOTH_SIGNS,
    EXPONENTIALS,
    SIZES,
    WRONG_BLOCKS,
    WRONG_EXPONENTIALS,
    WRONG_MEMBERS,
    is_member,
)
from sigprop.evidence.rotrnn.special_orthogonal import (
    exponential_by_eigenvalues,
    exponential_series,
    member,
    membership,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory.rotation import block_is_rotation, products_of_members, skew_squares

# Eq. 14: an LRU of two modes.


def _lru(
    s_1: float, s_2: float, r_1: float, r_2: float, seed: int
) -> tuple[Complex[np.ndarray, " modes"], Matrix]:
    B = draw(seed, 2, WIDTH) + 1j * draw(seed + 1, 2, WIDTH)
    B *= (np.sqrt([s_1, s_2]) / np.linalg.norm(B, axis=1))[:, None]
    return np.array([r_1, r_2]) * np.exp([1.1j, -2.3j]), B


def lru_by_covariance(
    s_1: float, s_2: float, r_1: float, r_2: float, T: int, seed: int = 4
) -> float:
    """``E|x_T|^2`` from the zero state: the covariance propagated."""
    lam, B = _lru(s_1, s_2, r_1, r_2, seed)
    return np.trace(covariances(np.diag(lam), B @ B.conj().T, T)[-1]).real


def lru_by_double_sum(
    s_1: float, s_2: float, r_1: float, r_2: float, T: int, seed: int = 5
) -> float:
    """``E|x_T|^2`` from the zero state, by ``Tr(W_i^* W_j) E[u u]`` over input pairs."""
    lam, B = _lru(s_1, s_2, r_1, r_2, seed)
    weights = [lam[:, None] ** (T - k) * B for k in range(1, T + 1)]
    traces = [[np.vdot(weight, other).real for other in weights] for weight in weights]
    return np.sum(traces * np.eye(T))


def lru_limit(s_1: float, s_2: float, r_1: float, r_2: float, **_) -> float:
    """Stationary norm of two modes, by Lyapunov's equation."""
    lam, B = _lru(s_1, s_2, r_1, r_2, 6)
    covariance = scipy.linalg.solve_discrete_lyapunov(np.diag(lam), B @ B.conj().T)
    return np.trace(covariance).real


def lru_limit_by_sum(s_1: float, s_2: float, r_1: float, r_2: float, **_) -> float:
    """Norm of two modes after so many steps that the rest is negligible."""
    steps = math.ceil(-20 / math.log(max(r_1, r_2)))
    return lru_by_covariance(s_1, s_2, r_1, r_2, steps)


def normalised(
    limit: Callable[..., float], s_1: float, s_2: float, r_1: float, r_2: float
) -> float:
    """A limit of the norm with rows times ``sqrt(1 - |lambda|^2)``."""
    return limit(s_1 * (1 - r_1**2), s_2 * (1 - r_2**2), r_1, r_2)


# Eq. 16 and 18: determinants.


def determinant(matrix: Callable[..., Matrix], **point: int) -> float:
    """The determinant of a matrix that a routine gives."""
    return np.linalg.det(matrix(**point))


def determinant_of_series(seed: int, size: int) -> float:
    """``det exp(M - M^T)``, by the series."""
    return np.linalg.det(exponential_series(skew(seed, size)))


def commuting(seed: int, size: int) -> tuple[Matrix, Matrix]:
    """A random matrix and a polynomial in it."""
    P = 0.4 * draw(seed, size, size)
    return P, 0.3 * np.eye(size) - 0.8 * P + 0.5 * P @ P


def general_exponential(S: Matrix) -> Matrix:
    """The exponential from eigenvalues and eigenvectors, which need not be orthogonal."""
    values, V = np.linalg.eig(S)
    return np.real((V * np.exp(values)) @ np.linalg.inv(V))


def product_of_two(
    exponential: Callable[[Matrix], Matrix], seed: int, size: int
) -> Matrix:
    """``exp(P) exp(Q)``."""
    P, Q = commuting(seed, size)
    return exponential(P) @ exponential(Q)


def of_two(join: Callable[[Matrix, Matrix], Matrix], seed: int, size: int) -> Matrix:
    """Exponential of a function of two commuting matrices."""
    return exponential_series(join(*commuting(seed, size)))


def transposed_exponential(
    exponential: Callable[[Matrix], Matrix], seed: int, size: int
) -> Matrix:
    """``exp(S)^T``."""
    return exponential(0.6 * draw(seed, size, size)).T


def exponential_of_changed(
    change: Callable[[Matrix], Matrix], seed: int, size: int
) -> Matrix:
    """``exp`` of a changed ``S``."""
    return exponential_series(change(0.6 * draw(seed, size, size)))


GENERAL = {"pade": scipy.linalg.expm, "eigenvalues": general_exponential}


def determinant_of_any(seed: int, size: int) -> float:
    """``det exp(M)`` of a matrix that is not skew, by the series."""
    return np.linalg.det(exponential_series(0.5 * draw(seed, size, size)))


def product_of_exponentials(seed: int, size: int) -> float:
    """``det exp(M)`` of a matrix that is not skew, from its eigenvalues."""
    return float(np.prod(np.exp(np.linalg.eigvals(0.5 * draw(seed, size, size)))).real)


def product_of_determinants(seed: int, size: int, sign: int) -> float:
    """``det(P) det(Theta) det(P^T)``, each from its eigenvalues."""
    P = orthogonal(seed, size, sign)
    factors = (P, blocks(seed, size), P.T)
    return float(np.real(np.prod([np.prod(np.linalg.eigvals(A)) for A in factors])))


def inverse_determinant_of_transpose(**point: int) -> float:
    """``1 / det(P^T)``, from the eigenvalues."""
    return float(1 / np.prod(np.linalg.eigvals(orthogonal(**point).T)).real)


WRONG_DETERMINANTS = {
    "one for both halves": 1.0,
    "the sign of each axis": lambda seed, size, sign: sign**size,
    "the trace": lambda **point: np.trace(orthogonal(**point)),
}


# Eq. 19: a block-diagonal product, entry by entry.


def quarter_turned(x: Float[np.ndarray, " size"]) -> Float[np.ndarray, " size"]:
    """``-x_2, x_1, -x_4, x_3, ...``."""
    return np.stack([-x[1::2], x[0::2]], -1).ravel()


def each_twice(angle: Float[np.ndarray, " pairs"]) -> Float[np.ndarray, " size"]:
    """Every angle for two entries."""
    return np.repeat(angle, 2)


def elementwise_product(
    seed: int, size: int, twice=each_twice, turned=quarter_turned
) -> Float[np.ndarray, " size"]:
    """Eq. 19, with ``x_{N-1}`` last in the turned vector; no numbers in an odd size.

    ``twice`` gives each angle to two entries, ``turned`` the vector of the sines.
    """
    if size % 2:
        return np.full(size, np.nan)
    x, theta = draw(seed, size), twice(angles(seed, size))
    return x * np.cos(theta) + turned(x) * np.sin(theta)


WRONG_TURNS = {
    "turned back": {"turned": lambda x: -quarter_turned(x)},
    "halves for pairs": {"turned": lambda x: np.concatenate(np.split(x, 2)[::-1])},
    "angles one after the other": {"twice": partial(np.tile, reps=2)},
    "partners of one sign": {"turned": lambda x: abs(quarter_turned(x))},
}


def complex_product(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """``Theta x`` with one complex product for each plane."""
    z = draw(seed, size).view(complex) * np.exp(1j * angles(seed, size))
    return z.view(float)


# The group, and squares of skew matrices.


def member_of_group(seed: int, size: int, member=rotation) -> Matrix:
    """Membership of a product of three rotations, one of them inverted."""
    A, B, C = (member(seed + i, size) for i in range(3))
    return membership(A @ np.linalg.inv(B) @ C)


def member_of_exponentials(seed: int, size: int) -> Matrix:
    """Membership of a product of three rotations, exponentials of skew matrices."""
    return member_of_group(
        seed, size, lambda *point: exponential_by_eigenvalues(skew(*point))
    )


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


def stacked_products(seed: int, size: int, of) -> Matrix:
    """Two products made of ``M``, stacked."""
    return np.vstack(of(draw(seed, size, size)))


WRONG_SQUARES = {
    "M for S": lambda M: [M @ M.T, M.T @ M],
    "entries squared": lambda M: [(M - M.T) ** 2] * 2,
    "M + M^T": lambda M: [(M + M.T) @ (M + M.T)] * 2,
}


MODES = points(
    "s_1 s_2 r_1 r_2 T",
    (1.3, 0.4, 0.9, 0.5, 3),
    (0.7, 2.1, 0.3, 0.8, 1),
    (0.2, 1.1, 0.95, 0.6, 12),
)
LIMITS = {"lyapunov": lru_limit, "reference": lru_limit_by_sum}
LRU_NORM = Evidence(
    MODES,
    {"reference": lru_by_covariance, "double_sum": lru_by_double_sum},
    example=Example(
        "E|x_t|^2 of one mode, b = 1,",
        {"lambda": 0.8, "t": 2},
        lambda t, **at: sum(at["lambda"] ** (2 * i) for i in range(1, t + 1)),
        lambda t, **at: sum(at["lambda"] ** (2 * i) for i in range(t)),
    ),
)

EVIDENCE: dict[str, Basis] = {
    "rotrnn:13": Evidence(
        points("seed heads size", (1, 2, 4), (2, 2, 4)),
        {"layer": layer_outputs, "listing": listing_outputs},
        dense_outputs,
        mutants=WRONG_OUTPUTS,
    ),
    "rotrnn:14": LRU_NORM,
    "rotrnn:text:lru-norm-sum": LRU_NORM,
    "rotrnn:text:lru-norm-limit": Evidence(
        MODES,
        LIMITS,
        example=Example(
            "the limit of E|x_t|^2 of one mode with b = 1",
            {"lambda": 0.5},
            lambda **at: at["lambda"] ** 2 / (1 - at["lambda"] ** 2),
            lambda **at: 1 / (1 - at["lambda"] ** 2),
        ),
    ),
    "rotrnn:text:lru-row-scale": Evidence(
        points(
            "s_1 s_2 r_1 r_2",
            (1.3, 0.4, 0.9, 0.5),
            (0.7, 2.1, 0.3, 0.8),
            (0.2, 1.1, 0.95, 0.6),
        ),
        each(normalised, LIMITS),
    ),
    "rotrnn:15": Evidence(
        SIZES,
        EXPONENTIALS,
        member,
        proof=block_is_rotation,
        mutants=each(is_member, WRONG_EXPONENTIALS),
    ),
    "rotrnn:16": Evidence(
        SIZES,
        {
            "series": determinant_of_series,
            "trace": lambda seed, size: math.exp(np.trace(skew(seed, size))),
        },
        1.0,
        proof=block_is_rotation,
        mutants=each(determinant, WRONG_EXPONENTIALS),
    ),
    "rotrnn:17": Evidence(
        BOTH_SIGNS,
        BLOCKS,
        member,
        proof=products_of_members,
        mutants=each(is_member, WRONG_BLOCKS),
    ),
    "rotrnn:18": Evidence(
        BOTH_SIGNS,
        {
            "reference": lambda **point: np.linalg.det(rotation(**point)),
            "factors": product_of_determinants,
        },
        1.0,
        proof=products_of_members,
        mutants=each(determinant, WRONG_BLOCKS),
    ),
    "rotrnn:19": Evidence(
        points("seed size", (1, 2), (2, 4), (3, 8)),
        {
            "dense": lambda seed, size: blocks(seed, size) @ draw(seed, size),
            "complex": complex_product,
        },
        elementwise_product,
        mutants={
            name: partial(elementwise_product, **wrong)
            for name, wrong in WRONG_TURNS.items()
        },
    ),
    "rotrnn:def4": Evidence(
        SIZES,
        {"reference": member_of_group, "exponentials": member_of_exponentials},
        member,
        mutants=WRONG_MEMBERS,
    ),
    "rotrnn:text:skew-square": Evidence(
        SIZES,
        {"reference": skew_products, "spectrum": skew_products_by_spectrum},
        minus_squares,
        proof=skew_squares,
        mutants={
            name: partial(stacked_products, of=of) for name, of in WRONG_SQUARES.items()
        },
    ),
    "rotrnn:text:jacobi": Evidence(
        SIZES,
        {"series": determinant_of_any, "eigenvalues": product_of_exponentials},
        lambda seed, size: math.exp(0.5 * np.trace(draw(seed, size, size))),
        mutants={
            "trace and determinant exchanged": lambda seed, size: np.trace(
                exponential_series(0.5 * draw(seed, size, size))
            ),
            "the determinant twice": lambda seed, size: math.exp(
                np.linalg.det(0.5 * draw(seed, size, size))
            ),
            "no exponential on the right": lambda seed, size: (
                0.5 * np.trace(draw(seed, size, size))
            ),
        },
    ),
    "rotrnn:text:commuting-exponentials": Evidence(
        SIZES,
        each(product_of_two, GENERAL),
        partial(of_two, np.add),
        mutants={
            name: partial(of_two, join)
            for name, join in {
                "the difference": np.subtract,
                "the product": np.matmul,
                "one of them twice": lambda P, Q: 2 * P,
                "one transposed": lambda P, Q: P + Q.T,
            }.items()
        },
    ),
    "rotrnn:text:transposed-exponential": Evidence(
        SIZES,
        each(transposed_exponential, GENERAL),
        partial(exponential_of_changed, np.transpose),
        mutants={
            name: partial(exponential_of_changed, change)
            for name, change in {
                "not transposed": lambda S: S,
                "as of a skew matrix": lambda S: -S,
                "transposed and turned back": lambda S: -S.T,
            }.items()
        },
    ),
    "rotrnn:text:determinant-inverse": Evidence(
        BOTH_SIGNS,
        {
            "reference": lambda **point: np.linalg.det(orthogonal(**point)),
            "transpose": inverse_determinant_of_transpose,
        },
        lambda seed, size, sign: sign,
        proof=products_of_members,
        mutants=WRONG_DETERMINANTS,
    ),
}
