"""Base of layers with a matrix state: ``S_t = S_{t-1} A(u_t) + B(u_t)`` in every head.

The output of a head is ``y_t = S_t q(u_t) + z(u_t)``.

Notation: heads  independent parts of a state;  rows, keys  sizes of a head's matrix ``S``.
"""

from abc import abstractmethod
from typing import ClassVar

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Float

from sigprop.layers.base import Layer


class MatrixGated(Layer):
    """Base class of layers whose state is a matrix ``S`` in every head.

    The recurrence of a head is ``S_t = S_{t-1} A(u_t) + B(u_t)``, and its output is
    ``y_t = S_t q(u_t) + z(u_t)``.  The state holds the matrices ``S`` of all heads, row
    by row.

    Attributes:
        divided: Names of the weights ``W``, of shape (..., size, d_in), for which the
            method ``maps`` divides the vector ``W u`` by its length. Derivatives with
            respect to these weights are large for inputs with a short ``W u``.

    Example:
        >>> import jax
        >>> from sigprop.layers import rwkv7
        >>> layer = rwkv7(4, 6, key=jax.random.key(0), heads=2)
        >>> isinstance(layer, MatrixGated), layer.head_shape
        (True, (2, 3, 4))
    """

    linear: ClassVar[bool] = False
    divided: ClassVar[tuple[str, ...]] = ()

    @property
    @abstractmethod
    def head_shape(self) -> tuple[int, int, int]:
        """Numbers of heads, of rows of ``S`` and of columns of ``S``."""

    @abstractmethod
    def maps(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[
        Float[Array, "time heads keys keys"], Float[Array, "time heads rows keys"]
    ]:
        """Return ``A(u_t)`` and ``B(u_t)`` for every step and head."""

    @abstractmethod
    def queries(
        self, u: Float[Array, "time d_in"]
    ) -> Float[Array, "time heads #rows keys"]:
        """Return ``q(u_t)`` for every step and head: one vector, or one for each row."""

    def skips(self, u: Float[Array, "time d_in"]) -> Float[Array, "time heads rows"]:
        """Return ``z(u_t)`` for every step and head, by default zeros."""
        return jnp.zeros((len(u), *self.head_shape[:2]), u.dtype)

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state, summed over heads."""
        heads, rows, keys = self.head_shape
        return heads * rows * keys

    def initial_state(self) -> Float[Array, " states"]:
        """Return the initial state, all zeros."""
        return jnp.zeros((self.state_size,))

    def step(
        self, state: Float[Array, " states"], u: Float[Array, " d_in"]
    ) -> tuple[Float[Array, " states"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        A, B = self.maps(u[None])
        S = (state.reshape(self.head_shape) @ A[0] + B[0]).reshape(-1)
        return S, self.read(S[None], u[None])[0]

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time states"]:
        """Compute the states of all steps in sequence, starting from the zero state."""

        def body(S, now):
            A, B = now
            S = S @ A + B
            return S, S

        zero = self.initial_state().reshape(self.head_shape)
        S = lax.scan(body, zero, self.maps(u))[1]
        return S.reshape(len(u), self.state_size)

    def read(
        self, h: Float[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``S q + z`` of all steps, concatenated over heads."""
        S = h.reshape(len(u), *self.head_shape)
        y = jnp.einsum("thrk,thrk->thr", S, self.queries(u)) + self.skips(u)
        return y.reshape(len(u), self.widths[1])
