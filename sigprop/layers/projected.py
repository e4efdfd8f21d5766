"""Base of layers whose gates depend on the input alone, so that they run in parallel.

Notation: heads  independent parts of a state;  size  entries of a head's key or value.
"""

import math
from abc import abstractmethod
from typing import Any, ClassVar

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

from sigprop.layers.base import Layer
from sigprop.neuron.neurons import Moved
from sigprop.neuron.scan import scan_linear
from sigprop.numerics.arguments import LARGEST

TINY = 1e-6  # added to the square of a key's length


class InputGated(Layer):
    """Base class of layers whose gates depend on the input but not on the state.

    The recurrence is ``h_t = a_t h_{t-1} + b_t``, with an entry-by-entry product.  A
    subclass computes ``a_t`` and ``b_t`` from the inputs in its method ``gates``.

    Example:
        >>> from sigprop.layers import mingru
        >>> layer = mingru(4, 2, key=jax.random.key(0))
        >>> a, b = layer.gates(jnp.ones((10, 2)))
        >>> isinstance(layer, InputGated), a.shape, b.shape
        (True, (10, 4), (10, 4))
    """

    linear: ClassVar[bool] = False

    @abstractmethod
    def gates(
        self, u: Float[Array, "time d_in"]
    ) -> tuple[Float[Array, "time states"], Float[Array, "time states"]]:
        """Return ``a_t`` and ``b_t`` in ``h_t = a_t h_{t-1} + b_t`` for all steps."""

    def step(
        self, state: Float[Array, " states"], u: Float[Array, " d_in"]
    ) -> tuple[Float[Array, " states"], Float[Array, " d_out"]]:
        """Take one input and return the next state and the output."""
        a, b = self.gates(u[None])
        state = a[0] * state + b[0]
        return state, self.read(state[None], u[None])[0]

    def states(self, u: Float[Array, "time d_in"]) -> Float[Array, "time states"]:
        """Compute the states of all steps in parallel, starting from the zero state."""
        return scan_linear(*self.gates(u))


class Heads(Layer):
    """Base of layers with a matrix state of keys times values in every head."""

    W_q: Float[Array, "heads keys d_in"]
    W_k: Float[Array, "heads keys d_in"]
    W_v: Float[Array, "heads values d_in"]

    @property
    def widths(self) -> tuple[int, int]:
        """Number of inputs and of outputs, ``(d_in, heads * values)``."""
        heads, values, d_in = self.W_v.shape
        return d_in, heads * values

    @property
    def state_size(self) -> int:
        """Number of real numbers in the state, summed over heads."""
        heads, keys, _ = self.W_k.shape
        return heads * keys * self.W_v.shape[1]

    def initial_state(self) -> Float[Array, " states"]:
        """Return the initial state, all zeros."""
        return jnp.zeros((self.state_size,), self.W_k.dtype)


def of_states(
    a: Float[Array, "time heads *_"], entering: Float[Array, "time heads rows columns"]
) -> tuple[Float[Array, "time states"], Float[Array, "time states"]]:
    """Flatten the gates and inputs of all heads, one of each per entry of the state.

    Args:
        a: Gates of the entries. Along an axis of size one, all entries have one gate.
        entering: Inputs that are added to the entries of the state.
    """
    flat = (len(entering), math.prod(entering.shape[1:]))
    return jnp.broadcast_to(a, entering.shape).reshape(flat), entering.reshape(flat)


def read_keys(
    q: Float[Array, "time heads keys"], h: Float[Array, "time states"]
) -> Float[Array, "time d_out"]:
    """Return ``q^T S`` of each head, concatenated over heads; ``S`` has a row per key."""
    time, heads, keys = q.shape
    values = h.shape[1] // (heads * keys)
    S = h.reshape(time, heads, keys, values)
    return jnp.einsum("thk,thkv->thv", q, S).reshape(time, heads * values)


def by_heads(
    key: PRNGKeyArray, heads: int, rows: int, columns: int
) -> Float[Array, "heads rows columns"]:
    """Draw one ``uniform_linear`` matrix per head."""
    return uniform_linear(key, heads * rows, columns).reshape(heads, rows, columns)


def low_rank(
    by: str, U: Float[Any, "rank d_in"], V: Float[Any, "neurons rank"]
) -> dict[str, Moved]:
    """Describe the derivative of a projection ``V U u + bias`` by its parameters."""
    return {
        "U": Moved(by, "each", (V**2).sum(1)),
        "V": Moved(by, U),
        "bias": Moved(by),
    }


def require_heads(width: int, heads: int) -> None:
    """Check that the width is a multiple of the number of heads.

    Raises:
        ValueError: If it is not.
    """
    if width % heads:
        raise ValueError(f"need width a multiple of heads, got {width=}, {heads=}")


def uniform_linear(
    key: PRNGKeyArray, rows: int, columns: int
) -> Float[Array, "rows columns"]:
    """Draw a matrix with entries uniform within ``1/sqrt(columns)`` of zero.

    Source: the default of ``torch.nn.Linear``, which the reference code of minGRU, Mamba,
    GLA and DeltaNet does not change.
    """
    bound = 1 / math.sqrt(columns)
    return jax.random.uniform(key, (rows, columns), minval=-bound, maxval=bound)


def uniform_bias(key: PRNGKeyArray, size: int, columns: int) -> Float[Array, " size"]:
    """Draw biases uniform within ``1/sqrt(columns)`` of zero, as ``torch.nn.Linear``."""
    bound = 1 / math.sqrt(columns)
    return jax.random.uniform(key, (size,), minval=-bound, maxval=bound)


def normalised(x: Float[Array, "*batch size"]) -> Float[Array, "*batch size"]:
    """Divide ``x`` by ``sqrt(|x|^2 + 1e-6)``, as the kernels of the delta rule do."""
    return x / jnp.sqrt(jnp.sum(x**2, -1, keepdims=True) + TINY)


def inverse_softplus(y: Float[Array, " n"]) -> Float[Array, " n"]:
    """Return the number whose softplus is ``y``."""
    return y + jnp.log(-jnp.expm1(-y))


def log_uniform_steps(
    key: PRNGKeyArray, n: int, bounds: tuple[float, float]
) -> Float[Array, " n"]:
    """Draw ``n`` biases whose softplus is log-uniform between two bounds.

    Raises:
        ValueError: If the bounds are not positive and ordered.

    Source: the code of Gu & Dao (2023), ``mamba_simple.py`` of
    github.com/state-spaces/mamba. Its lower limit of 1e-4 is below its bounds and has no
    effect.
    """
    low, high = bounds
    if not 0 < low <= high <= LARGEST:
        raise ValueError(
            f"need bounds 0 < low <= high <= {LARGEST:g} of the steps, got {bounds}"
        )
    logs = jax.random.uniform(key, (n,), minval=math.log(low), maxval=math.log(high))
    return inverse_softplus(jnp.exp(logs))
