"""Evidence on closed forms of layers of 2024-2026: matrices, sums and recurrences."""

import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.kit import points
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision

SIZE = 5  # entries of keys whose eigenvalues are computed


def householder(beta: float, key: Float[np.ndarray, " d"]) -> Float[np.ndarray, "d d"]:
    """One step of the delta rule."""
    return np.eye(len(key)) - beta * np.outer(key, key)


def pair_by_determinant(beta_1: float, beta_2: float, c: float, z: complex) -> complex:
    """Characteristic polynomial in five dimensions, without three eigenvalues one."""
    first, second = np.eye(SIZE)[0], np.zeros(SIZE)
    second[[1, 4]] = math.sqrt((1 - c) / 2)
    second[0] = -math.sqrt(c)
    A = householder(beta_1, first) @ householder(beta_2, second)
    return complex(np.linalg.det(z * np.eye(SIZE) - A) / (z - 1) ** (SIZE - 2))


def pair_by_eigenvalues(beta_1: float, beta_2: float, c: float, z: complex) -> complex:
    """Characteristic polynomial from the eigenvalues in a plane, with rotated keys."""
    turn = 0.7
    angle = turn + math.acos(math.sqrt(c))
    keys = [np.array([math.cos(t), math.sin(t)]) for t in (turn, angle)]
    A = householder(beta_1, keys[0]) @ householder(beta_2, keys[1])
    return complex(np.prod(z - np.linalg.eigvals(A)))


def axes(d: int) -> Float[np.ndarray, "keys d"]:
    """Keys along the axes, with the mean ``k k^T`` of isotropic keys."""
    return np.eye(d)


def simplex(d: int) -> Float[np.ndarray, "keys d"]:
    """Keys to the corners of a regular simplex, with the same mean ``k k^T``."""
    centred = np.eye(d + 1) - 1 / (d + 1)
    basis = np.linalg.svd(centred)[0][:, :d]
    corners = centred @ basis
    return corners / np.linalg.norm(corners, axis=1)[:, None]


def over_keys(
    keys: Callable[[int], Float[np.ndarray, "keys d"]],
    energy: bool,
    beta: float,
    d: int,
    T: int,
) -> float:
    """The mean over all sequences of ``T`` keys from a few keys."""
    values = []
    for chosen in itertools.product(keys(d), repeat=T):
        A = np.eye(d)
        for key in chosen:
            A = householder(beta, np.array(key)) @ A
        values.append((A**2).sum() if energy else np.trace(A))
    return math.fsum(values) / len(values) / d


def trapezoid_by_sum(alpha: float, beta: float, gamma: float) -> float:
    """Squares of the response, of each input by its age."""
    response, state, past = [], 0.0, 0.0
    for x in [1.0] + [0.0] * 600:
        state = alpha * state + beta * past + gamma * x
        past = x
        response.append(state)
    return math.fsum(g * g for g in response)


def trapezoid_by_covariance(alpha: float, beta: float, gamma: float) -> float:
    """Lyapunov's equation of the state and the last input."""
    A = np.array([[alpha, beta], [0.0, 0.0]])
    B = np.array([[gamma], [1.0]])
    return float(scipy.linalg.solve_discrete_lyapunov(A, B @ B.T)[0, 0])


def stable_map(v: Any) -> Any:
    """The best map of StableSSM to a discrete eigenvalue."""
    return 1 - 1 / (v * v + 0.5)


def scale_by_autodiff(v: float) -> float:
    """By JAX, in double precision."""
    with double_precision(True):
        slope = jax.grad(stable_map)(jnp.asarray(float(v)))
        return float(abs(slope) / (1 - stable_map(v)) ** 2)


def scale_by_complex_step(v: float) -> float:
    """By an imaginary step."""
    step = 1e-30
    return abs(stable_map(complex(v, step)).imag / step) / (1 - stable_map(v)) ** 2


def gap_by_survival(N: int) -> float:
    """The probability that all gaps are wider, integrated."""
    integral, _ = scipy.integrate.quad(lambda x: (1 - (N - 1) * x) ** N, 0, 1 / (N - 1))
    return integral


def gap_by_exponentials(N: int) -> float:
    """Gaps are exponential variables of mean one, divided by the sum of all ``N + 1``.

    Sum and shares are independent, so that the mean of the least is a ratio of means.
    """
    least, _ = scipy.integrate.quad(lambda x: math.exp(-(N - 1) * x), 0, math.inf)
    return least / (N + 1)


def implicit_modulus(step: float, A: float) -> float:
    """By the eigenvalues of the implicit step."""
    inverse = np.linalg.inv(np.array([[1.0, step * A], [-step, 1.0]]))
    return float(np.abs(np.linalg.eigvals(inverse)[0]) ** 2)


def implicit_decay(step: float, A: float) -> float:
    """By the share of the energy ``A y^2 + z^2`` that one step keeps."""
    z, y = 0.3, -1.1
    new_z, new_y = np.linalg.solve([[1.0, step * A], [-step, 1.0]], [z, y])
    return float((A * new_y**2 + new_z**2) / (A * y**2 + z**2))


def explicit_eigenvalue(step: float, A: float) -> float:
    """By the eigenvalues of the step."""
    return float(np.linalg.eigvals(_explicit(step, A))[0].real)


def explicit_recurrence(step: float, A: float) -> float:
    """From three successive values: ``y_2 + y_0 = 2 Re(lam) y_1`` if ``|lam| = 1``."""
    values = [np.array([0.4, 0.7])]
    for _ in range(2):
        values.append(_explicit(step, A) @ values[-1])
    first, second, third = (float(value[1]) for value in values)
    return (first + third) / (2 * second)


def _explicit(step: float, A: float) -> Float[np.ndarray, "2 2"]:
    """One step: the new velocity from the old position, then the new position."""
    velocity = np.array([[1.0, -step * A], [0.0, 1.0]])
    place = np.array([[1.0, 0.0], [step, 1.0]])
    return place @ velocity


def tied_by_recursion(f_1: float, f_2: float) -> float:
    """Moments of the state, step after step."""
    moment = 0.0
    for _ in range(2000):
        moment = f_2 * moment + (1 - 2 * f_1 + f_2)
    return moment


def tied_by_paths(f_1: float, f_2: float) -> float:
    """A gate of two values, over all its paths of twelve steps; older inputs vanish."""
    spread = math.sqrt(f_2 - f_1**2)
    total = []
    for path in itertools.product((f_1 - spread, f_1 + spread), repeat=12):
        kept = 1.0
        for gate in path:  # from the newest input to older ones
            total.append((kept * (1 - gate)) ** 2)
            kept *= gate
    return math.fsum(total) / 2**12


def delta_by_minimum(beta: float, s: float) -> float:
    """By the normal equations of the regression, for one row of the state."""
    key = np.array([0.6, -0.8]) * math.sqrt(s)
    old, value = np.array([0.2, 1.5]), 0.7
    row = np.linalg.solve(
        np.eye(2) + beta * np.outer(key, key), old + beta * value * key
    )
    return float((old - row)[0] / ((old @ key - value) * key[0]))


def delta_by_descent(beta: float, s: float) -> float:
    """By gradient descent on the regression in one dimension, until convergence."""
    key, old, value = math.sqrt(s), 0.9, -0.3
    row, rate = old, 0.5 / (1 + beta * s)
    for _ in range(200):
        row -= rate * ((row - old) + beta * (row * key - value) * key)
    return (old - row) / ((old * key - value) * key)


def step_error(
    weight: float, rate: float, x_0: float, x_1: float, exact: Callable[..., Any]
) -> float:
    """The error of a short step, extrapolated from two lengths in many digits."""
    with mpmath.workdps(60):

        def error(step: Any) -> Any:
            new = mpmath.mpf(weight)
            average = (1 - new) * mpmath.exp(rate * step) * x_0 + new * (
                x_0 + x_1 * step
            )
            return (step * average - exact(step, rate, x_0, x_1)) / step**2

        step = mpmath.mpf(10) ** -8
        return float(2 * error(step / 2) - error(step))


def _by_integral(step: Any, rate: float, x_0: float, x_1: float) -> Any:
    return mpmath.quad(
        lambda t: mpmath.exp(rate * (step - t)) * (x_0 + x_1 * t), [0, step]
    )


def _by_series(step: Any, rate: float, x_0: float, x_1: float) -> Any:
    """By the derivatives of the solution at zero."""
    slopes = [mpmath.mpf(x_0), rate * mpmath.mpf(x_0) + x_1]
    while len(slopes) < 9:
        slopes.append(rate * slopes[-1])
    return sum(
        slope * step ** (order + 1) / math.factorial(order + 1)
        for order, slope in enumerate(slopes)
    )


_STEPS = points("beta d T", (0.5, 3, 2), (1.0, 2, 5), (1.7, 4, 3), (2.0, 3, 4))


def _by_keys(energy: bool) -> dict[str, Callable[..., float]]:
    return {
        "axes": partial(over_keys, axes, energy),
        "simplex": partial(over_keys, simplex, energy),
    }


EVIDENCE: dict[str, Basis] = {
    "sigprop:householder-pair": Evidence(
        points(
            "beta_1 beta_2 c z",
            (0.4, 1.3, 0.3, 0.6 + 0.2j),
            (2.0, 2.0, 0.7, -0.5),
            (1.9, 0.1, 0.95, 2.0),
        ),
        {"determinant": pair_by_determinant, "eigenvalues": pair_by_eigenvalues},
    ),
    "sigprop:householder-mean": Evidence(_STEPS, _by_keys(energy=False)),
    "sigprop:householder-energy": Evidence(_STEPS, _by_keys(energy=True)),
    "sigprop:trapezoid": Evidence(
        points(
            "alpha beta gamma", (0.9, 0.45, 0.5), (-0.6, 0.2, 1.5), (0.97, 0.03, 0.01)
        ),
        {"sum": trapezoid_by_sum, "covariance": trapezoid_by_covariance},
    ),
    "sigprop:reparametrised-scale": Evidence(
        points("v", 0.3, 1.0, 7.5),
        {"autodiff": scale_by_autodiff, "complex_step": scale_by_complex_step},
    ),
    "sigprop:least-gap": Evidence(
        points("N", 2, 3, 17, 256),
        {"survival": gap_by_survival, "exponentials": gap_by_exponentials},
        tolerance=1e-7,
    ),
    "sigprop:trapezoid-error": Evidence(
        points("weight rate x_0 x_1", (0.3, -0.8, 1.2, 0.5), (1.0, 0.4, -0.7, 2.0)),
        {
            "integral": partial(step_error, exact=_by_integral),
            "series": partial(step_error, exact=_by_series),
        },
    ),
    "sigprop:linoss-implicit": Evidence(
        points("step A", (0.3, 2.0), (1.0, 0.7), (0.05, 30.0)),
        {"eigenvalues": implicit_modulus, "energy": implicit_decay},
    ),
    "sigprop:linoss-explicit": Evidence(
        points("step A", (0.3, 2.0), (1.0, 3.3), (0.05, 30.0)),
        {"eigenvalues": explicit_eigenvalue, "recurrence": explicit_recurrence},
    ),
    "sigprop:tied-gate": Evidence(
        points("f_1 f_2", (0.1, 0.012), (0.05, 0.01)),
        {"recursion": tied_by_recursion, "paths": tied_by_paths},
    ),
    "sigprop:implicit-delta": Evidence(
        points("beta s", (0.5, 2.0), (3.0, 0.4), (20.0, 1.7)),
        {"minimum": delta_by_minimum, "descent": delta_by_descent},
    ),
}
