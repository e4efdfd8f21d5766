"""What judges the text around Eq. 5-7, Section 2.2 of Zucchet & Orvieto (2024)."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float
from sympy import limit

from sigprop.evidence.kit import across, also, each, energy, moment, points, recur
from sigprop.evidence.zucchet.curse.growth import GROWTHS, stationary_covariance
from sigprop.evidence.zucchet.curse.responses import (
    LENGTH,
    MOMENTS,
    RESPONSES,
    layer_response,
    power_response,
)
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.judge.basis import Basis, Evidence
from sigprop.numerics.precision import double_precision
from theory import recurrences
from theory.symbols import lam


def terms_counted(lam: complex, least: float) -> float:
    """How many powers exceed ``least`` in modulus, one after the other."""
    count, size = 0, 1.0
    while size > least:
        count, size = count + 1, size * abs(lam)
    return float(count)


def terms_by_layer(lam: complex, least: float) -> float:
    """How many responses of the layer exceed ``least``."""
    return float((np.abs(layer_response(lam, "state")) > least).sum())


def terms_expected(lam: complex, least: float) -> float:
    """The logarithms' ratio, rounded up."""
    return float(math.ceil(math.log(least) / math.log(abs(lam))))


def missing_share(
    respond: Callable[..., Any], r: float, T: int, quantity: str
) -> float:
    """Share of the stationary moment, white input, that ``T`` inputs do not reach."""
    w = respond(r, quantity)
    return energy(w[T:]) / energy(w)


def process_covariances(rho: float) -> Float[np.ndarray, "time time"]:
    """Covariances of five inputs of ``AR1``: it is linear in its noise, so exact."""
    import jax.numpy as jnp

    from sigprop.inputs import AR1

    process, steps = AR1(rho=rho), 5
    units = np.eye(steps + 1)
    with double_precision(True):
        state = process.initial(jnp.asarray(units[:1]))
        rows = []
        for t in range(steps):
            state, x = process.step(state, jnp.asarray(units[t + 1 : t + 2]))
            rows.append(np.asarray(x))
    return np.array(rows) @ np.array(rows).T


def toeplitz_covariances(rho: float) -> Float[np.ndarray, "time time"]:
    """The matrix of ``R(t - s)``, a function of the lag alone."""
    from sigprop.inputs import AR1

    lags = np.subtract.outer(np.arange(5), np.arange(5))
    return np.reshape(AR1(rho=rho).autocovariance(lags.ravel()), lags.shape)


def edge_exponent(phase: float, rho: float, quantity: str) -> float:
    """Exponent of a moment's growth at the edge: 1 or 3, one more at resonance.

    Resonance: an input of ``|rho| = 1`` at the phase of the eigenvalue, all lags adding up.
    """
    resonant = abs(rho) == 1 and math.cos(phase) * rho > 1 - 1e-9
    return {"state": 1.0, "sensitivity": 3.0}[quantity] + resonant


def edge_rate(edge: int, rho: float) -> float:
    """``(1 - lam^2) E[h^2]`` at a gap of 1e-4."""
    lam = edge * (1 - 1e-4)
    return (1 - lam**2) * moment(power_response(lam, "state", 400_000), rho)


def edge_rate_by_states(edge: int, rho: float) -> float:
    """``(1 - lam^2) E[h^2]`` at a gap of 1e-6, from the stationary covariance."""
    phase = 0.0 if edge == 1 else math.pi
    return (2e-6 - 1e-12) * stationary_covariance(1e-6, phase, rho, "state")


def gain_ratio_by_layer(lam: float) -> float:
    """Gain of the layer at the highest frequency over that at frequency zero."""
    response = layer_response(lam, "state")
    return abs(np.sum(response * (-1.0) ** np.arange(LENGTH)) / np.sum(response))


def gain_ratio_by_waves(lam: float) -> float:
    """``|H(pi)| / |H(0)|`` from the steady responses to ``(-1)^t`` and to ``1``."""
    waves = np.stack([(-1.0) ** np.arange(2000), np.ones(2000)], axis=1)
    alternating, flat = recur(lam, waves)[-1]
    return abs(alternating / flat)


def ratio(of: Callable[..., float], lam: float, rho: float) -> float:
    """Sensitivity over state."""
    return of(lam, rho, "sensitivity") / of(lam, rho, "state")


def ratio_diverges() -> bool:
    """True where sensitivity over state goes to infinity at both real edges."""
    ratio = recurrences.sensitivity_over_state().result
    return all(limit(ratio, lam, edge).is_infinite for edge in (1, -1))


def lead(grows: Callable[..., float], phase: float, rho: float) -> float:
    """By how much the sensitivity's exponent at the edge exceeds the state's."""
    return grows(phase, rho, "sensitivity") - grows(phase, rho, "state")


REAL = points("lam rho", (0.6, 0.3), (-0.5, 0.7), (0.9, -0.4))
EDGES = points(
    "phase rho",
    *((0.0, 0.0), (0.0, 0.6), (math.pi, 0.4), (0.7, -0.5), (0.0, 1.0)),
    *((math.pi, 1.0), (0.0, -1.0), (0.7, 1.0)),  # the input is silent there
)
RATIOS = each(ratio, MOMENTS)


def horizon(quantity: str) -> Evidence:
    """How much of a moment a finite horizon misses."""
    horizons = points("r T", (0.9, 10), (0.95, 60), (0.6, 2))
    return Evidence(also(horizons, quantity=quantity), each(missing_share, RESPONSES))


def explosion(quantity: str, proof: Callable[[], bool]) -> Evidence:
    """The exponent of a moment's growth at the edge."""
    return Evidence(
        also(EDGES, quantity=quantity),
        GROWTHS,
        form=edge_exponent,
        absolute=0.01,
        proof=proof,
    )


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:memory-terms": Evidence(
        across(lam=(0.6, 0.9, 0.3 + 0.9j), least=(1e-3,)),
        {"reference": terms_counted, "impulse": terms_by_layer},
        form=terms_expected,
    ),
    "zucchet:text:assumption-diagonal": by_code(
        REAL, MOMENTS["impulse"], MOMENTS["reference"]
    ),
    "zucchet:text:infinite-horizon": horizon("state"),
    "zucchet:text:infinite-horizon-sensitivity": horizon("sensitivity"),
    "zucchet:text:assumption-stationary": by_code(
        points("rho", 0.0, 0.6, -0.8, 1.0), process_covariances, toeplitz_covariances
    ),
    "zucchet:text:state-diverges": explosion("state", recurrences.states_explode),
    "zucchet:text:sensitivity-diverges": explosion(
        "sensitivity", recurrences.sensitivities_explode
    ),
    "zucchet:text:divergence-speed": Evidence(
        (
            *across(rho=(0.0, 0.5, 0.9, -0.6), edge=(1,)),
            *across(rho=(0.5, 0.9), edge=(-1,)),
        ),
        {"reference": edge_rate, "closed_form": edge_rate_by_states},
        tolerance=1e-3,
    ),
    "zucchet:text:low-pass": Evidence(
        points("lam", 0.3, 0.9, -0.5),
        {"impulse": gain_ratio_by_layer, "reference": gain_ratio_by_waves},
        form=1.0,
        relation="<=",
        slips={"half of the ratio": lambda lam: (1 - lam) / (1 + lam) / 2},
    ),
    "zucchet:text:faster": Evidence(
        across(lam=(0.6, -0.5, 0.9), rho=(0.0,)), RATIOS, proof=ratio_diverges
    ),
    "zucchet:text:recurrent-most": Evidence(
        EDGES,
        each(lead, GROWTHS),
        form=2.0,
        absolute=0.01,
    ),
}
