"""Brute force for spectral statements: quadrature, matrix exponentials, iterated maps.

Source: Orvieto et al. (2023), Section 2.1, Section 4 and Appendix E.
"""

import functools
from collections.abc import Sequence

import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Float
from numpy.polynomial import Polynomial
from numpy.polynomial.hermite_e import hermeval
from scipy.linalg import expm

from sigprop.layers.s4d import S4D, diagonal_spectrum, discretise
from sigprop.numerics.precision import double_precision
from sigprop.references.lru import run

Regions = Sequence[tuple[float, float]]
UNITARY = 1 / (2 * np.pi)  # prefactor of the transform whose inverse has none
SPAN, SPACING = 14.0, 0.02  # Gaussian tails below 1e-40; trapezoids exact to rounding
COARSE = 0.1  # enough where both signal and frequency are below 14


def _line(centre: float = 0.0, span: float = SPAN) -> Float[np.ndarray, " k"]:
    return np.arange(centre - span, centre + span, SPACING)


def _legendre(low: float, high: float, order: int = 80):
    nodes, weights = np.polynomial.legendre.leggauss(order)
    return (high + low) / 2 + (high - low) / 2 * nodes, (high - low) / 2 * weights


def _roots(regions: Regions) -> Polynomial:
    """Positive inside every region and negative outside, where the regions are apart."""
    signal = Polynomial([-1.0])
    for centre, half in regions:
        signal *= Polynomial([centre**2 - half**2, -2 * centre, 1.0])
    return signal


def _spectrum(omega: Float[np.ndarray, " k"], regions: Regions):
    """Transform, prefactor one, of the polynomial times ``exp(-t^2/2)``."""
    weights = np.array(_roots(regions).coef, complex) * (-1j) ** np.arange(
        2 * len(regions) + 1
    )
    return hermeval(omega, weights) * np.sqrt(2 * np.pi) * np.exp(-(omega**2) / 2)


def rectified(regions: Regions, omega: float, scale: float) -> complex:
    """Transform of the ReLU of a signal that is positive in the given regions."""
    total = 0j
    for centre, half in regions:
        t, weights = _legendre(centre - half, centre + half)
        passed = np.maximum(_roots(regions)(t) * np.exp(-(t**2) / 2), 0)
        total += weights @ (passed * np.exp(-1j * omega * t))
    return complex(scale * total)


def leaked_as_printed(regions: Regions, omega: float, scale: float) -> complex:
    """The spectrum convolved with the kernel, as Proposition E.1 prints it.

    Source: Orvieto et al. (2023), Eq. 8 and 16.
    """
    nu = _line()
    bracket = sum(
        2
        * half
        * np.exp(-1j * (omega - nu) * centre)
        * np.sinc((omega - nu) * half / np.pi)
        for centre, half in regions
    )
    return scale * SPACING * complex(np.sum(_spectrum(nu, regions) * bracket))


def leaked(regions: Regions, omega: float, scale: float) -> complex:
    """The spectrum convolved with the kernel, over ``2 pi``: right for any prefactor."""
    return leaked_as_printed(regions, omega, scale) / (2 * np.pi)


def _transform(width: float, scale: float, omega: Float[np.ndarray, " k"]):
    t = np.arange(-SPAN, SPAN, COARSE) * max(width, 1.0)
    signal = np.exp(-(t**2) / (2 * width**2))
    return scale * (t[1] - t[0]) * np.exp(-1j * np.multiply.outer(omega, t)) @ signal


@functools.cache
def _pair(width_1: float, width_2: float, scale: float):
    nu = np.arange(-12.0, 12.0, COARSE)
    return nu, _transform(width_1, scale, nu), _transform(width_2, scale, nu)


def separate_integrals(
    width_1: float, width_2: float, time: float, scale: float
) -> complex:
    """Product of two integrals over frequency.  Source: Orvieto et al. (2023), Eq. 10."""
    nu, first, second = _pair(width_1, width_2, scale)
    wave = COARSE * np.exp(1j * nu * time)
    return complex((first @ wave) * (second @ wave))


def product_from_transforms(
    width_1: float, width_2: float, time: float, scale: float
) -> complex:
    """Product of two inverse transforms, each with the prefactor that it needs."""
    value = separate_integrals(width_1, width_2, time, scale)
    return value / (2 * np.pi * scale) ** 2


@functools.cache
def joint_integral(
    width_1: float, width_2: float, time: float, scale: float
) -> complex:
    """One sum over the plane of frequencies.  Source: Orvieto et al. (2023), Eq. 11-13."""
    nu, first, second = _pair(width_1, width_2, scale)
    wave = np.exp(1j * np.add.outer(nu, nu) * time)
    return complex(np.sum(np.multiply.outer(first, second) * wave)) * COARSE**2


def product_from_convolution(
    width_1: float, width_2: float, time: float, scale: float
) -> complex:
    """The inverse of the convolved spectra, over the factor that it needs.

    Source: Orvieto et al. (2023), Eq. 14.
    """
    _, first, second = _pair(width_1, width_2, scale)
    convolved = COARSE * np.convolve(first, second)
    omega = -24.0 + COARSE * np.arange(convolved.size)
    inverse = (
        COARSE * np.sum(convolved * np.exp(1j * omega * time)) / (2 * np.pi * scale)
    )
    return complex(inverse) / (2 * np.pi * scale)


def pulse(centre: float, half: float, omega: float, scale: float) -> complex:
    """Transform of an indicator by quadrature.  Source: Orvieto et al. (2023), Eq. 15."""
    t, weights = _legendre(centre - half, centre + half)
    return complex(scale * weights @ np.exp(-1j * omega * t))


def shifted_transform(omega: float, delay: float, width: float) -> complex:
    """Transform of a delayed lopsided signal, by quadrature."""
    t = _line(delay, 20.0)
    x = (1 + (t - delay)) * np.exp(-((t - delay) ** 2) / (2 * width**2))
    return complex(SPACING * np.sum(x * np.exp(-1j * omega * t)))


def phased_transform(omega: float, delay: float, width: float) -> complex:
    """Transform of a delayed lopsided signal, as a phase times the undelayed one's."""
    return complex(np.exp(-1j * omega * delay) * shifted_transform(omega, 0.0, width))


def rectified_sine(harmonic: int) -> complex:
    """Fourier coefficient of ``ReLU(sin t)`` at twice ``harmonic``, by quadrature."""
    t, weights = _legendre(0.0, np.pi)
    return complex(weights @ (np.sin(t) * np.exp(-2j * harmonic * t))) / (2 * np.pi)


def steady_sine(lam: complex, frequency: float, phase: float, k: int) -> float:
    """Real output of a recurrence driven by a sine since long ago, at time ``k``."""
    ages = np.arange(4000)
    return float(np.real(lam**ages @ np.sin(frequency * (k - ages) + phase)))


def started_sine(
    lam: complex, frequency: float, phase: float, k: int, history: int
) -> float:
    """Real output at time ``k`` under a sine with ``history`` inputs before time 0."""
    ages = np.arange(k + history + 1)
    return float(np.real(lam**ages @ np.sin(frequency * (k - ages) + phase)))


def sine_of_the_same_frequency(
    lam: complex, frequency: float, phase: float, k: int, history: int
) -> float:
    """The sine scaled and shifted by the transfer function's size and angle.

    Source: Orvieto et al. (2023), Appendix E.1.1.
    """
    del history
    forward = 1 / (1 - lam * np.exp(-1j * frequency))
    backward = np.conj(1 / (1 - lam * np.exp(1j * frequency)))
    gain = (forward + backward) / 2
    return float(np.abs(gain) * np.sin(frequency * k + phase + np.angle(gain)))


def causal_share(kernel: str) -> float:
    """Energy of a kernel at non-negative times, all that a causal system can match."""
    t = _line(0.0, 40.0)
    x = {
        "decaying": np.where(t >= 0, np.exp(-t), 0),
        "ringing": np.where(t >= 0, np.exp(-0.5 * t) * np.cos(3 * t), 0),
        "delayed": np.exp(-((t - 15) ** 2)),
        "gaussian": np.exp(-(t**2) / 2),
        "two-sided": np.exp(-np.abs(t)),
    }[kernel]
    weight = np.where(np.abs(t) < SPACING / 2, 0.5, (t > 0).astype(float))
    if kernel in ("decaying", "ringing"):
        weight = np.ones_like(t)
        weight[t < -SPACING / 2] = 0
    return float(np.sum(weight * x**2) / np.sum(x**2))


def held_gain(pole: complex, dt: float, drive: complex) -> complex:
    """Input coefficient of zero-order hold, from the augmented matrix's exponential."""
    return complex(expm(dt * np.array([[pole, drive], [0, 0]]))[0, 1])


def layer_gain(pole: complex, dt: float, drive: complex) -> complex:
    """Input coefficient of zero-order hold, from the S4D layer's discretisation."""
    with double_precision(True):
        _, gain = discretise(
            jnp.log(-jnp.asarray(pole.real)),
            jnp.asarray(pole.imag),
            jnp.asarray(dt),
            "zoh",
        )
        return complex(gain) * drive


def bilinear_defect(pole: complex, dt: float) -> complex:
    """Error of the S4D layer's bilinear eigenvalue."""
    with double_precision(True):
        lam, _ = discretise(
            jnp.log(-jnp.asarray(pole.real)),
            jnp.asarray(pole.imag),
            jnp.asarray(dt),
            "bilinear",
        )
        return complex(lam) - complex(np.exp(pole * dt))


INPUTS = (0.7, -1.1, 0.4, 1.3, -0.2)


def held_state(pole: complex, dt: float, k: int, hold: str) -> complex:
    """The continuous state at time ``k dt``, inputs held ``after`` or ``before`` them.

    ``after`` is the zero-order hold from ``x(0) = 0``; ``before`` holds ``u_k`` up to
    its own time, from zero at ``-dt``.
    """
    first = 0 if hold == "after" else -1
    shift = 0 if hold == "after" else 1
    total = 0j
    for interval in range(first, k):
        s, weights = _legendre(interval * dt, (interval + 1) * dt, 40)
        total += INPUTS[interval + shift] * (weights @ np.exp(pole * (k * dt - s)))
    return complex(total)


def recurrent_state(pole: complex, dt: float, k: int) -> complex:
    """State ``k`` of the discrete recurrence.  Source: Orvieto et al. (2023), Eq. 3."""
    lam = np.exp(pole * dt)
    return complex(
        sum(lam ** (k - j) * (lam - 1) / pole * INPUTS[j] for j in range(k + 1))
    )


def recurrent_state_as_printed(pole: complex, dt: float, k: int, hold: str) -> complex:
    """Eq. 3 takes ``x_k`` for the state at time ``k dt`` whatever the hold."""
    del hold
    return recurrent_state(pole, dt, k)


def recurrent_state_in_time(pole: complex, dt: float, k: int, hold: str) -> complex:
    """The discrete state that is the continuous one at ``k dt``: one earlier if held on."""
    return recurrent_state(pole, dt, k - (hold == "after"))


def _drawn_system(seed: int):
    draw = np.random.default_rng(seed)
    poles = -draw.uniform(0.2, 1.5, size=2) + 1j * draw.uniform(0.5, 6, size=2)
    return poles, draw.normal(size=2) + 1j * draw.normal(size=2), draw.normal()


def sampled_output(seed: int, dt: float) -> Float[np.ndarray, " time"]:
    """The continuous output at times ``k dt``, each input held up to its own time.

    Source: Orvieto et al. (2023), Eq. 2.
    """
    poles, C, D = _drawn_system(seed)
    states = [[held_state(pole, dt, k, "before") for pole in poles] for k in range(5)]
    return (np.array(states) @ (2 * C)).real + D * np.array(INPUTS)


def layer_output(seed: int, dt: float) -> Float[np.ndarray, " time"]:
    """Outputs of the package's S4D layer, which doubles the real part of ``C x``."""
    poles, C, D = _drawn_system(seed)
    with double_precision(True):
        parts = (np.log(-poles.real), poles.imag, np.log(dt), C.real, C.imag, D)
        shapes = ((1, 2), (1, 2), (1,), (1, 2), (1, 2), (1,))
        decay, im, log_dt, C_re, C_im, skip = (
            jnp.asarray(np.reshape(part, shape))
            for part, shape in zip(parts, shapes, strict=True)
        )
        layer = S4D(decay, im, log_dt, C_re, C_im, skip, "zoh")
        u = jnp.asarray(INPUTS)[:, None]
        return np.asarray(run(layer, u)[1])[:, 0]


@functools.cache
def legs_spectrum(size: int) -> Complex[np.ndarray, " size"]:
    """Eigenvalues of the normal part of HiPPO-LegS, by its definition."""
    root = np.sqrt(2 * np.arange(size) + 1)
    below = np.tril(np.outer(root, root), -1) / 2
    return -0.5 + 1j * np.linalg.eigvalsh(-1j * (below.T - below))[::-1]


def legs_pole(index: int, size: int) -> complex:
    """Eigenvalue ``index`` of the normal part of HiPPO-LegS, from 1, the highest first."""
    return complex(legs_spectrum(size)[index - 1])


def linear_pole(index: int, size: int) -> complex:
    """Eigenvalue ``index``, from 0, of the package's linear spectrum."""
    return complex(diagonal_spectrum(size // 2, "lin")[index])


def eigenvalue_of_lin(index: int, dt: float) -> complex:
    """Discrete eigenvalue of S4D-Lin at ``index``, by the S4D layer's own hold."""
    with double_precision(True):
        lam, _ = discretise(
            jnp.log(jnp.asarray(0.5)),
            jnp.asarray(np.pi * index),
            jnp.asarray(dt),
            "zoh",
        )
        return complex(lam)


def modulus_of_lin(index: int, dt: float) -> float:
    """Modulus of S4D-Lin's discrete eigenvalue at ``index``, by the layer's hold."""
    return abs(eigenvalue_of_lin(index, dt))


def phase_of_lin(index: int, dt: float) -> float:
    """Phase of S4D-Lin's discrete eigenvalue at ``index``, by the layer's hold."""
    return float(np.angle(eigenvalue_of_lin(index, dt)))


def unscaled_sum(dt: float) -> float:
    """The sum over ages of ``|exp(dt pole)|^j``, times ``dt``."""
    ages = np.arange(round(60 / dt))
    return float(dt * np.sum(np.exp(-dt / 2) ** ages))


def scaled_energy(dt: float, source: str) -> float:
    """``E|x|^2`` of the real mode of S4D-Lin with factor ``dt``, over its continuous value.

    Under constant input of size one the state tends to 2; white noise of unit variance
    is what ``source`` names otherwise.
    """
    ages = np.arange(round(60 / dt))
    weights = dt * np.exp(-dt / 2) ** ages
    if source == "constant":
        return float(np.sum(weights) ** 2) / 4
    return float(np.sum(weights**2))


def first_order_ratio(dt: float, pole: complex) -> complex:
    """The hold's factor over its first-order term."""
    return held_gain(pole, dt, 1.0) / dt


def turns_of_kernel(length: int, max_phase: float) -> float:
    """Mean number of periods of ``Re lam^j`` over phases of a range: its zero crossings.

    Phases lie in the middle of equal cells; every period crosses zero twice.
    """
    phases = (np.arange(400) + 0.5) / 400 * max_phase
    signs = np.sign(np.cos(np.multiply.outer(phases, np.arange(length)) + 0.3))
    return float(np.mean(np.sum(signs[:, 1:] != signs[:, :-1], axis=1)) / 2)


def kernel_left(length: int, nu: float) -> float:
    """``|x_L|`` after an impulse, by the recurrence."""
    x = 1.0
    for _ in range(length):
        x *= np.exp(-nu)
    return x
