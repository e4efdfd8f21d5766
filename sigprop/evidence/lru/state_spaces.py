"""Evidence for Section 4 and Figures 1-5 of Orvieto et al. (2023)."""

import cmath
import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import scipy
from jaxtyping import Float

from sigprop.evidence.arithmetic import numbers
from sigprop.evidence.kit import also, block, points, powers, recur
from sigprop.evidence.lru.accuracies import narrowest_step
from sigprop.evidence.lru.annulus import area_share, share_by_gammas, share_inside
from sigprop.evidence.lru.hold import discretised, hold_gain
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.neuron.ring import mean_turns
from sigprop.theory import spectral


def eigenvalue_of_lin(index: int, dt: float) -> complex:
    """Discrete eigenvalue of S4D-Lin at ``index``, by the S4D layer's own hold."""
    return discretised(-0.5 + 1j * math.pi * index, dt, "zoh")[0]


def eigenvalue_by_block(index: int, dt: float) -> complex:
    """Discrete eigenvalue of S4D-Lin from the exponential of a real block, by SciPy."""
    moved = scipy.linalg.expm(dt * block(-0.5 + 1j * math.pi * index))
    return complex(moved[0, 0], moved[1, 0])


def unscaled_sum(dt: float, decay: float) -> float:
    """The sum over ages of ``exp(-dt decay)^j``, times ``dt``."""
    return dt * powers(np.exp(-dt * decay), round(30 / (dt * decay))).sum()


def scaled_state(dt: float) -> float:
    """The real mode of S4D-Lin with factor ``dt``, under constant input of one."""
    return abs(recur(np.exp(-dt / 2), np.full(round(60 / dt), dt))[-1])


def _inputs(sign: int, k: int) -> Float[np.ndarray, " time"]:
    return sign * np.cos(0.3 * np.arange(k + 1)) ** 2


def unscaled_state(dt: float, sign: int, k: int) -> float:
    """``|x_k|`` of a mode of S4D-Lin without its factor, inputs of one sign."""
    return abs(recur(np.exp((-0.5 + 1j * math.pi) * dt), _inputs(sign, k))[-1])


def weighted_inputs(
    dt: float, sign: int, k: int, first: int = 0, of: Callable[[Any], Any] = np.abs
) -> float:
    """The inputs weighted by ``|exp(dt pole)|^age``, of all but the ``first`` of them.

    Source: Orvieto et al. (2023), Section 4.
    """
    weights = powers(np.exp(-dt / 2), k + 1)[::-1]
    return float((weights * of(_inputs(sign, k)))[first:].sum())


def turns_of_kernel(length: int, max_phase: float) -> float:
    """Mean number of periods of ``Re lam^j`` over phases of a range: its zero crossings.

    Phases lie in the middle of equal cells; every period crosses zero twice.
    """
    phases = (np.arange(400) + 0.5) / 400 * max_phase
    signs = np.sign(np.cos(np.multiply.outer(phases, np.arange(length)) + 0.3))
    return float(np.mean(np.sum(signs[:, 1:] != signs[:, :-1], axis=1)) / 2)


def turns_of_phase(length: int, max_phase: float) -> float:
    """Mean number of periods of ``Re lam^j``, from the unwrapped phase."""
    phases = (np.arange(400) + 0.5) / 400 * max_phase
    ends = [np.floor((0.3 + age * phases) / np.pi + 0.5) for age in (0, length - 1)]
    return float(np.mean(ends[1] - ends[0]) / 2)


def _half_turns(eigenvalue: Callable[..., complex], **point: Any) -> float:
    return math.pi / cmath.phase(eigenvalue(**point))


FINE = 1e-3  # the paper's typical step


EVIDENCE: dict[str, Basis] = {
    "lru:text:s4d-eigenvalues": Evidence(
        points("index dt", (3, FINE), (40, 0.02)),
        {"impulse": eigenvalue_of_lin, "reference": eigenvalue_by_block},
        form=lambda index, dt: cmath.exp((-0.5 + 1j * math.pi * index) * dt),
        mutants={
            "the modulus without the step": lambda index, dt: cmath.exp(
                -0.5 + 1j * math.pi * index * dt
            ),
            "the index of the next": lambda index, dt: cmath.exp(
                (-0.5 + 1j * math.pi * (index + 1)) * dt
            ),
            "to first order": lambda index, dt: 1 + (-0.5 + 1j * math.pi * index) * dt,
        },
    ),
    "lru:text:s4d-modulus": Evidence(
        also(points("index", 1, 40, 125), dt=FINE),
        {
            "impulse": lambda **point: abs(eigenvalue_of_lin(**point)),
            "reference": lambda **point: abs(eigenvalue_by_block(**point)),
        },
        form=0.9995,
        mutants={"without the half": lambda index, dt: math.exp(-dt)},
        absolute=5e-5,
    ),
    "lru:text:s4d-phase": Evidence(
        points("index dt", (128, FINE)),
        {
            name: partial(_half_turns, eigenvalue)
            for name, eigenvalue in (
                ("impulse", eigenvalue_of_lin),
                ("reference", eigenvalue_by_block),
            )
        },
        form=8.0,
        mutants={"twice the phase": lambda index, dt: 1 / (2 * dt * index)},
        absolute=0.5,
    ),
    "lru:text:first-order": Evidence(
        points("dt pole", (1e-5, -0.5 + 3j), (1e-5, -0.5 - 9j)),
        {"reference": lambda dt, pole: hold_gain(pole, dt, 1.0) / dt},
        form=lambda dt, pole: 1 + dt * pole / 2,
        mutants={
            "of second order": lambda dt, pole: 1 - (dt * pole) ** 2 / 2,
            "no half": lambda dt, pole: 1 + dt * pole,
            "the sign": lambda dt, pole: 1 - dt * pole / 2,
        },
        tolerance=1e-8,
        proof=lambda: spectral.held_step_first_order() == spectral.drive * spectral.dt,
    ),
    "lru:text:inverse-delta": Evidence(
        points("dt decay", (1e-3, 0.5), (3e-3, 0.2)),
        {"reference": unscaled_sum},
        form=lambda dt, decay: 1 / decay,
        mutants={
            "the decay itself": lambda dt, decay: decay,
            "its root": lambda dt, decay: decay**-0.5,
            "the order of energies": lambda dt, decay: 1 / (2 * decay),
            "of order one": lambda dt, decay: dt / decay,
        },
        tolerance=1e-3,
        proof=lambda: spectral.unscaled_bound().result == 2,
    ),
    "lru:text:unrolled-bound": Evidence(
        also(points("dt sign", (1e-3, 1), (0.02, -1)), k=20),
        {
            "reference": unscaled_state,
            "closed_form": lambda dt, sign, k: abs(
                powers(np.exp((-0.5 + 1j * math.pi) * dt), k + 1)[::-1]
                @ _inputs(sign, k)
            ),
        },
        form=weighted_inputs,
        printed=partial(weighted_inputs, first=1, of=np.asarray),
        relation="<=",
        mutants={
            "the newest alone": partial(weighted_inputs, first=20),
            "no modulus": partial(weighted_inputs, of=np.asarray),
            "the inputs squared": partial(weighted_inputs, first=10, of=lambda u: u**2),
        },
        example=Example(
            "|x_1|, and its bound, for u_0 = 1, u_1 = 0, a = -1/2",
            {"dt": 0.001},
            0.0,
            lambda dt: recur(np.exp(-dt / 2), np.array([1.0, 0.0]))[-1],
        ),
    ),
    "lru:text:delta-normalises": Evidence(
        points("dt", 1e-3, 3e-3, 0.1),
        {"reference": scaled_state},
        form=lambda dt: dt / (1 - math.exp(-dt / 2)),
        mutants={
            "of energies": lambda dt: dt / (1 - math.exp(-dt)),
            "the root of Delta": lambda dt: dt**0.5 / (1 - math.exp(-dt / 2)),
            "no factor": lambda dt: 1 / (1 - math.exp(-dt / 2)),
        },
        proof=lambda: spectral.unscaled_bound().result == 2,
    ),
    "lru:fig1": numbers(narrowest_step, 0.0, relation=">", wrong=2.0),
    "lru:fig2": Evidence(
        also(points("radius", 0.3, 0.7, 0.9), size=3000),
        {"reference": share_inside, "complex": share_by_gammas},
        form=lambda radius, size: radius**2,
        mutants={
            "uniform in the radius": lambda radius, size: radius,
            "in a ball": lambda radius, size: radius**3,
        },
        tolerance=0.01,
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
        {"reference": turns_of_kernel, "phases": turns_of_phase},
        form=mean_turns,
        mutants={
            "of the largest phase": lambda length, max_phase: (
                length * max_phase / (2 * math.pi)
            ),
            "of the phase in turns": lambda length, max_phase: length * max_phase / 2,
        },
        tolerance=0.01,
    ),
}
