"""The Hessian at optimality as integrals over the input's power spectrum.

Source: the model of Zucchet & Orvieto (2024), Eq. 113-114.
"""

from typing import Any

import numpy as np
from jaxtyping import Complex, Float


def spectrum(
    size: int, **point: Any
) -> tuple[Complex[np.ndarray, " size"], Float[np.ndarray, " size"]]:
    """Points of the unit circle, and the density of the input's power on them."""
    z = np.exp(2j * np.pi * np.arange(size) / size)
    rho = point.get("rho", 0.0)
    correlated = point.get("b", 1.0) * (1 - rho**2) / abs(1 - rho * z) ** 2
    return z, point.get("a", 0.0) + correlated


def pair_quadrature(lambda_i: complex, lambda_j: complex, **point: Any) -> complex:
    """``S`` as an integral of the product of transfer functions times the density."""
    z, density = spectrum(4096, **point)
    transfer = z / (1 - lambda_i * z) ** 2 * z.conj() / (1 - lambda_j * z.conj()) ** 2
    return complex(np.mean(density * transfer))


def full_complex_by_spectrum(**point: Any) -> Complex[np.ndarray, "4 4"]:
    """Second Wirtinger derivatives of two units from the output's transfer functions.

    The derivative of the output by ``lambda_i`` filters by ``b_i c_i z / (1 - lambda_i
    z)^2 / 2``, that by its conjugate by the conjugate coefficients.
    """
    z, density = spectrum(1024, **point)
    filters = []
    for unit in "ij":
        gain = complex(point[f"b_{unit}"]) * complex(point[f"c_{unit}"])
        lam = complex(point[f"lambda_{unit}"])
        for g, pole in ((gain, lam), (gain.conjugate(), lam.conjugate())):
            filters.append(lambda w, g=g, pole=pole: g * w / (1 - pole * w) ** 2 / 2)
    forward = np.array([transfer(z) for transfer in filters])
    backward = np.array([transfer(z.conj()) for transfer in filters])
    return (forward * density) @ backward.T / len(z)
