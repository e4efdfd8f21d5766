"""A figure of sigprop, not from a paper: growth of signals with depth."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "depth_map"
ENTRY = Entry(
    dict.fromkeys("abcdef", STUDY),
    "Signals through depth: where they vanish or explode",
)
SETTINGS = dict(zip("abc", ("alone", "skip", "skip + norm"), strict=True)) | dict(
    zip("def", ("alone", "skip", "skip + norm"), strict=True)
)
TITLES = {"alone": "no skips", "skip": "skips", "skip + norm": "skips and norms"}
SIGNALS: dict[str, tuple[Any, str]] = {"stream": ("-", "o"), "gradient": ("--", "^")}
COLOURS = (style.PURPLE, style.GREEN, style.VERMILION, style.BLUE, style.ORANGE)
MAPS = {"alone": "RdBu_r", "skip": "Reds", "skip + norm": "Reds"}
ENDS = {
    "alone": (-2.6, 2.6),
    "skip": (0, 0.7),
    "skip + norm": (0, 0.7),
}  # of the colours
LEVELS = {"alone": (0.0,), "skip": (0.1, 0.3), "skip + norm": (0.1, 0.3)}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """All panels show by which factor one block multiplies the signal or its gradient.

    Panels A to C are maps of theory over modulus and gain, and panels D to F are curves
    with measurements.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    rows = [row for row in ("abc", "def") if set(row) & set(letters)]
    with style.styled():
        width = style.WIDTH if len(letters) > 1 else 2.4
        height = 2.0 * len(rows) + (0.8 if len(letters) > 1 else 2.2)
        figure = style.figure(height, width)
        grid = figure.subplots(len(rows), 3 if panel is None else 1, squeeze=False)
        drawn = dict(zip(letters, grid.ravel(), strict=True))
        for letter, axes in drawn.items():
            (_map if letter in "abc" else _cuts)(axes, data, SETTINGS[letter])
            style.letter(axes, letter, TITLES[SETTINGS[letter]])
            if letter not in ("a", "d", panel):
                axes.set_ylabel("")
        maps = {letter: axes for letter, axes in drawn.items() if letter in "abc"}
        for group in ("a", "bc"):
            _bar(
                figure,
                [axes for letter, axes in maps.items() if letter in group],
                group,
            )
        _key(figure, data, letters)
        style.caption(figure, _notes(data))
    return figure


def _bar(figure: Figure, maps: list[Axes], group: str) -> None:
    """Draw the scale of colours that maps share below them."""
    if maps:
        setting = SETTINGS[group[0]]
        scale = ScalarMappable(Normalize(*ENDS[setting]), MAPS[setting])
        bar = figure.colorbar(scale, ax=maps, location="bottom", aspect=12 * len(group))
        bar.set_label("signal, decades per block", fontsize=7)
        bar.set_ticks([-2, 0, 2] if group == "a" else [0, 0.2, 0.4, 0.6])


def _notes(data: xr.Dataset) -> str:
    return (
        f"The networks have {data.attrs['sizes']}. The inputs have "
        f"$\\rho = {data.attrs['rho']:g}$. The gain multiplies the output of each block. "
        "The signal is the mean square between blocks, the gradient is the mean square of the "
        "loss's derivative. Colours show the predicted growth of the signal; note their two "
        "scales. Solid (signal) and "
        "dashed (gradient) lines join points of equal growth; the numbers at the right are its "
        "decades per block. "
        f"Points are means over {data.attrs['sequences']} sequences, with bars of two standard "
        "errors."
    )


def _map(axes: Axes, data: xr.Dataset, setting: str) -> None:
    predicted = (
        data["predicted"].sel(setting=setting).transpose("signal", "gain", "gap")
    )
    gap, gain = data["gap"].values, data["gain"].values
    low, high = ENDS[setting]
    filled = axes.contourf(
        gap,
        gain,
        np.clip(predicted.sel(signal="stream"), low, high),
        np.linspace(low, high, 27),
        cmap=MAPS[setting],
        norm=Normalize(low, high),
    )
    filled.set_rasterized(True)
    for signal, (dashes, _) in SIGNALS.items():
        axes.contour(
            gap,
            gain,
            predicted.sel(signal=signal),
            LEVELS[setting],
            colors=style.BLACK,
            linestyles=dashes,
            linewidths=1.0,
        )
    axes.set_yscale("log")
    _levels(axes, predicted.isel(gap=int(gap.argmin())), LEVELS[setting])
    _radius(axes, gap)
    axes.set_ylabel("gain")
    axes.set_yticks(gain[::2], [f"{tick:g}" for tick in gain[::2]], minor=False)
    axes.minorticks_off()


def _levels(axes: Axes, edge: xr.DataArray, levels: tuple[float, ...]) -> None:
    """Write each level right of the map, at the middle of the lines that have it."""
    gain = np.log(edge["gain"].values)
    for level in levels:
        crossed = [
            np.interp(level, growth, gain)
            for growth in edge.values
            if growth.min() < level < growth.max()
        ]
        if crossed:
            axes.annotate(
                f"{level:g}",
                (1, float(np.exp(np.mean(crossed)))),
                (2, 0),
                xycoords=axes.get_yaxis_transform(),
                textcoords="offset points",
                va="center",
                fontsize=6,
                annotation_clip=False,
            )


def _radius(axes: Axes, gap: np.ndarray, margin: float = 1.0) -> None:
    """Label an axis of gaps with moduli, the largest at the right."""
    axes.set_xscale("log")
    axes.set_xlim(gap.max() * margin, gap.min() / margin)
    axes.set_xticks(gap[::2], [f"{1 - tick:.3g}" for tick in gap[::2]], minor=False)
    axes.minorticks_off()
    axes.set_xlabel(r"smallest modulus $\nu_0$")


def _cuts(axes: Axes, data: xr.Dataset, setting: str) -> None:
    points = data.sel(setting=setting)
    for gain, colour in zip(data["measured_gain"].values, COLOURS, strict=False):
        for signal, (dashes, marker) in SIGNALS.items():
            line = points["predicted"].sel(gain=gain, signal=signal)
            axes.plot(data["gap"], line, dashes, color=colour)
            point = {"measured_gain": gain, "signal": signal}
            axes.errorbar(
                data["measured_gap"],
                points["measured"].sel(point),
                yerr=2 * points["sem"].sel(point).values,
                fmt=marker,
                color=colour,
                markersize=3,
                elinewidth=0.6,
            )
    axes.axhline(0, color=style.GREY, linewidth=0.6, zorder=0)
    _radius(axes, data["gap"].values, 1.2)
    axes.set_ylabel("growth, decades per block")


def _key(figure: Figure, data: xr.Dataset, letters: tuple[str, ...]) -> None:
    """Explain dashes and colours above the panels."""
    cuts = bool(set(letters) & set("def"))
    keys = [
        Line2D(
            *([], []),
            color=style.BLACK,
            linestyle=dashes,
            marker=marker if cuts else "",
            markersize=3,
            label={"stream": "signal", "gradient": "gradient"}[signal],
        )
        for signal, (dashes, marker) in SIGNALS.items()
    ]
    gains = zip(data["measured_gain"].values, COLOURS, strict=False)
    keys += [
        Line2D([], [], color=colour, label=f"gain {gain:g}")
        for gain, colour in gains
        if cuts
    ]
    figure.legend(
        handles=keys,
        loc="outside upper center",
        ncols=len(keys) if len(letters) > 1 else 2,
        handlelength=2,
        columnspacing=1.4,
    )


def critical(data: xr.Dataset, setting: str, signal: str) -> np.ndarray:
    """The gain at which a signal keeps its size, at each gap; NaN if it never does."""
    gain = np.log(data["gain"].values)
    gains = []
    for values in data["predicted"].sel(setting=setting, signal=signal).values:
        rising = values[0] < 0 < values[-1]
        gains.append(np.exp(np.interp(0, values, gain)) if rising else np.nan)
    return np.array(gains)


def shown(results: style.Results) -> str:
    """The gains that keep signals constant, and the errors of theory."""
    data = results[STUDY]
    forth, back = (
        phrases.span(gains[np.isfinite(gains)], ".2g")
        for gains in (critical(data, "alone", signal) for signal in SIGNALS)
    )
    least = float(data["predicted"].sel(setting=["skip", "skip + norm"]).min())
    beside = (
        "never shrink"
        if least >= 0
        else f"shrink by {-least:.2g} decades per block at most"
    )
    picked = data["predicted"].sel(
        gap=data["measured_gap"].values, gain=data["measured_gain"].values
    )
    off = data["measured"] - picked.values
    apart = np.abs(off.values)
    gradients = 10 ** off.sel(setting="skip + norm", signal="gradient").values - 1
    return (
        f"Without skips, the signal keeps its size at a gain of {forth} and the gradient keeps "
        f"its size at {back}, depending on the moduli. With skips, signals and gradients "
        f"{beside}. Half of {apart.size} measured growth factors per block lie within "
        f"{100 * (10 ** np.median(apart) - 1):.1f} % of theory and all within "
        f"{100 * (10 ** apart.max() - 1):.0f} %; gradients with norms differ by "
        f"{phrases.span(100 * gradients.ravel(), '+.0f')} %."
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-depth")
