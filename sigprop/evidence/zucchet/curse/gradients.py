"""What judges the gradients, Eq. 1-4 of Zucchet & Orvieto (2024), Sections 1 and 2.1.

Notation: ``L_t = |h_t - target_t|^2 / 2``, ``t = 1 .. STEPS``.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Float

from sigprop.evidence.zucchet.curse.small_networks import (
    SIZE,
    STEPS,
    complex_step,
    data,
    layer,
    onward,
    trajectory,
    update,
    weights,
)
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision


def _by_jax(
    function: Callable[[Any], Any], at: Float[np.ndarray, "..."]
) -> Float[np.ndarray, "..."]:
    with double_precision(True):
        return np.asarray(jax.jacfwd(function)(jnp.asarray(at)))


def layer_states(kind: str) -> Float[np.ndarray, "time n"]:
    """States by the layer's own loop."""
    with double_precision(True):
        return np.asarray(layer(kind, weights(kind)).states(jnp.asarray(data()[0])))


def iterated_states(kind: str) -> Float[np.ndarray, "time n"]:
    """States by iterating Eq. 1 in numpy."""
    return trajectory(kind, weights(kind))[1:]


def _between(start: int, end: int) -> Float[np.ndarray, "time n"]:
    return data()[0][start:end]


def jump_autodiff(kind: str, start: int, end: int) -> Float[np.ndarray, "n n"]:
    """``dh_end / dh_start`` through the layer."""
    h, A = trajectory(kind, weights(kind))[start], weights(kind)
    return _by_jax(lambda h: onward(kind, A, h, _between(start, end))[-1], h)


def jump_complex(kind: str, start: int, end: int) -> Float[np.ndarray, "n n"]:
    """``dh_end / dh_start`` by a complex step."""
    A = weights(kind)

    def run(h):
        for x in _between(start, end):
            h = update(kind, A, h, x)
        return h

    return complex_step(run, trajectory(kind, A)[start])


def _local(kind: str) -> list[Float[np.ndarray, "n n"]]:
    """The Jacobians ``dh_{i+1} / dh_i`` for ``i = 0 .. STEPS - 1``, written out."""
    A = weights(kind)
    slope = [1 - h**2 if kind == "tanh" else 1 + 0 * h for h in trajectory(kind, A)[1:]]
    return [s[:, None] * A for s in slope]


def jump_product(kind: str, start: int, end: int) -> Float[np.ndarray, "n n"]:
    """The product of local Jacobians, the latest on the left."""
    return functools.reduce(
        lambda total, step: step @ total, _local(kind)[start:end], np.eye(SIZE)
    )


def jump_product_in_order(kind: str, start: int, end: int) -> Float[np.ndarray, "n n"]:
    """The product of local Jacobians from left to right, as the index runs."""
    return functools.reduce(np.matmul, _local(kind)[start:end], np.eye(SIZE))


def sensitivity_autodiff(kind: str, end: int) -> Float[np.ndarray, "n n n"]:
    """``dh_end / dA`` through the layer; axes (state, row of A, column of A)."""
    zero = np.zeros(SIZE)
    return _by_jax(lambda A: onward(kind, A, zero, _between(0, end))[-1], weights(kind))


def sensitivity_complex(kind: str, end: int) -> Float[np.ndarray, "n n n"]:
    """``dh_end / dA`` by a complex step."""
    return complex_step(lambda A: trajectory(kind, A)[end], weights(kind))


def _sum_over_updates(kind: str, end: int, last: int) -> Float[np.ndarray, "n n n"]:
    """``sum_{t'=1}^{last} dh_end/dh_t' df/dA(h_{t'-1}, x_t')``."""
    states = trajectory(kind, weights(kind))
    total = np.zeros((SIZE, SIZE, SIZE))
    for t in range(1, last + 1):
        slope = 1 - states[t] ** 2 if kind == "tanh" else np.ones(SIZE)
        total += np.einsum(
            "ij,j,k->ijk", jump_product(kind, t, end), slope, states[t - 1]
        )
    return total


def sensitivity_sum(kind: str, end: int) -> Float[np.ndarray, "n n n"]:
    """The sum over all updates up to and with the last one."""
    return _sum_over_updates(kind, end, end)


def sensitivity_strict(kind: str, end: int) -> Float[np.ndarray, "n n n"]:
    """The sum over all updates but the last one."""
    return _sum_over_updates(kind, end, end - 1)


def _loss(states: Any, first: int, last: int) -> Any:
    targets = data()[1]
    parts = [
        ((states[t - first] - targets[t - 1]) ** 2).sum()
        for t in range(first, last + 1)
    ]
    return sum(parts) / 2


def _error(kind: str, t: int) -> Float[np.ndarray, " n"]:
    """``dL_t / dh_t`` by the read-out alone."""
    return trajectory(kind, weights(kind))[t] - data()[1][t - 1]


def gradient_autodiff(kind: str, end: int) -> Float[np.ndarray, "n n"]:
    """``dL_end / dA`` through the layer."""
    zero = np.zeros(SIZE)

    def loss(A):
        return _loss(onward(kind, A, zero, _between(0, end))[-1:], end, end)

    return _by_jax(loss, weights(kind))


def gradient_complex(kind: str, end: int) -> Float[np.ndarray, "n n"]:
    """``dL_end / dA`` by a complex step."""
    return complex_step(
        lambda A: _loss(trajectory(kind, A)[end:], end, end), weights(kind)
    )


def gradient_sum(kind: str, end: int) -> Float[np.ndarray, "n n"]:
    """The error times the sum over updates up to and with the last one."""
    return np.einsum("i,ijk", _error(kind, end), sensitivity_sum(kind, end))


def gradient_sum_strict(kind: str, end: int) -> Float[np.ndarray, "n n"]:
    """The error times the sum over all updates but the last one: over ``t' < t``."""
    return np.einsum("i,ijk", _error(kind, end), sensitivity_strict(kind, end))


def total_autodiff(kind: str, start: int, end: int) -> Float[np.ndarray, " n"]:
    """``d(L_start + .. + L_end) / dh_start`` through the layer."""
    h, A = trajectory(kind, weights(kind))[start], weights(kind)

    def loss(h):
        return _loss([h, *onward(kind, A, h, _between(start, end))], start, end)

    return _by_jax(loss, h)


def total_complex(kind: str, start: int, end: int) -> Float[np.ndarray, " n"]:
    """``d(L_start + .. + L_end) / dh_start`` by a complex step."""
    A = weights(kind)

    def loss(h):
        states = [h]
        for x in _between(start, end):
            states.append(update(kind, A, states[-1], x))
        return _loss(states, start, end)

    return complex_step(loss, trajectory(kind, A)[start])


def total_sum(kind: str, start: int, end: int) -> Float[np.ndarray, " n"]:
    """The error of now plus every later error times its jump."""
    return sum(
        (_error(kind, t) @ jump_product(kind, start, t) for t in range(start, end + 1)),
        np.zeros(SIZE),
    )


def eigenvalue_gradient_autodiff(kind: str) -> Float[np.ndarray, " n"]:
    """``dL / dlambda`` of the diagonal network, all times, through the layer."""
    zero = np.zeros(SIZE)

    def loss(lam):
        states = onward(kind, jnp.diag(lam), zero, data()[0])
        return _loss(states, 1, STEPS)

    return _by_jax(loss, np.diag(weights(kind)))


def eigenvalue_gradient_complex(kind: str) -> Float[np.ndarray, " n"]:
    """``dL / dlambda`` of the diagonal network by a complex step."""
    return complex_step(
        lambda lam: _loss(trajectory(kind, np.diag(lam))[1:], 1, STEPS),
        np.diag(weights(kind)),
    )


def eigenvalue_gradient_sum(kind: str) -> Float[np.ndarray, " n"]:
    """``sum_t dL/dh_t dh_t/dlambda`` with the sensitivities by their recurrence."""
    lam = np.diag(weights(kind))
    states, s, total = trajectory(kind, weights(kind)), np.zeros(SIZE), np.zeros(SIZE)
    for t in range(1, STEPS + 1):
        s = lam * s + states[t - 1]
        total += _error(kind, t) * s
    return total


JACOBIANS = {
    "normal": (np.array([[0.6, -0.4], [0.4, 0.6]]),),
    "sheared": (np.array([[0.7, 2.0], [0.0, 0.6]]),),
    "switching": (
        np.array([[0.0, 2.0], [0.0, 0.0]]),
        np.array([[0.0, 0.0], [2.0, 0.0]]),
    ),
    "expanding": (np.array([[1.05, 3.0], [0.0, 0.4]]),),
}
"""Jacobians that a network goes through, over and over."""


def largest_radius(kind: str) -> float:
    """The largest spectral radius that a Jacobian of the network has."""
    return max(float(np.abs(np.linalg.eigvals(J)).max()) for J in JACOBIANS[kind])


def decay_norm(kind: str, steps: int, **_: object) -> float:
    """Norm of the product of the Jacobians of ``steps`` updates."""
    turns = JACOBIANS[kind]
    product = np.eye(2)
    for i in range(steps):
        product = turns[i % len(turns)] @ product
    return float(np.linalg.norm(product, 2))


def decay_norm_by_layer(kind: str, steps: int, **_: object) -> float:
    """Norm of a layer's Jacobian over ``steps`` updates; inputs switch a ReLU's units."""
    start, inputs = np.array([0.5, 1.0]), np.zeros((steps, 2))
    A, network = JACOBIANS[kind][0], "dense"
    if kind == "switching":
        A, network = np.array([[0.0, 2.0], [2.0, 0.0]]), "relu"
        h = start
        for i in range(steps):
            inputs[i, 1 - i % 2] = -1 - (A @ h)[1 - i % 2]
            h = np.maximum(A @ h + inputs[i], 0)
    with double_precision(True):
        cell = layer(network, A)

        def run(h):
            return jax.lax.scan(lambda h, x: cell.step(h, x), h, jnp.asarray(inputs))[0]

        return float(np.linalg.norm(np.asarray(jax.jacfwd(run)(jnp.asarray(start))), 2))


KINDS = ("diagonal", "dense", "tanh")
ENDS = tuple({"kind": kind, "end": end} for kind in KINDS for end in (1, 5))
JUMPS = tuple(
    {"kind": kind, "start": start, "end": 5} for kind in KINDS for start in (1, 3)
)
NORMS = {"reference": decay_norm, "autodiff": decay_norm_by_layer}

EVIDENCE: dict[str, Basis] = {
    "zucchet:1": by_code(
        tuple({"kind": kind} for kind in KINDS), layer_states, iterated_states
    ),
    "zucchet:2": Evidence(
        ENDS,
        {"autodiff": gradient_autodiff, "reference": gradient_complex},
        form=gradient_sum,
        printed=gradient_sum_strict,
    ),
    "zucchet:4": Evidence(
        ENDS,
        {"autodiff": sensitivity_autodiff, "reference": sensitivity_complex},
        form=sensitivity_sum,
        slips={"the last update is left out": sensitivity_strict},
    ),
    "zucchet:text:total-derivative": Evidence(
        JUMPS,
        {"autodiff": total_autodiff, "reference": total_complex},
        form=total_sum,
    ),
    "zucchet:text:chain-rule": Evidence(
        ({"kind": "diagonal"},),
        {
            "autodiff": eigenvalue_gradient_autodiff,
            "reference": eigenvalue_gradient_complex,
        },
        form=eigenvalue_gradient_sum,
    ),
    "zucchet:3": Evidence(
        (*JUMPS, {"kind": "tanh", "start": 0, "end": 6}),
        {"autodiff": jump_autodiff, "reference": jump_complex},
        form=jump_product,
        printed=jump_product_in_order,
    ),
    "zucchet:text:vanish": Evidence(
        (
            {"kind": "normal", "steps": 30, "bound": 0.75},
            {"kind": "sheared", "steps": 60, "bound": 0.8},
            {"kind": "switching", "steps": 12, "bound": 0.1},
        ),
        NORMS,
        form=lambda steps, bound, **_: bound**steps,
        relation="<=",
        slips={
            "a rate that is too fast": lambda steps, bound, **_: (bound / 2) ** steps
        },
    ),
    "zucchet:text:explode": Evidence(
        ({"kind": "expanding", "steps": 20, "bound": 1.05},),
        NORMS,
        form=lambda steps, bound, **_: bound**steps,
        relation=">=",
        slips={
            "a growth that is too fast": lambda steps, bound, **_: (2 * bound) ** steps
        },
    ),
}
