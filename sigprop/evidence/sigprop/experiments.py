"""Evidence for our own statements on the experiments of Zucchet & Orvieto (2024)."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from jaxtyping import Float
from sympy import factor

from sigprop.evidence.kit import across, complex_step, each, energy, points
from sigprop.evidence.zucchet.curse.growth import stationary_covariance
from sigprop.evidence.zucchet.experiments.constant_gates import STATE, moment
from sigprop.evidence.zucchet.experiments.gates import excess_by_lattice, rate_of_excess
from sigprop.evidence.zucchet.experiments.teacher_student import mean_time
from sigprop.evidence.zucchet.networks.initialisation import chrono_gate
from sigprop.judge.basis import Basis, Evidence
from sigprop.theory import gated, teacher

# Figure 2B at the edge.


def controlled_edge_by_sum() -> float:
    """Figure 2B at a gap of 1e-4, white input, derivative by a complex step."""
    n = np.arange(400_000)
    w = complex_step(lambda nu: np.exp(-n * np.exp(nu)), math.log(-math.log1p(-1e-4)))
    return (2e-4 - 1e-8) * energy(w)


def controlled_edge_by_states() -> float:
    """Figure 2B at a gap of 1e-6 from the stationary covariance."""
    derivative = (1 - 1e-6) * math.log1p(-1e-6)
    bare = stationary_covariance(1e-6, 0.0, 0.0, "sensitivity")
    return (2e-6 - 1e-12) * derivative**2 * bare


# Gates under the Chrono initialisation.


def decay_time(nu_0: float, times: float) -> float:
    """Steps in which a constant gate at ``b_f = log T`` forgets all but ``1/e``."""
    return -1 / math.log(chrono_gate(nu_0, times))


def decay_time_by_odds(nu_0: float, times: float) -> float:
    """Steps in which a gate forgets all but ``1/e``, from ``log(1 + 1/T)``."""
    return 1 / math.log1p((1 - nu_0) / times)


def both_ways(
    time: Callable[..., float], nu_0: float, times: float
) -> Float[np.ndarray, "2"]:
    """A time and its negative, to bound it from both sides."""
    return time(nu_0, times) * np.array([1, -1])


def between(
    low: Callable[[float], float], high: Callable[[float], float]
) -> Callable[..., Float[np.ndarray, "2"]]:
    """Bounds of a time and of its negative, as functions of ``T``."""

    def bounds(nu_0: float, times: float) -> Float[np.ndarray, "2"]:
        T = times / (1 - nu_0)
        return np.array([high(T), -low(T)])

    return bounds


EVIDENCE: dict[str, Basis] = {
    "sigprop:teacher-time": Evidence(
        points("nu0", 0.99, 0.5),
        {"reference": mean_time},
        proof=teacher.mean_time_is_printed,
    ),
    "sigprop:gate-order": Evidence(
        points("size", 0.02, 0.05, 0.1),
        {
            "reference": rate_of_excess,
            "lattice": partial(rate_of_excess, of=excess_by_lattice),
        },
        form=2.0,
        tolerance=1e-4,
        hand={"one": 1.0, "three": 3.0, "four": 4.0},
    ),
    "sigprop:gate-white": Evidence(
        across(lam=(0.2, 0.5, 0.85), a=(1.0,), b=(0.0,), rho=(0.0,)),
        each(moment, STATE),
        proof=lambda: factor(gated.state().zero - gated.white_share()) == 0,
    ),
    "sigprop:controlled-edge": Evidence(
        ({},),
        {"reference": controlled_edge_by_sum, "closed_form": controlled_edge_by_states},
        tolerance=1e-3,
    ),
    "sigprop:chrono-time": Evidence(
        across(nu_0=(0.0, 0.4, 0.9, 0.99), times=(1.0, 2.0)),
        each(both_ways, {"impulse": decay_time, "reference": decay_time_by_odds}),
        form=between(lambda T: T, lambda T: T + 0.5),
        relation="<",
        mutants={
            "a gate of 1 - 1/T": between(lambda T: T - 1, lambda T: T - 0.5),
            "a gate of odds T + 1": between(lambda T: T + 1, lambda T: T + 1.5),
            "half lives": between(lambda T: T * math.log(2), lambda T: T),
        },
    ),
}
