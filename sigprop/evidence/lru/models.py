"""Evidence for recurrences and S4, Sections 1-2 and Appendix B of Orvieto et al. (2023)."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import jax.numpy as jnp
import numpy as np
from jaxtyping import Float, Inexact

from sigprop.evidence.counting import growth_of_products
from sigprop.evidence.kit import also, legendre, points, recur
from sigprop.evidence.lru.hold import hold_gain
from sigprop.evidence.lru.listing import growth_of_cost
from sigprop.evidence.lru.systems import dense_by_layer, dense_by_loop, run
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.layers.s4d import S4D, diagonal_spectrum
from sigprop.numerics.precision import double_precision
from sigprop.theory import spectral

INPUTS = (0.7, -1.1, 0.4, 1.3, -0.2)
HELD = points("pole dt", (-0.5 + 2j, 0.1), (-0.5 - 9j, 0.3), (-1.7 + 0j, 0.8))


Gain = Callable[[Any, float], Any]


def zoh_gain(pole: Any, dt: float) -> Any:
    """Factor of a held input."""
    return (np.exp(pole * dt) - 1) / pole


def hold_state(pole: complex, dt: float, k: int, hold: str) -> complex:
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


def hold_recurrence(
    pole: complex, dt: float, k: int, ahead: int = 0, gain: Gain = zoh_gain
) -> complex:
    """State at ``(k+1) dt`` from that at ``k dt`` and the input held between.

    ``ahead`` takes a later input, ``gain`` another factor of it.  Source: Orvieto et al.
    (2023), Eq. 3.
    """
    entered = gain(pole, dt) * INPUTS[k + ahead]
    return np.exp(pole * dt) * hold_state(pole, dt, k, "after") + entered


def discrete_output(
    seed: int,
    dt: float,
    read: Callable[[Any], Any] = np.real,
    gain: Gain = zoh_gain,
    skip: float = 1.0,
) -> Inexact[np.ndarray, " time"]:
    """Outputs of the recurrence, of which ``read`` is taken; ``skip`` is times ``D``.

    Source: Orvieto et al. (2023), Eq. 3.
    """
    poles, C, D = _random_system(seed)
    u = np.array(INPUTS)
    x = recur(np.exp(poles * dt), u[:, None] * gain(poles, dt))
    return read(x @ C) + skip * D * u


def _random_system(seed: int):
    draw = np.random.default_rng(seed)
    poles = -draw.uniform(0.2, 1.5, size=2) + 1j * draw.uniform(0.5, 6, size=2)
    return poles, draw.normal(size=2) + 1j * draw.normal(size=2), draw.normal()


def sampled_output(
    seed: int,
    dt: float,
    twice: float = 2.0,
    read: Callable[[Any], Any] = np.real,
    skip: float = 1.0,
    hold: str = "before",
) -> Float[np.ndarray, " time"]:
    """The continuous output at times ``k dt``, each input held up to its own time.

    ``twice`` is one of Eq. 2 and two of the layer, which keeps half of each pair.

    Source: Orvieto et al. (2023), Eq. 2.
    """
    poles, C, D = _random_system(seed)
    states = [[hold_state(pole, dt, k, hold) for pole in poles] for k in range(5)]
    return twice * read(np.array(states) @ C) + skip * D * np.array(INPUTS)


def layer_output(seed: int, dt: float) -> Float[np.ndarray, " time"]:
    """Outputs of the package's S4D layer, which doubles the real part of ``C x``."""
    poles, C, D = _random_system(seed)
    parts = (np.log(-poles.real), poles.imag, np.log(dt), C.real, C.imag, D)
    with double_precision(True):
        decay, im, log_dt, C_re, C_im, skip = (jnp.asarray(p)[None] for p in parts)
        layer = S4D(decay, im, log_dt, C_re, C_im, skip, "zoh")
        return np.asarray(run(layer, jnp.asarray(INPUTS)[:, None])[1])[:, 0]


def _halved_layer(seed: int, dt: float) -> Float[np.ndarray, " time"]:
    """Outputs of the package's layer with ``C/2``, so that its factor two is gone."""
    return (layer_output(seed, dt) + _random_system(seed)[2] * np.array(INPUTS)) / 2


def inv_spectrum(index: int, size: int, factor: int = 2) -> complex:
    """Eigenvalue ``index`` of S4D-Inv; the print has a ``factor`` of one.

    Source: Orvieto et al. (2023), Section 2.1.
    """
    return -0.5 + 1j * size / math.pi * (size / (factor * index + 1) - 1)


def lin_spectrum(index: int, size: int, real: float = -0.5) -> complex:
    """Eigenvalue ``index`` of S4D-Lin.  Source: Orvieto et al. (2023), Section 2.1."""
    del size
    return real + 1j * math.pi * index


EVIDENCE: dict[str, Basis] = {
    "lru:1": Evidence(
        points("seed steps activation", (0, 6, "tanh"), (1, 6, "relu")),
        {"impulse": dense_by_layer},
        form=dense_by_loop,
        mutants={
            "A transposed": partial(dense_by_loop, of=np.transpose),
            "u outside the activation": partial(
                dense_by_loop, update=lambda act, old, new: act(old) + new
            ),
            "the old state outside": partial(
                dense_by_loop, update=lambda act, old, new: old + act(new)
            ),
        },
        alone="the layer against the printed loop",
    ),
    "lru:2": Evidence(
        points("seed dt", (0, 0.1), (1, 0.7)),
        {"impulse": sampled_output},
        form=layer_output,
        mutants={
            "the imaginary part": partial(sampled_output, read=np.imag),
            "the modulus": partial(sampled_output, read=np.abs),
            "D lost": partial(sampled_output, skip=0.0),
            "held on": partial(sampled_output, hold="after"),
        },
        alone="the layer against quadrature of the equation it discretises",
    ),
    "lru:3": Evidence(
        points("seed dt", (0, 0.1), (1, 0.7)),
        {"reference": partial(sampled_output, twice=1.0), "impulse": _halved_layer},
        form=discrete_output,
        printed=partial(discrete_output, read=np.asarray),
        mutants={
            "the imaginary part": partial(discrete_output, read=np.imag),
            "to first order": partial(discrete_output, gain=lambda pole, dt: dt),
            "D lost": partial(discrete_output, skip=0.0),
            "no inverse of A": partial(
                discrete_output, gain=lambda pole, dt: np.exp(pole * dt) - 1
            ),
        },
        example=Example(
            "y for C = 1, D = 0", {"x": 0.5 + 0.5j}, lambda x: x, lambda x: x.real
        ),
    ),
    "lru:text:attention-cost": Evidence(
        points("model", "attention", "recurrence"),
        {"traced": growth_of_cost, "counted": growth_of_products},
        form=lambda model: 2.0 if model == "attention" else 1.0,
        mutants={"exchanged": lambda model: 1.0 if model == "attention" else 2.0},
        tolerance=0.02,
    ),
    "lru:text:zoh-exact": Evidence(
        also(HELD, k=3),
        {"reference": lambda pole, dt, k: hold_state(pole, dt, k + 1, "after")},
        form=hold_recurrence,
        proof=spectral.held_step_is_exact,
        mutants={
            "the next input": partial(hold_recurrence, ahead=1),
            "Euler": partial(hold_recurrence, gain=lambda pole, dt: dt),
            "no inverse": partial(
                hold_recurrence, gain=lambda pole, dt: np.exp(pole * dt) - 1
            ),
        },
    ),
    "lru:text:zoh-formula": Evidence(
        also(
            points("pole dt", (-0.5 + 3j, 0.2), (-2.0 + 0j, 0.5), (-0.1 - 1j, 1.0)),
            drive=0.7 - 0.4j,
        ),
        {"reference": hold_gain},
    ),
    "lru:text:s4d-lin": Evidence(
        also(points("index", 1, 2, 7), size=16),
        {"reference": lambda index, size: diagonal_spectrum(size // 2, "lin")[index]},
        form=lin_spectrum,
        mutants={
            "twice the frequency": lambda index, size: lin_spectrum(2 * index, size),
            "counted from one": lambda index, size: lin_spectrum(index + 1, size),
            "a real part of one": partial(lin_spectrum, real=-1.0),
            "below the axis": lambda index, size: lin_spectrum(-index, size),
        },
        alone="the spectrum of the package's layer",
    ),
    "lru:text:s4d-inv": Evidence(
        also(points("index", 1, 2, 7), size=256),
        {"reference": lambda index, size: diagonal_spectrum(size // 2, "inv")[index]},
        form=inv_spectrum,
        printed=partial(inv_spectrum, factor=1),
        mutants={"counted from one": lambda index, size: inv_spectrum(index - 1, size)},
        alone="the spectrum of the package's layer, by the formula that is cited",
        example=Example(
            "the imaginary part of the eigenvalue a_n of S4D-Inv with N = 256",
            {"n": 1},
            lambda n: inv_spectrum(n, 256, factor=1).imag,
            lambda n: inv_spectrum(n, 256).imag,
        ),
    ),
}
