"""Arrays of several sizes, padded to one array."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
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


def along_cells(
    results: Sequence[xr.Dataset], curves: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[tuple[str, ...], np.ndarray, dict[Any, Any]]]:
    """Variables of several results along one axis, ``cell``; empty where one lacks them.

    Args:
        results: Of one cell each.
        curves: Dimensions of each variable by its name; what no result has is left out.
    """
    variables = {}
    for name, dims in curves.items():
        arrays = [result[name] for result in results if name in result.variables]
        if arrays:
            parts = [
                result[name].values
                if name in result.variables
                else np.zeros((0,) * len(dims))
                for result in results
            ]
            variables[name] = (("cell", *dims), padded(parts), arrays[0].attrs)
    return variables
