"""Evidence for the prose on stacks, Appendix E.1 and Fig. 6 of Orvieto et al. (2023)."""

from collections.abc import Callable
from functools import partial

import numpy as np
import scipy
from jaxtyping import Complex, Float

from sigprop.evidence.kit import also, block, legendre, points, recur
from sigprop.evidence.lru.eigenfunctions import modes_predict
from sigprop.evidence.lru.transforms import (
    PULSE_EXAMPLE,
    SPACING,
    UNITARY,
    line,
    pulse,
)
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.theory import spectral

CAUSAL = ("decaying", "ringing")


def causal_share(kernel: str) -> float:
    """Energy of a kernel at non-negative times, which a causal system can match."""
    t = line(0.0, 40.0)
    x = {
        "decaying": np.where(t >= 0, np.exp(-t), 0),
        "ringing": np.where(t >= 0, np.exp(-0.5 * t) * np.cos(3 * t), 0),
        "gaussian": np.exp(-(t**2) / 2),
        "two-sided": np.exp(-np.abs(t)),
    }[kernel]
    weight = np.where(np.abs(t) < SPACING / 2, 0.5, (t > 0).astype(float))
    if kernel in CAUSAL:
        weight = np.ones_like(t)
        weight[t < -SPACING / 2] = 0
    return float(np.sum(weight * x**2) / np.sum(x**2))


def causal_share_of_spectrum(kernel: str) -> float:
    """Energy of a kernel at non-negative times over that of its whole spectrum."""
    at_time, transform = {
        "decaying": (lambda t: np.exp(-t), lambda w: 1 / (1 + 1j * w)),
        "ringing": (
            lambda t: np.exp(-0.5 * t) * np.cos(3 * t),
            lambda w: (0.5 + 1j * w) / ((0.5 + 1j * w) ** 2 + 9),
        ),
        "gaussian": (
            lambda t: np.exp(-(t**2) / 2),
            lambda w: np.sqrt(2 * np.pi) * np.exp(-(w**2) / 2),
        ),
        "two-sided": (lambda t: np.exp(-t), lambda w: 2 / (1 + w**2)),
    }[kernel]
    fine = {"epsabs": 1e-13, "epsrel": 1e-13, "limit": 500}
    later = scipy.integrate.quad(lambda t: at_time(t) ** 2, 0, 60, **fine)[0]
    total = scipy.integrate.quad(lambda w: abs(transform(w)) ** 2, 0, np.inf, **fine)[0]
    return later / (total / np.pi)


def endless_sine(pole: complex, tone: float, phase: float, time: float) -> float:
    """Real part at a time of a mode under a sine of the whole axis, by quadrature."""
    age, weights = legendre(0.0, 40 / -pole.real, 400)
    driven = np.real(np.exp(pole * age)) * np.sin(tone * (time - age) + phase)
    return float(weights @ driven)


def sine_of_the_same_frequency(
    pole: complex, tone: float, phase: float, time: float, turn: int = 1
) -> float:
    """The sine scaled and shifted by the transfer function's size and angle.

    ``turn`` is the sign of the angle.  Source: Orvieto et al. (2023), Appendix E.1.1.
    """
    forward, backward = (1 / (1j * tone - value) for value in (pole, np.conj(pole)))
    gain = (forward + backward) / 2
    angle = turn * np.angle(gain)
    return float(np.abs(gain) * np.sin(tone * time + phase + angle))


def _poles(count: int, seed: int) -> Complex[np.ndarray, " n"]:
    draw = np.random.default_rng(seed)
    return -draw.uniform(0.4, 1.2, count) + 1j * (
        np.arange(count) + draw.uniform(0.2, 0.8)
    )


def _tones(count: int) -> Float[np.ndarray, " n"]:
    return 0.7 + 1.1 * np.arange(count)


def wanted_gains(count: int, seed: int) -> Complex[np.ndarray, " n"]:
    """Random amplitude and phase for each frequency."""
    draw = np.random.default_rng(seed + 9)
    return draw.uniform(0.2, 3.0, count) * np.exp(2j * np.pi * draw.uniform(size=count))


def fitted_weights(count: int, seed: int) -> Complex[np.ndarray, " n"]:
    """Weights ``c`` for which ``Re sum c x`` of as many modes has the wanted gains."""
    poles, turns = _poles(count, seed), 1j * _tones(count)[:, None]
    own, twin = 1 / (turns - poles), 1 / (turns - poles.conj())
    real, imaginary = (own + twin) / 2, 1j * (own - twin) / 2
    system = np.block(
        [[np.real(real), np.real(imaginary)], [np.imag(real), np.imag(imaginary)]]
    )
    gains = wanted_gains(count, seed)
    parts = np.linalg.solve(system, np.concatenate([np.real(gains), np.imag(gains)]))
    return parts[:count] + 1j * parts[count:]


def fitted_output(count: int, seed: int, time: float) -> Float[np.ndarray, " n"]:
    """Outputs of the fitted modes under each sine of the whole axis, by quadrature."""
    poles, weights = _poles(count, seed), fitted_weights(count, seed)
    age, steps = legendre(0.0, 40 / np.abs(np.real(poles)).min(), 800)
    kernel = np.real(np.exp(np.outer(age, poles)) @ weights)
    return np.array([steps * kernel @ np.sin(w * (time - age)) for w in _tones(count)])


def fitted_output_of_network(
    count: int, seed: int, time: float
) -> Float[np.ndarray, " n"]:
    """Outputs of the fitted modes, by the matrix exponential of blocks with the sine."""
    poles, weights = _poles(count, seed), fitted_weights(count, seed)
    outputs = []
    for tone in _tones(count):
        # A sine is a rotating state; the driven modes forget their initial values.
        A = np.zeros((2 * count + 2, 2 * count + 2))
        for i, pole in enumerate(poles):
            A[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = block(pole)
            A[2 * i, -1] = 1.0
        A[-2:, -2:] = block(1j * tone)
        late = 60 / np.abs(np.real(poles)).min()
        start = np.zeros(2 * count + 2)
        angle = tone * (time - late)
        start[-2:] = np.cos(angle), np.sin(angle)
        state = scipy.linalg.expm(late * A) @ start
        x = state[:-2:2] + 1j * state[1:-2:2]
        outputs.append(float(np.real(weights @ x)))
    return np.array(outputs)


def scaled_sines(
    count: int, seed: int, time: float, turn: int = 1, power: int = 1
) -> Float[np.ndarray, " n"]:
    """Every sine, scaled and shifted as wanted."""
    gains = wanted_gains(count, seed)
    angles = _tones(count) * time + turn * np.angle(gains)
    return np.abs(gains) ** power * np.sin(angles)


def _of_one_mode(pole: complex, tone: float, phase: float, time: float) -> float:
    gain = 1 / (1j * tone - pole)
    return float(np.abs(gain) * np.sin(tone * time + phase + np.angle(gain)))


def shifted_transform(omega: float, delay: float, width: float) -> complex:
    """Transform of a delayed lopsided signal, by quadrature."""
    t = line(delay, 20.0)
    x = (1 + (t - delay)) * np.exp(-((t - delay) ** 2) / (2 * width**2))
    return complex(SPACING * np.sum(x * np.exp(-1j * omega * t)))


def phased_transform(omega: float, delay: float, width: float) -> complex:
    """Transform of a delayed asymmetric signal: a phase times the transform."""
    return np.exp(-1j * omega * delay) * shifted_transform(omega, 0.0, width)


def rectified_sine(harmonic: int) -> complex:
    """Fourier coefficient of ``ReLU(sin t)`` at twice ``harmonic``, by quadrature."""
    t, weights = legendre(0.0, np.pi, 80)
    return complex(weights @ (np.sin(t) * np.exp(-2j * harmonic * t))) / (2 * np.pi)


def observable_growth(power: float, width: float, norm: str) -> float:
    """``|K f| / |f|`` for a map ``x^power`` on [-1, 1], ``f`` one on ``[-width, width]``."""
    x = np.arange(5e-6, 1.0, 1e-5)
    f, moved = ((position < width).astype(float) for position in (x, x**power))
    order = np.inf if norm == "sup" else 2
    return float(np.linalg.norm(moved, order) / np.linalg.norm(f, order))


def growth_of_indicator(power: float, width: float, norm: str) -> float:
    """Growth of ``observable_growth``, by the measure where ``x^power`` is below ``width``."""
    return 1.0 if norm == "sup" else width ** ((1 / power - 1) / 2)


def narrowed(
    growth: Callable[[float, float, str], float], power: float, width: float, norm: str
) -> float:
    """Ratio of the growth of a bump to that of a bump ten times as wide."""
    return growth(power, width, norm) / growth(power, 10 * width, norm)


def linear_map(
    lam: complex, link: complex, other: complex
) -> Complex[np.ndarray, "2 2"]:
    """``(lam x + link y, other y)`` as a matrix."""
    return np.array([[lam, link], [0, other]], complex)


def linear_map_coordinate(k: int, **point: complex) -> complex:
    """First coordinate of a linear map from (1, 1), iterated."""
    return recur(linear_map(**point), np.zeros((k, 2)), np.ones(2))[-1, 0]


def linear_map_by_modes(k: int, **point: complex) -> complex:
    """First coordinate of a linear map from (1, 1), by eigenfunctions.

    Exact where the map's eigenfunctions span the observables.
    """
    return modes_predict(linear_map(**point), np.ones(2, complex), k)


WAVES = also(
    points("pole tone", (-0.8 + 0.3j, 0.4), (-0.9 - 2j, 1.7), (-0.5 - 0.7j, 2.6)),
    phase=0.3,
    time=1.4,
)


EVIDENCE: dict[str, Basis] = {
    "lru:text:shift-invariant": Evidence(
        points("kernel", "decaying", "ringing", "gaussian", "two-sided"),
        {"reference": causal_share, "spectrum": causal_share_of_spectrum},
        form=lambda kernel: 1.0 if kernel in CAUSAL else 0.5,
        printed=1.0,
        mutants={
            "the error for the share": lambda kernel: (0, 0.5**0.5)[kernel in CAUSAL]
        },
        example=Example(
            "the best causal system's relative error for H = 2/(1 + omega^2)",
            {},
            0.0,
            lambda: (1 - causal_share("two-sided")) ** 0.5,
        ),
    ),
    "lru:text:same-frequency": Evidence(
        WAVES,
        {"reference": endless_sine},
        form=sine_of_the_same_frequency,
        proof=spectral.sine_keeps_its_frequency,
        mutants={
            "the phase the other way": partial(sine_of_the_same_frequency, turn=-1),
            "no phase": partial(sine_of_the_same_frequency, turn=0),
            "a complex mode's gain": _of_one_mode,
        },
    ),
    "lru:text:shift-property": Evidence(
        points(
            "omega delay width", (1.3, 0.8, 1.0), (-0.7, -1.9, 0.6), (2.2, 0.4, 1.4)
        ),
        {"reference": shifted_transform},
        form=phased_transform,
        tolerance=1e-9,
        proof=spectral.delay_is_a_phase,
        mutants={
            "ahead": lambda delay, **point: phased_transform(delay=-delay, **point),
            "no phase": lambda delay, **point: phased_transform(delay=0.0, **point),
            "the frequency forgotten": lambda omega, delay, width: (
                np.exp(-1j * delay) * shifted_transform(omega, 0.0, width)
            ),
        },
    ),
    "lru:text:pulse": Evidence(
        points(
            "centre half omega scale",
            (0.0, 0.7, 1.3, 1.0),
            (0.0, 1.9, -0.6, 1.0),
            (0.0, 0.4, 3.1, 1.0),
            (0.0, 0.7, 1.3, UNITARY),
        ),
        {"reference": pulse},
        proof=spectral.pulse_is_right,
        example=PULSE_EXAMPLE,
    ),
    "lru:fig6": Evidence(
        points("harmonic", 0, 1, 2, 5),
        {"reference": rectified_sine},
        proof=spectral.sine_leaks_by_the_kernel,
    ),
    "lru:text:koopman-bounded": Evidence(
        points(
            "power width norm",
            (3.0, 0.03, "sup"),
            (1.0, 0.01, "L2"),
            (3.0, 0.001, "L2"),
        ),
        {
            "reference": partial(narrowed, observable_growth),
            "closed_form": partial(narrowed, growth_of_indicator),
        },
        form=1.0,
        relation="<=",
        mutants={
            "the width": lambda width, **_: width,
            "its root": lambda width, **_: width**0.5,
            "the measure lost": lambda width, **_: 1 - width,
        },
        example=Example(
            "the L2 norm of f(x^3) divided by the L2 norm of f, the indicator of [-w, "
            "w]",
            {"w": 0.001},
            "at most a bound that no w exceeds",
            lambda w: "{:.4g}, and {:.4g} for w^2 instead of w".format(
                *(growth_of_indicator(3.0, width, "L2") for width in (w, w**2))
            ),
        ),
    ),
    "lru:text:koopman-diagonal": Evidence(
        points(
            "lam link k other",
            (0.5, 0.4, 3, 0.2),
            (0.3 + 0.4j, 0.4, 3, -0.6),
            (0.5, 0.4, 3, 0.5),
        ),
        {
            "reference": linear_map_coordinate,
            "closed_form": lambda lam, link, k, other: (
                lam**k + link * (lam**k - other**k) / (lam - other)
            ),
        },
        form=linear_map_by_modes,
        mutants={
            "one step more": lambda k, **point: linear_map_by_modes(k + 1, **point),
            "one step fewer": lambda k, **point: linear_map_by_modes(k - 1, **point),
            "the map transposed": lambda k, **point: modes_predict(
                linear_map(**point).T, np.ones(2, complex), k
            ),
        },
        example=Example(
            "x_1 after k steps of (0.5 x_1 + x_2, 0.5 x_2) from (0, 1)",
            {"k": 3},
            lambda k: modes_predict(linear_map(0.5, 1, 0.5), np.array([0j, 1]), k),
            lambda k: recur(
                linear_map(0.5, 1, 0.5), np.zeros((k, 2)), np.array([0, 1])
            )[-1, 0],
        ),
    ),
    "lru:text:scaled-frequencies": Evidence(
        points("count seed time", (1, 0, 1.4), (3, 1, 0.6), (5, 2, -2.3)),
        {"quadrature": fitted_output, "blocks": fitted_output_of_network},
        scaled_sines,
        mutants={
            "the phase the other way": partial(scaled_sines, turn=-1),
            "no shift": partial(scaled_sines, turn=0),
            "powers for amplitudes": partial(scaled_sines, power=2),
            "no scale": partial(scaled_sines, power=0),
        },
        tolerance=1e-8,
    ),
}
