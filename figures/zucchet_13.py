"""Zucchet & Orvieto (2024), Figure 13: gradients of each layer of deep networks."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style
from sigprop.figures.zucchet_5 import COMPARED, GROUPS, finish, key, kinds, over_memory

STUDY = "deep_signals"
STUDIES = dict.fromkeys("abc", STUDY)
KINDS = dict(zip("abc", COMPARED, strict=True))
NOTE = (
    "mean square over the parameters of a group; the darker the line, the deeper the layer; "
    "bars, standard errors over networks"
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Mean squares of gradients over ``nu0``, a line a group and layer.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    with style.styled():
        drawn = style.figure(2.6, style.WIDTH * (1 + 3 * len(letters)) / 10)
        row = drawn.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            _layers(axes, data, KINDS[letter])
            style.letter(axes, letter, KINDS[letter])
        row[0].set_ylabel(r"$\mathrm{E}\,(\mathrm{d}_\theta L)^2$")
        key(row)
        style.caption(drawn, NOTE)
    return drawn


def _layers(axes: Axes, data: xr.Dataset, kind: str) -> None:
    layers = data["layer"].values
    for group, colour in GROUPS.items():
        values = data["gradient"].sel(kind=kind, group=group)
        if not np.isfinite(values).all():
            continue
        for layer in layers:
            last = layer == layers[-1]
            over_memory(
                axes,
                values.sel(layer=layer),
                colour,
                group if last else "",
                alpha=float(0.25 + 0.75 * layer / layers[-1]),
                markersize=1.5,
                linewidth=0.8,
            )
    finish(axes, data)


def spread(data: xr.Dataset, kind: str) -> tuple[float, str]:
    """The largest ratio of two layers' gradients, of one group at one ``nu0``."""
    mean = data["gradient"].sel(kind=kind).mean("network")
    ratio = (mean.max("layer") / mean.min("layer")).max("gap").dropna("group")
    return float(ratio.max()), str(ratio.idxmax("group").values)


def shown(results: style.Results) -> str:
    """How far apart the layers' gradients are at most."""
    data = results[STUDY]
    found = {name: spread(data, name) for name in kinds(data, COMPARED)}
    said = ", ".join(
        f"{name} {most:.2g} ({group})" for name, (most, group) in found.items()
    )
    ends = data["ends"].mean(["network", "gap"])
    layers = data["gradient"].sel(group="feedforward").mean(["network", "gap", "layer"])
    encoder = ends.sel(end="encoder") / layers
    told = ", ".join(
        f"{name} {float(encoder.sel(kind=name)):.2g}" for name in kinds(data, COMPARED)
    )
    return (
        f"At one nu_0, gradients of one parameter group differ between layers by factors up "
        f"to {said}. The encoder's gradients are these multiples of the feedforward "
        f"gradients: {told}."
    )
