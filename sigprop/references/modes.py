"""Eigenvalues, eigenvectors and states of dense networks, moved and differentiated.

Matrices are moved entry by entry and diagonalised anew; states are run through the
dense layer.  No perturbation formula is used, except by the Gram route of the dominance.

Source: Zucchet & Orvieto (2024), Appendix B.2.3.
"""

from collections.abc import Callable
from functools import cache
from itertools import product
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from sigprop.layers.dense import LinearRNN
from sigprop.linear.linearise import System, diagonalise
from sigprop.numerics.precision import double_precision
from sigprop.references.signal import central, contour
from theory import dense
from theory.dense import Dense

RADIUS = 0.02


def _numbers(matrix: Any) -> np.ndarray:
    return np.array(matrix.tolist(), complex)


@cache
def _inputs(size: int) -> np.ndarray:
    return np.array([dense.inputs(size, t) for t in range(dense.STEPS)])


def _modes(A: np.ndarray, system: Dense) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues in the order of the system's, and eigenvectors of any length."""
    values, vectors = np.linalg.eig(A)
    wanted = np.array(system.eigenvalues)
    order = np.argmin(np.abs(values[None] - wanted[:, None]), axis=1)
    return values[order], vectors[:, order]


def _left(system: Dense) -> np.ndarray:
    """Rows that have unit product with the unit eigenvectors: they fix the lengths."""
    return np.linalg.inv(_numbers(system.vectors()))


def _over_entries(system: Dense, slope: Callable[[np.ndarray], Any]) -> np.ndarray:
    n = system.size
    found = []
    for i, j in product(range(n), repeat=2):
        entry = np.zeros((n, n))
        entry[i, j] = 1
        found.append(slope(entry))
    return np.array(found).reshape(n, n, *np.shape(found[0]))


@cache
def eigenvalue_slopes(system: Dense, radius: float = RADIUS) -> np.ndarray:
    """``dlam / dA_ij`` as contour integrals."""
    A = _numbers(system.matrix())
    return _over_entries(
        system,
        lambda entry: contour(lambda e: _modes(A + e * entry, system)[0], 0, radius),
    )


def _fixed(A: np.ndarray, system: Dense) -> np.ndarray:
    """Eigenvectors whose product with the rows of ``_left`` stays one."""
    vectors = _modes(A, system)[1]
    return vectors / np.einsum("ki,ik->k", _left(system), vectors)


def vector_slopes(system: Dense) -> np.ndarray:
    """``dP / dA_ij`` at lengths and phases that the unperturbed rows fix."""
    A = _numbers(system.matrix())
    return _over_entries(
        system,
        lambda entry: contour(lambda e: _fixed(A + e * entry, system), 0, RADIUS),
    )


def unit_vector_slopes(system: Dense) -> np.ndarray:
    """``dP / dA_ij`` of eigenvectors of unit length, by differences in real steps."""
    A = _numbers(system.matrix())

    def unit(step: float, entry: np.ndarray) -> np.ndarray:
        vectors = _fixed(A + step * entry, system)
        return vectors / np.linalg.norm(vectors, axis=0)

    return _over_entries(system, lambda entry: central(lambda e: unit(e, entry)))


def mixing(system: Dense) -> np.ndarray:
    """``P^-1 dP`` over ``P^-1 dA P`` off the diagonal, for one generic direction."""
    A, n = _numbers(system.matrix()), system.size
    change = np.cos(1 + np.arange(n * n)).reshape(n, n)
    left = _left(system)
    moved = contour(lambda e: _fixed(A + e * change, system), 0, RADIUS)
    ratio = (left @ moved) / (left @ change @ np.linalg.inv(left))
    return ratio * (1 - np.eye(n))


def _diagonalised(system: Dense) -> Any:
    A = _numbers(system.matrix())
    unit = np.eye(system.size)
    return diagonalise(System(A, unit, unit, np.zeros_like(unit)))


def rebuilt(system: Dense) -> np.ndarray:
    """The matrix out of the modes that the package finds."""
    modes = _diagonalised(system)
    return modes.vectors * modes.lam @ np.linalg.inv(modes.vectors)


def lengths(system: Dense) -> np.ndarray:
    """Squared lengths of the eigenvectors that the package finds."""
    vectors = _diagonalised(system).vectors
    return np.einsum("ij,ij->j", vectors.conj(), vectors)


def largest_gain(system: Dense) -> float:
    """Spectral norm of the eigenvectors that the package finds."""
    return float(np.linalg.norm(_diagonalised(system).vectors, 2))


def _layer(A: Any) -> LinearRNN:
    unit = jnp.eye(len(A))
    return LinearRNN(jnp.asarray(A)[None], unit, unit, jnp.zeros_like(unit))


def states(system: Dense) -> np.ndarray:
    """States of the dense layer."""
    with double_precision(True):
        layer = _layer(np.real(_numbers(system.matrix())))
        return np.asarray(layer.states(jnp.asarray(_inputs(system.size))))


def powered_states(system: Dense) -> np.ndarray:
    """States of the dense recurrence as sums of matrix powers."""
    A, x = _numbers(system.matrix()), _inputs(system.size)
    power = np.linalg.matrix_power
    return np.array(
        [sum(power(A, t - s) @ x[s] for s in range(t + 1)) for t in range(len(x))]
    )


def diagonal_states(system: Dense) -> np.ndarray:
    """``P^-1 h_t`` of the powered states."""
    return powered_states(system) @ _left(system).T


def state_slopes(system: Dense) -> np.ndarray:
    """``dh_t / dA_ij`` of the last state by differences of the powered states."""
    A, x = _numbers(system.matrix()), _inputs(system.size)

    def last(A: np.ndarray) -> np.ndarray:
        h = np.zeros(len(A), complex)
        for entering in x:
            h = A @ h + entering
        return h

    return _over_entries(
        system, lambda entry: contour(lambda e: last(A + e * entry), 0, RADIUS)
    )


def autodiff_state_slopes(system: Dense) -> np.ndarray:
    """``dh_t / dA_ij`` of the last state by autodiff of the dense layer."""
    x = _inputs(system.size)

    def last(A: Any) -> Any:
        return _layer(A).states(jnp.asarray(x))[-1]

    with double_precision(True):
        A = jnp.asarray(np.real(_numbers(system.matrix())))
        return np.moveaxis(np.asarray(jax.jacfwd(last)(A)), 0, -1)


def _unit_moves(n: int) -> np.ndarray:
    """Every entry of a matrix moved by one: (i, j, rows, columns)."""
    return np.eye(n * n).reshape(n, n, n, n)


def readout_slopes(system: Dense) -> np.ndarray:
    """``dh_l / dP_ij`` by differences, exact as ``h`` is linear in ``P``: by l, i, j."""
    P, z = _numbers(system.vectors()), diagonal_states(system)[-1]
    moved = (P + _unit_moves(system.size)) @ z - P @ z
    return np.moveaxis(moved, -1, 0)


def _inverse_moves(system: Dense) -> np.ndarray:
    """``dz_k / dP^-1_ij`` at the last step by differences, exact as ``z`` is linear."""
    Q, eigenvalues = _left(system), np.array(system.eigenvalues)

    def last(Q: np.ndarray) -> np.ndarray:
        z = np.zeros(len(Q), complex)
        for x in _inputs(system.size):
            z = eigenvalues * z + Q @ x
        return z

    n = system.size
    found = [last(Q + move) - last(Q) for move in _unit_moves(n).reshape(-1, n, n)]
    return np.moveaxis(np.array(found).reshape(n, n, n), -1, 0)


def inverse_slopes(system: Dense) -> np.ndarray:
    """The derivative of the neuron of the same row: by i, j."""
    return np.einsum("iij->ij", _inverse_moves(system))


def other_inverse_slopes(system: Dense) -> np.ndarray:
    """The derivatives of all other neurons: by k, i, j, less k = i."""
    return _inverse_moves(system)[~np.eye(system.size, dtype=bool)]


# What grows at the edge of stability.


class Family(NamedTuple):
    """Matrices whose largest eigenvalue is ``1 - gap``, and the input they see."""

    system: Callable[[float], Dense]
    constant: bool = False


FIXED = dense.REAL.directions
PAIR = dense.ROTATING.directions


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
    "vectors that align": Family(
        lambda gap: Dense("", (1 - gap, 0.3), ((1, 0), (1, float(np.sqrt(gap)))))
    ),
    "a complex pair, constant input": Family(_pair, constant=True),
}


@cache
def largest_slopes(family: str, gap: float) -> np.ndarray:
    """Largest derivative of an eigenvalue and of an eigenvector by an entry of A."""
    system = FAMILIES[family].system(gap)
    A = _numbers(system.matrix())

    def modes(e: complex, entry: np.ndarray) -> np.ndarray:
        moved = A + e * entry
        return np.vstack([_modes(moved, system)[0], _fixed(moved, system)])

    slopes = _over_entries(
        system, lambda entry: contour(lambda e: modes(e, entry), 0, gap / 20)
    )
    return np.array([np.abs(slopes[:, :, 0]).max(), np.abs(slopes[:, :, 1:]).max()])


def largest_slopes_68(family: str, gap: float) -> np.ndarray:
    """Largest derivative of an eigenvalue and of an eigenvector, by Eq. 68 and 69."""
    system = FAMILIES[family].system(gap)
    both = dense.eigenvalue_slopes(system), dense.vector_slopes(system)
    return np.array([np.abs(np.array(slopes, complex)).max() for slopes in both])


def largest_slopes_far(family: str, gap: float) -> np.ndarray:
    """Largest slopes of eigenvalues and eigenvectors at gap 1/2, far from the edge."""
    return largest_slopes(family, 0.5)


def largest_slopes_shrinking(family: str, gap: float) -> np.ndarray:
    """Slip: as if they went to zero with the gap."""
    return largest_slopes(family, 0.5) * gap


@cache
def _simulated_share(family: str, gap: float) -> float:
    """Energy of Eq. 67's second term over that of the two others, summed over entries.

    The response to white or constant inputs and its derivative are those of the dense
    recurrence; the second term has contour derivatives of the eigenvalues.
    """
    chosen = FAMILIES[family]
    system = chosen.system(gap)
    P, Q, z = _numbers(system.vectors()), _left(system), np.array(system.eigenvalues)
    A, n = _numbers(system.matrix()), system.size
    moves = _unit_moves(n).reshape(-1, n, n)
    moved = eigenvalue_slopes(system, gap / 20).reshape(-1, n)
    kernel, power = np.zeros(moves.shape, complex), np.eye(n, dtype=complex)
    terms, rests = [], []
    for age in range(int(24 / gap)):
        terms.append(P * (moved * age * z ** max(age - 1, 0))[:, None] @ Q)
        rests.append(kernel - terms[-1])
        kernel, power = A @ kernel + moves @ power, A @ power
    energies = [_energy(np.array(part), chosen.constant) for part in (terms, rests)]
    return energies[0] / energies[1]


def _energy(kernels: np.ndarray, constant: bool) -> float:
    """Second moment of a response of ages first: to ones, or to white noise."""
    responses = kernels.sum(axis=(0, -1)) if constant else kernels
    return float(np.sum(np.abs(responses) ** 2))


def _summed_share(family: str, gap: float) -> float:
    """Energy of Eq. 67's second term over that of the others, by Eq. 68-70, ages summed."""
    chosen = FAMILIES[family]
    system = chosen.system(gap)
    P, Q, z = _numbers(system.vectors()), _left(system), np.array(system.eigenvalues)
    n = system.size
    moved = np.array(dense.vector_slopes(system), complex).reshape(-1, n, n)
    by_lam = np.array(dense.eigenvalue_slopes(system), complex).reshape(-1, n)
    inverse = -Q @ moved @ Q
    modes = np.einsum("rk,ks->krs", P, Q)
    term = by_lam[:, :, None, None] * modes
    rest = np.einsum("prk,ks->pkrs", moved, Q) + np.einsum("rk,pks->pkrs", P, inverse)
    if chosen.constant:
        ones = (np.einsum("pkrs,k->pr", term, (1 - z) ** -2.0),
                np.einsum("pkrs,k->pr", rest, 1 / (1 - z)))  # fmt: skip
        return float(np.sum(np.abs(ones[0]) ** 2) / np.sum(np.abs(ones[1]) ** 2))
    pair = np.outer(z, z.conj())
    weights = ((1 + pair) / (1 - pair) ** 3, 1 / (1 - pair))
    energies = [
        np.einsum("pkrs,plrs,kl->", part, part.conj(), weight).real
        for part, weight in zip((term, rest), weights, strict=True)
    ]
    return float(energies[0] / energies[1])


def share_near(family: str, gap: float) -> float:
    """How much the second term outweighs the others at a third of the gap."""
    return _simulated_share(family, gap / 3)


def share_near_summed(family: str, gap: float) -> float:
    """Energy of Eq. 67's second term over the others' at a third of the gap, summed."""
    return _summed_share(family, gap / 3)


def five_shares(family: str, gap: float) -> float:
    """Five times as much as at the gap itself."""
    return 5 * _simulated_share(family, gap)


def twenty_shares(family: str, gap: float) -> float:
    """Slip: a growth by the cube of the gap or more."""
    return 20 * _simulated_share(family, gap)


def zeros(system: Dense) -> np.ndarray:
    """Nothing, in the shape of ``other_inverse_slopes``."""
    n = system.size
    return np.zeros((n * (n - 1), n))


def own_inverse_slopes(system: Dense) -> np.ndarray:
    """Slip: every neuron as if each row were its own."""
    return np.tile(inverse_slopes(system), (system.size - 1, 1))


def convolved(lam: complex, n: int) -> complex:
    """Two filters one after the other, a step apart, at one age."""
    kernel = np.power(lam + 0j, np.arange(n))
    return complex(np.convolve(kernel, kernel)[n - 1])
