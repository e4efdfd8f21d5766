"""One mode of a state-space model in discrete time.

Source: Orvieto et al. (2023), Eq. 3.
"""

import numpy as np
import scipy

from sigprop.evidence.programs import computed
from sigprop.layers.s4d import Discretisation, discretise


def hold_gain(pole: complex, dt: float, drive: complex) -> complex:
    """Input coefficient of zero-order hold, from the augmented matrix's exponential."""
    return complex(scipy.linalg.expm(dt * np.array([[pole, drive], [0, 0]]))[0, 1])


def discretised(
    pole: complex, dt: float, method: Discretisation
) -> tuple[complex, complex]:
    """Eigenvalue and input factor of one mode, by the S4D layer's discretisation."""
    log_decay = np.log(-pole.real)
    lam, gain = computed(discretise, log_decay, pole.imag, dt, discretisation=method)
    return complex(lam), complex(gain)
