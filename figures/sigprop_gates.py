"""A figure of sigprop, not from a paper: moments of layers with input gates."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "gated_moments"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Moments of input-gated layers against the time constant",
    rows=("sigprop:gates",),
)
TITLES = {"a": "states", "b": "gate gradient", "c": "deviations"}
MOMENTS = {"a": "state", "b": "gate"}
LAYERS = {"selective": "selective SSM"}  # names other than the study's
GROWS = 10.0  # ratio of squared states at the longest and the shortest time constant
NAMES = {"state": "simulated states", "gate": "simulated gradients"}
REACH = 4.0  # standard errors at the ends of panel C
COLOURS = (*style.SEQUENCE, style.SKY)
MARKERS = {"state": "o", "gate": "s"}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show moments of states and of gate gradients against the time constant.

    Panel C shows measured minus predicted moments, in standard errors.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(
            2.9 if len(letters) > 1 else 5.0, 0.4 + 1.7 * len(letters)
        )
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            if letter == "c":
                _deviations(axes, data)
            else:
                _moments(axes, data, MOMENTS[letter])
            style.letter(axes, letter, TITLES[letter])
        _key(figure, data["layer"].values.tolist(), letters)
        gates = ", ".join(
            f"{LAYERS.get(name, name)} {parameter}"
            for name, parameter in zip(
                data["layer"].values.tolist(), data["parameter"].values, strict=True
            )
        )
        style.caption(
            figure,
            f"Points are means over {data.attrs['sequences']} sequences of Gaussian inputs "
            f"({data.attrs['sizes']}), from the zero state. A sequence is as long as "
            f"{data.attrs['spans']:g} time constants, of the gate at zero input. Bars of two "
            "standard errors are mostly shorter than the points. Gradients are with respect to "
            f"{gates}. C has a point for each time constant; the shaded range is two standard "
            "errors to either side. RG-LRU is the layer of Griffin, SSM a state space model, "
            "and GLA gated linear attention, which does not scale its inputs.",
        )
    return figure


def _key(figure: Figure, names: list[str], letters: tuple[str, ...]) -> None:
    """Explain colours and marks above the panels."""
    keys = [
        Line2D([], [], color=colour, linewidth=3, label=LAYERS.get(name, name))
        for name, colour in zip(names, COLOURS, strict=False)
    ]
    keys.append(Line2D([], [], color=style.BLACK, label="exact"))
    for moment, marker in MARKERS.items():
        look: dict[str, Any] = {
            "color": style.BLACK,
            "linestyle": "",
            "label": NAMES[moment],
        }
        keys.append(Line2D([], [], marker=marker, **look))
    figure.legend(
        handles=keys,
        loc="outside upper center",
        ncols=5 if len(letters) > 1 else 1,
        handlelength=1.2,
        columnspacing=1.4,
    )


def _moments(axes: Axes, data: xr.Dataset, moment: str) -> None:
    memory = data["memory"].values
    for name, colour in zip(data["layer"].values, COLOURS, strict=False):
        curve = data.sel(layer=name, moment=moment)
        axes.plot(memory, curve["predicted"], color=colour, label=str(name))
        axes.errorbar(
            memory,
            curve["measured"],
            yerr=2 * curve["sem"].values,
            fmt=MARKERS[moment],
            color=colour,
            markersize=2.5,
            elinewidth=0.6,
        )
    axes.set(xscale="log", yscale="log", xlabel="time constant, steps")
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_minor_locator(NullLocator())
    label = r"E$|h|^2$" if moment == "state" else r"E$|\partial h/\partial \theta|^2$"
    axes.set_ylabel(label)


def _deviations(axes: Axes, data: xr.Dataset) -> None:
    """Draw a row of points for each layer, its states above its gates."""
    names = data["layer"].values.tolist()
    axes.axvspan(-2, 2, color=style.GREY, alpha=0.2, linewidth=0, zorder=0)
    axes.axvline(0, color=style.BLACK, linewidth=0.6, zorder=0)
    for moment, marker in MARKERS.items():
        up = 0.17 if moment == "state" else -0.17
        for row, (name, colour) in enumerate(zip(names, COLOURS, strict=False)):
            points = data.sel(layer=name, moment=moment)
            apart = ((points["measured"] - points["predicted"]) / points["sem"]).values
            axes.plot(
                *(apart, np.full(apart.size, up - row), marker),
                color=colour,
                markersize=2.6,
                markeredgewidth=0,
                alpha=0.75,
            )
    labels = [str(LAYERS.get(name, name)) for name in names]
    axes.set_yticks(-np.arange(len(names)), labels)
    axes.yaxis.tick_right()
    axes.tick_params(axis="y", length=0, labelsize=6.5)
    axes.spines["left"].set_visible(False)
    axes.set_ylim(0.5 - len(names), 0.5)
    axes.set(xlim=(-REACH, REACH), xlabel="standard errors")
    axes.set_xticks([-4, -2, 0, 2, 4])


def shown(results: style.Results) -> str:
    """The layers whose states grow, and how far the moments are from theory."""
    data = results[STUDY]
    apart = np.abs(data["measured"] - data["predicted"]) / data["sem"]
    error = float((data["error"] / data["predicted"]).max())
    ratio = (data["measured"] / data["predicted"]).values.ravel()
    memory = data["memory"].values
    states = data["predicted"].sel(moment="state")
    factors = states.isel(memory=-1) / states.isel(memory=0)
    by_layer = dict(zip(factors["layer"].values.tolist(), factors.values, strict=True))
    growing = [
        f"{style.number(by)} times in {LAYERS.get(str(name), str(name))}"
        for name, by in by_layer.items()
        if by >= GROWS
    ]
    rest = phrases.span([by for by in by_layer.values() if by < GROWS], ".1f")
    return (
        f"Between time constants of {memory[0]:g} and {memory[-1]:g} steps, squared states "
        f"grow {phrases.listed(growing) if growing else f'over {GROWS:g} times in no layer'}; "
        f"others become {rest} times as large. {int((apart <= 2).sum())} of "
        f"{apart.size} measured moments lie within two standard errors of the predicted "
        "moments; all are "
        f"{phrases.span(ratio, '.3f')} times as large. The predictions have a relative error "
        f"of at most {style.number(100 * error, 1)} %."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-gates")
