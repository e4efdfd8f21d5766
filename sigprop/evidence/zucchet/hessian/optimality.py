"""What judges the Hessian at optimality, Eq. 113-115 of Zucchet & Orvieto (2024)."""

from collections.abc import Sequence
from itertools import product
from typing import Any

import mpmath
import numpy as np
from mpmath import mpc

from sigprop.evidence.kit import also, crossed, energy, points, powers
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.hessian.differences import DIGITS, mixed_difference
from sigprop.evidence.zucchet.hessian.layer import respond, two_units
from sigprop.evidence.zucchet.hessian.loss import block
from sigprop.evidence.zucchet.hessian.samples import sample_loss
from sigprop.evidence.zucchet.hessian.sensitivities import LENGTH, gauss_newton
from sigprop.evidence.zucchet.hessian.units import (
    OFF_OPTIMALITY,
    PAIRS,
    SINGLES,
    with_charts,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision
from theory import hessian as H


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


def _moved(point: dict[str, Any], first: Any, second: Any) -> Any:
    """``L_t`` where ``lambda_i`` moves in two directions."""
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


def closed_block(chart: str, **point: Any) -> list[list[complex]]:
    """The real block from ``S`` and the chain rule."""
    if chart == "cartesian":
        return H.block_value(H.CARTESIAN, H.CARTESIAN, point)
    return H.block_value(H.polar("i"), H.polar("j"), with_charts(point))


def trace_by_lambda(lam: complex, b_i: complex, c_i: complex) -> float:
    """Trace of one unit's Hessian by (re, im) of its eigenvalue, white input."""
    hessian = block("cartesian", lambda_i=lam, b_i=b_i, c_i=c_i, single=True)
    return float(np.trace(hessian))


def trace_by_b(lam: complex, c_i: complex, **_: Any) -> float:
    """Trace of one unit's Hessian by (re, im) of its input gain, white input.

    The energy of ``c lambda**n``, summed over ages.
    """
    return energy(c_i * powers(complex(lam), LENGTH))


DIRECTIONS = also(OFF_OPTIMALITY, u=0.8 - 0.3j, v=-0.5 + 1.1j)

EVIDENCE: dict[str, Basis] = {
    "zucchet:113": Evidence(
        OFF_OPTIMALITY[:2],
        {"reference": state_by_powers, "impulse": state_by_scan},
        form=lambda h_i, **_: h_i,
    ),
    "zucchet:114": Evidence(
        OFF_OPTIMALITY[:2],
        {"reference": output_by_powers, "impulse": output_by_layer},
        form=lambda e_y, target, x, **_: e_y + target + 0.6 * x[-1],
    ),
    "zucchet:115": Evidence(
        DIRECTIONS,
        {"reference": sample_directions, "matrices": sample_directions_by_matrices},
    ),
    "zucchet:text:hessian-one-term": Evidence(
        crossed(PAIRS + SINGLES, points("chart", "cartesian", "lru")),
        {"reference": block, "closed_form": closed_block},
        form=gauss_newton,
    ),
    "zucchet:text:hessian-most-sensitive": Evidence(
        tuple(
            {"lam": lam, "b_i": b, "c_i": 0.7 - 0.4j}
            for lam, b in (
                *product((0.5 + 0.4j, -0.7j, 0.72), (0.51, 0.8 - 0.9j)),
                (0.5 + 0.4j, 0.3),
            )
        ),
        {
            "reference": trace_by_lambda,
            "closed_form": lambda lam, b_i, c_i: (
                abs(b_i * c_i) ** 2 * H.similarity(lam, complex(lam).conjugate()).real
            ),
        },
        form=trace_by_b,
        relation=">",
        slips={
            "a tenth more": lambda lam, c_i, **_: (
                1.1 * abs(c_i) ** 2 / (1 - abs(lam) ** 2)
            )
        },
    ),
}
