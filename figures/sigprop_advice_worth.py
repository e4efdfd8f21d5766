"""A figure of sigprop, not from a paper: advised and default initialisations."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

from sigprop.figures import phrases, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    {"a": "advice", "b": "advice", "c": "advice_rates", "d": "advice_phases"},
    "Final losses of advised and default initialisations",
)
NAMES = {
    "white": "teacher, white input",
    "correlated": "teacher, correlated",
    "smnist-10k": "sMNIST, 10k",
    "listops-short": "ListOps, short",
    "ETTh1": "ETTh1, 24 hours",
    "WTH": "Weather, 24 hours",
    "psmnist-10k": "psMNIST, 10k",
    "fsdd": "spoken digits",
    "digits": "digits, 8 x 8",
}
MEASURES = {
    "last validation loss": (("mean", "low", "high"), style.BLACK, "o", 0.14),
    "training loss, averaged over steps": (
        ("area", "area_low", "area_high"),
        style.GREY,
        "s",
        -0.14,
    ),
}
COLOURS = {"default": style.VERMILION, "advised": style.BLUE}
WAYS = {
    "advised": ("as advised: half low, half up to π", style.BLUE, "o", 0.22),
    "input": ("all low", style.GREEN, "v", 0.0),
    "all": ("all up to π", style.PURPLE, "^", -0.22),
}
# In inches; at 3.1 places in B lie halfway between two numbers of ten decimals, and how the
# layout rounds decides which of them a PDF has.
HEIGHTS, BELOW = {"a": 2.1, "b": 2.7, "c": 1.35, "d": 1.5}, 0.75
QUOTIENTS = {
    "a": ("advised", "advised / default", "advised initialisation"),
    "c": (
        "rates",
        "with lower rates / without",
        "lower recurrent learning rates in addition",
    ),
}
BETTER, WORSE = "better", "worse"
SPARED = 1  # largest number of tasks on which advice may be worse
CAPTION = (
    "Default: eigenvalues on the whole disc. Advised: time constants and phases are drawn for "
    "the length of the sequences and the spectrum of the inputs, and states have a mean square "
    "of one. Ratios are geometric means over {most} seeds{fewer}, each with both "
    "initialisations; bars are 95 % intervals (Student's t of the logarithms). Numbers at the "
    "right are these means for the last validation loss, with the verdict."
)
MORE = {
    "b": "In B, thin curves are seeds and thick curves are geometric means.",
    "c": "In C, learning rates of recurrent and input parameters are also multiplied by the "
    "square root of the ratio of largest stable rates, advised / default.",
    "d": "D compares three choices of phases; the advised one was chosen on other seeds. Low "
    "phases are the range that holds 95 % of the input's power.",
}
TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
MARGIN = 0.15  # of the axis's logarithm beyond the intervals
DECADES = 100.0  # from which an axis is labelled by powers of ten
SMOOTH = 0.1  # share of the records over which a curve is averaged


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panels A, C and D show ratios of losses by task, B the training losses.

    Panel C adds lower learning rates, and D compares choices of the phases.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    heights = [HEIGHTS[letter] for letter in letters]
    heights[-1] += BELOW
    panels = {"a": _quotients, "b": _curves, "c": _quotients, "d": _choices}
    with style.styled():
        figure = style.figure(sum(heights))
        parts = style.stacked(figure, heights)
        for part, letter in zip(parts, letters, strict=True):
            panels[letter](part, results[ENTRY.studies[letter]], letter)
        seeds = _seeds(results[ENTRY.studies[letters[0]]])
        more = [text for letter, text in MORE.items() if letter in letters]
        style.caption(figure, " ".join([CAPTION.format(**seeds), *more]))
    return figure


def _seeds(data: xr.Dataset) -> dict[str, Any]:
    """The number of seeds, and the tasks that have fewer, for the caption."""
    counts = {
        task: len(np.unique(data["seed"].values[data["task"].values == task]))
        for task in data["of"].values.tolist()
    }
    most = max(counts.values())
    short = [
        NAMES[task].partition(",")[0] for task, count in counts.items() if count < most
    ]
    fewest = f" ({min(counts.values())} for {phrases.listed(short)})" if short else ""
    return {"most": most, "fewer": fewest}


def _quotients(part: SubFigure, data: xr.Dataset, panel: str) -> None:
    """Draw both ratios of each task, the smallest on top, and the verdict."""
    axes = part.subplots()
    contrast, over, title = QUOTIENTS[panel]
    chosen = _sorted(data.sel(contrast=contrast))
    for label, (names, colour, marker, up) in MEASURES.items():
        _bars(axes, chosen, names, up, fmt=marker, color=colour, label=label)
    positions = _tasks(axes, chosen, over)
    verdict_axis = axes.secondary_yaxis("right")
    ratios = np.exp(chosen["mean"].values)
    verdicts = [
        f"{ratio:.2f}  {verdict}"
        for ratio, verdict in zip(ratios, chosen["word"].values, strict=True)
    ]
    verdict_axis.set_yticks(positions, verdicts)
    verdict_axis.tick_params(length=0, labelsize=6.5)
    verdict_axis.spines[:].set_visible(False)
    corner = "lower left" if panel == "a" else "upper right"
    axes.legend(loc=corner, fontsize=6.5, handlelength=1, labelspacing=0.2)
    style.letter(axes, panel, title)


def _sorted(data: xr.Dataset) -> xr.Dataset:
    """The tasks by their ratio of last validation losses, the smallest first."""
    return data.isel(of=data["mean"].values.argsort(kind="stable"))


def _choices(part: SubFigure, data: xr.Dataset, panel: str) -> None:
    """Draw the ratio of last validation losses for each choice of phases."""
    axes = part.subplots()
    data = data.sel(of=_sorted(data.sel(contrast="advised"))["of"].values)
    for contrast, (label, colour, marker, up) in WAYS.items():
        chosen = data.sel(contrast=contrast)
        names = ("mean", "low", "high")
        _bars(axes, chosen, names, up, fmt=marker, color=colour, label=label)
    _tasks(axes, data, "advised / default")
    axes.legend(loc="lower left", fontsize=6.5, handlelength=1, labelspacing=0.2)
    style.letter(axes, panel, "choice of phases")


def _bars(
    axes: Axes, data: xr.Dataset, names: tuple[str, str, str], up: float, **marks: Any
) -> None:
    """Draw means with their intervals, the first task on top."""
    middle, low, high = (data[name].values for name in names)
    positions = -np.arange(data.sizes["of"])
    reach = [middle - low, high - middle]
    axes.errorbar(
        middle, positions + up, xerr=reach, markersize=3, linewidth=1, **marks
    )


def _tasks(axes: Axes, data: xr.Dataset, over: str) -> np.ndarray:
    """Label the axes with ratios and tasks; return the positions of the tasks."""
    positions = -np.arange(data.sizes["of"])
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    low, high = axes.dataLim.intervalx
    beyond = MARGIN * (max(high, 0) - min(low, 0))
    low, high = min(low, 0) - beyond, max(high, 0) + beyond
    ticks = [tick for tick in TICKS if low < np.log(tick) < high]
    axes.set_xlim(low, high)
    axes.set_xticks(np.log(ticks), [f"{tick:g}" for tick in ticks])
    axes.set_yticks(positions, [NAMES[task] for task in data["of"].values.tolist()])
    axes.set_ylim(positions[-1] - 0.6, 0.6)
    axes.tick_params(labelsize=6.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#E4E4E4", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.set_xlabel(f"ratio of losses, {over}", fontsize=7)
    return positions


def smoothed(values: np.ndarray) -> np.ndarray:
    """Running means over a tenth of the records, from the first whole one on."""
    width = max(1, round(SMOOTH * len(values)))
    return np.convolve(values, np.full(width, 1 / width), "valid")


def _curves(part: SubFigure, data: xr.Dataset, panel: str) -> None:
    tasks = list(dict.fromkeys(data["task"].values.tolist()))
    columns = min(5, len(tasks) + 1)
    rows = -(-(len(tasks) + 1) // columns)
    cut = part.add_gridspec(rows, columns)
    grid = [part.add_subplot(cut[index]) for index in range(len(tasks) + 1)]
    for axes, task in zip(grid, tasks, strict=False):
        for arm, colour in COLOURS.items():
            _arm(axes, rows_of(data, task, arm), colour)
        _log(axes)
        axes.set_xticks([0, 0.5, 1])
        axes.tick_params(labelsize=6)
        axes.set_title(NAMES[task], fontsize=6)
    grid[len(tasks)].set_axis_off()
    for arm, colour in COLOURS.items():
        grid[len(tasks)].plot([], [], color=colour, label=arm)
    grid[len(tasks)].legend(loc="center", title="initialisation", fontsize=6.5)
    heading = rf"$\bf{{{panel.upper()}}}$   training curves"
    part.suptitle(heading, x=0.09, ha="left", fontsize=8)
    part.supxlabel("share of the training steps", fontsize=7)
    part.supylabel("training loss", fontsize=7)


def _log(axes: Axes) -> None:
    """A log axis: plain numbers within two decades, powers of ten beyond."""
    low, high = axes.dataLim.intervaly
    if high < DECADES * low:
        style.plain_log(axes)
        if high < 10 * low:  # low panels have room for few numbers
            axes.yaxis.set_major_locator(MaxNLocator(3, steps=[1, 2, 5, 10]))
        return
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(numticks=5))
    axes.yaxis.set_minor_locator(NullLocator())


def rows_of(data: xr.Dataset, task: str, arm: str) -> np.ndarray:
    """Training losses with one initialisation on a task, a row for each seed."""
    here = (data["task"].values == task) & (data["arm"].values == arm)
    rows = data["loss"].values[here]
    return rows[:, np.isfinite(rows).any(0)]


def _arm(axes: Axes, rows: np.ndarray, colour: Any) -> None:
    curves = np.array([smoothed(row) for row in rows])
    share = np.linspace(0, 1, rows.shape[1] + 1)[-curves.shape[1] :]
    for curve in curves:
        axes.plot(share, curve, color=colour, linewidth=0.4, alpha=0.45)
    whole = curves[np.isfinite(curves).all(1)]
    axes.plot(share, np.exp(np.log(whole).mean(0)), color=colour, linewidth=1.4)


def shown(results: style.Results) -> str:
    """The numbers of tasks on which the advice is better and worse, and the aim."""
    verdicts = [*_verdicts(results[ENTRY.studies["a"]], "advised").values()]
    better, worse = verdicts.count(BETTER), verdicts.count(WORSE)
    reached = worse <= SPARED and 2 * better >= len(verdicts)
    rates = [*_verdicts(results[ENTRY.studies["c"]], "rates").values()]
    return (
        f"The advised initialisation ends with a lower validation loss than the default on "
        f"{better} of {len(verdicts)} tasks, and with a higher loss on {worse}. The aim, set "
        "before these trainings, was a lower loss on half of the tasks and a higher loss on at "
        f"most one; it is {'reached' if reached else 'not reached'}. Adding lower recurrent "
        f"learning rates to the advice helps on {rates.count(BETTER)} of {len(rates)} tasks "
        f"and harms on {rates.count(WORSE)}."
    )


def details(results: style.Results) -> style.Cells:
    """The verdict on each comparison of last validation losses, by task."""
    columns = [
        _verdicts(results[ENTRY.studies["a"]], "advised"),
        _verdicts(results[ENTRY.studies["c"]], "rates"),
        *(_verdicts(results[ENTRY.studies["d"]], way) for way in WAYS),
    ]
    ways = (f"phases {label} / default" for label, *_ in WAYS.values())
    return (
        (
            "last validation loss of",
            "advised / default",
            "lower rates / advised",
            *ways,
        ),
        *(
            (NAMES[task], *(column.get(task, "–") for column in columns))
            for task in columns[0]
        ),
    )


def _verdicts(data: xr.Dataset, contrast: str) -> dict[str, str]:
    """The verdicts on a comparison, by task."""
    chosen = data["word"].sel(contrast=contrast)
    return dict(zip(data["of"].values.tolist(), chosen.values.tolist(), strict=True))


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-advice-worth")
