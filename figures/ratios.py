"""Ratios of losses by task, with their intervals and verdicts, for the figures of advice."""

from typing import Any

import numpy as np
import xarray as xr
from matplotlib.axes import Axes

from sigprop.figures import phrases, style

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
LAST = ("mean", "low", "high")
"""Of the last validation loss: logarithm of the ratio, and the ends of its interval."""
MEASURES = {
    "last validation loss": (LAST, style.BLACK, "o", 0.14),
    "training loss, averaged over steps": (
        ("area", "area_low", "area_high"),
        style.GREY,
        "s",
        -0.14,
    ),
}
BETTER, WORSE = "better", "worse"
CAPTION = (
    "Ratios are geometric means over {most} seeds{fewer}, each with both trainings; bars are "
    "95 % intervals (Student's t of the logarithms). At the right are ratio, interval and "
    "verdict of the last validation loss."
)
TICKS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)
FINE = (0.5, 0.7, 1, 1.5, 2)  # if fewer than two of the others are in the range
MARGIN = 0.15  # of the axis's logarithm beyond the intervals


def caption(data: xr.Dataset) -> str:
    """Say what ratios and bars are, and which tasks have fewer seeds."""
    counts = {
        task: len(np.unique(data["seed"].values[data["task"].values == task]))
        for task in data["of"].values.tolist()
    }
    most = max(counts.values())
    short = [
        NAMES[task].partition(",")[0] for task, count in counts.items() if count < most
    ]
    fewest = f" ({min(counts.values())} for {phrases.listed(short)})" if short else ""
    return CAPTION.format(most=most, fewer=fewest)


def ascending(data: xr.Dataset) -> xr.Dataset:
    """The tasks by their ratio of last validation losses, the smallest first."""
    return data.isel(of=data["mean"].values.argsort(kind="stable"))


def both_losses(axes: Axes, chosen: xr.Dataset, over: str) -> None:
    """Draw the ratios of both losses of each task, and the verdicts.

    Args:
        axes: The panel.
        chosen: One contrast, a task a row, the first on top.
        over: Of which losses the ratio is.
    """
    for label, (names, colour, marker, up) in MEASURES.items():
        bars(axes, chosen, names, up, fmt=marker, color=colour, label=label)
    label_axes(axes, chosen, over)
    label_verdicts(axes, [(chosen, 0.0)])


def bars(
    axes: Axes, data: xr.Dataset, names: tuple[str, ...], up: float, **marks: Any
) -> None:
    """Draw means with their intervals, the first task on top.

    Args:
        axes: The panel.
        data: One contrast.
        names: Of the mean, the low end and the high end.
        up: Distance above the task's row; rows are one apart.
        **marks: Of ``Axes.errorbar``.
    """
    middle, low, high = (data[name].values for name in names)
    positions = -np.arange(data.sizes["of"])
    reach = [middle - low, high - middle]
    axes.errorbar(
        middle, positions + up, xerr=reach, markersize=3, linewidth=1, **marks
    )


def label_axes(axes: Axes, data: xr.Dataset, over: str) -> None:
    """Label the axes with ratios and tasks. Call this function after all bars."""
    positions = -np.arange(data.sizes["of"])
    axes.axvline(0, color=style.BLACK, linewidth=0.6)
    low, high = axes.dataLim.intervalx
    beyond = MARGIN * (max(high, 0) - min(low, 0))
    low, high = min(low, 0) - beyond, max(high, 0) + beyond
    coarse, fine = (
        [tick for tick in ticks if low < np.log(tick) < high] for ticks in (TICKS, FINE)
    )
    ticks = coarse if len(coarse) > 1 else fine
    axes.set_xlim(low, high)
    axes.set_xticks(np.log(ticks), [f"{tick:g}" for tick in ticks])
    axes.set_yticks(positions, [NAMES[task] for task in data["of"].values.tolist()])
    axes.set_ylim(positions[-1] - 0.6, 0.6)
    axes.tick_params(labelsize=6.5)
    axes.tick_params(axis="y", length=0)
    axes.grid(axis="x", color="#E4E4E4", linewidth=0.5)
    axes.set_axisbelow(True)
    axes.set_xlabel(f"ratio of losses, {over}", fontsize=7)


def label_verdicts(axes: Axes, shown: list[tuple[xr.Dataset, float]]) -> None:
    """Write ratio, interval and verdict of each bar at the right.

    Args:
        axes: The panel.
        shown: Contrasts, and their distances above the tasks' rows.
    """
    positions: list[float] = []
    texts: list[str] = []
    for data, up in shown:
        ratios = np.exp(np.stack([data[name].values for name in LAST]))
        for row, numbers in enumerate(ratios.T):
            mean, low, high = map(_four_digits, numbers)
            positions.append(up - row)
            texts.append(f"{mean}  {low} to {high}  {data['word'].values[row]}")
    verdict_axis = axes.secondary_yaxis("right")
    verdict_axis.set_yticks(positions, texts)
    verdict_axis.tick_params(length=0, labelsize=6)
    verdict_axis.spines[:].set_visible(False)


def _four_digits(ratio: float) -> str:
    """Numbers of one width, below 1000."""
    return f"{ratio:.3f}" if ratio < 10 else f"{ratio:.4g}"


def verdicts(data: xr.Dataset, contrast: str) -> dict[str, str]:
    """The verdicts on a comparison of last validation losses, by task."""
    chosen = data["word"].sel(contrast=contrast)
    return dict(zip(data["of"].values.tolist(), chosen.values.tolist(), strict=True))
