"""Positions of a layer's parameters in one vector, and second-order expansions."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax.flatten_util import ravel_pytree
from jaxtyping import Array, Float, Int

from sigprop.layers.base import Layer, parameters, replace
from sigprop.numerics.compilation import ONCE


class Place(NamedTuple):
    """The entries of one parameter: a slice of the vector, and their shape."""

    entries: slice
    shape: tuple[int, ...]


Layout = dict[str, Place]


def layout(layer: Layer) -> Layout:
    """Parameters by name, in alphabetical order, each in C order."""
    entries, start = {}, 0
    for name, value in sorted(parameters(layer).items()):
        entries[name] = Place(slice(start, start + value.size), value.shape)
        start += value.size
    return entries


def numbered(layer: Layer) -> Any:
    """The layer with each entry replaced by its index in the parameter vector."""
    return replace(
        layer,
        {
            name: jnp.arange(
                block.entries.start, block.entries.stop, dtype=float
            ).reshape(block.shape)
            for name, block in layout(layer).items()
        },
    )


class Expansion(NamedTuple):
    """A loss to second order around one set of parameters.

    Attributes:
        gradient: First derivatives.
        hessian: Second derivatives.
        layout: The place of each parameter in both.

    Example:
        >>> from sigprop.layers import lru
        >>> empty = Expansion.empty(lru(4, 2, key=jax.random.key(0)))
        >>> empty.hessian.shape, empty.block("nu_log", "D").shape
        ((46, 46), (4, 2))
    """

    gradient: Float[np.ndarray, " p"]
    hessian: Float[np.ndarray, "p p"]
    layout: Layout

    @staticmethod
    def empty(layer: Layer) -> "Expansion":
        """Zeros to be filled in."""
        blocks = layout(layer)
        size = sum(math.prod(block.shape) for block in blocks.values())
        return Expansion(np.zeros(size), np.zeros((size, size)), blocks)

    def block(self, first: str, second: str | None = None) -> Float[np.ndarray, "n m"]:
        """Second derivatives by two parameters, or by one and itself.

        Raises:
            KeyError: If there is no parameter of that name.
        """
        column = first if second is None else second
        return self.hessian[self.layout[first].entries, self.layout[column].entries]

    def couple(
        self,
        rows: Int[np.ndarray, " n"],
        columns: Int[np.ndarray, " m"],
        block: Float[np.ndarray, "n m"],
    ) -> None:
        """Add a block and its transpose: of a block on the diagonal, give half."""
        self.hessian[np.ix_(rows, columns)] += block
        self.hessian[np.ix_(columns, rows)] += block.T


def through(
    layer: Layer, make: Callable[[Layer], Mapping[str, Array]], known: Expansion
) -> Expansion:
    """The chain rule: from quantities that a layer makes to its parameters.

    Args:
        layer: Whose parameters are wanted.
        make: Computes the quantities of a layer by name, as ``known`` lists them.
        known: The loss to second order in them.
    """
    x, split = ravel_pytree(parameters(layer))

    def flat(x: Array) -> Array:
        quantities = make(replace(layer, split(x)))
        return jnp.concatenate([jnp.ravel(quantities[name]) for name in known.layout])

    def second_derivatives(x: Array) -> Array:
        return jax.hessian(lambda x: flat(x) @ known.gradient)(x)

    jacobian = np.asarray(jax.jit(jax.jacrev(flat), compiler_options=ONCE)(x))
    hessian = jacobian.T @ known.hessian @ jacobian
    if known.gradient.any():
        hessian += np.asarray(jax.jit(second_derivatives, compiler_options=ONCE)(x))
    return Expansion(jacobian.T @ known.gradient, hessian, layout(layer))
