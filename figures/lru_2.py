"""Orvieto et al. (2023), Figure 2: eigenvalues of Gaussian matrices fill the unit disc."""

import numpy as np
import xarray as xr
from matplotlib.figure import Figure

from sigprop.figures import disk, phrases, style
from sigprop.figures.entry import Entry

STUDY = "ring_eigenvalues"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Eigenvalues of Gaussian matrices fill the unit disc",
    rows=("lru:fig2",),
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the eigenvalues of one Gaussian matrix of each size N.

    Panels B and C show the fractions of eigenvalues of several matrices up to a modulus, and
    up to an absolute phase.  From these the limit r² of large N, and the exact distribution
    of the phases, are subtracted.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    sizes = [int(size) for size in data["size"]]
    with style.styled():
        figure = style.figure(0.4 + 1.75 * len(letters))
        rows = disk.rows(figure, letters, len(sizes))
        for column, size in enumerate(sizes):
            matrices = data.sel(size=size)
            if "a" in rows:
                axes = rows["a"][column]
                disk.plane(axes, matrices["matrix_eigenvalue"], (1.0,))
                axes.set_title(f"$N = {size}$", loc="center")
            if "b" in rows:
                axes = rows["b"][column]
                disk.radii(axes, matrices["matrix_fraction"], data["circular_law"])
                count = int(matrices["matrices"])
                axes.annotate(
                    *(f"{count} matrices", (0.98, 0.97)),
                    xycoords="axes fraction",
                    ha="right",
                    va="top",
                    fontsize=7,
                )
            if "c" in rows:
                axes = rows["c"][column]
                measured = matrices["matrix_phase_fraction"]
                disk.phases(axes, measured, matrices["matrix_phase_law"], np.pi)
                axes.set_xlabel(r"absolute phase $\theta$")
        if "a" in rows:
            rows["a"][0].set_ylabel(r"Im $\lambda$")
            style.letter(rows["a"][0], "a", "one matrix", above=1)
        if "b" in rows:
            rows["b"][0].set_ylabel(
                r"fraction $|\lambda| \leq r$, minus limit", fontsize=7, labelpad=1
            )
            style.letter(rows["b"][0], "b", "moduli")
        if "c" in rows:
            rows["c"][0].set_ylabel(
                r"fraction $|\arg\,\lambda| \leq \theta$, minus exact",
                fontsize=7,
                labelpad=1,
            )
            style.letter(rows["c"][0], "c", "phases")
            style.caption(figure, _real(data))
        for letter in "bc":
            disk.same_heights(rows, letter)
            for axes in rows.get(letter, []):
                first = axes is rows[letter][0]
                axes.tick_params(axis="y", labelsize=6, labelleft=first)
    return figure


def _real(data: xr.Dataset) -> str:
    shares = [f"{200 * float(law[0]):.2g} %" for law in data["matrix_phase_law"]]
    sizes = [f"{int(size)}" for size in data["size"]]
    return (
        f"At N = {phrases.listed(sizes)}, {phrases.listed(shares)} of the eigenvalues are "
        "real, i.e. have the phase 0 or π."
    )


def shown(results: style.Results) -> str:
    """Compare the distances of small and large matrices from the limit."""
    data = results[STUDY]
    gaps = abs(data["matrix_fraction"] - data["circular_law"]).max("radius").values
    phases = data["matrix_phase_fraction"] - data["matrix_phase_law"]
    turned = abs(phases).max("phase").values
    sizes = [int(size) for size in data["size"]]
    closer = bool((np.diff(gaps) < 0).all())
    return (
        f"The eigenvalues of larger matrices {'come' if closer else 'do not always come'} "
        "closer to a uniform distribution on the disc. The distribution function of the "
        f"moduli differs from its limit by at most "
        f"{gaps[0]:.2g} at N = {sizes[0]} and {gaps[-1]:.2g} at N = {sizes[-1]}. The "
        f"distribution function of the phases differs from the exact one by at most "
        f"{turned[0]:.2g} at N = {sizes[0]} and {turned[-1]:.2g} at N = {sizes[-1]}."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-2")
