"""Arrays that JAX traces have no numbers yet: what to do with them in place of NumPy's."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer


def is_traced(*trees: Any) -> bool:
    """True inside ``jax.jit``, and where JAX traces an array of the trees.

    Example:
        >>> found = []
        >>> jax.eval_shape(lambda x: found.append(is_traced(x)), 1.0)
        >>> found, is_traced(1.0)
        ([True], False)
    """
    return _has_tracer((jnp.zeros(()), trees))  # the first is traced in a program


def namespace(*trees: Any) -> Any:
    """``jax.numpy`` where JAX traces an array of the trees, else ``numpy``."""
    return jnp if _has_tracer(trees) else np


def _has_tracer(trees: Any) -> bool:
    return any(isinstance(leaf, Tracer) for leaf in jax.tree.leaves(trees))


def numbers(value: Any) -> Any:
    """An array of NumPy, unless JAX traces it."""
    return value if isinstance(value, Tracer) else np.asarray(value)
