"""Floating-point precision, an explicit choice of each run."""

from contextlib import AbstractContextManager
from typing import Any


def double_precision(on: bool = True) -> AbstractContextManager[None]:
    """Return a context manager that switches JAX's double precision on or off.

    Args:
        on: True to use 64-bit numbers, false to use 32-bit numbers.

    Example:
        Inside the block, new arrays have 64-bit numbers by default:

        >>> import jax
        >>> import jax.numpy as jnp
        >>> with double_precision(True):
        ...     jnp.ones(1).dtype
        dtype('float64')
    """
    import jax

    return jax.enable_x64(on)


def require_dtype(dtype: Any) -> None:
    """Refuse a 64-bit type if JAX would silently convert it to 32 bits.

    Raises:
        ValueError: If ``dtype`` is no type of numbers, or if it has 64 bits and JAX's
            64-bit mode is off.
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
