"""Evidence for curvature and adaptive rates, Section 4.3 of Zucchet & Orvieto (2024).

White inputs, at the optimum of the teacher-student task.
"""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence import Load
from sigprop.evidence.kit import also, bisect, points, power_derivatives, powers
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.experiments.medians import outcome, rates
from sigprop.evidence.zucchet.experiments.sensitivities import (
    off_diagonal_share,
    off_diagonal_share_by_quadrature,
)
from sigprop.judge.basis import Basis, Evidence, Example

SEEDS = range(20)
Rows = Float[np.ndarray, "p steps"]  # one row per parameter
Array = Inexact[np.ndarray, "..."]
Teacher = tuple[Array, Array, Array, Array]  # lam, V, inward, outward

# The two parametrisations of Fig. 4.


@functools.cache
def sensitivities(
    seed: int, normal: bool = False, steps: int = 3000
) -> tuple[Rows, Rows]:
    """Derivatives of the impulse response by the 25 parameters: dense, complex diagonal.

    Two conjugate pairs of modulus 0.99 to 0.993, drawn with their eigenvectors.
    """
    return responses(*_teacher(seed, normal), steps=steps)


def _teacher(seed: int, normal: bool) -> Teacher:
    generator = np.random.default_rng(seed)
    half = (0.99 + 0.003 * generator.uniform(size=2)) * np.exp(
        1j * np.pi * generator.uniform(0.05, 0.95, size=2)
    )
    lam = np.concatenate([half, half.conj()])
    V = generator.normal(size=(4, 2)) + 1j * generator.normal(size=(4, 2))
    if normal:
        basis = np.linalg.qr(generator.normal(size=(4, 4)))[0] / np.sqrt(2)
        V = basis[:, :2] + 1j * basis[:, 2:]
    V = np.concatenate([V, V.conj()], axis=1)
    B, C = generator.normal(size=4), generator.normal(size=4) / 2
    return lam, V, np.linalg.solve(V, B), C @ V


def responses(
    lam: Inexact[np.ndarray, " n"],
    V: Inexact[np.ndarray, "n n"],
    inward: Inexact[np.ndarray, " n"],
    outward: Inexact[np.ndarray, " n"],
    steps: int,
) -> tuple[Float[np.ndarray, "p steps"], Float[np.ndarray, "q steps"]]:
    """Derivatives of the impulse response by the parameters: dense, complex diagonal.

    Args:
        lam: Eigenvalues of the matrix.
        V: Its eigenvectors as columns.
        inward: Input weights in the eigenbasis.
        outward: Readout weights in the eigenbasis.
        steps: Length of the response.
    """
    n = len(lam)
    power, derivative, first = (
        powers(lam, steps),
        power_derivatives(lam, steps),
        np.eye(1, steps),
    )
    diagonal = _both_parts(
        [outward * inward, outward, inward], [derivative, power, power]
    )
    # dA: C sum_{i + j = age - 1} A^i dA A^j B, in the eigenbasis a divided difference.
    apart = lam[:, None] - lam[None]
    np.fill_diagonal(apart, 1)
    divided = (power[:, None] - power[None]) / apart[..., None]
    divided[np.arange(n), np.arange(n)] = derivative
    inverse = np.linalg.inv(V)
    by_A = np.einsum("i,ia,bj,j,ijt->abt", outward, inverse, V, inward, divided)
    by_B = np.einsum("i,ia,it->at", outward, inverse, power)
    by_C = np.einsum("ci,i,it->ct", V, inward, power)
    dense = np.real(np.concatenate([by_A.reshape(n * n, -1), by_B, by_C]))
    return np.vstack([dense, first]), np.vstack([diagonal, first])


def _both_parts(
    weights: list[Inexact[np.ndarray, " n"]],
    curves: list[Inexact[np.ndarray, "n steps"]],
) -> Rows:
    rows = [w[:, None] * c for w, c in zip(weights, curves, strict=True)]
    return np.concatenate(
        [part for row in rows for part in (np.real(row), -np.imag(row))]
    )


def top_ratio_of_two(degrees: float) -> float:
    """Dense over diagonal top eigenvalue, for two real modes with a given angle.

    Eigenvalues are 0.99 and 0.5, and all weights are one in the eigenbasis.
    """
    angle, ones = np.radians(degrees), np.ones(2)
    V = np.array([[1, np.cos(angle)], [0, np.sin(angle)]])
    both = responses(np.array([0.99, 0.5]), V, ones, ones, 3000)
    dense, diagonal = (np.linalg.norm(rows, 2) ** 2 for rows in both)
    return float(dense / diagonal)


def spectrum(
    seed: int, diagonal: bool, normal: bool = False
) -> tuple[Float[np.ndarray, " p"], Float[np.ndarray, "p p"]]:
    """Eigenvalues of the Hessian at the optimum, decreasing, and eigenvectors."""
    rows = sensitivities(seed, normal)[int(diagonal)]
    values, vectors = np.linalg.eigh(rows @ rows.T)
    return values[::-1], vectors[:, ::-1]


def top_ratio(normal: bool, of: Callable[[Any], float] = np.max) -> float:
    """Median over draws of the dense top eigenvalue over the complex diagonal one."""
    tops = [
        [of(spectrum(s, diagonal_first, normal)[0]) for diagonal_first in (False, True)]
        for s in SEEDS
    ]
    return float(np.median([dense / diagonal for dense, diagonal in tops]))


def spread_of_top(diagonal: bool) -> float:
    """Number of coordinates of the ten top eigenvectors: mean inverse participation."""
    vectors = np.array([spectrum(s, diagonal)[1][:, :10] for s in SEEDS])
    return float(np.mean(1 / np.sum(vectors**4, axis=1)))


def spread_by_entropy(diagonal: bool) -> float:
    """Number of coordinates of the ten top eigenvectors: mean of ``exp(entropy)``."""
    mass = np.array([spectrum(s, diagonal)[1][:, :10] for s in SEEDS]) ** 2
    return float(np.mean(np.exp(-np.sum(mass * np.log(mass + 1e-300), axis=1))))


def rank(diagonal: bool) -> int:
    """Rank of the Hessian at the optimum, of 25 parameters."""
    return int(np.linalg.matrix_rank(sensitivities(0)[int(diagonal)]))


# Steps.


def largest_stable_rate(eigenvalues: tuple[float, ...]) -> float:
    """Largest stable rate of gradient descent on a quadratic, by bisection."""
    curvature = np.array(eigenvalues)

    def stays(rate: float) -> bool:
        return bool(np.abs((1 - rate * curvature) ** 8).max() <= 1)

    return bisect(stays, 0.0, 10.0)


def largest_rate_by_steps(eigenvalues: tuple[float, ...]) -> float:
    """Largest stable rate of descent on a quadratic, by increasing the rate."""
    curvature = np.array(eigenvalues)

    def stays(rate: float) -> bool:
        x = np.ones(len(curvature))
        for _ in range(9):
            x = x - rate * curvature * x
        return bool(np.abs(x).max() <= 1)

    return bisect(stays, 0.0, 10.0)


def lipschitz_by_pairs(eigenvalues: tuple[float, ...]) -> float:
    """Lipschitz constant of a quadratic's gradient, over pairs of points on a fan."""
    curvature = np.array(eigenvalues)
    generator = np.random.default_rng(0)
    apart = np.vstack(
        [np.eye(len(curvature)), generator.normal(size=(200, len(curvature)))]
    )
    ratios = np.linalg.norm(apart * curvature, axis=1) / np.linalg.norm(apart, axis=1)
    return float(ratios.max())


def adam_on_ones(momentum: float, second: float, rate: float) -> float:
    """Step of optax's Adam late in training, for gradients of one."""
    import jax.numpy as jnp
    import optax

    optimiser = optax.adam(rate)

    def update(momentum: Any, second: Any) -> Any:
        state: Any = optimiser.init(jnp.zeros(()))
        moments = state[0]._replace(count=10**6, mu=momentum, nu=second)
        return optimiser.update(jnp.ones(()), (moments, *state[1:]))[0]

    return -float(computed(update, momentum, second))


def by_blocks(A: Float[np.ndarray, "n n"]) -> Complex[np.ndarray, " n"]:
    """Conjugates of the eigenvalues, from the blocks of the real Schur form."""
    T, conjugates, i = scipy.linalg.schur(A)[0], [], 0
    while i < len(T):
        size = 2 if i + 1 < len(T) and T[i + 1, i] else 1
        half = T[i : i + size, i : i + size].trace() / 2
        if size == 1:
            conjugates.append(2 * half + 0j)
        else:
            turn = np.sqrt(np.linalg.det(T[i : i + 2, i : i + 2]) - half**2)
            conjugates += [half - 1j * turn, half + 1j * turn]
        i += size
    return np.array(conjugates)


@functools.cache
def eigenvalues_sorted(
    seed: int,
    of: Callable[
        [Float[np.ndarray, "n n"]], Complex[np.ndarray, " n"]
    ] = np.linalg.eigvals,
) -> Complex[np.ndarray, " n"]:
    """Eigenvalues of a random teacher, sorted."""
    from sigprop.layers.dense import transform_eigenvalues

    raw = np.random.default_rng(seed).normal(size=(10, 10)) / np.sqrt(10)
    moved = transform_eigenvalues(raw, 0.99, np.pi)
    return np.sort_complex(of(moved))


EVIDENCE: dict[str, Basis | Callable[[Load], Basis]] = {
    "zucchet:fig4": Evidence(
        points("normal", True, False),
        {"reference": top_ratio},
        form=1.0,
        tolerance=0.02,
        mutants={"for any eigenvectors": lambda normal: top_ratio(not normal)},
        alone="exact derivatives of the impulse response, 20 teachers",
        example=Example(
            "for modes 0.99 and 0.5 and eigenvectors at an angle of some degrees, the "
            "largest dense eigenvalue divided by the largest diagonal one",
            {"degrees": 15.0},
            1.0,
            top_ratio_of_two,
        ),
    ),
    "zucchet:fig4:rank": Evidence(
        points("diagonal", False, True),
        {"reference": rank},
        form=2 * 4 + 1,
        mutants={
            "a pole and a residue a pair": 2 * 2 + 1,
            "without D": 2 * 4,
            "every parameter": 25,
        },
        alone="singular values of the exact derivatives",
    ),
    "zucchet:fig4:concentration": Evidence(
        ({"diagonal": True},),
        {"participation": spread_of_top, "entropy": spread_by_entropy},
        form=lambda diagonal: spread_of_top(not diagonal),
        relation="<",
        hand={"half a coordinate": 0.5},
    ),
    "zucchet:text:footnote-2": Evidence(
        points("eigenvalues", (3.0, 1.0), (7.5, 0.2, 2.0), (1.0, -5.0)),
        {"reference": largest_stable_rate, "steps": largest_rate_by_steps},
        form=lambda eigenvalues: 2 / lipschitz_by_pairs(eigenvalues),
        relation="<=",
        mutants={
            "the square of L": lambda eigenvalues: (
                2 / lipschitz_by_pairs(eigenvalues) ** 2
            ),
            "the trace for L": lambda eigenvalues: 2 / sum(map(abs, eigenvalues)),
            "the norm of all entries for L": lambda eigenvalues: (
                2 / np.linalg.norm(eigenvalues)
            ),
        },
    ),
    "zucchet:text:effective-rate": Evidence(
        also(
            points("momentum second", (0.01, 1e-6), (-0.3, 2.0), (0.0, 400.0)),
            rate=1e-3,
        ),
        {"optax": adam_on_ones},
        alone="optax's own step",
    ),
    "zucchet:fig4:adam": lambda load: outcome(
        ({"behind": "RNN", "ahead": "complex diagonal"},),
        lambda **point: rates(load("adaptive_rates"), **point),
        alone="one experiment decides: ten teachers, both networks at the rate 10^-3",
    ),
    "zucchet:text:pairs-of-teacher": Evidence(
        ({"seed": 0}, {"seed": 5}),
        {
            "layer": lambda seed: np.sort_complex(eigenvalues_sorted(seed).conj()),
            "schur": lambda seed: eigenvalues_sorted(seed, of=by_blocks),
        },
        form=eigenvalues_sorted,
        tolerance=1e-9,
        mutants={
            "pairs across the imaginary axis": lambda seed: np.sort_complex(
                -eigenvalues_sorted(seed).conj()
            )
        },
    ),
    "zucchet:text:more-neurons": Evidence(
        ({"n": 32}, {"n": 64}),
        {
            "reference": off_diagonal_share,
            "quadrature": off_diagonal_share_by_quadrature,
        },
        form=lambda n: off_diagonal_share(n // 2),
        relation=">",
        hand={"all of it": 1.0},
    ),
}
