"""Evidence on oscillators: covariances, modes, and states step by step."""

import cmath
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import block, covariances, points
from sigprop.judge.basis import Basis, Evidence

MANY = 2000  # steps after which a kick has decayed


def implicit(step: float, A: float) -> tuple[Any, Any]:
    """Matrix and force of the implicit step."""
    inverse = np.linalg.inv(np.array([[1.0, step * A], [-step, 1.0]]))
    return inverse, inverse @ np.array([step, 0.0])


def explicit(step: float, A: float) -> tuple[Any, Any]:
    """Matrix and force of the implicit-explicit step."""
    position = np.array([[1.0, 0.0], [step, 1.0]])
    velocity = np.array([[1.0, -step * A], [0.0, 1.0]])
    return position @ velocity, position @ np.array([step, 0.0])


def _by_lyapunov(step: float, A: float) -> Float[np.ndarray, "2 2"]:
    matrix, force = implicit(step, A)
    return scipy.linalg.solve_discrete_lyapunov(matrix, np.outer(force, force))


def _by_modes(step: float, A: float) -> Float[np.ndarray, "2 2"]:
    """The covariance as a double sum over two modes."""
    matrix, force = implicit(step, A)
    lam, modes = np.linalg.eig(matrix)
    weights = np.linalg.solve(modes, force.astype(complex))
    pairs = np.outer(weights, weights.conj()) / (1 - np.outer(lam, lam.conj()))
    return np.real(modes @ pairs @ modes.conj().T)


def oscillator_energy(covariance: Callable[..., Any], step: float, A: float) -> float:
    """``E (z^2 + A y^2)``."""
    moments = covariance(step, A)
    return float(moments[0, 0] + A * moments[1, 1])


def oscillator_position(covariance: Callable[..., Any], step: float, A: float) -> float:
    """``E y^2``."""
    return float(covariance(step, A)[1, 1])


def _form(step: float, A: float) -> Float[np.ndarray, "2 2"]:
    return np.array([[1.0, -step * A / 2], [-step * A / 2, A]])


def invariant_after(steps: int, step: float, A: float, z: float, y: float) -> float:
    """The form after some steps without a force."""
    matrix, _ = explicit(step, A)
    state = np.linalg.matrix_power(matrix, steps) @ np.array([z, y])
    return float(state @ _form(step, A) @ state)


def growth_by_covariance(step: float, A: float, T: int) -> float:
    """The form of the covariance, step by step."""
    matrix, force = explicit(step, A)
    moments = covariances(matrix, np.outer(force, force), T)[-1]
    return float(np.trace(_form(step, A) @ moments))


def growth_by_kicks(step: float, A: float, T: int) -> float:
    """The forms of what each kick has become, one after the other."""
    matrix, force = explicit(step, A)
    kicks = [np.linalg.matrix_power(matrix, age) @ force for age in range(T)]
    return math.fsum(float(kick @ _form(step, A) @ kick) for kick in kicks)


def drift_by_modes(step: float, A: float) -> float:
    """The mean squared position over the turns of one kick, by its two modes."""
    matrix, force = explicit(step, A)
    _, modes = np.linalg.eig(matrix)
    weights = np.linalg.solve(modes, force.astype(complex))
    return float(np.sum(np.abs(modes[1] * weights) ** 2))


def drift_by_turns(step: float, A: float) -> float:
    """The mean squared position, by an ellipse that is sampled at even angles."""
    _, force = explicit(step, A)
    form = _form(step, A)
    size = math.sqrt(force @ form @ force)
    root = np.linalg.inv(np.linalg.cholesky(form)).T
    angles = 2 * np.pi / 12 * np.arange(12)
    states = size * root @ np.stack([np.cos(angles), np.sin(angles)])
    return float(np.mean(states[1] ** 2))


def friction(step: float, A: float, G: float) -> tuple[Any, Any]:
    """Matrix and force of the implicit-explicit step with friction, by what solves it."""
    left = np.array([[1 + step * G, 0.0], [-step, 1.0]])
    right = np.array([[1.0, -step * A], [0.0, 1.0]])
    force = np.linalg.solve(left, np.array([step, 0.0]))
    return np.linalg.solve(left, right), force


def friction_by_eigenvalues(step: float, A: float, G: float) -> float:
    """The squared modulus of an eigenvalue."""
    return float(np.abs(np.linalg.eigvals(friction(step, A, G)[0])[0]) ** 2)


def friction_by_areas(step: float, A: float, G: float) -> float:
    """Return the factor by which each step shrinks an area of states."""
    matrix, _ = friction(step, A, G)
    corners = np.array([[0.3, -1.0], [1.2, 0.4]])
    after = np.linalg.matrix_power(matrix, 10) @ corners
    return float((np.linalg.det(after) / np.linalg.det(corners)) ** 0.1)


def position_by_lyapunov(step: float, A: float, G: float) -> float:
    """``E y^2`` by Lyapunov's equation."""
    matrix, force = friction(step, A, G)
    limit = scipy.linalg.solve_discrete_lyapunov(matrix, np.outer(force, force))
    return float(limit[1, 1])


def position_by_sum(step: float, A: float, G: float) -> float:
    """``E y^2`` by the positions that one kick leads to."""
    matrix, kick = friction(step, A, G)
    squares = []
    for _ in range(MANY):
        squares.append(float(kick[1] ** 2))
        kick = matrix @ kick
    return math.fsum(squares)


def tangent(step: float, A: float) -> float:
    """Of the angle of an eigenvalue."""
    return math.tan(abs(cmath.phase(np.linalg.eigvals(implicit(step, A)[0])[0])))


def tangent_by_states(step: float, A: float) -> float:
    """Of the angle by which a state turns, in coordinates of a circle."""
    matrix, _ = implicit(step, A)
    z, y = matrix @ np.array([1.0, 0.0])
    return math.sqrt(A) * y / z


def half_sine(step: float, A: float) -> float:
    """Of half the angle of an eigenvalue."""
    return math.sin(abs(cmath.phase(np.linalg.eigvals(explicit(step, A)[0])[0])) / 2)


def half_sine_by_turns(step: float, A: float) -> float:
    """By a second difference of positions: ``y_2 - 2 y_1 + y_0 = -4 sin^2 y_1``."""
    matrix, _ = explicit(step, A)
    states = [np.array([0.3, 1.1])]
    for _ in range(2):
        states.append(matrix @ states[-1])
    first, second, third = (state[1] for state in states)
    return math.sqrt(-(third - 2 * second + first) / (4 * second))


def bilinear_by_fraction(zeta: float, omega: float, step: float) -> float:
    """One complex fraction."""
    s = complex(-zeta, omega) * step
    return 1 - abs((2 + s) / (2 - s)) ** 2


def bilinear_by_matrix(zeta: float, omega: float, step: float) -> float:
    """The determinant of the rule on a real matrix of two rows."""
    A = block(complex(-zeta, omega)) * step / 2
    return 1 - float(np.linalg.det(np.linalg.solve(np.eye(2) - A, np.eye(2) + A)))


_OSCILLATORS = points("step A", (0.3, 2.0), (1.0, 0.7), (0.2, 30.0))


_RUBBED = points("step A G", (0.3, 2.0, 0.5), (1.0, 3.3, 0.2), (0.2, 30.0, 1.5))
_TURNING = points("step A", (0.3, 2.0), (1.0, 3.3), (0.2, 30.0))


_COVARIANCES = {"lyapunov": _by_lyapunov, "modes": _by_modes}


EVIDENCE: dict[str, Basis] = {
    "sigprop:linoss-energy": Evidence(
        _OSCILLATORS,
        {
            name: partial(oscillator_energy, covariance)
            for name, covariance in _COVARIANCES.items()
        },
    ),
    "sigprop:linoss-position": Evidence(
        _OSCILLATORS,
        {
            name: partial(oscillator_position, covariance)
            for name, covariance in _COVARIANCES.items()
        },
    ),
    "sigprop:linoss-invariant": Evidence(
        points("step A z y", (0.3, 2.0, 0.4, -1.2), (1.0, 3.3, 1.5, 0.6)),
        {
            "step": partial(invariant_after, 1),
            "steps": partial(invariant_after, 1000),
        },
    ),
    "sigprop:linoss-growth": Evidence(
        points("step A T", (0.3, 2.0, 5), (1.0, 3.3, 2), (0.2, 30.0, 100)),
        {"covariance": growth_by_covariance, "kicks": growth_by_kicks},
    ),
    "sigprop:linoss-drift": Evidence(
        _TURNING, {"modes": drift_by_modes, "turns": drift_by_turns}
    ),
    "sigprop:friction-modulus": Evidence(
        _RUBBED, {"eigenvalues": friction_by_eigenvalues, "areas": friction_by_areas}
    ),
    "sigprop:friction-position": Evidence(
        _RUBBED, {"lyapunov": position_by_lyapunov, "sum": position_by_sum}
    ),
    "sigprop:linoss-implicit-frequency": Evidence(
        _OSCILLATORS, {"eigenvalues": tangent, "states": tangent_by_states}
    ),
    "sigprop:linoss-explicit-frequency": Evidence(
        _TURNING, {"eigenvalues": half_sine, "turns": half_sine_by_turns}
    ),
    "sigprop:bilinear-memory": Evidence(
        points("zeta omega step", (0.5, 3.0, 0.1), (2.0, 40.0, 0.3), (0.8, 0.6, 1.5)),
        {"fraction": bilinear_by_fraction, "matrix": bilinear_by_matrix},
    ),
}
