"""BLUR (2025), Figure 6: inference time along the horizon with ETTh1, and test error."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import horizons, series, style
from sigprop.figures.epochs import NAMES

STUDY, ERRORS = "forecast_speed", "forecasts"
STUDIES = {**dict.fromkeys("ab", STUDY), "c": ERRORS}
DATA, HORIZONS = "ETTh1", (24, 48, 168, 336, 720)
COLOURS = {model: colour for model, (_, colour, _) in series.MODELS.items()} | {
    "gru": style.GREEN,
    "lstm": style.ORANGE,
}
ROOM = 0.75  # of an axis, above its points, for their names
TITLES = {"a": "a window", "b": "beside the LRU", "c": "test error"}
CAPTION = (
    "{depth} blocks of {width} features and {states} states, a batch of {windows} windows, "
    "made-up numbers. A: medians of {repeats} repeats; powers of the horizon, with 95 % "
    "intervals. B: within repeats, medians and ranges."
)
MEANS = (
    "C: {data}, networks of {width} features and {depth} blocks; means over {seeds} trainings "
    "with standard errors, open diamonds what the paper prints, grey what needs no network."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Seconds of a forecast over horizons as long as the window, and its error.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    rows = [row for row in ("ab", "c") if set(row) & set(letters)]
    with style.styled():
        drawn = style.figure(2.4 * len(rows) + 0.5)
        for part, row in zip(style.stacked(drawn, [1] * len(rows)), rows, strict=True):
            wanted = [letter for letter in row if letter in letters]
            panels = part.subplots(1, len(wanted), squeeze=False)[0]
            for axes, letter in zip(panels, wanted, strict=True):
                _panel(axes, letter, results)
        style.caption(drawn, *_notes(results, letters))
    return drawn


def _panel(axes: Axes, letter: str, results: style.Results) -> None:
    if letter == "c":
        horizons.over_horizons(axes, results[ERRORS], DATA, "mae")
        axes.legend(loc="center right", fontsize=6)
    else:
        {"a": _seconds, "b": _ratios}[letter](axes, results[STUDY])
        _over(axes, results[STUDY]["horizon"].values.tolist())
    style.letter(axes, letter, TITLES[letter])


def _over(axes: Axes, rows: list[int]) -> None:
    """An axis of horizons."""
    axes.set_xscale("log")
    axes.set_xticks(rows, [str(one) for one in rows])
    axes.minorticks_off()
    axes.set_xlabel("horizon, rows")


def _notes(results: style.Results, letters: tuple[str, ...]) -> list[str]:
    notes = []
    if set(letters) & set("ab"):
        data = results[STUDY]
        names = ("depth", "width", "states", "windows")
        about = {name: data.attrs[name] for name in names}
        notes.append(CAPTION.format(repeats=data.sizes["repeat"], **about))
    if "c" in letters:
        data = results[ERRORS]
        sizes = {name: int(data[name][0]) for name in ("width", "depth")}
        seeds = len(set(data["seed"].values.tolist()))
        known = DATA if DATA in data["data"].values else str(data["data"].values[0])
        notes.append(MEANS.format(data=known, seeds=seeds, **sizes))
        notes.append(horizons.missing(data, DATA, HORIZONS))
    return [note for note in notes if note]


def _models(data: xr.Dataset) -> dict[str, str]:
    return {name: COLOURS[name] for name in data["model"].values.tolist()}


def _seconds(axes: Axes, data: xr.Dataset) -> None:
    for model, colour in _models(data).items():
        one = data.sel(model=model)
        low, power, high = one["power"].values
        label = f"{NAMES[model]}, ${power:.2f}$ ({low:.2f} to {high:.2f})"
        milliseconds = 1e3 * one["seconds"].median("repeat")
        axes.plot(one["horizon"], milliseconds, "o-", color=colour, label=label)
    axes.legend(
        loc="upper left", borderaxespad=0, title="power of the horizon", fontsize=6
    )
    axes.set_ylabel("milliseconds")
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    axes.set_ylim(low, high * (high / low) ** ROOM)
    style.plain_log(axes)


def _ratios(axes: Axes, data: xr.Dataset) -> None:
    for model, colour in _models(data).items():
        if model == "lru":
            continue
        times = _beside(data, model)
        low, high = times.min("repeat"), times.max("repeat")
        axes.fill_between(times["horizon"], low, high, color=colour, alpha=0.2, lw=0)
        middle = times.median("repeat")
        axes.plot(times["horizon"], middle, "o-", color=colour, label=NAMES[model])
    axes.axhline(1, color=style.BLACK, linewidth=0.6)
    axes.set_ylabel("times as long as the LRU")
    axes.set_ylim(0, (1 + ROOM / 2) * axes.get_ylim()[1])
    axes.legend(loc="upper left")


def _beside(data: xr.Dataset, model: str) -> xr.DataArray:
    return data["seconds"].sel(model=model) / data["seconds"].sel(model="lru")


def shown(results: style.Results) -> str:
    """How many times as long as the LRU BLUR takes, and how both grow."""
    data = results[STUDY]
    times = _beside(data, "blur").median("repeat")
    powers = " and ".join(
        "{1:.2f} ({0:.2f} to {2:.2f})".format(*data["power"].sel(model=model).values)
        for model in ("lru", "blur")
    )
    return (
        f"BLUR takes {float(times.min()):.2f} to {float(times.max()):.2f} times as long as "
        f"the LRU. The times of LRU and BLUR grow as the horizon to the power of {powers}."
    )
