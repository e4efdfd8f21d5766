"""What judges Section 4 and Figures 1-5 of Orvieto et al. (2023)."""

import cmath
import math

import numpy as np

from sigprop.evidence.lru.accuracies import arithmetic, narrowest_step
from sigprop.evidence.lru.annulus import share_inside, share_of_disc
from sigprop.evidence.lru.hold import discretised, held_gain
from sigprop.judge.basis import Basis, Evidence
from theory import spectral


def eigenvalue_of_lin(index: int, dt: float) -> complex:
    """Discrete eigenvalue of S4D-Lin at ``index``, by the S4D layer's own hold."""
    return discretised(-0.5 + 1j * math.pi * index, dt, "zoh")[0]


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


FINE = 1e-3  # the paper's typical step
LAYER = "the eigenvalues of the package's layer"


EVIDENCE: dict[str, Basis] = {
    "lru:text:s4d-eigenvalues": Evidence(
        ({"index": 3, "dt": FINE}, {"index": 40, "dt": 0.02}),
        {"impulse": eigenvalue_of_lin},
        form=lambda index, dt: cmath.exp((-0.5 + 1j * math.pi * index) * dt),
        alone=LAYER,
    ),
    "lru:text:s4d-modulus": Evidence(
        tuple({"index": n, "dt": FINE} for n in (1, 40, 125)),
        {"impulse": modulus_of_lin},
        form=0.9995,
        absolute=5e-5,
        alone=LAYER,
    ),
    "lru:text:s4d-phase": Evidence(
        tuple({"index": n, "dt": FINE} for n in (1, 40, 125, 126, 128)),
        {"impulse": phase_of_lin},
        form=math.pi / 8,
        relation="<=",
        slips={"a tenth": math.pi / 10},
        alone=LAYER,
    ),
    "lru:text:first-order": Evidence(
        tuple({"dt": 1e-5, "pole": pole} for pole in (-0.5 + 3j, -0.5 - 9j)),
        {"reference": first_order_ratio},
        form=lambda dt, pole: 1 + dt * pole / 2,
        tolerance=1e-8,
        proof=lambda: spectral.held_step_first_order() == spectral.drive * spectral.dt,
    ),
    "lru:text:inverse-delta": Evidence(
        ({"dt": 1e-3}, {"dt": 3e-3}),
        {"reference": unscaled_sum},
        form=2.0,
        tolerance=1e-3,
        proof=lambda: spectral.unscaled_bound().result == 2,
    ),
    "lru:text:delta-normalises": Evidence(
        tuple(
            {"dt": dt, "source": source}
            for source in ("constant", "white")
            for dt in (1e-3, 3e-3)
        ),
        {"reference": scaled_energy},
        form=1.0,
        tolerance=0.01,
        alone="the impulse response summed",
    ),
    "lru:fig1": arithmetic(narrowest_step, {}, 0.0, ">", wrong=2.0),
    "lru:fig2": Evidence(
        tuple({"radius": radius, "size": 3000} for radius in (0.3, 0.7, 0.9)),
        {"reference": share_inside},
        form=lambda radius, size: radius**2,
        tolerance=0.01,
        alone="the exact law of the eigenvalues at finite size",
    ),
    "lru:fig3": Evidence(
        tuple({"r": radius} for radius in (0.2, 0.6, 0.95)),
        {"reference": share_of_disc},
    ),
    "lru:fig4": Evidence(
        (
            {"length": 16384, "max_phase": math.pi / 50},
            {"length": 16384, "max_phase": math.pi / 8},
            {"length": 2048, "max_phase": math.pi},
        ),
        {"reference": turns_of_kernel},
        form=lambda length, max_phase: length * max_phase / (4 * math.pi),
        tolerance=0.01,
        alone="zero crossings counted",
    ),
    "lru:text:few-oscillations": Evidence(
        ({"length": 1024, "max_phase": 2 * math.pi},),
        {"reference": turns_of_kernel},
        form=lambda length, max_phase: length / 4,
        printed=5.0,
        tolerance=0.01,
        alone="zero crossings counted",
    ),
}
