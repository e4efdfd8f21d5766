"""One mode of a state-space model in discrete time.

Source: Orvieto et al. (2023), Eq. 3.
"""

import jax.numpy as jnp
import numpy as np
import scipy

from sigprop.layers.s4d import Discretisation, discretise
from sigprop.numerics.precision import double_precision


def held_gain(pole: complex, dt: float, drive: complex) -> complex:
    """Input coefficient of zero-order hold, from the augmented matrix's exponential."""
    return complex(scipy.linalg.expm(dt * np.array([[pole, drive], [0, 0]]))[0, 1])


def discretised(
    pole: complex, dt: float, method: Discretisation
) -> tuple[complex, complex]:
    """Eigenvalue and input factor of one mode, by the S4D layer's discretisation."""
    with double_precision(True):
        lam, gain = discretise(
            jnp.log(-jnp.asarray(pole.real)),
            jnp.asarray(pole.imag),
            jnp.asarray(dt),
            method,
        )
        return complex(lam), complex(gain)
