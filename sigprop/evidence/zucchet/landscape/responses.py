"""Responses of one linear unit to single inputs, and moments summed over them.

Nothing here uses a closed form.

Source: Zucchet & Orvieto (2024), Section 4.1 and Appendix C.1.
"""

import functools
import math
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex
from scipy import signal

from sigprop.neuron.recurrence import impulse_response
from sigprop.numerics.precision import double_precision

LENGTH = 700  # ages after which 0.95^n is below 1e-15


def kernel(lam: complex, length: int = LENGTH) -> Complex[np.ndarray, " ages"]:
    """Weight of the input of each age."""
    return complex(lam) ** np.arange(length)


@functools.cache
def _responses(length: int) -> Callable[[jax.Array], tuple[jax.Array, jax.Array]]:
    return jax.jit(lambda lam: impulse_response(lam, length))


def impulse_kernel(lam: complex) -> Complex[np.ndarray, " ages"]:
    """Weight of the input of each age, through the recurrence of the suite."""
    with double_precision(True):
        state, _ = _responses(LENGTH)(jnp.asarray([lam], complex))
        return np.asarray(state)[:, 0]


def sensitivity_kernel(lam: complex) -> Complex[np.ndarray, " ages"]:
    """Weights in ``dh/dlam``, by a forward derivative of the recurrence."""
    with double_precision(True):
        _, slope = _responses(LENGTH)(jnp.asarray([lam], complex))
        return np.asarray(slope)[:, 0]


def shared(
    first: Complex[np.ndarray, " ages"],
    second: Complex[np.ndarray, " ages"],
    rho: float = 0.0,
) -> complex:
    """``sum of first_n conj(second_m) rho^|n-m|``, in one pass over the ages."""
    pole = [1.0, -rho]
    past_first = np.asarray(signal.lfilter([1.0], pole, first))
    past_second = np.asarray(signal.lfilter([1.0], pole, second))
    total = first @ past_second.conj() + past_first @ second.conj()
    return complex(total - first @ second.conj())


def state_moment(lam: complex, rho: float = 0.0) -> float:
    """``E|h|^2``."""
    return shared(kernel(lam), kernel(lam), rho).real


def state_moment_impulse(lam: complex, rho: float = 0.0) -> float:
    """``E|h|^2`` from the impulse response of the suite's recurrence."""
    own = impulse_kernel(lam)
    return shared(own, own, rho).real


def unit_gain(lam: complex) -> float:
    """The gain that gives the state unit second moment under white input."""
    return state_moment(lam) ** -0.5


def unit_gain_impulse(lam: complex) -> float:
    """The gain for unit second moment under white input, from the impulse response."""
    return state_moment_impulse(lam) ** -0.5


def normalised(lam: complex, mu: complex) -> float:
    """The loss under white input, each unit times ``sqrt(1 - |eigenvalue|^2)``."""
    apart = normalisation(lam) * kernel(lam) - normalisation(mu) * kernel(mu)
    return float((np.abs(apart) ** 2).sum()) / 2


def normalised_impulse(lam: complex, mu: complex) -> float:
    """The normalised loss under white input, from the suite's impulse responses."""
    apart = normalisation(lam) * impulse_kernel(lam) - normalisation(
        mu
    ) * impulse_kernel(mu)
    return float((np.abs(apart) ** 2).sum()) / 2


def normalisation(lam: complex) -> float:
    """``sqrt(1 - |lam|^2)``."""
    return math.sqrt(1 - abs(lam) ** 2)
