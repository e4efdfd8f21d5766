"""BLUR (2025), Figure 7: forecast errors of all models against the horizon."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import horizons, phrases, series, style
from sigprop.figures.entry import Entry

STUDY = "forecasts"
ENTRY = Entry(
    dict.fromkeys("abc", STUDY),
    "Forecast errors against the horizon, and of all layers",
    reduced=f"{series.SMALLER} The data are ETTh1 at horizons 24 and 48, and at 24 only for "
    "layers other than LRU and BLUR. The paper uses ETTm1, seven models and five "
    "horizons.",
    full="sigprop train forecast --data ETTm1 --horizon 24 --model blur --preset paper",
    rows=("blur:fig7",),
)
METRICS = {"a": "mse", "b": "mae", "c": "mse"}
ROWS = ("ab", "c")
PAPER, OURS = "ETTm1", "ETTh1"
HORIZONS = {PAPER: (24, 48, 96, 288, 672), OURS: (24, 48, 168, 336, 720)}
CAPTION = (
    "Errors are over all features. Dots are means over {seeds} trainings with standard "
    "errors. Open diamonds are the paper's errors for {table}. Grey lines are forecasts "
    "without a network."
)
HOLLOW = "Hollow dots in panel C are bidirectional layers other than BLUR."


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show the errors of the LRU and BLUR against the horizon.

    Panel C shows the errors of all layers at one horizon.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    rows = [row for row in ROWS if set(row) & set(letters)]
    wide = style.WIDTH if len(letters) > 1 or letters == ("c",) else 3.1
    with style.styled():
        figure = style.figure(0.5 + 2.4 * len(rows) + (wide < style.WIDTH), wide)
        for part, row in zip(style.stacked(figure, [1] * len(rows)), rows, strict=True):
            wanted = [letter for letter in row if letter in letters]
            panels = part.subplots(1, len(wanted), squeeze=False)[0]
            for axes, letter in zip(panels, wanted, strict=True):
                _panel(axes, data, _table(results), letter)
            lines = panels[0].get_legend_handles_labels()
            ncols = min(len(lines[0]), 5 if row == "c" else 1 + len(wanted))
            part.legend(*lines, loc="outside upper center", ncols=ncols)
        style.caption(figure, *_notes(data, _table(results), letters))
    return figure


def _panel(axes: Axes, data: xr.Dataset, name: str, letter: str) -> None:
    metric = METRICS[letter]
    if letter == "c":
        task = series.richest(data)
        horizons.by_layer(axes, data, task, metric)
        style.letter(axes, letter, f"all layers, {series.task_label(task)}")
    else:
        horizons.over_horizons(axes, data, name, metric)
        instead = "" if name == PAPER else f" (paper: {PAPER})"
        style.letter(axes, letter, f"{series.SETS.get(name, name)}{instead}")


def _notes(data: xr.Dataset, name: str, letters: tuple[str, ...]) -> list[str]:
    seeds = len(set(data["seed"].values.tolist()))
    hollow = [HOLLOW] * bool(
        "c" in letters and series.others(data, series.richest(data))
    )
    lacking = [horizons.missing(data, *item) for item in HORIZONS.items()]
    lacking = lacking if set(letters) & set("ab") else []
    caption = " ".join([CAPTION.format(table=name, seeds=seeds), *hollow])
    return [caption, *filter(None, lacking)]


def _table(results: style.Results) -> str:
    """The paper's data set if it was trained, else ours, else the first one."""
    known = [name for name, _ in series.tasks(results[STUDY])]
    return next((name for name in (PAPER, OURS) if name in known), known[0])


def shown(results: style.Results) -> str:
    """The ratio of both networks' errors, their growth, and the best and worst layer."""
    data, name = results[STUDY], _table(results)
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
        f"{horizons.extremes(data)}"
    )


def details(results: style.Results) -> style.Cells:
    """Errors of all layers on each task, the smallest first, and ratios to the LRU's."""
    data, name = results[STUDY], _table(results)
    used = sorted(task for task in series.tasks(data) if task[0] == name)
    rows = []
    for task in dict.fromkeys((*used, series.richest(data))):
        ranked = horizons.ranked(data, task, "mse")
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
