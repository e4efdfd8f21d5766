"""Evidence for the size of the factor S, and Figure 8 of Zucchet & Orvieto (2024)."""

import cmath
import itertools
import math
from collections.abc import Callable
from functools import partial
from typing import Any

from sympy import Symbol, simplify

from sigprop.evidence.kit import also, crossed, each, points
from sigprop.evidence.zucchet.hessian.power_spectrum import pair_quadrature
from sigprop.evidence.zucchet.hessian.sensitivities import (
    PAIR_ROUTES,
    of_pair,
    pair_sum,
)
from sigprop.evidence.zucchet.hessian.units import EIGENVALUES, TWO_UNITS
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import hessian as H

LAMBDA_0 = 0.99 * cmath.exp(0.25j * math.pi)
RHOS = (0.0, 0.5, 0.9, 0.97, 0.98, 0.99, 0.995)


def size(lambda_i: complex, lambda_j: complex, rho: float = 0.0, **_: Any) -> float:
    """``|S|`` in closed form."""
    return abs(H.similarity(lambda_i, lambda_j, rho=rho))


def turned(lambda_i: complex, lambda_j: complex) -> complex:
    """An eigenvalue with the modulus of unit j and the phase of i's conjugate."""
    first = complex(lambda_i)
    return abs(complex(lambda_j)) * first.conjugate() / abs(first)


def peak_is_unique() -> bool:
    """``|1+P|^2/|1-P|^6`` with ``P = s e^{i phi}`` grows with ``cos(phi)``.

    Its derivative by the cosine is a positive number times ``8 (1 + s^2 + s c)`` over a
    square, and ``|s c| < 1``.
    """
    s, c = Symbol("s", positive=True), Symbol("c", real=True)
    plus, minus = 1 + 2 * s * c + s**2, 1 - 2 * s * c + s**2
    derivative = (plus / minus**3).diff(c)
    return simplify(derivative * minus**4 - 8 * s * (1 + s**2 + s * c)) == 0


def towards(rho: float, angle: float, low: float) -> dict[str, Any]:
    """A fixed eigenvalue and two with the same phase, whose moduli differ by 0.02."""
    return {
        "lambda_i": 0.6 * cmath.exp(0.8j),
        "lambda_j": (low + 0.02) * cmath.exp(1j * angle),
        "smaller": low * cmath.exp(1j * angle),
        "rho": rho,
    }


def peak_ratio(lambda_i: complex, rho: float, **_: Any) -> float:
    """``|S|`` at the conjugate over ``|S|`` at 0.99, from the spectrum."""
    peak = abs(pair_quadrature(lambda_i, lambda_i.conjugate(), rho=rho))
    return peak / abs(pair_quadrature(lambda_i, 0.99, rho=rho))


def closed_ratio(rho: float, **_: Any) -> float:
    """``|S|`` at the conjugate over ``|S|`` at 0.99, in closed form."""
    return size(LAMBDA_0, LAMBDA_0.conjugate(), rho) / size(LAMBDA_0, 0.99, rho)


def largest(of: Callable[..., complex], **point: Any) -> float:
    """``max(|A_ij|, |B_ij|)``, with ``S`` from the function ``of``."""
    gains = [complex(point[f"b_{unit}"]) * complex(point[f"c_{unit}"]) for unit in "ij"]
    conjugated = {**point, "lambda_j": complex(point["lambda_j"]).conjugate()}
    return abs(gains[0] * gains[1]) * max(abs(of(**point)), abs(of(**conjugated)))


def modulus(of: Callable[..., complex], **point: Any) -> float:
    """``|S|``, with ``S`` from the function ``of``."""
    return abs(of(**point))


def most_alike(lambda_i: complex, lambda_j: complex, rho: float, **_: Any) -> complex:
    """Eigenvalue with unit j's modulus at which ``|S|`` is largest.

    It has the phase of i's conjugate for white input, and is positive for constant
    input.
    """
    return abs(lambda_j) if rho else turned(lambda_i, lambda_j)


def at_most(
    partner: Callable[..., complex] = most_alike, sign: float = 1.0, **point: Any
) -> float:
    """``max(|A_ij|, |B_ij|)`` with a ``partner`` of unit j's modulus for unit j."""
    return largest(size, **{**point, "lambda_j": sign * partner(**point)})


def elsewhere(rho: float, **point: Any) -> complex:
    """The value for the other kind of input, as a mutant."""
    return most_alike(rho=1 - rho, **point)


def blocks_are_largest() -> bool:
    """White: ``peak_is_unique``.  Constant: ``|1 - s e^{i phi}|^2`` falls in ``cos(phi)``."""
    s, c = Symbol("s", positive=True), Symbol("c", real=True)
    return peak_is_unique() and (1 - 2 * s * c + s**2).diff(c) == -2 * s


def peaks_grow() -> bool:
    """The peak under white noise, and ``1/|1-x e^{i phi}|^2`` where ``x < cos(phi)``, grow.

    The derivative of the squared distance to 1 is ``2 (x - cos(phi))``.
    """
    x, c = Symbol("x", nonnegative=True), Symbol("c", real=True)
    white, distance = ((1 + x) / (1 - x) ** 3).diff(x), 1 - 2 * x * c + x**2
    return (
        simplify(white - (4 + 2 * x) / (1 - x) ** 4) == 0
        and simplify(distance.diff(x) - 2 * (x - c)) == 0
    )


# Angles near those of unit i or its conjugate at either point, and near nought.
NEAR = (0.72, -0.62, 2.77, -2.87, 0.05)

EVIDENCE: dict[str, Basis] = {
    "zucchet:text:hessian-conjugate-peak": Evidence(
        tuple(
            {"lambda_i": 0.6 * cmath.exp(1j * first), "lambda_j": second}
            for first in (0.7, 2.2)
            for second in (
                *(0.7, 0.5j, 0.3 - 0.4j),
                0.65 * cmath.exp(-1j * (first + 0.05)),
            )
        ),
        each(modulus, PAIR_ROUTES),
        form=lambda **point: size(point["lambda_i"], turned(**point)),
        relation="<=",
        proof=peak_is_unique,
        mutants={
            "the peak where they are aligned": lambda **point: size(
                point["lambda_i"], turned(**point).conjugate()
            ),
            "the peak opposite": lambda **point: size(
                point["lambda_i"], -turned(**point)
            ),
        },
    ),
    "zucchet:text:hessian-constant-input": Evidence(
        also(EIGENVALUES, rho=1.0), each(of_pair, {"reference": pair_sum})
    ),
    "zucchet:text:hessian-amplified": Evidence(
        tuple(
            towards(rho, angle, low)
            for rho, angle, lows in (
                (0.0, -0.8, (0.1, 0.5, 0.7)),
                (1.0, 0.0, (0.1, 0.5, 0.7)),
                (1.0, math.pi / 4, (0.1, 0.6, 0.75, 0.9)),
                (1.0, 2.0, (0.5,)),
            )
            for low in lows
        ),
        each(modulus, {"reference": pair_sum}) | {"closed_form": size},
        form=lambda lambda_i, smaller, rho, **_: size(lambda_i, smaller, rho),
        relation=">",
        proof=peaks_grow,
        mutants={
            "falling in the magnitude": lambda lambda_i, lambda_j, rho, **_: size(
                lambda_i, 1.05 * lambda_j, rho
            )
        },
        example=Example(
            "|S(0.99, lambda_j)| under constant input at lambda_j = r exp(i pi/4)",
            {"r": 0.99},
            "above 2e+04, its value at r = 0.7071",
            lambda r: f"{size(0.99, cmath.rect(r, math.pi / 4), 1.0):.4g}",
        ),
    ),
    "zucchet:fig8": Evidence(
        crossed(
            points("lambda_i", LAMBDA_0),
            points("rho next_rho", *itertools.pairwise(RHOS)),
        ),
        {"quadrature": peak_ratio, "closed_form": closed_ratio},
        form=lambda next_rho, **_: closed_ratio(next_rho),
        relation=">",
        mutants={"rising in rho": lambda rho, **_: closed_ratio(rho - 0.005)},
        hand={"twice the next": lambda next_rho, **_: 2 * closed_ratio(next_rho)},
    ),
    "zucchet:text:hessian-large-blocks": Evidence(
        crossed(
            TWO_UNITS[:2],
            points("lambda_j", 0.3 + 0.6j, *(cmath.rect(0.65, x) for x in NEAR)),
            points("rho", 0.0, 1.0),
        ),
        each(largest, {"reference": pair_sum, "closed_form": size}),
        form=at_most,
        relation="<=",
        proof=blocks_are_largest,
        mutants={
            "opposite": partial(at_most, sign=-1.0),
            "the other input's place": partial(at_most, elsewhere),
        },
    ),
}
