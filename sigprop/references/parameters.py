"""Reparametrised and normalised recurrences by autodiff, contours and direct sums.

A polar eigenvalue moves along the path ``tanh(omega) exp(i (0.3 + omega^2))``, a real one
along ``tanh(omega)``; the factor ``gamma = sqrt(1 - |lam|^2)`` is held fixed.

Source: Zucchet & Orvieto (2024), Appendix B.3.
"""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from sigprop.layers.lru import LRU
from sigprop.neuron.recurrence import linear_recurrence
from sigprop.numerics.precision import double_precision
from sigprop.references import signal
from sigprop.references.signal import central, contour

AGES = 300
TURN = 0.3


def _path(omega: Any, tanh: Callable[..., Any], exp: Callable[..., Any]) -> Any:
    return tanh(omega) * exp(1j * (TURN + omega * omega))


def _layer(lam: complex) -> LRU:
    """One neuron that sees its input as it is, with the detached normalisation."""
    one, none = jnp.ones((1, 1)), jnp.zeros((1, 1))
    nu_log = jnp.asarray([np.log(-np.log(abs(lam)))])
    theta_log = jnp.asarray([np.log(np.angle(lam))])
    return LRU(
        one, none, one, none, jnp.zeros(1), nu_log, theta_log, None, "detached"
    )  # fmt: skip


def layer_states(lam: complex, x: signal.Sequence) -> np.ndarray:
    """The first dozen states of the normalised layer."""
    with double_precision(True):
        u = jnp.array([[x(t)] for t in range(12)])
        return np.asarray(_layer(lam).states(u))[:, 0]


def summed_states(lam: complex, x: signal.Sequence) -> np.ndarray:
    """First dozen normalised states as sums of powers, the inputs scaled beforehand."""
    inputs = np.array([np.sqrt(1 - abs(lam) ** 2) * x(t) for t in range(12)])
    powers = np.power(lam + 0j, np.arange(12))
    return np.convolve(powers, inputs)[:12]


def layer_weight(lam: complex, n: int, gamma: float) -> complex:
    """Response of the normalised layer ``n`` steps after a unit input."""
    with double_precision(True):
        impulse = (jnp.arange(12) == 0)[:, None].astype(float)
        return complex(_layer(lam).states(impulse)[n, 0])


def real_slope(omega: float, n: int, **_: Any) -> float:
    """``dh/domega`` of a unit input ``n`` steps old, by autodiff."""

    def state(omega: Any) -> Any:
        lam = jnp.tanh(omega)
        gamma = lax.stop_gradient(jnp.sqrt(1 - lam**2))
        inputs = jnp.zeros((12, 1)).at[0].set(gamma)
        return linear_recurrence(lam[None], inputs)[n, 0]

    with double_precision(True):
        return float(jax.grad(state)(jnp.asarray(omega)))


def real_slope_difference(omega: float, n: int, **_: Any) -> float:
    """``dh/domega`` of a unit input ``n`` steps old, by differences of the state."""
    gamma = np.sqrt(1 - np.tanh(omega) ** 2)
    return central(lambda e: gamma * np.tanh(omega + e) ** n)


def _inputs(x: signal.Sequence) -> np.ndarray:
    return np.array([x(-n) for n in reversed(range(AGES))], complex)


def polar_slope(omega: float, x: signal.Sequence, **_: Any) -> complex:
    """``dh_0/domega`` along the path, by autodiff of the scan."""
    inputs = _inputs(x)[:, None]

    def last(omega: Any) -> Any:
        lam = _path(omega, jnp.tanh, jnp.exp)[None]
        return linear_recurrence(lam, jnp.asarray(inputs))[-1, 0]

    with double_precision(True):
        at = jnp.asarray(omega)
        return complex(jax.jvp(last, (at,), (jnp.ones_like(at),))[1])


def polar_slope_contour(omega: float, x: signal.Sequence, **_: Any) -> complex:
    """``dh_0/domega`` along the path, as a contour integral over complex ``omega``."""
    inputs, ages = _inputs(x)[::-1], np.arange(AGES)
    return contour(
        lambda w: np.power(_path(w, np.tanh, np.exp), ages) @ inputs, omega, 0.05
    )


def _kernel_slope(omega: float) -> np.ndarray:
    ages = np.arange(AGES)
    return contour(
        lambda w: np.power(_path(w, np.tanh, np.exp), ages), omega, 0.05
    )  # fmt: skip


def polar_moment(omega: float, **_: Any) -> float:
    """``E|dh/domega|^2`` under white noise: energy of the moved kernel."""
    return float(np.sum(np.abs(_kernel_slope(omega)) ** 2))


def polar_moment_autodiff(omega: float, **_: Any) -> float:
    """``E|dh/domega|^2`` under white noise, by autodiff of the impulse response."""

    def response(omega: Any) -> Any:
        lam = _path(omega, jnp.tanh, jnp.exp)[None]
        impulse = (jnp.arange(AGES) == 0)[:, None].astype(complex)
        return linear_recurrence(lam, impulse)[:, 0]

    with double_precision(True):
        at = jnp.asarray(omega)
        _, slope = jax.jvp(response, (at,), (jnp.ones_like(at),))
        return float(jnp.sum(jnp.abs(slope) ** 2))


def unit_factor(lam: complex, rho: float) -> float:
    """The factor on the inputs that makes ``E|h|^2 = 1``, by direct sums."""
    return signal.exponential_moment(lam, rho).real ** -0.5


def unit_factor_impulse(lam: complex, rho: float) -> float:
    """The factor on inputs that makes ``E|h|^2 = 1``, from the impulse response."""
    return signal.impulse_moment(lam, rho).real ** -0.5


def _error(h: Any, target: Any) -> Any:
    return ((h - target) ** 2).sum()


def input_gradient(
    lam: float, gamma: float, x: signal.Sequence, target: signal.Sequence
) -> np.ndarray:
    """``dL/dx_t`` of a squared loss of the normalised states, by autodiff."""
    inputs, wanted = (
        np.array([series(t) for t in range(8)], float) for series in (x, target)
    )

    def loss(x: Any) -> Any:
        return _error(
            linear_recurrence(jnp.array([lam]), gamma * x[:, None])[:, 0], wanted
        )

    with double_precision(True):
        return np.asarray(jax.grad(loss)(jnp.asarray(inputs)))


def input_difference(
    lam: float, gamma: float, x: signal.Sequence, target: signal.Sequence
) -> np.ndarray:
    """``dL/dx_t`` of a squared loss by differences, exact as it is quadratic."""
    inputs, wanted = (
        np.array([series(t) for t in range(8)], float) for series in (x, target)
    )
    powers = lam ** np.arange(8)

    def loss(x: np.ndarray) -> float:
        return _error(np.convolve(powers, gamma * x)[:8], wanted)

    def along(move: np.ndarray) -> float:
        return central(lambda e: loss(inputs + e * move), 1.0)

    return np.array([along(move) for move in np.eye(8)])


def constant_sensitivity(lam: complex, nu: float) -> float:
    """``E|dh/dlam|^2`` under a constant input of unit second moment: a contour's."""
    ages = np.arange(AGES)
    return abs(contour(lambda z: np.power(z, ages).sum(), lam, 0.1)) ** 2


def constant_sensitivity_impulse(lam: complex, nu: float) -> float:
    """``E|dh/dlam|^2`` under a constant input, from the scan's derivative."""
    return abs(signal.kernels(lam, AGES)[1].sum()) ** 2


def white_factor(nu: float) -> float:
    """The factor that makes ``E|h|^2 = 1`` under white noise."""
    return float(np.sum(nu ** (2 * np.arange(4 * AGES))) ** -0.5)


def white_factor_impulse(nu: float) -> float:
    """Factor that makes ``E|h|^2 = 1`` under white noise, from the scan's response."""
    return float(np.linalg.norm(signal.kernels(nu, AGES)[0]) ** -1)


def _detached(nu: Any, phase: Any) -> Any:
    """Response of the normalised layer whose factor no derivative sees."""
    gamma = lax.stop_gradient(jnp.sqrt(1 - nu**2))
    impulse = gamma * (jnp.arange(AGES) == 0)[:, None].astype(complex)
    return linear_recurrence((nu * jnp.exp(1j * phase))[None], impulse)[:, 0]


def _energy(response: Callable[[Any], Any], at: float) -> float:
    with double_precision(True):
        place = jnp.asarray(at)
        _, slope = jax.jvp(response, (place,), (jnp.ones_like(place),))
        return float(jnp.sum(jnp.abs(slope) ** 2))


def white_sensitivity(nu: float) -> float:
    """``E|dh/dnu|^2`` under white noise, normalised, by autodiff."""
    return _energy(lambda value: _detached(value, 1.1), nu)


def white_sensitivity_sum(nu: float) -> float:
    """``E|dh/dnu|^2`` under white noise, normalised, as a sum over ages."""
    ages = np.arange(AGES)
    kernel = contour(lambda z: np.power(z, ages), nu, 0.02)
    return float((1 - nu**2) * np.sum(np.abs(kernel) ** 2))


def modulus_share(nu: float) -> float:
    """``E|dh/domega|^2`` with ``nu = tanh(omega)``, normalised, by autodiff."""
    return _energy(lambda omega: _detached(jnp.tanh(omega), 1.1), float(np.arctanh(nu)))


def modulus_share_sum(nu: float) -> float:
    """``E|dh/domega|^2`` with ``nu = tanh(omega)``, normalised, as a sum over ages."""
    ages, omega = np.arange(AGES), np.arctanh(nu)
    kernel = contour(lambda w: np.power(np.tanh(w), ages), omega, 0.02)
    return float((1 - nu**2) * np.sum(np.abs(kernel) ** 2))


def phase_share(nu: float) -> float:
    """``E|dh/domega|^2`` with the phase ``stop_gradient(1 - nu^2) omega``."""
    return _energy(lambda omega: _detached(nu, (1 - nu**2) * omega), 0.4)


def phase_share_sum(nu: float) -> float:
    """``E|dh/domega|^2`` with the phase ``(1 - nu^2) omega``, as a sum over ages."""
    return (1 - nu**2) ** 2 * plain_phase_share_sum(nu)


def plain_phase_share(nu: float) -> float:
    """``E|dh/dtheta|^2``: the phase is the parameter itself."""
    return _energy(lambda theta: _detached(nu, theta), 0.4)


def plain_phase_share_sum(nu: float) -> float:
    """``E|dh/dtheta|^2``, normalised, as a sum over ages."""
    ages = np.arange(AGES)
    return float((1 - nu**2) * np.sum((ages * nu**ages) ** 2))


def mitigated(nu: float) -> np.ndarray:
    """The sensitivity under white noise, normalised, without and with ``tanh``."""
    return np.array([white_sensitivity(nu), modulus_share(nu)])


def mitigated_sum(nu: float) -> np.ndarray:
    """Sensitivity under white noise, normalised, without and with ``tanh``, by sums."""
    return np.array([white_sensitivity_sum(nu), modulus_share_sum(nu)])


def unmitigated(nu: float) -> np.ndarray:
    """Sensitivity under white noise, by sums: unnormalised, and normalised alone."""
    normalised = white_sensitivity_sum(nu)
    return np.array([normalised / (1 - nu**2), normalised])


def halved(nu: float) -> np.ndarray:
    """Slip: as if each step took half of it away everywhere."""
    return unmitigated(nu) / 2
