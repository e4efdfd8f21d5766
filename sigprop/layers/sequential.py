"""Layers whose gates depend on the previous state, so that their steps run in sequence."""

from abc import abstractmethod
from typing import ClassVar

from jax import lax
from jaxtyping import Array, Float

from sigprop.layers.base import Layer


class SequentialLayer(Layer):
    """Abstract base class of layers that need the previous state in their gates.

    A subclass separates what inputs add to the arguments of its gates, which is computed
    for all steps at once, from the recurrent matrices, which are applied step by step.
    """

    linear: ClassVar[bool] = False

    @abstractmethod
    def _entering(self, u: Float[Array, "time d_in"]) -> Float[Array, "time gates"]:
        """Terms of inputs and biases in the arguments of all gates, side by side."""

    @abstractmethod
    def _mixing(self) -> Float[Array, "..."]:
        """Recurrent matrices of all gates in one array."""

    @abstractmethod
    def _advance(
        self,
        state: Float[Array, " size"],
        entering: Float[Array, " gates"],
        mixing: Float[Array, "..."],
    ) -> Float[Array, " size"]:
        """The next state."""

    def step(
        self, state: Float[Array, " size"], u: Float[Array, " d_in"]
    ) -> tuple[Float[Array, " size"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        state = self._advance(state, self._entering(u[None])[0], self._mixing())
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time size"]:
        """Compute the states of all steps, starting from the zero state.

        The steps run in sequence, because the gates depend on the state.
        """
        mixing = self._mixing()

        def body(state, entering):
            state = self._advance(state, entering, mixing)
            return state, state

        return lax.scan(body, self.initial_state(), self._entering(u))[1]
