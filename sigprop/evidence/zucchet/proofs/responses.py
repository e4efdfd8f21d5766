"""Responses of one neuron to an input, to white noise and to correlated processes.

Source: Zucchet & Orvieto (2024), Appendix B.2.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Complex, Num

from sigprop.evidence.zucchet.proofs.sequences import AGES, Sequence, Spectrum
from sigprop.neuron.recurrence import linear_recurrence
from sigprop.numerics.precision import double_precision

LONG = 4 * AGES


def sensitivity(lam: complex, x: Sequence) -> complex:
    """``dh_0/dlam`` by Eq. 53 as corrected."""
    return sum(n * lam ** (n - 1) * x(-n) for n in range(1, AGES))


def scanned(
    lam: complex, x: Complex[np.ndarray, " steps"]
) -> tuple[Complex[np.ndarray, " steps"], Complex[np.ndarray, " steps"]]:
    """States of an input and their derivatives by ``lam``, through the scan."""
    with double_precision(True):
        h, s = jax.jvp(
            lambda z: linear_recurrence(z, jnp.asarray(x[:, None])),
            (jnp.array([lam], jnp.complex128),),
            (jnp.ones(1, jnp.complex128),),
        )
        return np.asarray(h)[:, 0], np.asarray(s)[:, 0]


def kernels(
    lam: complex, steps: int
) -> tuple[Complex[np.ndarray, " steps"], Complex[np.ndarray, " steps"]]:
    """Impulse responses of the state and of its derivative, through the scan."""
    return scanned(lam, (np.arange(steps) == 0).astype(complex))


def exponential_lags(rho: float, count: int) -> Num[np.ndarray, "count count"]:
    """``rho^|lag|`` over all pairs of ages."""
    ages = np.arange(count)
    return float(rho) ** np.abs(np.subtract.outer(ages, ages))


def exponential_moment(lam: complex, rho: float) -> complex:
    """``E|h|^2`` under ``R = rho^|lag|`` as a double sum over ages."""
    kernel = np.power(lam + 0j, np.arange(LONG))
    return complex(kernel @ exponential_lags(rho, LONG) @ kernel.conj())


def impulse_moment(lam: complex, rho: float) -> complex:
    """``E|h|^2`` under ``R = rho^|lag|`` from the scan's impulse response."""
    kernel, _ = kernels(lam, LONG)
    return complex(kernel @ exponential_lags(rho, LONG) @ kernel.conj())


def line_moment(kernel: Complex[np.ndarray, " ages"], R: Spectrum) -> float:
    """Second moment of a process of spectral lines, each filtered by itself."""
    ages = np.arange(len(kernel))
    return float(
        sum(w * abs(kernel @ np.exp(-1j * freq * ages)) ** 2 for freq, w in R.lines)
    )
