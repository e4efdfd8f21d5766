"""BLUR (2025), Figure 4: mean squared errors of forecasts of Weather and ETTh1."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import phrases, series, style
from sigprop.figures.entry import Entry

STUDY, HORIZONS = "forecasts", "horizons"
ENTRY = Entry(
    {"a": STUDY, "b": HORIZONS},
    "Forecast errors of BLUR, the LRU and four simple forecasts",
    reduced=f"{series.SMALLER} The horizons are 24 to 336 on ETTh1, and 24 on Weather; the "
    "paper has 336 and 720. The paper's other networks are left out.",
    full="sigprop train forecast --data WTH --horizon 336 --model blur --preset paper",
    rows=("blur:fig4",),
)
PANELS = {"a": "WTH", "b": "ETTh1"}
CAPTION = (
    "Bars are means over all test windows. For networks, bars are means over {seeds} "
    "trainings, too, with standard errors. A season is 24 hours. Diamonds are the "
    "paper's errors for the same data and horizon."
)


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A and B show forecast errors of two networks and four simple forecasts.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    shown = {letter: results[ENTRY.studies[letter]] for letter in letters}
    with style.styled():
        figure = style.figure(2.9, style.WIDTH if panel in (None, "b") else 3.05)
        counts = [len(_tasks(data, PANELS[letter])) for letter, data in shown.items()]
        row = figure.subplots(
            1, len(letters), sharey=True, squeeze=False, width_ratios=counts
        )[0]
        for axes, letter in zip(row, letters, strict=True):
            _panel(axes, shown[letter], PANELS[letter], letter)
        row[0].set_ylabel("mean squared error\n(scaled units)")
        handles, labels = row[0].get_legend_handles_labels()
        paper, *bars = zip(handles, labels, strict=True)
        columns = 2 if panel == "a" else 4
        across = [key for at in range(columns) for key in [*bars, paper][at::columns]]
        figure.legend(
            *zip(*across, strict=True), loc="outside upper center", ncols=columns
        )
        seeds = len(np.unique(shown[letters[-1]]["seed"]))
        style.caption(figure, CAPTION.format(seeds=seeds))
    return figure


def _tasks(data: xr.Dataset, name: str) -> list[tuple[str, int]]:
    """The tasks on a data set, shortest first, or the first task if it has none."""
    here = sorted(task for task in series.tasks(data) if task[0] == name)
    return here or [series.task_of(data, name)]


def _panel(axes: Axes, data: xr.Dataset, name: str, letter: str) -> None:
    here = _tasks(data, name)
    count = len(series.MODELS) + len(series.CONTROLS)
    wide = 0.8 / count
    for position, task in enumerate(here):
        known = series.controls(series.cells(data, *task, "blur"))
        for index, (model, (label, colour, _)) in enumerate(
            reversed(series.MODELS.items())
        ):
            rows = series.cells(data, *task, model)
            errors, at = rows["test_mse"].values, position - 0.4 + wide * (index + 0.5)
            bar = style.standard_error(errors) if len(errors) > 1 else None
            axes.bar(
                *(at, errors.mean(), 0.9 * wide),
                yerr=bar,
                color=colour,
                label=None if position else label,
            )
            printed = float(rows["printed_mse"][0])
            legend_label = None if position or index else "paper"
            axes.plot(
                *(at, printed, "D"),
                color="white",
                mec=style.BLACK,
                ms=4,
                ls="none",
                label=legend_label,
            )
        for index, (control, (label, colour)) in enumerate(series.CONTROLS.items()):
            at = position - 0.4 + wide * (len(series.MODELS) + index + 0.5)
            legend_label = None if position else label
            axes.bar(at, known[control], 0.9 * wide, color=colour, label=legend_label)
    axes.set_xticks(range(len(here)), [str(horizon) for _, horizon in here])
    axes.tick_params(axis="x", length=0)
    axes.set_xlabel("horizon (hours)")
    style.letter(axes, letter, series.SETS.get(here[0][0], here[0][0]))


def shown(results: style.Results) -> str:
    """Count the tasks on which BLUR is best; compare it with linear model and paper."""
    horizons, first, ratios, printed = [], [], [], []
    for (_, horizon), (blur, lru, known, papers) in _errors(results).items():
        horizons.append(horizon)
        first.append(blur < min(lru, np.nanmin([*known.values()])))
        ratios.append(blur / known["linear"])
        printed += [
            paper / error for paper, error in zip(papers, (blur, lru), strict=True)
        ]
    return (
        f"At horizons of {phrases.span(horizons, 'g')} hours, BLUR has the smallest mean "
        f"squared error on {sum(first)} of {len(first)} tasks, "
        "compared with the LRU and four forecasts without a network. BLUR's error is "
        f"{phrases.span(ratios, '.2f')} times the error of the least-squares linear model. "
        f"The errors that the paper prints are {phrases.span(printed, '.1f')} times the errors "
        "of BLUR and the LRU here."
    )


def details(results: style.Results) -> style.Cells:
    """Errors of BLUR and the LRU over the least-squares linear model's, by task."""
    return (
        ("mean squared error over the linear model's", "BLUR", "LRU"),
        *(
            (
                series.task_label(task),
                f"{blur / known['linear']:.2f}",
                f"{lru / known['linear']:.2f}",
            )
            for task, (blur, lru, known, _) in _errors(results).items()
        ),
    )


Errors = tuple[float, float, dict[str, float], list[float]]


def _errors(results: style.Results) -> dict[tuple[str, int], Errors]:
    """By task: errors of BLUR, the LRU and the baselines; printed errors of the first two."""
    errors = {}
    for letter, study in ENTRY.studies.items():
        data = results[study]
        for task in _tasks(data, PANELS[letter]):
            blur, lru = (series.cells(data, *task, model) for model in ("blur", "lru"))
            means = (float(rows["test_mse"].mean()) for rows in (blur, lru))
            papers = [float(rows["printed_mse"][0]) for rows in (blur, lru)]
            errors[task] = *means, series.controls(blur), papers
    return errors


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-4")
