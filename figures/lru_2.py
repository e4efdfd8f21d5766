"""Orvieto et al. (2023), Figure 2: eigenvalues of Gaussian matrices fill the unit disk."""

import numpy as np
from matplotlib.figure import Figure

from sigprop.figures import disk, style
from sigprop.figures.entry import Entry

STUDY = "ring_eigenvalues"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Eigenvalues of Gaussian matrices fill the unit disk",
    rows=("lru:fig2",),
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the eigenvalues of one Gaussian matrix of each size N.

    Panels B and C compare the moduli of several matrices with the limit of large N, and
    their phases with the exact distribution.

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
                    f"{count} matrices", (0.05, 0.86), color=style.BLUE, fontsize=7
                )
                axes.annotate(
                    r"limit $r^2$", (0.56, 0.2), color=style.BLACK, fontsize=7
                )
            if "c" in rows:
                axes = rows["c"][column]
                measured = matrices["matrix_phase_fraction"]
                disk.phases(axes, measured, matrices["matrix_phase_law"], np.pi)
                axes.set_xlabel(r"absolute phase $\theta$")
                share = 200 * float(matrices["matrix_phase_law"][0])
                axes.annotate(
                    f"{share:.2g} % are real",
                    (0.2, 0.86),
                    color=style.BLACK,
                    fontsize=7,
                )
        if "a" in rows:
            rows["a"][0].set_ylabel(r"Im $\lambda$")
            style.letter(rows["a"][0], "a", "one matrix", above=1)
        if "b" in rows:
            rows["b"][0].set_ylabel(r"fraction with $|\lambda| \leq r$")
            style.letter(rows["b"][0], "b", "moduli (blue) and their limit (black)")
        if "c" in rows:
            rows["c"][0].set_ylabel(r"fraction with $|\arg\,\lambda| \leq \theta$")
            style.letter(
                rows["c"][0], "c", "phases (blue) and their distribution (black)"
            )
    return figure


def shown(results: style.Results) -> str:
    """Compare the distances of small and large matrices from the limit."""
    data = results[STUDY]
    gaps = abs(data["matrix_fraction"] - data["circular_law"]).max("radius").values
    sizes = [int(size) for size in data["size"]]
    closer = bool((np.diff(gaps) < 0).all())
    return (
        f"The eigenvalues of larger matrices {'come' if closer else 'do not always come'} "
        "closer to a uniform distribution on the disk. The distribution function of the "
        f"moduli differs from its limit by at most "
        f"{gaps[0]:.2g} at N = {sizes[0]} and {gaps[-1]:.2g} at N = {sizes[-1]}."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-2")
