"""What judges a dense network's modes, Appendix B.2.3 of Zucchet & Orvieto (2024).

States are run through the dense layer, its matrix moved entry by entry.
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
    eigenvalue_slopes,
    fixed,
    inputs,
    left,
    numbers,
    over_entries,
    powered_states,
)
from sigprop.judge.basis import Basis, Evidence
from theory import dense
from theory.dense import Dense


def states(system: Dense) -> Inexact[np.ndarray, "steps n"]:
    """States of the dense layer."""
    return computed(_states, np.real(numbers(system.matrix())), inputs(system.size))


def _states(A: Any, x: Any) -> Any:
    return linear_layer(A).states(x)


def rebuilt(system: Dense) -> Inexact[np.ndarray, "n n"]:
    """The matrix out of the modes that the package finds."""
    modal = diagonalised(system)
    return from_modes(modal.lam, modal.vectors)


def lengths(system: Dense) -> Inexact[np.ndarray, " n"]:
    """Squared lengths of the eigenvectors that the package finds."""
    vectors = diagonalised(system).vectors
    return np.einsum("ij,ij->j", vectors.conj(), vectors)


def state_slopes(system: Dense) -> Complex[np.ndarray, "n n n"]:
    """``dh_t / dA_ij`` of the last state by contour integrals of the recurrence."""
    A, x = numbers(system.matrix()), inputs(system.size)
    return over_entries(
        system, lambda entry: contour(lambda e: recur(A + e * entry, x)[-1], 0, RADIUS)
    )


def autodiff_state_slopes(system: Dense) -> Float[np.ndarray, "n n n"]:
    """``dh_t / dA_ij`` of the last state by autodiff of the dense layer."""
    import jax

    A, x = np.real(numbers(system.matrix())), inputs(system.size)
    slopes = computed(jax.jacfwd(lambda A, x: _states(A, x)[-1]), A, x)
    return np.moveaxis(slopes, 0, -1)


def unit_vector_slopes(system: Dense) -> Complex[np.ndarray, "n n n n"]:
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


RUN = {"impulse": states, "reference": powered_states}

EVIDENCE: dict[str, Basis] = {
    "zucchet:62": Evidence(REALS, RUN, dense.states),
    "zucchet:63": Evidence(
        ALL,
        {"reference": rebuilt},
        lambda system: system.matrix(),
        proof=dense.rebuilds,
    ),
    "zucchet:64": Evidence(
        ALL,
        {"reference": lengths},
        lambda system: [1.0] * system.size,
        proof=dense.lengths_are_free,
    ),
    "zucchet:65": Evidence(
        ALL,
        {"reference": diagonal_states},
        dense.diagonal_states,
        proof=dense.diagonal_network_agrees,
    ),
    "zucchet:66": Evidence(
        REALS, RUN, dense.read_states, proof=dense.diagonal_network_agrees
    ),
    "zucchet:67": Evidence(
        REALS,
        {"autodiff": autodiff_state_slopes, "reference": state_slopes},
        dense.state_slopes,
        slips={
            f"without term {lost + 1}": partial(
                dense.state_slopes, terms=tuple({0, 1, 2} - {lost})
            )
            for lost in range(3)
        },
    ),
    "zucchet:68": Evidence(
        ALL,
        {"reference": eigenvalue_slopes},
        dense.eigenvalue_slopes,
        proof=lambda: (
            dense.characteristic_slopes_agree() and dense.perturbation_balances()
        ),
    ),
    "zucchet:69": Evidence(
        ALL,
        {"reference": unit_vector_slopes},
        dense.unit_vector_slopes,
        dense.vector_slopes,
        proof=lambda: dense.perturbation_balances() and dense.unit_length_is_kept(),
    ),
    "zucchet:70": Evidence(
        ALL,
        {"reference": mixing},
        dense.mixing,
        proof=dense.perturbation_balances,
        slips={"the other order": dense.mixing_turned},
    ),
}
