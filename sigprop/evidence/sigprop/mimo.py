"""Evidence on Mamba-3 of rank above one: sums over choices of columns and inputs."""

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import energy, points
from sigprop.evidence.sigprop.state_spaces import LONG, trapezoid_response
from sigprop.judge.basis import Basis, Evidence

Columns = Float[np.ndarray, "_ d"]


def lasting_by_covariance(alpha: float, beta: float, gamma: float) -> float:
    """Lyapunov's equation of the state and the last write, for writes of energy one."""
    A = np.array([[alpha, beta], [0.0, 0.0]])
    B = np.array([[gamma], [1.0]])
    return float(scipy.linalg.solve_discrete_lyapunov(A, B @ B.T)[0, 0])


def lasting_by_sum(alpha: float, beta: float, gamma: float) -> float:
    """Squares of the response to an input, over its ages."""
    return energy(trapezoid_response(alpha, beta, gamma, LONG))


def _two(at: dict[str, float], name: str) -> Float[np.ndarray, "2 2"]:
    first, both, second = (at[f"{name}_{index}"] for index in ("11", "12", "22"))
    return np.array([[first, both], [both, second]])


def state_by_signs(alpha: float, beta: float, gamma: float, **at: float) -> float:
    """The mean over signs of inputs, written along columns in three dimensions."""
    turned = np.linalg.qr(np.array([[1.0, 2.0], [0.5, -1.0], [0.3, 0.7]]))[0]
    columns = turned @ np.linalg.cholesky(_two(at, "G")).T
    mixing = np.linalg.cholesky(_two(at, "K"))
    writes = [
        columns @ mixing @ np.array(signs)
        for signs in itertools.product((-1.0, 1.0), repeat=2)
    ]
    squared = float(np.mean([write @ write for write in writes]))
    return lasting_by_sum(alpha, beta, gamma) * squared


def state_by_covariance(alpha: float, beta: float, gamma: float, **at: float) -> float:
    """Lyapunov's equation of the whole state and the last inputs."""
    columns = np.linalg.cholesky(_two(at, "G")).T
    A = np.block([[alpha * np.eye(2), beta * columns], [np.zeros((2, 4))]])
    enters = np.vstack([gamma * columns, np.eye(2)])
    noise = enters @ _two(at, "K") @ enters.T
    return float(np.trace(scipy.linalg.solve_discrete_lyapunov(A, noise)[:2, :2]))


def by_signs(d: int) -> Columns:
    """All vectors with entries plus or minus one."""
    return np.array(list(itertools.product((-1.0, 1.0), repeat=d)))


def by_axes(d: int) -> Columns:
    """Vectors of the same length along the axes, in both directions."""
    return math.sqrt(d) * np.vstack([np.eye(d), -np.eye(d)])


def means(columns: Columns, rank: int, shift: float) -> Columns:
    """Means of ``rank`` shifted columns, over all choices of columns."""
    chosen = itertools.product(columns + shift, repeat=rank)
    return np.array([np.mean(choice, axis=0) for choice in chosen])


def of_columns(
    columns: Callable[[int], Columns], lasting: Callable[..., float], read: bool
) -> Callable[..., float]:
    """Return a route to the energy of a state or of its readings, for given columns."""

    def route(d: int, rank: int, shift: float, **gates: Any) -> float:
        both = means(columns(d), rank, shift)
        squares = (both @ both.T) ** 2 if read else (both**2).sum(1)
        return lasting(**gates) * float(np.mean(squares))

    return route


def _routes(read: bool) -> dict[str, Callable[..., float]]:
    return {
        "signs": of_columns(by_signs, lasting_by_sum, read),
        "axes": of_columns(by_axes, lasting_by_covariance, read),
    }


def _own_states(
    alpha: float, beta: float, gamma: float, d: int, rank: int, shift: float
) -> float:
    """The mean output of several updates that have separate states."""
    both = d / rank + 2 * d * shift**2 / rank + d**2 * shift**4
    return lasting_by_covariance(alpha, beta, gamma) * both


_GATES = "alpha beta gamma"
_START = points(
    _GATES + " d rank shift",
    (0.9, 0.45, 0.5, 3, 2, 0.4),
    (-0.6, 0.2, 1.5, 2, 3, 1.0),
    (0.97, 0.3, 0.1, 2, 4, 0.7),
)

EVIDENCE: dict[str, Basis] = {
    "sigprop:mimo-state": Evidence(
        points(
            _GATES + " K_11 K_12 K_22 G_11 G_12 G_22",
            (0.9, 0.45, 0.5, 1.2, 0.7, 0.8, 2.0, 0.6, 1.5),
            (-0.6, 0.2, 1.5, 0.5, 0.3, 1.7, 0.4, 0.5, 3.0),
            (0.97, 0.3, 0.1, 1.1, 0.2, 0.3, 0.7, 0.1, 1.3),
        ),
        {"signs": state_by_signs, "covariance": state_by_covariance},
        mutants={
            "two updates of rank one": lambda alpha, beta, gamma, **at: (
                lasting_by_covariance(alpha, beta, gamma)
                * (at["K_11"] * at["G_11"] + at["K_22"] * at["G_22"])
            ),
        },
    ),
    "sigprop:mimo-state-start": Evidence(_START, _routes(read=False)),
    "sigprop:mimo-output-start": Evidence(
        _START, _routes(read=True), mutants={"states of their own": _own_states}
    ),
}
