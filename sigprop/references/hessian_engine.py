"""The engine of ``hessian``: the exact loss, its differences and explicit sums.

The reference differentiates the exact loss, a double sum over impulse responses, by
finite differences in high precision; the sums multiply explicit sensitivities
``n lambda**(n-1)`` by the autocovariance.  Neither knows ``S``, ``A`` or ``B``.

Source: the model of Zucchet & Orvieto (2024), Eq. 113-114.
"""

import functools
import itertools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mpmath
import numpy as np
from mpmath import mpc, mpf

DIGITS = 40
STEP = mpf(10) ** -10  # differences err by its square
STEPS = 100  # inputs seen: enough for |lambda| up to 0.75 in double precision


class Chart(NamedTuple):
    """A parametrisation of an eigenvalue by two real numbers, with its inverse."""

    eigenvalue: Callable[..., Any]
    parameters: Callable[[Any], tuple[Any, Any]]


def _angle_scale(nu: Any) -> Any:
    return (1 - nu**2) / (nu * mpmath.sqrt(1 + nu**2))


def _of_polar(nu: Callable[..., Any], theta: Callable[..., Any]) -> Callable[..., Any]:
    return lambda first, second: nu(first) * mpmath.expj(theta(first, second))


CHARTS: dict[str, Chart] = {
    "cartesian": Chart(lambda re, im: mpc(re, im), lambda lam: (lam.real, lam.imag)),
    "polar": Chart(
        _of_polar(lambda nu: nu, lambda _, theta: theta),
        lambda lam: (abs(lam), mpmath.arg(lam)),
    ),
    "tanh": Chart(
        _of_polar(mpmath.tanh, lambda _, theta: theta),
        lambda lam: (mpmath.atanh(abs(lam)), mpmath.arg(lam)),
    ),
    "lru": Chart(
        _of_polar(
            lambda nu: mpmath.exp(-mpmath.exp(nu)), lambda _, theta: mpmath.exp(theta)
        ),
        lambda lam: (
            mpmath.log(-mpmath.log(abs(lam))),
            mpmath.log(mpmath.arg(lam)),
        ),
    ),
    "optimal": Chart(
        _of_polar(mpmath.tanh, lambda nu, omega: omega * _angle_scale(mpmath.tanh(nu))),
        lambda lam: (
            mpmath.atanh(abs(lam)),
            mpmath.arg(lam) / _angle_scale(abs(lam)),
        ),
    ),
}
"""The parametrisations of the paper; the last is Eq. 108-109."""


class Problem(NamedTuple):
    """A teacher, the parametrisation of its student, and an input."""

    chart: str
    eigenvalues: tuple[complex, ...]
    gains: tuple[complex, ...]
    a: float
    b: float
    rho: float


def problem(chart: str, at: dict[str, Any]) -> Problem:
    """Read a point of evidence: units i and j, or i alone if ``single``."""
    units = "i" if at.get("single") else "ij"
    return Problem(
        chart,
        tuple(complex(at[f"lambda_{k}"]) for k in units),
        tuple(complex(at[f"b_{k}"]) * complex(at[f"c_{k}"]) for k in units),
        at.get("a", 0.0),
        at.get("b", 1.0),
        at.get("rho", 0.0),
    )


@functools.lru_cache(4096)
def _response(chart: str, parameters: tuple[Any, Any], gain: complex) -> list[Any]:
    """Impulse response of the output through one unit: ``Re[gain lambda**n]``."""
    lam, power, found = CHARTS[chart].eigenvalue(*parameters), mpc(gain), []
    for _ in range(STEPS):
        found.append(power.real)
        power *= lam
    return found


def quadratic(kernel: Sequence[Any], a: float, b: float, rho: float) -> Any:
    """``sum e_n e_m R(n-m)`` for ``R = a delta + b rho**|Delta|``, in one pass."""
    total, memory = mpf(0), mpf(0)
    for value in kernel:
        total += value * ((a + b) * value + 2 * b * memory)
        memory = rho * (memory + value)
    return total


def loss(of: Problem, parameters: Sequence[tuple[Any, Any]]) -> Any:
    """``E[(y - y*)**2] / 2`` after ``STEPS`` inputs, exactly."""
    student = [
        _response(of.chart, tuple(own), gain)
        for own, gain in zip(parameters, of.gains, strict=True)
    ]
    teacher = [
        _response(of.chart, own, gain)
        for own, gain in zip(_optimum(of), of.gains, strict=True)
    ]
    errors = [
        sum(new) - sum(old)
        for new, old in zip(
            zip(*student, strict=True), zip(*teacher, strict=True), strict=True
        )
    ]
    return quadratic(errors, of.a, of.b, of.rho) / 2


@functools.cache
def _optimum(of: Problem) -> tuple[tuple[Any, Any], ...]:
    with mpmath.workdps(DIGITS):
        return tuple(CHARTS[of.chart].parameters(mpc(lam)) for lam in of.eigenvalues)


def mixed_difference(function: Callable[[list[Any]], Any], p: int, q: int) -> Any:
    """Central ``d^2 f / dp dq`` of a function of shifts, at no shift; ``p = q`` too."""
    total = mpf(0)
    for sign_p, sign_q in itertools.product((1, -1), repeat=2):
        shift = [mpf(0)] * 4
        shift[p] += sign_p * STEP
        shift[q] += sign_q * STEP
        total += sign_p * sign_q * function(shift)
    return total / (4 * STEP**2)


@functools.cache
def hessian_entry(of: Problem, p: int, q: int) -> float:
    """``d^2 L`` by two parameters, numbered unit by unit, at optimality."""

    def shifted(shift: list[Any]) -> Any:
        optimum = _optimum(of)
        moved = [
            (own[0] + shift[2 * k], own[1] + shift[2 * k + 1])
            for k, own in enumerate(optimum)
        ]
        return loss(of, moved)

    with mpmath.workdps(DIGITS):
        return float(mixed_difference(shifted, p, q))


def block(chart: str, at: dict[str, Any]) -> np.ndarray:
    """Real Hessian of unit i's parameters (rows) and j's, by differences of the loss."""
    of = problem(chart, at)
    columns = (0, 1) if at.get("single") else (2, 3)
    return np.array([[hessian_entry(of, p, q) for q in columns] for p in (0, 1)])


def whole(chart: str, at: dict[str, Any]) -> np.ndarray:
    """Real Hessian of all units' parameters, unit by unit."""
    of = problem(chart, at)
    size = 2 * len(of.gains)
    found = [
        [hessian_entry(of, *sorted((p, q))) for q in range(size)] for p in range(size)
    ]
    return np.array(found)


def wirtinger(real: np.ndarray) -> np.ndarray:
    """Second Wirtinger derivatives from those by (re, im): rows lambda_i, conj_i."""
    plus = np.array([[1, -1j], [1, 1j]]) / 2  # d/dlambda and d/dconj by re and im
    return plus @ real @ plus.T


def autocovariance(a: float, b: float, rho: float, size: int) -> np.ndarray:
    """The matrix ``R(n - m)``."""
    lags = np.abs(np.subtract.outer(np.arange(size), np.arange(size)))
    return a * np.eye(size) + b * np.power(float(rho), lags)


def sensitivity(lam: complex, size: int) -> np.ndarray:
    """``n lambda**(n-1)`` for ages up to ``size``."""
    ages = np.arange(size)
    return ages * complex(lam) ** np.maximum(ages - 1, 0)


def pair_sum(
    lambda_i: complex,
    lambda_j: complex,
    a: float = 0.0,
    b: float = 1.0,
    rho: float = 0.0,
    **_: Any,
) -> complex:
    """``sum n m lambda_i**(n-1) lambda_j**(m-1) R(n-m)``, term by term."""
    size = 4 * STEPS
    first, second = sensitivity(lambda_i, size), sensitivity(lambda_j, size)
    return complex(first @ autocovariance(a, b, rho, size) @ second)


def slopes(chart: str, lam: complex) -> tuple[complex, complex]:
    """Derivatives of the eigenvalue by its parameters, by differences of the chart."""
    with mpmath.workdps(DIGITS):
        first, second = CHARTS[chart].parameters(mpc(lam))
        of = CHARTS[chart].eigenvalue
        by_first = of(first + STEP, second) - of(first - STEP, second)
        by_second = of(first, second + STEP) - of(first, second - STEP)
        return complex(by_first / (2 * STEP)), complex(by_second / (2 * STEP))


def gauss_newton(chart: str, at: dict[str, Any]) -> np.ndarray:
    """Gauss-Newton block of unit i's parameters (rows) and j's, by sensitivities.

    The covariance of the output's explicit sensitivities to them.
    """
    of = problem(chart, at)
    filters = [
        np.array(
            [
                (gain * slope * sensitivity(lam, 4 * STEPS)).real
                for slope in slopes(chart, lam)
            ]
        )
        for lam, gain in zip(of.eigenvalues, of.gains, strict=True)
    ]
    covariance = autocovariance(of.a, of.b, of.rho, 4 * STEPS)
    return filters[0] @ covariance @ filters[-1].T
