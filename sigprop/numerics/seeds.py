"""Range of seeds that JAX and NumPy both take without truncation."""

from numbers import Integral


def require_seed(seed: int, count: int = 1) -> None:
    """Refuse a seed, or successive seeds, that are not integers in ``[0, 2**32)``.

    JAX silently drops all but 32 bits of a seed.

    Args:
        seed: First seed.
        count: Number of successive seeds.

    Raises:
        ValueError: If a seed is no integer in ``[0, 2**32)``, or ``count`` is below one.
    """
    if count < 1:
        raise ValueError(f"need one seed or more, got {count}")
    integral = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not (integral and 0 <= seed <= seed + count - 1 < 2**32):
        more = f" and {count - 1} more" if count > 1 else ""
        raise ValueError(f"need 0 <= seed < 2**32, got seed={seed}{more}")
