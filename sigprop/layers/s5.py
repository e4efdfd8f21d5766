"""S5: one diagonal state-space model of all channels, ``x' = A x + B u``.

``y = Re(C x) + D u``, or ``2 Re(C x) + D u`` if one state of each conjugate pair is stored.
``A = -exp(log_neg_re) + i im``.  Every state has its step size ``Delta = exp(log_dt)``.  The
discretisation is zero-order hold or bilinear, as in ``sigprop.layers.s4d``.

Source: Smith, Warrington & Linderman (2023), "Simplified state space layers for
sequence modeling".
"""

from typing import ClassVar, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group, Layer
from sigprop.layers.complex_diagonal import ComplexDiagonal, in_polar_form
from sigprop.layers.initialisers import fan_in, require_sizes
from sigprop.layers.s4d import (
    Discretisation,
    discretise,
    hippo_legs,
    log_steps,
    require_decay,
    require_discretisation,
)
from sigprop.neuron.projections import project_in, read_out
from sigprop.neuron.recurrence import step
from sigprop.neuron.scan import scan_linear


@final
class S5(Layer):
    """S5 layer, one diagonal state-space model for all channels; build one with ``s5``.

    The continuous system is ``x' = A x + B u`` with eigenvalues
    ``A = -exp(log_neg_re) + i im`` and step sizes ``exp(log_dt)``.  The output is
    ``Re(C x) + D u``.  If ``conjugate`` is true, only one state of each conjugate pair
    is stored, and the output is ``2 Re(C x) + D u``.

    Example:
        >>> layer = s5(4, 2, key=jax.random.key(0))
        >>> layer.state_size, bool((abs(layer.eigenvalues()) < 1).all())
        (4, True)
    """

    stable: ClassVar[bool] = True

    log_neg_re: Float[Array, " n"]
    im: Float[Array, " n"]
    log_dt: Float[Array, " n"]
    B_re: Float[Array, "n width"]
    B_im: Float[Array, "n width"]
    C_re: Float[Array, "width n"]
    C_im: Float[Array, "width n"]
    D: Float[Array, " width"]
    conjugate: bool = eqx.field(static=True)
    discretisation: Discretisation = eqx.field(static=True, default="zoh")

    def __check_init__(self) -> None:
        """Check that the continuous eigenvalues are in the left half plane."""
        require_decay(self.log_neg_re)

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, which are equal."""
        return self.D.shape[0], self.D.shape[0]

    @property
    def state_size(self) -> int:
        """Number of complex numbers in the state; with ``conjugate``, one per pair."""
        return self.im.shape[0]

    def discrete(self) -> tuple[Complex[Array, " n"], Complex[Array, " n"]]:
        """Return each state's eigenvalue and input factor in discrete time."""
        dt = jnp.exp(self.log_dt)
        return discretise(self.log_neg_re, self.im, dt, self.discretisation)

    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return the eigenvalues; with ``conjugate``, one of each conjugate pair."""
        return self.discrete()[0]

    def initial_state(self) -> Complex[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.zeros_like(self.eigenvalues())

    def inputs(self, u: Float[Array, "time width"]) -> Complex[Array, "time n"]:
        """Return the terms that the inputs add to the states at each step.

        For each state, it is the entry of ``B u``, multiplied by the second array that
        ``discrete`` returns.
        """
        gain = self.discrete()[1][:, None]
        b_re = gain.real * self.B_re - gain.imag * self.B_im
        b_im = gain.real * self.B_im + gain.imag * self.B_re
        return project_in(b_re, b_im, u)

    def step(
        self, state: Complex[Array, " n"], u: Float[Array, " width"]
    ) -> tuple[Complex[Array, " n"], Float[Array, " width"]]:
        """Take one input and return the next state and the output."""
        state = step(self.eigenvalues(), state, self.inputs(u[None])[0])
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time width"]) -> Complex[Array, "time n"]:
        """Return the states of all steps, starting from the zero state."""
        return scan_linear(self.eigenvalues(), self.inputs(u))

    def read(
        self, h: Complex[Array, "time n"], u: Float[Array, "time width"]
    ) -> Float[Array, "time width"]:
        """Return the outputs ``Re(C h) + D u``, or ``2 Re(C h) + D u`` with ``conjugate``."""
        outputs = read_out(self.C_re, self.C_im, h)
        return (2 if self.conjugate else 1) * outputs + self.D[None] * u

    def diagonal(self) -> ComplexDiagonal:
        """Return a ``ComplexDiagonal`` layer with the same outputs."""
        lam, gain = self.discrete()
        B = gain[:, None] * lax.complex(self.B_re, self.B_im)
        factor = 2 if self.conjugate else 1
        readout = factor * self.C_re, factor * self.C_im
        return in_polar_form(lam, B, *readout, self.D)

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {
            "log_neg_re": "recurrent",
            "im": "recurrent",
            "log_dt": "recurrent",
            "B_re": "input",
            "B_im": "input",
            "C_re": "readout",
            "C_im": "readout",
            "D": "readout",
        }


def s5(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    blocks: int = 1,
    conjugate: bool = True,
    discretisation: Discretisation = "zoh",
    dt_min: float = 0.001,
    dt_max: float = 0.1,
) -> S5:
    """Draw an S5 layer with the eigenvalues of the normal part of HiPPO-LegS.

    The recurrent matrix is block-diagonal, and each block is the normal part of
    HiPPO-LegS.  ``B`` and ``C`` are real LeCun-normal matrices, transformed to the
    eigenbasis of the blocks.

    Args:
        state_size: Number of complex numbers in the state. If ``conjugate`` is true,
            the complex conjugates of these numbers are also states, but are not stored.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        blocks: Number of HiPPO-LegS blocks of equal size. ``state_size`` must be a
            multiple of ``blocks``.
        conjugate: If true, only one number of each conjugate pair is stored in the
            state.
        discretisation: Rule of discretisation: ``zoh`` (zero-order hold) or
            ``bilinear``.
        dt_min: Smallest step size; must be positive.
        dt_max: Largest step size; must be above ``dt_min``.

    Raises:
        ValueError: If a size is below one, ``0 < dt_min < dt_max`` does not hold, the
            discretisation is unknown, or ``state_size`` is not a multiple of ``blocks``.

    Source: Smith et al. (2023), on initialisation.

    Example:
        >>> layer = s5(4, 2, key=jax.random.key(0), blocks=2, dt_max=0.01)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    require_sizes(state_size=state_size, width=width, blocks=blocks)
    require_discretisation(discretisation)
    if state_size % blocks:
        raise ValueError(
            f"need blocks to divide state_size, got {blocks=}, {state_size=}"
        )
    dt_key, b_key, c_key, d_key = jax.random.split(key, 4)
    states = state_size // blocks
    size = 2 * states if conjugate else states
    values, vectors = hippo_legs(size)
    values, vectors = values[:states], np.kron(np.eye(blocks), vectors[:, :states])
    b = vectors.conj().T @ np.asarray(fan_in(b_key, blocks * size, width), np.float64)
    c = np.asarray(fan_in(c_key, width, blocks * size), np.float64) @ vectors
    d = jax.random.normal(d_key, (width,))
    a = np.tile(values, blocks)
    return S5(
        log_neg_re=jnp.asarray(np.log(-np.real(a)), d.dtype),
        im=jnp.asarray(np.imag(a), d.dtype),
        log_dt=log_steps(dt_key, state_size, dt_min, dt_max),
        B_re=jnp.asarray(np.real(b), d.dtype),
        B_im=jnp.asarray(np.imag(b), d.dtype),
        C_re=jnp.asarray(np.real(c), d.dtype),
        C_im=jnp.asarray(np.imag(c), d.dtype),
        D=d,
        conjugate=conjugate,
        discretisation=discretisation,
    )
