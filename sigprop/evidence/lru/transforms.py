"""Fourier transforms by quadrature: ``scale`` is the prefactor of the transform.

Source: Orvieto et al. (2023), Appendix E.1.1.
"""

import numpy as np
from jaxtyping import Float

from sigprop.evidence.kit import legendre
from sigprop.judge.basis import Example

UNITARY = 1 / (2 * np.pi)  # prefactor of the transform whose inverse has none
SPAN, SPACING = 14.0, 0.02  # Gaussian tails below 1e-40; trapezoids exact to rounding


def line(centre: float = 0.0, span: float = SPAN) -> Float[np.ndarray, " k"]:
    """Equally spaced times or frequencies about a centre."""
    return np.arange(centre - span, centre + span, SPACING)


def pulse(centre: float, half: float, omega: float, scale: float) -> complex:
    """Transform of an indicator by quadrature.  Source: Orvieto et al. (2023), Eq. 15."""
    t, weights = legendre(centre - half, centre + half, 80)
    return complex(scale * weights @ np.exp(-1j * omega * t))


PULSE_EXAMPLE = Example(
    "the pulse's transform at omega = 0, prefactor 1/(2 pi),",
    {"half": 1.0},
    lambda half: 2 * half,
    lambda half: pulse(0.0, half, 0.0, UNITARY).real,
)
