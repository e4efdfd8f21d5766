"""Small recurrent networks with fixed pseudo-random weights.

``kind`` names a network: ``diagonal`` and ``dense`` are linear, ``tanh`` is not.

Notation: ``A``  recurrent matrix;  ``h_t``  states, ``h_0 = 0``, ``t = 1 .. STEPS``.

Source: Zucchet & Orvieto (2024), Section 1, Section 2.1 and Eq. 11.
"""

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Inexact

from sigprop.layers.dense import LinearRNN, NonlinearRNN

SIZE, STEPS = 3, 6


@functools.cache
def weights(kind: str) -> Float[np.ndarray, "n n"]:
    """The recurrent matrix ``A``."""
    if kind == "diagonal":
        return np.diag([0.9, -0.7, 0.4])
    return 0.6 * np.random.default_rng(7).normal(size=(SIZE, SIZE))


@functools.cache
def data() -> tuple[Float[np.ndarray, "time n"], Float[np.ndarray, "time n"]]:
    """Inputs and targets."""
    generator = np.random.default_rng(8)
    return generator.normal(size=(STEPS, SIZE)), generator.normal(size=(STEPS, SIZE))


def update(
    kind: str,
    A: Inexact[np.ndarray, "n n"],
    h: Inexact[np.ndarray, " n"],
    x: Float[np.ndarray, " n"],
) -> Inexact[np.ndarray, " n"]:
    """``f(h, x)`` of Eq. 1, also for complex arguments."""
    h = A @ h + x
    return np.tanh(h) if kind == "tanh" else h


def forward(kind: str, A: Any, h: Any, inputs: Any) -> list[Any]:
    """States after each input, from the state ``h``."""
    states = []
    for x in inputs:
        h = update(kind, A, h, x)
        states.append(h)
    return states


def trajectory(
    kind: str, A: Inexact[np.ndarray, "n n"]
) -> Inexact[np.ndarray, "time n"]:
    """States from the zero state at time 0 to time ``STEPS``."""
    zero = np.zeros(SIZE)
    return np.array([zero, *forward(kind, A, zero, data()[0])])


def derivative(kind: str, h: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    """Derivative of the nonlinearity, as a function of its value."""
    return 1 - h**2 if kind == "tanh" else np.ones(SIZE)


def linear_layer(A: Any) -> LinearRNN:
    """The dense layer with unit input weights."""
    A, eye = jnp.asarray(A), jnp.eye(A.shape[0])
    return LinearRNN(A[None], eye, eye, 0 * eye)


def layer(kind: str, A: Any) -> LinearRNN | NonlinearRNN:
    """Network ``kind`` with matrix ``A`` as a layer with unit input weights."""
    if kind not in ("tanh", "relu"):
        return linear_layer(A)
    A, eye = jnp.asarray(A), jnp.eye(A.shape[0])
    return NonlinearRNN(A[None], eye, eye, 0 * eye, kind)


def onward(kind: str, A: Any, h: Any, inputs: Any) -> list[Any]:
    """States of the layer after each input, from the state ``h``."""
    cell, states, h = layer(kind, A), [], jnp.asarray(h)
    for x in inputs:
        h, _ = cell.step(h, jnp.asarray(x))
        states.append(h)
    return states
