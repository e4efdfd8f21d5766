"""Base of diagonal layers: ``h_t = lam h_{t-1} + gamma B u_t``, ``y = Re(C h) + D u``.

A subclass defines the parameters of ``lam`` and the normalisation ``gamma``.
"""

from abc import abstractmethod

import jax.numpy as jnp
from jax import lax
from jaxtyping import Array, Complex, Float

from sigprop.layers.base import Group, Layer
from sigprop.neuron.projections import pass_through, project_in, read_out
from sigprop.neuron.recurrence import step
from sigprop.neuron.scan import scan_linear

PROJECTIONS: dict[str, Group] = {
    "B_re": "input",
    "B_im": "input",
    "C_re": "readout",
    "C_im": "readout",
    "D": "readout",
}


class DiagonalLayer(Layer):
    """Base of layers with a complex diagonal recurrence and real inputs and outputs.

    ``D`` is a vector with one entry per channel, or a matrix.
    """

    B_re: Float[Array, "n d_in"]
    B_im: Float[Array, "n d_in"]
    C_re: Float[Array, "d_out n"]
    C_im: Float[Array, "d_out n"]
    D: Float[Array, " d_out"] | Float[Array, "d_out d_in"]

    @abstractmethod
    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return the eigenvalues: the diagonal of the recurrent matrix."""

    def normaliser(self) -> Float[Array, " n"] | None:
        """Return the factor ``gamma`` on the input of each neuron; ``None`` means 1."""
        return None

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.B_re.shape[1], self.C_re.shape[0]

    @property
    def state_size(self) -> int:
        """Number of complex numbers in the state."""
        return self.B_re.shape[0]

    def inputs(self, u: Float[Array, "*time d_in"]) -> Complex[Array, "*time n"]:
        """Return ``gamma B u``, the term that inputs add to the state."""
        gamma = self.normaliser()
        if gamma is None:
            return project_in(self.B_re, self.B_im, u)
        return project_in(gamma[:, None] * self.B_re, gamma[:, None] * self.B_im, u)

    def matrices(
        self,
    ) -> tuple[
        Complex[Array, "n d_in"], Complex[Array, "d_out n"], Float[Array, "d_out d_in"]
    ]:
        """Return ``gamma B``, ``C`` and ``D`` as matrices."""
        D = jnp.diag(self.D) if self.D.ndim == 1 else self.D
        inward = self.inputs(jnp.eye(self.widths[0])).T
        return inward, lax.complex(self.C_re, self.C_im), D

    def initial_state(self) -> Complex[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.zeros_like(self.eigenvalues())

    def step(
        self, state: Complex[Array, " n"], u: Float[Array, " d_in"]
    ) -> tuple[Complex[Array, " n"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        state = step(self.eigenvalues(), state, self.inputs(u[None])[0])
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time d_in"]) -> Complex[Array, "time n"]:
        """Return the states of all steps, starting from the zero state."""
        return scan_linear(self.eigenvalues(), self.inputs(u))

    def read(
        self, h: Complex[Array, "time n"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``Re(C h) + D u`` of all steps."""
        return read_out(self.C_re, self.C_im, h) + pass_through(self.D, u)
