"""Precision is an explicit choice of each run, never a side effect of an import."""

from typing import Any

import jax
import jax.numpy as jnp

double_precision = jax.enable_x64
"""``with double_precision(True):`` runs its block with float64 switched on."""


def require_dtype(dtype: Any) -> None:
    """Refuse a 64-bit type while JAX would silently turn it into a 32-bit one.

    Raises:
        ValueError: If ``dtype`` is 64-bit and x64 is off.
    """
    wanted = jnp.dtype(dtype)
    if wanted in (jnp.float64, jnp.complex128) and not jax.config.jax_enable_x64:  # pyright: ignore[reportAttributeAccessIssue]
        raise ValueError(
            f"need x64 for {wanted}, but it is off and JAX would compute in 32 bits; "
            "run inside `with sigprop.double_precision(True):`"
        )
