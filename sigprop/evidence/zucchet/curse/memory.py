"""Evidence for the text around Eq. 5-7, Section 2.2 of Zucchet & Orvieto (2024)."""

import cmath
import dataclasses
import functools
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
    moment_of,
    power_response,
)
from sigprop.evidence.zucchet.definitions import by_code
from sigprop.judge.basis import Basis, Evidence, Example
from sigprop.numerics.precision import double_precision
from sigprop.theory import recurrences
from sigprop.theory.symbols import lam


def terms_counted(lam: complex, least: float) -> float:
    """Count the powers of ``lam`` that exceed ``least`` in modulus, one after the other."""
    count, size = 0, 1.0
    while size > least:
        count, size = count + 1, size * abs(lam)
    return float(count)


def terms_by_layer(lam: complex, least: float) -> float:
    """Count the steps at which the layer's impulse response exceeds ``least``."""
    return float((np.abs(layer_response(lam, "state")) > least).sum())


def with_twice_the_time_constant(
    count: Callable[..., float], lam: complex, least: float
) -> float:
    """The count where ``|lam|^n`` takes twice as many steps to any threshold."""
    return count(cmath.sqrt(lam), least)


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


def toeplitz_covariances(
    rho: float, late: int = 0, combine: Any = np.subtract
) -> Float[np.ndarray, "time time"]:
    """The matrix of ``R(t - s)``, a function of the lag only.

    Args:
        rho: Decay rate.
        late: Number added to each lag, for a mutant.
        combine: Function of two times that gives the lag; another function is a mutant.
    """
    from sigprop.inputs import AR1

    lags = combine.outer(np.arange(5), np.arange(5)) + late
    return np.reshape(AR1(rho=rho).autocovariance(lags.ravel()), lags.shape)


def edge_exponent(
    phase: float, rho: float, quantity: str, resonance: float = 1.0
) -> float:
    """Exponent of a moment's growth at the stability boundary: 1 or 3, or one more.

    One more at resonance: an input with ``|rho| = 1`` at the phase of the eigenvalue,
    for which all lags add up.
    """
    resonant = abs(rho) == 1 and math.cos(phase) * rho > 1 - 1e-9
    return {"state": 1.0, "sensitivity": 3.0}[quantity] + resonance * resonant


def edge_rate(edge: int, rho: float) -> float:
    """``(1 - lam^2) E[h^2]`` at a gap of 1e-4."""
    lam = edge * (1 - 1e-4)
    return (1 - lam**2) * moment(power_response(lam, "state", 400_000), rho)


def edge_factor(edge: int, rho: float) -> float:
    """Limit of ``(1 - lam^2) E[h^2]`` at the boundary, where lags add up or cancel."""
    return (1 + edge * rho) / (1 - edge * rho)


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


def ratio(of: Callable[..., float], lam: float, rho: float, **_: object) -> float:
    """Sensitivity over state."""
    return of(lam, rho, "sensitivity") / of(lam, rho, "state")


def outgrown(
    lam: float, rho: float, variance: float, power: int = 1, quantity: str = "state"
) -> float:
    """``E[h^2] / R(0)``, a lower bound of sensitivity over state.

    Args:
        lam: Eigenvalue.
        rho: Decay rate.
        variance: Variance ``R(0)`` of the input.
        power: Power of the moment; not one for a mutant.
        quantity: Quantity of the moment; not the state for a mutant.
    """
    bare = moment_of(power_response, lam, rho, quantity)
    return (variance * bare) ** power / variance


def ratio_diverges() -> bool:
    """True where sensitivity over state goes to infinity at both real edges."""
    ratio = recurrences.sensitivity_over_state().result
    return all(limit(ratio, lam, edge).is_infinite for edge in (1, -1))


def lead(grows: Callable[..., float], phase: float, rho: float) -> float:
    """Exponent of the sensitivity at the stability boundary minus that of the state."""
    return grows(phase, rho, "sensitivity") - grows(phase, rho, "state")


REAL = points("lam rho", (0.6, 0.3), (-0.5, 0.7), (0.9, -0.4))
EDGES = points(
    "phase rho",
    *((0.0, 0.0), (0.0, 0.6), (math.pi, 0.4), (0.0, -0.5), (0.0, 1.0), (math.pi, -1.0)),
    *((math.pi, 1.0), (0.0, -1.0)),  # the input has no power there
)
state_moment = functools.partial(moment_of, power_response, quantity="state")


def horizon(quantity: str) -> Evidence:
    """Evidence for the share of a moment that a finite horizon misses."""
    horizons = points("r T", (0.9, 10), (0.95, 60), (0.6, 2))
    return Evidence(also(horizons, quantity=quantity), each(missing_share, RESPONSES))


def explosion(quantity: str, proof: Callable[[], bool], flat: float) -> Evidence:
    """The exponent of a moment's growth at the edge, and where it stays at ``flat``."""
    other = {"state": "sensitivity", "sensitivity": "state"}[quantity]
    return Evidence(
        also(EDGES, quantity=quantity),
        GROWTHS,
        form=edge_exponent,
        absolute=0.01,
        proof=proof,
        mutants={
            "no resonance": functools.partial(edge_exponent, resonance=0.0),
            "resonance slows": functools.partial(edge_exponent, resonance=-1.0),
            f"as the {other}": lambda phase, rho, **_: edge_exponent(phase, rho, other),
        },
        example=Example(
            f"the limit of E[{'h' if quantity == 'state' else '(dh/dlam)'}^2] as lam goes "
            "to -1 under the constant input 1",
            {},
            "infinite",
            flat,
        ),
    )


EVIDENCE: dict[str, Basis] = {
    "zucchet:text:memory-terms": Evidence(
        across(lam=(0.6, 0.9, 0.3 + 0.9j), least=(0.25, 1e-2, 1e-3)),
        each(
            with_twice_the_time_constant,
            {"reference": terms_counted, "impulse": terms_by_layer},
        ),
        form=terms_counted,
        relation=">",
        mutants={
            "more than twice as many": lambda lam, least: 2 * terms_counted(lam, least),
            "more for twice the threshold's logarithm": lambda lam, least: (
                terms_counted(lam, least**2)
            ),
            "fewer with a longer memory": lambda lam, least: terms_counted(
                lam**0.25, least
            ),
        },
    ),
    "zucchet:text:assumption-diagonal": dataclasses.replace(
        by_code(REAL, MOMENTS["impulse"], MOMENTS["reference"]),
        mutants={
            "inputs through lam": lambda lam, rho: lam**2 * state_moment(lam, rho),
            "two updates a step": lambda lam, rho: state_moment(lam**2, rho),
            "the modulus": lambda lam, rho: state_moment(abs(lam), rho),
        },
    ),
    "zucchet:text:infinite-horizon": horizon("state"),
    "zucchet:text:infinite-horizon-sensitivity": horizon("sensitivity"),
    "zucchet:text:assumption-stationary": dataclasses.replace(
        by_code(
            points("rho", 0.0, 0.6, -0.8, 1.0),
            process_covariances,
            toeplitz_covariances,
        ),
        mutants={
            "a lag more": functools.partial(toeplitz_covariances, late=1),
            "the sum of times": functools.partial(toeplitz_covariances, combine=np.add),
            "the later time": functools.partial(
                toeplitz_covariances, combine=np.maximum
            ),
        },
    ),
    "zucchet:text:state-diverges": explosion(
        "state", recurrences.states_explode, 1 / 4
    ),
    "zucchet:text:sensitivity-diverges": explosion(
        "sensitivity", recurrences.sensitivities_explode, 1 / 16
    ),
    "zucchet:text:divergence-speed": Evidence(
        points(
            "edge rho",
            *((1, 0.0), (1, 0.5), (1, 0.9), (-1, -0.6)),
            *((1, -0.6), (-1, 0.5), (-1, 0.9)),
        ),
        {"reference": edge_rate, "closed_form": edge_rate_by_states},
        form=edge_factor,
        printed=lambda edge, rho: edge_factor(1, abs(rho)),
        tolerance=1e-3,
        proof=recurrences.states_explode,
        mutants={
            "the inverse": lambda edge, rho: edge_factor(-edge, rho),
            "lags of one sign": lambda edge, rho: 1 / (1 - edge * rho),
            "the square of rho": lambda edge, rho: edge_factor(1, rho**2),
        },
        example=Example(
            "the limit of (1 - lam^2) E[h^2] as lam goes to -1",
            {"rho": 0.9},
            functools.partial(edge_factor, 1),
            functools.partial(edge_factor, -1),
        ),
    ),
    "zucchet:text:low-pass": Evidence(
        points("lam", 0.3, 0.9, 0.0, -0.5),
        {"impulse": gain_ratio_by_layer, "reference": gain_ratio_by_waves},
        form=1.0,
        relation="<=",
        mutants={
            "the ratio of powers": lambda lam: ((1 - lam) / (1 + lam)) ** 2,
            "over the mean": lambda lam: (1 - lam) / 2,
            "over the gain": lambda lam: (1 - lam) ** 2,
        },
        example=Example(
            "the gain at the highest frequency divided by the gain at zero frequency",
            {"lam": -0.5},
            "at most 1",
            gain_ratio_by_waves,
        ),
    ),
    "zucchet:text:faster": Evidence(
        EDGES,
        each(lead, GROWTHS),
        form=2.0,
        absolute=0.01,
        proof=ratio_diverges,
        mutants={
            "by the state's power": functools.partial(edge_exponent, quantity="state"),
            "by its own power": functools.partial(
                edge_exponent, quantity="sensitivity"
            ),
            "by one more at resonance": lambda phase, rho: (
                1 + edge_exponent(phase, rho, "state")
            ),
        },
        example=Example(
            "the limit of E[(dh/dlam)^2] / E[h^2] as lam goes to -1 under the constant "
            "input 1",
            {},
            "infinite",
            1 / 4,
        ),
    ),
    "zucchet:text:recurrent-most": Evidence(
        points(
            "lam rho variance",
            *((0.3, 0.0, 2.0), (0.9, 0.6, 0.5), (-0.8, -0.4, 3.0), (-0.5, 1.0, 2.0)),
        ),
        each(ratio, MOMENTS),
        form=outgrown,
        relation=">=",
        proof=recurrences.two_passes_outgrow_one,
        mutants={
            "the square of the moment": functools.partial(outgrown, power=2),
            "the sensitivity's": functools.partial(outgrown, quantity="sensitivity"),
            "not over R(0)": lambda variance, **at: (
                variance * outgrown(variance=variance, **at)
            ),
        },
    ),
}
