"""Precision is an explicit choice of each run, never a side effect of an import."""

from contextlib import AbstractContextManager
from typing import Any


def double_precision(on: bool = True) -> AbstractContextManager[None]:
    """Switch float64 on, or off, for the block of a ``with``.

    Example:
        >>> import jax
        >>> import jax.numpy as jnp
        >>> import jax.numpy as jnp
        >>> with double_precision(True):
        ...     jnp.ones(1).dtype
        dtype('float64')
    """
    import jax

    return jax.enable_x64(on)


def require_dtype(dtype: Any) -> None:
    """Refuse a 64-bit type while JAX would silently turn it into a 32-bit one.

    Raises:
        ValueError: If ``dtype`` is no type, or is 64-bit and x64 is off.
    """
    import jax
    import jax.numpy as jnp

    try:
        wanted = jnp.dtype("" if dtype is None else dtype)
    except TypeError:
        raise ValueError(f"need dtype a type of numbers, got {dtype=}") from None
    if wanted in (jnp.float64, jnp.complex128) and not jax.config.jax_enable_x64:  # pyright: ignore[reportAttributeAccessIssue]
        raise ValueError(
            f"need x64 for {wanted}, but it is off and JAX would compute in 32 bits; "
            "run inside `with sigprop.double_precision(True):`"
        )
