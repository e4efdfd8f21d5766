"""Loss of one linear unit against its teacher under white input, and its derivatives.

Source: Zucchet & Orvieto (2024), Section 4.1 and Figure 1.
"""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.numerics.precision import double_precision


def loss_by_sum(lam: complex, star: complex) -> float:
    """``E |h - h*|^2 / 2``, summed over responses."""
    k = np.arange(3000)
    difference = np.exp(k * np.log(complex(lam))) - complex(star) ** k
    return float((np.abs(difference) ** 2).sum() / 2)


def _polar_states(radius: jax.Array, phase: jax.Array) -> jax.Array:
    """Response of the layer with an eigenvalue in polar coordinates."""
    one, places = jnp.ones((1, 1)), (radius[None], phase[None])
    layer = ComplexDiagonal(one, 0 * one, one, 0 * one, 0 * one, *places, "polar")
    return layer.states(jnp.zeros((3000, 1)).at[0].set(1.0))[:, 0]


def _loss(radius: jax.Array, phase: jax.Array, teacher: jax.Array) -> jax.Array:
    """The loss against a teacher of real eigenvalue."""
    gap = _polar_states(radius, phase) - _polar_states(teacher, 0 * teacher)
    return (jnp.real(gap) ** 2 + jnp.imag(gap) ** 2).sum() / 2


@functools.cache
def _derivative(place: int, order: int):
    """A compiled derivative of the loss by modulus (0) or phase (1)."""
    found = _loss
    for _ in range(order):
        found = jax.grad(found, argnums=place)
    return jax.jit(found)


def derivative_by_layer(
    radius: float, phase: float, teacher: float, place: int, order: int
) -> float:
    """The loss against a real teacher, or its derivative, through the layer.

    Args:
        radius: Modulus of the student's eigenvalue.
        phase: Its phase.
        teacher: The teacher's eigenvalue.
        place: By what: the modulus (0) or the phase (1).
        order: Of the derivative; 0 is the loss.
    """
    with double_precision(True):
        values = (jnp.asarray(value) for value in (radius, phase, teacher))
        return float(_derivative(place, order)(*values))
