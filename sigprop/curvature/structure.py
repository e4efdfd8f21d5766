"""Structure of a Hessian: eigenpairs, how diagonal it is, how large a step it bears.

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
LARGEST = 1e150  # whose square is finite
FLAT = 1e-13  # of the largest curvature: rounding
DISPLACEMENT = 1e-9  # of a descent near its minimum: the loss is quadratic so near
STEPS, BISECTIONS = 200, 14


def eigenpairs(hessian: Matrix) -> Pairs:
    """Eigenvalues, the largest in size first, and eigenvectors as rows.

    Raises:
        ValueError: If the matrix is not square, symmetric and finite.

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
    """``|H_ij| / sqrt(H_ii H_jj)``: nought off the diagonal of a diagonal matrix.

    At most one at optimality.  Parameters that the loss does not depend on couple to none.

    Raises:
        ValueError: If the loss has a negative second derivative along a parameter.

    Example:
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
    """Share of the matrix's sum of squares that stands off its diagonal.

    Raises:
        ValueError: If the matrix is not square, symmetric and finite, or is nought.

    Example:
        >>> round(off_diagonal_share(np.array([[2.0, 1.0], [1.0, 2.0]])), 6)  # 2 / 10
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
    """``sqrt((H^2)_ii)``: the mean size of each gradient entry near the optimum.

    If displacements ``d`` from the optimum have unit covariance, these norms are the
    root mean square of the gradient ``H d``.  Adam's effective learning rates near the
    optimum are then proportional to the inverse norms.

    Raises:
        ValueError: If the matrix is not square, symmetric and finite.

    Example:
        >>> row_norms(np.array([[3.0, 4.0], [4.0, 0.0]])).tolist()
        [5.0, 4.0]
    """
    _require_symmetric(hessian)
    return np.linalg.norm(hessian, axis=1)


def preconditioned(hessian: Matrix) -> Matrix:
    """``D^{-1/2} H D^{-1/2}``: ``H`` scaled by its diagonal ``D`` to unit diagonal.

    Raises:
        ValueError: As ``couplings``.

    Example:
        >>> preconditioned(np.array([[4.0, 1.0], [1.0, 1.0]])).tolist()
        [[1.0, 0.5], [0.5, 1.0]]
    """
    return np.sign(hessian) * couplings(hessian)


def stability_bound(hessian: Matrix) -> float:
    """``2 / L``: the rate above which gradient descent leaves a minimum of curvature L.

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
    """The rate at which gradient descent begins to leave a minimum, by bisection.

    Each trial takes 200 steps on the loss itself, from 1e-9 away along ``start``.
    Below the bound the distance to the minimum shrinks; above the bound it grows.

    Args:
        gradient: Gradient of the loss.
        minimum: Where it is nought.
        start: Direction of the first displacement; the sharpest one decides soonest.
        guess: A rate within a factor of two of the bound.

    Raises:
        ValueError: If the bound is not within a factor of two of the guess, or the start
            is zero.

    Example:
        >>> def gradient(x):
        ...     return 4.0 * x  # of 2 x^2, whose bound is 2 / 4
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
        shift = gradient(minimum)  # what rounding leaves of nought

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
