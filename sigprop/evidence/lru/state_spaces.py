"""What judges Section 4 and Figures 1-5 of Orvieto et al. (2023)."""

import cmath
import math

import numpy as np

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import also, energy, points, powers
from sigprop.evidence.lru.accuracies import narrowest_step
from sigprop.evidence.lru.annulus import area_share, share_inside
from sigprop.evidence.lru.hold import discretised, held_gain
from sigprop.judge.basis import Basis, Evidence
from sigprop.neuron.ring import mean_turns
from theory import spectral


def eigenvalue_of_lin(index: int, dt: float) -> complex:
    """Discrete eigenvalue of S4D-Lin at ``index``, by the S4D layer's own hold."""
    return discretised(-0.5 + 1j * math.pi * index, dt, "zoh")[0]


def unscaled_sum(dt: float) -> float:
    """The sum over ages of ``|exp(dt pole)|^j``, times ``dt``."""
    return dt * powers(np.exp(-dt / 2), round(60 / dt)).sum()


def scaled_energy(dt: float, source: str) -> float:
    """``E|x|^2`` of the real mode of S4D-Lin with factor ``dt``, over its continuous value.

    Under constant input of size one the state tends to 2; white noise of unit variance
    is what ``source`` names otherwise.
    """
    weights = dt * powers(np.exp(-dt / 2), round(60 / dt))
    return weights.sum() ** 2 / 4 if source == "constant" else energy(weights)


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
        points("index dt", (3, FINE), (40, 0.02)),
        {"impulse": eigenvalue_of_lin},
        form=lambda index, dt: cmath.exp((-0.5 + 1j * math.pi * index) * dt),
        alone=LAYER,
    ),
    "lru:text:s4d-modulus": Evidence(
        also(points("index", 1, 40, 125), dt=FINE),
        {"impulse": lambda **point: abs(eigenvalue_of_lin(**point))},
        form=0.9995,
        absolute=5e-5,
        alone=LAYER,
    ),
    "lru:text:s4d-phase": Evidence(
        points("index dt", (128, FINE)),
        {"impulse": lambda **point: math.pi / cmath.phase(eigenvalue_of_lin(**point))},
        form=8.0,
        absolute=0.5,
        alone=LAYER,
    ),
    "lru:text:first-order": Evidence(
        points("dt pole", (1e-5, -0.5 + 3j), (1e-5, -0.5 - 9j)),
        {"reference": lambda dt, pole: held_gain(pole, dt, 1.0) / dt},
        form=lambda dt, pole: 1 + dt * pole / 2,
        tolerance=1e-8,
        proof=lambda: spectral.held_step_first_order() == spectral.drive * spectral.dt,
    ),
    "lru:text:inverse-delta": Evidence(
        points("dt", 1e-3, 3e-3),
        {"reference": unscaled_sum},
        form=2.0,
        tolerance=1e-3,
        proof=lambda: spectral.unscaled_bound().result == 2,
    ),
    "lru:text:delta-normalises": Evidence(
        points(
            "dt source",
            *((dt, source) for source in ("constant", "white") for dt in (1e-3, 3e-3)),
        ),
        {"reference": scaled_energy},
        form=1.0,
        tolerance=0.01,
        alone="the impulse response summed",
    ),
    "lru:fig1": numbers(narrowest_step, 0.0, relation=">", wrong=2.0),
    "lru:fig2": Evidence(
        also(points("radius", 0.3, 0.7, 0.9), size=3000),
        {"reference": share_inside},
        form=lambda radius, size: radius**2,
        tolerance=0.01,
        alone="the exact law of the eigenvalues at finite size",
    ),
    "lru:fig3": Evidence(
        points("r", 0.2, 0.6, 0.95), {"reference": lambda r: area_share(r, 0.0, 1.0)}
    ),
    "lru:fig4": Evidence(
        points(
            "length max_phase",
            (16384, math.pi / 50),
            (16384, math.pi / 8),
            (2048, math.pi),
            (1024, math.pi),
        ),
        {"reference": turns_of_kernel},
        form=mean_turns,
        tolerance=0.01,
        alone="zero crossings counted",
    ),
}
