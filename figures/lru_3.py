"""Orvieto et al. (2023), Figure 3: sampling by Lemma 3.2 fills the ring."""

from matplotlib.figure import Figure

from figures import disk, style

STUDY = "ring_eigenvalues"
STUDIES = dict.fromkeys("ab", STUDY)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Sampled eigenvalues, and their moduli with a confidence band against the law.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(0.4 + 1.75 * len(letters))
        rows = disk.rows(drawn, letters, data.sizes["ring"])
        for column in range(data.sizes["ring"]):
            ring = data.isel(ring=column)
            inner, outer = float(ring["inner"]), float(ring["outer"])
            if "a" in rows:
                axes = rows["a"][column]
                disk.plane(axes, ring["ring_eigenvalue"], (inner, outer))
                axes.set_title(
                    rf"$r_\mathrm{{min}} = {inner:g}$, $r_\mathrm{{max}} = {outer:g}$",
                    loc="center",
                )
            if "b" in rows:
                axes = rows["b"][column]
                measured, band = ring["ring_fraction"], float(data.attrs["band"])
                axes.fill_between(
                    ring["radius"],
                    (measured - band).clip(0, 1),
                    (measured + band).clip(0, 1),
                    color=style.SKY,
                    alpha=0.5,
                    linewidth=0,
                )
                margin = 0.2 * (outer - inner)
                limits = (max(inner - margin, 0.0), outer + margin)
                disk.radii(axes, measured, ring["ring_law"], limits)
        if "a" in rows:
            rows["a"][0].set_ylabel(r"Im $\lambda$")
        if "b" in rows:
            first = rows["b"][0]
            first.set_ylabel(r"fraction with $|\lambda| \leq r$")
            draws = data.sizes["draw"]
            text = f"{draws} draws,\n95 % band"
            first.annotate(text, (0.05, 0.74), color=style.BLUE, fontsize=7)
            first.annotate("law", (0.62, 0.22), color=style.BLACK, fontsize=7)
        for letter, row in rows.items():
            style.letter(row[0], letter, "")
    return drawn


def shown(results: style.Results) -> str:
    """Whether the law of Lemma 3.2 lies within the band of the draws."""
    data = results[STUDY]
    off = abs(data["ring_fraction"] - data["ring_law"]).max("radius")
    inside, rings = int((off <= data.attrs["band"]).sum()), data.sizes["ring"]
    return (
        f"The law lies within the 95 % band of {data.sizes['draw']} draws at every radius "
        f"in {inside} of {rings} rings; the farthest is {float(off.max()):.2g} of "
        f"{data.attrs['band']:.2g} allowed."
    )
