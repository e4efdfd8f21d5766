"""The dense network ``h_{t+1} = A h_t + x_{t+1}`` in its eigenbasis, and its derivatives.

Let ``A = P diag(lam) P^-1`` and ``G = P^-1 A' P`` for a change ``A'`` of ``A``.  To first
order, ``lam_i`` changes by ``G_ii`` and ``P`` by ``P M``.  Off the diagonal, ``M_ij = G_ij /
(lam_j - lam_i)``.  The diagonal of ``M`` is arbitrary, because the equation of the eigenvectors
does not determine their length and phase.

Source: Zucchet & Orvieto (2024), Appendix B.2.3, Eq. 62-73.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import mpmath
from sympy import Expr, I, Matrix, diag, simplify, symbols, zeros

STEPS = 6
Numbers = Any  # a matrix of mpmath


# The perturbation in symbols.


@cache
def _eigenvalues(size: int) -> tuple[Expr, ...]:
    return symbols(f"lambda_1:{size + 1}")


def gap_inverse(eigenvalues: Sequence[Expr]) -> Matrix:
    """Return ``F``, with ``1/(lam_j - lam_i)`` off the diagonal and zeros on it.

    Source: Zucchet & Orvieto (2024), Eq. 70.

    Example:
        >>> gap_inverse(symbols("a b"))[0, 1]
        1/(-a + b)
    """
    size = len(eigenvalues)
    return Matrix(
        size,
        size,
        lambda i, j: 0 if i == j else 1 / (eigenvalues[j] - eigenvalues[i]),
    )


def perturbation_balances(size: int = 3) -> bool:
    """Prove Eq. 68-70 to first order, for any diagonal of ``M``.

    ``(A + e A') P (1 + e M) = P (1 + e M) (L + e L')`` has the first-order term
    ``L M + G = M L + L'`` once ``P^-1`` is multiplied from the left.
    """
    eigenvalues = _eigenvalues(size)
    spectrum = diag(*eigenvalues)
    G = Matrix(size, size, lambda i, j: symbols(f"G_{i}{j}"))
    free = diag(*symbols(f"c_1:{size + 1}"))
    M = gap_inverse(eigenvalues).multiply_elementwise(G) + free
    moved = diag(*G.diagonal())
    return simplify(spectrum * M + G - M * spectrum - moved) == zeros(size)


def _generic() -> tuple[Matrix, tuple[Expr, ...]]:
    """Eigenvectors of a generic 2 x 2 matrix, up to their lengths."""
    p, q = symbols("p q")
    return Matrix([[1, p], [q, 1]]), _eigenvalues(2)


def characteristic_derivatives_agree() -> bool:
    """Prove Eq. 68 for 2 x 2 by differentiating the characteristic polynomial."""
    P, eigenvalues = _generic()
    A = P * diag(*eigenvalues) * P.inv()
    for i, j in product(range(2), repeat=2):
        G = P.inv() * Matrix(2, 2, lambda r, c: int((r, c) == (i, j))) * P  # noqa: B023
        cofactor = (-1) ** (i + j) * A[1 - i, 1 - j]
        for k, z in enumerate(eigenvalues):
            by_entry = cofactor - (z if i == j else 0)
            by_value = 2 * z - A.trace()
            if simplify(-by_entry / by_value - G[k, k]) != 0:
                return False
    return True


def rebuilds() -> bool:
    """Prove that a generic 2 x 2 matrix equals ``P diag(lam) P^-1``."""
    A = Matrix(2, 2, symbols("a_11 a_12 a_21 a_22"))
    P, spectrum = A.diagonalize()
    return simplify(P * spectrum * P.inv() - A) == zeros(2)


def lengths_are_free(size: int = 3) -> bool:
    """Prove that the lengths of eigenvectors do not change ``P diag(lam) P^-1``.

    ``(P C) L (P C)^-1 = P L P^-1`` as the diagonal matrices ``C`` and ``L`` commute.
    """
    lengths = diag(*symbols(f"c_1:{size + 1}"))
    spectrum = diag(*_eigenvalues(size))
    return lengths * spectrum * lengths.inv() - spectrum == zeros(size)


def unit_length_is_kept() -> bool:
    """Prove that the corrected Eq. 69 keeps unit length, and that Eq. 69 does not.

    A column ``v`` with derivative ``w`` has ``d|v|^2 = 2 Re(v^H w)``.  Without the part of
    ``w`` along ``v``, the derivative is ``1 - |v|^2`` times as large.
    """
    a, b, c, d, s, t = symbols("a b c d s t", real=True)
    v, w = Matrix([a + I * b, s]), Matrix([c + I * d, t])
    along = (v.H * w)[0].as_real_imag()[0]
    length = (v.H * v)[0].expand()
    corrected = w - v * along
    change = 2 * (v.H * corrected)[0].as_real_imag()[0]
    plain = 2 * along
    return simplify(change - plain * (1 - length)) == 0 and simplify(plain) != 0


def diagonal_network_agrees(steps: int = 3) -> bool:
    """Prove Eq. 65 and 66 for 2 x 2: the same states after a few steps."""
    P, eigenvalues = _generic()
    A, inverse = P * diag(*eigenvalues) * P.inv(), P.inv()
    h, z = zeros(2, 1), zeros(2, 1)
    for t in range(steps):
        x = Matrix(symbols(f"x_{t}1 x_{t}2"))
        h, z = A * h + x, diag(*eigenvalues) * z + inverse * x
    return simplify(P * z - h) == zeros(2, 1)


def readout_derivative_agrees(size: int = 3) -> bool:
    """Prove ``dh_l / dP_ij = 1_{i = l} z_j`` of ``h = P z``."""
    P = Matrix(size, size, lambda i, j: symbols(f"P_{i}{j}"))
    z = Matrix(symbols(f"z_1:{size + 1}"))
    h = P * z
    return all(
        h[k].diff(P[i, j]) == (z[j] if i == k else 0)
        for k, i, j in product(range(size), repeat=3)
    )


def inverse_derivative_obeys(steps: int = 3) -> bool:
    """Prove Eq. 72 as corrected and Eq. 73 for two neurons, over a few steps."""
    size = 2
    Q = Matrix(size, size, lambda i, j: symbols(f"Q_{i}{j}"))
    eigenvalues, z, right = _eigenvalues(size), zeros(size, 1), True
    for t in range(steps):
        x = Matrix(symbols(f"x_{t}1 x_{t}2"))
        before, z = z, diag(*eigenvalues) * z + Q * x
        for k, i, j in product(range(size), repeat=3):
            derivative = (
                eigenvalues[i] * before[k].diff(Q[i, j]) + x[j] if k == i else 0
            )
            right &= simplify(z[k].diff(Q[i, j]) - derivative) == 0
    return right


# The forms in numbers, for matrices given by their eigenvalues and eigenvectors.


@dataclass(frozen=True)
class Dense:
    """A matrix, given by its eigenvalues and the directions of its eigenvectors."""

    name: str
    eigenvalues: tuple[complex, ...]
    directions: tuple[tuple[complex, ...], ...]  # one eigenvector after the other

    def __str__(self) -> str:
        return self.name

    @property
    def size(self) -> int:
        """Number of neurons."""
        return len(self.eigenvalues)

    def vectors(self) -> Numbers:
        """Return ``P`` of Eq. 64, with eigenvectors of unit length as columns."""
        lengths = [
            mpmath.sqrt(sum(abs(z) ** 2 for z in column)) for column in self.directions
        ]
        columns = zip(self.directions, lengths, strict=True)
        return mpmath.matrix([[z / c for z in column] for column, c in columns]).T

    def matrix(self) -> Numbers:
        """Return ``A`` of Eq. 63."""
        P = self.vectors()
        return P * mpmath.diag(self.eigenvalues) * mpmath.inverse(P)


def _turn(angle: float, radius: float) -> complex:
    return complex(radius * mpmath.cos(angle), radius * mpmath.sin(angle))


ROTATING = Dense(
    "real, a complex pair",
    (_turn(0.7, 0.8), _turn(-0.7, 0.8), -0.5),
    ((1, 0.4 + 0.6j, -0.3j), (1, 0.4 - 0.6j, 0.3j), (0.2, 1, 0.9)),
)
REAL = Dense(
    "real, real eigenvalues",
    (0.9, 0.3, -0.6),
    ((1, 0.5, 0), (-0.4, 1, 0.3), (0.2, 0, 1)),
)
COMPLEX = Dense(
    "complex",
    (0.7 + 0.2j, -0.4j, -0.6 + 0.3j),
    ((1, 0.5j, 0.2), (0.3 - 0.4j, 1, 0.1j), (0.6, -0.2j, 1)),
)
NORMAL = Dense("normal", (0.9, -0.4 + 0.3j), ((0.6, 0.8j), (0.8, -0.6j)))


def inputs(size: int, t: int) -> list[float]:
    """Return the input of all neurons at step ``t``."""
    return [float(mpmath.cos(1 + t * t + 2 * j)) for j in range(size)]


def _direction(system: Dense, i: int, j: int) -> Numbers:
    """``G`` of the entry ``A_ij``."""
    P = system.vectors()
    return mpmath.inverse(P)[:, i] * P[j, :]


def _mixing(system: Dense, G: Numbers) -> Numbers:
    """``F`` times ``G``, entry by entry: Eq. 70."""
    z = system.eigenvalues
    pairs = range(system.size)
    return mpmath.matrix(
        [[0 if i == j else G[i, j] / (z[j] - z[i]) for j in pairs] for i in pairs]
    )


def _listed(matrix: Numbers) -> list:
    """The entries of a matrix; of a column without the axis of its one column."""
    return list(matrix) if matrix.cols == 1 else matrix.tolist()


def _over_entries(system: Dense, function) -> list:
    entries = range(system.size)
    return [
        [_listed(function(_direction(system, i, j))) for j in entries] for i in entries
    ]


def eigenvalue_derivatives(system: Dense) -> list:
    """Compute ``dlam_k / dA_ij`` of Eq. 68, with indices i, j, k."""
    return _over_entries(
        system, lambda G: mpmath.matrix([G[k, k] for k in range(system.size)])
    )


def vector_derivatives(system: Dense) -> list:
    """Compute ``dP / dA_ij`` of Eq. 69, with indices i, j and those of P."""
    P = system.vectors()
    return _over_entries(system, lambda G: P * _mixing(system, G))


def unit_vector_derivatives(system: Dense) -> list:
    """Compute ``dP / dA_ij`` of unit eigenvectors, i.e. Eq. 69 without changes of length."""
    P = system.vectors()

    def derivative(G: Numbers) -> Numbers:
        moved = P * _mixing(system, G)
        along = (P.H * moved).apply(mpmath.re)
        lengths = mpmath.diag([along[k, k] for k in range(system.size)])
        return moved - P * lengths

    return _over_entries(system, derivative)


def mixing(system: Dense) -> list:
    """Compute ``F`` of Eq. 70, with zeros on the diagonal."""
    ones = mpmath.ones(system.size)
    return _mixing(system, ones).tolist()


def _column(values) -> Numbers:
    return mpmath.matrix(list(values))


def _filtered(system: Dense, inward: Numbers, derivative: bool = False):
    """``z_t`` after ``STEPS`` inputs, or its derivative by the eigenvalues."""
    total = mpmath.zeros(system.size, 1)
    for age in range(STEPS):
        x = inward * _column(inputs(system.size, STEPS - 1 - age))
        for k, z in enumerate(system.eigenvalues):
            power = (
                age * mpmath.mpc(z) ** (age - 1) if derivative else mpmath.mpc(z) ** age
            )
            total[k] += power * x[k]
    return total


def _terms(system: Dense, G: Numbers) -> tuple[Numbers, ...]:
    P = system.vectors()
    inverse = mpmath.inverse(P)
    moved = P * _mixing(system, G)
    by_lam = mpmath.diag([G[k, k] for k in range(system.size)])
    return (
        moved * _filtered(system, inverse),
        P * by_lam * _filtered(system, inverse, derivative=True),
        P * _filtered(system, -inverse * moved * inverse),
    )


@cache
def _entry_terms(system: Dense) -> dict[tuple[int, int], tuple[Numbers, ...]]:
    pairs = product(range(system.size), repeat=2)
    return {(i, j): _terms(system, _direction(system, i, j)) for i, j in pairs}


def state_derivatives(system: Dense, terms: tuple[int, ...] = (0, 1, 2)) -> list:
    """Compute ``dh_t / dA_ij`` as the sum of some of the three terms of Eq. 67.

    The indices are i, j and that of the neuron.
    """
    parts, none = _entry_terms(system), mpmath.zeros(system.size, 1)
    entries = range(system.size)
    return [
        [list(sum((parts[i, j][term] for term in terms), none)) for j in entries]
        for i in entries
    ]


def states(system: Dense) -> list:
    """Run Eq. 62 step by step from the zero state."""
    A, h, trajectory = system.matrix(), mpmath.zeros(system.size, 1), []
    for t in range(STEPS):
        h = A * h + _column(inputs(system.size, t))
        trajectory.append(list(h))
    return trajectory


def diagonal_states(system: Dense) -> list:
    """Run Eq. 65 step by step from the zero state."""
    inverse = mpmath.inverse(system.vectors())
    z, trajectory = mpmath.zeros(system.size, 1), []
    for t in range(STEPS):
        x = inverse * _column(inputs(system.size, t))
        z = _column(c * b for c, b in zip(system.eigenvalues, z, strict=True)) + x
        trajectory.append(list(z))
    return trajectory


def read_states(system: Dense) -> list:
    """Compute the states by Eq. 66 from the states of the diagonal network."""
    P = system.vectors()
    return [list(P * _column(z)) for z in diagonal_states(system)]


def readout_derivatives(system: Dense) -> list:
    """Compute ``dh_l / dP_ij``, the last diagonal state ``j`` if ``i = l``, else zero."""
    z, n = diagonal_states(system)[-1], range(system.size)
    return [[[z[j] if i == k else 0 for j in n] for i in n] for k in n]


def readout_derivatives_71(system: Dense) -> list:
    """Compute Eq. 71 as printed: state ``i`` if ``j = l``, else zero."""
    z, n = diagonal_states(system)[-1], range(system.size)
    return [[[z[i] if j == k else 0 for j in n] for i in n] for k in n]


def inverse_derivatives(system: Dense) -> list:
    """Compute ``dz_{t+1, i} / dP^-1_ij`` by the corrected Eq. 72, with ``t`` on the right."""
    n = range(system.size)
    derivatives = [[mpmath.mpc(0) for _ in n] for _ in n]
    for t in range(STEPS):
        x = inputs(system.size, t)
        derivatives = [
            [system.eigenvalues[i] * derivatives[i][j] + x[j] for j in n] for i in n
        ]
    return derivatives


def inverse_derivatives_72(system: Dense) -> list:
    """Solve Eq. 72 as printed, with ``t + 1`` on both sides."""
    x, n = inputs(system.size, STEPS - 1), range(system.size)
    return [[x[j] / (1 - system.eigenvalues[i]) for j in n] for i in n]
