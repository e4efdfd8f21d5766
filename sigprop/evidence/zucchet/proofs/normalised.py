"""The normalised neuron under white noise, by autodiff, contours and direct sums.

Derivatives do not act on the factor ``gamma = sqrt(1 - |lam|^2)``.

Source: Zucchet & Orvieto (2024), Appendix B.3.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from sigprop.evidence import kit
from sigprop.evidence.kit import contour, powers
from sigprop.evidence.programs import computed

AGES = 300


def response(lam: Any, gain: Any = 1.0) -> Any:
    """States after a unit input, through the scan."""
    import jax.numpy as jnp

    from sigprop.neuron.recurrence import linear_recurrence

    impulse = gain * (jnp.arange(AGES) == 0)[:, None].astype(complex)
    return linear_recurrence(lam[None], impulse)[:, 0]


def detached(nu: Any, phase: Any) -> Any:
    """Response of the normalised layer; derivatives do not act on the factor."""
    import jax.numpy as jnp
    from jax import lax

    gamma = lax.stop_gradient(jnp.sqrt(1 - nu**2))
    return response(nu * jnp.exp(1j * phase), gamma)


def energy(response: Callable[[Any], Any], at: float) -> float:
    """Energy of the derivative of a response, by autodiff."""
    import jax
    import jax.numpy as jnp

    def derivative(parameter: Any) -> Any:
        return jax.jvp(response, (parameter,), (jnp.ones_like(parameter),))[1]

    return kit.energy(computed(derivative, at))


def kernel_energy(path: Callable[[Any], Any], at: float, radius: float = 0.02) -> float:
    """Energy of the derivative of the powers of ``path``, as a contour integral."""
    return kit.energy(contour(lambda w: powers(path(w), AGES), at, radius))


def white_sensitivity(nu: float) -> float:
    """``E|dh/dnu|^2`` under white noise, normalised, by autodiff."""
    return energy(lambda value: detached(value, 1.1), nu)


def white_sensitivity_sum(nu: float) -> float:
    """``E|dh/dnu|^2`` under white noise, normalised, as a sum over ages."""
    return (1 - nu**2) * kernel_energy(lambda z: z, nu)


def modulus_share(nu: float) -> float:
    """``E|dh/domega|^2`` with ``nu = tanh(omega)``, normalised, by autodiff."""
    import jax.numpy as jnp

    return energy(lambda omega: detached(jnp.tanh(omega), 1.1), float(np.arctanh(nu)))


def modulus_share_sum(nu: float) -> float:
    """``E|dh/domega|^2`` with ``nu = tanh(omega)``, normalised, as a sum over ages."""
    return (1 - nu**2) * kernel_energy(np.tanh, float(np.arctanh(nu)))
