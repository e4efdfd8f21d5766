"""Evidence for a dense network's modes, Appendix B.2.3 of Zucchet & Orvieto (2024).

The dense layer computes the states, for matrices with one changed entry.
"""

from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence.kit import central, contour, from_modes, recur
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.curse.small_networks import linear_layer
from sigprop.evidence.zucchet.proofs.perturbation import (
    ALL,
    RADIUS,
    REALS,
    diagonal_states,
    diagonalised,
    eigenvalue_derivatives,
    fixed,
    inputs,
    left,
    numbers,
    over_entries,
    powered_states,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import dense
from sigprop.theory.dense import Dense


def states(system: Dense) -> Inexact[np.ndarray, "steps n"]:
    """States of the dense layer."""
    return computed(_states, np.real(numbers(system.matrix())), inputs(system.size))


def _states(A: Any, x: Any) -> Any:
    return linear_layer(A).states(x)


def rebuilt(system: Dense) -> Inexact[np.ndarray, "n n"]:
    """The matrix from the modes that the package computes."""
    modal = diagonalised(system)
    return from_modes(modal.lam, modal.vectors)


def lengths(system: Dense) -> Inexact[np.ndarray, " n"]:
    """Squared lengths of the eigenvectors that the package computes."""
    vectors = diagonalised(system).vectors
    return np.einsum("ij,ij->j", vectors.conj(), vectors)


def state_derivatives(system: Dense) -> Complex[np.ndarray, "n n n"]:
    """``dh_t / dA_ij`` of the last state by contour integrals of the recurrence."""
    A, x = numbers(system.matrix()), inputs(system.size)
    return over_entries(
        system, lambda entry: contour(lambda e: recur(A + e * entry, x)[-1], 0, RADIUS)
    )


def autodiff_state_derivatives(system: Dense) -> Float[np.ndarray, "n n n"]:
    """``dh_t / dA_ij`` of the last state by autodiff of the dense layer."""
    import jax

    A, x = np.real(numbers(system.matrix())), inputs(system.size)
    derivatives = computed(jax.jacfwd(lambda A, x: _states(A, x)[-1]), A, x)
    return np.moveaxis(derivatives, 0, -1)


def unit_vector_derivatives(system: Dense) -> Complex[np.ndarray, "n n n n"]:
    """``dP / dA_ij`` of eigenvectors of unit length, by differences in real steps."""
    A = numbers(system.matrix())

    def unit(
        step: float, entry: Float[np.ndarray, "n n"]
    ) -> Complex[np.ndarray, "n n"]:
        vectors = fixed(A + step * entry, system)
        return vectors / np.linalg.norm(vectors, axis=0)

    return over_entries(
        system, lambda entry: central(lambda e: unit(e, entry), 0.0, 4e-3, order=8)
    )


def mixing(system: Dense) -> Complex[np.ndarray, "n n"]:
    """``P^-1 dP`` over ``P^-1 dA P`` off the diagonal, for one generic direction."""
    A, n = numbers(system.matrix()), system.size
    change = np.cos(1 + np.arange(n * n)).reshape(n, n)
    rows = left(system)
    moved = contour(lambda e: fixed(A + e * change, system), 0, RADIUS)
    ratio = (rows @ moved) / (rows @ change @ np.linalg.inv(rows))
    return ratio * (1 - np.eye(n))


# Mutants: results of a wrong step or a wrong choice.


def mutated_states(
    system: Dense, *, turned: bool = False, mixed: bool = False, late: bool = False
) -> Complex[np.ndarray, "steps n"]:
    """States of Eq. 62: ``A`` transposed, inputs through it, inputs late."""
    A, x = numbers(system.matrix()), inputs(system.size)
    x = x @ A.T if mixed else x
    x = np.concatenate([np.zeros((1, system.size)), x[:-1]]) if late else x
    return recur(A.T if turned else A, x)


def mutated_matrix(system: Dense, way: str) -> Complex[np.ndarray, "n n"]:
    """The matrix from its modes, with wrong outer factors."""
    P, Q = numbers(system.vectors()), left(system)
    first, last = {
        "exchanged": (Q, P),
        "as if unitary": (P, P.conj().T),
        "as if symmetric": (P, P.T),
    }[way]
    return first * np.array(system.eigenvalues) @ last


def other_lengths(system: Dense, way: str) -> Float[np.ndarray, " n"]:
    """Squared lengths of the columns under other choices than Eq. 64."""
    P = numbers(system.vectors())
    scale = {
        "rows of unit length": np.linalg.norm(P, axis=1)[:, None],
        "no conjugate": np.sqrt(np.einsum("ij,ij->j", P, P)),
        "the left ones of unit length": 1 / np.linalg.norm(left(system), axis=1),
    }[way]
    return np.sum(np.abs(P / scale) ** 2, axis=0)


def mutated_diagonal_states(system: Dense, way: str) -> Complex[np.ndarray, "steps n"]:
    """States of Eq. 65 whose inputs go through another matrix than the inverse."""
    P = numbers(system.vectors())
    inward = {"P": P, "as if unitary": P.conj().T, "transposed": left(system).T}[way]
    return recur(np.array(system.eigenvalues), inputs(system.size) @ inward.T)


def mutated_readout(system: Dense, way: str) -> Complex[np.ndarray, "steps n"]:
    """States of Eq. 66 read out by another matrix than ``P``."""
    P, z = numbers(system.vectors()), diagonal_states(system)
    outward = {"the inverse": left(system), "transposed": P.T, "none": np.eye(len(P))}
    return z @ outward[way].T


def mutated_eigenvalue_derivatives(
    system: Dense, way: str
) -> Complex[np.ndarray, "n n n"]:
    """Eq. 68 with other letters of ``np.einsum`` for ``P`` and its inverse."""
    P = numbers(system.vectors())
    inverse = P.conj().T if way == "as if unitary" else left(system)
    letters = {"exchanged": "ki,jk->ijk", "the entry turned": "ik,kj->ijk"}
    return np.einsum(letters.get(way, "jk,ki->ijk"), P, inverse)


def mutated_vector_derivatives(
    system: Dense, way: str
) -> Complex[np.ndarray, "n n n n"]:
    """Corrected Eq. 69 with wrong gaps, or with more of ``P^H P M`` removed."""
    P, Q, n = numbers(system.vectors()), left(system), system.size
    mixed = mutated_gaps(system, "turned" if way == "gaps turned" else "")
    M = np.einsum("rc,ri,jc->ijrc", mixed, Q, P)
    along = P.conj().T @ P @ M
    removed = along if way == "phases too" else along.real
    return P @ (M - (removed if way == "off the diagonal too" else removed * np.eye(n)))


def mutated_gaps(system: Dense, way: str) -> Inexact[np.ndarray, "n n"]:
    """``F`` of Eq. 70 with sums, ratios or a conjugate; without a mutant as stated."""
    z = np.array(system.eigenvalues)
    gaps = z[None] - z[:, None]
    wrong = {
        "": gaps,
        "turned": -gaps,
        "sums": z[None] + z[:, None],
        "a conjugate": z[None] - z[:, None].conj(),
        "products": z[None] * z[:, None],
    }[way]
    return np.where(np.eye(system.size), 0, 1 / np.where(wrong == 0, 1, wrong))


def ways(mutant: Any, *names: str) -> dict[str, Any]:
    """The mutant with each of these options, by name."""
    return {name: partial(mutant, way=name) for name in names}


def sheared(a: float) -> Dense:
    """``(0.5, a; 0, 0.9)``."""
    return Dense("", (0.5, 0.9), ((1.0, 0.0), (a, 0.4)))


RUN = {"impulse": states, "reference": powered_states}

EVIDENCE: dict[str, Basis] = {
    "zucchet:62": Evidence(
        REALS,
        RUN,
        dense.states,
        mutants={
            mutant: partial(mutated_states, **{mutant: True})
            for mutant in ("turned", "mixed", "late")
        },
    ),
    "zucchet:63": Evidence(
        ALL,
        {"reference": rebuilt},
        lambda system: system.matrix(),
        proof=dense.rebuilds,
        mutants=ways(mutated_matrix, "exchanged", "as if unitary", "as if symmetric"),
    ),
    "zucchet:64": Evidence(
        ALL,
        {"reference": lengths},
        lambda system: [1.0] * system.size,
        proof=dense.lengths_are_free,
        mutants=ways(
            other_lengths,
            "rows of unit length",
            "no conjugate",
            "the left ones of unit length",
        ),
    ),
    "zucchet:65": Evidence(
        ALL,
        {"reference": diagonal_states},
        dense.diagonal_states,
        proof=dense.diagonal_network_agrees,
        mutants=ways(mutated_diagonal_states, "P", "as if unitary", "transposed"),
    ),
    "zucchet:66": Evidence(
        REALS,
        RUN,
        dense.read_states,
        proof=dense.diagonal_network_agrees,
        mutants=ways(mutated_readout, "the inverse", "transposed", "none"),
    ),
    "zucchet:67": Evidence(
        REALS,
        {"autodiff": autodiff_state_derivatives, "reference": state_derivatives},
        dense.state_derivatives,
        mutants={
            f"without term {lost + 1}": partial(
                dense.state_derivatives, terms=tuple({0, 1, 2} - {lost})
            )
            for lost in range(3)
        },
    ),
    "zucchet:68": Evidence(
        ALL,
        {"reference": eigenvalue_derivatives},
        dense.eigenvalue_derivatives,
        proof=lambda: (
            dense.characteristic_derivatives_agree() and dense.perturbation_balances()
        ),
        mutants=ways(
            mutated_eigenvalue_derivatives,
            "exchanged",
            "the entry turned",
            "as if unitary",
        ),
    ),
    "zucchet:69": Evidence(
        ALL,
        {"reference": unit_vector_derivatives},
        dense.unit_vector_derivatives,
        dense.vector_derivatives,
        proof=lambda: dense.perturbation_balances() and dense.unit_length_is_kept(),
        mutants=ways(
            mutated_vector_derivatives,
            "gaps turned",
            "off the diagonal too",
            "phases too",
        ),
        example=Example(
            "the derivative with respect to a of the first entry of the unit "
            "eigenvector of (0.5, a; 0, 0.9) for the eigenvalue 0.9",
            {"a": 0.3},
            lambda a: dense.vector_derivatives(sheared(a))[0][1][0][1],
            lambda a: dense.unit_vector_derivatives(sheared(a))[0][1][0][1],
        ),
    ),
    "zucchet:70": Evidence(
        ALL,
        {"reference": mixing},
        dense.mixing,
        proof=dense.perturbation_balances,
        mutants=ways(mutated_gaps, "sums", "a conjugate", "products"),
    ),
}
