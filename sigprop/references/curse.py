"""Moments, gains and growth exponents of one diagonal neuron near the unit circle.

Measured or counted, to judge what the text and the captions say.

Source: Zucchet & Orvieto (2024), Section 2.2, Section 2.3 and Figures 1 and 2.
"""

import math
from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from sigprop.inputs import AR1
from sigprop.numerics.precision import double_precision
from sigprop.references import memory


def ratio_by_sum(lam: float, rho: float) -> float:
    """Sensitivity over state, powers written out."""
    found = (memory.moment_by_sum(lam, rho, name) for name in ("sensitivity", "state"))
    return next(found) / next(found)


def ratio_by_layer(lam: float, rho: float) -> float:
    """Sensitivity over state, through the layer."""
    found = (
        memory.moment_by_layer(lam, rho, name) for name in ("sensitivity", "state")
    )
    return next(found) / next(found)


def circle_sensitivity(T: int, phase: float) -> float:
    """Energy of ``T`` responses of the sensitivity at an eigenvalue of modulus one."""
    return memory.pair_sum(
        memory.power_response(np.exp(1j * phase), "sensitivity", T), 0.0
    )


def circle_by_layer(T: int, phase: float) -> float:
    """Energy of ``T`` responses of the sensitivity at ``|lam| = 1``, by the layer."""
    return memory.pair_sum(
        memory.layer_response(np.exp(1j * phase), "sensitivity")[:T], 0.0
    )


def edge_exponent(phase: float, rho: float, quantity: str) -> float:
    """Exponent of a moment's growth at the edge: 1 or 3, one more at resonance.

    Resonance: an input of ``|rho| = 1`` at the phase of the eigenvalue, all lags adding up.
    """
    resonant = abs(rho) == 1 and math.cos(phase) * rho > 1 - 1e-9
    return {"state": 1.0, "sensitivity": 3.0}[quantity] + resonant


def gain_ratio_by_layer(lam: float) -> float:
    """Gain of the layer at the highest frequency over that at frequency zero."""
    response = memory.layer_response(lam, "state")
    return abs(np.sum(response * (-1.0) ** np.arange(memory.LENGTH)) / np.sum(response))


def gain_ratio_by_waves(lam: float) -> float:
    """``|H(pi)| / |H(0)|`` from the steady responses to ``(-1)^t`` and to ``1``."""
    flat = alternating = 0.0
    for t in range(2000):
        flat, alternating = lam * flat + 1, lam * alternating + (-1) ** t
    return abs(alternating / flat)


def one(**_: object) -> float:
    """One."""
    return 1.0


def smaller_gain(lam: float) -> float:
    """Half the ratio of the gains."""
    return (1 - lam) / (1 + lam) / 2


def missing_share(r: float, T: int, quantity: str) -> float:
    """Share of the stationary moment, white input, that ``T`` inputs do not reach."""
    w = memory.power_response(r, quantity, memory.LENGTH)
    return memory.pair_sum(w[T:], 0.0) / memory.pair_sum(w, 0.0)


def missing_share_by_layer(r: float, T: int, quantity: str) -> float:
    """Share of the stationary moment that ``T`` white inputs miss, by the layer."""
    w = np.abs(memory.layer_response(r, quantity)) ** 2
    return float(w[T:].sum() / w.sum())


def process_covariances(rho: float) -> np.ndarray:
    """Covariances of five inputs of ``AR1``: it is linear in its noise, so exact."""
    process, steps = AR1(rho=rho), 5
    units = np.eye(steps + 1)
    with double_precision(True):
        state = process.initial(jnp.asarray(units[:1]))
        rows = []
        for t in range(steps):
            state, x = process.step(state, jnp.asarray(units[t + 1 : t + 2]))
            rows.append(np.asarray(x))
    return np.array(rows) @ np.array(rows).T


def toeplitz_covariances(rho: float) -> np.ndarray:
    """The matrix of ``R(t - s)``, a function of the lag alone."""
    lags = np.subtract.outer(np.arange(5), np.arange(5))
    return np.reshape(AR1(rho=rho).autocovariance(lags.ravel()), lags.shape)


def hundred(**_: object) -> float:
    """A hundred."""
    return 100.0


def edge_rate(edge: int, rho: float) -> float:
    """``(1 - lam^2) E[h^2]`` at a gap of 1e-4."""
    lam = edge * (1 - 1e-4)
    return (1 - lam**2) * memory.pair_sum(
        memory.power_response(lam, "state", 400_000), rho
    )


def edge_rate_by_states(edge: int, rho: float) -> float:
    """``(1 - lam^2) E[h^2]`` at a gap of 1e-6, from the stationary covariance."""
    phase = 0.0 if edge == 1 else math.pi
    return (2e-6 - 1e-12) * memory.stationary_covariance(1e-6, phase, rho, "state")


def correlation_gain_by_sum(lam: float, rho: float) -> float:
    """The sensitivity's moment at ``rho`` over that at ``rho - 0.1``."""
    moments = (memory.moment_by_sum(lam, r, "sensitivity") for r in (rho, rho - 0.1))
    return next(moments) / next(moments)


def correlation_gain_by_layer(lam: float, rho: float) -> float:
    """The sensitivity's moment at ``rho`` over that at ``rho - 0.1``, by the layer."""
    moments = (memory.moment_by_layer(lam, r, "sensitivity") for r in (rho, rho - 0.1))
    return next(moments) / next(moments)


def late_by_sum(lam: float, rho: float) -> float:
    """The sensitivity's moment where a state sees inputs one step late."""
    w = np.concatenate(
        [[0.0], memory.power_response(lam, "sensitivity", memory.LENGTH)]
    )
    return memory.pair_sum(w, rho)


def late_by_layer(lam: float, rho: float) -> float:
    """The sensitivity's moment with inputs one step late, through the layer."""
    w = np.concatenate([[0.0], memory.layer_response(lam, "sensitivity")])
    return memory.pair_sum(w, rho)


def lead_over_grey_by_sum(rho: float) -> float:
    """Exponent of the sensitivity at ``rho`` less that of the state at ``rho = 1``."""
    return memory.growth_by_sum(0.0, rho, "sensitivity") - memory.growth_by_sum(
        0.0, 1.0, "state"
    )


def lead_over_grey_by_states(rho: float) -> float:
    """Exponent of the sensitivity at ``rho`` less the state's at 1, from steady states.

    From covariances for ``|rho| < 1``, from the response to ``rho^t`` for ``|rho| = 1``.
    """
    lead = memory.growth_by_states(0.0, rho, "sensitivity")
    return lead - memory.growth_by_states(0.0, 1.0, "state")


def half(**_: object) -> float:
    """One half."""
    return 0.5


def quarter(**_: object) -> float:
    """One quarter."""
    return 0.25


def three(**_: object) -> float:
    """Three."""
    return 3.0


def zero_to_rounding(**_: object) -> float:
    """The least exponent that counts as growth."""
    return 0.05


def _controlled_growth(
    rho: float, quantity: str, exponent: Callable[..., float]
) -> float:
    """Exponent of a normalised, and for the sensitivity reparametrised, moment."""
    scale = {"state": lambda lam: 1.0, "sensitivity": lambda lam: lam * math.log(lam)}

    def weight(gap: float) -> float:
        lam = 1 - gap
        return (1 - lam**2) * scale[quantity](lam) ** 2

    return exponent(0.0, rho, quantity) + memory.growth(weight)


def controlled_growth_by_sum(rho: float, quantity: str) -> float:
    """Figure 2's exponent towards the edge, by sums."""
    return _controlled_growth(rho, quantity, memory.growth_by_sum)


def controlled_growth_by_states(rho: float, quantity: str) -> float:
    """Figure 2's exponent towards the edge, by covariances."""
    return _controlled_growth(rho, quantity, memory.growth_by_states)


def controlled_edge_by_sum() -> float:
    """Figure 2B at a gap of 1e-4, white input, derivative by a complex step."""
    nu, n = math.log(-math.log1p(-1e-4)) + 1j * memory.EPS, np.arange(400_000)
    w = np.imag(np.exp(-n * np.exp(nu))) / memory.EPS
    return (2e-4 - 1e-8) * memory.pair_sum(w, 0.0)


def controlled_edge_by_states() -> float:
    """Figure 2B at a gap of 1e-6 from the stationary covariance."""
    slope = (1 - 1e-6) * math.log1p(-1e-6)
    moment = memory.stationary_covariance(1e-6, 0.0, 0.0, "sensitivity")
    return (2e-6 - 1e-12) * slope**2 * moment


def terms_counted(lam: complex, least: float) -> float:
    """How many powers exceed ``least`` in modulus, one after the other."""
    count, size = 0, 1.0
    while size > least:
        count, size = count + 1, size * abs(lam)
    return float(count)


def terms_by_layer(lam: complex, least: float) -> float:
    """How many responses of the layer exceed ``least``."""
    return float((np.abs(memory.layer_response(lam, "state")) > least).sum())


def terms_expected(lam: complex, least: float) -> float:
    """The logarithms' ratio, rounded up."""
    return float(math.ceil(math.log(least) / math.log(abs(lam))))
