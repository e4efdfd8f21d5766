"""Learn one eigenvalue from a power of it: ``L = |lam^k - (lam*)^k|^2 / 2``.

The power is what an input ``k`` steps old weighs in the state.  The solution is one of
``k`` of the same modulus, ``2 pi/k`` apart.

Source: Orvieto et al. (2023), Appendix E.2 and Fig. 8.
"""

import math
from collections.abc import Callable
from typing import Any, NamedTuple, final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Complex, Float


@final
class Power(eqx.Module):
    """The task; build one with ``power``.

    Attributes:
        teacher: ``lam*``; several make a task for each, for ``jax.vmap``.
        exponent: ``k``.
    """

    teacher: Complex[Array, "*tasks"]
    exponent: int = eqx.field(static=True)

    def loss(self, lam: Any) -> Float[Array, "*n"]:
        """The loss of an eigenvalue, or of an array of them."""
        gap = lam**self.exponent - self.teacher**self.exponent
        return (gap.real**2 + gap.imag**2) / 2

    @property
    def spacing(self) -> float:
        """Angle between two neighbouring solutions, in radians."""
        return 2 * math.pi / self.exponent

    @property
    def scale(self) -> Float[Array, "*tasks"]:
        """The loss of the power zero."""
        return self.loss(jnp.zeros_like(self.teacher))


def power(teacher: Any, exponent: int = 100) -> Power:
    """The task of a known eigenvalue, or of an array of them.

    Raises:
        ValueError: If one is not stable, or the exponent is below one.
    """
    largest = np.abs(teacher).max()
    if not largest < 1:
        raise ValueError(f"need a stable teacher, |lam*| < 1, got |lam*| = {largest:g}")
    if exponent < 1:
        raise ValueError(f"need an exponent of at least 1, got {exponent}")
    return Power(jnp.asarray(teacher, complex), exponent)


class Parametrisation(NamedTuple):
    """Two real parameters of an eigenvalue, and the way back.

    Attributes:
        eigenvalue: From an array whose last axis has the two parameters.
        parameters: From an eigenvalue; the phase is in [-pi, pi].
    """

    eigenvalue: Callable[[Any], Any]
    parameters: Callable[[Any], Any]


def _exponential(parameters: Float[Array, "*n 2"]) -> Any:
    return jnp.exp(lax.complex(-parameters[..., 0], parameters[..., 1]))


def _logarithm(lam: Any) -> Float[Array, "*n 2"]:
    return jnp.stack([-jnp.log(jnp.abs(lam)), jnp.angle(lam)], axis=-1)


def _complex(parameters: Float[Array, "*n 2"]) -> Any:
    return lax.complex(parameters[..., 0], parameters[..., 1])


def _parts(lam: Any) -> Float[Array, "*n 2"]:
    return jnp.stack([jnp.real(lam), jnp.imag(lam)], axis=-1)


PARAMETRISATIONS = {
    "cartesian": Parametrisation(_complex, _parts),
    "exponential": Parametrisation(_exponential, _logarithm),
}
"""``lam = a + i b``, and ``lam = exp(-nu + i theta)``."""


def parametrisation(name: str) -> Parametrisation:
    """Look up a parametrisation.

    Raises:
        ValueError: If there is none of that name.
    """
    if name not in PARAMETRISATIONS:
        raise ValueError(
            f"need a parametrisation in {', '.join(PARAMETRISATIONS)}, got {name!r}"
        )
    return PARAMETRISATIONS[name]
