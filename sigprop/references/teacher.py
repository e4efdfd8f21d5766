"""The teacher-student task by brute force: times, sizes, curvatures and couplings.

Source: Zucchet & Orvieto (2024), Section 4 and Appendix C.2-C.4.
"""

import functools
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optax
from jaxtyping import Complex, Float, PRNGKeyArray

from sigprop.inputs import White
from sigprop.layers.base import count_parameters
from sigprop.layers.dense import LinearRNN, transform_eigenvalues
from sigprop.layers.lru import LRU, ring_parameters, zucchet_lru
from sigprop.numerics.precision import double_precision


def response_sum(lam: float) -> float:
    """Sum of the impulse response: the characteristic time of one eigenvalue."""
    steps = int(np.ceil(-40 / np.log(lam)))
    return float(np.sum(lam ** np.arange(steps)))


def times_sequence(lam: float, length: int) -> float:
    """Length of a sequence over the characteristic time of an eigenvalue."""
    return length / response_sum(lam)


def missing_share(lam: float, length: int) -> float:
    """Share of ``E|h|^2`` under white noise that comes from older inputs."""
    steps = int(np.ceil(-40 / np.log(lam)))
    energies = lam ** (2.0 * np.arange(steps))
    return float(energies[length:].sum() / energies.sum())


def missing_share_of_sensitivity(lam: float, length: int) -> float:
    """Share of ``E|dh/dlam|^2`` under white noise that comes from older inputs."""
    ages = np.arange(int(np.ceil(-50 / np.log(lam))))
    energies = ages**2 * lam ** (2.0 * (ages - 1))
    return float(energies[length:].sum() / energies.sum())


def mean_time(nu0: float) -> float:
    """Mean of ``1/(1 - |lam|)`` of the teacher's law, by quadrature over the disc.

    Moduli of the raw matrix have density ``2 r`` on [0, 1] in the limit of many neurons.
    """
    nodes, weights = np.polynomial.legendre.leggauss(40)
    r = (nodes + 1) / 2
    lam = nu0 + (1 - nu0) * np.tanh(r)
    return float(np.sum(weights / 2 * 2 * r / (1 - lam)))


def _dense_layer(n: int, blocks: int) -> LinearRNN:
    size = n // blocks
    A = jnp.zeros((blocks, size, size))
    return LinearRNN(A, jnp.zeros((n, 1)), jnp.zeros((1, n)), jnp.zeros((1, 1)))


@functools.cache
def dense_size(n: int, blocks: int) -> int:
    """Real parameters of a linear RNN of blocks, scalar input and output."""
    return count_parameters(_dense_layer(n, blocks))


@functools.cache
def lru_size(n: int) -> int:
    """Real parameters of an LRU of scalar input and output."""

    def draw(key: PRNGKeyArray) -> LRU:
        return zucchet_lru(key, n, 1, 1, nu0=0.9, theta0=np.pi)

    shapes = jax.tree.leaves(eqx.filter_eval_shape(draw, jax.random.key(0)))
    return sum(one.size * (1 + jnp.iscomplexobj(one)) for one in shapes)


def size_ratio(width: int) -> float:
    """Parameters of the dense RNN over those of the LRU."""
    return dense_size(width, 1) / lru_size(width)


@functools.cache
def lru_angles(theta0: float) -> float:
    """Largest phase of freshly drawn LRUs, in radians."""
    _, theta_log = ring_parameters(jax.random.key(4), 64, 0.9, 1.0, theta0)
    return float(np.exp(np.asarray(theta_log, float)).max())


# Blocks of two against a dense matrix.


def _impulses(A: np.ndarray, B: np.ndarray, C: np.ndarray, steps: int) -> np.ndarray:
    return np.array([C @ np.linalg.matrix_power(A, k) @ B for k in range(steps)])


def dense_response(seed: int, n: int, steps: int = 12) -> Float[np.ndarray, " steps"]:
    """Impulse response of a random dense system, its spectral radius one half."""
    A, B, C = _dense(seed, n)
    return _impulses(A, B, C, steps)


def _dense(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    A = generator.normal(size=(n, n))
    A *= 0.5 / np.abs(np.linalg.eigvals(A)).max()
    return A, generator.normal(size=n), generator.normal(size=n)


def block_response(seed: int, n: int, steps: int = 12) -> Float[np.ndarray, " steps"]:
    """Impulse response of a random dense system, from real blocks of size two."""
    A, B, C = _dense(seed, n)
    lam, V = np.linalg.eig(A)
    inward, outward = np.linalg.solve(V, B), C @ V
    upper = np.flatnonzero(np.imag(lam) > 0)
    total = np.zeros(steps)
    for i in upper:
        block = np.array([[lam[i].real, -lam[i].imag], [lam[i].imag, lam[i].real]])
        weight = 2 * outward[i] * inward[i]
        total += _impulses(
            block, np.array([weight.real, weight.imag]), np.eye(2)[0], steps
        )
    real = np.flatnonzero(np.imag(lam) == 0)
    for i, j in zip(real[::2], real[1::2], strict=True):
        block = np.diag(np.real(lam[[i, j]]))
        total += _impulses(
            block, np.real(inward[[i, j]]), np.real(outward[[i, j]]), steps
        )
    return total


# Curvature and steps.


def largest_stable_rate(eigenvalues: tuple[float, ...]) -> float:
    """Largest step of gradient descent on a quadratic that does not diverge: bisected."""
    curvature, low, high = np.array(eigenvalues), 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        grows = np.abs((1 - middle * curvature) ** 8).max() > 1
        low, high = (low, middle) if grows else (middle, high)
    return low


def lipschitz_by_pairs(eigenvalues: tuple[float, ...]) -> float:
    """Lipschitz constant of a quadratic's gradient, over pairs of points on a fan."""
    curvature = np.array(eigenvalues)
    generator = np.random.default_rng(0)
    apart = np.vstack(
        [np.eye(len(curvature)), generator.normal(size=(200, len(curvature)))]
    )
    slopes = np.linalg.norm(apart * curvature, axis=1) / np.linalg.norm(apart, axis=1)
    return float(slopes.max())


def adam_on_ones(momentum: float, second: float, rate: float) -> float:
    """Step of optax's Adam late in training when it is given a gradient of one."""
    with double_precision(True):
        optimiser = optax.adam(rate)
        state: Any = optimiser.init(jnp.zeros(1))
        moments = state[0]._replace(
            count=jnp.asarray(10**6), mu=jnp.array([momentum]), nu=jnp.array([second])
        )
        step: Any = optimiser.update(jnp.ones(1), (moments, *state[1:]))[0]
        return -float(step[0])


def head_size(width: int, heads: int) -> int:
    """``dense_size`` by the names of its symbols."""
    return dense_size(width, heads)


def block_size(heads: int) -> int:
    """Rows of a block of the layer's matrix, 64 neurons."""
    return _dense_layer(64, heads).A.shape[1]


# What the text says in passing.


def white_covariance(lag: int) -> float:
    """``R`` of unit white noise."""
    return float(White().autocovariance(np.array([lag]))[0])


@functools.cache
def _white() -> np.ndarray:
    return np.asarray(White().sample(jax.random.key(1), 200, 1000), float)


def white_covariance_drawn(lag: int) -> float:
    """``R`` of unit white noise, measured on 200 000 draws."""
    x = _white()
    return float(np.mean(x[:, : 1000 - lag] * x[:, lag:]))


def loss_curvature(r: float) -> float:
    """Curvature at the optimum of half the mean squared gap of two states, by sums."""
    ages = np.arange(int(np.ceil(-60 / np.log(r))))
    step = 1e-3 * (1 - r)

    def loss(moved: float) -> float:
        gap = (r + moved) ** ages - r**ages
        return 0.5 * float(gap @ gap)

    taps = {2: -1 / 12, 1: 4 / 3}
    fourth = sum(w * (loss(k * step) + loss(-k * step)) for k, w in taps.items())
    return fourth / step**2


@functools.cache
def largest_place(nu0: float, power: float) -> float:
    """Largest ``(|lam| - nu0)/(1 - nu0)`` of 100 neurons, raw variance ``n^-power``."""
    generator, n = np.random.default_rng(3), 100
    places = []
    for _ in range(5):
        raw = generator.normal(size=(n, n)) * n ** (-power / 2)
        moved = transform_eigenvalues(raw, nu0, np.pi)
        places.append((np.abs(np.linalg.eigvals(moved)).max() - nu0) / (1 - nu0))
    return float(np.mean(places))


def dense_alone(width: int) -> int:
    """Parameters of the dense network."""
    return dense_size(width, 1)


def blocks_of_two(width: int) -> list[int]:
    """Blocks of a block-diagonal network, and its parameters."""
    return [width // 2, dense_size(width, width // 2)]


def rate_by_pairs(eigenvalues: tuple[float, ...]) -> float:
    """Two over the Lipschitz constant that pairs of points show."""
    return 2 / lipschitz_by_pairs(eigenvalues)


@functools.cache
def eigenvalues_sorted(seed: int) -> Complex[np.ndarray, " n"]:
    """Eigenvalues of a drawn teacher, in order."""
    raw = np.random.default_rng(seed).normal(size=(10, 10)) / np.sqrt(10)
    moved = transform_eigenvalues(raw, 0.99, np.pi)
    return np.sort_complex(np.linalg.eigvals(moved))


def conjugates_sorted(seed: int) -> Complex[np.ndarray, " n"]:
    """Conjugates of a drawn teacher's eigenvalues, in order."""
    return np.sort_complex(eigenvalues_sorted(seed).conj())
