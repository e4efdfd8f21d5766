"""Structure of a Hessian: eigenpairs, couplings, and the largest stable learning rate.

Source: Zucchet & Orvieto (2024), Section 4.3 and Fig. 4.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Float

from sigprop.curvature.lanczos import Pairs
from sigprop.numerics.arguments import (
    require_moderate,
    require_number,
    require_shape,
    require_within,
)

Matrix = Float[np.ndarray, "p p"]
LARGEST = 1e150  # largest entry; its square is finite
FLAT = 1e-13  # relative rounding error of the largest curvature
DISPLACEMENT = 1e-9  # initial distance from the minimum, where the loss is quadratic
STEPS, BISECTIONS = 200, 14


def eigenpairs(hessian: Matrix) -> Pairs:
    """Compute the eigenvalues and eigenvectors of a Hessian, largest absolute value first.

    Returns:
        The eigenvalues, and the unit eigenvectors as the rows of a matrix.

    Raises:
        ValueError: If the matrix is not square, symmetric and finite, or an entry is
            above 1e150 in absolute value.

    Example:
        >>> pairs = eigenpairs(np.array([[1.0, 0.0], [0.0, -3.0]]))
        >>> pairs.values.tolist(), abs(pairs.vectors).tolist()
        ([-3.0, 1.0], [[0.0, 1.0], [1.0, 0.0]])
    """
    _require_symmetric(hessian)
    values, vectors = np.linalg.eigh(hessian)
    order = np.argsort(-np.abs(values))
    return Pairs(values[order], vectors[:, order].T)


def couplings(hessian: Matrix) -> Matrix:
    """The coupling of each pair of parameters: a normalised entry of the Hessian.

    The coupling of parameters i and j is ``|H_ij| / sqrt(H_ii H_jj)``.  Couplings of
    different parameters are zero if the Hessian is diagonal.  At a minimum, no coupling
    exceeds one.  The couplings of a parameter with zero curvature are set to zero.

    Raises:
        ValueError: If the matrix is not square, symmetric and finite, or has a negative
            entry on its diagonal.

    Example:
        The coupling of the two parameters is ``1 / sqrt(4 * 1)``:

        >>> couplings(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()
        [[1.0, 0.5], [0.5, 1.0]]
    """
    _require_symmetric(hessian)
    diagonal = np.diag(hessian)
    if diagonal.min() < -FLAT * diagonal.max():
        raise ValueError(
            "need hessian without a negative diagonal, as at optimality, "
            f"got a curvature of {diagonal.min():.6g}"
        )
    flat = diagonal <= FLAT * diagonal.max()
    size = np.sqrt(np.where(flat, np.inf, diagonal))
    return np.abs(hessian) / np.outer(size, size)


def off_diagonal_share(hessian: Matrix) -> float:
    """Share of the off-diagonal entries in the sum of a Hessian's squared entries.

    Raises:
        ValueError: If the matrix is not square, symmetric and finite, or is zero.

    Example:
        The sum of squares is 2 for the off-diagonal entries, and 10 in total:

        >>> round(off_diagonal_share(np.array([[2.0, 1.0], [1.0, 2.0]])), 6)
        0.2
    """
    _require_symmetric(hessian)
    total, diagonal = np.sum(hessian**2), np.sum(np.diag(hessian) ** 2)
    if not total > 0:
        raise ValueError(
            f"need hessian not zero everywhere, got squares of sum {total}"
        )
    return float(1 - diagonal / total)


def row_norms(hessian: Matrix) -> Float[np.ndarray, " p"]:
    """Euclidean norm of each row of a Hessian, ``sqrt((H^2)_ii)``.

    For a random displacement ``d`` from the optimum, with unit covariance, the norms
    are the root mean squares of the entries of the gradient ``H d``.  Near the optimum,
    Adam's effective learning rates are thus inversely proportional to the norms.

    Raises:
        ValueError: If the matrix is not square, symmetric and finite.

    Example:
        >>> row_norms(np.array([[3.0, 4.0], [4.0, 0.0]])).tolist()
        [5.0, 4.0]
    """
    _require_symmetric(hessian)
    return np.linalg.norm(hessian, axis=1)


def preconditioned(hessian: Matrix) -> Matrix:
    """Scale rows and columns of a Hessian so that its diagonal entries are one.

    The result is ``D^{-1/2} H D^{-1/2}`` for the Hessian ``H`` with diagonal ``D``.
    Rows and columns of parameters with zero curvature become zero.

    Raises:
        ValueError: If the matrix is not square, symmetric and finite, or has a negative
            entry on its diagonal.

    Example:
        >>> preconditioned(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()
        [[1.0, 0.5], [0.5, 1.0]]
    """
    return np.sign(hessian) * couplings(hessian)


def stability_bound(hessian: Matrix) -> float:
    """The largest stable learning rate of gradient descent, ``2 / L``.

    ``L`` is the largest eigenvalue of the Hessian.  At a larger learning rate, gradient
    descent moves away from the minimum.

    Raises:
        ValueError: If the matrix is not square, symmetric and finite, or has no positive
            eigenvalue.

    Example:
        >>> stability_bound(np.diag([4.0, 1.0]))
        0.5
    """
    _require_symmetric(hessian)
    values = np.linalg.eigvalsh(hessian)
    largest = values[-1]
    if not largest > FLAT * np.abs(values).max():
        raise ValueError(
            f"need hessian with a positive eigenvalue, got at most {largest:.6g}"
        )
    return float(2 / largest)


def measured_bound(
    gradient: Callable[[Float[Array, " p"]], Float[Array, " p"]],
    minimum: Float[Array, " p"],
    start: Float[Array, " p"],
    guess: float,
) -> float:
    """Measure the largest stable learning rate of gradient descent, by bisection.

    Each trial takes 200 steps of gradient descent, which start at a distance of 1e-9
    from the minimum.  A learning rate is stable if the distance does not grow.

    Args:
        gradient: Function of the parameters that returns the gradient of the loss.
        minimum: Parameters at which the gradient is zero.
        start: Direction of the initial displacement from the minimum, ideally the
            direction of largest curvature.
        guess: A learning rate within a factor of two of the largest stable one.

    Raises:
        ValueError: If ``guess`` is not within a factor of two of the largest stable
            learning rate; if ``start`` is zero; if an argument is not finite.

    Example:
        The loss ``2 x**2`` has curvature 4, so the largest stable rate is ``2 / 4``:

        >>> def gradient(x):
        ...     return 4.0 * x
        >>> zero, one = jnp.zeros(1), jnp.ones(1)
        >>> round(measured_bound(gradient, zero, one, 0.4), 2)
        0.5
    """
    require_number("guess", guess, 0, LARGEST)
    require_moderate("minimum", minimum)
    require_moderate("start", start)
    if not jnp.linalg.norm(start) > 0:
        raise ValueError(f"need start not zero, got {start}")

    @jax.jit
    def grows(rate: Array) -> Array:
        first = DISPLACEMENT * start / jnp.linalg.norm(start)
        shift = gradient(minimum)  # zero up to rounding

        def step(_: Any, away: Array) -> Array:
            return away - rate * (gradient(minimum + away) - shift)

        last = lax.fori_loop(0, STEPS, step, first)
        # A descent that ends in infinity minus infinity has grown too.
        return ~(jnp.linalg.norm(last) <= jnp.linalg.norm(first))

    low, high = guess / 2, guess * 2
    if bool(grows(jnp.asarray(low))) or not bool(grows(jnp.asarray(high))):
        raise ValueError(
            f"need a guess within a factor of two of the bound, got {guess:.6g}: half of "
            "it must shrink the distance and twice it grow"
        )
    for _ in range(BISECTIONS):
        middle = float(np.sqrt(low * high))
        if bool(grows(jnp.asarray(middle))):
            high = middle
        else:
            low = middle
    return float(np.sqrt(low * high))


def _require_symmetric(matrix: Matrix) -> None:
    require_shape("hessian", matrix, "p p")
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"need hessian a square matrix, got shape {matrix.shape}")
    require_within("hessian", matrix, -LARGEST, LARGEST, "[]")
    if not np.allclose(matrix, matrix.T, rtol=1e-6, atol=1e-6 * np.abs(matrix).max()):
        worst = np.abs(matrix - matrix.T).max()
        raise ValueError(f"need hessian symmetric, got entries {worst:.6g} apart")
