"""BLUR (2025), Figure 6: inference time and test error on ETTh1 against the horizon."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import horizons, phrases, series, style
from sigprop.figures.entry import Entry
from sigprop.figures.epochs import NAMES

STUDY, ERRORS = "forecast_speed", "forecasts"
ENTRY = Entry(
    {**dict.fromkeys("ab", STUDY), "c": ERRORS},
    "Time and error of a forecast against the horizon",
    reduced="Times are measured on batches of 16 windows. The networks of panel C "
    f"{series.SIZES}, at horizons 24 and 48.",
    full="sigprop figure blur-6 --panel a --preset full",
    rows=("blur:fig6",),
)
DATA, HORIZONS = "ETTh1", (24, 48, 168, 336, 720)
COLOURS = {model: colour for model, (_, colour, _) in series.MODELS.items()} | {
    "gru": style.GREEN,
    "lstm": style.ORANGE,
}
QUARTILES = 0.25, 0.75
POWERS = "power of the horizon (95 % interval)"
TITLES = {
    "a": "time per window",
    "b": "time relative to the LRU",
    "c": f"test error, {DATA}",
}
CAPTION = (
    "Networks have {depth} blocks, {width} features and {states} states, and read {windows} "
    "windows of random numbers at once. The key has the power of the horizon by which a time "
    "grows, with its 95 % interval. Panel A has medians of {repeats} repeats. Panel B has the "
    "medians and quartiles of the ratios in each repeat."
)
MEANS = (
    "Panel C has {data} and networks of {width} features and {depth} blocks, with means over "
    "{seeds} trainings and standard errors. Grey lines are forecasts without a network."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the time that a forecast takes, panel B this time relative to the LRU's.

    Panel C shows the error of the forecasts.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    rows = [row for row in ("ab", "c") if set(row) & set(letters)]
    with style.styled():
        figure = style.figure(2.4 * len(rows) + 0.5)
        for part, row in zip(style.stacked(figure, [1] * len(rows)), rows, strict=True):
            wanted = [letter for letter in row if letter in letters]
            panels = part.subplots(1, len(wanted), squeeze=False)[0]
            for axes, letter in zip(panels, wanted, strict=True):
                _panel(axes, letter, results)
            ncols = {"a": 2, "b": 3, "c": 5}[wanted[0]]
            part.legend(
                *panels[0].get_legend_handles_labels(),
                loc="outside upper center",
                ncols=ncols,
                title="" if row == "c" or "a" not in wanted else POWERS,
            )
        style.caption(figure, *_notes(results, letters))
    return figure


def _panel(axes: Axes, letter: str, results: style.Results) -> None:
    if letter == "c":
        horizons.over_horizons(axes, results[ERRORS], DATA, "mae")
    else:
        {"a": _seconds, "b": _ratios}[letter](axes, results[STUDY])
        _over(axes, results[STUDY]["horizon"].values.tolist())
    style.letter(axes, letter, TITLES[letter])


def _over(axes: Axes, rows: list[int]) -> None:
    """An axis of horizons."""
    axes.set_xscale("log")
    axes.set_xticks(rows, [str(horizon) for horizon in rows])
    axes.minorticks_off()
    axes.set_xlabel("horizon (rows)")


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
        timings = data.sel(model=model)
        low, power, high = timings["power"].values
        label = f"{NAMES[model]}: ${power:.2f}$ ({low:.2f} to {high:.2f})"
        milliseconds = 1e3 * timings["seconds"].median("repeat")
        axes.plot(timings["horizon"], milliseconds, "o-", color=colour, label=label)
    axes.set_ylabel("milliseconds")
    axes.set_yscale("log")
    style.plain_log(axes)


def _ratios(axes: Axes, data: xr.Dataset) -> None:
    for model, colour in _models(data).items():
        if model == "lru":
            continue
        times = _beside(data, model)
        low, high = times.quantile(QUARTILES, "repeat")
        axes.fill_between(times["horizon"], low, high, color=colour, alpha=0.2, lw=0)
        middle = times.median("repeat")
        axes.plot(times["horizon"], middle, "o-", color=colour, label=NAMES[model])
    axes.axhline(1, color=style.BLACK, linewidth=0.6)
    axes.set_ylabel("times as long as the LRU")
    axes.set_ylim(0, None)


def _beside(data: xr.Dataset, model: str) -> xr.DataArray:
    return data["seconds"].sel(model=model) / data["seconds"].sel(model="lru")


def shown(results: style.Results) -> str:
    """The time of BLUR relative to the LRU, and the growth of both times with the horizon."""
    data = results[STUDY]
    times = _beside(data, "blur").median("repeat")
    grown = " ".join(
        f"{whose} time grows as the horizon to the power {_power(data, model)}."
        for whose, model in (("The LRU's", "lru"), ("BLUR's", "blur"))
    )
    return (
        f"A forecast by BLUR takes {phrases.span(times.values, '.2f')} times as long as a "
        f"forecast by the LRU, depending on the horizon. {grown}"
    )


def _power(data: xr.Dataset, model: str) -> str:
    """The power of the horizon with its interval, which one repeat does not have."""
    low, power, high = data["power"].sel(model=model).values
    interval = f", with a 95 % interval of {low:.2f} to {high:.2f}"
    return f"{power:.2f}{interval if low == low else ''}"


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-6")
