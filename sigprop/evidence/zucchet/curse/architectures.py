"""Evidence for Sections 3.1 (complex), 3.2 and 4.1 (angle) of Zucchet & Orvieto (2024)."""

import dataclasses
import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import scipy
from jaxtyping import Array, Float, Inexact

from sigprop.evidence.counting import growth_of_products
from sigprop.evidence.kit import (
    across,
    central,
    complex_step,
    each,
    energy,
    legendre,
    logit,
    moment,
    points,
    powers,
    sigmoid,
)
from sigprop.evidence.lru.listing import growth_of_cost
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.curse.responses import (
    CONTROLLED,
    LENGTH,
    MOMENTS,
    RESPONSES,
    respond,
)
from sigprop.evidence.zucchet.curse.student_loss import derivative_by_layer, loss_by_sum
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.gated import ConstantGate, GatedUnit
from sigprop.numerics.precision import double_precision
from sigprop.theory import recurrences

# Section 4.1: one unit against its teacher.


def loss_by_layer(lam: complex, star: float) -> float:
    """The loss against a real teacher, through the layer."""
    return derivative_by_layer(abs(lam), float(np.angle(lam)), star, 0, 0)


def circle_derivative_by_difference(r: float, theta: float) -> float:
    """``dL/dtheta`` at a wrong phase ``theta``, the teacher being at phase zero."""
    return central(lambda angle: loss_by_sum(r * np.exp(1j * angle), r), theta, 1e-3)


def circle_derivative_by_layer(r: float, theta: float) -> float:
    """``dL/dtheta`` at a wrong phase ``theta``, by autodiff through the layer."""
    return derivative_by_layer(r, theta, r, 1, 1)


# Section 3.2: discretised differential equations.

A, B = np.array([[-0.5, 2.0], [-2.0, -0.8]]), np.array([1.0, 0.5])
START, HELD = np.array([1.0, -0.5]), 0.7


def _input(t: float) -> float:
    return math.sin(2 * t) + 0.3


def _euler_error(exact: Float[np.ndarray, " n"], steps: int) -> float:
    """Error at time one of ``h <- (Id + dt A) h + dt B x_{t+1}``."""
    dt, h = 1 / steps, START
    for i in range(steps):
        h = (np.eye(2) + dt * A) @ h + dt * B * _input((i + 1) * dt)
    return float(np.linalg.norm(h - exact))


def _order(exact: Float[np.ndarray, " n"]) -> float:
    return math.log2(_euler_error(exact, 256) / _euler_error(exact, 512))


def euler_order() -> float:
    """Order of Euler's scheme against an adaptive solution."""
    solution = scipy.integrate.solve_ivp(
        lambda t, h: A @ h + B * _input(t), (0, 1), START, rtol=1e-11, atol=1e-12
    )
    return _order(solution.y[:, -1])


def euler_order_by_quadrature() -> float:
    """Order of Euler's scheme against the integral over past inputs."""
    past = [
        weight * scipy.linalg.expm(A * (1 - s)) @ B * _input(s)
        for s, weight in zip(*legendre(0.0, 1.0, 40), strict=True)
    ]
    return _order(scipy.linalg.expm(A) @ START + np.sum(past, axis=0))


def euler_moment(respond: Callable[..., Any], dt: float, a: float) -> float:
    """``E[h^2]`` under white input of ``h <- (1 + dt a) h + dt x``."""
    return energy(dt * respond(1 + dt * a, "state"))


def hold_by_solver(dt: float) -> Float[np.ndarray, " n"]:
    """The state after ``dt`` under a held input, by an adaptive solver."""
    solution = scipy.integrate.solve_ivp(
        lambda t, h: A @ h + B * HELD, (0, dt), START, rtol=1e-12, atol=1e-13
    )
    return solution.y[:, -1]


def hold_by_series(dt: float) -> Float[np.ndarray, " n"]:
    """The state after ``dt`` under a held input, by the solution's Taylor series."""
    change = A @ START + B * HELD
    h, factor = START.copy(), 1.0
    for order in range(1, 40):
        factor *= dt / order
        h = h + factor * change
        change = A @ change
    return h


def zero_order_hold(
    dt: float, *, linear: bool = False, bare: bool = False
) -> Float[np.ndarray, " n"]:
    """``exp(dt A) h + A^-1 (exp(dt A) - Id) B x``.

    Args:
        dt: Step size.
        linear: True for a mutant with Euler's approximation of the exponential.
        bare: True for a mutant with the input matrix ``dt B``.
    """
    jump = np.eye(2) + dt * A if linear else scipy.linalg.expm(dt * A)
    entering = dt * B if bare else np.linalg.solve(A, (jump - np.eye(2)) @ B)
    return jump @ START + entering * HELD


# Section 3.2: gates.

SIZE = 3
Weights = dict[str, Float[np.ndarray, "..."]]


@functools.cache
def _gate(
    gain: float,
) -> tuple[Weights, Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Weights of a gate, of size ``gain`` from state to gate, a state and an input."""
    generator = np.random.default_rng(6)
    weights = {
        "W_fx": generator.normal(size=(SIZE, SIZE)),
        "W_fh": gain * generator.normal(size=(SIZE, SIZE)),
        "b_f": generator.normal(size=SIZE),
    }
    return weights, generator.normal(size=SIZE), generator.normal(size=SIZE)


def _next(weights: Any, h: Array, x: Array, gain: float) -> Array:
    eye, mixing = jnp.eye(SIZE), weights["W_fh"] if gain else None
    unit = GatedUnit(weights["b_f"], eye, 0 * eye, weights["W_fx"], mixing)
    return unit.step(h, x)[0]


def gated_step_by_layer(gain: float) -> Float[np.ndarray, " n"]:
    """One update of the layer with a gate."""
    return computed(_next, *_gate(gain), gain=gain)


def _gates(gain: float, h: Inexact[np.ndarray, " n"]) -> Inexact[np.ndarray, " n"]:
    w, _, x = _gate(gain)
    return sigmoid(w["W_fx"] @ x + w["W_fh"] @ h + w["b_f"])


def _update(gain: float, h: Inexact[np.ndarray, " n"]) -> Inexact[np.ndarray, " n"]:
    f = _gates(gain, h)
    return f * h + (1 - f) * _gate(gain)[2]


def gated_step(gain: float) -> Float[np.ndarray, " n"]:
    """``f h + i x`` with ``i = 1 - f``."""
    return _update(gain, _gate(gain)[1])


def gated_mutant(
    gain: float, forget: Callable[..., Any], write: Callable[..., Any]
) -> Float[np.ndarray, " n"]:
    """A mutant of ``gated_step``: other factors of the state and the input."""
    f, (_, h, x) = _gates(gain, _gate(gain)[1]), _gate(gain)
    return forget(f) * h + write(f) * x


def gated_jacobian_by_layer(gain: float) -> Float[np.ndarray, "n n"]:
    """``dh_{t+1}/dh_t`` through the layer."""
    return computed(jax.jacfwd(_next, 1), *_gate(gain), gain=gain)


def gated_jacobian_by_step(gain: float) -> Float[np.ndarray, "n n"]:
    """``dh_{t+1}/dh_t`` by a complex step."""
    return complex_step(functools.partial(_update, gain), _gate(gain)[1])


def gated_jacobian(gain: float) -> Float[np.ndarray, "n n"]:
    """``diag(f)`` and what comes through the gate."""
    w, h, x = _gate(gain)
    f = _gates(gain, h)
    return np.diag(f) + (f * (1 - f) * (h - x))[:, None] * w["W_fh"]


def gates_alone(
    gain: float, of: Callable[..., Any] = lambda f: f
) -> Float[np.ndarray, "n n"]:
    """``diag(f)``, or ``diag`` of another vector for a mutant."""
    return np.diag(of(_gates(gain, _gate(gain)[1])))


def gates_by_column(gain: float) -> Float[np.ndarray, "n n"]:
    """Mutant of ``gated_jacobian``: the derivative of the gate scales columns."""
    w, h, x = _gate(gain)
    f = _gates(gain, h)
    return gates_alone(gain) + w["W_fh"] * (f * (1 - f) * (h - x))


def gated_by_sum(lam: float, rho: float) -> float:
    """The state's moment under a constant gate, powers written out."""
    return moment((1 - lam) * powers(lam, LENGTH), rho)


def gated_by_layer(lam: float, rho: float) -> float:
    """The state's moment under a constant gate ``f = lam``, through the layer."""
    with double_precision(True):
        bias, unit = jnp.asarray([logit(lam)]), jnp.ones((1, 1))
        return moment(respond(ConstantGate(bias, unit, unit), None), rho)


def _derivative_by_jax(lam: float) -> float:
    with double_precision(True):
        return float(jax.grad(jax.nn.sigmoid)(logit(lam)))


def _derivative_by_step(lam: float) -> float:
    return complex_step(sigmoid, logit(lam))


def by_bias(routes: tuple[Callable[..., float], ...], lam: float) -> float:
    """``(1 - lam^2) (dlam/db)^2 E[(dh/dlam)^2]``, white, ``lam`` a sigmoid of ``b``."""
    derivative, moment_of = routes
    return (1 - lam**2) * derivative(lam) ** 2 * moment_of(lam, 0.0, "sensitivity")


BY_BIAS = {
    "reference": (_derivative_by_step, MOMENTS["reference"]),
    "impulse": (_derivative_by_jax, MOMENTS["impulse"]),
}
GAINS = points("gain", 0.0, 0.3, 1.0)
JACOBIANS = {"autodiff": gated_jacobian_by_layer, "reference": gated_jacobian_by_step}


def controlled(quantity: str) -> Evidence:
    """The sensitivity of the LRU to a parameter, white input, at one phase."""
    return Evidence(
        tuple(
            {
                "r": r,
                "lam": complex(r * 0.8, r * (1 - 0.8**2) ** 0.5),
                "rho": 0.0,
                "quantity": quantity,
            }
            for r in (0.3, 0.6, 0.9)
        ),
        CONTROLLED,
    )


# Section 3.2: the response of a stable recurrence to an old input.


def trace(respond: Callable[..., Any], lam: float, age: float) -> float:
    """Response of the state to an input ``age`` steps ago; the last one if infinite.

    After so many steps, the response is zero in double precision.
    """
    responses = np.abs(respond(lam, "state"))
    return float(responses[-1] if math.isinf(age) else responses[int(age)])


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:complex-magnitude": controlled("nu"),
    "zucchet:text:complex-angle": controlled("theta"),
    "zucchet:text:teacher-student": Evidence(
        points("lam star", (0.5 + 0.3j, 0.8), (-0.7, 0.9), (0.85j, 0.3)),
        {"reference": loss_by_sum, "impulse": loss_by_layer},
    ),
    "zucchet:text:flat": Evidence(
        points("r theta", (0.6, 0.5), (0.9, 1.2), (0.8, 2.5)),
        {
            "reference": circle_derivative_by_difference,
            "autodiff": circle_derivative_by_layer,
        },
        proof=recurrences.circle_is_flat,
        tolerance=1e-8,
    ),
    "zucchet:text:euler": Evidence(
        ({},),
        {"reference": euler_order, "closed_form": euler_order_by_quadrature},
        form=1.0,
        absolute=0.02,
        hand={"of second order": 2.0},
    ),
    "zucchet:text:euler-normalises": Evidence(
        points("dt a", (0.1, -0.5), (0.5, -1.0), (0.3, -2.0)),
        each(euler_moment, RESPONSES),
    ),
    "zucchet:text:zero-order-hold": Evidence(
        ({"dt": 0.05}, {"dt": 0.7}),
        {"reference": hold_by_solver, "closed_form": hold_by_series},
        form=zero_order_hold,
        mutants={
            "Euler's": functools.partial(zero_order_hold, linear=True),
            "the input as before": functools.partial(zero_order_hold, bare=True),
        },
    ),
    "zucchet:text:input-gates": Evidence(
        GAINS[:1],
        JACOBIANS,
        form=gates_alone,
        mutants={
            "the input gate": functools.partial(gates_alone, of=lambda f: 1 - f),
            "the sigmoid's slope": functools.partial(
                gates_alone, of=lambda f: f * (1 - f)
            ),
        },
    ),
    "zucchet:text:gated-update": dataclasses.replace(
        by_code(GAINS, gated_step_by_layer, gated_step),
        mutants={
            name: functools.partial(gated_mutant, forget=forget, write=write)
            for name, (forget, write) in {
                "exchanged gates": (lambda f: 1 - f, lambda f: f),
                "the input is not gated": (lambda f: f, np.ones_like),
                "one gate": (lambda f: f, lambda f: f),
            }.items()
        },
    ),
    "zucchet:text:gates-nondiagonal": Evidence(
        GAINS,
        JACOBIANS,
        form=gated_jacobian,
        mutants={"the gates alone": gates_alone, "columns for rows": gates_by_column},
    ),
    "zucchet:text:gate-normalises": Evidence(
        points("lam rho", (0.6, 1.0), (0.6, 0.3), (0.9, -0.4)),
        {"reference": gated_by_sum, "impulse": gated_by_layer},
        form=1.0,  # the input's variance
        relation="<=",
        proof=recurrences.coupled_gate_is_bounded,
        mutants={
            "the gain of white input": lambda lam, **_: (1 - lam) / (1 + lam),
            "the gate's gain": lambda lam, **_: 1 - lam,
        },
    ),
    "zucchet:text:sigmoid": Evidence(
        points("lam", 0.3, 0.6, 0.85), each(by_bias, BY_BIAS)
    ),
    "zucchet:text:smooth-mappings": Evidence(
        across(lam=(0.3, 0.6), age=(1, 40, math.inf)),
        each(trace, RESPONSES),
        form=0.0,
        relation=">",
        hand={"as much as the newest input": 0.999},
        example=Example(
            "the sum of all inputs, of which one is 1, infinitely long ago, and the others "
            "are 0, by a readout of the state that gives 0 without inputs,",
            {"lambda": 0.6},
            1.0,
            lambda **at: at["lambda"] ** math.inf,
        ),
    ),
    "zucchet:text:quadratic-attention": Evidence(
        ({"model": "attention"},),
        {"traced": growth_of_cost, "counted": growth_of_products},
        form=2.0,
        tolerance=0.02,
        hand={"linear": 1.0, "a power more": 3.0},
    ),
}
