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
    """Position of one parameter in the vector of all parameters.

    Attributes:
        entries: Slice of the vector.
        shape: Shape of the parameter.
    """

    entries: slice
    shape: tuple[int, ...]


Layout = dict[str, Place]


def layout(layer: Layer) -> Layout:
    """Positions of a layer's parameters in one vector.

    Names are in alphabetical order, and entries of a parameter in C order.
    """
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
    """Gradient and Hessian of a loss with respect to all parameters of a layer.

    Attributes:
        gradient: First derivatives of the loss.
        hessian: Second derivatives of the loss.
        layout: Dictionary from the name of each parameter array to its ``shape`` and
            its slice (``entries``) of the vector of all parameters.

    Example:
        A layer whose arrays have 46 entries, four of them in ``nu_log`` and two in
        ``D``:

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
        """Make an expansion of zeros for a layer."""
        blocks = layout(layer)
        size = sum(math.prod(block.shape) for block in blocks.values())
        return Expansion(np.zeros(size), np.zeros((size, size)), blocks)

    def block(self, first: str, second: str | None = None) -> Float[np.ndarray, "n m"]:
        """The block of the Hessian for one parameter array, or for a pair of arrays.

        Args:
            first: Name of the parameter array of the rows.
            second: Name of the parameter array of the columns.  Default: ``first``.

        Raises:
            KeyError: If the layer has no parameter array of this name.
        """
        column = first if second is None else second
        return self.hessian[self.layout[first].entries, self.layout[column].entries]

    def couple(
        self,
        rows: Int[np.ndarray, " n"],
        columns: Int[np.ndarray, " m"],
        block: Float[np.ndarray, "n m"],
    ) -> None:
        """Add a block to the Hessian, and its transpose at the mirrored position.

        The Hessian is changed in place.  If ``rows`` and ``columns`` are the same, the
        block and its transpose are added at one position.  In that case, halve a
        symmetric block before passing it.

        Args:
            rows: Indices of the block's rows in the vector of all parameters.
            columns: Indices of the block's columns in the vector of all parameters.
            block: Second derivatives to add.
        """
        self.hessian[np.ix_(rows, columns)] += block
        self.hessian[np.ix_(columns, rows)] += block.T


def through(
    layer: Layer, make: Callable[[Layer], Mapping[str, Array]], known: Expansion
) -> Expansion:
    """Convert an expansion in other quantities to the layer's parameters, by the chain rule.

    Args:
        layer: Layer with the parameters.
        make: Function that returns the quantities of a layer by the names of ``known``.
        known: Gradient and Hessian of the loss with respect to these quantities.
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
