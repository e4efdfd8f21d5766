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


def plane(axes: Axes, values: xr.DataArray, circles: tuple[float, ...]) -> None:
    """Points of the complex plane, with circles about the origin."""
    angle = np.linspace(0, 2 * np.pi, 361)
    for radius in circles:
        axes.plot(
            radius * np.cos(angle), radius * np.sin(angle), color=style.BLACK, lw=0.8
        )
    size = np.clip(400 / np.isfinite(values).sum().item(), 0.6, 5)
    axes.scatter(values.real, values.imag, s=size, color=style.BLUE, linewidths=0)
    axes.set_aspect("equal")
    axes.set(xlim=(-LIMIT, LIMIT), ylim=(-LIMIT, LIMIT))
    axes.set(xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    axes.set_xlabel(r"Re $\lambda$", labelpad=1)


def radii(
    axes: Axes,
    measured: xr.DataArray,
    theory: xr.DataArray,
    limits: tuple[float, float] = (0.0, LIMIT),
) -> None:
    """The fraction of eigenvalues within a radius, in theory and in a sample."""
    radius = measured["radius"]
    axes.plot(radius, theory, color=style.BLACK, linewidth=0.8, zorder=3)
    axes.plot(radius, measured, color=style.BLUE, linewidth=1.6)
    axes.set(xlim=limits, ylim=(-0.02, 1.05), yticks=(0, 0.5, 1))
    axes.set_xlabel(r"radius $r$")


def phases(
    axes: Axes, measured: xr.DataArray, theory: xr.DataArray, largest: float
) -> None:
    """The fraction of eigenvalues up to a phase, in theory and in a sample.

    The phase, or its size, is the last axis of both; it is shown from 0 to ``largest``.
    """
    phase = measured[measured.dims[-1]]
    axes.plot(phase, theory, color=style.BLACK, linewidth=0.8, zorder=3)
    axes.plot(phase, measured, color=style.BLUE, linewidth=1.6)
    axes.set(xlim=(-0.05 * largest, 1.05 * largest), ylim=(-0.02, 1.05))
    axes.set_yticks((0, 0.5, 1))
    ticks = 0.5 * largest, largest
    axes.set_xticks((0, *ticks), ("0", *(f"${over_pi(tick)}$" for tick in ticks)))


def over_pi(radians: float) -> str:
    """A multiple of pi, or the part of it that an angle is, in mathematical letters."""
    over = round(radians / np.pi, 9)
    if over < 1:
        return rf"\pi/{1 / over:.3g}"
    return rf"{over:g}\pi" if over > 1 else r"\pi"
