"""Resolution of floating-point formats near ``|lam| = 1``.

Between 1/2 and 1 numbers of ``p`` significant bits are ``2^-p`` apart, so that a modulus with
a gap below ``2^-(p+1)`` rounds to one, and time constants ``1/(1 - |lam|)`` from ``a`` to
``b`` steps have ``2^p (1/a - 1/b)`` values: few long ones, whatever the network learns.  A mode
whose gap is below ``2^-p`` has lost half of the digits of its time constant or all of them.
"""

import math

import numpy as np

from sigprop.networks.foreign.tensors import numpy_dtype

BITS = {"bfloat16": 8, "float16": 11, "float32": 24, "float64": 53}


def significant_bits(dtype: str) -> int:
    """``p`` of a format, the leading one counted.

    Raises:
        ValueError: Naming the known formats.
    """
    if dtype not in BITS:
        raise ValueError(f"need a dtype of {', '.join(BITS)}, got {dtype!r}")
    return BITS[dtype]


def spacing(dtype: str) -> float:
    """The distance of neighbours just below one, ``2^-p``.

    Example:
        >>> 1 / spacing("bfloat16"), 1 / spacing("float16")
        (256.0, 2048.0)
    """
    return 2.0 ** -significant_bits(dtype)


def distinct_time_constants(dtype: str, shortest: float, longest: float) -> int:
    """Count the moduli ``1 - 1/m`` of a format with ``m`` between two time constants in steps.

    Raises:
        ValueError: Unless ``2 <= shortest <= longest``, both finite.

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
    """The narrowest of some formats; float32 where none is a float.

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
