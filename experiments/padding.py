"""Arrays of several sizes, padded to one array."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import xarray as xr
from jaxtyping import Float64, Shaped


def padded(
    parts: Sequence[Shaped[np.ndarray, "..."]],
) -> Float64[np.ndarray, "parts ..."]:
    """Stack arrays of the same number of axes; smaller ones are padded with NaN."""
    shape = np.max([part.shape for part in parts], axis=0)
    whole = np.full((len(parts), *shape), np.nan)
    for row, part in zip(whole, parts, strict=True):
        row[tuple(map(slice, part.shape))] = part
    return whole


def along_cells(
    results: Sequence[xr.Dataset], curves: Mapping[str, tuple[str, ...]]
) -> dict[str, tuple[tuple[str, ...], np.ndarray, dict[Any, Any]]]:
    """Stack the variables of several results along an axis ``cell``, padded with NaN.

    Args:
        results: Results of one cell each; a variable may be missing in some of them.
        curves: Dimensions of each variable by its name.  Variables that are missing in all
            results are left out.
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
