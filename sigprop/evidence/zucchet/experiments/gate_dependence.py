"""Evidence for the text on Figure 15 of Zucchet & Orvieto (2024)."""

import functools
import math
from functools import partial
from math import erf, pi, sqrt

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import (
    autocovariance,
    orthogonal,
    points,
    power_derivatives,
    powers,
    quadratic,
    sigmoid,
)
from sigprop.evidence.zucchet.experiments.constant_gates import (
    EMBEDDINGS,
)
from sigprop.evidence.zucchet.experiments.gated_networks import sampled_gate
from sigprop.judge.basis import Basis, Evidence

NEURONS, LENGTH, TIMES = 256, 512, (1.0, 256.0)


@functools.cache
def finite_moments(time: float, steps: int = LENGTH) -> tuple[float, float]:
    """``E[h^2]`` and ``E[(dh/db_f)^2]`` on the input of Fig. 12, after ``steps`` inputs."""
    lam = time / (1 + time)
    power, R = powers(lam, steps), autocovariance(steps, **EMBEDDINGS)
    derivative = lam * (1 - lam) * ((1 - lam) * power_derivatives(lam, steps) - power)
    return quadratic((1 - lam) * power, R), quadratic(derivative, R)


def finite_share(time: float) -> float:
    """Ratio of a moment after 512 inputs of Fig. 12 and its stationary value.

    It is the smaller one of state and sensitivity.
    """
    pairs = zip(finite_moments(time), finite_moments(time, 2048), strict=True)
    return min(part / longer for part, longer in pairs)


def spread(quantity: int, steps: int = LENGTH) -> float:
    """Ratio of the largest and smallest finite moment, for time constants 1 to 256."""
    times = 2 ** np.linspace(0, 8, 65)
    moments = [finite_moments(float(time), steps)[quantity] for time in times]
    return max(moments) / min(moments)


def unit_loop(
    W: Float[np.ndarray, "units n n"],
    V: Float[np.ndarray, "units n n"],
    bias: Float[np.ndarray, "units n"],
    x: Float[np.ndarray, "time units n"],
) -> Float[np.ndarray, "units n"]:
    """Last states of several units by the loop of Eq. 157-158."""
    h = np.zeros_like(bias)
    for x_t in x:
        drive = W @ x_t[..., None] + V @ h[..., None]
        f = sigmoid(drive[..., 0] + bias)
        h = f * h + (1 - f) * x_t
    return h


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
    weights = (1 - lam)[:, None] * powers(lam, LENGTH)
    constant = np.sum((weights @ autocovariance(LENGTH, rho, a, b)) * weights, axis=1)
    return float(np.mean(h.astype(float).ravel() ** 2 / constant)) - 1


def kernel_weight(time: float) -> float:
    """Sum of Fig. 15's kernel over its samples, T on a fine grid of [1, 256]."""
    grid = 1 + 255 * (np.arange(100_000) + 0.5) / 100_000
    return float(25_600 * np.mean(np.exp(-((grid - time) ** 2) / 100)))


def samples(
    time: float, edges: tuple[float, float] = TIMES, width: float = 10.0
) -> float:
    """Sum of Fig. 15's kernel over its samples; at an edge, half of it is outside."""
    low, high = (erf((time - edge) / width) for edge in edges)
    return 100 * 256 / 255 * sqrt(100 * pi) * (low - high) / 2


EVIDENCE: dict[str, Basis] = {
    "zucchet:fig15": Evidence(
        points("tau", 1.0, 4.0, 256.0),
        {"layer": sampled_gate},
        mutants={"no brackets": lambda tau: tau / 1 + tau},
    ),
    "zucchet:fig15:samples": Evidence(
        points("time", 128.0, 7.0, 1.0),
        {"reference": kernel_weight},
        form=samples,
        tolerance=5e-3,
        mutants={
            "no edges": partial(samples, edges=(-math.inf, math.inf)),
            "the width squared": partial(samples, width=100.0),
            "times from two on": partial(samples, edges=(2.0, 256.0)),
        },
        alone="the printed kernel, summed over a grid of T",
    ),
}
