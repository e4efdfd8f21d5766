"""What judges recurrences and S4, Sections 1-2 and Appendix B of Orvieto et al. (2023)."""

import functools
import math

import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Float

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import also, legendre, points, recur
from sigprop.evidence.lru.accuracies import above_worst_deep
from sigprop.evidence.lru.hold import discretised, held_gain
from sigprop.evidence.lru.listing import growth_of_cost
from sigprop.evidence.lru.systems import dense_by_layer, dense_by_loop, run
from sigprop.judge.basis import Basis, Evidence
from sigprop.layers.s4d import S4D, diagonal_spectrum
from sigprop.numerics.precision import double_precision
from theory import spectral
from theory.spectral import dt, pole

INPUTS = (0.7, -1.1, 0.4, 1.3, -0.2)
HELD = points("pole dt", (-0.5 + 2j, 0.1), (-0.5 - 9j, 0.3), (-1.7 + 0j, 0.8))


def held_state(pole: complex, dt: float, k: int, hold: str) -> complex:
    """The continuous state at time ``k dt``, inputs held ``after`` or ``before`` them.

    ``after`` is the zero-order hold from ``x(0) = 0``; ``before`` holds ``u_k`` up to
    its own time, from zero at ``-dt``.
    """
    shift = 0 if hold == "after" else 1
    total = 0j
    for interval in range(-shift, k):
        s, weights = legendre(interval * dt, (interval + 1) * dt, 40)
        total += INPUTS[interval + shift] * (weights @ np.exp(pole * (k * dt - s)))
    return complex(total)


def recurrent_state(pole: complex, dt: float, k: int) -> complex:
    """State ``k`` of the discrete recurrence.  Source: Orvieto et al. (2023), Eq. 3."""
    lam = np.exp(pole * dt)
    return recur(lam, (lam - 1) / pole * np.array(INPUTS))[k]


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
    parts = (np.log(-poles.real), poles.imag, np.log(dt), C.real, C.imag, D)
    with double_precision(True):
        decay, im, log_dt, C_re, C_im, skip = (jnp.asarray(p)[None] for p in parts)
        layer = S4D(decay, im, log_dt, C_re, C_im, skip, "zoh")
        return np.asarray(run(layer, jnp.asarray(INPUTS)[:, None])[1])[:, 0]


@functools.cache
def legs_spectrum(size: int) -> Complex[np.ndarray, " size"]:
    """Eigenvalues of the normal part of HiPPO-LegS, by its definition."""
    root = np.sqrt(2 * np.arange(size) + 1)
    below = np.tril(np.outer(root, root), -1) / 2
    return -0.5 + 1j * np.linalg.eigvalsh(-1j * (below.T - below))[::-1]


EVIDENCE: dict[str, Basis] = {
    "lru:1": Evidence(
        points("seed steps activation", (0, 6, "tanh"), (1, 6, "relu")),
        {"impulse": dense_by_layer},
        form=dense_by_loop,
        alone="the layer against the printed loop",
    ),
    "lru:2": Evidence(
        points("seed dt", (0, 0.1), (1, 0.7)),
        {"impulse": sampled_output},
        form=layer_output,
        alone="the layer against quadrature of the equation it discretises",
    ),
    "lru:3": Evidence(
        points(
            "pole dt drive",
            (-0.5 + 2j, 0.1, 1.2),
            (-0.5 - 9j, 0.3, 0.7 - 0.4j),
            (-1.7 + 0j, 0.8, -1.1j),
        ),
        {
            "reference": held_gain,
            "impulse": lambda pole, dt, drive: discretised(pole, dt, "zoh")[1] * drive,
        },
    ),
    "lru:text:attention-cost": Evidence(
        points("model", "attention", "recurrence"),
        {"reference": growth_of_cost},
        form=lambda model: 2.0 if model == "attention" else 1.0,
        tolerance=0.02,
        alone="counted from the traced operations of two lengths",
    ),
    "lru:text:matches": numbers(
        above_worst_deep, 0.0, dict(table=3, models="lru"), ">=", wrong=100.0
    ),
    "lru:text:zoh-exact": Evidence(
        (*also(HELD, k=3, hold="before"), *also(HELD, k=3, hold="after")),
        {"reference": held_state},
        form=recurrent_state_in_time,
        printed=lambda pole, dt, k, hold: recurrent_state(pole, dt, k),
        alone="quadrature of the continuous system",
    ),
    "lru:text:zoh-formula": Evidence(
        also(
            points("pole dt", (-0.5 + 3j, 0.2), (-2.0 + 0j, 0.5), (-0.1 - 1j, 1.0)),
            drive=0.7 - 0.4j,
        ),
        {"reference": held_gain},
    ),
    "lru:text:s4d-lin": Evidence(
        also(points("index", 1, 2, 7), size=16),
        {"reference": lambda index, size: diagonal_spectrum(size // 2, "lin")[index]},
        form=lambda index, size: -0.5 + 1j * math.pi * index,
        alone="the spectrum of the package's layer",
    ),
    "lru:text:s4d-inv": Evidence(
        also(points("index", 1, 2), size=256),
        {"reference": lambda index, size: legs_spectrum(size)[index - 1]},
        form=lambda index, size: (
            -0.5 + 1j * size / math.pi * (size / (2 * index - 1) - 1)
        ),
        printed=lambda index, size: (
            -0.5 + 1j * size / math.pi * (size / (index + 1) - 1)
        ),
        tolerance=0.015,
        alone="a dense eigensolver on HiPPO-LegS, which the formula approximates",
    ),
    "lru:text:bilinear": Evidence(
        points("pole dt", (-0.5 + 2j, 0.3), (-0.5 - 9j, 0.1), (-1.7 + 0j, 0.8)),
        {
            "reference": lambda pole, dt: (
                discretised(pole, dt, "bilinear")[0] - np.exp(pole * dt)
            )
        },
        proof=lambda: spectral.bilinear_defect() == (pole * dt) ** 3 / 12,
    ),
}
