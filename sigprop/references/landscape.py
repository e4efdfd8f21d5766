"""Loss of one linear unit that learns another, from the responses to single inputs.

Nothing here uses a closed form of the loss: it sums squares of impulse responses,
differentiates those sums by finite differences or through the recurrence itself.

Source: Zucchet & Orvieto (2024), Section 4.1 and Appendix C.1.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import mpmath
import numpy as np
from scipy import optimize, signal

from sigprop.neuron.recurrence import impulse_response, linear_recurrence
from sigprop.numerics.precision import double_precision

LENGTH = 700  # ages after which 0.95^n is below 1e-15
DIGITS = 40  # of the sums that are differentiated by finite differences


def kernel(lam: complex, length: int = LENGTH) -> np.ndarray:
    """Weight of the input of each age."""
    return complex(lam) ** np.arange(length)


@functools.cache
def _responses(length: int) -> Callable[[jax.Array], tuple[jax.Array, jax.Array]]:
    return jax.jit(lambda lam: impulse_response(lam, length))


def impulse_kernel(lam: complex) -> np.ndarray:
    """Weight of the input of each age, through the recurrence of the suite."""
    with double_precision(True):
        state, _ = _responses(LENGTH)(jnp.asarray([lam], complex))
        return np.asarray(state)[:, 0]


def sensitivity_kernel(lam: complex) -> np.ndarray:
    """Weights in ``dh/dlam``, by a forward derivative of the recurrence."""
    with double_precision(True):
        _, slope = _responses(LENGTH)(jnp.asarray([lam], complex))
        return np.asarray(slope)[:, 0]


def shared(first: np.ndarray, second: np.ndarray, rho: float = 0.0) -> complex:
    """``sum of first_n conj(second_m) rho^|n-m|``, in one pass over the ages."""
    pole = [1.0, -rho]
    past_first = np.asarray(signal.lfilter([1.0], pole, first))
    past_second = np.asarray(signal.lfilter([1.0], pole, second))
    total = first @ past_second.conj() + past_first @ second.conj()
    return complex(total - first @ second.conj())


def loss(lam: complex, mu: complex, rho: float = 0.0) -> float:
    """``E|h - h*|^2 / 2``."""
    apart = kernel(lam) - kernel(mu)
    return shared(apart, apart, rho).real / 2


def loss_impulse(lam: complex, mu: complex, rho: float = 0.0) -> float:
    """``E|h - h*|^2 / 2`` from impulse responses of the suite's recurrence."""
    apart = impulse_kernel(lam) - impulse_kernel(mu)
    return shared(apart, apart, rho).real / 2


def four_moments(lam: complex, mu: complex, rho: float = 0.0) -> float:
    """Half of ``E[h conj(h) + h* conj(h*) - h conj(h*) - conj(h) h*]``."""
    own, teacher = kernel(lam), kernel(mu)
    pairs = ((own, own, 1), (teacher, teacher, 1), (own, teacher, -1))
    total = sum(sign * shared(a, b, rho) for a, b, sign in pairs)
    return ((total - shared(teacher, own, rho)) / 2).real


def state_moment(lam: complex, rho: float = 0.0) -> float:
    """``E|h|^2``."""
    return shared(kernel(lam), kernel(lam), rho).real


def state_moment_impulse(lam: complex, rho: float = 0.0) -> float:
    """``E|h|^2`` from the impulse response of the suite's recurrence."""
    own = impulse_kernel(lam)
    return shared(own, own, rho).real


def cross_moment(lam: complex, mu: complex, rho: float = 0.0) -> complex:
    """``E[h conj(h*)]``."""
    return shared(kernel(lam), kernel(mu), rho)


def cross_moment_impulse(lam: complex, mu: complex, rho: float = 0.0) -> complex:
    """``E[h conj(h*)]`` from impulse responses of the suite's recurrence."""
    return shared(impulse_kernel(lam), impulse_kernel(mu), rho)


def normalised(lam: complex, mu: complex) -> float:
    """The loss under white input, each unit times ``sqrt(1 - |eigenvalue|^2)``."""
    apart = _unit(lam) * kernel(lam) - _unit(mu) * kernel(mu)
    return float((np.abs(apart) ** 2).sum()) / 2


def normalised_impulse(lam: complex, mu: complex) -> float:
    """The normalised loss under white input, from the suite's impulse responses."""
    apart = _unit(lam) * impulse_kernel(lam) - _unit(mu) * impulse_kernel(mu)
    return float((np.abs(apart) ** 2).sum()) / 2


def _unit(lam: complex) -> float:
    return math.sqrt(1 - abs(lam) ** 2)


def unit_gain(lam: complex) -> float:
    """The gain that gives the state unit second moment under white input."""
    return state_moment(lam) ** -0.5


def unit_gain_impulse(lam: complex) -> float:
    """The gain for unit second moment under white input, from the impulse response."""
    return state_moment_impulse(lam) ** -0.5


def misfit(mu: complex) -> float:
    """Loss of the normalised student at a teacher that is not normalised."""
    size = state_moment(mu)
    return (math.sqrt(size) - 1) ** 2 / 2


def best_misfit(mu: complex) -> float:
    """The least loss of a normalised student at a teacher that is not, by a search."""

    def value(at: np.ndarray) -> float:
        radius = math.hypot(*at)
        lam = complex(*at) / (1 + radius)  # anywhere inside the unit circle
        apart = _unit(lam) * kernel(lam) - kernel(mu)
        return float((np.abs(apart) ** 2).sum()) / 2

    first = complex(mu) * 0.7
    start = np.array([first.real, first.imag]) / (1 - abs(first))
    options = {"xatol": 1e-8, "fatol": 1e-15}
    return float(
        optimize.minimize(value, start, method="Nelder-Mead", options=options).fun
    )


def plain_loop(lam: complex, steps: int) -> np.ndarray:
    """States of the recurrence for the inputs 1, 2, ... by a loop in Python."""
    state, states = 0j, []
    for x in range(1, steps + 1):
        state = lam * state + x
        states.append(state)
    return np.array(states)


def suite_loop(lam: complex, steps: int) -> np.ndarray:
    """States for the inputs 1, 2, ... by the recurrence of the suite."""
    with double_precision(True):
        inputs = jnp.arange(1, steps + 1)[:, None].astype(complex)
        return np.asarray(linear_recurrence(jnp.asarray([lam], complex), inputs))[:, 0]


def distance_to_limit(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """How far the mean loss is from the stationary one."""
    return abs(mean_loss(lam, mu, rho, steps) - loss(lam, mu, rho))


def limit_bound(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """A constant over the number of steps, from the two responses' difference ``d``.

    Step ``t`` lacks at most ``sum over n >= t of |d_n|`` times ``max |d|`` times
    ``sum over all lags of |rho|^|lag|``; summed over ``t`` this is ``sum n |d_n|``.
    """
    apart = np.abs(kernel(lam) - kernel(mu))
    late = (np.arange(LENGTH) * apart).sum()
    return float(late * apart.max() * (1 + abs(rho)) / (1 - abs(rho)) / steps)


def limit_bound_squared(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """A wrong rate: the same constant over the square of the number of steps."""
    return limit_bound(lam, mu, rho, steps) / steps


def mean_loss(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """``sum over t <= steps of E|h_t - h*_t|^2 / (2 steps)`` from the zero state.

    Source: Zucchet & Orvieto (2024), Eq. 86.
    """
    apart = kernel(lam, steps) - kernel(mu, steps)
    each = [shared(apart[:t], apart[:t], rho).real for t in range(1, steps + 1)]
    return sum(each) / (2 * steps)


def mean_loss_covariance(lam: complex, mu: complex, rho: float, steps: int) -> float:
    """``sum over t <= steps of E|h_t - h*_t|^2 / (2 steps)``, from covariances.

    The covariance of both states and the input goes along from step to step.
    """
    push = np.array([[lam, 0, rho], [0, mu, rho], [0, 0, rho]], complex)
    fresh = np.ones((3, 3)) * (1 - rho**2)
    spread = np.zeros((3, 3), complex)
    spread[2, 2] = 1.0  # the input before the first one has its stationary variance
    apart = np.array([1, -1, 0])
    total = 0j
    for _ in range(steps):
        spread = push @ spread @ push.conj().T + fresh
        total += apart @ spread @ apart
    return complex(total).real / (2 * steps)


def gain_slopes(nu: float) -> np.ndarray:
    """First two derivatives of ``sqrt(1 - nu^2)`` by finite differences."""
    with mpmath.workdps(DIGITS):
        return np.array(
            [
                float(mpmath.diff(lambda x: mpmath.sqrt(1 - x**2), nu, order))
                for order in (1, 2)
            ]
        )


def loss_in_tanh(omega: float, omega_star: float) -> float:
    """The normalised loss of real units with eigenvalues ``tanh(omega)``."""
    return normalised(math.tanh(omega), math.tanh(omega_star))


def distance_squared(
    nu: float, nu_star: float, theta: float, theta_star: float
) -> float:
    """``|1 - conj(lam) lam*|^2`` in complex numbers."""
    lam, mu = nu * np.exp(1j * theta), nu_star * np.exp(1j * theta_star)
    return float(abs(1 - np.conj(lam) * mu) ** 2)


def distance_at_zero(nu: float) -> np.ndarray:
    """``|1 - nu^2 exp(i turn)|^2`` and two derivatives at ``turn = 0``, by differences."""
    with mpmath.workdps(DIGITS):

        def value(turn: Any) -> Any:
            apart = 1 - nu**2 * mpmath.expj(turn)
            return apart.real**2 + apart.imag**2

        return np.array([float(mpmath.diff(value, 0, order)) for order in range(3)])
