"""Zucchet & Orvieto (2024), Figure 13: gradients of each layer of deep networks."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import style
from sigprop.figures.entry import Entry
from sigprop.figures.zucchet_5 import (
    COMPARED,
    GRADIENT,
    GROUPS,
    MEMBERS,
    finish,
    key,
    kinds,
    name_line,
    over_memory,
)

STUDY = "deep_signals"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Gradients of each layer of deep networks against the time constant",
    reduced="Networks have 64 neurons and read 64 sequences.",
    full="sigprop figure zucchet-13 --preset full",
    differs="Inputs are random, with the autocovariance of Figure 12; the paper uses "
    "embeddings.",
    rows=("zucchet:fig13", "zucchet:fig13:networks"),
)
KINDS = dict(zip("abc", COMPARED, strict=True))
NOTE = (
    f"Gradients are means over the parameters of a group.  {MEMBERS}  Bars are standard "
    "errors over networks.  Right of dotted lines, time constants are longer than the "
    "sequences."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each panel shows the mean squared gradients of one recurrence against ν₀.

    Each line is one layer and group of parameters.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(2.6, style.WIDTH * (1 + 3 * len(letters)) / 10)
        row = figure.subplots(1, len(letters), sharey=True, squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            _layers(axes, data, KINDS[letter])
            style.letter(axes, letter, KINDS[letter])
        row[0].set_ylabel(GRADIENT)
        name_line(row[0], data)
        key(row, title=f"pale to dark:\nlayers 1 to {int(data['layer'].max())}")
        style.caption(figure, NOTE)
    return figure


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
                capsize=0,
            )
    finish(axes, data)


def spread(data: xr.Dataset, kind: str) -> tuple[float, str, float]:
    """The largest ratio of two layers' gradients, of one group at one ``nu0``.

    Returns:
        The ratio, its group and its ``nu0``.
    """
    mean = data["gradient"].sel(kind=kind).mean("network")
    ratios = (mean.max("layer") / mean.min("layer")).dropna("group")
    where = {name: index.item() for name, index in ratios.argmax(...).items()}
    most = ratios.isel(where)
    return float(most), str(most["group"].values), 1 - float(most["gap"])


def _uncertainty(data: xr.Dataset, kind: str) -> float:
    """The relative standard error of the larger mean in a kind's largest ratio."""
    _, group, nu0 = spread(data, kind)
    each = data["gradient"].sel(kind=kind, group=group)
    each = each.sel(gap=1 - nu0, method="nearest").transpose("network", "layer").values
    means = each.mean(0)
    return float((style.standard_error(each) / means)[means.argmax()])


def shown(results: style.Results) -> str:
    """Give the largest ratio of gradients between layers, and where it is."""
    data = results[STUDY]
    ratios = {name: spread(data, name) for name in kinds(data, COMPARED)}
    apart = _listed({name: ratio for name, (ratio, *_) in ratios.items()})
    most = max(ratios, key=lambda name: ratios[name][0])
    _, group, nu0 = ratios[most]
    return (
        "At the same ν₀, mean squared gradients of one group in two layers differ by a "
        f"factor of at most {apart}. The {most}'s factor is that of the group {group} at "
        f"ν₀ = {nu0:.4g}, where the larger mean has a standard error of "
        f"{100 * _uncertainty(data, most):.0f} %."
    )


def details(results: style.Results) -> style.Cells:
    """Ratios of squared gradients: between layers, and of the encoder."""
    data = results[STUDY]
    ratios = {name: spread(data, name) for name in kinds(data, COMPARED)}
    encoder = _encoder(data)
    return (
        (
            *("recurrence", "largest factor between layers", "group with this factor"),
            "encoder's squared gradients / feedforward",
        ),
        *(
            (name, f"{most:.2g}", group, f"{float(encoder.sel(kind=name)):.2g}")
            for name, (most, group, _) in ratios.items()
        ),
    )


def _encoder(data: xr.Dataset) -> xr.DataArray:
    """The encoder's squared gradients over those of the feedforward parameters."""
    ends = data["ends"].mean(["network", "gap"])
    layers = data["gradient"].sel(group="feedforward").mean(["network", "gap", "layer"])
    return ends.sel(end="encoder") / layers


def _listed(values: dict[str, float]) -> str:
    return ", ".join(f"{value:.2g} ({name})" for name, value in values.items())


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-13")
