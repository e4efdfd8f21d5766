"""Evidence for growth at the boundary, Appendix B.2.3 of Zucchet & Orvieto (2024)."""

import math
from collections.abc import Callable
from functools import cache, partial
from typing import NamedTuple

import numpy as np
from jaxtyping import Complex, Float, Inexact, Num

from sigprop.evidence.kit import (
    across,
    contour,
    each,
    energy,
    exponent,
    powers,
    recur,
)
from sigprop.evidence.zucchet.curse.dense import UNEXCITED
from sigprop.evidence.zucchet.proofs.perturbation import (
    ALL,
    diagonal_states,
    diagonalised,
    eigenvalue_derivatives,
    fixed,
    inputs,
    left,
    modes,
    numbers,
    over_entries,
    unit_moves,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import dense
from sigprop.theory.dense import Dense

FIXED = dense.REAL.directions
PAIR = dense.ROTATING.directions


class Family(NamedTuple):
    """Matrices with the largest eigenvalue ``1 - gap``, and their input."""

    system: Callable[[float], Dense]
    constant: bool = False


def _pair(gap: float) -> Dense:
    first, second = ((1 - gap) * np.exp(sign * 0.9j) for sign in (1, -1))
    return Dense("", (first, second, -0.5), PAIR)


FAMILIES = {
    "one real mode": Family(lambda gap: Dense("", (1 - gap, 0.3, -0.6), FIXED)),
    "a complex pair": Family(_pair),
    "the whole spectrum scaled": Family(
        lambda gap: Dense("", (1 - gap, 0.3 * (1 - gap), -0.6 * (1 - gap)), FIXED)
    ),
    "two modes that meet": Family(
        lambda gap: Dense("", (1 - gap, 1 - 2 * gap, -0.6), FIXED)
    ),
    "a complex pair, constant input": Family(_pair, constant=True),
}


# Derivatives of eigenvalues and eigenvectors, and the eigenvectors' size.


@cache
def largest_derivatives(family: str, gap: float) -> Float[np.ndarray, " 2"]:
    """Largest derivative of an eigenvalue and of an eigenvector by an entry of A."""
    system = FAMILIES[family].system(gap)
    A = numbers(system.matrix())

    def decomposition(
        e: complex, entry: Float[np.ndarray, "n n"]
    ) -> Complex[np.ndarray, "n+1 n"]:
        moved = A + e * entry
        return np.vstack([modes(moved, system)[0], fixed(moved, system)])

    derivatives = over_entries(
        system, lambda entry: contour(lambda e: decomposition(e, entry), 0, gap / 20)
    )
    return np.array(
        [np.abs(derivatives[:, :, 0]).max(), np.abs(derivatives[:, :, 1:]).max()]
    )


def largest_derivatives_68(family: str, gap: float) -> Float[np.ndarray, " 2"]:
    """Largest derivative of an eigenvalue and of an eigenvector, by Eq. 68 and 69."""
    system = FAMILIES[family].system(gap)
    derivatives = dense.eigenvalue_derivatives(system), dense.vector_derivatives(system)
    return np.array(
        [np.abs(np.array(entries, complex)).max() for entries in derivatives]
    )


def largest_gain(system: Dense) -> float:
    """Spectral norm of the eigenvectors from the package."""
    return float(np.linalg.norm(diagonalised(system).vectors, 2))


def largest_gain_gram(system: Dense) -> float:
    """Spectral norm of the eigenvectors, by the eigenvalues of their Gram matrix."""
    P = numbers(system.vectors())
    return float(np.linalg.eigvalsh(P.conj().T @ P)[-1] ** 0.5)


# The terms of Eq. 67 near the edge.


@cache
def simulated_share(family: str, gap: float) -> float:
    """Energy of Eq. 67's second term over that of the two others, summed over entries.

    The response to white or constant inputs and its derivative are those of the dense
    recurrence; the second term has contour derivatives of the eigenvalues.
    """
    chosen = FAMILIES[family]
    system = chosen.system(gap)
    P, Q, z = numbers(system.vectors()), left(system), np.array(system.eigenvalues)
    A, n = numbers(system.matrix()), system.size
    moves = unit_moves(n).reshape(-1, n, n)
    moved = eigenvalue_derivatives(system, gap / 20).reshape(-1, n)
    kernel, power = np.zeros(moves.shape, complex), np.eye(n, dtype=complex)
    terms, rests = [], []
    for age in range(int(24 / gap)):
        terms.append(P * (moved * age * z ** max(age - 1, 0))[:, None] @ Q)
        rests.append(kernel - terms[-1])
        kernel, power = A @ kernel + moves @ power, A @ power
    energies = [_energy(np.array(part), chosen.constant) for part in (terms, rests)]
    return energies[0] / energies[1]


def _energy(kernels: Complex[np.ndarray, "ages entries n n"], constant: bool) -> float:
    """Second moment for a response (ages first) to constant input or to white noise."""
    return energy(kernels.sum(axis=(0, -1)) if constant else kernels)


def summed_share(family: str, gap: float) -> float:
    """Energy of Eq. 67's second term over that of the others, by Eq. 68-70, ages summed."""
    chosen = FAMILIES[family]
    system = chosen.system(gap)
    P, Q, z = numbers(system.vectors()), left(system), np.array(system.eigenvalues)
    n = system.size
    moved = np.array(dense.vector_derivatives(system), complex).reshape(-1, n, n)
    by_lam = np.array(dense.eigenvalue_derivatives(system), complex).reshape(-1, n)
    inverse = -Q @ moved @ Q
    modes = np.einsum("rk,ks->krs", P, Q)
    term = by_lam[:, :, None, None] * modes
    rest = np.einsum("prk,ks->pkrs", moved, Q) + np.einsum("rk,pks->pkrs", P, inverse)
    if chosen.constant:
        sums = (np.einsum("pkrs,k->pr", term, (1 - z) ** -2.0),
                np.einsum("pkrs,k->pr", rest, 1 / (1 - z)))  # fmt: skip
        return energy(sums[0]) / energy(sums[1])
    pair = np.outer(z, z.conj())
    weights = ((1 + pair) / (1 - pair) ** 3, 1 / (1 - pair))
    energies = [
        np.einsum("pkrs,plrs,kl->", part, part.conj(), weight).real
        for part, weight in zip((term, rest), weights, strict=True)
    ]
    return float(energies[0] / energies[1])


def outgrowth(share: Callable[[str, float], float], family: str, gap: float) -> float:
    """Exponent of the share's growth in the inverse gap, down to a third of the gap."""
    return -exponent(lambda gap: share(family, gap), gap, gap / 3)


SHARES = {"reference": simulated_share, "closed_form": summed_share}


# The derivatives of single terms.


def readout_derivatives(system: Dense) -> Complex[np.ndarray, "n n n"]:
    """``dh_l / dP_ij`` by differences, exact as ``h`` is linear in ``P``: by l, i, j."""
    P, z = numbers(system.vectors()), diagonal_states(system)[-1]
    moved = (P + unit_moves(system.size)) @ z - P @ z
    return np.moveaxis(moved, -1, 0)


def inverse_moves(system: Dense) -> Complex[np.ndarray, "n n n"]:
    """``dz_k / dP^-1_ij`` at the last step by differences, exact as ``z`` is linear."""
    Q, eigenvalues = left(system), np.array(system.eigenvalues)

    def last(Q: Num[np.ndarray, "n n"]) -> Complex[np.ndarray, " n"]:
        return recur(eigenvalues, inputs(system.size) @ Q.T)[-1]

    moves = over_entries(system, lambda move: last(Q + move) - last(Q))
    return np.moveaxis(moves, -1, 0)


def inverse_derivatives(system: Dense) -> Complex[np.ndarray, "n n"]:
    """The derivative of the neuron with the same row, by i and j."""
    return np.einsum("iij->ij", inverse_moves(system))


def spread_derivatives(
    system: Dense, shares: Callable[[Dense], np.ndarray]
) -> Complex[np.ndarray, "n n n"]:
    """Derivatives of Eq. 72 for each neuron ``k`` times its share in the row ``i``."""
    rows = np.array(dense.inverse_derivatives(system), complex)
    return np.einsum("ki,ij->kij", shares(system), rows)


def own_row(system: Dense) -> Float[np.ndarray, "n n"]:
    """Eq. 73: a neuron only has a share in its own row."""
    return np.eye(system.size)


def every_row(system: Dense) -> Float[np.ndarray, "n n"]:
    """Mutant: every neuron has a share in every row."""
    return np.ones((system.size, system.size))


def next_row(system: Dense) -> Float[np.ndarray, "n n"]:
    """Mutant: every neuron has the row of the previous neuron."""
    return np.roll(np.eye(system.size), 1, axis=0)


def read_out(system: Dense) -> Complex[np.ndarray, "n n"]:
    """Mutant: neurons of the dense network instead of the diagonal one."""
    return numbers(system.vectors())


def filtered_rows(
    system: Dense, *, late: bool = False, backwards: bool = False, other: bool = False
) -> Inexact[np.ndarray, "n n"]:
    """Mutants of Eq. 72: inputs a step late, newest first, by the column's eigenvalue."""
    weights, x = powers(system.eigenvalues, dense.STEPS), inputs(system.size)
    x = x if backwards else x[::-1]
    by_row = weights[:, :-1] @ x[1:] if late else weights @ x
    return np.tile(np.diag(by_row), (system.size, 1)) if other else by_row


def readout_mutants(
    system: Dense, way: str, rows: Callable[[int], np.ndarray] = np.eye
) -> Complex[np.ndarray, "n n n"]:
    """Mutants of Eq. 71, as letters of ``np.einsum`` for the state and the rows."""
    n = system.size
    return np.einsum(way, diagonal_states(system)[-1], rows(n), np.ones(n))


def convolved(lam: complex, n: int) -> complex:
    """Two filters one after the other, a step apart, at one age."""
    kernel = powers(complex(lam), n)
    return complex(np.convolve(kernel, kernel)[n - 1])


NEAR = ("one real mode", "a complex pair", "the whole spectrum scaled")


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:derivatives-bounded": Evidence(
        across(family=NEAR, gap=(0.1, 0.01)),
        {"reference": largest_derivatives, "closed_form": largest_derivatives_68},
        lambda family, gap: largest_derivatives(family, 0.5),  # far from the edge
        relation="<=",
        mutants={
            "shrinking": lambda family, gap: largest_derivatives(family, 0.5) * gap,
            "as the root": lambda family, gap: (
                largest_derivatives(family, 0.5) * gap**0.5
            ),
            "vectors as eigenvalues": lambda family, gap: largest_derivatives(
                family, 0.5
            )[[0, 0]],
        },
    ),
    "zucchet:text:vectors-bounded": Evidence(
        ALL,
        {"reference": largest_gain, "closed_form": largest_gain_gram},
        lambda system: math.sqrt(system.size),
        relation="<=",
        mutants={
            "unitary": 1.0 - 1e-6,
            "the least stretch": lambda system: (
                1 / np.linalg.norm(left(system), 2) - 1e-6
            ),
            "the inverse": lambda system: 1 / math.sqrt(system.size),
        },
    ),
    "zucchet:text:dominance": Evidence(
        across(family=(*NEAR, "a complex pair, constant input"), gap=(0.1, 0.06)),
        each(outgrowth, SHARES),
        2.0,
        absolute=0.05,  # the next order in the gap
        mutants={
            "amplitudes for energies": 1.0,
            "the sensitivity's own order": 3.0,
            "as the others": 0.0,
        },
        example=UNEXCITED,
    ),
    "zucchet:71": Evidence(
        ALL,
        {"reference": readout_derivatives},
        dense.readout_derivatives,
        dense.readout_derivatives_71,
        proof=dense.readout_derivative_agrees,
        mutants={
            "the row's state": partial(readout_mutants, way="i,il,j->lij"),
            "the column's row": partial(readout_mutants, way="j,jl,i->lij"),
            "every row": partial(
                readout_mutants, way="j,il,l->lij", rows=lambda n: np.ones((n, n))
            ),
        },
        example=Example(
            "dh_1/dP_12 at diagonal states h_1 and h_2",
            {"h_1": 1.0, "h_2": 2.0},
            0.0,
            lambda h_1, h_2: h_2,
        ),
    ),
    "zucchet:72": Evidence(
        ALL,
        {"reference": inverse_derivatives},
        dense.inverse_derivatives,
        dense.inverse_derivatives_72,
        proof=dense.inverse_derivative_obeys,
        mutants={
            mutant: partial(filtered_rows, **{mutant: True})
            for mutant in ("late", "backwards", "other")
        },
        example=Example(
            "dh_2/dP^-1 after the inputs x_1 = 1, x_2 = 0",
            {"lam": 0.5},
            lambda lam: 0 / (1 - lam),
            lambda lam: lam * 1 + 0,
        ),
    ),
    "zucchet:73": Evidence(
        ALL,
        {"reference": inverse_moves},
        partial(spread_derivatives, shares=own_row),
        proof=dense.inverse_derivative_obeys,
        mutants={
            "as of its own row": partial(spread_derivatives, shares=every_row),
            "the row before": partial(spread_derivatives, shares=next_row),
            "read out": partial(spread_derivatives, shares=read_out),
        },
    ),
    "zucchet:text:two-filters": Evidence(
        across(lam=(0.7 + 0.2j, -0.5), n=(2, 3, 9)), {"reference": convolved}
    ),
}
