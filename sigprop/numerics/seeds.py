"""Range of seeds that JAX and NumPy both take without truncation."""

from numbers import Integral


def require_seed(seed: int, count: int = 1) -> None:
    """Refuse a seed, or the last of several in a row, that no generator takes as it is.

    JAX keeps 32 bits of a seed and drops the others without a word.

    Raises:
        ValueError: Naming the seed, or how many there are.
    """
    if count < 1:
        raise ValueError(f"need one seed or more, got {count}")
    integral = isinstance(seed, Integral) and not isinstance(seed, bool)
    if not (integral and 0 <= seed <= seed + count - 1 < 2**32):
        more = f" and {count - 1} more" if count > 1 else ""
        raise ValueError(f"need 0 <= seed < 2**32, got seed={seed}{more}")
