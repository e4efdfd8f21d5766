"""Quadrature for Fourier transforms and Barron constants, and what widths follow.

The transform of a function on R^p carries the factor (2 pi)^{-p}.

Source: BLUR (2025), Eq. 2, Definition 3.2, Eq. 23 and Appendix A.4.
"""

import math

import jax
import mpmath
import numpy as np


def transform(width: float, omega: float) -> complex:
    """Transform of ``exp(-x^2 / (2 width^2))`` by quadrature."""

    def integrand(x):
        phase = mpmath.exp(-1j * mpmath.mpf(omega) * x)
        return mpmath.exp(-(x**2) / (2 * mpmath.mpf(width) ** 2)) * phase

    edges = [step * width for step in (-12, -4, 0, 4, 12)]
    return complex(mpmath.quad(integrand, edges) / (2 * mpmath.pi))


def constant(width: float) -> float:
    """Barron constant of ``exp(-x^2/(2 width^2))``, its transform summed on a lattice.

    The trapezoidal rule of a Gaussian is exact beyond double precision, so no closed form
    of the transform enters.
    """
    x = width / 4 * np.arange(-60, 61)
    samples = np.exp(-(x**2) / (2 * width**2))
    point, weight = np.polynomial.legendre.leggauss(80)
    omega = (point + 1) * 5 / width
    waves = np.cos(np.outer(omega, x)) @ samples * (width / 4) / (2 * np.pi)
    return float(2 * np.sum(weight * 5 / width * omega * np.abs(waves)))


def stretched(long: float, short: float) -> float:
    """Barron constant of a Gaussian of a stretched argument, on a polar lattice.

    ``F(x) = exp(-|x|^2/2)`` in the plane and ``f(x) = F(diag(long, short) x)``.
    """
    angle = 2 * np.pi * np.arange(400) / 400
    radius = np.linspace(0, 12, 4001)[1:]
    density = radius * np.exp(-(radius**2) / 2) / (2 * np.pi)
    moved = np.hypot(long * np.cos(angle), short * np.sin(angle))
    per_angle = moved.mean() * 2 * np.pi
    return float(np.sum(density * radius) * (radius[1] - radius[0]) * per_angle)


def stretched_slowly(long: float, short: float) -> float:
    """Barron constant of a stretched Gaussian, by a complete elliptic integral.

    The mean radius of an ellipse, times the constant ``sqrt(pi/2)`` of the round Gaussian.
    """
    parameter = 1 - (mpmath.mpf(short) / long) ** 2
    mean = 2 / mpmath.pi * long * mpmath.ellipe(parameter)
    return float(mean * mpmath.sqrt(mpmath.pi / 2))


def norm_times_constant(long: float, short: float) -> float:
    """Norm of the map times the Barron constant of ``F``."""
    return float(max(long, short) * mpmath.sqrt(mpmath.pi / 2))


def interpolant(widths: tuple[float, ...]) -> float:
    """Barron constant of ``sum_k f_k(x) phi(t - k)`` by quadrature in the plane.

    ``f_k`` are Gaussians, and ``phi(t) = (sin(pi t)/(pi t))^2``, whose transform is a
    triangle over ``[-2 pi, 2 pi]``, is 1 at 0 and 0 at every other integer.
    """
    nu, weight = _rule(-2 * np.pi, 2 * np.pi, 60)
    triangle = (1 - np.abs(nu) / (2 * np.pi)) / (2 * np.pi)
    omega, other = _rule(-9 / min(widths), 9 / min(widths), 80)
    transforms = [
        w / math.sqrt(2 * np.pi) * np.exp(-((omega * w) ** 2) / 2) for w in widths
    ]
    waves = [np.exp(-1j * nu * (k + 1)) for k in range(len(widths))]
    pairs = zip(transforms, waves, strict=True)
    sizes = np.abs(sum(np.outer(f, wave) for f, wave in pairs))
    length = np.hypot(omega[:, None], nu[None])
    return float(other @ (length * sizes) @ (triangle * weight))


def _rule(low: float, high: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Legendre on both halves of an interval around zero."""
    point, weight = np.polynomial.legendre.leggauss(count)
    left, right = low * (1 - point) / 2, high * (1 + point) / 2
    weights = [-low * weight / 2, high * weight / 2]
    return np.concatenate([left, right]), np.concatenate(weights)


def interpolant_bound(widths: tuple[float, ...], cost: float) -> float:
    """``sum_k C_k + cost C'_k``: a Gaussian's transform has the mass 1."""
    return sum(math.sqrt(2 / math.pi) / w + cost for w in widths)


def sufficient_neurons(
    states: float,
    outputs: float,
    radius: float,
    barron: float,
    Theta: float,
    accuracy: float,
) -> float:
    """Neurons of Theorem A.2 for every output alone, to its share of the accuracy."""
    real_states = 2 * states
    constants = [Theta * barron] * int(outputs)
    share = accuracy / outputs
    return sum(2 * real_states * radius**2 * c**2 / share**2 for c in constants)


def interpolant_neurons(
    states: float, radius: float, barron: float, inputs: float, accuracy: float
) -> float:
    """Neurons of Theorem A.2 for one output whose constant is a sum over all steps."""
    total = sum([barron] * int(inputs))
    return 2 * states * radius**2 * total**2 / accuracy**2


def padded_neurons(
    states: float,
    outputs: float,
    radius: float,
    barron: float,
    Theta: float,
    accuracy: float,
    padding: int,
) -> float:
    """Size of a network that approximates the logistic function, extra neurons idle.

    Raises:
        ValueError: If the network misses the accuracy.
    """
    slopes = np.array(
        [4 * barron] + [0.0] * padding
    )  # a logistic of slope a has C = a/4
    scales = np.array([1.0] + [0.0] * padding)
    h = np.linspace(-radius, radius, 11)
    target = 1 / (1 + np.exp(-4 * barron * h))
    network = (1 / (1 + np.exp(-np.outer(h, slopes)))) @ scales
    error = np.abs(network - target).max()
    if error > accuracy:
        raise ValueError(f"need an error of at most {accuracy}, got {error}")
    return float(len(slopes))


def norm(h: tuple[float, ...]) -> float:
    """Euclidean norm, entry by entry."""
    return math.hypot(*h)


def scan_work(inputs: int) -> int:
    """Combinations that a recursive scan of ``inputs`` steps makes, counted."""
    calls = 0

    def combine(left: float, right: float) -> float:
        nonlocal calls
        calls += 1
        return left + right

    def scan(values: list[float]) -> list[float]:
        if len(values) < 2:
            return values
        pairs = [combine(a, b) for a, b in zip(values[::2], values[1::2], strict=False)]
        odd = scan(pairs)
        even = [combine(a, b) for a, b in zip(odd[:-1], values[2::2], strict=False)]
        found = [values[0]]
        for i, value in enumerate(odd):
            found.append(value)
            if i < len(even):
                found.append(even[i])
        return found[: len(values)]

    values = [float(i) for i in range(inputs)]
    if scan(values) != list(np.cumsum(values)):
        raise AssertionError("need the prefix sums")
    return calls


def scan_work_jax(inputs: int) -> int:
    """Combinations that JAX's scan of ``inputs`` steps makes, counted while traced."""
    sizes: list[int] = []

    def combine(left, right):
        sizes.append(left.shape[0])
        return left + right

    steps = jax.ShapeDtypeStruct((inputs,), np.float32)
    jax.eval_shape(lambda x: jax.lax.associative_scan(combine, x), steps)
    return sum(sizes)
