"""Distance of a layer's slowest mode from ``|lam| = 1``, and resolution of its format."""

import math
from dataclasses import dataclass

import numpy as np

from sigprop.audit.lint.resolution import spacing, storage
from sigprop.networks.foreign import ForeignLayer, Rest
from sigprop.networks.foreign.family import time_constant


@dataclass(frozen=True)
class Margin:
    """Stability margin of a layer, from its eigenvalues at zero input.

    Attributes:
        modes: Number of modes of the layer.
        gap: ``1 - |lam|`` of the slowest mode; negative if the mode grows.
        memory: Time constant ``1/(1 - |lam|)`` of the slowest mode in steps; infinite for
            ``|lam| >= 1``.
        median: Time constant of the median mode in steps.
        fastest: Time constant of the fastest mode in steps.
        growing: Number of modes with ``|lam| > 1``.
        undamped: Number of modes with ``|lam| = 1``.
        dtype: Floating-point format in which the decay is stored.
        step: Increase of the slowest time constant, in steps, if one stored parameter
            changes to the next number of its format; infinite if no larger time constant
            can be stored.
        longest: Largest finite time constant of a modulus ``|lam|`` in this format, in
            steps.
        spacings: Gap of the slowest mode, divided by the spacing of the format below one.
    """

    modes: int
    gap: float
    memory: float
    median: float
    fastest: float
    growing: int
    undamped: int
    dtype: str
    step: float
    longest: float
    spacings: float


def margin(recurrence: ForeignLayer, rest: Rest) -> Margin:
    """Return the stability margin of one layer.

    Args:
        recurrence: Layer of the checkpoint.
        rest: Eigenvalues of the layer at zero input.

    Raises:
        ValueError: If no decay of the layer is a finite number.
    """
    nu = rest.nu.reshape(-1)
    finite = nu[np.isfinite(nu)]
    if not finite.size:
        raise ValueError(
            f"need a decay that is a number in {recurrence.prefix or '(top)'} of "
            f"{recurrence.family.title}, got none; `sigprop lint` says why"
        )
    slowest = float(finite.min())
    stored_names = [
        name for name in recurrence.spelling.slow if name in recurrence.tensors
    ]
    dtype = storage([recurrence.tensors[name].dtype for name in stored_names])
    gap = -math.expm1(-slowest)
    return Margin(
        modes=nu.size,
        gap=gap,
        memory=float(time_constant(slowest)),
        median=float(time_constant(float(np.median(finite)))),
        fastest=float(time_constant(float(finite.max()))),
        growing=int((finite < 0).sum()),
        undamped=int((finite == 0).sum()),
        dtype=dtype,
        step=_next_time_constant(recurrence, rest) - float(time_constant(slowest))
        if slowest > 0
        else math.inf,
        longest=1 / spacing(dtype),
        spacings=gap / spacing(dtype),
    )


def _next_time_constant(recurrence: ForeignLayer, rest: Rest) -> float:
    """Return the slowest time constant after the smallest increase that can be stored."""
    nu = rest.nu.reshape(-1)
    slowest = (
        int(np.nanargmin(np.where(nu > 0, nu, np.nan))) if (nu > 0).any() else None
    )
    if slowest is None:
        return math.inf
    stored = recurrence.read(recurrence.spelling.slow)
    nearest = -math.inf
    for name, array in stored.items():
        for end in (-math.inf, math.inf):
            moved = recurrence.at_rest({**stored, name: _neighbour(array, end)})
            there = float(moved.nu.reshape(-1)[slowest])
            if nearest < there < nu[slowest]:
                nearest = there
    return float(time_constant(nearest))


def _neighbour(array: np.ndarray, end: float) -> np.ndarray:
    """Move every number, or the real part of a complex one, to the next in its format."""
    if array.dtype.kind == "c":
        return _neighbour(np.real(array), end) + 1j * np.imag(array)
    with np.errstate(all="ignore"):
        return np.nextafter(array, np.asarray(end, array.dtype))
