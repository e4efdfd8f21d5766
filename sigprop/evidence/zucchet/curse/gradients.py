"""Evidence for the gradients, Eq. 1-4 of Zucchet & Orvieto (2024), Sections 1 and 2.1.

Notation: ``L_t = |h_t - target_t|^2 / 2``, ``t = 1 .. STEPS``.
"""

import dataclasses
import functools
import math
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
    derivative,
    forward,
    layer,
    onward,
    trajectory,
    weights,
)
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.judge.basis import Basis, Evidence, Example


def _by_jax(
    function: Callable[[Any], Any], point: Float[np.ndarray, "..."]
) -> Float[np.ndarray, "..."]:
    import jax

    return computed(jax.jacfwd(function), point)


class Way(NamedTuple):
    """A routine for derivatives, and a function that returns the states."""

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
    return [derivative(kind, h)[:, None] * weights(kind) for h in iterated_states(kind)]


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


def sensitivity_sum(
    kind: str,
    end: int,
    left_out: int = 0,
    *,
    late: bool = False,
    further: int = 0,
    turned: bool = False,
) -> Float[np.ndarray, "n n n"]:
    """``sum_{t'} dh_end/dh_t' df/dA(h_{t'-1}, x_t')`` over ``t'`` from one on.

    Args:
        kind: Kind of network.
        end: Last update.
        left_out: Number of last updates without a term; a mutant if not zero.
        late: True for a mutant with updates at the state after the update.
        further: Number of updates by which the Jacobians start too early; a mutant.
        turned: True for a mutant with transposed Jacobians.
    """
    states = trajectory(kind, weights(kind))
    total = np.zeros((SIZE, SIZE, SIZE))
    for t in range(1, end - left_out + 1):
        jumps = jump_product(kind, t - further, end)
        jumps = (jumps.T if turned else jumps) * derivative(kind, states[t])
        total += np.einsum("ij,k->ijk", jumps, states[t if late else t - 1])
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


def gradient_sum(kind: str, end: int, **mutant: Any) -> Float[np.ndarray, "n n"]:
    """The error times the sum over updates; see ``sensitivity_sum``."""
    return np.einsum("i,ijk", _error(kind, end), sensitivity_sum(kind, end, **mutant))


def held(way: Way, kind: str, t: int) -> Float[np.ndarray, " n"]:
    """Derivative of all losses by ``h_t``, with all other states constant."""
    states = list(iterated_states(kind))

    def loss(h: Any) -> Any:
        return _loss([*states[: t - 1], h, *states[t:]], 1, STEPS)

    return way.derivative(loss, states[t - 1])


def error_between(way: Way, kind: str, start: int, end: int) -> Float[np.ndarray, " n"]:
    """``dL_end / dh_start``."""
    h, A = trajectory(kind, weights(kind))[start], weights(kind)

    def loss(h: Any) -> Any:
        return _loss(way.run(kind, A, h, _between(start, end))[-1:], end, end)

    return way.derivative(loss, h)


def error_carried(
    kind: str, start: int, end: int, *, turned: bool = False, shift: int = 0
) -> Float[np.ndarray, " n"]:
    """The error of ``end`` times the Jacobian from ``start``.

    Args:
        kind: Kind of network.
        start: Earlier time.
        end: Later time.
        turned: True for a mutant with the transposed Jacobian.
        shift: Number of steps by which the Jacobian starts late; a mutant if not zero.
    """
    jump = jump_product(kind, start + shift, end)
    return _error(kind, end) @ (jump.T if turned else jump)


def total(way: Way, kind: str, start: int, end: int) -> Float[np.ndarray, " n"]:
    """``d(L_start + .. + L_end) / dh_start``."""
    A = weights(kind)

    def loss(h: Any) -> Any:
        states = way.run(kind, A, h, _between(start, end))
        return _loss([h, *states], start, end)

    return way.derivative(loss, trajectory(kind, A)[start])


def total_sum(
    kind: str, start: int, end: int, first: int = 0, *, turned: bool = False
) -> Float[np.ndarray, " n"]:
    """The error at ``start`` plus every later error times its Jacobian.

    Args:
        kind: Kind of network.
        start: Time of the state.
        end: Time of the last loss.
        first: Number of omitted losses; a mutant if not zero.
        turned: True for a mutant with transposed Jacobians.
    """
    total = np.zeros(SIZE)
    for t in range(start + first, end + 1):
        jump = jump_product(kind, start, t)
        total += _error(kind, t) @ (jump.T if turned else jump)
    return total


def total_with_two_errors(kind: str, start: int, end: int) -> Float[np.ndarray, " n"]:
    """Mutant of ``total_sum``: the sum over later losses includes the current one."""
    return _error(kind, start) + total_sum(kind, start, end)


def eigenvalue_gradient(way: Way, kind: str) -> Float[np.ndarray, " n"]:
    """``dL / dlambda`` of the diagonal network, all times."""

    def loss(lam: Any) -> Any:
        states = way.run(kind, lam[None] * np.eye(SIZE), np.zeros(SIZE), data()[0])
        return _loss(states, 1, STEPS)

    return way.derivative(loss, np.diag(weights(kind)))


def eigenvalue_gradient_sum(
    kind: str, *, late: bool = False, accumulated: bool = False
) -> Float[np.ndarray, " n"]:
    """``sum_t dL/dh_t dh_t/dlambda`` with the sensitivities by their recurrence.

    Args:
        kind: Kind of network.
        late: True for a mutant in which the recurrence uses the newest state.
        accumulated: True for a mutant with total derivatives as errors.
    """
    states = trajectory(kind, weights(kind))
    derivatives = recur(np.diag(weights(kind)), states[1:] if late else states[:-1])
    errors = states[1:] - data()[1]
    if accumulated:
        errors = np.array([total_sum(kind, t + 1, STEPS) for t in range(STEPS)])
    return np.sum(errors * derivatives, axis=0)


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


def moduli(kind: str) -> Float[np.ndarray, " n"]:
    """Moduli of the eigenvalues of the first Jacobian, in rising order."""
    return np.sort(np.abs(np.linalg.eigvals(JACOBIANS[kind][0])))


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


def rate(norm: Callable[..., float], kind: str, steps: int) -> float:
    """Logarithm of the factor by which a norm grows in an update, from ``steps`` on."""
    return math.log(norm(kind, 2 * steps) / norm(kind, steps)) / steps


def states_by_mutant(
    kind: str, *, late: bool = False, turned: bool = False, mixed: bool = False
) -> Float[np.ndarray, "time n"]:
    """States of Eq. 1 with a mutant: inputs late, ``A`` transposed, inputs through it."""
    A, x = weights(kind), data()[0]
    if late:
        x = np.concatenate([np.zeros((1, SIZE)), x[:-1]])
    if mixed:
        x = x @ A.T
    return np.array(forward(kind, A.T if turned else A, np.zeros(SIZE), x))


def mutated(
    routine: Callable[..., Any], *mutants: str
) -> dict[str, Callable[..., Any]]:
    """The routine with each of these options set, by their names."""
    return {mutant: functools.partial(routine, **{mutant: True}) for mutant in mutants}


def radius_rate(kind: str, **_: object) -> float:
    """Logarithm of the spectral radius of a Jacobian."""
    return math.log(moduli(kind)[-1])


KINDS = ("diagonal", "dense", "tanh")
ENDS = across(kind=KINDS, end=(1, 5))
JUMPS = across(kind=KINDS, start=(1, 3), end=(5,))
RATES = each(rate, {"reference": decay_norm, "autodiff": decay_norm_by_layer})

EVIDENCE: dict[str, Basis] = {
    "zucchet:1": dataclasses.replace(
        by_code(points("kind", *KINDS), layer_states, iterated_states),
        mutants=mutated(states_by_mutant, "late", "turned", "mixed"),
    ),
    "zucchet:2": Evidence(
        ENDS,
        each(gradient, WAYS),
        form=gradient_sum,
        mutants={
            "without t' = t": functools.partial(gradient_sum, left_out=1),
            **mutated(gradient_sum, "late", "turned"),
            "further": functools.partial(gradient_sum, further=1),
        },
    ),
    "zucchet:4": Evidence(
        ENDS,
        each(sensitivity, WAYS),
        form=sensitivity_sum,
        mutants={
            **mutated(sensitivity_sum, "late", "turned"),
            "further": functools.partial(sensitivity_sum, further=1),
            "the last update is left out": functools.partial(
                sensitivity_sum, left_out=1
            ),
        },
    ),
    "zucchet:text:total-derivative": Evidence(
        JUMPS,
        each(total, WAYS),
        form=total_sum,
        mutants={
            **mutated(total_sum, "turned"),
            "later losses alone": functools.partial(total_sum, first=1),
            "the loss of now twice": total_with_two_errors,
        },
    ),
    "zucchet:text:partial-derivative": Evidence(
        across(kind=KINDS, t=(1, 4)),
        each(held, WAYS),
        form=_error,
        mutants={
            "the total derivative": lambda kind, t: total_sum(kind, t, STEPS),
            "the next error": lambda kind, t: _error(kind, t + 1),
            "no half in the loss": lambda kind, t: 2 * _error(kind, t),
        },
    ),
    "zucchet:text:error-between-times": Evidence(
        JUMPS,
        each(error_between, WAYS),
        form=error_carried,
        mutants={
            **mutated(error_carried, "turned"),
            "one factor too few": functools.partial(error_carried, shift=1),
            "one factor too many": functools.partial(error_carried, shift=-1),
            "with all later errors": total_sum,
        },
    ),
    "zucchet:text:negligible-or-predominant": Evidence(
        points("kind steps", ("normal", 30), ("sheared", 60), ("expanding", 20)),
        RATES,
        form=radius_rate,
        tolerance=1e-4,
        mutants={
            "the norm": lambda kind, **_: math.log(decay_norm(kind, 1)),
            "the least eigenvalue": lambda kind, **_: math.log(moduli(kind)[0]),
            "the determinant": lambda kind, **_: math.log(np.prod(moduli(kind))),
        },
    ),
    "zucchet:text:chain-rule": Evidence(
        ({"kind": "diagonal"},),
        each(eigenvalue_gradient, WAYS),
        form=eigenvalue_gradient_sum,
        mutants=mutated(eigenvalue_gradient_sum, "late", "accumulated"),
    ),
    "zucchet:3": Evidence(
        (*JUMPS, {"kind": "tanh", "start": 0, "end": 6}),
        each(jump, WAYS),
        form=jump_product,
        mutants={
            "from left to right": jump_product_in_order,
            "up to i = t": lambda kind, start, end: jump_product(kind, start, end + 1),
            "from i = t' + 1": lambda kind, start, end: jump_product(
                kind, start + 1, end
            ),
        },
    ),
    "zucchet:text:vanish": Evidence(
        points("kind steps", ("normal", 30), ("sheared", 60), ("switching", 12)),
        RATES,
        form=0.0,
        relation="<",
        mutants={
            "the least eigenvalue": lambda kind, **_: math.log(moduli(kind)[0]),
            "the determinant": lambda kind, **_: math.log(np.prod(moduli(kind))),
            "the radius squared": lambda kind, **_: 2 * math.log(moduli(kind)[-1]),
        },
        example=Example(
            "the norm of dh_t/dh_t' after 12 updates, Jacobians (0, 2; 0, 0) and (0, 0; "
            "2, 0) in turn,",
            {},
            0.0,
            functools.partial(decay_norm, "switching", 12),
        ),
    ),
    "zucchet:text:explode": Evidence(
        ({"kind": "expanding", "steps": 20},),
        RATES,
        form=0.0,
        relation=">",
        mutants={
            "the largest entry": lambda kind, **_: math.log(np.max(JACOBIANS[kind])),
            "the norm": lambda kind, **_: math.log(decay_norm(kind, 1)),
            "the trace": lambda kind, **_: math.log(np.trace(JACOBIANS[kind][0])),
        },
    ),
}
