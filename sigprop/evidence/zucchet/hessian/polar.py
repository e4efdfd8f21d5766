"""Evidence for the Hessian in modulus and angle, Eq. 148-155 of Zucchet & Orvieto (2024)."""

import cmath
from collections.abc import Callable
from typing import Any

from sigprop.evidence.zucchet.hessian.loss import block, derivatives
from sigprop.evidence.zucchet.hessian.sensitivities import routes
from sigprop.evidence.zucchet.hessian.units import CHARTED, by_hand
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import hessian as H


def _derivative(index: int, conjugated: bool = False) -> Evidence:
    """A derivative of the LRU's eigenvalue, or its conjugate, by differences."""

    def reference(lambda_i: complex, **_: Any) -> complex:
        derivative = derivatives("lru", lambda_i)[index]
        return derivative.conjugate() if conjugated else derivative

    return Evidence(CHARTED, {"reference": reference}, example=_half(index, conjugated))


def _half(index: int, conjugated: bool) -> Example:
    """A derivative of ``nu exp(i theta)`` by ``nu`` or ``theta``, and its half."""

    def true(nu: float, theta: float) -> complex:
        derivative = (1.0, 1j * nu)[index] * cmath.exp(1j * theta)
        return derivative.conjugate() if conjugated else derivative

    return Example(
        f"d{'conj(lambda)' if conjugated else 'lambda'}/d{('nu', 'theta')[index]} of "
        "lambda = nu exp(i theta)",
        {"nu": 0.9, "theta": 0.0},
        lambda **at: true(**at) / 2,
        true,
    )


def _one_unit(
    row: int, column: int, printed: Callable[[float, float, complex, float], float]
) -> Example:
    """An entry of one unit by ``nu`` and ``theta``, and as printed of those, A and B."""

    def as_printed(nu: float, theta: float) -> float:
        lam = cmath.rect(nu, theta)
        B = H.similarity(lam, lam.conjugate()).real
        return printed(nu, theta, H.similarity(lam, lam), B)

    return Example(
        f"the entry ({', '.join(('nu', 'theta')[k] for k in (row, column))}) of lambda = "
        "nu exp(i theta) (one unit, b = c = 1, white input)",
        {"nu": 0.5, "theta": 0.8},
        as_printed,
        lambda nu, theta: block("polar", **by_hand(cmath.rect(nu, theta)))[row, column],
    )


def _entry(row: int, column: int, example: Example | None = None) -> Evidence:
    entry = routes("lru", lambda matrix: matrix[row, column])
    return Evidence(CHARTED, entry, example=example)


EVIDENCE: dict[str, Basis] = {
    "zucchet:148": _derivative(0),
    "zucchet:149": _derivative(0, conjugated=True),
    "zucchet:150": _derivative(1),
    "zucchet:151": _derivative(1, conjugated=True),
    "zucchet:152": _entry(0, 0),
    "zucchet:153": _entry(0, 1),
    "zucchet:154": _entry(
        1, 0, _one_unit(1, 0, lambda nu, theta, A, B: nu / 2 * (-A + B).imag)
    ),
    "zucchet:155": _entry(
        1,
        1,
        _one_unit(
            1,
            1,
            lambda nu, theta, A, B: (
                theta**2 / 2 * (-cmath.exp(2j * theta) * A + B).real
            ),
        ),
    ),
}
