"""BLUR (2025), Figure 7: forecast errors of all models against the horizon."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import horizons, phrases, series, style
from sigprop.figures.entry import Entry

STUDY, HORIZONS = "forecasts", "horizons"
ENTRY = Entry(
    {**dict.fromkeys("ab", HORIZONS), "c": STUDY},
    "Forecast errors against the horizon, and of all layers at one horizon",
    reduced=f"{series.SMALLER} The data are ETTh1 at horizons 24 to 336, and at 24 only for "
    "layers other than LRU and BLUR. The paper uses ETTm1, seven models and five "
    "horizons.",
    full="sigprop train forecast --data ETTm1 --horizon 24 --model blur --preset paper",
    rows=("blur:fig7",),
)
METRICS = {"a": "mse", "b": "mae", "c": "mse"}
WIDTHS = {"a": 1.0, "b": 1.0, "c": 1.5}
PAPER, OURS = "ETTm1", "ETTh1"
CAPTION = (
    "Errors are over all features; axes do not start at zero. Dots are means over {seeds} "
    "trainings with standard errors. Open diamonds are the paper's errors for {table}, where "
    "it has one. Grey lines are forecasts without a network; the season is 24 hours."
)
LAYERS = "C has squared errors of all layers, whose windows are as long as the horizon."
TITLES = {"a": "squared error", "b": "absolute error"}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show two errors of the LRU and BLUR at each horizon.

    Panel C shows the errors of all layers at one horizon.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    name = _table(results[HORIZONS]) if HORIZONS in results else OURS
    wide = style.WIDTH if panel in (None, "c") else 3.1
    with style.styled():
        figure = style.figure(3.8, wide)
        widths = [WIDTHS[letter] for letter in letters]
        row = figure.subplots(1, len(letters), squeeze=False, width_ratios=widths)[0]
        for axes, letter in zip(row, letters, strict=True):
            _panel(axes, results[ENTRY.studies[letter]], name, letter)
        ncols = 3 if wide == style.WIDTH else 2
        figure.legend(**horizons.keys(row), loc="outside upper center", ncols=ncols)
        data = results[ENTRY.studies[letters[-1]]]
        style.caption(figure, _notes(data, name, letters))
    return figure


def _panel(axes: Axes, data: xr.Dataset, name: str, letter: str) -> None:
    metric = METRICS[letter]
    if letter == "c":
        task = series.richest(data)
        horizons.by_layer(axes, data, task, metric)
        style.letter(axes, letter, f"{series.task_label(task)}")
    else:
        horizons.over_horizons(axes, data, name, metric)
        style.letter(axes, letter, TITLES[letter])


def _notes(data: xr.Dataset, name: str, letters: tuple[str, ...]) -> str:
    seeds = len(set(data["seed"].values.tolist()))
    layers = "c" in letters and series.others(data, series.richest(data))
    caption = CAPTION.format(table=name, seeds=seeds)
    return f"{caption} {LAYERS}" if layers else caption


def _table(data: xr.Dataset) -> str:
    """The paper's data set if it was trained, else ours, else the first one."""
    known = [name for name, _ in series.tasks(data)]
    return next((name for name in (PAPER, OURS) if name in known), known[0])


def shown(results: style.Results) -> str:
    """The ratio of both networks' errors, their growth, and the best and worst layer."""
    data = results[HORIZONS]
    name = _table(data)
    known = horizons.errors(data, name, "mse")
    ratios = known["blur"][:, 1] / known["lru"][:, 1]
    many = len(ratios) > 1
    grown = {
        model: bool((rows[1:, 1] > rows[:-1, 1]).all()) for model, rows in known.items()
    }
    grows = (
        "and both errors grow with the horizon"
        if all(grown.values())
        else "and not both errors grow with the horizon"
    )
    return (
        f"On {series.SETS.get(name, name)}, BLUR's mean squared error is "
        f"{phrases.span(ratios, '.3f')} times the LRU's{f', {grows}' if many else ''}."
        f"{horizons.extremes(results[STUDY])}{_contrary(data, name)}"
    )


def _contrary(data: xr.Dataset, name: str) -> str:
    """A sentence on a horizon at which the paper's two errors order the models otherwise."""
    known = {metric: horizons.errors(data, name, metric) for metric in ("mse", "mae")}
    for row, (horizon, *_) in enumerate(known["mse"]["lru"]):
        squared, absolute = (
            [rows[model][row, 3] for model in ("blur", "lru")]
            for rows in known.values()
        )
        if squared[0] < squared[1] and absolute[0] > absolute[1]:
            return (
                f" In the paper, BLUR at horizon {horizon:.0f} has a lower squared error "
                f"than the LRU but a larger absolute error, {absolute[0]:g} against "
                f"{absolute[1]:g}."
            )
    return ""


def details(results: style.Results) -> style.Cells:
    """Errors of all layers on each task, the smallest first, and ratios to the LRU's."""
    data, layers = results[HORIZONS], results[STUDY]
    name, richest = _table(data), series.richest(layers)
    used = {task: data for task in sorted(series.tasks(data)) if task[0] == name}
    rows = []
    for task, trained in (used | {richest: layers}).items():
        ranked = horizons.ranked(trained, task, "mse")
        rows += [
            (
                series.task_label(task),
                (series.MODELS | series.OTHERS)[model][0],
                f"{mean:.3f}",
                f"{mean / ranked['lru'][0]:#.3g}",
            )
            for model, (mean, *_) in ranked.items()
        ]
    return (
        ("task", "layer", "mean squared error, scaled units", "relative to the LRU"),
        *rows,
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-7")
