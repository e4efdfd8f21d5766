"""Points and printed forms of Zucchet & Orvieto (2024), Appendix C.2."""

import cmath
import math
import random
from typing import Any

from sympy import Expr, I, diff, exp, symbols

from theory import hessian as H

REFERENCE = "sigprop.references.hessian."
SAMPLES = "sigprop.references.hessian_samples."
SECTION = "Appendix C.2"
WIRTINGER = "Appendix C.2.1"
EIGENVALUES = "Appendix C.2.2"
REAL = "Appendix C.2.3"

TWO_UNITS: tuple[dict[str, Any], ...] = (
    {"lambda_i": 0.5 + 0.4j, "lambda_j": 0.3 + 0.6j, "rho": 0.4}
    | {"b_i": 1 + 0.3j, "b_j": 0.4 - 0.9j, "c_i": 0.7 - 0.2j, "c_j": -0.5 + 0.8j},
    {"lambda_i": -0.6 + 0.2j, "lambda_j": 0.1 + 0.7j, "rho": -0.7}
    | {"b_i": 0.6 - 1.1j, "b_j": 1.3 + 0.2j, "c_i": -0.4 + 0.9j, "c_j": 0.8 + 0.5j},
    {"lambda_i": 0.2 + 0.65j, "lambda_j": 0.4 + 0.3j, "rho": 0.9, "a": 0.3, "b": 0.7}
    | {"b_i": -0.8 + 0.5j, "b_j": 0.9 + 0.7j, "c_i": 1.2 + 0.1j, "c_j": 0.3 - 1.4j},
)

REAL_UNITS: tuple[dict[str, Any], ...] = (
    {"lambda_i": 0.5, "lambda_j": -0.3, "rho": 0.4}
    | {"b_i": 1.1, "b_j": 0.4, "c_i": 0.7, "c_j": -0.5},
    {"lambda_i": -0.65, "lambda_j": 0.45, "rho": -0.6}
    | {"b_i": -0.9, "b_j": 1.4, "c_i": 0.8, "c_j": 1.2},
)

PAIRS: tuple[dict[str, Any], ...] = (
    {"alpha": 0.5 + 0.4j, "beta": 0.3 - 0.6j, "rho": 0.4},
    {"alpha": -0.6 + 0.2j, "beta": 0.1 + 0.7j, "rho": -0.7},
    {"alpha": 0.7, "beta": 0.4 + 0.3j, "rho": 0.9},
    {"alpha": 0.3 - 0.5j, "beta": 0.3 + 0.5j, "rho": 0.95},
)


def pairs() -> tuple[dict[str, Any], ...]:
    """Two units with the values of ``S``, ``A`` and ``B``."""
    return tuple(H.place(**at) for at in TWO_UNITS)


def single(at: dict[str, Any]) -> dict[str, Any]:
    """A point with unit i alone: ``j`` takes the values of ``i``."""
    own = {f"{name}_j": at[f"{name}_i"] for name in ("lambda", "b", "c")}
    return H.place(**{**at, **own, "single": True})


def singles() -> tuple[dict[str, Any], ...]:
    """One unit, its diagonal block."""
    return tuple(single(at) for at in TWO_UNITS)


def with_charts(at: dict[str, Any]) -> dict[str, Any]:
    """A point with what the LRU's parametrisation makes of both eigenvalues.

    ``nu = exp(-exp(omega_nu))`` has slope ``nu log(nu)``; ``theta = exp(omega_theta)``
    has slope ``theta``.  ``nu_of_theta`` is ``nu`` at ``omega_theta``, as in Eq. 155.
    """
    found = dict(at)
    for unit in "ij":
        nu, theta = cmath.polar(complex(at[f"lambda_{unit}"]))
        found |= {
            f"nu_{unit}": nu,
            f"dnu_{unit}": nu * math.log(nu),
            f"theta_{unit}": theta,
            f"dtheta_{unit}": theta,
            f"nu_of_theta_{unit}": math.exp(-theta),
        }
    return found


def charted() -> tuple[dict[str, Any], ...]:
    """Two units in the LRU's parametrisation."""
    return tuple(with_charts(at) for at in pairs())


def doubled() -> tuple[dict[str, Any], ...]:
    """Two units with the diagonal entries ``A_ii, B_ii, A_jj, B_jj`` of each."""
    found = []
    for at in pairs():
        first = single(at)
        turned = {f"{n}_i": at[f"{n}_j"] for n in ("lambda", "b", "c")}
        second = single({**at, **turned})
        found.append(
            {
                **at,
                **{f"{n}_ii": first[f"{n}_ij"] for n in "AB"},
                **{f"{n}_jj": second[f"{n}_ij"] for n in "AB"},
                "S_ii": first["S_ibarj"],
                "S_jj": second["S_ibarj"],
            }
        )
    return tuple(found)


SEQUENCE = (0.5, -1.2, 0.8, 1.5, -0.4, 0.3)


def sampled() -> tuple[dict[str, Any], ...]:
    """Two units driven by one sequence, at and off optimality.

    Adds the output error ``e_y``, ``s = dh/dlambda`` and ``t = d^2h/dlambda^2`` of each
    unit after the last input, by the recurrences of Eq. 49.
    """
    found = []
    for at, target in zip(TWO_UNITS, (0.7, -1.3, 0.2), strict=True):
        found.append(_driven({**at, "x": SEQUENCE, "target": target}))
        found.append({**found[-1], "target": found[-1]["e_y"] + target})
        found[-1]["e_y"] = 0.0
    return tuple(found)


def _driven(at: dict[str, Any]) -> dict[str, Any]:
    found, output = dict(at), 0.0
    for unit in "ij":
        lam, h, s, t = complex(at[f"lambda_{unit}"]), 0j, 0j, 0j
        for x in at["x"]:
            h, s, t = lam * h + at[f"b_{unit}"] * x, lam * s + h, lam * t + 2 * s
        found |= {f"s_{unit}": s, f"t_{unit}": t, f"h_{unit}": h}
        output += (at[f"c_{unit}"] * h).real
    return found | {"e_y": output - at["target"]}


def at_optimality() -> tuple[dict[str, Any], ...]:
    """The sampled points without an error."""
    return tuple(at for at in sampled() if at["e_y"] == 0)


def off_optimality() -> tuple[dict[str, Any], ...]:
    """The sampled points with an error."""
    return tuple(at for at in sampled() if at["e_y"] != 0)


def turn(sign: int) -> Expr:
    """``exp(i (theta_i +- theta_j))``."""
    return exp(I * (H.theta_i + sign * H.theta_j))


def eq_134() -> Expr:
    """As printed."""
    alpha, beta, rho = H.alpha, H.beta, H.rho
    P = alpha * beta
    numerator = (
        (1 - rho) * (1 + P)
        + rho**2 * (1 - P) ** 3
        + rho * (1 - rho) * P * (rho * P * (1 + P) - 2 * alpha - 2 * beta)
    )
    return numerator / ((1 - P) ** 3 * (1 - rho * alpha) ** 2 * (1 - rho * beta) ** 2)


def function_points(real: bool) -> tuple[dict[str, Any], ...]:
    """``f(z) = p z^2 conj(z) + m z + k conj(z) + n |z|^2`` and its real derivatives.

    ``f_re, f_im`` are the derivatives by ``Re z`` and ``Im z``.  ``real`` makes ``f``
    real: ``p = 0``, ``n`` real, ``k = conj(m)``.
    """
    p, m, k, n = (0, 2 - 1j, 2 + 1j, 0.7) if real else (0.4 + 1j, 2 - 1j, 0.5j, 0.7)
    x, y = symbols("x y", real=True)
    z = x + I * y
    f = p * z**2 * z.conjugate() + m * z + k * z.conjugate() + n * z * z.conjugate()
    found = []
    for value in (0.3 + 0.8j, -1.1 + 0.4j):
        at = {x: value.real, y: value.imag}
        slopes = {
            f"f_{s}": complex(diff(f, v).subs(at)) for s, v in (("re", x), ("im", y))
        }
        found.append({"z": value, "p": p, "m": m, "k": k, "n": n, **slopes})
    return tuple(found)


def draw(
    seed: int, size: int, theta_0: float, nu_0: float = 0.99
) -> tuple[complex, ...]:
    """Eigenvalues as in Figure 10: magnitude up to halfway to one, angle within bounds."""
    generator = random.Random(seed)
    return tuple(
        cmath.rect(
            generator.uniform(nu_0, (1 + nu_0) / 2),
            generator.uniform(-theta_0, theta_0),
        )
        for _ in range(size)
    )


def off_diagonal(size: int, theta_0: float, draws: int = 6, **_: Any) -> float:
    """Mean share of the Hessian by (re, im) off its diagonal, from ``S`` and Eq. 143."""
    total = 0.0
    for seed in range(draws):
        lams = draw(seed, size, theta_0)
        everything, diagonal = 0.0, 0.0
        for first in lams:
            same = H.similarity(first, first)
            mixed = H.similarity(first, first.conjugate()).real
            diagonal += ((same.real + mixed) ** 2 + (mixed - same.real) ** 2) / 4
            for second in lams:
                same = abs(H.similarity(first, second)) ** 2
                everything += (
                    same + abs(H.similarity(first, second.conjugate())) ** 2
                ) / 2
        total += math.sqrt(1 - diagonal / everything)
    return total / draws
