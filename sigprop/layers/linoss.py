"""LinOSS: forced harmonic oscillators ``z' = -A y + B u``, ``y' = z``.

The output is ``Re(C y) + D u``.  ``A = max(A_raw, 0)`` and the step size
``dt = s(dt_raw)``, with ``s`` the sigmoid, are diagonal.  ``B`` and ``C`` are complex.
There are two discretisations:

- ``im`` (implicit): ``z_t = z_{t-1} + dt (-A y_t + B u_t)``, ``y_t = y_{t-1} + dt z_t``.  The
  eigenvalues ``1 / (1 -+ i dt sqrt(A))`` are inside the unit disc.  For white inputs of unit
  variance, ``E|z|^2 + A E|y|^2 = |B|^2 / A`` for any ``dt``.
- ``imex`` (implicit-explicit): ``z_t = z_{t-1} + dt (-A y_{t-1} + B u_t)``, ``y_t = y_{t-1} +
  dt z_t``.  For ``dt^2 A < 4`` the eigenvalues have modulus one.  For white inputs,
  ``E(|z|^2 + A|y|^2 - dt A Re(z y*)) = T dt^2 |B|^2`` after ``T`` steps.

Source: Rusch & Rus (2025), Oscillatory state-space models, Eq. 1-6; ``models/LinOSS.py`` of
github.com/tk-rusch/linoss for the parametrisation and the initialisation.
"""

from typing import Literal, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax import lax
from jax.nn import relu, sigmoid
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group, Layer
from sigprop.layers.diagonal import PROJECTIONS
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.projected import uniform_linear
from sigprop.neuron.projections import pass_through, project_in, read_out
from sigprop.numerics.arguments import require_choice

Oscillation = Literal["im", "imex"]
OSCILLATIONS: tuple[Oscillation, ...] = ("im", "imex")


@final
class LinOSS(Layer):
    """LinOSS layer of harmonic oscillators; build one with ``linoss``.

    The oscillators obey ``z' = -A y + B u``, ``y' = z``, and the output is
    ``Re(C y) + D u``.  Here ``A = relu(A_raw)``, and the step size of the
    discretisation is ``sigmoid(dt_raw)``.  The state holds the velocities ``z`` of all
    oscillators, followed by their positions ``y``.

    Example:
        >>> layer = linoss(3, 2, key=jax.random.key(0))
        >>> layer.state_size, layer.B_re.shape
        (6, (3, 2))
    """

    A_raw: Float[Array, " n"]
    dt_raw: Float[Array, " n"]
    B_re: Float[Array, "n d_in"]
    B_im: Float[Array, "n d_in"]
    C_re: Float[Array, "d_out n"]
    C_im: Float[Array, "d_out n"]
    D: Float[Array, " d_out"]
    discretisation: Oscillation = eqx.field(static=True, default="im")

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, which are equal."""
        return self.B_re.shape[1], self.C_re.shape[0]

    @property
    def state_size(self) -> int:
        """Number of complex numbers in the state, two for each oscillator."""
        return 2 * self.A_raw.shape[0]

    def blocks(self) -> tuple[Float[Array, "2 2 n"], Float[Array, "2 n"]]:
        """Return each oscillator's 2x2 recurrent matrix and its two input factors."""
        A, dt = relu(self.A_raw), sigmoid(self.dt_raw)
        one = jnp.ones_like(A)
        if self.discretisation == "im":
            shrunk = 1 / (1 + dt**2 * A)
            block = jnp.stack([jnp.stack([one, -dt * A]), jnp.stack([dt, one])])
            return shrunk[None, None] * block, shrunk[None] * jnp.stack([dt, dt**2])
        block = jnp.stack([jnp.stack([one, -dt * A]), jnp.stack([dt, 1 - dt**2 * A])])
        return block, jnp.stack([dt, dt**2])

    def eigenvalues(self) -> Complex[Array, " states"]:
        """Return both eigenvalues of every oscillator."""
        block, _ = self.blocks()
        middle = (block[0, 0] + block[1, 1]) / 2
        product = block[0, 0] * block[1, 1] - block[0, 1] * block[1, 0]
        root = jnp.sqrt(lax.complex(middle**2 - product, jnp.zeros_like(middle)))
        return jnp.concatenate([middle + root, middle - root])

    def initial_state(self) -> Complex[Array, " states"]:
        """Return the initial state, all zeros."""
        zero = jnp.zeros((self.state_size,), self.A_raw.dtype)
        return lax.complex(zero, zero)

    def _entering(self, u: Float[Array, "time d_in"]) -> Complex[Array, "time 2 n"]:
        return self.blocks()[1][None] * project_in(self.B_re, self.B_im, u)[:, None]

    def step(
        self, state: Complex[Array, " states"], u: Float[Array, " d_in"]
    ) -> tuple[Complex[Array, " states"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        pair = state.reshape(2, -1)
        moved = jnp.einsum("abn,bn->an", self.blocks()[0], pair)
        state = (moved + self._entering(u[None])[0]).reshape(-1)
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time d_in"]) -> Complex[Array, "time states"]:
        """Compute the states of all steps in parallel, starting from the zero state."""
        block, _ = self.blocks()
        entering = self._entering(u)

        def after(first, second):
            (M, f), (N, g) = first, second
            moved = jnp.einsum("tabn,tbn->tan", N, f)
            return jnp.einsum("tabn,tbcn->tacn", N, M), moved + g

        every = jnp.broadcast_to(block, (len(u), *block.shape))
        pairs = (
            lax.associative_scan(after, (every, entering))[1] if len(u) else entering
        )
        return pairs.reshape(len(u), self.state_size)

    def read(
        self, h: Complex[Array, "time states"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``Re(C y) + D u``, with the positions ``y`` in ``h``."""
        y = h[:, self.A_raw.shape[0] :]
        return read_out(self.C_re, self.C_im, y) + pass_through(self.D, u)

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {**PROJECTIONS, "A_raw": "recurrent", "dt_raw": "recurrent"}


def linoss(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    discretisation: Oscillation = "im",
) -> LinOSS:
    """Draw a LinOSS layer with ``A_raw`` and ``dt_raw`` uniform between 0 and 1.

    The entries of ``B`` and ``C`` are uniform, as in PyTorch's ``Linear``, and ``D`` is
    standard normal.

    Args:
        state_size: Number of oscillators, each with two complex numbers in the state.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        discretisation: ``im`` (implicit), with decaying oscillations, or ``imex``
            (implicit-explicit), with oscillations that do not decay.

    Raises:
        ValueError: If a size is below one or the discretisation is unknown.

    Example:
        >>> layer = linoss(3, 2, key=jax.random.key(0), discretisation="imex")
        >>> layer.state_size, float(abs(layer.eigenvalues()).max().round(5))
        (6, 1.0)
    """
    require_sizes(state_size=state_size, width=width)
    require_choice("discretisation", discretisation, OSCILLATIONS)
    b_re, b_im, c_re, c_im, d_key, a_key, dt_key = jax.random.split(key, 7)
    return LinOSS(
        A_raw=jax.random.uniform(a_key, (state_size,)),
        dt_raw=jax.random.uniform(dt_key, (state_size,)),
        B_re=uniform_linear(b_re, state_size, width),
        B_im=uniform_linear(b_im, state_size, width),
        C_re=uniform_linear(c_re, width, state_size),
        C_im=uniform_linear(c_im, width, state_size),
        D=jax.random.normal(d_key, (width,)),
        discretisation=discretisation,
    )
