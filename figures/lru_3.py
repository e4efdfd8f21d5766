"""Orvieto et al. (2023), Figure 3: eigenvalues sampled by Lemma 3.2 fill a ring."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import disk, style
from sigprop.figures.entry import Entry

STUDY = "ring_eigenvalues"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Eigenvalues sampled by Lemma 3.2 fill a ring",
    rows=("lru:fig3",),
)
TITLES = {"a": "samples", "b": "moduli", "c": "phases, as in B"}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows eigenvalues sampled by Lemma 3.2 in rings.

    Panels B and C compare the sampled moduli and phases, with 95 % confidence bands, with
    the distributions of the lemma.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(0.4 + 1.75 * len(letters))
        rows = disk.rows(figure, letters, data.sizes["ring"])
        for column in range(data.sizes["ring"]):
            ring = data.isel(ring=column)
            inner, outer = float(ring["inner"]), float(ring["outer"])
            largest = float(ring["max_phase"])
            if "a" in rows:
                axes = rows["a"][column]
                disk.plane(axes, ring["ring_eigenvalue"], (inner, outer))
                axes.set_title(
                    f"$r$ from {inner:g} to {outer:g}\n"
                    + rf"$\theta \leq {disk.over_pi(largest)}$",
                    loc="center",
                )
            if "b" in rows:
                axes = rows["b"][column]
                measured = ring["ring_fraction"]
                _band(axes, measured, data)
                margin = 0.2 * (outer - inner)
                limits = (max(inner - margin, 0.0), outer + margin)
                disk.radii(axes, measured, ring["ring_law"], limits)
            if "c" in rows:
                axes = rows["c"][column]
                measured = ring["ring_phase_fraction"]
                _band(axes, measured, data)
                disk.phases(axes, measured, ring["ring_phase_law"], largest)
                axes.set_xlabel(r"phase $\theta$")
        if "a" in rows:
            rows["a"][0].set_ylabel(r"Im $\lambda$")
        if "b" in rows:
            first = rows["b"][0]
            first.set_ylabel(r"fraction with $|\lambda| \leq r$")
            samples = data.sizes["draw"]
            text = f"{samples}\nsamples,\n95 % band"
            first.annotate(text, (0.05, 0.64), color=style.BLUE, fontsize=7)
            first.annotate("Lemma 3.2", (0.55, 0.1), color=style.BLACK, fontsize=7)
        if "c" in rows:
            rows["c"][0].set_ylabel(r"fraction with $\arg\,\lambda \leq \theta$")
        for letter, row in rows.items():
            style.letter(row[0], letter, TITLES[letter], above=2 * (letter == "a"))
    return figure


def _band(axes: Axes, measured: xr.DataArray, data: xr.Dataset) -> None:
    """The confidence band of the sampled distribution."""
    band = float(data.attrs["band"])
    axes.fill_between(
        measured[measured.dims[-1]],
        (measured - band).clip(0, 1),
        (measured + band).clip(0, 1),
        color=style.SKY,
        alpha=0.5,
        linewidth=0,
    )


def shown(results: style.Results) -> str:
    """Count the rings in which Lemma 3.2 lies within the bands of the samples."""
    data = results[STUDY]
    off = np.maximum(
        abs(data["ring_fraction"] - data["ring_law"]).max("radius"),
        abs(data["ring_phase_fraction"] - data["ring_phase_law"]).max("angle"),
    )
    inside, rings = int((off <= data.attrs["band"]).sum()), data.sizes["ring"]
    return (
        f"In {inside} of {rings} rings the distributions of Lemma 3.2 lie within the 95 % "
        f"bands of {data.sizes['draw']} samples. Sampled and exact distribution functions "
        f"differ by at most {float(off.max()):.2g}; the bands allow {data.attrs['band']:.2g}."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-3")
