"""Dense and block-diagonal recurrences: ``h_t = f(A h_{t-1} + B u_t)``, ``y = C h + D u``.

A dense matrix is one block; heads are several.  With ``f`` the identity the layer is
linear; ``tanh`` and ``relu`` are the baselines.

Source: Zucchet & Orvieto (2024), Eq. 12-15; Orvieto et al. (2023), Section 3.1.
"""

from collections.abc import Callable, Mapping
from typing import ClassVar, final

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jaxtyping import Array, Complex, Float, PRNGKeyArray

from sigprop.layers.base import Group, Layer
from sigprop.layers.initialisers import fan_in, normal, require_sizes
from sigprop.neuron.projections import pass_through
from sigprop.numerics.arguments import LARGEST, require_number

ACTIVATIONS: dict[str, Callable[[Array], Array]] = {
    "identity": lambda h: h,
    "tanh": jnp.tanh,
    "relu": jax.nn.relu,
}


class _BlockDiagonal(Layer):
    """Base of both layers, without the activation."""

    A: Float[Array, "blocks size size"]
    B: Float[Array, "n d_in"]
    C: Float[Array, "d_out n"]
    D: Float[Array, "d_out d_in"] | Float[Array, " d_out"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and number of outputs, ``(d_in, d_out)``."""
        return self.B.shape[1], self.C.shape[0]

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state."""
        return self.B.shape[0]

    def activate(self, h: Float[Array, " n"]) -> Float[Array, " n"]:
        """Return ``h``, because the recurrence has no activation."""
        return h

    def initial_state(self) -> Float[Array, " n"]:
        """Return the initial state, all zeros."""
        return jnp.zeros(self.state_size, self.A.dtype)

    def _advance(
        self, h: Float[Array, " n"], entering: Float[Array, " n"]
    ) -> Float[Array, " n"]:
        blocks, size, _ = self.A.shape
        mixed = jnp.einsum("bij,bj->bi", self.A, h.reshape(blocks, size))
        return self.activate(mixed.reshape(-1) + entering)

    def step(
        self, state: Float[Array, " n"], u: Float[Array, " d_in"]
    ) -> tuple[Float[Array, " n"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        state = self._advance(state, self.B @ u)
        return state, self.C @ state + pass_through(self.D, u)

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time n"]:
        """Compute the states of all steps in sequence, starting from the zero state."""

        def body(h, entering):
            h = self._advance(h, entering)
            return h, h

        return lax.scan(body, self.initial_state(), u @ self.B.T)[1]

    def read(
        self, h: Float[Array, "time n"], u: Float[Array, "time d_in"]
    ) -> Float[Array, "time d_out"]:
        """Return the outputs ``C h + D u`` of all steps."""
        return h @ self.C.T + pass_through(self.D, u)

    def eigenvalues(self) -> Complex[Array, " n"] | None:
        """Return the eigenvalues of ``A``, the recurrence without its activation."""
        return jnp.linalg.eigvals(self.A).reshape(-1)

    def groups(self) -> Mapping[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        return {"A": "recurrent", "B": "input", "C": "readout", "D": "readout"}


@final
class LinearRNN(_BlockDiagonal):
    """Linear RNN ``h_t = A h_{t-1} + B u_t``; build one with ``linear_rnn``.

    ``block_rnn`` builds a ``LinearRNN`` with a block-diagonal ``A``.

    Example:
        >>> layer = linear_rnn(6, 2, key=jax.random.key(0), nu0=0.5, theta0=3.1)
        >>> layer.linear, layer.eigenvalues().shape
        (True, (6,))
    """


@final
class NonlinearRNN(_BlockDiagonal):
    """RNN ``h_t = f(A h_{t-1} + B u_t)``; build one with ``nonlinear_rnn``.

    The field ``activation`` is the name of ``f``.

    Example:
        >>> layer = nonlinear_rnn(6, 2, key=jax.random.key(0), activation="relu")
        >>> layer.linear, layer.activation
        (False, 'relu')
    """

    linear: ClassVar[bool] = False
    activation: str = eqx.field(static=True)

    def activate(self, h: Float[Array, " n"]) -> Float[Array, " n"]:
        """Apply the activation ``f`` of the recurrence to ``h``."""
        return ACTIVATIONS[self.activation](h)


def _weights(key: PRNGKeyArray, n: int, d_in: int, d_out: int):
    b_key, c_key, d_key = jax.random.split(key, 3)
    return fan_in(b_key, n, d_in), fan_in(c_key, d_out, n), fan_in(d_key, d_out, d_in)


def transform_eigenvalues(
    matrix: Float[np.ndarray, "n n"], nu0: float, theta0: float
) -> Float[np.ndarray, "n n"]:
    """Move the eigenvalues of a real matrix into the ring ``nu0 <= |lam| < 1``.

    ``lam <- (nu0 + (1 - nu0) tanh|lam|) exp(i theta0 arg(lam) / pi)`` with the same
    eigenvectors, so that the matrix stays real.  The computation runs in double
    precision on the CPU.

    Source: Zucchet & Orvieto (2024), Eq. 15.

    Raises:
        ValueError: If ``0 <= nu0 < 1`` or ``0 < theta0 <= pi`` does not hold.
    """
    if not (0 <= nu0 < 1 and 0 < theta0 <= np.pi):
        raise ValueError(
            f"need 0 <= nu0 < 1 and 0 < theta0 <= pi, got nu0={nu0}, theta0={theta0}"
        )
    values, vectors = np.linalg.eig(np.asarray(matrix, np.float64))
    radius = nu0 + (1 - nu0) * np.tanh(np.abs(values))
    # arg of a negative real eigenvalue is pi; alone in its pair it must stay real.
    phase = np.where(
        np.imag(values) == 0, np.angle(values), np.angle(values) * theta0 / np.pi
    )
    moved = radius * np.exp(1j * phase)
    return np.real(vectors @ np.diag(moved) @ np.linalg.inv(vectors))


def block_rnn(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    blocks: int,
    nu0: float,
    theta0: float,
) -> LinearRNN:
    """Draw a linear RNN with a block-diagonal recurrent matrix of independent blocks.

    The entries of a block of size ``n`` are drawn with variance ``1/n``.  Eq. 15 of the
    paper then maps the eigenvalues into the ring between the radii ``nu0`` and 1.  We
    read ``1/sqrt(n)`` in the paper's ``N(0, 1/sqrt(n))`` as a standard deviation.  Only
    with this reading do the eigenvalues fill the unit disc for large ``n``, as
    described after Eq. 15.

    Args:
        state_size: Number of real numbers in the state.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        blocks: Number of blocks, all of size ``state_size / blocks``.
        nu0: Lower bound of the moduli of the eigenvalues.
        theta0: Upper bound of the phases of complex eigenvalues, in radians.

    Raises:
        ValueError: If a size is below one, ``nu0`` is not in [0, 1), or ``theta0`` is
            not in (0, pi]; or if ``state_size`` is not a multiple of ``blocks``.

    Source: Zucchet & Orvieto (2024), Appendix A.1.

    Example:
        >>> layer = block_rnn(6, 2, key=jax.random.key(0), blocks=3, nu0=0.5, theta0=3.1)
        >>> layer(jnp.ones((10, 2))).shape, bool((abs(layer.eigenvalues()) >= 0.49).all())
        ((10, 2), True)
    """
    d_out = width if d_out is None else d_out
    require_sizes(state_size=state_size, blocks=blocks, width=width, d_out=d_out)
    size, remainder = divmod(state_size, blocks)
    if remainder:
        raise ValueError(
            f"need state_size a multiple of blocks >= 1, got {state_size=}, {blocks=}"
        )
    a_key, weight_key = jax.random.split(key)
    raw = np.asarray(normal(a_key, state_size, size, 1 / size))
    moved = [
        transform_eigenvalues(block, nu0, theta0)
        for block in raw.reshape(blocks, size, size)
    ]
    dtype = jnp.zeros(()).dtype
    return LinearRNN(
        jnp.asarray(np.stack(moved), dtype),
        *_weights(weight_key, state_size, width, d_out),
    )


def linear_rnn(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    nu0: float,
    theta0: float,
) -> LinearRNN:
    """Draw a linear RNN with a dense recurrent matrix: a ``block_rnn`` with one block.

    Args:
        state_size: Number of real numbers in the state.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        nu0: Lower bound of the moduli of the eigenvalues.
        theta0: Upper bound of the phases of complex eigenvalues, in radians.

    Raises:
        ValueError: If a size is below one, ``nu0`` is not in [0, 1), or ``theta0`` is
            not in (0, pi].

    Source: Zucchet & Orvieto (2024), Appendix A.1.

    Example:
        >>> layer = linear_rnn(6, 2, key=jax.random.key(0), d_out=3, nu0=0.5, theta0=3.1)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 3)
    """
    return block_rnn(
        state_size, width, key=key, d_out=d_out, blocks=1, nu0=nu0, theta0=theta0
    )


def nonlinear_rnn(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    d_out: int | None = None,
    activation: str = "tanh",
    skip: str = "matrix",
    radius: float | None = None,
) -> NonlinearRNN:
    """Draw an RNN whose dense recurrent matrix has entries of variance ``1/n``.

    The entries are normal, and ``n`` is ``state_size``.  About ``sqrt(n / 2 pi)``
    eigenvalues of such a matrix are outside the unit disc.  With the activation
    ``identity``, the state then grows exponentially; set ``radius`` to avoid this.

    Args:
        state_size: Number of real numbers in the state.
        width: Number of inputs.
        key: Random key of JAX; do not use it for anything else.
        d_out: Number of outputs; by default the number of inputs.
        activation: Activation of the recurrence: ``identity``, ``tanh`` or ``relu``.
        skip: Shape of the skip connection ``D``: ``matrix``, or ``vector`` for one
            factor per channel, as in the LRU.
        radius: Largest modulus of the eigenvalues, set by scaling the recurrent matrix.
            By default the matrix is not scaled.

    Raises:
        ValueError: If a size is below one, ``radius`` is not positive, or
            ``activation`` or ``skip`` is unknown; or if ``skip`` is ``vector`` and
            ``d_out`` differs from ``width``.

    Source: Orvieto et al. (2023), Section 3.1 and Theorem 3.1. For the number of
    eigenvalues outside the disc, see the claim ``lru:text:approximately-stable`` in
    ``sigprop.evidence``.

    Example:
        >>> layer = nonlinear_rnn(6, 2, key=jax.random.key(0), d_out=3, radius=0.9)
        >>> layer(jnp.ones((10, 2))).shape
        (10, 3)
    """
    d_out = width if d_out is None else d_out
    require_sizes(state_size=state_size, width=width, d_out=d_out)
    if activation not in ACTIVATIONS:
        raise ValueError(f"need activation in {tuple(ACTIVATIONS)}, got {activation!r}")
    if skip not in ("matrix", "vector") or (skip == "vector" and width != d_out):
        raise ValueError(
            "need skip of matrix, or of vector with as many outputs as inputs, got "
            f"{skip!r}, {width} inputs and {d_out} outputs"
        )
    if radius is not None:
        require_number("radius", radius, 0, LARGEST, "(]")
    a_key, weight_key = jax.random.split(key)
    a = normal(a_key, state_size, state_size, 1 / state_size)
    if radius is not None:
        a *= radius / spectral_radius(a)
    b, c, d = _weights(weight_key, state_size, width, d_out)
    if skip == "vector":
        d = jax.random.normal(jax.random.fold_in(weight_key, 0), (d_out,))
    return NonlinearRNN(a[None], b, c, d, activation)


def spectral_radius(matrix: Float[Array, "n n"]) -> Float[Array, ""]:
    """Largest modulus of the eigenvalues of a matrix, computed on the CPU."""
    return jax.pure_callback(
        lambda a: np.abs(np.linalg.eigvals(a)).max().astype(a.dtype),
        jax.ShapeDtypeStruct((), matrix.dtype),
        matrix,
        vmap_method="sequential",
    )
