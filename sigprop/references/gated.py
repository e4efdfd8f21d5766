"""Gated units by brute force: double sums, the real layer's responses, simulation.

Source: Zucchet & Orvieto (2024), Appendix D; the layers of ``sigprop.layers.gated``.
"""

import functools
import itertools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Bool, Float

from sigprop.layers.gated import ConstantGate, GatedUnit
from sigprop.networks.presets import zucchet_paper
from sigprop.numerics.precision import double_precision

AGES = 400  # 0.9**800 is below 1e-36
EMBEDDINGS = {"a": 0.332, "b": 0.044, "rho": 0.997}  # Fig. 12
NEURONS, LENGTH, TIMES = 256, 512, (1.0, 256.0)  # Fig. 15


def covariance(steps: int, a: float, b: float, rho: float) -> Float[np.ndarray, "t s"]:
    """``R(t - s) = a [t = s] + b rho^|t - s|`` of the last ``steps`` inputs."""
    lags = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    return a * np.eye(steps) + b * np.power(float(rho), lags)


def _weights(lam: complex) -> np.ndarray:
    return (1 - lam) * lam ** np.arange(AGES)


def _form(
    first: np.ndarray, second: np.ndarray, a: float, b: float, rho: float
) -> complex:
    return complex(np.sum(first * (covariance(AGES, a, b, rho) @ second)))


def pair_sum(alpha: complex, beta: complex, a: float, b: float, rho: float) -> complex:
    """Eq. 159 as the double sum it stands for."""
    return _form(_weights(alpha), _weights(beta), a, b, rho)


def state_sum(lam: float, a: float, b: float, rho: float) -> complex:
    """``E[h^2]`` as a double sum."""
    return pair_sum(lam, lam, a, b, rho)


def sensitivity_sum(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(dh/dlam)^2]`` as a double sum, the kernel differenced in the complex plane."""
    step = 1e-30
    slope = np.imag(_weights(lam + 1j * step)) / step
    return float(_form(slope, slope, a, b, rho).real)


def _logit(lam: float) -> float:
    return float(np.log(lam / (1 - lam)))


@jax.jit
def _respond(bias: Array) -> tuple[Array, Array]:
    impulse, one = jnp.zeros((AGES, 1)).at[0, 0].set(1.0), jnp.ones((1, 1))

    def states(bias: Array) -> Array:
        return ConstantGate(bias, one, one).states(impulse)[:, 0]

    return states(bias), jax.jacrev(states)(bias)[:, 0]


@functools.cache
def _responses(lam: float) -> tuple[np.ndarray, ...]:
    """Response of the layer's state to a unit input, and its derivative by ``b_f``."""
    with double_precision(True):
        return tuple(map(np.asarray, _respond(jnp.array([_logit(lam)]))))


def state_by_layer(lam: float, a: float, b: float, rho: float) -> float:
    """``E[h^2]`` from the layer's impulse response."""
    h, _ = _responses(lam)
    return float(_form(h, h, a, b, rho).real)


def bias_sensitivity_by_layer(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(dh/db_f)^2]`` from the derivative of the layer's impulse response."""
    _, slope = _responses(lam)
    return float(_form(slope, slope, a, b, rho).real)


def sensitivity_by_layer(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(dh/dlam)^2]``: the layer's ``E[(dh/db_f)^2]`` over ``(df/db_f)^2``."""
    return bias_sensitivity_by_layer(lam, a, b, rho) / (lam * (1 - lam)) ** 2


def bias_sensitivity_sum(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(dh/db_f)^2]`` as a double sum, the bias moved in the complex plane."""
    step = 1e-30
    moved = 1 / (1 + np.exp(-(_logit(lam) + 1j * step)))
    slope = np.imag(_weights(moved)) / step
    return float(_form(slope, slope, a, b, rho).real)


def bias_curvature_sum(lam: float, a: float, b: float, rho: float) -> float:
    """``E[(d^2 h/db_f^2)^2]``, the bias moved and differenced with weights of order 4."""
    step, bias = 1e-3, _logit(lam)
    taps = {-2: -1 / 12, -1: 4 / 3, 0: -5 / 2, 1: 4 / 3, 2: -1 / 12}
    rows = [w * _weights(1 / (1 + np.exp(-(bias + k * step)))) for k, w in taps.items()]
    slope = np.sum(rows, axis=0) / step**2
    return float(_form(slope, slope, a, b, rho).real)


@functools.cache
def finite_moments(time: float, steps: int = LENGTH) -> tuple[float, float]:
    """``E[h^2]`` and ``E[(dh/db_f)^2]`` on the input of Fig. 12, after ``steps`` inputs."""
    lam, ages = time / (1 + time), np.arange(steps)
    h = (1 - lam) * lam**ages
    slope = lam * (1 - lam) * (ages * lam ** (ages - 1.0) - (ages + 1) * lam**ages)
    R = covariance(steps, **EMBEDDINGS)
    return float(h @ R @ h), float(slope @ R @ slope)


def finite_state(time: float) -> float:
    """``E[h^2]`` on the input of Fig. 12, after 512 inputs."""
    return finite_moments(time)[0]


def spread(quantity: int) -> float:
    """Largest over least of a finite moment for time constants from 1 to 256."""
    found = [finite_moments(float(2**k))[quantity] for k in range(9)]
    return max(found) / min(found)


# The unit whose gates depend on input and state.


def _unit(w: float, v: float | None, bias: float) -> GatedUnit:
    one = jnp.ones((1, 1))
    mixing = None if v is None else jnp.full((1, 1), v)
    return GatedUnit(jnp.array([bias]), one, one, jnp.full((1, 1), w), mixing)


@functools.cache
def depends_on() -> tuple[Bool[np.ndarray, " times"], Bool[np.ndarray, " times"]]:
    """Masks of the ``x_t`` and the ``h_t`` that the gate that makes ``h_2`` sees.

    First inputs, then states, at t = 0, 1, 2, of which 2 is the time of the gate.
    From the derivatives of the step's own gate, ``(h_2 - x_2)/(h_1 - x_2)``.
    """
    with double_precision(True):
        unit, x = _unit(0.7, 0.4, 0.3), jnp.array([0.5, -0.8, 1.1])

        def gate(x, h):
            after = unit.step(h[1:2], x[2:3])[0][0]
            return (after - x[2]) / (h[1] - x[2])

        h = unit.states(x[:, None])[:, 0]
        seen = [np.asarray(part) for part in jax.grad(gate, (0, 1))(x, h)]
        return seen[0] != 0, seen[1] != 0


def seen_by_gate() -> Float[np.ndarray, " 2"]:
    """Times, counted from that of the gate, of the input and of the state it sees."""
    return np.array([np.flatnonzero(row)[0] - 2.0 for row in depends_on()])


@eqx.filter_jit
def _last_of_each(unit: GatedUnit, series: Array) -> Array:
    return jax.vmap(lambda x: unit.states(x[:, None])[-1, 0])(series)


@functools.cache
def _quadrature(size: float, steps: int) -> float:
    """``E[h^2]`` of one neuron under white noise of a size, by Gauss-Hermite sums."""
    nodes, mass = np.polynomial.hermite_e.hermegauss(9)
    mass = mass / mass.sum()
    grid = np.array(list(itertools.product(nodes, repeat=steps)))
    weight = np.prod(np.array(list(itertools.product(mass, repeat=steps))), axis=1)
    with double_precision(True):
        unit = _unit(0.6, -0.5, 1.2)
        h = _last_of_each(unit, jnp.asarray(size * grid))
        return float(weight @ np.asarray(h) ** 2)


def excess(size: float) -> float:
    """Relative error of the constant gate's ``E[h^2]``, inputs of a size."""
    steps, lam = 4, 1 / (1 + np.exp(-1.2))
    constant = (1 - lam) ** 2 * np.sum(lam ** (2 * np.arange(steps)))
    return _quadrature(size, steps) / (size**2 * constant) - 1


def rate_of_excess(size: float) -> float:
    """Order at which ``excess`` vanishes with the size of the inputs."""
    return float(np.log2(excess(size) / excess(size / 2)))


def unit_loop(
    W: Float[np.ndarray, "units n n"],
    V: Float[np.ndarray, "units n n"],
    bias: Float[np.ndarray, "units n"],
    x: Float[np.ndarray, "time units n"],
) -> Float[np.ndarray, "units n"]:
    """Last states of several units by the loop of Eq. 157-158."""
    h = np.zeros_like(bias)
    for now in x:
        seen = W @ now[..., None] + V @ h[..., None]
        f = 1 / (1 + np.exp(-(seen[..., 0] + bias)))
        h = f * h + (1 - f) * now
    return h


def orthogonal(generator: np.random.Generator, *shape: int) -> np.ndarray:
    """Orthogonal matrices, uniformly: the signs of the factorisation are taken out."""
    Q, upper = np.linalg.qr(generator.normal(size=shape))
    return Q * np.sign(np.diagonal(upper, axis1=-2, axis2=-1))[..., None, :]


def _inputs(
    generator: np.random.Generator,
    shape: tuple[int, ...],
    a: float,
    b: float,
    rho: float,
) -> Float[np.ndarray, "time units n"]:
    """White noise of variance ``a`` plus an AR(1) process of variance ``b``."""
    noise = generator.normal(size=shape)
    slow = [noise[0]]
    for fresh in noise[1:]:
        slow.append(rho * slow[-1] + np.sqrt(1 - rho**2) * fresh)
    white = generator.normal(size=shape)
    return np.sqrt(a) * white + np.sqrt(b) * np.array(slow)


@functools.cache
def simulated_excess(a: float, b: float, rho: float, units: int = 2) -> float:
    """Mean over neurons of ``h_512^2`` over its constant-gate value, less one.

    As for Fig. 15: 256 neurons, biases ``log T`` with T uniform on [1, 256], orthogonal
    and LeCun weights from state and input to the gates; inputs as many as neurons,
    independent, of the given covariance.
    """
    generator, n = np.random.default_rng(15), NEURONS
    time = generator.uniform(*TIMES, size=(units, n))
    W = generator.normal(size=(units, n, n)) / np.sqrt(n)
    V = orthogonal(generator, units, n, n)
    x = _inputs(generator, (LENGTH, units, n), a, b, rho)
    single = (part.astype(np.float32) for part in (W, V, np.log(time), x))
    h = unit_loop(*single)
    lam = (time / (1 + time)).ravel()
    weights = (1 - lam)[:, None] * lam[:, None] ** np.arange(LENGTH)
    constant = np.sum((weights @ covariance(LENGTH, a, b, rho)) * weights, axis=1)
    return float(np.mean(h.astype(float).ravel() ** 2 / constant)) - 1


# Definitions, and the figure's measurement.

SERIES = np.array([0.5, -0.8, 1.1, 0.3, -1.4])


def states_by_layer(w: float, v: float, bias: float) -> Float[np.ndarray, " steps"]:
    """States of one neuron on a short series."""
    with double_precision(True):
        return np.asarray(_unit(w, v, bias).states(jnp.asarray(SERIES)[:, None]))[:, 0]


def states_by_hand(w: float, v: float, bias: float) -> Float[np.ndarray, " steps"]:
    """States of one neuron on a short series, by the loop of Eq. 157-158."""
    h, found = 0.0, []
    for x in SERIES:
        f = 1 / (1 + np.exp(-(w * x + v * h + bias)))
        h = f * h + (1 - f) * x
        found.append(h)
    return np.array(found)


def _gates(h: np.ndarray) -> np.ndarray:
    before = np.concatenate([[0.0], h[:-1]])
    return (h - SERIES) / (before - SERIES)


def gate_by_layer(w: float, v: float, bias: float) -> Float[np.ndarray, " steps"]:
    """Gates that the layer used: ``(h_t - x_t)/(h_{t-1} - x_t)``."""
    return _gates(states_by_layer(w, v, bias))


def gate_by_hand(w: float, v: float, bias: float) -> Float[np.ndarray, " steps"]:
    """Gates ``(h_t - x_t)/(h_{t-1} - x_t)`` of the loop of Eq. 157-158."""
    return _gates(states_by_hand(w, v, bias))


def gate_as_defined(w: float, v: float, bias: float) -> Float[np.ndarray, " steps"]:
    """Eq. 157 at the states that the layer went through."""
    before = np.concatenate([[0.0], states_by_layer(w, v, bias)[:-1]])
    return 1 / (1 + np.exp(-(w * SERIES + v * before + bias)))


def excess_size(size: float) -> float:
    """``excess`` without its sign."""
    return abs(excess(size))


def finite_share(time: float) -> float:
    """``E[h^2]`` after 512 inputs of Fig. 12 over its stationary value, the lesser one.

    Of the state and of the sensitivity.
    """
    both = zip(finite_moments(time), finite_moments(time, 2048), strict=True)
    return min(part / whole for part, whole in both)


def kernel_weight(time: float) -> float:
    """Sum of Fig. 15's kernel over its samples, T on a fine grid of [1, 256]."""
    grid = 1 + 255 * (np.arange(100_000) + 0.5) / 100_000
    return float(25_600 * np.mean(np.exp(-((grid - time) ** 2) / 100)))


# Appendix D.1: the inputs, and how layers see them.


def half_squared_gap(prediction: list[float], target: list[float]) -> float:
    """Eq. 156 by numpy."""
    return 0.5 * float(np.linalg.norm(np.subtract(prediction, target)) ** 2)


def over_white(lam: float) -> float:
    """``E[h^2]`` of ``h <- lam h + x`` on Fig. 12's input over that of white noise.

    Both of the same variance.
    """
    weights, a, b = lam ** np.arange(1024.0), EMBEDDINGS["a"], EMBEDDINGS["b"]
    fitted = weights @ covariance(1024, **EMBEDDINGS) @ weights
    return float(fitted / ((a + b) * weights @ weights))


def normalised_state(radius: float, theta0: float) -> float:
    """``(1 - |lam|^2) E|h|^2`` on Fig. 12's input, averaged over phases, over ``R(0)``."""
    phases = theta0 * (np.arange(512) + 0.5) / 512
    lam = radius * np.exp(1j * phases)[:, None]
    weights = lam ** np.arange(AGES)
    R = covariance(AGES, **EMBEDDINGS)
    moments = np.sum((weights @ R) * weights.conj(), axis=1).real
    return float(np.mean(moments) * (1 - radius**2) / R[0, 0])


def normalised_state_by_sum(radius: float, theta0: float) -> float:
    """``(1 - |lam|^2) E|h|^2`` on Fig. 12's input, averaged over phases, lag by lag.

    Over ``R(0)``; the phases' mean of ``cos(lag theta)`` is in closed form.
    """
    lags = np.arange(1, 20 * AGES)
    mean = np.sin(lags * theta0) / (lags * theta0)
    a, b, rho = EMBEDDINGS.values()
    tail = 2 * b * np.sum((radius * rho) ** lags * mean)
    return float((a + b + tail) / (a + b))


def _chain(lams: jax.Array, steps: int) -> jax.Array:
    """Impulse response of scalar recurrences one after the other."""
    y = jnp.zeros(steps).at[0].set(1.0)
    for i in range(4):
        y = jnp.convolve(y, lams[i] ** jnp.arange(steps))[:steps]
    return y


@jax.jit
def _chain_slopes(lams: Array) -> Array:
    return jax.jacfwd(lambda p: _chain(p, 300))(lams)


def layer_gradients(lams: tuple[float, ...]) -> Float[np.ndarray, " layers"]:
    """``E[(dy/dlam_l)^2]`` of a chain of four over that of its first, white inputs."""
    with double_precision(True):
        slopes = _chain_slopes(jnp.array(lams))
        energies = np.sum(np.asarray(slopes) ** 2, axis=0)
    return energies / energies[0]


def layer_gradients_by_differences(lams: tuple[float, ...]) -> np.ndarray:
    """``E[(dy/dlam_l)^2]`` of a chain over that of its first, by a complex step."""
    step, energies = 1e-30, []
    for i in range(4):
        y = np.eye(1, 300)[0] + 0j
        for j, lam in enumerate(lams):
            moved = lam + 1j * step * (i == j)
            y = np.convolve(y, moved ** np.arange(300))[:300]
        energies.append(np.sum((np.imag(y) / step) ** 2))
    return np.array(energies) / energies[0]


def network_sizes() -> list[int]:
    """Blocks, width, states and features of the paper's network."""
    network = zucchet_paper(nu0=0.9)
    return [network.depth, network.width, network.state_size, network.inputs]
