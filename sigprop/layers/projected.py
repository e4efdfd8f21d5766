"""What layers share whose gates see the input alone: they run in parallel or as one loop.

Notation: heads  independent parts of a state;  size  entries of a head's key or value.
"""

import math

import jax
import jax.numpy as jnp
from jaxtyping import Array, Float, PRNGKeyArray

TINY = 1e-6  # added to the square of a key's length


def uniform_linear(
    key: PRNGKeyArray, rows: int, columns: int
) -> Float[Array, "rows columns"]:
    """Entries uniform within ``1/sqrt(columns)`` of zero.

    Source: ``torch.nn.Linear``, which the reference code of minGRU, Mamba, GLA and
    DeltaNet leaves as it is.
    """
    bound = 1 / math.sqrt(columns)
    return jax.random.uniform(key, (rows, columns), minval=-bound, maxval=bound)


def uniform_bias(key: PRNGKeyArray, size: int, columns: int) -> Float[Array, " size"]:
    """The bias that belongs to ``uniform_linear``."""
    bound = 1 / math.sqrt(columns)
    return jax.random.uniform(key, (size,), minval=-bound, maxval=bound)


def normalised(x: Float[Array, "*batch size"]) -> Float[Array, "*batch size"]:
    """``x / sqrt(|x|^2 + 1e-6)``, as the kernels of the delta rule do it."""
    return x / jnp.sqrt(jnp.sum(x**2, -1, keepdims=True) + TINY)


def inverse_softplus(y: Float[Array, " n"]) -> Float[Array, " n"]:
    """The number whose softplus is ``y``."""
    return y + jnp.log(-jnp.expm1(-y))


def log_uniform_steps(
    key: PRNGKeyArray, n: int, bounds: tuple[float, float]
) -> Float[Array, " n"]:
    """Biases whose softplus is log-uniform between two bounds.

    Raises:
        ValueError: If the bounds are not positive and ordered.

    Source: the code of Gu & Dao (2023), ``mamba_simple.py`` of
    github.com/state-spaces/mamba, whose floor of 1e-4 is below its bounds.
    """
    low, high = bounds
    if not 0 < low <= high < math.inf:
        raise ValueError(f"need bounds 0 < low <= high of the steps, got {bounds}")
    logs = jax.random.uniform(key, (n,), minval=math.log(low), maxval=math.log(high))
    return inverse_softplus(jnp.exp(logs))
