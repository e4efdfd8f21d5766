"""Responses of one neuron to sequences, white noise and correlated processes.

Source: Zucchet & Orvieto (2024), Appendix B.2.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Complex, Inexact, Num

from sigprop.evidence.kit import NODES, TURNS, moment, powers
from sigprop.evidence.programs import computed
from sigprop.evidence.zucchet.proofs.sequences import AGES, Sequence, Spectrum

LONG = 4 * AGES


def sensitivity(lam: complex, x: Sequence) -> complex:
    """``dh_0/dlam`` by Eq. 53 as corrected."""
    return sum(n * lam ** (n - 1) * x(-n) for n in range(1, AGES))


def scanned(
    lam: complex, x: Complex[np.ndarray, " steps"]
) -> tuple[Complex[np.ndarray, " steps"], Complex[np.ndarray, " steps"]]:
    """States of an input and their derivatives by ``lam``, through the scan."""
    h, s = computed(_states_and_derivatives, np.array([lam], complex), x[:, None])
    return h[:, 0], s[:, 0]


def _states_and_derivatives(lam: Any, x: Any) -> Any:
    import jax
    import jax.numpy as jnp

    from sigprop.neuron.recurrence import linear_recurrence

    return jax.jvp(lambda z: linear_recurrence(z, x), (lam,), (jnp.ones_like(lam),))


def kernels(
    lam: complex, steps: int
) -> tuple[Complex[np.ndarray, " steps"], Complex[np.ndarray, " steps"]]:
    """Impulse responses of the state and of its derivative, through the scan."""
    return scanned(lam, (np.arange(steps) == 0).astype(complex))


RESPONSES: dict[str, Callable[[complex], Inexact[np.ndarray, " ages"]]] = {
    "reference": lambda lam: powers(complex(lam), LONG),
    "impulse": lambda lam: kernels(lam, LONG)[0],
}


def state_moment(respond: Callable[..., Any], lam: complex, rho: float) -> float:
    """``E|h|^2`` under ``R = rho^|lag|`` from a response."""
    return moment(respond(lam), rho)


def line_moment(kernel: Complex[np.ndarray, " ages"], R: Spectrum) -> float:
    """Second moment of a process of spectral lines, from the response to each line."""
    ages = np.arange(len(kernel))
    return float(
        sum(w * abs(kernel @ np.exp(-1j * freq * ages)) ** 2 for freq, w in R.lines)
    )


def mixed(alpha: complex, beta: complex, table: Num[np.ndarray, "n n"]) -> complex:
    """``d/dalpha d/dbeta`` of a double sum, from its values on two circles."""
    radius = 0.1
    first, second = (powers(z + radius * TURNS, len(table)) for z in (alpha, beta))
    weights = TURNS.conj() / (NODES * radius)
    return complex(weights @ (first @ table @ second.T) @ weights)
