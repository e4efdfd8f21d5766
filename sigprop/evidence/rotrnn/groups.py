"""What judges the text on rotations and their groups, Sections 1-4 of RotRNN (2024)."""

from collections.abc import Callable

import numpy as np
import scipy
from jaxtyping import Float, Shaped

from sigprop.evidence.kit import crossed, points
from sigprop.evidence.rotrnn.random_matrices import (
    Matrix,
    angles,
    blocks,
    draw,
    orthogonal,
    rotation,
)
from sigprop.evidence.rotrnn.special_orthogonal import (
    exponential_series,
    sample_of_rotations,
    share_by_eigenvectors,
    share_reached,
    skew_logarithm,
)
from sigprop.judge.basis import Basis, Evidence
from theory.rotation import (
    block_is_exponential,
    block_is_rotation,
    flip_reverses_angle,
    powers_add_angles,
)

# Exponentials, and the two halves of O(N).


def exponential_of_logarithm(seed: int, size: int) -> Matrix:
    """``exp(S)`` of the skew logarithms of a sample of rotations, stacked."""
    return np.vstack(
        [exponential_series(skew_logarithm(A)) for A in sample_of_rotations(seed, size)]
    )


def _path(seed: int, size: int) -> Callable[[float], Matrix]:
    ends = orthogonal(seed, size, 1), orthogonal(seed + 1, size, -1)
    bend = draw(seed + 2, size, size)
    return lambda t: (1 - t) * ends[0] + t * ends[1] + t * (1 - t) * bend


def sign_changes(seed: int, size: int) -> int:
    """Zeros, modulo 2, of the determinant on a path between the two halves of O(N)."""
    path = _path(seed, size)
    values = [np.linalg.det(path(t)) for t in np.linspace(0, 1, 4001)]
    return int(np.count_nonzero(np.diff(np.sign(values)))) % 2


def sign_changes_by_roots(seed: int, size: int) -> int:
    """Zeros, modulo 2, of the determinant on a path in ``t``, as a polynomial's roots."""
    path, degree = _path(seed, size), 2 * size
    nodes = 0.5 - 0.5 * np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1))
    fitted = np.polynomial.Chebyshev.fit(
        nodes, [np.linalg.det(path(t)) for t in nodes], degree, domain=[0, 1]
    )
    roots = fitted.roots()
    real = roots.real[abs(roots.imag) < 1e-9]
    return int(np.count_nonzero((real > 0) & (real < 1))) % 2


# Eigenvalues and powers of a rotation.


def phases_of_product(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Phases of the eigenvalues of ``P Theta P^T``, sorted."""
    return np.sort(np.angle(np.linalg.eigvals(rotation(seed, size))))


def phases_of_schur(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Phases of the eigenvalues of ``P Theta P^T``, sorted, from its Schur form."""
    triangle = scipy.linalg.schur(rotation(seed, size), output="complex")[0]
    return np.sort(np.angle(np.diag(triangle)))


def phases_of_blocks(seed: int, size: int) -> Float[np.ndarray, " size"]:
    """Both signs of each angle, and a zero if the size is odd, sorted."""
    phases = np.angle(np.exp(1j * angles(seed, size)))
    return np.sort(np.concatenate([phases, -phases, [0.0] * (size % 2)]))


def product_of_power(seed: int, size: int, times: int) -> Matrix:
    """``P Theta(k theta) P^T``."""
    P = orthogonal(seed, size, 1)
    return P @ blocks(seed, size, times) @ P.T


# Products of numbers, counted.


class Counted(float):
    """A number that counts its products."""

    products = 0

    def __mul__(self, other):
        Counted.products += 1
        return Counted(float(self) * float(other))

    def __add__(self, other):
        return Counted(float(self) + float(other))

    def __neg__(self):
        return Counted(-float(self))


def _numbers(values: Float[np.ndarray, "*shape"]) -> Shaped[np.ndarray, "*shape"]:
    return np.vectorize(Counted, otypes=[object])(values)


def products_elementwise(size: int) -> int:
    """Products of numbers that Eq. 19 takes, cosines and sines being known."""
    x, cos, sin = (_numbers(draw(i, size)) for i in range(3))
    turned = np.stack([-x[1::2], x[0::2]], -1).ravel()
    Counted.products = 0
    _ = x * cos + turned * sin
    return Counted.products


def products_dense(size: int) -> int:
    """Products of numbers that a dense product takes."""
    A, x = _numbers(draw(1, size, size)), _numbers(draw(2, size))
    Counted.products = 0
    _ = A.dot(x)
    return Counted.products


def products_saved(size: int) -> list[int]:
    """Products that Eq. 19 takes, and those that a dense product takes."""
    return [products_elementwise(size), products_dense(size)]


def products_of_steps(time: int) -> list[int]:
    """Products of a recurrence of one number, and of the weights of all pairs of steps."""
    decay, x, state = Counted(0.5), _numbers(draw(1, time)), Counted(0.0)
    Counted.products = 0
    for value in x:
        state = decay * state + value
    recurrent = Counted.products
    _ = np.multiply.outer(x, x)
    return [recurrent, Counted.products - recurrent]


SIZES = points("seed size", (1, 3), (1, 4), (1, 5))

EVIDENCE: dict[str, Basis] = {
    "rotrnn:text:linear-cost": Evidence(
        points("time", 3, 8, 16),
        {"counted": products_of_steps},
        lambda time: [time, time**2],
        alone="a count of the products that the two loops make",
    ),
    "rotrnn:text:orthogonal-group": Evidence(
        crossed(SIZES, points("sign", 1, -1)),
        {"reference": lambda **point: np.linalg.det(orthogonal(**point))},
        lambda seed, size, sign: sign,
        alone="a definition, on matrices made to meet it",
    ),
    "rotrnn:text:exponential-surjective": Evidence(
        (dict(seed=1, size=2), *SIZES),
        {"reference": exponential_of_logarithm},
        lambda **point: np.vstack(sample_of_rotations(**point)),
        proof=block_is_exponential,
    ),
    "rotrnn:text:no-map-onto-orthogonal": Evidence(
        SIZES, {"scan": sign_changes, "roots": sign_changes_by_roots}, 1
    ),
    "rotrnn:text:surjectivity": Evidence(
        SIZES,
        {"schur": share_reached, "eigenvectors": share_by_eigenvectors},
        1.0,
        printed=lambda seed, size: share_reached(seed, size, flip=False),
        proof=flip_reverses_angle,
    ),
    "rotrnn:text:blocks": Evidence(
        SIZES,
        {"reference": phases_of_product, "schur": phases_of_schur},
        phases_of_blocks,
    ),
    "rotrnn:text:powers": Evidence(
        crossed(SIZES, points("times", 2, 5)),
        {
            "reference": lambda times, **point: np.linalg.matrix_power(
                rotation(**point), times
            )
        },
        product_of_power,
        proof=powers_add_angles,
    ),
    "rotrnn:text:unit-circle": Evidence(
        SIZES,
        {"reference": lambda **point: np.abs(np.linalg.eigvals(rotation(**point)))},
        lambda seed, size: [1.0] * size,
        proof=block_is_rotation,
    ),
    "rotrnn:text:products": Evidence(
        points("size", 2, 4, 8, 12),
        {"counted": products_saved},
        lambda size: [2 * size, size**2],
        alone="a count of the products that the two routines make",
    ),
}
