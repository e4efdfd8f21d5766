"""Evidence for Section 3.1, Figures 1 and 2 of Zucchet & Orvieto (2024)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from sigprop.evidence.kit import (
    across,
    also,
    central,
    complex_step,
    each,
    energy,
    moment,
    points,
    powers,
)
from sigprop.evidence.zucchet.curse.growth import GROWTHS
from sigprop.evidence.zucchet.curse.responses import (
    CONTROLLED,
    MOMENTS,
    RESPONSES,
    layer_response,
    one_neuron,
)
from sigprop.evidence.zucchet.curse.student_loss import derivative_by_layer, loss_by_sum
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision
from sigprop.theory import recurrences


def late(respond: Callable[..., Any], lam: float, rho: float) -> float:
    """The sensitivity's moment where a state sees inputs one step late."""
    return moment(np.concatenate([[0.0], respond(lam, "sensitivity")]), rho)


def correlation_gain(of: Callable[..., float], lam: float, rho: float) -> float:
    """The sensitivity's moment at ``rho`` over that at ``rho - 0.1``."""
    return of(lam, rho, "sensitivity") / of(lam, rho - 0.1, "sensitivity")


def lead_over_grey(exponent: Callable[..., float], rho: float) -> float:
    """Exponent of the sensitivity at ``rho`` less that of the state at ``rho = 1``."""
    return exponent(0.0, rho, "sensitivity") - exponent(0.0, 1.0, "state")


def curvature_by_difference(star: float) -> float:
    """``d2L/dlam2`` at the teacher, on the real axis."""
    return central(lambda lam: loss_by_sum(lam, star), star, 1e-4, derivative=2)


def curvature_by_layer(star: float) -> float:
    """``d2L/dlam2`` at the teacher, on the real axis, by autodiff through the layer."""
    return derivative_by_layer(star, 0.0, star, 0, 2)


def circle_curvature_by_difference(r: float) -> float:
    """``d2L/dtheta2`` at the teacher, on its circle."""
    return central(
        lambda theta: loss_by_sum(r * np.exp(1j * theta), r), 0.0, 1e-4, derivative=2
    )


def circle_curvature_by_layer(r: float) -> float:
    """``d2L/dtheta2`` at the teacher, on its circle, by autodiff through the layer."""
    return derivative_by_layer(r, 0.0, r, 1, 2)


def normalised(
    of: Callable[..., float], lam: float, rho: float, quantity: str
) -> float:
    """``(1 - lam^2)`` times a moment."""
    return (1 - lam**2) * of(lam, rho, quantity)


def bare(lam: float, rho: float, quantity: str = "") -> float:
    """The normalised sensitivity to ``lam``, whatever its parameter."""
    return normalised(MOMENTS["reference"], lam, rho, "sensitivity")


def backward_by_layer(lam: float, rho: float) -> float:
    """Moment of ``dL/dx_t`` through the normalised LRU, errors ``R = rho^|lag|``."""
    import jax
    import jax.numpy as jnp

    from sigprop.layers.lru import LRU

    with double_precision(True):
        nu, angle = jnp.log(-jnp.log(jnp.asarray([lam]))), jnp.asarray([-800.0])
        cell = LRU(*one_neuron(), nu, angle, None, "detached")

        def last(x):
            return jnp.real(cell.states(x))[-1, 0]

        # One error at the end: the gradient of an input is its weight at that distance.
        weights = np.asarray(jax.jit(jax.grad(last))(jnp.zeros((400, 1))))[::-1, 0]
        return moment(weights, rho)


def backward_by_sum(lam: float, rho: float) -> float:
    """Moment of ``gamma sum_k lam^k dL_{t+k}/dh``, errors ``R = rho^|lag|``."""
    return (1 - lam**2) * moment(powers(lam, 400), rho)


def by_tanh(lam: float) -> float:
    """``gamma^2 lam'^2 E[(dh/dlam)^2]`` of ``lam = tanh(omega)``, white input."""
    derivative = complex_step(np.tanh, math.atanh(lam))
    return derivative**2 * normalised(MOMENTS["reference"], lam, 0.0, "sensitivity")


def by_tanh_and_layer(lam: float) -> float:
    """Moment of ``by_tanh``, by autodiff of tanh and through the layer."""
    import jax
    import jax.numpy as jnp

    with double_precision(True):
        derivative = float(jax.grad(jnp.tanh)(math.atanh(lam)))
    return energy(
        derivative * math.sqrt(1 - lam**2) * layer_response(lam, "sensitivity")
    )


def wider(of: Callable[..., float], rho: float, less: float, quantity: str) -> float:
    """Ratio of a controlled moment's spread over eigenvalues to its spread at ``less``."""

    def spread(decay: float) -> float:
        moments = [of(lam, decay, quantity) for lam in (0.1, 0.5, 0.9, 0.99)]
        return max(moments) / min(moments)

    return spread(rho) / spread(less)


REAL = points("lam rho", (0.6, 0.3), (-0.5, 0.7), (0.9, -0.4))
POSITIVE = points("lam rho", (0.6, 0.3), (0.3, 0.0), (0.85, -0.4))
SIZES = points("lam", 0.3, 0.6, 0.85)
NORMALISED = each(normalised, MOMENTS)


def grey(quantity: str) -> Evidence:
    """The moment of a quantity under constant input, without normalisation."""
    return Evidence(also(SIZES, rho=1.0, quantity=quantity), MOMENTS)


EVIDENCE: dict[str, Basis] = {
    "zucchet:fig1:recurrence": Evidence(REAL, each(late, RESPONSES)),
    "zucchet:fig1:correlation": Evidence(
        across(lam=(0.3, 0.9), rho=(0.1, 0.9)),
        each(correlation_gain, MOMENTS),
        form=1.0,
        relation=">",
        proof=recurrences.correlation_sharpens,
        hand={"three times as much": 3.0},
    ),
    "zucchet:fig1:grey-line": Evidence(
        points("rho", 0.0, 0.5, 1.0),
        each(lead_over_grey, GROWTHS),
        form=0.0,
        relation=">",
        hand={"three powers more": 3.0},
    ),
    "zucchet:fig1:sharpness-real": Evidence(
        points("star", 0.3, 0.6, 0.9),
        {"reference": curvature_by_difference, "autodiff": curvature_by_layer},
    ),
    "zucchet:fig1:sharpness-circle": Evidence(
        points("r", 0.3, 0.6, 0.9),
        {
            "reference": circle_curvature_by_difference,
            "autodiff": circle_curvature_by_layer,
        },
    ),
    "zucchet:text:normalise": Evidence(also(REAL, quantity="state"), NORMALISED),
    "zucchet:text:backward-normalised": Evidence(
        POSITIVE[:2], {"autodiff": backward_by_layer, "reference": backward_by_sum}
    ),
    "zucchet:text:partly": Evidence(also(REAL, quantity="sensitivity"), NORMALISED),
    "zucchet:text:optimal-slope": Evidence(
        points("lam", 0.3, -0.5, 0.9),
        {"reference": by_tanh, "impulse": by_tanh_and_layer},
        form=lambda lam: 1 + lam**2,
        mutants={
            "the slope once": lambda lam: (1 + lam**2) / (1 - lam**2),
            "the slope of a sigmoid": lambda lam: (lam / (1 + lam)) ** 2 * (1 + lam**2),
        },
    ),
    "zucchet:fig2a": Evidence(also(SIZES, rho=0.0, quantity="state"), CONTROLLED),
    "zucchet:fig2b": Evidence(
        also(POSITIVE, quantity="nu"),
        CONTROLLED,
        printed=bare,
        example=Example(
            "the curve of panel B under white input, which is E[(dh/dnu)^2] for lam = "
            "exp(-exp(nu)) and not E[(dh/dlam)^2],",
            {"lam": 0.9},
            lambda lam: bare(lam, 0.0),
            lambda lam: (lam * math.log(lam)) ** 2 * bare(lam, 0.0),
        ),
    ),
    "zucchet:fig2b:bounded": Evidence(
        across(lam=(0.02, 0.3, 0.6, 0.85, 0.98), rho=(0.0,), quantity=("nu",)),
        CONTROLLED,
        form=0.5,
        relation="<=",
        proof=recurrences.controlled_is_bounded,
        mutants={
            "by the share that stays": lambda lam, **_: lam**2 / 2,
            "by the gap": lambda lam, **_: (1 - lam**2) / 2,
            "by the slope": lambda lam, **_: abs(lam * math.log(lam)),
        },
        hand={"a quarter": 0.25},
    ),
    "zucchet:fig2:other-inputs": Evidence(
        (
            *points("rho less quantity", (-0.6, 0.0, "state"), (-0.8, -0.6, "state")),
            *points("rho less quantity", *((0.5, 0.0, q) for q in ("state", "nu"))),
            *points("rho less quantity", *((0.9, 0.5, q) for q in ("state", "nu"))),
            *points("rho less quantity", *((1.0, 0.9, q) for q in ("state", "nu"))),
        ),
        each(wider, CONTROLLED),
        form=1.0,
        relation=">",
        hand={"a thousandfold": 1000.0},
    ),
    "zucchet:fig2:grey-state": grey("state"),
    "zucchet:fig2:grey-sensitivity": grey("sensitivity"),
}
