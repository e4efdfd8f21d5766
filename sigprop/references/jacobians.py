"""Derivatives of small recurrent networks, by autodiff and by a complex step.

The networks have fixed pseudo-random weights; ``kind`` names one.  ``diagonal`` and
``dense`` are linear, ``tanh`` is not.  Routes through the real layers take JAX
derivatives; routes by a complex step use no derivative at all, and none uses a chain rule.

Notation: ``A``  recurrent matrix;  ``L_t = |h_t - target_t|^2 / 2``, ``t = 1 .. STEPS``.

Source: Zucchet & Orvieto (2024), Section 1, Section 2.1 and Eq. 11.
"""

import functools
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from sigprop.layers.dense import LinearRNN, NonlinearRNN
from sigprop.numerics.precision import double_precision

SIZE, STEPS = 3, 6
EPS = 1e-30  # a complex step has no subtraction, so it may be as small as one likes


@functools.cache
def _weights(kind: str) -> np.ndarray:
    if kind == "diagonal":
        return np.diag([0.9, -0.7, 0.4])
    return 0.6 * np.random.default_rng(7).normal(size=(SIZE, SIZE))


@functools.cache
def _data() -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(8)
    return generator.normal(size=(STEPS, SIZE)), generator.normal(size=(STEPS, SIZE))


def _activate(kind: str, h: np.ndarray) -> np.ndarray:
    return np.tanh(h) if kind == "tanh" else h


def update(kind: str, A: np.ndarray, h: np.ndarray, x: np.ndarray) -> np.ndarray:
    """``f(h, x)`` of Eq. 1; complex arguments are fine."""
    return _activate(kind, A @ h + x)


def trajectory(kind: str, A: np.ndarray) -> np.ndarray:
    """States from time 0, the zero one, to ``STEPS``."""
    states = [np.zeros(SIZE)]
    for x in _data()[0]:
        states.append(update(kind, A, states[-1], x))
    return np.array(states)


def layer(kind: str, A: Any) -> Any:
    """Network ``kind`` with matrix ``A`` as a layer of the suite; unit input weights."""
    A, eye = jnp.asarray(A), jnp.eye(A.shape[0])
    if kind in ("tanh", "relu"):
        return NonlinearRNN(A[None], eye, eye, 0 * eye, kind)
    return LinearRNN(A[None], eye, eye, 0 * eye)


def _onward(kind: str, A: Any, h: Any, inputs: Any) -> list[Any]:
    """States of the layer after each input, from the state ``h``."""
    cell, found, h = layer(kind, A), [], jnp.asarray(h)
    for x in inputs:
        h, _ = cell.step(h, jnp.asarray(x))
        found.append(h)
    return found


def _loss(states: Any, first: int, last: int) -> Any:
    targets = _data()[1]
    parts = [
        ((states[t - first] - targets[t - 1]) ** 2).sum()
        for t in range(first, last + 1)
    ]
    return sum(parts) / 2


def _by_jax(function: Callable[[Any], Any], at: np.ndarray) -> np.ndarray:
    with double_precision(True):
        return np.asarray(jax.jacfwd(function)(jnp.asarray(at)))


def complex_step(function: Callable[[Any], Any], at: np.ndarray) -> np.ndarray:
    """Derivative of an analytic function by each entry, the entries' axes last."""
    columns = []
    for place in np.ndindex(at.shape):
        moved = at.astype(complex)
        moved[place] += 1j * EPS
        columns.append(np.imag(function(moved)) / EPS)
    return np.stack(columns, axis=-1).reshape(*np.shape(columns[0]), *at.shape)


def layer_states(kind: str) -> np.ndarray:
    """States by the layer's own loop."""
    with double_precision(True):
        return np.asarray(
            layer(kind, jnp.asarray(_weights(kind))).states(jnp.asarray(_data()[0]))
        )


def iterated_states(kind: str) -> np.ndarray:
    """States by iterating Eq. 1 in numpy."""
    return trajectory(kind, _weights(kind))[1:]


def _between(start: int, end: int) -> np.ndarray:
    return _data()[0][start:end]


def jump_autodiff(kind: str, start: int, end: int) -> np.ndarray:
    """``dh_end / dh_start`` through the layer."""
    h, A = trajectory(kind, _weights(kind))[start], _weights(kind)
    return _by_jax(lambda h: _onward(kind, A, h, _between(start, end))[-1], h)


def jump_complex(kind: str, start: int, end: int) -> np.ndarray:
    """``dh_end / dh_start`` by a complex step."""
    A = _weights(kind)

    def run(h):
        for x in _between(start, end):
            h = update(kind, A, h, x)
        return h

    return complex_step(run, trajectory(kind, A)[start])


def _local(kind: str) -> list[np.ndarray]:
    """The Jacobians ``dh_{i+1} / dh_i`` for ``i = 0 .. STEPS - 1``, written out."""
    A = _weights(kind)
    slope = [1 - h**2 if kind == "tanh" else 1 + 0 * h for h in trajectory(kind, A)[1:]]
    return [s[:, None] * A for s in slope]


def jump_product(kind: str, start: int, end: int) -> np.ndarray:
    """The product of local Jacobians, the latest on the left."""
    return functools.reduce(
        lambda total, step: step @ total, _local(kind)[start:end], np.eye(SIZE)
    )


def jump_product_in_order(kind: str, start: int, end: int) -> np.ndarray:
    """The product of local Jacobians from left to right, as the index runs."""
    return functools.reduce(np.matmul, _local(kind)[start:end], np.eye(SIZE))


def sensitivity_autodiff(kind: str, end: int) -> np.ndarray:
    """``dh_end / dA`` through the layer; axes (state, row of A, column of A)."""
    zero = np.zeros(SIZE)
    return _by_jax(
        lambda A: _onward(kind, A, zero, _between(0, end))[-1], _weights(kind)
    )


def sensitivity_complex(kind: str, end: int) -> np.ndarray:
    """``dh_end / dA`` by a complex step."""
    return complex_step(lambda A: trajectory(kind, A)[end], _weights(kind))


def _sum_over_updates(kind: str, end: int, last: int) -> np.ndarray:
    """``sum_{t'=1}^{last} dh_end/dh_t' df/dA(h_{t'-1}, x_t')``."""
    states = trajectory(kind, _weights(kind))
    total = np.zeros((SIZE, SIZE, SIZE))
    for t in range(1, last + 1):
        slope = 1 - states[t] ** 2 if kind == "tanh" else np.ones(SIZE)
        total += np.einsum(
            "ij,j,k->ijk", jump_product(kind, t, end), slope, states[t - 1]
        )
    return total


def sensitivity_sum(kind: str, end: int) -> np.ndarray:
    """The sum over all updates up to and with the last one."""
    return _sum_over_updates(kind, end, end)


def sensitivity_strict(kind: str, end: int) -> np.ndarray:
    """The sum over all updates but the last one."""
    return _sum_over_updates(kind, end, end - 1)


def _error(kind: str, t: int) -> np.ndarray:
    """``dL_t / dh_t`` by the read-out alone."""
    return trajectory(kind, _weights(kind))[t] - _data()[1][t - 1]


def gradient_autodiff(kind: str, end: int) -> np.ndarray:
    """``dL_end / dA`` through the layer."""
    zero = np.zeros(SIZE)

    def loss(A):
        return _loss(_onward(kind, A, zero, _between(0, end))[-1:], end, end)

    return _by_jax(loss, _weights(kind))


def gradient_complex(kind: str, end: int) -> np.ndarray:
    """``dL_end / dA`` by a complex step."""
    return complex_step(
        lambda A: _loss(trajectory(kind, A)[end:], end, end), _weights(kind)
    )


def gradient_sum(kind: str, end: int) -> np.ndarray:
    """The error times the sum over updates up to and with the last one."""
    return np.einsum("i,ijk", _error(kind, end), _sum_over_updates(kind, end, end))


def gradient_sum_strict(kind: str, end: int) -> np.ndarray:
    """The error times the sum over all updates but the last one: over ``t' < t``."""
    return np.einsum("i,ijk", _error(kind, end), _sum_over_updates(kind, end, end - 1))


def total_autodiff(kind: str, start: int, end: int) -> np.ndarray:
    """``d(L_start + .. + L_end) / dh_start`` through the layer."""
    h, A = trajectory(kind, _weights(kind))[start], _weights(kind)

    def loss(h):
        return _loss([h, *_onward(kind, A, h, _between(start, end))], start, end)

    return _by_jax(loss, h)


def total_complex(kind: str, start: int, end: int) -> np.ndarray:
    """``d(L_start + .. + L_end) / dh_start`` by a complex step."""
    A = _weights(kind)

    def loss(h):
        states = [h]
        for x in _between(start, end):
            states.append(update(kind, A, states[-1], x))
        return _loss(states, start, end)

    return complex_step(loss, trajectory(kind, A)[start])


def total_sum(kind: str, start: int, end: int) -> np.ndarray:
    """The error of now plus every later error times its jump."""
    return sum(
        (_error(kind, t) @ jump_product(kind, start, t) for t in range(start, end + 1)),
        np.zeros(SIZE),
    )


def eigenvalue_gradient_autodiff(kind: str) -> np.ndarray:
    """``dL / dlambda`` of the diagonal network, all times, through the layer."""
    zero = np.zeros(SIZE)

    def loss(lam):
        states = _onward(kind, jnp.diag(lam), zero, _data()[0])
        return _loss(states, 1, STEPS)

    return _by_jax(loss, np.diag(_weights(kind)))


def eigenvalue_gradient_complex(kind: str) -> np.ndarray:
    """``dL / dlambda`` of the diagonal network by a complex step."""
    return complex_step(
        lambda lam: _loss(trajectory(kind, np.diag(lam))[1:], 1, STEPS),
        np.diag(_weights(kind)),
    )


def eigenvalue_gradient_sum(kind: str) -> np.ndarray:
    """``sum_t dL/dh_t dh_t/dlambda`` with the sensitivities by their recurrence."""
    lam = np.diag(_weights(kind))
    states, s, total = trajectory(kind, _weights(kind)), np.zeros(SIZE), np.zeros(SIZE)
    for t in range(1, STEPS + 1):
        s = lam * s + states[t - 1]
        total += _error(kind, t) * s
    return total


@functools.cache
def _hessian(kind: str) -> Callable[[Any, Any], Any]:
    def loss(A, targets):
        states = _onward(kind, A, np.zeros(SIZE), _data()[0])
        return sum(((h - targets[t]) ** 2).sum() for t, h in enumerate(states)) / 2

    return jax.jit(jax.hessian(loss))


def hessian_autodiff(kind: str, fit: bool) -> np.ndarray:
    """``d2L / dA2`` through the layer, all times; ``fit`` puts targets on the states."""
    at = _weights(kind), _targets(kind, fit)
    with double_precision(True):
        found = _hessian(kind)(*map(jnp.asarray, at))
    return np.asarray(found).reshape(SIZE**2, SIZE**2)


def _targets(kind: str, fit: bool) -> np.ndarray:
    return trajectory(kind, _weights(kind))[1:] if fit else _data()[1]


def hessian_complex(kind: str, fit: bool) -> np.ndarray:
    """``d2L / dA2`` by a complex step of a hand-written backward pass."""
    targets = _targets(kind, fit)

    def gradient(A):
        states, back, total = trajectory(kind, A), np.zeros(SIZE), 0 * A
        for t in range(STEPS, 0, -1):
            back = back + states[t] - targets[t - 1]
            slope = 1 - states[t] ** 2 if kind == "tanh" else np.ones(SIZE)
            total = total + np.outer(slope * back, states[t - 1])
            back = A.T @ (slope * back)
        return total

    found = complex_step(gradient, _weights(kind))
    return found.reshape(SIZE**2, SIZE**2)


def _second_order(kind: str, fit: bool) -> tuple[np.ndarray, np.ndarray]:
    """The two terms of Eq. 11, by sensitivities of first and second order."""
    A, count = _weights(kind), SIZE**2
    units = np.eye(count).reshape(count, SIZE, SIZE)
    states = trajectory(kind, A)
    s, q = np.zeros((count, SIZE)), np.zeros((count, count, SIZE))
    outer, curved = np.zeros((count, count)), np.zeros((count, count))
    for t in range(1, STEPS + 1):
        cross = np.einsum("aij,bj->abi", units, s)
        p = np.einsum("aij,j->ai", units, states[t - 1]) + s @ A.T
        pp = cross + cross.transpose(1, 0, 2) + q @ A.T
        slope, bend = np.ones(SIZE), np.zeros(SIZE)
        if kind == "tanh":
            slope = 1 - states[t] ** 2
            bend = -2 * states[t] * slope
        s, q = slope * p, slope * pp + bend * p[:, None] * p[None]
        outer += s @ s.T
        curved += q @ (states[t] - _targets(kind, fit)[t - 1])
    return outer, curved


def hessian_sum(kind: str, fit: bool) -> np.ndarray:
    """Both terms of Eq. 11."""
    return np.sum(_second_order(kind, fit), axis=0)


def hessian_first(kind: str, fit: bool) -> np.ndarray:
    """The first term of Eq. 11."""
    return _second_order(kind, fit)[0]
