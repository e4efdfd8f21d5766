"""What judges complex RNN, LRU and S4, Eq. 16-25 of Zucchet & Orvieto (2024)."""

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Float, Inexact

from sigprop.evidence.zucchet.definitions import by_code
from sigprop.evidence.zucchet.networks.models import (
    SIZE,
    STEPS,
    arrays,
    kernel_outputs,
    layer_outputs,
    outputs_of,
    states_of,
    written,
)
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers import lru, s4
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.numerics.precision import double_precision


def _diagonalised(
    d_in: int,
) -> tuple[
    Inexact[np.ndarray, " n"],
    Complex[np.ndarray, "n d_in"],
    Inexact[np.ndarray, "outputs n"],
    Float[np.ndarray, "outputs d_in"],
]:
    A, B, C, D = written("dense", d_in)
    lam, P = np.linalg.eig(A)
    return lam, np.linalg.solve(P, B.astype(complex)), C @ P, D


def diagonalised_layer(d_in: int) -> Float[np.ndarray, "time outputs"]:
    """Outputs of the complex diagonal layer with the dense one's eigenvalues."""
    lam, B, C, D = _diagonalised(d_in)
    parts = [part(M) for M in (B, C) for part in (np.real, np.imag)]
    parts += [D, np.real(lam), np.imag(lam)]
    with double_precision(True):
        cell = ComplexDiagonal(*map(jnp.asarray, parts), coordinates="cartesian")
        return np.asarray(cell(jnp.asarray(arrays(d_in)["x"])))


def diagonalised_print(d_in: int, late: int = 1) -> Float[np.ndarray, "time outputs"]:
    """Eq. 16-18 with the eigenvalues of Eq. 13: a state sees inputs ``late`` behind."""
    lam, B, C, D = _diagonalised(d_in)
    x = arrays(d_in)["x"]
    h, found = np.zeros(SIZE, complex), []
    for t in range(STEPS):
        h = lam * h + (B @ x[t - late] if t >= late else 0)
        found.append(np.real(C @ h + D @ x[t]))
    return np.array(found)


@functools.cache
def _one_neuron(model: str, *values: float) -> tuple[complex, complex]:
    """``lam`` and ``gamma`` of a layer of one neuron, from its two first responses."""
    with double_precision(True):
        one, places = jnp.ones((1, 1)), [jnp.asarray([value]) for value in values]
        weights = (one, 0 * one, one, 0 * one, 0 * one)
        cell: Any = {
            "complex": lambda: ComplexDiagonal(
                *weights, *places, coordinates="cartesian"
            ),
            "lru": lambda: lru.LRU(*weights, *places, gamma="learned"),
            "s4": lambda: s4.S4(*weights, *places),
        }[model]()
        first, second = np.asarray(cell.states(jnp.asarray([[1.0], [0.0]])))[:, 0]
        return second / first, first


def complex_eigenvalue(re: float, im: float) -> complex:
    """The ratio of the complex RNN's first two responses."""
    return _one_neuron("complex", re, im)[0]


def complex_gain(re: float, im: float) -> complex:
    """The complex RNN's first response to a unit input."""
    return _one_neuron("complex", re, im)[1]


def complex_gain_by_step(re: float, im: float) -> complex:
    """Change of the complex RNN's next state per unit of input, off the zero state."""
    with double_precision(True):
        one, places = jnp.ones((1, 1)), (jnp.asarray([re]), jnp.asarray([im]))
        cell = ComplexDiagonal(
            one, 0 * one, one, 0 * one, 0 * one, *places, "cartesian"
        )
        h = cell.initial_state() + 0.3
        ends = [np.asarray(cell.step(h, jnp.asarray([x]))[0]) for x in (0.5, 1.5)]
        return complex((ends[1] - ends[0])[0])


def lru_eigenvalue(omega_nu: float, omega_theta: float, omega_gamma: float) -> complex:
    """The ratio of the LRU's first two responses."""
    return _one_neuron("lru", omega_nu, omega_theta, omega_gamma)[0]


def lru_gain(omega_nu: float, omega_theta: float, omega_gamma: float) -> complex:
    """The LRU's first response to a unit input."""
    return _one_neuron("lru", omega_nu, omega_theta, omega_gamma)[1]


def s4_gain(omega_delta: float, re: float, im: float) -> complex:
    """The S4 layer's first response to a unit input."""
    return _one_neuron("s4", omega_delta, re, im)[1]


PLACES = tuple({"re": x, "im": y} for x, y in ((0.4, 0.2), (-0.9, 0.3), (0.1, -0.7)))
LRUS = tuple(
    {"omega_nu": a, "omega_theta": b, "omega_gamma": c}
    for a, b, c in ((-0.5, 0.3, 0.2), (0.4, -1.0, -0.6), (-2.0, 0.9, 0.5))
)
S4S = tuple(
    {"omega_delta": d, "re": x, "im": y}
    for d, x, y in ((0.3, -0.2, 0.5), (-1.0, -0.8, 1.5), (2.0, 0.1, -0.4))
)
COMPLEX_GAINS = {"impulse": complex_gain, "reference": complex_gain_by_step}

EVIDENCE: dict[str, Basis] = {
    "zucchet:17": Evidence(
        ({"d_in": 1}, {"d_in": 3}),
        {
            "impulse": functools.partial(layer_outputs, "dense"),
            "reference": functools.partial(kernel_outputs, "dense"),
        },
        form=diagonalised_layer,
        printed=diagonalised_print,
    ),
    "zucchet:18": outputs_of("lru"),
    "zucchet:19": by_code(PLACES, complex_eigenvalue),
    "zucchet:20": Evidence(PLACES, COMPLEX_GAINS),
    "zucchet:21": by_code(LRUS, lru_eigenvalue),
    "zucchet:22": by_code(LRUS, lru_gain),
    "zucchet:23": by_code(S4S, s4_gain),
    "zucchet:24": states_of("s4"),
    "zucchet:25": outputs_of("s4"),
}
