"""DeltaProduct: several steps of the delta rule per input, with separate keys.

``S <- S (I - beta_j k_j k_j^T) + beta_j v_j k_j^T`` for each reflection ``j``, then
``y = S q``, in every head.  Keys, queries and values are linear maps of the input followed by
a SiLU, and keys and queries are then divided by their length.  ``beta = largest s(w u)``,
with ``s`` the sigmoid; above one it gives negative eigenvalues.  With a decay, ``S`` is first
multiplied by ``exp(-exp(A_log) softplus(w_a u + bias))``.  With one reflection the layer is
DeltaNet as in its authors' code.

Source: Siems et al. (2025), DeltaProduct, Section 3; Grazzi et al. (2024), Unlocking
state-tracking in linear RNNs through negative eigenvalues; ``layers/gated_deltaproduct.py``
of github.com/fla-org/flash-linear-attention, without its convolutions, norm, output gate and
output matrix.
"""

import math
from typing import ClassVar, Literal, final

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.nn import sigmoid, silu, softplus
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Group
from sigprop.layers.deltanet import RATES
from sigprop.layers.initialisers import require_sizes
from sigprop.layers.matrix_gated import MatrixGated
from sigprop.layers.projected import (
    by_heads,
    log_uniform_steps,
    normalised,
    require_heads,
    uniform_linear,
)
from sigprop.numerics.arguments import require_choice, require_number

Activation = Literal["silu", "identity"]
ACTIVATIONS: tuple[Activation, ...] = ("silu", "identity")


@final
class DeltaProduct(MatrixGated):
    """DeltaProduct layer; build one with ``delta_product``.

    For each input, every head takes several steps
    ``S <- S (I - beta k k^T) + beta v k^T``.  Each step has its own ``beta``, ``k`` and
    ``v``.  If ``W_a`` is given, ``S`` is first multiplied by a decay factor.  The
    output is ``y = S q``.  The input determines ``beta``, ``k``, ``v`` and ``q``.  The
    state holds the matrix ``S`` of each head, with a row per entry of ``v`` and a
    column per entry of ``k``.

    Example:
        >>> layer = delta_product(4, 6, key=jax.random.key(0), reflections=3)
        >>> layer.state_size, layer.W_beta.shape
        (24, (3, 1, 6))
    """

    divided: ClassVar[tuple[str, ...]] = ("W_k",)

    W_q: Float[Array, "heads keys d_in"]
    W_k: Float[Array, "reflections heads keys d_in"]
    W_v: Float[Array, "reflections heads values d_in"]
    W_beta: Float[Array, "reflections heads d_in"]
    W_a: Float[Array, "heads d_in"] | None = None
    bias: Float[Array, " heads"] | None = None
    A_log: Float[Array, " heads"] | None = None
    largest: float = eqx.field(static=True, default=2.0)
    activation: Activation = eqx.field(static=True, default="silu")

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and of outputs, ``(d_in, heads * values)``."""
        _, heads, values, d_in = self.W_v.shape
        return d_in, heads * values

    @property
    def head_shape(self) -> tuple[int, int, int]:
        """Numbers of heads, of rows of ``S`` and of columns of ``S``."""
        heads, keys, _ = self.W_q.shape
        return heads, self.W_v.shape[2], keys

    def _bent(self, x: Float[Array, "*batch"]) -> Float[Array, "*batch"]:
        return silu(x) if self.activation == "silu" else x

    def maps(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[
        Float[Array, "time heads keys keys"], Float[Array, "time heads values keys"]
    ]:
        """Return ``A`` and ``B`` in ``S_t = S_{t-1} A + B`` for every step and head.

        ``A`` is the product of the decay and the matrices ``I - beta k k^T`` of one
        input.
        """
        heads, values, keys = self.head_shape
        k = normalised(self._bent(jnp.einsum("jhkd,td->jthk", self.W_k, u)))
        v = self._bent(jnp.einsum("jhvd,td->jthv", self.W_v, u))
        beta = self.largest * sigmoid(jnp.einsum("jhd,td->jth", self.W_beta, u))
        A = jnp.broadcast_to(jnp.eye(keys, dtype=u.dtype), (len(u), heads, keys, keys))
        W_a, bias, A_log = self.W_a, self.bias, self.A_log
        if W_a is not None and bias is not None and A_log is not None:
            decay = jnp.exp(-jnp.exp(A_log)[None] * softplus(u @ W_a.T + bias[None]))
            A = decay[..., None, None] * A
        B = jnp.zeros((len(u), heads, values, keys), u.dtype)
        for k_j, v_j, beta_j in zip(k, v, beta, strict=True):
            written = beta_j[..., None] * k_j
            A = A - jnp.einsum("thab,thb,thc->thac", A, k_j, written)
            error = v_j - jnp.einsum("thvb,thb->thv", B, k_j)
            B = B + error[..., None] * written[:, :, None]
        return A, B

    def queries(
        self, u: Float[Array, "time d_in"]
    ) -> Float[Array, "time heads 1 keys"]:
        """Return the queries: ``keys`` entries each, of length ``1/sqrt(keys)``."""
        q = normalised(self._bent(jnp.einsum("hkd,td->thk", self.W_q, u)))
        return q[:, :, None] / math.sqrt(q.shape[-1])

    def groups(self) -> dict[str, Group]:
        """Return each parameter's optimiser group: recurrent, input or readout."""
        groups: dict[str, Group] = {
            "W_q": "readout",
            "W_k": "recurrent",
            "W_v": "input",
            "W_beta": "recurrent",
        }
        if self.W_a is not None:
            groups |= dict.fromkeys(("W_a", "bias", "A_log"), "recurrent")
        return groups


def delta_product(
    state_size: int,
    width: int,
    *,
    key: PRNGKeyArray,
    heads: int = 1,
    reflections: int = 2,
    largest: float = 2.0,
    activation: Activation = "silu",
    steps: tuple[float, float] | None = None,
) -> DeltaProduct:
    """Draw a DeltaProduct layer with uniform weights, as in PyTorch's ``Linear``.

    Args:
        state_size: Number of entries of the key vector of one head.
        width: Number of inputs, equal to the number of outputs. Each head has
            ``width / heads`` outputs.
        key: Random key of JAX; do not use it for anything else.
        heads: Number of heads.
        reflections: Number of steps of the delta rule for each input.
        largest: Upper bound of ``beta``, in (0, 2]. The eigenvalues of
            ``I - beta k k^T`` are then at least ``1 - largest``. With ``beta`` above 2
            the states could explode.
        activation: Function applied to queries, keys and values: ``silu`` or
            ``identity``.
        steps: Range from which ``softplus(bias)``, the step size of each head's decay
            at zero input, is drawn log-uniformly. By default there is no decay.

    Raises:
        ValueError: If a size is below one or ``width`` is not a multiple of ``heads``;
            or if ``largest`` is not in (0, 2], the activation is unknown, or the bounds
            in ``steps`` are not positive and ordered.

    Example:
        >>> layer = delta_product(4, 6, key=jax.random.key(0), reflections=3)
        >>> layer.head_shape, layer.W_k.shape
        ((1, 6, 4), (3, 1, 4, 6))
    """
    sizes = {"state_size": state_size, "width": width, "heads": heads}
    require_sizes(**sizes, reflections=reflections)
    require_heads(width, heads)
    require_number("largest", largest, 0, 2, "(]")
    require_choice("activation", activation, ACTIVATIONS)
    *keys, decay_key = jax.random.split(key, 5)
    shape = (reflections, heads)

    def each(key: PRNGKeyArray, rows: int) -> Float[Array, "reflections heads _ d_in"]:
        return by_heads(key, reflections * heads, rows, width).reshape(
            *shape, rows, width
        )

    decay: dict[str, Array] = {}
    if steps is not None:
        a_key, step_key, rate_key = jax.random.split(decay_key, 3)
        low, high = RATES
        rates = jax.random.uniform(rate_key, (heads,), minval=low, maxval=high)
        decay = {
            "W_a": uniform_linear(a_key, heads, width),
            "bias": log_uniform_steps(step_key, heads, steps),
            "A_log": jnp.log(rates),
        }
    return DeltaProduct(
        W_q=by_heads(keys[0], heads, state_size, width),
        W_k=each(keys[1], state_size),
        W_v=each(keys[2], width // heads),
        W_beta=each(keys[3], 1)[:, :, 0],
        **decay,
        largest=largest,
        activation=activation,
    )
