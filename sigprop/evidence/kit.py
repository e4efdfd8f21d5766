"""Elementary computations for evidence: sums, recurrences, derivatives and searches.

This module uses only NumPy, SciPy and the standard library, and no closed form and no
layer.  A route that consists of these functions is thus independent of the formula that
it tests.

Notation: ages  steps since an input, from zero on;  w  weights of the inputs by age;
R  autocovariance.
"""

import functools
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float, Inexact, Num

Points = tuple[dict[str, Any], ...]
EPS = 1e-30  # step; small, because a complex step has no cancellation
NODES = 24
TURNS = np.exp(2j * np.pi * np.arange(NODES) / NODES)
STENCILS = {
    (1, 2): ((-1, -1 / 2), (1, 1 / 2)),
    (1, 4): ((-2, 1 / 12), (-1, -8 / 12), (1, 8 / 12), (2, -1 / 12)),
    (1, 8): tuple(
        (sign * k, sign * weight)
        for k, weight in ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))
        for sign in (1, -1)
    ),
    (2, 4): ((-2, -1 / 12), (-1, 16 / 12), (0, -30 / 12), (1, 16 / 12), (2, -1 / 12)),
}
"""By derivative and order of the error: offsets in steps, and their weights."""

# Tables of points.


def points(names: str, *rows: Any) -> Points:
    """Points of evidence: values by name, one row per point.

    Args:
        names: Names, separated by blanks.
        rows: A value per name; for a single name, the value itself.

    Raises:
        ValueError: If the lengths of a row and of ``names`` differ.
    """
    keys = names.split()
    table = [(row,) for row in rows] if len(keys) == 1 else rows
    return tuple(dict(zip(keys, row, strict=True)) for row in table)


def across(**values: Sequence[Any]) -> Points:
    """Every combination of the values of each name; the last name varies fastest."""
    rows = itertools.product(*values.values())
    return tuple(dict(zip(values, row, strict=True)) for row in rows)


def also(table: Sequence[Mapping[str, Any]], **values: Any) -> Points:
    """The points of a table, with further values that are the same at all points."""
    return tuple({**point, **values} for point in table)


def crossed(*tables: Sequence[Mapping[str, Any]]) -> Points:
    """Every combination of points of several tables; the last table varies fastest."""
    rows = itertools.product(*tables)
    return tuple({name: row[name] for row in combo for name in row} for combo in rows)


def entries(routine: Callable[..., Any], *index: Any) -> Callable[..., Any]:
    """Routine that returns the entries at an index of the result of another routine."""
    return lambda **point: routine(**point)[index]


def each(
    value: Callable[..., Any], routes: Mapping[str, Any]
) -> dict[str, Callable[..., Any]]:
    """Routes that call ``value`` with a routine as its first argument, by name."""
    return {name: functools.partial(value, route) for name, route in routes.items()}


# Sums over ages.


def powers(lam: Any, count: int) -> Inexact[np.ndarray, "*neurons ages"]:
    """``lam^n``: weights of inputs by age in the state of ``h <- lam h + x``."""
    return (np.asarray(lam) + 0.0)[..., None] ** np.arange(count)


def power_derivatives(lam: Any, count: int) -> Inexact[np.ndarray, "*neurons ages"]:
    """``n lam^(n-1)``: the derivative of ``powers`` by ``lam``."""
    ages = np.arange(count)
    return ages * (np.asarray(lam) + 0.0)[..., None] ** np.maximum(ages - 1, 0)


def energy(w: Any) -> float:
    """``sum |w|^2`` over all entries: the second moment under white inputs."""
    return float(np.sum(np.abs(w) ** 2))


def double_sum(
    first: Inexact[np.ndarray, " ages"],
    second: Inexact[np.ndarray, " ages"],
    rho: float = 0.0,
) -> complex:
    """``sum over n, m of first_n conj(second_m) rho^|n-m|``, the inner sum in one pass."""
    if abs(rho) == 1:  # a product of sums, without the cancellation of the double sum
        signs = rho ** np.arange(len(first))
        return complex((first @ signs) * np.conj(second @ signs))
    older_first, older_second = (faded(w, rho) for w in (first, second))
    total = first @ older_second.conj() + older_first @ second.conj()
    return complex(total - first @ second.conj())


def faded(w: Inexact[np.ndarray, " ages"], rho: float) -> Inexact[np.ndarray, " ages"]:
    """``sum over m <= n of rho^(n-m) w_m``, which solves ``y_n - rho y_(n-1) = w_n``."""
    bands = np.stack([np.ones(len(w)), np.full(len(w), -rho)])
    return scipy.linalg.solve_banded((1, 0), bands, w, check_finite=False)


def moment(w: Inexact[np.ndarray, " ages"], rho: float = 0.0) -> float:
    """``E|sum w_n x_{-n}|^2`` under ``R = rho^|lag|``."""
    return double_sum(w, w, rho).real


def autocovariance(
    count: int, rho: float, a: float = 0.0, b: float = 1.0
) -> Float[np.ndarray, "count count"]:
    """``R(n - m) = a [n = m] + b rho^|n-m|`` over all pairs of ages."""
    lags = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    return a * np.eye(count) + b * float(rho) ** lags


def quadratic(
    w: Inexact[np.ndarray, " ages"], R: Inexact[np.ndarray, "ages ages"]
) -> float:
    """``sum over n, m of w_n R_nm conj(w_m)``, real because ``R`` is Hermitian."""
    return float(np.real(w @ R @ w.conj()))


# Samples.


def standard_error(values: Float[np.ndarray, " num"]) -> float:
    """The standard error of the mean of independent values."""
    return float(np.std(values, ddof=1)) / math.sqrt(len(values))


# Recurrences.


def recur(
    A: Any, inputs: Num[np.ndarray, "time ..."], start: Any = 0.0
) -> Num[np.ndarray, "time ..."]:
    """States of ``h <- A h + x``, one input after the other.

    Args:
        A: A number, a vector (one number per neuron) or a matrix.
        inputs: Inputs by time.
        start: State before the first input.
    """
    h, states = start + np.zeros(np.shape(inputs)[1:]), []
    for x in inputs:
        h = (A @ h if np.ndim(A) == 2 else A * h) + x
        states.append(h)
    return np.array(states)


def powered(
    A: Num[np.ndarray, "n n"], inputs: Num[np.ndarray, "time n"]
) -> Num[np.ndarray, "time n"]:
    """States of ``h <- A h + x`` from zero, as sums of ``A^age x`` over ages."""
    steps = range(len(inputs))
    power = [np.linalg.matrix_power(A, age) for age in steps]
    return np.array(
        [np.sum([power[t - s] @ inputs[s] for s in range(t + 1)], 0) for t in steps]
    )


def impulse_response(
    A: Num[np.ndarray, "n n"],
    B: Num[np.ndarray, "n ..."],
    C: Num[np.ndarray, "... n"],
    count: int,
) -> Num[np.ndarray, "count ..."]:
    """``C A^k B`` by age, computed by repeated products."""
    responses = []
    for _ in range(count):
        responses.append(C @ B)
        B = A @ B
    return np.array(responses)


def covariances(
    A: Num[np.ndarray, "n n"],
    noise: Num[np.ndarray, "n n"],
    count: int,
    start: Any = 0.0,
) -> Num[np.ndarray, "count n n"]:
    """``E h h^*`` of ``h <- A h + x`` under white inputs, after each of some steps.

    Args:
        A: Recurrent matrix.
        noise: Covariance of an input.
        count: Number of steps.
        start: Covariance before the first input.
    """
    moments, by_step = start + np.zeros(np.shape(noise)), []
    for _ in range(count):
        moments = A @ moments @ A.conj().T + noise
        by_step.append(moments)
    return np.array(by_step)


def from_modes(
    lam: Inexact[np.ndarray, " n"], vectors: Inexact[np.ndarray, "n n"]
) -> Inexact[np.ndarray, "n n"]:
    """The matrix with these eigenvalues, and these eigenvectors as columns."""
    return vectors * lam @ np.linalg.inv(vectors)


def block(lam: complex) -> Float[np.ndarray, "2 2"]:
    """The real 2x2 matrix that acts like multiplication by a complex number."""
    lam = complex(lam)
    return np.array([[lam.real, -lam.imag], [lam.imag, lam.real]])


def orthogonal(
    generator: np.random.Generator, *shape: int
) -> Float[np.ndarray, "*batch n n"]:
    """Random orthogonal matrices with uniform distribution.

    The signs of the QR factorisation are removed.
    """
    Q, upper = np.linalg.qr(generator.normal(size=shape))
    return Q * np.sign(np.diagonal(upper, axis1=-2, axis2=-1))[..., None, :]


def sigmoid(x: Any) -> Any:
    """``1 / (1 + exp(-x))``, also for complex numbers."""
    with np.errstate(over="ignore"):
        return 1 / (1 + np.exp(-x))


def logit(p: float) -> float:
    """The inverse of the sigmoid."""
    return math.log(p / (1 - p))


# Derivatives.


def complex_step(
    function: Callable[[Any], Any], at: float | Float[np.ndarray, "*shape"]
) -> Any:
    """Derivative by a complex step, without cancellation.

    The function must be analytic, and real at real numbers.

    Args:
        function: Function of a complex number or array.
        at: Point of the derivative.

    Returns:
        Derivatives by every entry of ``at``, whose axes come last.
    """
    point = np.asarray(at, complex)
    columns = []
    for index in np.ndindex(point.shape):
        moved = point.copy()
        moved[index] += 1j * EPS
        columns.append(np.imag(function(moved if point.ndim else moved[()])) / EPS)
    shape = (*np.shape(columns[0]), *point.shape)
    return np.stack(columns, axis=-1).reshape(shape)[()]


def central(
    function: Callable[[Any], Any],
    at: Any,
    step: float,
    along: Any = 1.0,
    *,
    derivative: int = 1,
    order: int = 4,
) -> Any:
    """Derivative along a direction by central differences.

    Args:
        function: Function of a number or an array.
        at: Point of the derivative.
        step: Step of the difference, in units of ``along``.
        along: Direction.
        derivative: 1 or 2.
        order: Power of the step in the error: 4, and for a first derivative also 2 or
            8.

    Raises:
        KeyError: If there is no such stencil.
    """
    stencil = STENCILS[derivative, order]
    total = sum(weight * function(at + k * step * along) for k, weight in stencil)
    return total / step**derivative


def contour(function: Callable[[Any], Any], at: complex, radius: float) -> Any:
    """Derivative of a holomorphic function as a mean over a circle, by Cauchy."""
    return sum(function(at + radius * turn) / turn for turn in TURNS) / (NODES * radius)


# Quadrature and searches.


def legendre(
    low: float, high: float, count: int
) -> tuple[Float[np.ndarray, " count"], Float[np.ndarray, " count"]]:
    """Nodes and weights of Gauss-Legendre quadrature on an interval."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    half = (high - low) / 2
    return low + half * (nodes + 1), half * weights


def bisect(
    below: Callable[[float], Any], low: float, high: float, steps: int = 60
) -> float:
    """Number at which ``below`` changes from true to false, by bisection.

    Args:
        below: True for numbers below the result.
        low: A number at which it is true.
        high: A number at which it is false.
        steps: Number of bisections.
    """
    for _ in range(steps):
        middle = (low + high) / 2
        low, high = (middle, high) if below(middle) else (low, middle)
    return (low + high) / 2


def exponent(function: Callable[[float], Any], first: float, second: float) -> Any:
    """Exponent ``p`` of ``function(x) ~ x^p`` between two arguments, entry by entry."""
    ratio = np.asarray(function(first)) / np.asarray(function(second))
    return np.log(ratio)[()] / math.log(first / second)


def spectral_norm(matrix: Float[np.ndarray, "n n"], steps: int = 400) -> float:
    """Spectral norm of a symmetric matrix, by power iteration."""
    x = np.cos(np.arange(len(matrix)))  # generic initial vector
    for _ in range(steps):
        x = matrix @ (matrix @ x)
        x = x / np.linalg.norm(x)
    return float(np.linalg.norm(matrix @ x))
