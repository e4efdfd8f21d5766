"""BLUR (2025), Figure 6: inference time and test error on ETTh1 against the horizon."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator

from sigprop.figures import horizons, phrases, series, style
from sigprop.figures.entry import Entry
from sigprop.figures.epochs import NAMES

STUDY, ERRORS = "forecast_speed", "horizons"
ENTRY = Entry(
    {**dict.fromkeys("ab", STUDY), "c": ERRORS},
    "Time and error of a forecast against the horizon",
    reduced="Times are measured on batches of 16 windows. The networks of panel C "
    f"{series.SIZES}, at horizons 24 to 336.",
    full="sigprop figure blur-6 --panel a --preset full",
    rows=("blur:fig6",),
)
DATA = "ETTh1"
COLOURS = {model: colour for model, (_, colour, _) in series.MODELS.items()} | {
    "gru": style.GREEN,
    "lstm": style.ORANGE,
}
LONG = 168  # rows; repeats of shorter forecasts differ by more than the models
BESIDE = 1.07  # ratio of horizons at which points of neighbouring models stand
TITLES = {"a": "time per window", "b": "relative to the LRU", "c": f"error, {DATA}"}
WIDTHS = {"a": 1.0, "b": 0.8, "c": 1.0}
CAPTION = (
    "Times are measured on {machine}, for batches of {windows} windows of random numbers. "
    "Networks have {depth} blocks, {width} features and {states} states. Dots in A and B are "
    "medians of {repeats} repeats, moved apart by model, and bars their whole range. Ratios in "
    "B are taken within a repeat. B begins at horizon {first}, since shorter forecasts scatter "
    "by more than the models differ."
)
MEANS = (
    "C: networks of {width} features and {depth} blocks on {data}, means over {seeds} "
    "trainings with standard errors. Grey lines are forecasts without a network; the season "
    "is 24 hours. Diamonds are the paper's errors at these horizons; its table reaches to "
    "horizon 720."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the time of a forecast per window, B this time relative to the LRU's.

    Panel C shows the error of the forecasts.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    with style.styled():
        figure = style.figure(3.3, style.WIDTH if panel is None else 3.4)
        widths = [WIDTHS[letter] for letter in letters]
        row = figure.subplots(1, len(letters), squeeze=False, width_ratios=widths)[0]
        for axes, letter in zip(row, letters, strict=True):
            _panel(axes, letter, results)
        ncols = 4 if panel is None else 2
        figure.legend(**horizons.keys(row), loc="outside upper center", ncols=ncols)
        style.caption(figure, *_notes(results, letters))
    return figure


def _panel(axes: Axes, letter: str, results: style.Results) -> None:
    if letter == "c":
        horizons.over_horizons(axes, results[ERRORS], DATA, "mae")
    else:
        data = results[STUDY] if letter == "a" else _long(results[STUDY])
        {"a": _seconds, "b": _ratios}[letter](axes, data)
        style.plain_log(axes)
        _over(axes, data["horizon"].values.tolist())
    style.letter(axes, letter, TITLES[letter])


def _long(data: xr.Dataset) -> xr.Dataset:
    """Times of the horizons that are compared: from ``LONG``, or the longest alone."""
    rows = data["horizon"].values
    return data.isel(horizon=rows >= min(LONG, rows.max()))


def _over(axes: Axes, rows: list[int]) -> None:
    """An axis of horizons."""
    axes.set_xscale("log")
    axes.set_xticks(rows, [str(horizon) for horizon in rows])
    axes.tick_params(axis="x", labelsize=6.5)
    axes.xaxis.set_minor_locator(NullLocator())
    axes.set_xlabel("horizon (hours)")


def _notes(results: style.Results, letters: tuple[str, ...]) -> list[str]:
    notes = []
    if set(letters) & set("ab"):
        data = results[STUDY]
        names = ("depth", "width", "states", "windows")
        about = {name: data.attrs[name] for name in names}
        about["machine"] = phrases.machine(data.attrs)
        about["first"] = int(_long(data)["horizon"][0])
        notes.append(CAPTION.format(repeats=data.sizes["repeat"], **about))
    if "c" in letters:
        data = results[ERRORS]
        sizes = {name: int(data[name][0]) for name in ("width", "depth")}
        seeds = len(set(data["seed"].values.tolist()))
        notes.append(MEANS.format(data=_trained(data), seeds=seeds, **sizes))
    return notes


def _trained(data: xr.Dataset) -> str:
    """The data set of panel C: the first one if ``DATA`` has no trainings."""
    return DATA if DATA in data["data"].values else str(data["data"].values[0])


def _models(data: xr.Dataset) -> dict[str, str]:
    return {name: COLOURS[name] for name in data["model"].values.tolist()}


def _seconds(axes: Axes, data: xr.Dataset) -> None:
    _timed(
        axes, {name: 1e3 * data["seconds"].sel(model=name) for name in _models(data)}
    )
    axes.set_ylabel("milliseconds")


def _ratios(axes: Axes, data: xr.Dataset) -> None:
    others = [name for name in _models(data) if name != "lru"]
    _timed(axes, {name: _beside(data, name) for name in others})
    axes.axhline(1, color=COLOURS["lru"], linewidth=1)
    axes.set_ylabel("time / time of the LRU")


def _timed(axes: Axes, times: dict[str, xr.DataArray]) -> None:
    """Draw medians of the repeats of each model, with their whole range."""
    for number, (model, repeats) in enumerate(times.items()):
        shift = BESIDE ** (number - (len(times) - 1) / 2)
        at, middle = shift * repeats["horizon"].values, repeats.median("repeat")
        down, up = middle - repeats.min("repeat"), repeats.max("repeat") - middle
        axes.errorbar(
            *(at, middle, [down, up]),
            fmt="o-",
            color=COLOURS[model],
            ms=3,
            lw=1,
            elinewidth=0.7,
            label=NAMES[model],
        )


def _beside(data: xr.Dataset, model: str) -> xr.DataArray:
    return data["seconds"].sel(model=model) / data["seconds"].sel(model="lru")


def shown(results: style.Results) -> str:
    """The times relative to the LRU's, their growth, and the errors relative to the LRU's."""
    data, long = results[STUDY], _long(results[STUDY])
    others = [name for name in data["model"].values.tolist() if name != "lru"]
    times = phrases.listed(
        [
            f"{phrases.span(ratios.values, '.1f')} ({NAMES[name]})"
            for name in others
            for ratios in [_beside(long, name).median("repeat")]
        ]
    )
    middle = data["seconds"].median("repeat")
    grown = middle.isel(horizon=-1) / middle.isel(horizon=0)
    first, last = (int(data["horizon"][at]) for at in (0, -1))
    name = _trained(results[ERRORS])
    errors = horizons.errors(results[ERRORS], name, "mae")
    ratios = errors["blur"][:, 1] / errors["lru"][:, 1]
    return (
        f"A forecast takes {times} times as long as a forecast by the LRU, at horizons of "
        f"{int(long['horizon'][0])} and more. "
        f"From horizon {first} to {last}, the median time grows "
        f"{float(grown.sel(model='lru')):.0f} times for the LRU and "
        f"{float(grown.sel(model='blur')):.0f} times for BLUR. BLUR's mean absolute error on "
        f"{name} is {phrases.span(ratios, '.2f')} times the LRU's."
    )


def details(results: style.Results) -> style.Cells:
    """The power of the horizon by which each time grows, with its interval."""
    data = results[STUDY]
    return (
        ("time of a forecast by", "power of the horizon", "95 % from", "to"),
        *(
            (NAMES[name], f"{power:.2f}", f"{low:.2f}", f"{high:.2f}")
            for name in data["model"].values.tolist()
            for low, power, high in [data["power"].sel(model=name).values]
        ),
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-6")
