"""Learn one eigenvalue from a power of it: ``L = |lam^k - (lam*)^k|^2 / 2``.

The power ``lam^k`` is the weight of an input in the state ``k`` steps later.  The loss has
``k`` solutions of equal modulus, with phases ``2 pi/k`` apart.

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
    """The task of learning an eigenvalue from its power; build one with ``power``.

    Attributes:
        teacher: Eigenvalue ``lam*`` to learn.  An array has one task for each entry, for
            ``jax.vmap``.
        exponent: Exponent ``k`` of the power.
    """

    teacher: Complex[Array, "*tasks"]
    exponent: int = eqx.field(static=True)

    def loss(self, lam: Any) -> Float[Array, "*n"]:
        """The loss of an eigenvalue, or of each eigenvalue of an array."""
        gap = lam**self.exponent - self.teacher**self.exponent
        return (gap.real**2 + gap.imag**2) / 2

    @property
    def spacing(self) -> float:
        """Angle between two neighbouring solutions, in radians."""
        return 2 * math.pi / self.exponent

    @property
    def scale(self) -> Float[Array, "*tasks"]:
        """The loss of the eigenvalue zero, with which losses are compared."""
        return self.loss(jnp.zeros_like(self.teacher))


def power(teacher: Any, exponent: int = 100) -> Power:
    """Make the task of learning a known eigenvalue, or one task for each in an array.

    Args:
        teacher: Eigenvalue to learn, of modulus below one, or an array of eigenvalues.
        exponent: Exponent of the power.

    Raises:
        ValueError: If a modulus is not below one, or the exponent is below one.
    """
    largest = np.abs(teacher).max()
    if not largest < 1:
        raise ValueError(f"need a stable teacher, |lam*| < 1, got |lam*| = {largest:g}")
    if exponent < 1:
        raise ValueError(f"need an exponent of at least 1, got {exponent}")
    return Power(jnp.asarray(teacher, complex), exponent)


class Parametrisation(NamedTuple):
    """A parametrisation of an eigenvalue by two real parameters.

    Attributes:
        eigenvalue: Function from an array, whose last axis has the two parameters, to the
            eigenvalue.
        parameters: Function from the eigenvalue to the array of parameters; phases are in
            [-pi, pi].
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
"""The parametrisations ``lam = a + i b`` and ``lam = exp(-nu + i theta)``."""


def parametrisation(name: str) -> Parametrisation:
    """Look up a parametrisation by its name, ``cartesian`` or ``exponential``.

    Raises:
        ValueError: If there is no parametrisation of this name.
    """
    if name not in PARAMETRISATIONS:
        raise ValueError(
            f"need a parametrisation in {', '.join(PARAMETRISATIONS)}, got {name!r}"
        )
    return PARAMETRISATIONS[name]
