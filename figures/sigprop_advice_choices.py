"""A figure of sigprop, not from a paper: other learning rates, phases and forget biases."""

import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from sigprop.figures import ratios, style
from sigprop.figures.entry import Entry

ENTRY = Entry(
    {"a": "advice_rates", "b": "advice_phases", "c": "advice_gates"},
    "Final losses with other learning rates, phases and forget biases",
)
WAYS = {
    "advised": (
        "as advised: half low, half up to π",
        style.STARTS["advised"],
        "o",
        0.27,
    ),
    "input": ("all low", style.GREEN, "v", 0.0),
    "all": ("all up to π", style.PURPLE, "^", -0.27),
}
HEIGHTS = {"a": 1.6, "b": 2.5, "c": 1.8}  # inches
NOTES = {
    "a": "Learning rates in A are lowered for the recurrent and input parameters. They "
    "are multiplied by the square root of the ratio of the largest stable learning rates, "
    "advised over default.",
    "b": "B has the last validation losses, and its advised phases were chosen on other seeds. "
    "Low phases are the range that holds 95 % of the input's power.",
    "c": "Networks of C have mLSTM layers. Their forget biases start at 3 to 6 by default, or "
    "give time constants that are spread up to the length of the sequences.",
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows how much lower recurrent learning rates change the loss after advice.

    Panel B compares three choices of the initial phases with the default initialisation.
    Panel C compares forget biases of mLSTM layers, spread up to the length and default.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    panels = {"a": _rates, "b": _phases, "c": _gates}
    with style.styled():
        heights = [HEIGHTS[letter] for letter in letters]
        figure = style.figure(sum(heights) + 0.2)
        parts = style.stacked(figure, heights)
        for part, letter in zip(parts, letters, strict=True):
            panels[letter](part.subplots(), results[ENTRY.studies[letter]])
        about = ratios.caption(results[ENTRY.studies[letters[0]]])
        style.caption(figure, " ".join([about, *(NOTES[one] for one in letters)]))
    return figure


def _rates(axes: Axes, data: xr.Dataset) -> None:
    chosen = ratios.ascending(data.sel(contrast="rates"))
    ratios.both_losses(axes, chosen, "with lower rates / without")
    axes.legend(loc="upper right", fontsize=6.5, handlelength=1, labelspacing=0.2)
    style.letter(axes, "a", "lower recurrent learning rates in addition")


def _gates(axes: Axes, data: xr.Dataset) -> None:
    chosen = ratios.ascending(data.sel(contrast="gates"))
    ratios.both_losses(axes, chosen, "spread / default")
    axes.set_ylim(bottom=axes.get_ylim()[0] - 1.4)  # room for the legend
    axes.legend(loc="lower left", fontsize=6.5, handlelength=1, labelspacing=0.2)
    style.letter(axes, "c", "forget biases of mLSTM layers")


def _phases(axes: Axes, data: xr.Dataset) -> None:
    """Draw the ratio of last validation losses for each choice of phases."""
    order = ratios.ascending(data.sel(contrast="advised"))["of"].values
    data = data.sel(of=order)
    shown = []
    for contrast, (label, colour, marker, up) in WAYS.items():
        chosen = data.sel(contrast=contrast)
        look = {"fmt": marker, "color": colour, "label": label}
        ratios.bars(axes, chosen, ratios.LAST, up, **look)
        shown.append((chosen, up))
    ratios.label_axes(axes, data, "this choice / default")
    ratios.label_verdicts(axes, shown)
    axes.legend(loc="lower left", fontsize=6.5, handlelength=1, labelspacing=0.2)
    style.letter(axes, "b", "choice of phases")


def shown(results: style.Results) -> str:
    """The numbers of tasks on which each choice helps and harms."""
    rates = [*ratios.verdicts(results[ENTRY.studies["a"]], "rates").values()]
    phases = results[ENTRY.studies["b"]]
    gates = [*ratios.verdicts(results[ENTRY.studies["c"]], "gates").values()]
    better = [
        f"{[*ratios.verdicts(phases, way).values()].count(ratios.BETTER)} ({label})"
        for way, label in (
            ("advised", "as advised"),
            ("input", "low"),
            ("all", "up to π"),
        )
    ]
    return (
        "Adding lower recurrent learning rates to the advice helps on "
        f"{rates.count(ratios.BETTER)} of {len(rates)} tasks and harms on "
        f"{rates.count(ratios.WORSE)}. Of {phases.sizes['of']} tasks, phases give a lower loss "
        f"than the default on {', '.join(better[:2])} and {better[2]}. Spreading "
        f"forget biases of an mLSTM helps on {gates.count(ratios.BETTER)} of {len(gates)} "
        f"tasks and harms on {gates.count(ratios.WORSE)}."
    )


def details(results: style.Results) -> style.Cells:
    """The verdict on each comparison of last validation losses, by task."""
    rates, phases, gates = (results[ENTRY.studies[letter]] for letter in "abc")
    columns = [
        ratios.verdicts(rates, "rates"),
        *(ratios.verdicts(phases, way) for way in WAYS),
        ratios.verdicts(gates, "gates"),
    ]
    tasks = dict.fromkeys([task for column in columns for task in column])
    ways = (f"phases {label} / default" for label, *_ in WAYS.values())
    return (
        (
            "last validation loss of",
            "lower rates / advised",
            *ways,
            "mLSTM biases spread / default",
        ),
        *(
            (ratios.NAMES[task], *(column.get(task, "–") for column in columns))
            for task in tasks
        ),
    )


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("sigprop-advice-choices")
