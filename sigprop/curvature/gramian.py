"""Exact Hessians by covariances of tangent systems, without eigenvalues.

A derivative of the response ``C A**age B`` is the response of a larger system.  Its matrix
is block triangular: ``A`` is twice on the diagonal, and the direction of the derivative is
above.  For a second derivative, ``A`` is four times on the diagonal.

The inner product of two responses ``g`` and ``f`` is
``sum R(j - k) <g_j, f_k> = tr C_g (M(A_g) X + X M(A_f)') C_f'``, with
``X = A_g X A_f' + B_g B_f'`` and ``M(A) = R(0)/2 + sum over lags of R(lag) A**lag``.  The
equation of ``X`` is solved by doubling the number of ages in each iteration.

Source: the doubling is Smith's (1968); tangent systems are classical.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from sigprop.curvature.dense import MATRICES, empty
from sigprop.curvature.layout import Expansion
from sigprop.linear.infinite_loss import (
    DOUBLINGS,
    Geometric,
    Lags,
    half_spectrum,
    real_system,
    spectrum,
)
from sigprop.linear.linearise import System
from sigprop.tasks.teacher_student import TeacherStudent


def expand_gramian(task: TeacherStudent, system: System, at_optimum: bool) -> Expansion:
    """Gradient and Hessian of the loss with respect to the entries of ``A, B, C, D``.

    Args:
        task: Task with infinitely long sequences.
        system: Matrices of the student.
        at_optimum: True if the target is the student's output.

    Raises:
        ValueError: If sequences have a finite length.
    """
    if task.length is not None:
        raise ValueError(
            f"need sequences of infinite length for Gramians, got {task.length} steps"
        )
    system, covariance = System(*map(np.asarray, system)), spectrum(task.process)
    expansion = empty(system)
    size = len(expansion.gradient)
    axes = np.eye(size)
    directions = System(
        *(
            axes[:, block.entries].reshape(size, *block.shape)
            for block in (expansion.layout[name] for name in MATRICES)
        )
    )
    first = _first(system, directions)
    error = _error(system, task)
    if not at_optimum:
        expansion.gradient[:] = shared(error, first, covariance)
    for p in range(size):
        direction = System(*(part[p : p + 1] for part in directions))
        rest = System(*(part[p:] for part in directions))
        tangents = System(*(part[p:] for part in first))
        tangent = System(*(part[p : p + 1] for part in first))
        values = shared(tangent, tangents, covariance)
        if not at_optimum:
            values = values + shared(
                error, _second(system, direction, rest), covariance
            )
        expansion.hessian[p, p:] = expansion.hessian[p:, p] = values
    return expansion


def shared(
    first: System, second: System, covariance: Geometric | Lags
) -> Float[np.ndarray, " pairs"]:
    """Inner products of the responses of two batches of systems, which broadcast."""
    A, B, C, _ = first
    F, G, K, _ = second
    X, A_power, F_power = B @ np.swapaxes(G, -1, -2), A, F
    for _ in range(DOUBLINGS):
        X = X + A_power @ X @ np.swapaxes(F_power, -1, -2)
        A_power, F_power = A_power @ A_power, F_power @ F_power
    left, right = half_spectrum(A, covariance), half_spectrum(F, covariance)
    weighed = left @ X + X @ np.swapaxes(right, -1, -2)
    return np.sum((C @ weighed) * K, axis=(-2, -1))


def _closed(A: np.ndarray, B: np.ndarray, C: np.ndarray, D: np.ndarray) -> System:
    """Append the skip connection ``D`` as extra states with zero dynamics."""
    batch, d_in = D.shape[0], D.shape[-1]
    n = A.shape[-1]
    extended = np.zeros((batch, n + d_in, n + d_in))
    extended[:, :n, :n] = A
    eye = np.broadcast_to(np.eye(d_in), (batch, d_in, d_in))
    return System(
        extended,
        np.concatenate([np.broadcast_to(B, (batch, *B.shape[-2:])), eye], 1),
        np.concatenate([np.broadcast_to(C, (batch, *C.shape[-2:])), D], 2),
        np.zeros_like(D),
    )


def _error(student: System, task: TeacherStudent) -> System:
    """One system whose response is the student's minus the teacher's."""
    target = task.target
    F, G, K = real_system(jnp.diag(target.lam), target.inward, -target.outward)
    n = len(student.A)
    A = np.zeros((n + len(F), n + len(F)))
    A[:n, :n], A[n:, n:] = student.A, F
    B = np.concatenate([student.B, G])
    C = np.concatenate([student.C, K], 1)
    skip: Any = student.D - np.asarray(target.skip)
    return _closed(A, B, C, skip[None])


def _first(system: System, along: System) -> System:
    """Systems of the response's derivatives along a batch of directions."""
    A, B, C, _ = system
    n, batch = len(A), len(along.A)
    blocks = np.zeros((batch, 2 * n, 2 * n))
    blocks[:, :n, :n] = blocks[:, n:, n:] = A
    blocks[:, :n, n:] = along.A
    entering = np.concatenate([along.B, np.broadcast_to(B, along.B.shape)], 1)
    leaving = np.concatenate([np.broadcast_to(C, along.C.shape), along.C], 2)
    return _closed(blocks, entering, leaving, np.asarray(along.D))


def _second(system: System, first: System, along: System) -> System:
    """Systems of second derivatives, along one direction and each one of a batch."""
    A, B, C, _D = system
    n, batch = len(A), len(along.A)
    other = System(
        *(np.broadcast_to(x, y.shape) for x, y in zip(first, along, strict=True))
    )
    blocks = np.zeros((batch, 4, n, 4, n))
    for k in range(4):
        blocks[:, k, :, k] = A
    for row, column, moved in (
        (0, 1, first),
        (0, 2, along),
        (1, 3, along),
        (2, 3, first),
    ):
        blocks[:, row, :, column] = moved.A
    blocks = blocks.reshape(batch, 4 * n, 4 * n)
    zero = np.zeros_like(along.B)
    entering = [zero, along.B, other.B, np.broadcast_to(B, zero.shape)]
    zero = np.zeros_like(along.C)
    leaving = [np.broadcast_to(C, zero.shape), other.C, along.C, zero]
    return _closed(
        blocks,
        np.concatenate(entering, 1),
        np.concatenate(leaving, 2),
        np.zeros_like(along.D),
    )
