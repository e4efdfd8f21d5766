"""Resolution of floating-point formats near ``|lam| = 1``.

Between 1/2 and 1, numbers with ``p`` significant bits have the spacing ``2^-p``.  A modulus
whose gap ``1 - |lam|`` is below ``2^-(p+1)`` rounds to one.  There are only
``2^p (1/a - 1/b)`` time constants ``1/(1 - |lam|)`` from ``a`` to ``b`` steps, so there are few
long ones.  If the gap of a mode is below ``2^-p``, its time constant rounds to ``2^p`` steps
or to infinity.
"""

import math

import numpy as np

from sigprop.networks.foreign.tensors import numpy_dtype

BITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}


def significant_bits(dtype: str) -> int:
    """Return the number of significant bits of a format, with the implicit leading bit.

    Raises:
        ValueError: If ``dtype`` is not a known format; the message lists these.
    """
    if dtype not in BITS:
        raise ValueError(f"need a dtype of {', '.join(BITS)}, got {dtype!r}")
    return BITS[dtype]


def spacing(dtype: str) -> float:
    """Return the distance from 1 to the next smaller number of a floating-point format.

    Args:
        dtype: ``bfloat16``, ``float16``, ``float32`` or ``float64``.

    Returns:
        The distance ``2^-p`` for ``p`` significant bits.

    Raises:
        ValueError: If ``dtype`` is not a known format.

    Example:
        >>> 1 / spacing("bfloat16"), 1 / spacing("float16")  # 8 and 11 bits
        (256.0, 2048.0)
    """
    return 2.0 ** -significant_bits(dtype)


def distinct_time_constants(dtype: str, shortest: float, longest: float) -> int:
    """Count the time constants in a range that a floating-point format can represent.

    A time constant ``1/(1 - |lam|)`` counts if the format represents ``|lam|`` exactly.

    Args:
        dtype: ``bfloat16``, ``float16``, ``float32`` or ``float64``.
        shortest: Smallest time constant of the range in steps.
        longest: Largest time constant of the range in steps.

    Raises:
        ValueError: If ``dtype`` is not a known format, or unless
            ``2 <= shortest <= longest`` and both are finite.

    Example:
        >>> [distinct_time_constants(dtype, 100, 1000) for dtype in ("bfloat16", "float16")]
        [2, 18]
    """
    if not 2 <= shortest <= longest < math.inf:
        raise ValueError(
            f"need 2 <= shortest <= longest in steps, got {shortest=}, {longest=}"
        )
    step = spacing(dtype)
    inner, outer = (1 / steps / step for steps in (longest, shortest))
    return math.floor(outer) - math.ceil(inner) + 1


def storage(dtypes: list[str]) -> str:
    """Return the narrowest of some formats; ``float32`` if none of them is known.

    Example:
        >>> storage(["float32", "bfloat16"])
        'bfloat16'
    """
    floats = [name for name in dtypes if name in BITS]
    return min(floats, key=lambda name: numpy_dtype(name).itemsize, default="float32")


def lost(nu: np.ndarray, dtype: str) -> np.ndarray:
    """Return True for each mode whose gap ``1 - |lam|`` is below a format's spacing.

    Args:
        nu: ``-log|lam|`` of each mode, of any shape and sign.
        dtype: Name of the format.

    Raises:
        ValueError: If the format is unknown.
    """
    return -np.expm1(-np.abs(nu)) < spacing(dtype)
