"""Evidence for the Hessian at optimality, Eq. 113-115 of Zucchet & Orvieto (2024)."""

import cmath
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import mpmath
import numpy as np
from mpmath import mpc
from sympy import Integer, Symbol, limit, oo

from sigprop.evidence.kit import (
    also,
    crossed,
    energy,
    points,
    power_derivatives,
    powers,
)
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.hessian.differences import DIGITS, mixed_difference
from sigprop.evidence.zucchet.hessian.layer import respond, two_units
from sigprop.evidence.zucchet.hessian.loss import block
from sigprop.evidence.zucchet.hessian.samples import sample_loss
from sigprop.evidence.zucchet.hessian.sensitivities import gauss_newton
from sigprop.evidence.zucchet.hessian.units import (
    OFF_OPTIMALITY,
    PAIRS,
    SINGLES,
    with_coordinates,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision
from sigprop.theory import hessian as H


def state_by_powers(
    lambda_i: complex, b_i: complex, x: Sequence[float], **_: Any
) -> complex:
    """``sum b lambda**n x_{-n}``, newest input first."""
    return sum(b_i * lambda_i**n * value for n, value in enumerate(reversed(x)))


def state_by_scan(
    lambda_i: complex, b_i: complex, x: Sequence[float], **_: Any
) -> complex:
    """The last state of the package's recurrence."""
    from sigprop.neuron.recurrence import linear_recurrence

    inputs = b_i * np.array(x)[:, None]
    return complex(computed(linear_recurrence, np.array([lambda_i]), inputs)[-1, 0])


def output_by_layer(**point: Any) -> float:
    """The layer's last output, with a skip of 0.6."""
    import jax.numpy as jnp

    with double_precision(True):
        layer, inputs = two_units(0.6, **point), jnp.asarray(point["x"])[:, None]
        return float(respond(layer, inputs)[-1])


def output_by_powers(**point: Any) -> float:
    """The last output as a sum over ages, with a skip of 0.6."""
    states = (
        point[f"c_{k}"]
        * state_by_powers(point[f"lambda_{k}"], point[f"b_{k}"], point["x"])
        for k in "ij"
    )
    return sum(complex(term).real for term in states) + 0.6 * point["x"][-1]


def read(term: Callable[[complex, complex], complex], **point: Any) -> float:
    """The last output with a skip of 0.6, as a sum of real parts over units."""
    states = (term(complex(point[f"c_{k}"]), complex(point[f"h_{k}"])) for k in "ij")
    return sum(complex(state).real for state in states) + 0.6 * point["x"][-1]


def _moved(point: dict[str, Any], first: Any, second: Any) -> Any:
    """``L_t`` as a function of two shifts of ``lambda_i``."""
    shift = first * mpc(point["u"]) + second * mpc(point["v"])
    return sample_loss(**point)(mpc(point["lambda_i"]) + shift, mpc(point["lambda_j"]))


def sample_directions(**point: Any) -> float:
    """``d^2 L_t / dp dq`` of one sequence, by differences; ``lambda_i + p u + q v``."""
    with mpmath.workdps(DIGITS):
        derivative = mixed_difference(lambda s: _moved(point, s[0], s[1]), 0, 1)
        return float(derivative)


def sample_directions_by_matrices(**point: Any) -> float:
    """``d^2 L_t / dp dq`` of one sequence, with nilpotent matrices for the two shifts.

    ``P^2 = Q^2 = 0`` and ``PQ = QP``, so the entry at ``PQ`` is the mixed derivative, by
    ``lambda_i + p u + q v``.
    """
    step, unit = np.eye(2, k=1), np.eye(2)
    P, Q = np.kron(step, unit), np.kron(unit, step)
    move, total = point["u"] * P + point["v"] * Q, np.zeros((4, 4))
    for name, moved in (("i", move), ("j", 0 * move)):
        h = np.zeros((4, 4), complex)
        for x in point["x"]:
            h = (point[f"lambda_{name}"] * np.eye(4) + moved) @ h + point[
                f"b_{name}"
            ] * (x * np.eye(4))
        total = total + (point[f"c_{name}"] * h).real
    error = total - point["target"] * np.eye(4)
    return float((error @ error)[0, 3] / 2)


def closed_block(parametrisation: str, **point: Any) -> list[list[complex]]:
    """The real block from ``S`` and the chain rule."""
    if parametrisation == "cartesian":
        return H.block_value(H.CARTESIAN, H.CARTESIAN, point)
    return H.block_value(H.polar("i"), H.polar("j"), with_coordinates(point))


def age_weights(gap: float, angle: float) -> dict[str, Any]:
    """Weights ``lambda^n`` by age and their derivatives, for an eigenvalue's gap."""
    lam, ages = (1 - gap) * cmath.exp(1j * angle), math.ceil(40 / gap)
    return {"state": powers(lam, ages), "derivative": power_derivatives(lam, ages)}


def trace_by_lambda(gap: float, angle: float, b_i: complex, c_i: complex) -> float:
    """Trace of one unit's Hessian by (re, im) of its eigenvalue, white input."""
    return energy(b_i * c_i * age_weights(gap, angle)["derivative"])


def closed_trace_by_lambda(
    gap: float, angle: float, b_i: complex, c_i: complex
) -> float:
    """Trace of one unit's Hessian by (re, im) of its eigenvalue, by ``S``."""
    lam = (1 - gap) * cmath.exp(1j * angle)
    return abs(b_i * c_i) ** 2 * H.similarity(lam, lam.conjugate()).real


def largest_other_trace(
    gap: float, angle: float, b_i: complex, c_i: complex, weights: str = "state"
) -> float:
    """The largest trace by b, c or d: energies of ``c lambda^n``, ``b lambda^n``, 1."""
    weighted = age_weights(gap, angle)[weights]
    return max(1.0, *(energy(gain * weighted) for gain in (b_i, c_i)))


def outgrows_the_others() -> bool:
    """The trace by lambda over those by b, c and d diverges as ``|lambda|^2 -> 1``."""
    r = Symbol("r", positive=True)
    by_lambda, by_gain = (1 + r) / (1 - r) ** 3, 1 / (1 - r)
    return all(
        limit(by_lambda / other, r, 1, "-") == oo for other in (by_gain, Integer(1))
    )


DIRECTIONS = also(OFF_OPTIMALITY, u=0.8 - 0.3j, v=-0.5 + 1.1j)

EVIDENCE: dict[str, Basis] = {
    "zucchet:113": Evidence(
        OFF_OPTIMALITY[:2],
        {"reference": state_by_powers, "impulse": state_by_scan},
        form=lambda h_i, **_: h_i,
        mutants={
            "an input one step late": lambda x, **point: state_by_powers(
                x=x[:-1], **point
            ),
            "the oldest input lost": lambda x, **point: state_by_powers(
                x=x[1:], **point
            ),
            "the newest input weighted too": lambda lambda_i, h_i, **_: lambda_i * h_i,
            "the conjugate eigenvalue": lambda lambda_i, **point: state_by_powers(
                complex(lambda_i).conjugate(), **point
            ),
        },
    ),
    "zucchet:114": Evidence(
        OFF_OPTIMALITY[:2],
        {"reference": output_by_powers, "impulse": output_by_layer},
        form=lambda e_y, target, x, **_: e_y + target + 0.6 * x[-1],
        mutants={
            "c conjugated": lambda **point: read(
                lambda c, h: c.conjugate() * h, **point
            ),
            "real parts apart": lambda **point: read(
                lambda c, h: c.real * h.real, **point
            ),
            "the skip of the input before": lambda e_y, target, x, **_: (
                e_y + target + 0.6 * x[-2]
            ),
        },
    ),
    "zucchet:115": Evidence(
        DIRECTIONS,
        {"reference": sample_directions, "matrices": sample_directions_by_matrices},
    ),
    "zucchet:text:hessian-one-term": Evidence(
        crossed(PAIRS + SINGLES, points("parametrisation", "cartesian", "lru")),
        {"reference": block, "closed_form": closed_block},
        form=gauss_newton,
        mutants={
            "by (re, im) in every chart": lambda parametrisation, **point: gauss_newton(
                "cartesian", **point
            )
        },
    ),
    "zucchet:text:hessian-most-sensitive": Evidence(
        crossed(
            points("gap angle", (0.02, 0.4), (0.005, 2.0)),
            points("b_i c_i", (0.3, 0.7 - 0.4j), (0.8 - 0.9j, 0.2)),
        ),
        {"reference": trace_by_lambda, "closed_form": closed_trace_by_lambda},
        form=largest_other_trace,
        relation=">",
        proof=outgrows_the_others,
        mutants={
            "the gains' entries by the sensitivity": partial(
                largest_other_trace, weights="derivative"
            )
        },
    ),
}
