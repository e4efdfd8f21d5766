"""Loss of one linear unit against its teacher under white input, and its derivatives.

Source: Zucchet & Orvieto (2024), Section 4.1 and Figure 1.
"""

import functools

import jax
import jax.numpy as jnp

from sigprop.evidence.kit import energy, powers
from sigprop.evidence.zucchet.curse.responses import one_neuron
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.numerics.precision import double_precision


def loss_by_sum(lam: complex, star: complex) -> float:
    """``E |h - h*|^2 / 2``, summed over responses."""
    return energy(powers(complex(lam), 3000) - powers(complex(star), 3000)) / 2


def _polar_states(radius: jax.Array, phase: jax.Array) -> jax.Array:
    """Response of the layer with an eigenvalue in polar coordinates."""
    layer = ComplexDiagonal(*one_neuron(), radius[None], phase[None], "polar")
    return layer.states(jnp.zeros((3000, 1)).at[0].set(1.0))[:, 0]


def _loss(radius: jax.Array, phase: jax.Array, teacher: jax.Array) -> jax.Array:
    """The loss against a teacher of real eigenvalue."""
    apart = _polar_states(radius, phase) - _polar_states(teacher, 0 * teacher)
    return (jnp.real(apart) ** 2 + jnp.imag(apart) ** 2).sum() / 2


@functools.cache
def _derivative(argument: int, order: int):
    """A compiled derivative of the loss by modulus (0) or phase (1)."""
    derivative = _loss
    for _ in range(order):
        derivative = jax.grad(derivative, argnums=argument)
    return jax.jit(derivative)


def derivative_by_layer(
    radius: float, phase: float, teacher: float, argument: int, order: int
) -> float:
    """The loss against a real teacher, or its derivative, through the layer.

    Args:
        radius: Modulus of the student's eigenvalue.
        phase: Phase of the student's eigenvalue.
        teacher: Eigenvalue of the teacher.
        argument: Variable of the derivative: the modulus (0) or the phase (1).
        order: Order of the derivative; 0 for the loss.
    """
    with double_precision(True):
        values = (jnp.asarray(value) for value in (radius, phase, teacher))
        return float(_derivative(argument, order)(*values))
