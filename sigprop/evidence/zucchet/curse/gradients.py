"""What judges the gradients, Eq. 1-4 of Zucchet & Orvieto (2024), Sections 1 and 2.1.

Notation: ``L_t = |h_t - target_t|^2 / 2``, ``t = 1 .. STEPS``.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import across, complex_step, each, points, recur
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.curse.small_networks import (
    SIZE,
    STEPS,
    data,
    forward,
    layer,
    onward,
    slope,
    trajectory,
    weights,
)
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.judge.basis import Basis, Evidence


def _by_jax(
    function: Callable[[Any], Any], point: Float[np.ndarray, "..."]
) -> Float[np.ndarray, "..."]:
    import jax

    return computed(jax.jacfwd(function), point)


class Way(NamedTuple):
    """How derivatives are taken, and of which states after each input from a first."""

    derivative: Callable[..., Any]
    run: Callable[..., Any]


WAYS = {"autodiff": Way(_by_jax, onward), "reference": Way(complex_step, forward)}


def layer_states(kind: str) -> Float[np.ndarray, "time n"]:
    """States by the layer's own loop."""
    return computed(lambda A, x: layer(kind, A).states(x), weights(kind), data()[0])


def iterated_states(kind: str) -> Float[np.ndarray, "time n"]:
    """States by iterating Eq. 1 in numpy."""
    return trajectory(kind, weights(kind))[1:]


def _between(start: int, end: int) -> Float[np.ndarray, "time n"]:
    return data()[0][start:end]


def jump(way: Way, kind: str, start: int, end: int) -> Float[np.ndarray, "n n"]:
    """``dh_end / dh_start``."""
    h, A = trajectory(kind, weights(kind))[start], weights(kind)
    return way.derivative(lambda h: way.run(kind, A, h, _between(start, end))[-1], h)


def _local(kind: str) -> list[Float[np.ndarray, "n n"]]:
    """The Jacobians ``dh_{i+1} / dh_i`` for ``i = 0 .. STEPS - 1``, written out."""
    return [slope(kind, h)[:, None] * weights(kind) for h in iterated_states(kind)]


def jump_product(kind: str, start: int, end: int) -> Float[np.ndarray, "n n"]:
    """The product of local Jacobians, the latest on the left."""
    return functools.reduce(
        lambda total, step: step @ total, _local(kind)[start:end], np.eye(SIZE)
    )


def jump_product_in_order(kind: str, start: int, end: int) -> Float[np.ndarray, "n n"]:
    """The product of local Jacobians from left to right, as the index runs."""
    return functools.reduce(np.matmul, _local(kind)[start:end], np.eye(SIZE))


def sensitivity(way: Way, kind: str, end: int) -> Float[np.ndarray, "n n n"]:
    """``dh_end / dA``; axes (state, row of A, column of A)."""
    return way.derivative(
        lambda A: way.run(kind, A, np.zeros(SIZE), _between(0, end))[-1], weights(kind)
    )


def sensitivity_sum(kind: str, end: int, left_out: int = 0):
    """``sum_{t'} dh_end/dh_t' df/dA(h_{t'-1}, x_t')`` over ``t'`` from one on.

    Args:
        kind: Of network.
        end: The last update.
        left_out: How many of the last updates are left out.
    """
    states = trajectory(kind, weights(kind))
    total = np.zeros((SIZE, SIZE, SIZE))
    for t in range(1, end - left_out + 1):
        jumps = jump_product(kind, t, end) * slope(kind, states[t])
        total += np.einsum("ij,k->ijk", jumps, states[t - 1])
    return total


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


def gradient(way: Way, kind: str, end: int) -> Float[np.ndarray, "n n"]:
    """``dL_end / dA``."""

    def loss(A: Any) -> Any:
        states = way.run(kind, A, np.zeros(SIZE), _between(0, end))
        return _loss(states[-1:], end, end)

    return way.derivative(loss, weights(kind))


def gradient_sum(kind: str, end: int, left_out: int = 0) -> Float[np.ndarray, "n n"]:
    """The error times the sum over updates; see ``sensitivity_sum``."""
    return np.einsum("i,ijk", _error(kind, end), sensitivity_sum(kind, end, left_out))


def total(way: Way, kind: str, start: int, end: int) -> Float[np.ndarray, " n"]:
    """``d(L_start + .. + L_end) / dh_start``."""
    A = weights(kind)

    def loss(h: Any) -> Any:
        states = way.run(kind, A, h, _between(start, end))
        return _loss([h, *states], start, end)

    return way.derivative(loss, trajectory(kind, A)[start])


def total_sum(kind: str, start: int, end: int) -> Float[np.ndarray, " n"]:
    """The error of now plus every later error times its jump."""
    return sum(
        (_error(kind, t) @ jump_product(kind, start, t) for t in range(start, end + 1)),
        np.zeros(SIZE),
    )


def eigenvalue_gradient(way: Way, kind: str) -> Float[np.ndarray, " n"]:
    """``dL / dlambda`` of the diagonal network, all times."""

    def loss(lam: Any) -> Any:
        states = way.run(kind, lam[None] * np.eye(SIZE), np.zeros(SIZE), data()[0])
        return _loss(states, 1, STEPS)

    return way.derivative(loss, np.diag(weights(kind)))


def eigenvalue_gradient_sum(kind: str) -> Float[np.ndarray, " n"]:
    """``sum_t dL/dh_t dh_t/dlambda`` with the sensitivities by their recurrence."""
    states = trajectory(kind, weights(kind))
    slopes = recur(np.diag(weights(kind)), states[:-1])
    return np.sum((states[1:] - data()[1]) * slopes, axis=0)


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
    import jax
    import jax.numpy as jnp

    start, inputs = np.array([0.5, 1.0]), np.zeros((steps, 2))
    A, network = JACOBIANS[kind][0], "dense"
    if kind == "switching":
        A, network = np.array([[0.0, 2.0], [2.0, 0.0]]), "relu"
        h = start
        for i in range(steps):
            inputs[i, 1 - i % 2] = -1 - (A @ h)[1 - i % 2]
            h = np.maximum(A @ h + inputs[i], 0)

    def run(h):
        cell = layer(network, A)
        return jax.lax.scan(lambda h, x: cell.step(h, x), h, jnp.asarray(inputs))[0]

    return float(np.linalg.norm(computed(jax.jacfwd(run), start), 2))


KINDS = ("diagonal", "dense", "tanh")
ENDS = across(kind=KINDS, end=(1, 5))
JUMPS = across(kind=KINDS, start=(1, 3), end=(5,))
NORMS = {"reference": decay_norm, "autodiff": decay_norm_by_layer}

EVIDENCE: dict[str, Basis] = {
    "zucchet:1": by_code(points("kind", *KINDS), layer_states, iterated_states),
    "zucchet:2": Evidence(
        ENDS,
        each(gradient, WAYS),
        form=gradient_sum,
        printed=functools.partial(gradient_sum, left_out=1),
    ),
    "zucchet:4": Evidence(
        ENDS,
        each(sensitivity, WAYS),
        form=sensitivity_sum,
        slips={
            "the last update is left out": functools.partial(
                sensitivity_sum, left_out=1
            )
        },
    ),
    "zucchet:text:total-derivative": Evidence(JUMPS, each(total, WAYS), form=total_sum),
    "zucchet:text:chain-rule": Evidence(
        ({"kind": "diagonal"},),
        each(eigenvalue_gradient, WAYS),
        form=eigenvalue_gradient_sum,
    ),
    "zucchet:3": Evidence(
        (*JUMPS, {"kind": "tanh", "start": 0, "end": 6}),
        each(jump, WAYS),
        form=jump_product,
        printed=jump_product_in_order,
    ),
    "zucchet:text:vanish": Evidence(
        points(
            "kind steps bound",
            ("normal", 30, 0.75),
            ("sheared", 60, 0.8),
            ("switching", 12, 0.1),
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
