"""Evidence for the theory for gates, Appendix D.3 of Zucchet & Orvieto (2024)."""

import functools
import itertools
from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from sigprop.evidence.kit import each, energy, exponent, points, powers, sigmoid
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.experiments.constant_gates import (
    BIAS,
    SENSITIVITY,
    STATE,
    bias_second_derivative,
    moment,
    pair_sum,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.gated import GatedUnit
from sigprop.theory import gated

SERIES = np.array([0.5, -0.8, 1.1, 0.3, -1.4])


def _unit(w: Any, v: Any, bias: Any) -> GatedUnit:
    unit = jnp.ones((1, 1))
    return GatedUnit(bias * unit[0], unit, unit, w * unit, v * unit)


def states_by_layer(w: float, v: float, bias: float) -> Float[np.ndarray, " steps"]:
    """States of one neuron on a short series."""
    return computed(_states, w, v, bias)


def _states(w: Any, v: Any, bias: Any) -> Array:
    return _unit(w, v, bias).states(jnp.asarray(SERIES)[:, None])[:, 0]


def states_by_hand(
    w: float, v: float, bias: float, late: int = 0, exchanged: bool = False
) -> Float[np.ndarray, " steps"]:
    """States of one neuron on a short series, by the loop of Eq. 157-158.

    Args:
        w: Weight of the input in the gate.
        v: Weight of the state in the gate.
        bias: Bias of the gate.
        late: Delay of the input in steps; zero in the equations.
        exchanged: True for a mutant in which the gate multiplies the input.
    """
    h, states = 0.0, []
    for t, x in enumerate(SERIES):
        f = sigmoid(w * x + v * h + bias)
        retained, new = (1 - f, f) if exchanged else (f, 1 - f)
        h = retained * h + new * (SERIES[t - late] if t >= late else 0.0)
        states.append(h)
    return np.array(states)


def states_uncoupled(w: float, v: float, bias: float) -> Float[np.ndarray, " steps"]:
    """States of one neuron whose input is not multiplied by ``1 - f``."""
    h, states = 0.0, []
    for x in SERIES:
        h = sigmoid(w * x + v * h + bias) * h + x
        states.append(h)
    return np.array(states)


def gate(
    states: Callable[..., Float[np.ndarray, " steps"]], **point: float
) -> Float[np.ndarray, " steps"]:
    """Gates ``(h_t - x_t)/(h_{t-1} - x_t)``, computed from the states."""
    h = states(**point)
    before = np.concatenate([[0.0], h[:-1]])
    return (h - SERIES) / (before - SERIES)


def gate_as_defined(
    w: float, v: float, bias: float, late_input: int = 0, late_state: int = 1
) -> Float[np.ndarray, " steps"]:
    """Eq. 157 at the states of the layer.

    Args:
        w: Weight of the input.
        v: Weight of the state.
        bias: Bias of the gate.
        late_input: Delay of the input relative to the gate, in steps.
        late_state: Delay of the state relative to the gate, in steps.
    """
    x, h = SERIES, states_by_layer(w, v, bias)
    x, h = (
        np.concatenate([np.zeros(late), row])[: len(row)]
        for late, row in ((late_input, x), (late_state, h))
    )
    return sigmoid(w * x + v * h + bias)


def _gate(x: Any, h: Any) -> Any:
    """The gate of ``h_2``, as a function of inputs and states at t = 0, 1, 2."""
    after = _unit(0.7, 0.4, 0.3).step(h[1:2], x[2:3])[0][0]
    return (after - x[2]) / (h[1] - x[2])


SEEN = np.array([0.5, -0.8, 1.1]), np.array([0.2, 0.7, -0.4])  # inputs, states


def gate_input_times() -> Float[np.ndarray, " 2"]:
    """Times of the input and the state on which a gate depends, relative to the gate.

    They are the times of nonzero derivatives.
    """
    derivatives = computed(lambda x, h: jax.grad(_gate, (0, 1))(x, h), *SEEN)
    return np.array([np.flatnonzero(row)[0] - 2.0 for row in derivatives])


def moves_gate() -> Float[np.ndarray, " 2"]:
    """Times of the input and the state on which the gate depends, by changing them."""
    gate, (x, h) = lambda x, h: float(computed(_gate, x, h)), SEEN
    changes = 0.3 * np.eye(3)
    by_input = [gate(x + change, h) != gate(x, h) for change in changes]
    by_state = [gate(x, h + change) != gate(x, h) for change in changes]
    return np.array([np.flatnonzero(row)[0] - 2.0 for row in (by_input, by_state)])


def _last_of_each(series: Array) -> Array:
    unit = _unit(0.6, -0.5, 1.2)
    return jax.vmap(lambda x: unit.states(x[:, None])[-1, 0])(series)


@functools.cache
def _quadrature(size: float, steps: int) -> float:
    """``E[h^2]`` of one neuron under white noise of a size, by Gauss-Hermite sums."""
    nodes, mass = np.polynomial.hermite_e.hermegauss(9)
    mass = mass / mass.sum()
    grid = np.array(list(itertools.product(nodes, repeat=steps)))
    weight = np.prod(np.array(list(itertools.product(mass, repeat=steps))), axis=1)
    return float(weight @ computed(_last_of_each, size * grid) ** 2)


def excess(size: float) -> float:
    """Relative error of the constant gate's ``E[h^2]``, for inputs of a given size."""
    steps, lam = 4, sigmoid(1.2)
    constant = (1 - lam) ** 2 * energy(powers(lam, steps))
    return _quadrature(size, steps) / (size**2 * constant) - 1


def rate_of_excess(size: float, of: Callable[[float], float] = excess) -> float:
    """Order at which ``excess`` vanishes with the size of the inputs."""
    return float(exponent(of, size, size / 2))


def excess_by_lattice(size: float) -> float:
    """Value of ``excess`` by the trapezoidal rule over a lattice, and Eq. 157-158 in a loop."""
    nodes = 0.8 * np.arange(-8, 9)
    inputs = size * np.stack(np.meshgrid(*4 * [nodes], indexing="ij"), -1)
    weight = np.exp(-np.sum(inputs**2, axis=-1) / (2 * size**2))
    h, constant = 0.0, 0.0
    for t in range(4):
        f = sigmoid(0.6 * inputs[..., t] - 0.5 * h + 1.2)
        h = f * h + (1 - f) * inputs[..., t]
        constant = sigmoid(1.2) ** 2 * constant + (1 - sigmoid(1.2)) ** 2
    moment = np.sum(weight * h**2) / np.sum(weight)
    return float(moment / (size**2 * constant) - 1)


WHITE = {"a": 1.0, "b": 0.0, "rho": 0.0}
UNITS = ({"w": 0.7, "v": 0.4, "bias": 0.3}, {"w": -1.2, "v": 0.9, "bias": -0.5})
POINTS = points(
    "lam a b rho",
    (0.5, 0.3, 0.7, 0.6),
    (0.85, 0.332, 0.044, 0.997),
    (0.7, 0.4, 0.9, -0.8),
    (0.2, 1.1, 0.0, 0.3),
)
PAIRS = points(
    "alpha beta a b rho",
    (0.5, 0.8, 0.3, 0.7, 0.6),
    (-0.4, 0.9, 0.332, 0.044, 0.997),
    (0.6 + 0.5j, 0.2 - 0.7j, 0.4, 0.9, -0.8),
)
EVIDENCE: dict[str, Basis] = {
    "zucchet:157": Evidence(
        UNITS,
        each(gate, {"layer": states_by_layer, "loop": states_by_hand}),
        form=gate_as_defined,
        mutants={
            "the input of the step before": partial(gate_as_defined, late_input=1),
            "the state of its own step": partial(gate_as_defined, late_state=0),
            "both, as in item 1": partial(gate_as_defined, late_input=1, late_state=0),
        },
    ),
    "zucchet:158": Evidence(
        UNITS,
        {"layer": states_by_layer},
        form=states_by_hand,
        mutants={
            "the input of the step before": partial(states_by_hand, late=1),
            "the gate's two roles exchanged": partial(states_by_hand, exchanged=True),
            "1 - f left out": states_uncoupled,
        },
        alone="a definition: the layer against the loop that it stands for",
    ),
    "zucchet:text:gate-indices": Evidence(
        ({},),
        {"autodiff": gate_input_times, "impulse": moves_gate},
        form=[0.0, -1.0],
        printed=[-1.0, 0.0],
        mutants={
            "both of its own time": [0.0, 0.0],
            "both of the time before": [-1.0, -1.0],
        },
        example=Example(
            "by Eq. 157 the pair on which f_{t+1} depends",
            {},
            "h_{t+1} and x_t",
            "h_t and x_{t+1}",
        ),
    ),
    "zucchet:159": Evidence(
        PAIRS,
        {"reference": pair_sum},
        proof=lambda: gated.printed_pair().equals(gated.pair()),
    ),
    "zucchet:160": Evidence(
        POINTS,
        each(moment, STATE),
        proof=lambda: gated.printed_state().equals(gated.state()),
    ),
    "zucchet:161": Evidence(
        POINTS,
        each(moment, SENSITIVITY),
        proof=lambda: gated.printed_sensitivity().equals(gated.sensitivity()),
    ),
    "zucchet:text:bias-sensitivity": Evidence(
        POINTS,
        each(moment, BIAS),
        mutants={"the second derivative": partial(moment, bias_second_derivative)},
    ),
}
