"""A stack of layers, with or without skip connections: a deep network without norms.

A stack of linear layers is linear, so its moments have closed forms at any depth.
"""

import itertools
from collections.abc import Mapping, Sequence
from typing import final

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Complex, Float, Inexact

from sigprop.layers.base import Group, Layer


@final
class Stack(Layer):
    """Stack of layers, in which each layer reads the outputs of the previous one.

    Build one with ``stack``.  The state concatenates the states of all layers as real
    numbers.  The real parts of a complex state are followed by its imaginary parts.

    Example:
        >>> import jax
        >>> from sigprop.layers import lru, rotrnn
        >>> first = lru(4, 2, key=jax.random.key(0))
        >>> second = rotrnn(8, 2, key=jax.random.key(1), heads=2)
        >>> layer = stack([first, second])
        >>> layer.state_size, layer.linear, layer.stable
        (16, True, True)
    """

    layers: tuple[Layer, ...]
    skip: bool = eqx.field(static=True)

    @property
    def linear(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """True if all layers of the stack are linear."""
        return all(layer.linear for layer in self.layers)

    @property
    def stable(self) -> bool:  # pyright: ignore[reportIncompatibleVariableOverride]
        """True if all layers of the stack are stable."""
        return all(layer.stable for layer in self.layers)

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.layers[0].widths[0], self.layers[-1].widths[1]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state."""
        return sum(self._sizes())

    def _sizes(self) -> list[int]:
        return [
            layer.state_size * (1 + jnp.iscomplexobj(layer.initial_state()))
            for layer in self.layers
        ]

    def initial_state(self) -> Float[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.concatenate(
            [as_real(layer.initial_state()) for layer in self.layers]
        )

    def _next(self, y: Array, u: Array) -> Array:
        return y + u if self.skip else y

    def step(
        self, state: Float[Array, " n"], u: Float[Array, " d_in"]
    ) -> tuple[Float[Array, " n"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        states, ends = [], np.cumsum(self._sizes())[:-1]
        for layer, part in zip(self.layers, jnp.split(state, ends), strict=True):
            h, y = layer.step(_as_state(layer, part), u)
            states.append(as_real(h))
            u = self._next(y, u)
        return jnp.concatenate(states), u

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time n"]:
        """Return the states of all layers and steps, starting from the zero state."""
        states = []
        for layer in self.layers:
            h = layer.states(u)
            states.append(as_real(h))
            u = self._next(layer.read(h, u), u)
        return jnp.concatenate(states, -1)

    def read(
        self, h: Float[Array, "time n"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Compute the outputs of the last layer from the states of all layers."""
        ends = np.cumsum(self._sizes())[:-1]
        for layer, part in zip(self.layers, jnp.split(h, ends, -1), strict=True):
            u = self._next(layer.read(_as_state(layer, part), u), u)
        return u

    def eigenvalues(self) -> Complex[Array, " n"] | None:
        """Return the eigenvalues of all layers, and conjugates for complex states.

        The result is ``None`` if the eigenvalues of a layer depend on the inputs or the
        state.
        """
        eigenvalues = []
        for layer in self.layers:
            lam = layer.eigenvalues()
            if lam is None:
                return None
            complex_state = jnp.iscomplexobj(layer.initial_state())
            eigenvalues += [lam, lam.conj()] if complex_state else [lam]
        return jnp.concatenate(eigenvalues)

    def groups(self) -> Mapping[str, Group]:
        """Return the optimiser group that each parameter has in its layer."""
        return {
            f"layers.{index}.{name}": group
            for index, layer in enumerate(self.layers)
            for name, group in layer.groups().items()
        }


def as_real(h: Inexact[Array, "*time n"]) -> Float[Array, "*time real"]:
    """Return real numbers unchanged; of complex numbers, real then imaginary parts."""
    return jnp.concatenate([h.real, h.imag], -1) if jnp.iscomplexobj(h) else h


def _as_state(layer: Layer, h: Float[Array, "*time real"]) -> Inexact[Array, "*time n"]:
    n = layer.state_size
    return h if h.shape[-1] == n else h[..., :n] + 1j * h[..., n:]


def stack(layers: Sequence[Layer], *, skip: bool = True) -> Stack:
    """Stack causal layers, so that each reads the outputs of the previous one.

    Args:
        layers: One or more causal layers. The number of outputs of a layer must equal
            the number of inputs of the next.
        skip: If true, the inputs of each layer are added to its outputs.

    Raises:
        ValueError: If there is no layer, a layer is not causal, or the numbers of
            outputs and inputs of successive layers differ; or if ``skip`` is true and a
            layer has unequal numbers of inputs and outputs.

    Example:
        >>> import jax
        >>> from sigprop.layers import lru
        >>> layers = [lru(4, 2, key=jax.random.key(seed)) for seed in range(3)]
        >>> stack(layers, skip=False)(jnp.ones((10, 2))).shape
        (10, 2)
    """
    if not layers:
        raise ValueError("need one layer or more, got none")
    for layer in layers:
        if not layer.causal:
            raise ValueError(f"need causal layers, got {type(layer).__name__}")
        if skip and layer.widths[0] != layer.widths[1]:
            raise ValueError(
                f"need as many outputs as inputs for a skip, got {layer.widths}"
            )
    for before, after in itertools.pairwise(layers):
        if before.widths[1] != after.widths[0]:
            raise ValueError(
                f"need a layer of {before.widths[1]} inputs, got {after.widths[0]}"
            )
    return Stack(tuple(layers), skip)
