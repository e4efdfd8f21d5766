"""The exact loss of a diagonal student, and its Hessian by differences at optimality.

The loss is a double sum over impulse responses, and is differenced in high precision.
Neither sensitivities nor ``S``, ``A`` and ``B`` are used.

Source: the model of Zucchet & Orvieto (2024), Eq. 113-114.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import mpmath
import numpy as np
from jaxtyping import Complex, Float
from mpmath import mpc, mpf

from sigprop.evidence.zucchet.hessian.differences import (
    DIGITS,
    STEP,
    mixed_difference,
    wirtinger,
)

STEPS = 100  # inputs seen: enough for |lambda| up to 0.75 in double precision


class Chart(NamedTuple):
    """A parametrisation of an eigenvalue by two real numbers, with its inverse."""

    eigenvalue: Callable[..., Any]
    parameters: Callable[[Any], tuple[Any, Any]]


def _angle_scale(nu: Any) -> Any:
    return (1 - nu**2) / (nu * mpmath.sqrt(1 + nu**2))


def _of_polar(nu: Callable[..., Any], theta: Callable[..., Any]) -> Callable[..., Any]:
    return lambda first, second: nu(first) * mpmath.expj(theta(first, second))


PARAMETRISATIONS: dict[str, Chart] = {
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
        lambda lam: (mpmath.log(-mpmath.log(abs(lam))), mpmath.log(mpmath.arg(lam))),
    ),
    "optimal": Chart(
        _of_polar(mpmath.tanh, lambda nu, omega: omega * _angle_scale(mpmath.tanh(nu))),
        lambda lam: (mpmath.atanh(abs(lam)), mpmath.arg(lam) / _angle_scale(abs(lam))),
    ),
}
"""The parametrisations of the paper; the last is Eq. 108-109."""


class Problem(NamedTuple):
    """A teacher, the parametrisation of the student, and an input."""

    parametrisation: str
    eigenvalues: tuple[complex, ...]
    gains: tuple[complex, ...]
    a: float
    b: float
    rho: float


def problem(parametrisation: str, **point: Any) -> Problem:
    """Read a point of evidence: units i and j, or i alone if ``single``."""
    units = "i" if point.get("single") else "ij"
    return Problem(
        parametrisation,
        tuple(complex(point[f"lambda_{k}"]) for k in units),
        tuple(complex(point[f"b_{k}"]) * complex(point[f"c_{k}"]) for k in units),
        point.get("a", 0.0),
        point.get("b", 1.0),
        point.get("rho", 0.0),
    )


def alone(**point: Any) -> list[dict[str, Any]]:
    """The two units of a point as separate points."""
    names = ("lambda", "b", "c")
    return [
        {**point, **{f"{n}_i": point[f"{n}_{unit}"] for n in names}, "single": True}
        for unit in "ij"
    ]


@functools.lru_cache(4096)
def _response(
    parametrisation: str, parameters: tuple[Any, Any], gain: complex
) -> list[Any]:
    """Impulse response of the output through one unit: ``Re[gain lambda**n]``."""
    lam, power, response = (
        PARAMETRISATIONS[parametrisation].eigenvalue(*parameters),
        mpc(gain),
        [],
    )
    for _ in range(STEPS):
        response.append(power.real)
        power *= lam
    return response


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
        _response(of.parametrisation, tuple(pair), gain)
        for pair, gain in zip(parameters, of.gains, strict=True)
    ]
    teacher = [
        _response(of.parametrisation, pair, gain)
        for pair, gain in zip(_optimum(of), of.gains, strict=True)
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
        return tuple(
            PARAMETRISATIONS[of.parametrisation].parameters(mpc(lam))
            for lam in of.eigenvalues
        )


@functools.cache
def hessian_entry(of: Problem, p: int, q: int) -> float:
    """``d^2 L`` by two parameters, numbered unit by unit, at optimality."""

    def shifted(shift: list[Any]) -> Any:
        optimum = _optimum(of)
        moved = [
            (pair[0] + shift[2 * k], pair[1] + shift[2 * k + 1])
            for k, pair in enumerate(optimum)
        ]
        return loss(of, moved)

    with mpmath.workdps(DIGITS):
        return float(mixed_difference(shifted, p, q))


def block(parametrisation: str, **point: Any) -> Float[np.ndarray, "2 2"]:
    """Real Hessian of unit i's parameters (rows) and j's, by differences of the loss."""
    of = problem(parametrisation, **point)
    columns = (0, 1) if point.get("single") else (2, 3)
    return np.array([[hessian_entry(of, p, q) for q in columns] for p in (0, 1)])


def complex_block(**point: Any) -> Complex[np.ndarray, "2 2"]:
    """Complex Hessian of units i and j, by differences of the loss."""
    return wirtinger(block("cartesian", **point))


def full_complex(
    part: str = "all", **point: Any
) -> Complex[np.ndarray, "rows columns"]:
    """Second Wirtinger derivatives by all of ``lambda_i, conj_i, lambda_j, conj_j``.

    ``part`` "mixed" keeps the rows of the eigenvalues and the columns of conjugates.
    """
    of = problem("cartesian", **point)
    size = 2 * len(of.gains)
    real = np.array(
        [[hessian_entry(of, *sorted((p, q))) for q in range(size)] for p in range(size)]
    )
    hessian = np.block(
        [
            [wirtinger(real[p : p + 2, q : q + 2]) for q in range(0, size, 2)]
            for p in range(0, size, 2)
        ]
    )
    return hessian[::2, 1::2] if part == "mixed" else hessian


def derivatives(parametrisation: str, lam: complex) -> tuple[complex, complex]:
    """Derivatives of the eigenvalue by its parameters, by finite differences."""
    with mpmath.workdps(DIGITS):
        first, second = PARAMETRISATIONS[parametrisation].parameters(mpc(lam))
        eigenvalue = PARAMETRISATIONS[parametrisation].eigenvalue
        by_first = eigenvalue(first + STEP, second) - eigenvalue(first - STEP, second)
        by_second = eigenvalue(first, second + STEP) - eigenvalue(first, second - STEP)
        return complex(by_first / (2 * STEP)), complex(by_second / (2 * STEP))
