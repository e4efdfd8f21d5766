"""States of a linear recurrence, by one linear system, by modes, and by the LRU.

Source: RotRNN (2024), Eq. 2, 4, 6, 10 and 12.
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Inexact

from sigprop.evidence.kit import powered, recur
from sigprop.evidence.rotrnn.random_matrices import Matrix, contraction, draw
from sigprop.numerics.precision import double_precision


def all_at_once(
    A: Matrix,
    inputs: Inexact[np.ndarray, "time size"],
    initial: Float[np.ndarray, " size"],
) -> Float[np.ndarray, "time size"]:
    """States of ``x_t = A x_{t-1} + v_t`` from one linear system of all times."""
    time, size = inputs.shape
    matrix = np.eye(time * size) - np.kron(np.eye(time, k=-1), A)
    first = np.vstack([A @ initial, np.zeros((time - 1, size))])
    return np.linalg.solve(matrix, (inputs + first).ravel()).reshape(time, size)


def in_eigenbasis(
    A: Matrix,
    inputs: Inexact[np.ndarray, "time size"],
    initial: Float[np.ndarray, " size"],
) -> Float[np.ndarray, "time size"]:
    """States of ``x_t = A x_{t-1} + v_t``, one eigenvalue after the other."""
    lam, P = np.linalg.eig(A)
    modes = recur(lam, np.linalg.solve(P, inputs.T).T, np.linalg.solve(P, initial))
    return np.real(modes @ P.T)


WRONG_SUMS = {
    "one power of A more": lambda A, v: powered(A, v) @ A.T,
    "without the newest input": lambda A, v: powered(A, v) - v,
    "powers that grow with time": lambda A, v: np.cumsum(
        [np.linalg.matrix_power(A, k) @ x for k, x in enumerate(v)], axis=0
    ),
    "A transposed": lambda A, v: powered(A.T, v),
}


def wrong_sums(unrolled: Callable[..., np.ndarray]) -> dict[str, Callable[..., object]]:
    """By name a routine with a mutant in its sum over inputs, which it takes as ``by``."""
    return {
        name: functools.partial(unrolled, by=wrong)
        for name, wrong in WRONG_SUMS.items()
    }


def linear_case(seed: int, size: int, time: int, start: float = 0.0):
    """Matrix, inputs ``B u`` and initial state of a general linear recurrence."""
    inputs = draw(seed + 1, time, 2) @ draw(seed + 2, size, 2).T
    return contraction(seed, size), inputs, start * draw(seed + 3, size)


def lru_outputs(
    lam: Inexact[np.ndarray, " modes"],
    B: Inexact[np.ndarray, "modes inputs"],
    C: Inexact[np.ndarray, "outputs modes"],
    D: Float[np.ndarray, "..."],
    u: Float[np.ndarray, "time inputs"],
) -> Float[np.ndarray, "time outputs"]:
    """Outputs of the LRU layer with given eigenvalues and matrices."""
    import jax
    import jax.numpy as jnp

    from sigprop.layers.lru import LRU, lru_from_arrays

    phase = np.mod(np.angle(lam), 2 * math.pi)
    phase[phase == 0] = 2 * math.pi
    parts = {"B_re": np.real(B), "B_im": np.imag(B), "C_re": np.real(C)}
    parts |= {"C_im": np.imag(C), "D": D, "theta_log": np.log(phase)}
    parts |= {"nu_log": np.log(-np.log(np.abs(lam)))}
    with double_precision(True):
        model = lru_from_arrays(parts)
        return np.asarray(jax.jit(LRU.__call__)(model, jnp.asarray(u)))
