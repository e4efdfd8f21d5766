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
TITLES = {"a": "samples", "b": "moduli", "c": "phases"}
AROUND = 0.05  # a part of a ring that is enlarged


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows eigenvalues sampled by Lemma 3.2 in rings.

    Panels B and C show the fractions of samples up to a modulus, and up to a phase.  From
    these the distributions of the lemma are subtracted.

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
                _plane(axes, ring)
                axes.set_title(
                    f"$r$ from {inner:g} to {outer:g}\n"
                    + rf"$\theta \leq {disk.over_pi(largest)}$",
                    loc="center",
                    fontsize=7,
                )
            if "b" in rows:
                axes = rows["b"][column]
                measured = ring["ring_fraction"]
                _band(axes, data)
                margin = 0.2 * (outer - inner)
                limits = (max(inner - margin, 0.0), outer + margin)
                disk.radii(axes, measured, ring["ring_law"], limits)
            if "c" in rows:
                axes = rows["c"][column]
                measured = ring["ring_phase_fraction"]
                _band(axes, data)
                disk.phases(axes, measured, ring["ring_phase_law"], largest)
                axes.set_xlabel(r"phase $\theta$")
        if "a" in rows:
            rows["a"][0].set_ylabel(r"Im $\lambda$")
        if "b" in rows:
            rows["b"][0].set_ylabel(
                r"fraction $|\lambda| \leq r$, minus exact", fontsize=7
            )
        if "c" in rows:
            label = r"fraction $\arg\,\lambda \leq \theta$, minus exact"
            rows["c"][0].set_ylabel(label, fontsize=7)
        disk.same_heights(rows, "bc")
        style.caption(figure, *_notes(data, letters))
        for letter, row in rows.items():
            style.letter(row[0], letter, TITLES[letter], above=2 * (letter == "a"))
    return figure


def _notes(data: xr.Dataset, letters: tuple[str, ...]) -> list[str]:
    notes = {
        "a": "A part of a ring with small phases is enlarged.",
        "b": f"With probability 95 %, the whole curve of {data.sizes['draw']} samples lies in "
        "the band.",
    }
    chosen = {"a" if letter == "a" else "b": None for letter in letters}
    return [notes[letter] for letter in chosen]


def _plane(axes: Axes, ring: xr.Dataset) -> None:
    """The samples of a ring; a small part of the plane if their phases are small."""
    inner, outer, phase = (float(ring[of]) for of in ("inner", "outer", "max_phase"))
    where = {}
    if phase < np.pi / 2:
        low = np.array([inner * np.cos(phase), 0.0])
        high = np.array([outer, outer * np.sin(phase)])
        half = (high - low).max() / 2 + AROUND
        left, bottom = (low + high) / 2 - half
        where = {"corner": (left, bottom), "side": 2 * half}
    disk.plane(axes, ring["ring_eigenvalue"], (inner, outer), **where)


def _band(axes: Axes, data: xr.Dataset) -> None:
    """The confidence band of the sampled distribution."""
    band = float(data.attrs["band"])
    axes.axhspan(-band, band, color=style.SKY, alpha=0.3, linewidth=0)


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
        f"differ by at most {float(off.max()):.2g}; the bands allow {data.attrs['band']:.2g}. "
        f"{_whole(data)}"
    )


def _whole(data: xr.Dataset) -> str:
    """The distance of the lemma's moduli in the whole disc from the limit of Figure 2."""
    whole = (data["inner"] == 0) & (data["outer"] == 1)
    off = abs(data["ring_law"].isel(ring=np.flatnonzero(whole)) - data["circular_law"])
    near = float(off.max()) < 1e-9
    return (
        f"For r from 0 to 1 the lemma {'has' if near else 'does not have'} the moduli of large "
        "Gaussian matrices, the limit of Figure 2."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("lru-3")
