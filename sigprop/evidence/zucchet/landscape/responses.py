"""Responses of one linear unit to single inputs, and moments summed over them.

No closed form is used.

Notation: ``respond``  function of the eigenvalue that gives the weight of the input of
each age.

Source: Zucchet & Orvieto (2024), Section 4.1 and Appendix C.1.
"""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Complex

from sigprop.evidence.kit import energy, moment, powers
from sigprop.numerics.precision import double_precision

LENGTH = 700  # ages after which 0.95^n is below 1e-15
Response = Callable[[complex], Complex[np.ndarray, " ages"]]


def kernel(lam: complex) -> Complex[np.ndarray, " ages"]:
    """Weight of the input of each age."""
    return powers(complex(lam), LENGTH)


@functools.cache
def _compiled() -> Callable[..., Any]:
    import jax

    from sigprop.neuron.recurrence import impulse_response

    return jax.jit(lambda lam: impulse_response(lam, LENGTH))


def _through_the_suite(lam: complex, index: int) -> Complex[np.ndarray, " ages"]:
    import jax.numpy as jnp

    with double_precision(True):
        return np.asarray(_compiled()(jnp.asarray([lam], complex))[index])[:, 0]


def impulse_kernel(lam: complex) -> Complex[np.ndarray, " ages"]:
    """Weight of the input of each age, through the package's recurrence."""
    return _through_the_suite(lam, 0)


def sensitivity_kernel(lam: complex) -> Complex[np.ndarray, " ages"]:
    """Weights in ``dh/dlam``, by a forward derivative of the recurrence."""
    return _through_the_suite(lam, 1)


RESPONSES = {"reference": kernel, "impulse": impulse_kernel}


def state_moment(respond: Response, lam: complex, rho: float = 0.0) -> float:
    """``E|h|^2``."""
    return moment(respond(lam), rho)


def unit_gain(respond: Response, lam: complex) -> float:
    """The gain that gives the state unit second moment under white input."""
    return state_moment(respond, lam) ** -0.5


def normalised(respond: Response, lam: complex, mu: complex) -> float:
    """The loss under white input, each unit times ``sqrt(1 - |eigenvalue|^2)``."""
    student, teacher = (normalisation(z) * respond(z) for z in (lam, mu))
    return energy(student - teacher) / 2


def normalisation(lam: complex) -> float:
    """``sqrt(1 - |lam|^2)``."""
    return math.sqrt(1 - abs(lam) ** 2)
