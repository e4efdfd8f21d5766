"""Evidence on networks at initialisation: Zucchet & Orvieto (2024), Section 5, D.1."""

import dataclasses
import functools
from math import pi

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.evidence.kit import (
    autocovariance,
    complex_step,
    energy,
    points,
    powers,
    quadratic,
    sigmoid,
)
from sigprop.evidence.zucchet.experiments.constant_gates import EMBEDDINGS
from sigprop.evidence.zucchet.experiments.gated_networks import sampled_gate
from sigprop.judge.basis import ARITHMETIC, Basis, Evidence, Example
from sigprop.layers.gru import chrono_times
from sigprop.layers.lstm import lstm, tallec_times
from sigprop.networks.presets import zucchet_paper
from sigprop.numerics.precision import double_precision
from sigprop.theory import gated

COMPARED = {"cRNN", "LRU", "GRU"}  # Section 5 and Fig. 5
INITIALISED = {"cRNN", "LRU", "LSTM"}  # Appendix D.1

# The inputs, and the states that they drive.


def half_squared_gap(prediction: list[float], target: list[float]) -> float:
    """Eq. 156 by numpy."""
    return 0.5 * float(np.linalg.norm(np.subtract(prediction, target)) ** 2)


def over_white(lam: float) -> float:
    """``E[h^2]`` of ``h <- lam h + x`` on Fig. 12's input over that under white noise.

    Both inputs have the same variance.
    """
    w, R = powers(lam, 1024), autocovariance(1024, **EMBEDDINGS)
    return quadratic(w, R) / quadratic(w, R[0, 0] * np.eye(1024))


def normalised_state(radius: float, theta0: float, steps: int) -> float:
    """``(1 - |lam|^2) E|h|^2`` after some steps on Fig. 12's input, over ``R(0)``.

    Averaged over phases up to ``theta0``.
    """
    phases = theta0 * (np.arange(512) + 0.5) / 512
    weights = powers(radius * np.exp(1j * phases), steps)
    R = autocovariance(steps, **EMBEDDINGS)
    moments = np.sum((weights @ R) * weights.conj(), axis=1).real
    return float(np.mean(moments) * (1 - radius**2) / R[0, 0])


def normalised_state_by_sum(radius: float, theta0: float, steps: int) -> float:
    """``(1 - |lam|^2) E|h|^2`` after some steps on Fig. 12's input, over ``R(0)``.

    Lag by lag; the mean of ``cos(lag theta)`` over phases is in closed form.
    """
    lags = np.arange(1, steps)
    mean = np.sin(lags * theta0) / (lags * theta0)
    a, b, rho = EMBEDDINGS.values()
    pairs = radius**lags * (1 - radius ** (2 * (steps - lags)))
    correlated = 2 * b * np.sum(rho**lags * pairs * mean)
    return float(1 - radius ** (2 * steps) + correlated / (a + b))


def _chain(lams: Float[Array, " layers"], steps: int) -> Float[Array, " steps"]:
    """Impulse response of a chain of scalar recurrences."""
    y = jnp.zeros(steps).at[0].set(1.0)
    for i in range(4):
        y = jnp.convolve(y, lams[i] ** jnp.arange(steps))[:steps]
    return y


@jax.jit
def _chain_derivatives(lams: Float[Array, " layers"]) -> Float[Array, "steps layers"]:
    return jax.jacfwd(lambda p: _chain(p, 300))(lams)


def layer_gradients(lams: tuple[float, ...]) -> Float[np.ndarray, " layers"]:
    """``E[(dy/dlam_l)^2]`` of a chain of four over that of its first, white inputs."""
    with double_precision(True):
        derivatives = _chain_derivatives(jnp.array(lams))
        energies = np.sum(np.asarray(derivatives) ** 2, axis=0)
    return energies / energies[0]


def layer_gradients_by_differences(
    lams: tuple[float, ...],
) -> Float[np.ndarray, " layers"]:
    """``E[(dy/dlam_l)^2]`` of a chain over that of its first, by a complex step."""

    def chain(lams: Complex[np.ndarray, " layers"]) -> Complex[np.ndarray, " steps"]:
        rows = powers(lams, 300)
        return functools.reduce(lambda y, row: np.convolve(y, row)[:300], rows)

    energies = np.sum(complex_step(chain, np.array(lams)) ** 2, axis=0)
    return energies / energies[0]


def state_energies(lams: tuple[float, ...]) -> Float[np.ndarray, " layers"]:
    """``E[h_l^2]`` of a chain over that of its first layer, white inputs."""
    rows, energies = powers(np.array(lams), 300), []
    for layer in range(len(lams)):
        kernel = functools.reduce(lambda y, row: np.convolve(y, row), rows[: layer + 1])
        energies.append(energy(kernel[:300]))
    return np.array(energies) / energies[0]


def network_sizes() -> list[int]:
    """Blocks, width, states and features of the paper's network."""
    network = zucchet_paper(nu0=0.9)
    return [network.depth, network.width, network.state_size, network.inputs]


# Gates at initialisation.


def sampled_odds(tau: float) -> float:
    """``f/(1 - f)`` at rest, for a gate with bias sampled on ``[tau, tau]``."""
    return sampled_gate(tau) / (1 - sampled_gate(tau))


def time_constant_counted(tau: float) -> float:
    """Sum of the positive powers of a gate whose bias is ``log tau``."""
    return float(np.sum(powers(sigmoid(np.log(tau)), int(60 * (1 + tau)))[1:]))


@functools.cache
def gates_of_lstm(
    t_max: float,
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Input and forget gates of an LSTM at initialisation, at rest."""

    def biases(key: PRNGKeyArray):
        layer = lstm(8, 1, key=key, times=tallec_times(t_max))
        return layer.b_i, layer.b_f

    with double_precision(True):
        b_i, b_f = jax.jit(biases)(jax.random.key(0))
        return np.asarray(jax.nn.sigmoid(b_i)), np.asarray(jax.nn.sigmoid(b_f))


def input_gate_by_step(t_max: float) -> Float[np.ndarray, " n"]:
    """Input gates of this LSTM, from its cell after one step with ``g = tanh(1)``."""

    def cell(key: PRNGKeyArray):
        layer = lstm(8, 1, key=key, times=tallec_times(t_max))
        layer = dataclasses.replace(layer, b_g=jnp.ones_like(layer.b_g))
        return layer.step(layer.initial_state(), jnp.zeros(1))[0][8:]

    with double_precision(True):
        return np.asarray(jax.jit(cell)(jax.random.key(0))) / np.tanh(1)


EVIDENCE: dict[str, Basis] = {
    "zucchet:fig12": Evidence(
        ({},),
        {ARITHMETIC: 0.332 + 0.044},
        form=0.376,
        absolute=0.0005,
        hand={"the white part alone": 0.332},
    ),
    "zucchet:text:feature-dimension": Evidence(
        ({},),
        {"count": gated.bert_width, "heads": 12 * 64},
        form=768,
        printed=724,
        hand={"BERT large": 1024},
        example=Example("the hidden size of BERT base", {}, 724, 768),
    ),
    "zucchet:text:network": Evidence(
        ({},),
        {"code": network_sizes},
        form=[4, 256, 256, 768],
        hand={
            "the features of Appendix D.1": [4, 256, 256, 724],
            "the six blocks of the LRU": [6, 256, 256, 768],
            "complex states of half the width": [4, 256, 128, 768],
        },
        alone="read off the configuration",
    ),
    "zucchet:156": Evidence(
        points(
            "prediction target",
            ([0.3, -1.2, 0.5], [1.0, 0.4, 0.5]),
            ([2.0, 0.1, -0.7], [-0.2, 0.0, 1.5]),
        ),
        {"reference": half_squared_gap},
        form=gated.prediction_loss,
        mutants={
            "a norm that is not squared": lambda prediction, target: (
                0.5 * np.linalg.norm(np.subtract(prediction, target))
            ),
            "the sum squared": lambda prediction, target: (
                0.5 * np.sum(np.subtract(prediction, target)) ** 2
            ),
            "the difference of squares": lambda prediction, target: (
                0.5 * (np.sum(np.square(prediction)) - np.sum(np.square(target)))
            ),
        },
        alone="a definition",
    ),
    "zucchet:text:time-interval": Evidence(
        ({"nu0": 0.9}, {"nu0": 0.3}), {"layer": lambda nu0: chrono_times(nu0)[1]}
    ),
    "zucchet:text:time-constant": Evidence(
        ({"tau": 2.0}, {"tau": 10.0}),
        {"layer": sampled_odds, "sum": time_constant_counted},
        form=lambda tau: tau,
        mutants={
            "one step more": lambda tau: tau + 1,
            "its bias": lambda tau: np.log(tau),
        },
    ),
    "zucchet:text:input-gate": Evidence(
        ({"t_max": 20.0}, {"t_max": 200.0}),
        {"layer": lambda t_max: gates_of_lstm(t_max)[0], "step": input_gate_by_step},
        form=lambda t_max: 1 - gates_of_lstm(t_max)[1],
        tolerance=1e-6,
        mutants={
            "as the forget gate": lambda t_max: gates_of_lstm(t_max)[1],
            "its odds": lambda t_max: 1 / gates_of_lstm(t_max)[1] - 1,
        },
    ),
    "zucchet:text:lstm-or-gru": Evidence(
        ({},),
        {ARITHMETIC: len(COMPARED & INITIALISED)},
        form=2,
        printed=3,
        hand={"one of them": 1},
        example=Example("the gated network of Figure 5", {}, "LSTM", "GRU"),
    ),
    "zucchet:fig5:lru": Evidence(
        points(
            "radius theta0 steps",
            *((0.5, 2 * pi, 60), (0.9, 2 * pi, 400), (0.93, pi, 500)),
            *((0.99, 2 * pi, 100), (0.9, pi, 5)),
        ),
        {"quadrature": normalised_state, "reference": normalised_state_by_sum},
        form=lambda radius, steps, **_: 1 - radius ** (2 * steps),
        printed=1.0,
        tolerance=1e-10,
        mutants={
            "no normalisation": lambda radius, steps, **_: (
                (1 - radius ** (2 * steps)) / (1 - radius**2)
            ),
        },
        example=Example(
            "E|h|^2 after 100 steps over its value at nu_0 = 0",
            {"nu_0": 0.99},
            1.0,
            lambda nu_0: normalised_state(nu_0, 2 * pi, 100),
        ),
    ),
    "zucchet:text:layers-explained": Evidence(
        ({"lams": (0.7,) * 4}, {"lams": (-0.4,) * 4}),
        {"autodiff": layer_gradients, "reference": layer_gradients_by_differences},
        form=[1.0] * 4,
        mutants={
            "as the states grow": state_energies,
            "as the errors do": lambda lams: state_energies(lams)[::-1],
        },
    ),
}
