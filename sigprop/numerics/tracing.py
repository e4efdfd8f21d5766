"""Detection of arrays that JAX traces, which have no values yet."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer


def is_traced(*trees: Any) -> bool:
    """True inside ``jax.jit``, or if JAX traces an array of the trees.

    Example:
        >>> found = []
        >>> jax.eval_shape(lambda x: found.append(is_traced(x)), 1.0)
        >>> found, is_traced(1.0)
        ([True], False)
    """
    return _has_tracer((jnp.zeros(()), trees))  # the first is traced in a program


def namespace(*trees: Any) -> Any:
    """The module ``jax.numpy`` if JAX traces an array of the trees, otherwise ``numpy``."""
    return jnp if _has_tracer(trees) else np


def _has_tracer(trees: Any) -> bool:
    return any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(trees))


def numbers(value: Any) -> Any:
    """Convert a value to a NumPy array, unless JAX traces it."""
    return value if isinstance(value, Tracer) else np.asarray(value)
