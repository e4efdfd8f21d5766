"""Derivatives that know no formula: contour integrals and central differences."""

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Num

NODES = 24
TURNS = np.exp(2j * np.pi * np.arange(NODES) / NODES)
STENCIL = ((1, 4 / 5), (2, -1 / 5), (3, 4 / 105), (4, -1 / 280))


def contour(function: Callable[[complex], Any], at: complex, radius: float) -> Any:
    """Derivative of a holomorphic function: its mean over a circle, turned back."""
    return sum(function(at + radius * turn) / turn for turn in TURNS) / (NODES * radius)


def mixed(alpha: complex, beta: complex, table: Num[np.ndarray, "n n"]) -> complex:
    """``d/dalpha d/dbeta`` of a double sum: its values on two circles, turned back."""
    radius, ages = 0.1, np.arange(len(table))
    first, second = (
        np.power.outer(centre + radius * TURNS, ages) for centre in (alpha, beta)
    )
    weights = TURNS.conj() / (NODES * radius)
    return complex(weights @ (first @ table @ second.T) @ weights)


def central(function: Callable[[float], Any], step: float = 4e-3) -> Any:
    """Derivative at zero by a central difference of eighth order."""
    return (
        sum(
            weight * (function(k * step) - function(-k * step)) for k, weight in STENCIL
        )
        / step
    )
