"""A figure of sigprop, not from a paper: layers at equal time constants."""

from typing import Any

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import LogLocator, NullLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "equal_memory"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "States, gradients and curvature of eleven layers at equal time constants",
)
PANELS = {"a": "state", "b": "gradient", "c": "trace"}
TITLES = {"a": "squared state", "b": "gradient", "c": "Hessian trace"}
UP = {
    "a": r"E$|h|^2$ per entry",
    "b": r"E$|\partial h/\partial \log\tau|^2$ per entry",
    "c": "trace per recurrent parameter",
}
GREW = 0.5  # power of the time constant above which the sentence says that it grows
COLOURS = {
    "LRU": style.BLACK,
    "RotRNN": style.GREY,
    "Mamba-2": style.BLUE,
    "Mamba-3": style.SKY,
    "gated DeltaNet": style.PURPLE,
    "DeltaNet": style.PURPLE,
    "DeltaProduct": style.ORANGE,
    "RWKV-7": style.ORANGE,
    "mLSTM": style.VERMILION,
    "LinOSS": style.GREEN,
    "HGRN2": style.GREEN,
}
DASHES: dict[str, Any] = dict.fromkeys(COLOURS, "-") | dict.fromkeys(
    ("DeltaNet", "RWKV-7", "HGRN2"), "--"
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Each panel shows one quantity of every layer against the time constant.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(
            3.1 if len(letters) > 1 else 4.2, 5.5 if len(letters) > 1 else 3.4
        )
        row = figure.subplots(1, len(letters), squeeze=False)[0]
        for axes, letter in zip(row, letters, strict=True):
            _curves(axes, data, PANELS[letter])
            axes.set_ylabel(UP[letter])
            style.letter(axes, letter, TITLES[letter])
        figure.legend(
            handles=[
                Line2D([], [], color=COLOURS[name], linestyle=DASHES[name], label=name)
                for name in data["layer"].values.tolist()
            ],
            loc="outside upper center",
            ncols=6 if len(letters) > 1 else 3,
            handlelength=2.0,
            columnspacing=1.2,
        )
        style.caption(
            figure,
            f"Means over {data.attrs['sequences']} sequences of Gaussian inputs "
            f"({data.attrs['inputs']} channels), after {data.attrs['spans']:g} time constants "
            "from the zero state, with bars of two standard errors. The time constant τ is "
            "that of the gates at zero input; the writes of the delta rule and random gates "
            "forget besides. B: the derivative with respect to log τ compares layers by the "
            "same relative change of τ, whatever their parameters are. C: the trace of the "
            "loss's Hessian where a layer is its own teacher, over the trained parameters of "
            "recurrence and gates, divided by their number. LRU and RotRNN are shown for "
            "reference: by their exact Hessians the trace grows in the angles alone, as τ².",
        )
    return figure


def _curves(axes: Axes, data: xr.Dataset, quantity: str) -> None:
    memory = data["memory"].values
    for name in data["layer"].values.tolist():
        curve = data.sel(quantity=quantity, layer=name)
        axes.errorbar(
            memory,
            curve["mean"],
            yerr=2 * curve["sem"].values,
            color=COLOURS[name],
            linestyle=DASHES[name],
            marker="o",
            markersize=2.2,
            elinewidth=0.6,
            label=name,
        )
    axes.set(xscale="log", yscale="log", xlabel="time constant τ, steps")
    axes.set_xticks(memory, [f"{value:g}" for value in memory])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_locator(LogLocator(numticks=6))
    axes.yaxis.set_minor_locator(NullLocator())


def shown(results: style.Results) -> str:
    """The layers whose gradients and curvatures grow, with the fitted exponents."""
    data = results[STUDY]
    memory = data["memory"].values
    fitted = data.attrs["fitted"]
    return (
        f"Between time constants of {fitted:g} and {memory[-1]:g} steps the gradient "
        f"{_growing(data, 'gradient')}. "
        f"The Hessian trace {_growing(data, 'trace')}. "
        f"The squared state {_growing(data, 'state')}."
    )


def _growing(data: xr.Dataset, quantity: str) -> str:
    """The layers in which a quantity grows, with exponents, and the range of the others."""
    power = data["exponent"].sel(quantity=quantity)
    by_layer = dict(zip(power["layer"].values.tolist(), power.values, strict=True))
    growing = sorted(
        (name for name, value in by_layer.items() if value > GREW),
        key=lambda name: -by_layer[name],
    )
    others = [value for value in by_layer.values() if value <= GREW]
    said = "grows in no layer"
    if growing:
        powers = [f"τ{_raised(by_layer[name])} in {name}" for name in growing]
        said = f"grows as {phrases.listed(powers)}"
    if not others:
        return said
    return f"{said}; other exponents are {phrases.span(others, 'z.1f')}"


def _raised(power: float) -> str:
    return phrases.raised(float(f"{power:.1f}"))


def details(results: style.Results) -> style.Cells:
    """Fitted exponents of the time constant with two standard errors, by layer."""
    data = results[STUDY]
    rows = [
        (
            str(name),
            *(
                f"{float(case['exponent']):.2f} ± {2 * float(case['exponent_sem']):.2f}"
                for case in (data.sel(layer=name, quantity=q) for q in PANELS.values())
            ),
        )
        for name in data["layer"].values
    ]
    header = (
        "layer",
        "exponent of the squared state",
        "of the gradient with respect to log τ",
        "of the Hessian trace",
    )
    return (header, *rows)


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-equal-memory")
