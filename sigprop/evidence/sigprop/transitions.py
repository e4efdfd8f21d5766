"""Evidence on transitions of RWKV-7: released recurrences, searches and eigenvalues."""

import itertools
import math
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Evidence

Vector = Float[np.ndarray, " d"]
SIZE, FIRST, SECOND = 5, 1, 3  # entries of a state, and those that a swap exchanges
STEPS = 400  # steps; other parts of the state are below 1e-15 for c < 0.97


def transition(
    w: Any, a: Any, k: Float[np.ndarray, "*batch d"], s: Any
) -> Float[np.ndarray, "*batch d d"]:
    """The matrix that multiplies a row of the state."""
    removed = k[..., :, None] * (a * k)[..., None, :]
    return w * np.eye(k.shape[-1]) - np.asarray(s)[..., None, None] * removed


def released(state: Vector, w: Any, a: Any, k: Vector, s: float = 1.0) -> Vector:
    """One step without a write, with the products in the order of the released code."""
    return state * w - s * (state @ k) * (k * a)


def pair() -> Vector:
    """The unit key that couples two entries."""
    return (np.eye(SIZE)[FIRST] - np.eye(SIZE)[SECOND]) / math.sqrt(2)


def distance_by_svd(w: float, a: float, s: float) -> float:
    """The largest singular value of the difference from a permutation."""
    swap = np.eye(SIZE)
    swap[[FIRST, SECOND]] = swap[[SECOND, FIRST]]
    return float(np.linalg.svd(transition(w, a, pair(), s) - swap)[1][0])


def distance_by_states(w: float, a: float, s: float) -> float:
    """Largest difference of a step from an exchange of entries, over basis vectors.

    The difference keeps the directions of these states.
    """
    both = np.eye(SIZE)[FIRST] + np.eye(SIZE)[SECOND]
    states = [pair(), both / math.sqrt(2), *np.eye(SIZE)[[0, 2, 4]]]
    moved = []
    for state in states:
        swapped = state.copy()
        swapped[[FIRST, SECOND]] = state[[SECOND, FIRST]]
        moved.append(np.linalg.norm(released(state, w, a, pair(), s) - swapped))
    return float(max(moved))


def least_by_corners(w_0: float, s: float) -> float:
    """The least eigenvalue over extreme gates and decays, and some keys.

    Each eigenvalue is monotone in every gate and every decay.
    """
    units = np.array([[0.48, -0.6, 0.64], [0.1, 0.7, math.sqrt(0.5)], [1.0, 0.0, 0.0]])
    least = math.inf
    for a, w in itertools.product(
        itertools.product((0.0, 1.0), repeat=3), itertools.product((w_0, 1.0), repeat=3)
    ):
        A = transition(np.array(w), np.array(a), units, s)
        least = min(least, float(np.linalg.eigvals(A).real.min()))
    return least


def least_by_descent(w_0: float, s: float) -> float:
    """The least value of the quadratic form of a similar symmetric matrix, by descent."""

    def quotient(free: Vector) -> float:
        x, k, roots, shares = free.reshape(4, 3)
        x, k = x / np.linalg.norm(x), k / np.linalg.norm(k)
        w = w_0 + (1 - w_0) * np.sin(shares) ** 2
        return float(w @ x**2 - s * (np.sin(roots) * k @ x) ** 2)

    starts = np.sin(np.arange(1, 37) ** 2).reshape(3, 12)
    return min(
        float(scipy.optimize.minimize(quotient, start, tol=1e-12).fun)
        for start in starts
    )


def _alternating(c: float) -> list[tuple[Vector, Vector]]:
    """Gates and keys of two steps, with generic gates for entries outside the keys."""
    here, there = math.sqrt(c), math.sqrt(1 - c)
    return [
        (np.array([0.3, 1.0, 0.0]), np.array([0.0, there, here])),
        (np.array([0.7, 0.0, 1.0]), np.array([0.0, here, there])),
    ]


def alternation_by_eigenvalues(c: float) -> float:
    """The largest eigenvalue of the product; the entry outside the keys is separate."""
    first, second = (transition(1.0, a, k, 1.0) for a, k in _alternating(c))
    values = np.linalg.eigvals((first @ second)[1:, 1:])
    return float(values.real.max())


def alternation_by_states(c: float) -> float:
    """The growth of a state in two steps, after many steps."""
    state = np.array([0.0, 1.0, -0.3])
    growth = 0.0
    for _ in range(STEPS):
        before = float(np.linalg.norm(state))
        for a, k in _alternating(c):
            state = released(state, 1.0, a, k)
        growth = float(np.linalg.norm(state)) / before
        state = state / np.linalg.norm(state)
    return growth


EVIDENCE: dict[str, Basis] = {
    "sigprop:goose-swap": Evidence(
        points("w a s", (0.9, 0.8, 1.0), (0.6, 0.95, 1.0), (0.7, 0.9, 1.9)),
        {"singular_values": distance_by_svd, "states": distance_by_states},
    ),
    "sigprop:goose-least": Evidence(
        points("w_0 s", (math.exp(-math.exp(-0.5)), 1.0), (0.3, 1.7), (0.9, 0.4)),
        {"corners": least_by_corners, "descent": least_by_descent},
        tolerance=1e-6,
        mutants={
            "the largest decay": lambda s, **_: 1 - s,
            "half of the removed part": lambda w_0, s: w_0 - s / 2,
        },
    ),
    "sigprop:goose-alternation": Evidence(
        points("c", 0.2, 5 / 6, 0.93),
        {"eigenvalues": alternation_by_eigenvalues, "states": alternation_by_states},
    ),
}
