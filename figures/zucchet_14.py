"""Zucchet & Orvieto (2024), Figure 14: the recurrent Jacobian of a GRU against the delay."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.lines import Line2D

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

STUDY = "gru_jacobian"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Recurrent Jacobian of GRUs against the delay, on and off the diagonal",
    differs="Inputs are random, with the autocovariance of Figure 12; the paper uses "
    "embeddings.",
    rows=(
        "zucchet:fig14",
        "zucchet:fig14:input-gates",
        "zucchet:fig14:embeddings",
    ),
)
TITLES = {
    "a": "constant gates",
    "b": "gates that read input and state",
    "c": r"weights on the state scaled by $\sigma_h$",
}
COLOURS = {"diagonal": style.BLUE, "beside": style.VERMILION}
QUANTILES = (0.1, 0.5, 0.9)
MEMORIES = 8  # time constants of the slowest gate, after which all is near zero
SPAN = (-0.3, 1.05)  # of the axis of a Jacobian that does not explode
LEAST = 1e-3  # of the axis of a Jacobian that explodes


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A to C show entries of a GRU's recurrent Jacobian against the delay.

    All diagonal entries are shown, and some of the others.  T is the time constant
    of a gate.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    with style.styled():
        figure = style.figure(0.35 + 1.55 * len(letters))
        parts = style.stacked(figure, [1.0] * len(letters))
        figure.legend(handles=_key("b" in letters), loc="outside upper center", ncols=3)
        for letter, part in zip(letters, parts, strict=True):
            _row(part, letter, data)
        style.caption(figure, *_notes(letters))
    return figure


def _notes(letters: tuple[str, ...]) -> list[str]:
    notes = ["All panels show one sequence, at delays whose spacing grows."]
    if "b" in letters:
        shares = phrases.listed([f"{100 * share:g} %" for share in QUANTILES])
        notes.append(
            "Dotted lines in B are the decay with the gate fixed at one of its quantiles "
            f"({shares})."
        )
    if "c" in letters:
        notes.append(
            r"The middle of B has $\sigma_h = 1$. Where entries exceed one, C has a log axis "
            "and absolute values."
        )
    return notes


def _key(constant: bool) -> list[Line2D]:
    names = {"diagonal": "diagonal entries", "beside": "off-diagonal entries"}
    entries = [
        Line2D([], [], color=COLOURS[name], label=label)
        for name, label in names.items()
    ]
    dotted = Line2D([], [], ls=":", color=style.BLACK, label="constant gates")
    return [*entries, dotted] if constant else entries


def _row(part: SubFigure, letter: str, data: xr.Dataset) -> None:
    chosen = data.isel(case=np.flatnonzero(data["panel"] == letter))
    row = part.subplots(1, chosen.sizes["case"], squeeze=False, sharey=letter != "c")[0]
    for column, axes in enumerate(row):
        case = chosen.isel(case=column)
        _entries(axes, case)
        gain, most = float(case["gain"]), float(case["t_max"])
        if letter == "b":
            _constant(axes, case)
        limit = rf"$T \leq {most:g}$"
        title = rf"$\sigma_h = {gain:g}$, {limit}" if letter == "c" else limit
        axes.set_title(title, loc="center", fontsize=7)
        if axes.get_yscale() == "log":
            axes.set_ylabel(r"$|\mathrm{d}h_\Delta/\mathrm{d}h_0|$", labelpad=1)
    part.suptitle(
        rf"$\bf{{{letter.upper()}}}$   {TITLES[letter]}", x=0.01, ha="left", fontsize=8
    )
    row[0].set_ylabel(r"$\mathrm{d}h_\Delta/\mathrm{d}h_0$", labelpad=1)
    part.supxlabel(r"delay $\Delta$ (steps)", fontsize=7)


def _entries(axes: Axes, case: xr.Dataset) -> None:
    """Entries against the delay; absolute values on a logarithmic axis if they explode."""
    delay = np.append(0, case["kept_delay"].values)
    far = max(float(np.abs(case[name]).max()) for name in COLOURS)
    for name, colour in COLOURS.items():
        start = float(name == "diagonal")
        values = case[name].values
        lines = np.vstack([np.full(values.shape[1], start), values])
        lines = np.abs(lines) if far > SPAN[1] else lines
        axes.plot(delay, lines, color=colour, linewidth=0.3, alpha=0.4)
    if far > SPAN[1]:
        axes.set_yscale("log")
        axes.set_ylim(LEAST, 3 * far)
        axes.minorticks_off()
    else:
        axes.set_ylim(*SPAN)
        axes.set_yticks((0, 0.5, 1))
    longest = MEMORIES * float(case["t_max"]) if case["panel"] != "c" else np.inf
    axes.set_xlim(0, min(delay[-1], longest))


def _constant(axes: Axes, case: xr.Dataset) -> None:
    """Draw powers of three quantiles of the gates, i.e. the Jacobian of constant gates."""
    delay = np.append(0, case["kept_delay"].values)
    for share in QUANTILES:
        gate = float(np.quantile(case["gate"], share))
        axes.plot(delay, gate**delay, ":", color=style.BLACK, linewidth=0.8)


def shown(results: style.Results) -> str:
    """Sizes of off-diagonal entries relative to the diagonal, and where they explode."""
    data = results[STUDY]
    ratio, (when, last) = _ratios(data)
    panels, then = data["panel"].sel(case=ratio["case"]), ratio.sel(delay=when)
    in_b, in_c = (f"{float(then[panels == panel].max()):.2g}" for panel in "bc")
    size = data["log_size"].sel(case=ratio["case"], delay=last).max("where")
    gains = data["gain"].sel(case=size["case"])
    exploded = [
        f"{float(gain):g} ({style.number(10 ** float(power), 1)})"
        for gain, power in zip(gains, size, strict=True)
        if power > 0
    ]
    where = f"at σ_h = {phrases.listed(exploded)}" if exploded else "in no panel"
    return (
        f"After {when} steps the root mean square of off-diagonal entries is at most "
        f"{in_b} of the diagonal's in panel B and at most {in_c} of it in panel C. "
        f"After {last} steps the root mean square of all entries exceeds 1 {where}."
    )


def details(results: style.Results) -> style.Cells:
    """The ratio of off-diagonal to diagonal entries after two delays, by case."""
    ratio, delays = _ratios(results[STUDY])
    header = [f"off-diagonal / diagonal rms after {delay} steps" for delay in delays]
    return (
        ("panel and setting", *header),
        *(
            (
                str(name),
                *(f"{float(ratio.sel(case=name, delay=at)):.2g}" for at in delays),
            )
            for name in ratio["case"].values
        ),
    )


def _ratios(data: xr.Dataset) -> tuple[xr.DataArray, tuple[int, int]]:
    """Off-diagonal root mean squares over the diagonal's, but for panel A; two delays."""
    last = int(data["delay"].max())
    logs = data["log_size"].isel(case=np.flatnonzero(data["panel"] != "a"))
    ratio = 10 ** (logs.sel(where="beside") - logs.sel(where="diagonal"))
    return ratio, (min(16, last), last)


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("zucchet-14")
