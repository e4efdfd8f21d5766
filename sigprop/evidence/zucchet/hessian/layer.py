"""The package's diagonal layer with two units, and its response."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from sigprop.layers.complex_diagonal import ComplexDiagonal


def two_units(skip: float = 0.0, **point: Any) -> ComplexDiagonal:
    """The layer with the two units of a point."""

    def parts(name: str) -> tuple[jax.Array, jax.Array]:
        values = [complex(point[f"{name}_{unit}"]) for unit in "ij"]
        return (
            jnp.asarray([value.real for value in values]),
            jnp.asarray([value.imag for value in values]),
        )

    b_re, b_im = parts("b")
    c_re, c_im = parts("c")
    return ComplexDiagonal(
        b_re[:, None],
        b_im[:, None],
        c_re[None],
        c_im[None],
        jnp.asarray([skip]),
        *parts("lambda"),
        "cartesian",
    )


@eqx.filter_jit
def respond(
    layer: ComplexDiagonal, inputs: Float[Array, "steps 1"]
) -> Float[Array, " steps"]:
    """Outputs of a layer with one output after each input."""
    return layer.read(layer.states(inputs), inputs)[:, 0]
