"""What judges Section 3.1, Figures 1 and 2 of Zucchet & Orvieto (2024)."""

import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from sigprop.evidence.zucchet.curse.growth import (
    by_growth,
    growth,
    stationary_covariance,
)
from sigprop.evidence.zucchet.curse.responses import (
    CONTROLLED,
    EPS,
    LENGTH,
    by_moments,
    layer_response,
    moment_by_layer,
    moment_by_sum,
    pair_sum,
    power_response,
)
from sigprop.evidence.zucchet.curse.student_loss import (
    derivative_by_layer,
    loss_by_sum,
)
from sigprop.evidence.zucchet.networks.diagonal import COMPLEX_GAINS
from sigprop.judge.basis import AtPoint, Basis, Evidence
from sigprop.layers.lru import LRU
from sigprop.numerics.precision import double_precision
from theory.recurrences import MOMENTS


def late_by_sum(lam: float, rho: float) -> float:
    """The sensitivity's moment where a state sees inputs one step late."""
    w = np.concatenate([[0.0], power_response(lam, "sensitivity", LENGTH)])
    return pair_sum(w, rho)


def late_by_layer(lam: float, rho: float) -> float:
    """The sensitivity's moment with inputs one step late, through the layer."""
    w = np.concatenate([[0.0], layer_response(lam, "sensitivity")])
    return pair_sum(w, rho)


def correlation_gain(moment: Callable[..., float], lam: float, rho: float) -> float:
    """The sensitivity's moment at ``rho`` over that at ``rho - 0.1``."""
    return moment(lam, rho, "sensitivity") / moment(lam, rho - 0.1, "sensitivity")


def lead_over_grey(exponent: Callable[..., float], rho: float) -> float:
    """Exponent of the sensitivity at ``rho`` less that of the state at ``rho = 1``."""
    return exponent(0.0, rho, "sensitivity") - exponent(0.0, 1.0, "state")


def _second_difference(
    function: Callable[[float], float], at: float, width: float
) -> float:
    values = [function(at + j * width) for j in (-2, -1, 0, 1, 2)]
    weights = (-1 / 12, 4 / 3, -5 / 2, 4 / 3, -1 / 12)
    return sum(w * v for w, v in zip(weights, values, strict=True)) / width**2


def curvature_by_difference(star: float) -> float:
    """``d2L/dlam2`` at the teacher, on the real axis."""
    return _second_difference(lambda lam: loss_by_sum(lam, star), star, 1e-4)


def curvature_by_layer(star: float) -> float:
    """``d2L/dlam2`` at the teacher, on the real axis, by autodiff through the layer."""
    return derivative_by_layer(star, 0.0, star, 0, 2)


def circle_curvature_by_difference(r: float) -> float:
    """``d2L/dtheta2`` at the teacher, on its circle."""
    return _second_difference(
        lambda theta: loss_by_sum(r * np.exp(1j * theta), r), 0.0, 1e-4
    )


def circle_curvature_by_layer(r: float) -> float:
    """``d2L/dtheta2`` at the teacher, on its circle, by autodiff through the layer."""
    return derivative_by_layer(r, 0.0, r, 1, 2)


def normalised(
    moment: Callable[..., float], lam: float, rho: float, quantity: str
) -> float:
    """``(1 - lam^2)`` times a moment."""
    return (1 - lam**2) * moment(lam, rho, quantity)


def backward_by_layer(lam: float, rho: float) -> float:
    """Moment of ``dL/dx_t`` through the normalised LRU, errors ``R = rho^|lag|``."""
    length = 400
    with double_precision(True):
        one, nu = jnp.ones((1, 1)), jnp.log(-jnp.log(jnp.asarray([lam])))
        angle = jnp.asarray([-800.0])
        cell = LRU(one, 0 * one, one, 0 * one, 0 * one, nu, angle, None, "detached")

        def last(x):
            return jnp.real(cell.states(x))[-1, 0]

        # One error at the end: what it gives an input is its weight at that distance.
        weights = np.asarray(jax.jit(jax.grad(last))(jnp.zeros((length, 1))))[::-1, 0]
        return pair_sum(weights, rho)


def backward_by_sum(lam: float, rho: float) -> float:
    """Moment of ``gamma sum_k lam^k dL_{t+k}/dh``, errors ``R = rho^|lag|``."""
    k = np.arange(400)
    return pair_sum(math.sqrt(1 - lam**2) * lam**k, rho)


def optimal_slope_by_sum(lam: float) -> float:
    """The slope ``dlam/domega`` that makes the normalised moment one, white input."""
    return 1 / math.sqrt(normalised(moment_by_sum, lam, 0.0, "sensitivity"))


def optimal_slope_by_layer(lam: float) -> float:
    """Slope ``dlam/domega`` with normalised moment one, by bisection and the layer."""
    w = layer_response(lam, "sensitivity") * math.sqrt(1 - lam**2)
    low, high = 0.0, 2.0
    for _ in range(60):
        middle = (low + high) / 2
        enough = pair_sum(middle * w, 0.0) < 1
        low, high = (middle, high) if enough else (low, middle)
    return (low + high) / 2


def controlled_edge_by_sum() -> float:
    """Figure 2B at a gap of 1e-4, white input, derivative by a complex step."""
    nu, n = math.log(-math.log1p(-1e-4)) + 1j * EPS, np.arange(400_000)
    w = np.imag(np.exp(-n * np.exp(nu))) / EPS
    return (2e-4 - 1e-8) * pair_sum(w, 0.0)


def controlled_edge_by_states() -> float:
    """Figure 2B at a gap of 1e-6 from the stationary covariance."""
    slope = (1 - 1e-6) * math.log1p(-1e-6)
    moment = stationary_covariance(1e-6, 0.0, 0.0, "sensitivity")
    return (2e-6 - 1e-12) * slope**2 * moment


def controlled_growth(
    exponent: Callable[..., float], rho: float, quantity: str
) -> float:
    """Exponent of a normalised, and for the sensitivity reparametrised, moment."""
    scale = {"state": lambda lam: 1.0, "sensitivity": lambda lam: lam * math.log(lam)}

    def weight(gap: float) -> float:
        lam = 1 - gap
        return (1 - lam**2) * scale[quantity](lam) ** 2

    return exponent(0.0, rho, quantity) + growth(weight)


REAL = tuple(
    {"lam": lam, "rho": rho} for lam, rho in ((0.6, 0.3), (-0.5, 0.7), (0.9, -0.4))
)
POSITIVE = tuple(
    {"lam": lam, "rho": rho} for lam, rho in ((0.6, 0.3), (0.3, 0.0), (0.85, -0.4))
)
SIZES = tuple({"lam": lam} for lam in (0.3, 0.6, 0.85))
NORMALISED = by_moments(normalised)


def _with(points: tuple[AtPoint, ...], **values: object) -> tuple[AtPoint, ...]:
    return tuple({**at, **values} for at in points)


def grey(quantity: str) -> Evidence:
    """The bare moment of a quantity under constant input."""
    return Evidence(
        _with(SIZES, rho=1.0, quantity=quantity),
        {"reference": moment_by_sum, "impulse": moment_by_layer},
    )


EVIDENCE: dict[str, Basis] = {
    "zucchet:fig1:recurrence": Evidence(
        REAL, {"reference": late_by_sum, "impulse": late_by_layer}
    ),
    "zucchet:fig1:correlation": Evidence(
        tuple({"lam": lam, "rho": rho} for lam in (0.3, 0.9) for rho in (0.1, 0.9)),
        by_moments(correlation_gain),
        form=1.0,
        relation=">",
        slips={"three times as much": 3.0},
    ),
    "zucchet:fig1:grey-line": Evidence(
        tuple({"rho": rho} for rho in (0.0, 0.5, 1.0)),
        by_growth(lead_over_grey),
        form=0.5,
        relation=">",
        slips={"three powers more": 3.0},
    ),
    "zucchet:fig1:sharpness-real": Evidence(
        tuple({"star": star} for star in (0.3, 0.6, 0.9)),
        {"reference": curvature_by_difference, "autodiff": curvature_by_layer},
    ),
    "zucchet:fig1:sharpness-circle": Evidence(
        tuple({"r": r} for r in (0.3, 0.6, 0.9)),
        {
            "reference": circle_curvature_by_difference,
            "autodiff": circle_curvature_by_layer,
        },
    ),
    "zucchet:text:aim": Evidence(
        tuple({"re": re, "im": im} for re, im in ((0.4, 0.2), (-0.9, 0.3))),
        COMPLEX_GAINS,
    ),
    "zucchet:text:normalise": Evidence(_with(REAL, quantity="state"), NORMALISED),
    "zucchet:text:backward-normalised": Evidence(
        POSITIVE[:2], {"autodiff": backward_by_layer, "reference": backward_by_sum}
    ),
    "zucchet:text:partly": Evidence(_with(REAL, quantity="sensitivity"), NORMALISED),
    "zucchet:text:optimal-slope": Evidence(
        ({"lam": 0.3}, {"lam": -0.5}, {"lam": 0.9}),
        {"reference": optimal_slope_by_sum, "impulse": optimal_slope_by_layer},
    ),
    "zucchet:fig2a": Evidence(_with(SIZES, rho=0.0, quantity="state"), CONTROLLED),
    "zucchet:fig2b": Evidence(_with(POSITIVE, quantity="nu"), CONTROLLED),
    "zucchet:fig2b:edge": Evidence(
        ({},),
        {
            "reference": controlled_edge_by_sum,
            "closed_form": controlled_edge_by_states,
        },
        tolerance=1e-3,
    ),
    "zucchet:fig2b:bounded": Evidence(
        tuple(
            {"lam": lam, "rho": 0.0, "quantity": "nu"}
            for lam in (0.02, 0.3, 0.6, 0.85, 0.98)
        ),
        CONTROLLED,
        form=0.5,
        relation="<=",
        slips={"a quarter": 0.25},
    ),
    "zucchet:fig2:other-inputs": Evidence(
        tuple(
            {"rho": decay, "quantity": name} for decay in (1.0, 0.9) for name in MOMENTS
        ),
        by_growth(controlled_growth),
        form=0.05,  # the least exponent that counts as growth
        relation=">",
        slips={"three powers": 3.0},
    ),
    "zucchet:fig2:grey-state": grey("state"),
    "zucchet:fig2:grey-sensitivity": grey("sensitivity"),
}
