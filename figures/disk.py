"""Eigenvalues in the complex plane, and distributions of their moduli and phases."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style

LIMIT = 1.2


def rows(
    figure: Figure, letters: tuple[str, ...], columns: int
) -> dict[str, list[Axes]]:
    """A row of axes for each panel, every column an example."""
    grid = figure.subplots(len(letters), columns, squeeze=False)
    return {letter: list(row) for letter, row in zip(letters, grid, strict=True)}


def plane(
    axes: Axes,
    values: xr.DataArray,
    circles: tuple[float, ...],
    corner: tuple[float, float] = (-LIMIT, -LIMIT),
    side: float = 2 * LIMIT,
) -> None:
    """Points of the complex plane, with circles about the origin.

    Args:
        axes: Empty.
        values: Complex numbers.
        circles: Radii.
        corner: Real and imaginary part at the lower left.
        side: Width and height of the part of the plane.
    """
    angle = np.linspace(0, 2 * np.pi, 361)
    for radius in circles:
        axes.plot(
            radius * np.cos(angle), radius * np.sin(angle), color=style.BLACK, lw=0.8
        )
    size = np.clip(400 / np.isfinite(values).sum().item(), 0.6, 5)
    axes.scatter(values.real, values.imag, s=size, color=style.BLUE, linewidths=0)
    axes.set_aspect("equal")
    left, bottom = corner
    axes.set(xlim=(left, left + side), ylim=(bottom, bottom + side))
    if side == 2 * LIMIT:
        axes.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    axes.set_xlabel(r"Re $\lambda$", labelpad=1)


def radii(
    axes: Axes,
    measured: xr.DataArray,
    theory: xr.DataArray,
    limits: tuple[float, float] = (0.0, LIMIT),
) -> None:
    """The fraction of eigenvalues within a radius, less that of theory."""
    axes.axhline(0, color=style.BLACK, linewidth=0.8, zorder=1)
    axes.plot(measured["radius"], measured - theory, color=style.BLUE, linewidth=0.9)
    axes.set(xlim=limits)
    axes.set_xlabel(r"radius $r$")


def phases(
    axes: Axes, measured: xr.DataArray, theory: xr.DataArray, largest: float
) -> None:
    """The fraction of eigenvalues up to a phase, less that of theory.

    The phase, or its size, is the last axis of both; it is shown from 0 to ``largest``.
    """
    phase = measured[measured.dims[-1]]
    axes.axhline(0, color=style.BLACK, linewidth=0.8, zorder=1)
    axes.plot(phase, measured - theory, color=style.BLUE, linewidth=0.9)
    axes.set(xlim=(-0.05 * largest, 1.05 * largest))
    ticks = 0.5 * largest, largest
    axes.set_xticks((0, *ticks), ("0", *(f"${over_pi(tick)}$" for tick in ticks)))


def same_heights(rows: dict[str, list[Axes]], letters: str) -> None:
    """Give panels of differences one range, about zero."""
    panels = [axes for letter in letters for axes in rows.get(letter, [])]
    most = max((abs(limit) for axes in panels for limit in axes.get_ylim()), default=1)
    for axes in panels:
        axes.set_ylim(-most, most)


def over_pi(radians: float) -> str:
    """A multiple of pi, or the part of it that an angle is, in mathematical letters."""
    over = round(radians / np.pi, 9)
    if over < 1:
        return rf"\pi/{1 / over:.3g}"
    return rf"{over:g}\pi" if over > 1 else r"\pi"
