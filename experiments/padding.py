"""Arrays of several sizes in one."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float64, Shaped


def padded(
    parts: Sequence[Shaped[np.ndarray, "..."]],
) -> Float64[np.ndarray, "parts ..."]:
    """Arrays with as many axes but other sizes, not-a-number where one has ended."""
    shape = np.max([part.shape for part in parts], axis=0)
    whole = np.full((len(parts), *shape), np.nan)
    for row, part in zip(whole, parts, strict=True):
        row[tuple(map(slice, part.shape))] = part
    return whole
