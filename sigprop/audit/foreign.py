"""Modes of another library's layers over a series of yours: theory beside measurement.

A network's own inputs are not in its file; the series stands for them, and every chosen
mode is run over its windows as ``sigprop.audit.series_moments`` does it.
"""

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from sigprop.audit.series import Series
from sigprop.audit.series_moments import SeriesRow, audit_series
from sigprop.networks.foreign import Found, Rest


@dataclass(frozen=True)
class LayerRows:
    """A layer, its slowest, middle and fastest mode, and what was measured of them."""

    layer: str
    family: str
    moved: bool
    rows: tuple[SeriesRow, ...]


def audit_layers(
    layers: list[Found], series: Series, seed: int = 0
) -> tuple[LayerRows, ...]:
    """Measure and predict both moments for three modes of every layer.

    Args:
        layers: Of ``sigprop.networks.foreign.find``.
        series: From ``load_series``.
        seed: Of the bootstrap.

    Raises:
        ValueError: If a layer has no mode strictly inside the unit circle.
    """
    found = []
    for layer in layers:
        rest = layer.rest()
        rows = audit_series(series, _pairs(rest, layer), seed)
        title = layer.prefix or "(top)"
        found.append(LayerRows(title, layer.family.title, rest.moved, rows))
    return tuple(found)


def chosen(rest: Rest) -> Int[np.ndarray, " places"]:
    """Places of the slowest, the middle and the fastest mode inside the unit circle.

    Example:
        >>> chosen(Rest(nu=np.array([[0.5, np.nan, 0.1, 0.0, 0.2, 0.3]]))).tolist()
        [2, 5, 0]
    """
    nu = rest.nu.reshape(-1)
    with np.errstate(invalid="ignore"):
        inside = np.flatnonzero((-np.expm1(-nu) > 0) & (np.exp(-nu) > 0))
    order = inside[np.argsort(nu[inside], kind="stable")]
    places = [0, len(order) // 2, len(order) - 1] if len(order) else []
    return order[sorted(set(places))]


def _pairs(rest: Rest, layer: Found) -> list[tuple[float, float]]:
    places = chosen(rest)
    if not len(places):
        raise ValueError(
            f"need a mode strictly inside the unit circle in {layer.prefix or '(top)'} of "
            f"{layer.family.title}, got none; `sigprop lint` says why"
        )
    nu = rest.nu.reshape(-1)[places]
    theta = np.zeros(rest.nu.shape) if rest.theta is None else rest.theta
    angles = theta.reshape(-1)[places]
    return [(-math.expm1(-n), float(t)) for n, t in zip(nu, angles, strict=True)]
