"""RotRNN: ``h_t = gamma A h_{t-1} + xi B u_t``, ``y = C h + D u``, with ``A`` a rotation.

Every head has a rotation ``A = P Theta P^T`` and a decay ``gamma``.  Here ``P = expm(M -
M^T)``, and ``Theta`` consists of 2x2 rotations by the angles ``theta``.  In the coordinates
``P^T h``, a pair of numbers is one complex number, which each step multiplies by
``gamma exp(i theta)``.

Notation: z  states in those coordinates (time, n/2);  P  rotations (heads, size, size).

Source: RotRNN (2024), Sections 3-4, Appendices B and C.
"""

import math
from collections.abc import Mapping, Sequence
from typing import ClassVar, final

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group, Layer, require_inputs
from sigprop.layers.bidirectional import Bidirectional
from sigprop.layers.complex_diagonal import ComplexDiagonal
from sigprop.layers.initialisers import (
    in_turn,
    normal,
    require_ranges,
    require_sizes,
    rotation_size,
)
from sigprop.neuron.projections import pass_through, project_in, read_out
from sigprop.neuron.ring import normalisation, ring_polar
from sigprop.neuron.scan import scan_linear
from sigprop.numerics.rotations import rotation

GROUPS: dict[str, Group] = {
    "theta": "recurrent",
    "gamma_log": "recurrent",
    "M": "recurrent",
    "B": "input",
    "C": "readout",
    "D": "readout",
}


@final
class RotRNN(Layer):
    """RotRNN layer; build one with ``rotrnn``.

    In every head, ``h_t = gamma A h_{t-1} + xi B u_t`` with a decay factor ``gamma``, a
    rotation ``A`` and a normalisation ``xi``.  For white inputs of unit variance,
    ``E|h_t|^2 = 1 - gamma^(2t)`` after ``t`` steps from the zero state.  This moment
    depends on no other parameter of the head.

    Example:
        >>> layer = rotrnn(8, 2, key=jax.random.key(0), heads=2)
        >>> layer.decays().shape, layer.rotations().shape
        ((2,), (2, 4, 4))
    """

    stable: ClassVar[bool] = True

    theta: Float[Array, "heads half"]
    gamma_log: Float[Array, " heads"]
    M: Float[Array, "heads size size"]
    B: Float[Array, "n d_in"]
    C: Float[Array, "d_out n"]
    D: Float[Array, " d_out"] | Float[Array, "d_out d_in"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.B.shape[1], self.C.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state."""
        return self.B.shape[0]

    def decays(self) -> Float[Array, " heads"]:
        """Return the decay factor ``gamma = exp(-exp(gamma_log))`` of each head."""
        return jnp.exp(-jnp.exp(self.gamma_log))

    def rotations(self) -> Float[Array, "heads size size"]:
        """Return the orthogonal matrix ``P = expm(M - M^T)`` of each head."""
        return rotation(self.M - self.M.mT)

    def transition(self) -> Float[Array, "heads size size"]:
        """Return the recurrent matrix ``gamma A`` of each head."""
        P = self.rotations()
        even, odd = P[..., 0::2], P[..., 1::2]
        cos, sin = (f(self.theta)[:, None] for f in (jnp.cos, jnp.sin))
        turned = jnp.stack([even * cos + odd * sin, odd * cos - even * sin], -1)
        return self.decays()[:, None, None] * (turned.reshape(P.shape) @ P.mT)

    def normalised_B(self) -> Float[Array, "n d_in"]:
        """Return ``xi B`` with ``xi^2 = (1 - gamma^2) / Tr(B^T B)`` in each head.

        Source: RotRNN (2024), Eq. 11 with ``c = 1``.
        """
        heads = self.B.reshape(self.theta.shape[0], -1)
        norm = jnp.linalg.norm(heads, axis=1)
        xi = normalisation(jnp.exp(self.gamma_log)) / norm
        return (xi[:, None] * heads).reshape(self.B.shape)

    def turns(self) -> Complex[Array, " pairs"]:
        """Return ``gamma exp(i theta)``, one eigenvalue of each conjugate pair."""
        nu = jnp.broadcast_to(jnp.exp(self.gamma_log)[:, None], self.theta.shape)
        return jnp.exp(lax.complex(-nu, self.theta)).reshape(-1)

    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return the eigenvalues of all heads, each followed by its conjugate."""
        turns = self.turns()
        return jnp.stack([turns, turns.conj()], -1).reshape(-1)

    def initial_state(self) -> Float[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.zeros(self.state_size, self.B.dtype)

    def step(
        self, state: Float[Array, " n"], u: Float[Array, " d_in"]
    ) -> tuple[Float[Array, " n"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output.

        The state of each head is multiplied by the dense matrix ``gamma A`` of the
        head.
        """
        heads = state.reshape(self.theta.shape[0], -1)
        mixed = jnp.einsum("hij,hj->hi", self.transition(), heads)
        state = mixed.reshape(-1) + self.normalised_B() @ u
        return state, self.read(state[None], u[None])[0]

    def enter(
        self, P: Float[Array, "heads size size"], u: Float[Array, "time d_in"]
    ) -> Complex[Array, "time pairs"]:
        """Return ``P^T xi B u``, the input of the recurrence in the basis ``P``.

        Entries 2k and 2k+1 are the real and the imaginary part of one complex number.
        ``xi`` is the normalisation of each head; see ``normalised_B``.

        Args:
            P: Orthogonal matrix of each head, as ``rotations`` returns it.
            u: Inputs.
        """
        return project_in(*self.inward(P), u)

    def inward(
        self, P: Float[Array, "heads size size"]
    ) -> tuple[Float[Array, "pairs d_in"], Float[Array, "pairs d_in"]]:
        """Return the real and the imaginary part of the complex input weights.

        The parts are the even and the odd rows of ``P^T xi B``.

        Args:
            P: Orthogonal matrix of each head, as ``rotations`` returns it.
        """
        heads, size, _ = P.shape
        B = P.mT @ self.normalised_B().reshape(heads, size, -1)
        B = B.reshape(self.B.shape)
        return B[0::2], B[1::2]

    def outward(
        self, P: Float[Array, "heads size size"]
    ) -> tuple[Float[Array, "d_out pairs"], Float[Array, "d_out pairs"]]:
        """Return the real and the imaginary part of the complex readout ``c``.

        For rotated states ``z``, ``Re(c z)`` equals the readout ``C P z``.

        Args:
            P: Orthogonal matrix of each head, as ``rotations`` returns it.
        """
        heads, size, _ = P.shape
        C = jnp.einsum("ohi,hij->ohj", self.C.reshape(-1, heads, size), P)
        C = C.reshape(self.C.shape)
        return C[:, 0::2], -C[:, 1::2]

    def leave(
        self, P: Float[Array, "heads size size"], z: Complex[Array, "time pairs"]
    ) -> Float[Array, "time n"]:
        """Return the states ``h = P z``, given rotated states ``z``.

        Args:
            P: Orthogonal matrix of each head, as ``rotations`` returns it.
            z: Rotated states ``P^T h``, with entries 2k and 2k+1 as real and imaginary
                part of one complex number.
        """
        heads, size, _ = P.shape
        pairs = jnp.stack([z.real, z.imag], -1).reshape(-1, heads, size)
        return jnp.einsum("hij,thj->thi", P, pairs).reshape(-1, heads * size)

    def read_rotated(
        self, P: Float[Array, "heads size size"], z: Complex[Array, "time pairs"]
    ) -> Float[Array, "time d_out"]:
        """Return the readout ``C P z`` without computing the states ``P z``.

        Args:
            P: Orthogonal matrix of each head, as ``rotations`` returns it.
            z: Rotated states ``P^T h``, with entries 2k and 2k+1 as real and imaginary
                part of one complex number.
        """
        return read_out(*self.outward(P), z)

    def diagonal(self) -> ComplexDiagonal:
        """Return a complex diagonal layer with the same outputs.

        Its state is ``P^T h``, with ``P`` from ``rotations``.
        """
        P, nu = self.rotations(), jnp.exp(self.gamma_log)[:, None]
        return ComplexDiagonal(
            *self.inward(P),
            *self.outward(P),
            self.D,
            jnp.broadcast_to(nu, self.theta.shape).reshape(-1),
            self.theta.reshape(-1),
            "exponential",
        )

    def skip(self, u: Float[Array, "time d_in"]) -> Float[Array, "time d_out"]:
        """Return the skip connection ``D u``; ``D`` is a matrix, or one factor per channel."""
        return pass_through(self.D, u)

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time n"]:
        """Return the states of all steps, starting from the zero state."""
        P = self.rotations()
        return self.leave(P, scan_linear(self.turns(), self.enter(P, u)))

    def read(
        self, h: Float[Array, "time n"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``C h + D u`` of all steps."""
        return h @ self.C.T + self.skip(u)

    def __call__(self, u: Float[Array, "time d_in"]) -> Float[Array, "time d_out"]:
        """Compute the outputs of a whole sequence, starting from the zero state.

        Raises:
            ValueError: If the inputs are not of shape (time, d_in).
        """
        require_inputs(self, u)
        P = self.rotations()
        z = scan_linear(self.turns(), self.enter(P, u))
        return self.read_rotated(P, z) + self.skip(u)

    def groups(self) -> Mapping[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return GROUPS


@final
class BidirectionalRotRNN(Bidirectional):
    """Bidirectional RotRNN; build one with ``bidirectional_rotrnn``.

    Both directions have the same parameters except the readout ``C``: ``C[0]`` for the
    forward state, ``C[1]`` for the backward state.  The output is
    ``C[0] h_forward + C[1] h_backward + D u``.

    Source: RotRNN (2024), Appendix B.2.

    Example:
        >>> layer = bidirectional_rotrnn(8, 2, key=jax.random.key(0), heads=2)
        >>> layer.causal, layer.C.shape
        (False, (2, 2, 8))
    """

    stable: ClassVar[bool] = True

    theta: Float[Array, "heads half"]
    gamma_log: Float[Array, " heads"]
    M: Float[Array, "heads size size"]
    B: Float[Array, "n d_in"]
    C: Float[Array, "2 d_out n"]
    D: Float[Array, " d_out"] | Float[Array, "d_out d_in"]

    def halves(self) -> tuple[RotRNN, RotRNN]:
        """Return the forward and the backward half, each a RotRNN with the same ``D``."""
        shared = (self.theta, self.gamma_log, self.M, self.B)
        return RotRNN(*shared, self.C[0], self.D), RotRNN(*shared, self.C[1], self.D)

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.B.shape[1], self.C.shape[1]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the states of both directions together."""
        return 2 * self.B.shape[0]

    def eigenvalues(self) -> Complex[Array, " n"]:
        """Return the eigenvalues of the forward half, repeated for the backward half."""
        return jnp.tile(self.halves()[0].eigenvalues(), 2)

    def initial_state(self) -> Float[Array, " n"]:
        """Return the initial states of both directions, all zeros."""
        return jnp.zeros(self.state_size, self.B.dtype)

    def _both(self, u):
        forward = self.halves()[0]
        P, turns = forward.rotations(), forward.turns()
        x = forward.enter(P, u)
        return P, scan_linear(turns, x), scan_linear(turns, x, reverse=True)

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time both"]:
        """Return the state of each step: forward and backward state, concatenated."""
        P, *directions = self._both(u)
        half = self.halves()[0]
        return jnp.concatenate([half.leave(P, z) for z in directions], -1)

    def read(
        self, h: Float[Array, "time both"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``C[0] h_forward + C[1] h_backward + D u`` of all steps."""
        return h @ jnp.concatenate(self.C, -1).T + self.halves()[0].skip(u)

    def __call__(self, u: Float[Array, "time d_in"]) -> Float[Array, "time d_out"]:
        """Compute the outputs of a whole sequence, starting from zero states at both ends.

        Raises:
            ValueError: If the inputs are not of shape (time, d_in).
        """
        require_inputs(self, u)
        forward, backward = self.halves()
        P, z_forward, z_backward = self._both(u)
        y = forward.read_rotated(P, z_forward) + backward.read_rotated(P, z_backward)
        return y + forward.skip(u)

    def groups(self) -> Mapping[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return GROUPS


def rotrnn(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int,
    gamma_range: tuple[float, float] = (0.5, 0.999),
    theta_range: tuple[float, float | Sequence[float]] = (0.0, 2 * math.pi),
    spread: str = "area",
) -> RotRNN:
    """Draw a RotRNN, initialised as in the code listing of its paper.

    ``released_rotrnn`` follows the authors' code instead.  Here ``gamma^2`` and
    ``theta`` are uniform, and ``M`` and ``D`` are standard normal.  The variance of
    ``B`` is ``1/width``, and the variance of ``C`` is ``1/state_size``; Appendix B.3
    mentions the Glorot variance instead.  The default ranges are the ranges of the
    paper for the task Retrieval.

    Args:
        state_size: Number of real numbers in the state, summed over heads.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads, 32 in the paper. The size of a head,
            ``state_size / heads``, must be even.
        gamma_range: Smallest and largest decay factor of a head, per step.
        theta_range: Smallest and largest angle per step, in radians. If the largest
            angle is a list, its entries apply to successive angles of a head, repeated
            cyclically.
        spread: Distribution of the decay factors ``gamma``: ``area`` (the listing) for
            uniform ``gamma^2``, or ``log`` for evenly spaced ``log(-log gamma)``.

    Raises:
        ValueError: If a size is below one, the size of a head is odd, ``spread`` is
            unknown, or a range is not ordered; or if a decay factor is not in (0, 1),
            or an angle is not in [0, 2 pi].

    Source: RotRNN (2024), Appendix C and Table 3.

    Example:
        >>> layer = rotrnn(8, 2, key=jax.random.key(0), heads=2, gamma_range=(0.9, 0.99))
        >>> layer(jnp.ones((10, 2))).shape, bool((layer.decays() >= 0.9).all())
        ((10, 2), True)
    """
    require_sizes(state_size=state_size, width=width, heads=heads)
    size = rotation_size(state_size, heads)
    require_ranges(gamma_range, theta_range)
    theta_key, gamma_key, m_key, b_key, c_key, d_key = jax.random.split(key, 6)
    high = np.tile(in_turn(theta_range[1], size // 2, "theta_max"), (heads, 1))
    theta = jax.random.uniform(
        theta_key, high.shape, minval=theta_range[0], maxval=high
    )
    uniform = jax.random.uniform(gamma_key, (heads,))
    # gamma^2 is uniform: the distribution of the radius on the LRU's ring.
    nu, _ = ring_polar(uniform, uniform, *gamma_range, spread)
    m = jax.random.normal(m_key, (heads, size, size))
    b = normal(b_key, state_size, width, 1 / width)
    c = normal(c_key, width, state_size, 1 / state_size)
    return RotRNN(theta, jnp.log(nu), m, b, c, jax.random.normal(d_key, (width,)))


def bidirectional_rotrnn(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int,
    gamma_range: tuple[float, float] = (0.5, 0.999),
    theta_range: tuple[float, float | Sequence[float]] = (0.0, 2 * math.pi),
    spread: str = "area",
) -> BidirectionalRotRNN:
    """Draw a bidirectional RotRNN, initialised as in the code listing of its paper.

    The layer has the parameters of ``rotrnn`` and a second ``C`` of the same
    distribution.

    Args:
        state_size: Number of real numbers in the state of one direction.
        width: Number of inputs, equal to the number of outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads. The size of a head, ``state_size / heads``, must be even.
        gamma_range: Smallest and largest decay factor of a head, per step.
        theta_range: Smallest and largest angle per step, in radians. If the largest
            angle is a list, its entries apply to successive angles of a head, repeated
            cyclically.
        spread: Distribution of the decay factors ``gamma``: ``area`` for uniform
            ``gamma^2``, or ``log`` for evenly spaced ``log(-log gamma)``.

    Raises:
        ValueError: If a size is below one, the size of a head is odd, ``spread`` is
            unknown, or a range is not ordered; or if a decay factor is not in (0, 1),
            or an angle is not in [0, 2 pi].

    Source: RotRNN (2024), Appendix B.2.

    Example:
        >>> layer = bidirectional_rotrnn(8, 2, key=jax.random.key(0), heads=2)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 2)
    """
    key, c_key = jax.random.split(key)
    base = rotrnn(
        state_size,
        width,
        key=key,
        heads=heads,
        gamma_range=gamma_range,
        theta_range=theta_range,
        spread=spread,
    )
    c = jnp.stack([base.C, normal(c_key, width, state_size, 1 / state_size)])
    return BidirectionalRotRNN(base.theta, base.gamma_log, base.M, base.B, c, base.D)
