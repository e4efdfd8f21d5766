"""The networks of Zucchet & Orvieto's Appendix A: layers of the suite and their print.

``written_*`` transcribes the equations in numpy, one input after the other; ``layer_*``
runs the layer; ``kernel_*`` sums impulse responses from powers of the recurrence.

Source: Zucchet & Orvieto (2024), Eq. 10 and 12-29.
"""

import functools
from typing import Any

import jax.numpy as jnp
import numpy as np

from sigprop.layers import dense, gru, lru, s4
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.numerics.precision import double_precision

SIZE, OUTPUTS, STEPS = 4, 2, 7


@functools.cache
def _arrays(d_in: int) -> dict[str, np.ndarray]:
    """Weights of every model, and inputs."""
    generator = np.random.default_rng(d_in)

    def draw(*shape: int) -> np.ndarray:
        return generator.normal(size=shape)

    return {
        "A": 0.4 * draw(SIZE, SIZE),
        "B": draw(SIZE, d_in),
        "C": draw(OUTPUTS, SIZE),
        "D": draw(OUTPUTS, d_in),
        "x": draw(STEPS, d_in),
        "B_im": draw(SIZE, d_in),
        "C_im": draw(OUTPUTS, SIZE),
        "first": draw(SIZE),
        "second": draw(SIZE),
        "third": draw(SIZE),
    }


def _make(kind: Any, *parts: Any) -> Any:
    return kind(*parts)


def _diagonal_weights(at: dict[str, np.ndarray]) -> list[Any]:
    return [jnp.asarray(at[name]) for name in ("B", "B_im", "C", "C_im", "D")]


def _layer(model: str, d_in: int) -> Any:
    at = {name: jnp.asarray(value) for name, value in _arrays(d_in).items()}
    weights = _diagonal_weights(_arrays(d_in))
    first, second, third = at["first"], at["second"], at["third"]
    if model == "dense":
        return dense.LinearRNN(at["A"][None], at["B"], at["C"], at["D"])
    if model == "complex":
        return _make(ComplexDiagonal, *weights, 0.4 * first, 0.4 * second, "cartesian")
    if model == "lru":
        return _make(lru.LRU, *weights, first, second, third, "learned")
    return _make(s4.S4, *weights, third, -jnp.exp(first), second)


def layer_states(model: str, d_in: int) -> np.ndarray:
    """States by the layer."""
    with double_precision(True):
        inputs = jnp.asarray(_arrays(d_in)["x"])
        return np.asarray(_layer(model, d_in).states(inputs))


def layer_outputs(model: str, d_in: int) -> np.ndarray:
    """Outputs by the layer."""
    with double_precision(True):
        return np.asarray(_layer(model, d_in)(jnp.asarray(_arrays(d_in)["x"])))


def _written(model: str, d_in: int) -> tuple[np.ndarray, ...]:
    """Recurrence, input, readout and skip matrices as the equations write them."""
    at = _arrays(d_in)
    if model == "dense":
        return at["A"], at["B"], at["C"], at["D"]
    first, second, third = at["first"], at["second"], at["third"]
    B, C = at["B"] + 1j * at["B_im"], at["C"] + 1j * at["C_im"]
    if model == "complex":
        lam, gamma = 0.4 * first + 0.4j * second, np.ones(SIZE)
    elif model == "lru":
        lam = np.exp(-np.exp(first)) * np.exp(1j * np.exp(second))
        gamma = np.exp(third)
    else:
        gamma = np.log(1 + np.exp(third))
        lam = np.exp((-np.exp(first) + 1j * second) * gamma)
    return np.diag(lam), gamma[:, None] * B, C, at["D"]


def written_states(model: str, d_in: int) -> np.ndarray:
    """``h_0 = 0`` and ``h_{t+1} = A h_t + B x_{t+1}``, one step after the other."""
    A, B, _, _ = _written(model, d_in)
    h, found = np.zeros(SIZE), []
    for x in _arrays(d_in)["x"]:
        h = A @ h + B @ x
        found.append(h)
    return np.array(found)


def written_outputs(model: str, d_in: int) -> np.ndarray:
    """``y_t = Re[C h_t + D x_t]``."""
    _, _, C, D = _written(model, d_in)
    pairs = zip(written_states(model, d_in), _arrays(d_in)["x"], strict=True)
    return np.array([np.real(C @ h + D @ x) for h, x in pairs])


def _kernel_states(model: str, d_in: int, late: int = 0) -> np.ndarray:
    """``h_t = sum_k A^k B x_{t-k-late}`` by matrix powers."""
    A, B, _, _ = _written(model, d_in)
    x, found = _arrays(d_in)["x"], np.zeros((STEPS, SIZE), complex)
    for t in range(STEPS):
        for age in range(t - late + 1):
            found[t] += np.linalg.matrix_power(A, age) @ B @ x[t - late - age]
    return found


def kernel_states(model: str, d_in: int) -> np.ndarray:
    """States as sums over the ages of the inputs."""
    return _kernel_states(model, d_in)


def kernel_outputs(model: str, d_in: int) -> np.ndarray:
    """Outputs as sums over the ages of the inputs."""
    _, _, C, D = _written(model, d_in)
    return np.real(_kernel_states(model, d_in) @ C.T + _arrays(d_in)["x"] @ D.T)


def _diagonalised(d_in: int) -> tuple[np.ndarray, ...]:
    A, B, C, D = _written("dense", d_in)
    lam, P = np.linalg.eig(A)
    return lam, np.linalg.solve(P, B.astype(complex)), C @ P, D


def diagonalised_layer(d_in: int) -> np.ndarray:
    """Outputs of the complex diagonal layer with the dense one's eigenvalues."""
    lam, B, C, D = _diagonalised(d_in)
    split = [part(M) for M in (B, C) for part in (np.real, np.imag)]
    parts = (*split, D, np.real(lam), np.imag(lam))
    with double_precision(True):
        cell = _make(ComplexDiagonal, *map(jnp.asarray, parts), "cartesian")
        return np.asarray(cell(jnp.asarray(_arrays(d_in)["x"])))


def diagonalised_print(d_in: int, late: int = 1) -> np.ndarray:
    """Eq. 16-18 with the eigenvalues of Eq. 13: a state sees inputs ``late`` behind."""
    lam, B, C, D = _diagonalised(d_in)
    x = _arrays(d_in)["x"]
    h, found = np.zeros(SIZE, complex), []
    for t in range(STEPS):
        h = lam * h + (B @ x[t - late] if t >= late else 0)
        found.append(np.real(C @ h + D @ x[t]))
    return np.array(found)


def diagonalised_in_time(d_in: int) -> np.ndarray:
    """Eq. 16-18 with the eigenvalues of Eq. 13, and with the input ``x_{t+1}``."""
    return diagonalised_print(d_in, late=0)


def dense_outputs(d_in: int) -> np.ndarray:
    """Outputs of the dense layer."""
    return layer_outputs("dense", d_in)


def dense_outputs_by_powers(d_in: int) -> np.ndarray:
    """Outputs of the dense recurrence by matrix powers."""
    return kernel_outputs("dense", d_in)


@functools.cache
def _one_neuron(model: str, *values: float) -> tuple[complex, complex]:
    """``lam`` and ``gamma`` of a layer of one neuron, from its two first responses."""
    with double_precision(True):
        one, places = jnp.ones((1, 1)), [jnp.asarray([value]) for value in values]
        weights = (one, 0 * one, one, 0 * one, 0 * one)
        cell: Any = {
            "complex": lambda: _make(ComplexDiagonal, *weights, *places, "cartesian"),
            "lru": lambda: _make(lru.LRU, *weights, *places, "learned"),
            "s4": lambda: _make(s4.S4, *weights, *places),
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
        one, places = jnp.ones((1, 1)), [jnp.asarray([re]), jnp.asarray([im])]
        cell = _make(
            ComplexDiagonal, one, 0 * one, one, 0 * one, 0 * one, *places, "cartesian"
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


def s4_eigenvalue(omega_delta: float, re: float, im: float) -> complex:
    """The ratio of the S4 layer's first two responses."""
    return _one_neuron("s4", omega_delta, re, im)[0]


@functools.cache
def _gru(part: str) -> tuple[Any, np.ndarray, np.ndarray]:
    """A GRU with weights that let one of its gates show, a state and an input."""
    generator = np.random.default_rng(11)
    shapes = {name: (SIZE, 3 if name.endswith("x") else SIZE) for name in MATRICES}
    shapes |= dict.fromkeys(BIASES, (SIZE,))
    weights = {name: generator.normal(size=shape) for name, shape in shapes.items()}
    silent = {
        "r": ("W_nx", "W_nh", "b_nx", "W_fx", "W_fh"),
        "f": ("W_nx", "W_nh", "b_nx", "b_nh"),
        "n": ("W_fx", "W_fh"),
        "h": (),
    }[part]
    weights |= {name: 0 * weights[name] for name in silent}
    if part in ("r", "n"):
        weights["b_f"] = np.full(SIZE, -800.0)  # the forget gate is shut
    return weights, generator.normal(size=SIZE), generator.normal(size=3)


MATRICES = ("W_rx", "W_fx", "W_nx", "W_rh", "W_fh", "W_nh")
BIASES = ("b_r", "b_f", "b_nx", "b_nh")


def gru_layer(part: str) -> np.ndarray:
    """A gate or the state after one step, read off the layer's next state."""
    weights, h, x = _gru(part)
    with double_precision(True):
        eye = jnp.eye(SIZE)
        cell = gru.GRU(
            **{k: jnp.asarray(v) for k, v in weights.items()},
            C=eye,
            D=jnp.zeros((SIZE, 3)),
        )
        after = np.asarray(cell.step(jnp.asarray(h), jnp.asarray(x))[0])
    return {
        "r": lambda: np.arctanh(after) / weights["b_nh"],
        "f": lambda: after / h,
        "n": lambda: after,
        "h": lambda: after,
    }[part]()


def gru_written(part: str) -> np.ndarray:
    """A gate or the state after one step by Eq. 26-29, ``x`` and ``r`` at ``t + 1``."""
    w, h, x = _gru(part)

    def sigmoid(a: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore"):
            return 1 / (1 + np.exp(-a))

    r = sigmoid(w["W_rx"] @ x + w["W_rh"] @ h + w["b_r"])
    f = sigmoid(w["W_fx"] @ x + w["W_fh"] @ h + w["b_f"])
    n = np.tanh(w["W_nx"] @ x + w["b_nx"] + r * (w["W_nh"] @ h + w["b_nh"]))
    return {"r": r, "f": f, "n": n, "h": f * h + (1 - f) * n}[part]
