"""The core of Mamba-3: a trapezoidal state-space model with rotating states.

In every head, ``e_t = x_t B_t^T``, and ``R_t`` rotates each pair of states by the angle
``step_t theta_t``:

``S_t = alpha_t (S_{t-1} + (1 - lam_t) step_t e_{t-1}) R_t + lam_t step_t e_t``,
``y_t = S_t C_t + D x_t``, with ``alpha = exp(-step A)``.

``step = softplus(W_dt u + bias)``, ``A = max(softplus(W_A u), 1e-4)``, and ``lam = s(W_lam u +
b_lam)`` with ``s`` the sigmoid.  All heads share ``theta = pi tanh(W_theta u)``.  ``B`` and
``C`` are linear in the input, divided by their root mean square, scaled, and shifted by a
bias of each head.  ``lam`` is the weight of the current input in the trapezoidal rule;
``lam = 1`` is Euler's rule.

With constant gates and independent ``e`` of mean zero, ``E|S|^2 = (beta^2 + gamma^2 + 2 alpha
beta gamma)/(1 - alpha^2) E|e|^2``, where ``beta = (1 - lam) step alpha`` and ``gamma = lam
step``.  Rotations do not change ``E|S|^2``.

A layer of rank ``R > 1`` (MIMO) has ``R`` vectors ``B_r`` and ``C_r``, which share the state
of a head.  The ranks have weights ``m_r`` of inputs and ``o_r`` of outputs, one for each
entry of ``x``.  With entry-by-entry products,

``e_t = sum_r (m_r x_t) B_{r,t}^T``,  ``y_t = sum_r o_r (S_t C_{r,t} + D m_r x_t)``.

Source: Lahoti et al. (2026), Mamba-3; for normalisation and initialisation their code as
first released, ``modules/mamba3.py`` of github.com/state-spaces/mamba.  The code rotates
``B`` and ``C`` by the sum of all angles instead of rotating ``S``, with the same result.
Its gate and output matrix are not part of this layer.  With several ranks it pairs entry
``i`` with ``i + n/2``, a permutation of the entries.  Since June 2026 it has another
positive function in place of the softplus in ``A``.
"""

import math
from typing import ClassVar, final

import jax
import jax.numpy as jnp
from jax.nn import sigmoid, softplus
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.matrix_gated import MatrixGated
from sigprop.layers.projected import (
    by_heads,
    log_uniform_steps,
    require_heads,
    uniform_linear,
)
from sigprop.numerics.arguments import require_number

SLOWEST = 1e-4  # the least rate A
NORMED = 1e-5  # added to a mean square


@final
class Mamba3(MatrixGated):
    """Recurrence of a Mamba-3 layer, a state-space model; build one with ``mamba3``.

    In every head, with ``e_t = x_t B_t^T``, a decay ``alpha_t`` and a rotation ``R_t``,
    ``S_t = alpha_t (S_{t-1} + (1 - lam_t) step_t e_{t-1}) R_t + lam_t step_t e_t``.
    The output is ``y_t = S_t C_t + D x_t``.  The input determines all factors except
    ``D``.  The gate and the output matrix of a Mamba-3 layer are not included.

    A layer of rank two or more (MIMO) sums ``mimo_x x_t B_t^T`` and
    ``mimo_o (S_t C_t + D mimo_x x_t)`` over its ranks.  A layer of rank one has no axis
    of ranks, and neither ``mimo_x`` nor ``mimo_o``.

    The state holds the matrix ``[S_t, e_t]`` of each head.  It has a row per entry of
    ``x_t``; its columns are the ``n`` columns of ``S_t``, followed by the ``n`` columns
    of ``e_t``.

    Example:
        >>> layer = mamba3(6, 4, key=jax.random.key(0), heads=2)
        >>> layer.state_size, layer.widths
        (48, (4, 4))
    """

    divided: ClassVar[tuple[str, ...]] = ("W_B",)

    W_dt: Float[Array, "heads d_in"]
    bias: Float[Array, " heads"]
    W_A: Float[Array, "heads d_in"]
    W_lam: Float[Array, "heads d_in"]
    b_lam: Float[Array, " heads"]
    W_theta: Float[Array, "pairs d_in"]
    W_x: Float[Array, "heads values d_in"]
    W_B: Float[Array, "*rank n d_in"]
    W_C: Float[Array, "*rank n d_in"]
    scale_B: Float[Array, " n"]
    scale_C: Float[Array, " n"]
    b_B: Float[Array, "heads *rank n"]
    b_C: Float[Array, "heads *rank n"]
    D: Float[Array, " heads"]
    mimo_x: Float[Array, "heads rank values"] | None = None
    mimo_o: Float[Array, "heads rank values"] | None = None

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and of outputs, ``(d_in, heads * values)``."""
        heads, values, d_in = self.W_x.shape
        return d_in, heads * values

    @property
    def head_shape(self) -> tuple[int, int, int]:
        """Numbers of heads, of rows of ``[S, e]`` and of columns of ``[S, e]``."""
        heads, values, _ = self.W_x.shape
        return heads, values, 2 * len(self.scale_B)

    def maps(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[
        Float[Array, "time heads keys keys"], Float[Array, "time heads values keys"]
    ]:
        """Return ``A`` and ``B`` in ``[S_t, e_t] = [S_{t-1}, e_{t-1}] A + B``."""
        step = softplus(u @ self.W_dt.T + self.bias[None])
        alpha = jnp.exp(-step * jnp.maximum(softplus(u @ self.W_A.T), SLOWEST))
        lam = sigmoid(u @ self.W_lam.T + self.b_lam[None])
        theta = math.pi * jnp.tanh(u @ self.W_theta.T)
        turn = alpha[..., None, None] * _rotation(step[..., None] * theta[:, None])
        before = ((1 - lam) * step)[..., None, None] * turn
        top = jnp.concatenate([turn, jnp.zeros_like(turn)], -1)
        A = jnp.concatenate(
            [top, jnp.concatenate([before, jnp.zeros_like(turn)], -1)], -2
        )
        B = _columns(u, self.W_B, self.scale_B, self.b_B, self.mimo_x)
        e = self._x(u)[..., None] * B
        return A, jnp.concatenate([(lam * step)[..., None, None] * e, e], -1)

    def _x(self, u: Float[Array, "time d_in"]) -> Float[Array, "time heads values"]:
        return jnp.einsum("hvd,td->thv", self.W_x, u)

    def queries(
        self, u: Float[Array, "time d_in"]
    ) -> Float[Array, "time heads #values keys"]:
        """Return ``C`` of every step and head, followed by zeros for ``e``.

        In a layer of rank two or more, it is ``sum_r o_r C_r`` for each entry of ``x``.
        """
        C = _columns(u, self.W_C, self.scale_C, self.b_C, self.mimo_o)
        return jnp.concatenate([C, jnp.zeros_like(C)], -1)

    def skips(self, u: Float[Array, "time d_in"]) -> Float[Array, "time heads values"]:
        """Return the skip connection ``D x``, times ``sum_r o_r m_r`` if there are ranks."""
        skip = self.D[None, :, None] * self._x(u)
        if self.mimo_x is None or self.mimo_o is None:
            return skip
        return (self.mimo_o * self.mimo_x).sum(1)[None] * skip

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        gates = ("W_dt", "bias", "W_A", "W_lam", "b_lam", "W_theta")
        groups: dict[str, Group] = {
            **dict.fromkeys(gates, "recurrent"),
            **dict.fromkeys(("W_x", "W_B", "scale_B", "b_B"), "input"),
            **dict.fromkeys(("W_C", "scale_C", "b_C", "D"), "readout"),
        }
        if self.mimo_x is not None:
            groups |= {"mimo_x": "input", "mimo_o": "readout"}
        return groups


def _rotation(angles: Float[Array, "*heads pairs"]) -> Float[Array, "*heads n n"]:
    """Blocks that turn each pair of the entries of a row."""
    cos, sin = jnp.cos(angles), jnp.sin(angles)
    rows = jnp.stack([jnp.stack([cos, -sin], -1), jnp.stack([sin, cos], -1)], -2)
    pairs = angles.shape[-1]
    whole = jnp.einsum("...pab,pq->...paqb", rows, jnp.eye(pairs, dtype=rows.dtype))
    return whole.reshape(*angles.shape[:-1], 2 * pairs, 2 * pairs)


def _columns(
    u: Float[Array, "time d_in"],
    W: Float[Array, "*rank n d_in"],
    scale: Float[Array, " n"],
    bias: Float[Array, "heads *rank n"],
    mix: Float[Array, "heads rank values"] | None,
) -> Float[Array, "time heads #values n"]:
    """Vectors ``B`` or ``C``: the sum over ranks for each value, or one for all values."""
    by_rank = bias.reshape(len(bias), -1, len(scale))
    x = (u @ W.reshape(-1, u.shape[1]).T).reshape(len(u), *by_rank.shape[1:])
    square = jnp.mean(x**2, -1, keepdims=True)
    normed = scale[None, None] * x / jnp.sqrt(square + NORMED)
    columns = normed[:, None] + by_rank[None]
    return columns if mix is None else jnp.einsum("hrv,thrn->thvn", mix, columns)


def mamba3(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    steps: tuple[float, float] = (0.001, 0.1),
    weight: float = 0.5,
    rank: int = 1,
) -> Mamba3:
    """Draw a Mamba-3 layer without its gate and output matrix.

    The matrices are uniform, as in PyTorch's ``Linear``.  ``D`` is one, and so are the
    scales and biases of ``B`` and ``C``.  ``mimo_x`` and ``mimo_o`` are ``1 / rank``, so
    that the skip connection is ``D x / rank``.

    Args:
        state_size: Number ``n`` of entries of ``B``, and of ``C``; must be even. The
            state has ``2 n`` numbers for each output.
        width: Number of inputs, equal to the number of outputs. Each head has
            ``width / heads`` outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads.
        steps: Range from which the step size of each head at zero input is drawn
            log-uniformly.
        weight: Value of ``lam`` at zero input, in (0, 1). At the default, 0.5, the
            trapezoidal rule is of second order in the step size.
        rank: Number of vectors ``B`` and ``C`` of a head. They share its state, so the
            rank does not change the size of the state.

    Raises:
        ValueError: If a size or ``rank`` is below one, ``state_size`` is odd, or
            ``width`` is not a multiple of ``heads``. Also if the bounds in ``steps`` are
            not positive and ordered, or ``weight`` is not in (0, 1).

    Example:
        >>> layer = mamba3(6, 4, key=jax.random.key(0), heads=2)
        >>> layer.head_shape, layer(jnp.ones((5, 4))).shape
        ((2, 2, 12), (5, 4))
        >>> mamba3(6, 4, key=jax.random.key(0), heads=2, rank=3).b_B.shape
        (2, 3, 6)
    """
    require_sizes(state_size=state_size, width=width, heads=heads, rank=rank)
    require_heads(width, heads)
    require_number("weight", weight, 0, 1)
    if state_size % 2:
        raise ValueError(
            f"need an even state_size, whose pairs a rotation turns, got {state_size=}"
        )
    step_key, *keys = jax.random.split(key, 8)
    shape = (rank, state_size) if rank > 1 else (state_size,)
    mix = jnp.full((heads, rank, width // heads), 1 / rank) if rank > 1 else None
    return Mamba3(
        W_dt=uniform_linear(keys[0], heads, width),
        bias=log_uniform_steps(step_key, heads, steps),
        W_A=uniform_linear(keys[1], heads, width),
        W_lam=uniform_linear(keys[2], heads, width),
        b_lam=jnp.full((heads,), math.log(weight / (1 - weight))),
        W_theta=uniform_linear(keys[3], state_size // 2, width),
        W_x=by_heads(keys[4], heads, width // heads, width),
        W_B=uniform_linear(keys[5], rank * state_size, width).reshape(*shape, width),
        W_C=uniform_linear(keys[6], rank * state_size, width).reshape(*shape, width),
        scale_B=jnp.ones(state_size),
        scale_C=jnp.ones(state_size),
        b_B=jnp.ones((heads, *shape)),
        b_C=jnp.ones((heads, *shape)),
        D=jnp.ones(heads),
        mimo_x=mix,
        mimo_o=mix,
    )
