"""Pairs of units at which Appendix C.2 of Zucchet & Orvieto (2024) is judged."""

import cmath
import math
from typing import Any

from sigprop.theory import hessian as H

At = dict[str, Any]

TWO_UNITS: tuple[At, ...] = (
    {"lambda_i": 0.5 + 0.4j, "lambda_j": 0.3 + 0.6j, "rho": 0.4}
    | {"b_i": 1 + 0.3j, "b_j": 0.4 - 0.9j, "c_i": 0.7 - 0.2j, "c_j": -0.5 + 0.8j},
    {"lambda_i": -0.6 + 0.2j, "lambda_j": 0.1 + 0.7j, "rho": -0.7}
    | {"b_i": 0.6 - 1.1j, "b_j": 1.3 + 0.2j, "c_i": -0.4 + 0.9j, "c_j": 0.8 + 0.5j},
    {"lambda_i": 0.2 + 0.65j, "lambda_j": 0.4 + 0.3j, "rho": 0.9, "a": 0.3, "b": 0.7}
    | {"b_i": -0.8 + 0.5j, "b_j": 0.9 + 0.7j, "c_i": 1.2 + 0.1j, "c_j": 0.3 - 1.4j},
)

REAL_UNITS: tuple[At, ...] = (
    {"lambda_i": 0.5, "lambda_j": -0.3, "rho": 0.4}
    | {"b_i": 1.1, "b_j": 0.4, "c_i": 0.7, "c_j": -0.5},
    {"lambda_i": -0.65, "lambda_j": 0.45, "rho": -0.6}
    | {"b_i": -0.9, "b_j": 1.4, "c_i": 0.8, "c_j": 1.2},
)

EIGENVALUES: tuple[At, ...] = (
    {"alpha": 0.5 + 0.4j, "beta": 0.3 - 0.6j, "rho": 0.4},
    {"alpha": -0.6 + 0.2j, "beta": 0.1 + 0.7j, "rho": -0.7},
    {"alpha": 0.7, "beta": 0.4 + 0.3j, "rho": 0.9},
    {"alpha": 0.3 - 0.5j, "beta": 0.3 + 0.5j, "rho": 0.95},
)
"""Two eigenvalues in the letters of the lemmas."""


def single(at: At) -> At:
    """A point with unit i only: ``j`` has the values of ``i``."""
    copied = {f"{name}_j": at[f"{name}_i"] for name in ("lambda", "b", "c")}
    return H.evidence_point(**{**at, **copied, "single": True})


def with_coordinates(at: At) -> At:
    """A point with the LRU's parametrisation of both eigenvalues.

    ``nu = exp(-exp(omega_nu))`` has the derivative ``nu log(nu)``, and ``theta =
    exp(omega_theta)`` has the derivative ``theta``.  ``nu_of_theta`` is ``nu`` at
    ``omega_theta``, as in Eq. 155.
    """
    charted = dict(at)
    for unit in "ij":
        nu, theta = cmath.polar(complex(at[f"lambda_{unit}"]))
        charted |= {
            f"nu_{unit}": nu,
            f"dnu_{unit}": nu * math.log(nu),
            f"theta_{unit}": theta,
            f"dtheta_{unit}": theta,
            f"nu_of_theta_{unit}": math.exp(-theta),
        }
    return charted


PAIRS = tuple(H.evidence_point(**point) for point in TWO_UNITS)
"""Two units with the values of ``S``, ``A`` and ``B``."""
SINGLES = tuple(single(point) for point in TWO_UNITS)
"""One unit, its diagonal block."""
CHARTED = tuple(with_coordinates(point) for point in PAIRS)
"""Two units in the LRU's parametrisation."""

SEQUENCE = (0.5, -1.2, 0.8, 1.5, -0.4, 0.3)


def by_hand(lam: complex, c: complex = 1.0, **values: Any) -> At:
    """One unit with an input gain of one, for examples; unit j is silent."""
    silent = {"lambda_j": 0.0, "b_j": 0.0, "c_j": 0.0, "single": True}
    return {"lambda_i": lam, "b_i": 1.0, "c_i": c, **silent, **values}


def driven(point: At) -> At:
    """A point with each unit's state and sensitivities after its sequence ``x``."""
    values, output = dict(point), 0.0
    for unit in "ij":
        lam, h, s, t = complex(point[f"lambda_{unit}"]), 0j, 0j, 0j
        for x in point["x"]:
            h, s, t = lam * h + point[f"b_{unit}"] * x, lam * s + h, lam * t + 2 * s
        values |= {f"s_{unit}": s, f"t_{unit}": t, f"h_{unit}": h}
        output += (point[f"c_{unit}"] * h).real
    return values | {"e_y": output - point["target"]}


def sampled() -> tuple[At, ...]:
    """Two units driven by one sequence, with and without an error in turn.

    Adds the output error ``e_y``, ``s = dh/dlambda`` and ``t = d^2h/dlambda^2`` of each
    unit after the last input, by the recurrences of Eq. 49.
    """
    collected = []
    for point, target in zip(TWO_UNITS, (0.7, -1.3, 0.2), strict=True):
        off = driven({**point, "x": SEQUENCE, "target": target})
        collected += [off, {**off, "target": off["e_y"] + target, "e_y": 0.0}]
    return tuple(collected)


SAMPLED = sampled()
OFF_OPTIMALITY, AT_OPTIMALITY = SAMPLED[::2], SAMPLED[1::2]
