"""An audit: how far theory carries in every layer, by assumption and by mode."""

from collections.abc import Sequence

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import (
    LogLocator,
    MaxNLocator,
    NullFormatter,
    StrMethodFormatter,
)

from sigprop.figures import style

MAP, FAR = "RdBu_r", 4.0  # the colours end at a ratio of four, and of a quarter
TICKS = {1 / 8: "⅛", 1 / 4: "¼", 1 / 2: "½", 1: "1", 2: "2", 4: "4", 8: "8"}
ROW, HEAD = 1.55, 1.15  # inches of a recurrence, and of all that is above and below
SHOWN = "stationary"  # the assumption under which single modes are drawn
GROUPS = (
    {
        "state": style.BLUE,
        "sensitivity": style.VERMILION,
        "error": style.GREEN,
    },
    {
        "state at the end": style.BLUE,
        "sensitivity at the end": style.VERMILION,
        "error at the start": style.GREEN,
        "gradient": style.PURPLE,
    },
)
CAPTION = (
    "Predicted over measured second moments. Left: medians over the modes; each column adds "
    "an assumption, and a frame marks the first that is off by more than {percent:g} %. "
    "Middle and right: every mode with its standard error, under the assumption of the column "
    "stationary. Grey lines are {percent:g} % off."
)
GATES = (
    r" A gate has no $\lambda$: $|\lambda|^2$ is the share of a moment that a step carries "
    "over."
)


def draw(data: xr.Dataset, title: str) -> Figure:
    """A map of medians and the ratios of all modes, a row for each recurrence.

    Recurrences without a closed form are left out.

    Args:
        data: By ``recurrence``, ``quantity`` and ``rung``: ``median``, and by ``mode``
            too ``ratio`` and ``ratio_sem``; ``lam_re`` and ``lam_im`` by ``recurrence``
            and ``mode``, or for gates ``kept``; ``fails``, the first rung that is off, by
            the first two; the attribute ``tolerance``.
        title: What was audited.

    Raises:
        ValueError: If no recurrence has a closed form.
    """
    has_ratio = data["ratio"].notnull().any(("quantity", "rung", "mode")).values
    if not has_ratio.any():
        raise ValueError("need a recurrence with a closed form, got none")
    known, tolerance = data.isel(recurrence=has_ratio), float(data.attrs["tolerance"])
    with style.styled():
        rows = known.sizes["recurrence"]
        figure = style.figure(HEAD + ROW * rows, 7.2)
        axes = figure.subplots(
            rows, 3, squeeze=False, width_ratios=(1.5, 1, 1), sharex="col"
        )
        for row, name in zip(axes, known["recurrence"].values, strict=True):
            recurrence = known.sel(recurrence=name)
            _medians(row[0], recurrence)
            row[0].set_title(str(name))
            for panel, colours in zip(row[1:], GROUPS, strict=True):
                _modes(panel, recurrence, colours, tolerance)
            row[1].set_ylabel("predicted / measured", fontsize=7)
        for panel in axes[-1, 1:]:
            panel.set_xlabel(r"$1 - |\lambda|$ (longer memory →)")
            _plain_ticks(panel)
        for panel, colours in zip(axes[0, 1:], GROUPS, strict=True):
            names = known["quantity"].values
            _key(panel, {name: colours[name] for name in colours if name in names})
        colour_key(figure, axes[:, 0], FAR)
        figure.suptitle(title, fontsize=8)
        caption = CAPTION.format(percent=100 * tolerance)
        style.caption(figure, caption + GATES * ("kept" in known))
    return figure


def colour_key(figure: Figure, below: Sequence[Axes] | np.ndarray, far: float) -> None:
    """Explain the colours of ratios by a bar below panels.

    Args:
        figure: Figure of the panels.
        below: Panels that the bar explains.
        far: Ratio of four or eight at which the colours end.
    """
    ratios = ScalarMappable(LogNorm(1 / far, far), MAP)
    bar = figure.colorbar(ratios, ax=below, location="bottom", extend="both", aspect=40)
    ticks = [ratio for ratio in TICKS if 1 / far <= ratio <= far]
    bar.set_ticks(ticks, labels=[TICKS[ratio] for ratio in ticks])
    bar.minorticks_off()
    assert bar.solids is not None
    bar.solids.set_rasterized(False)  # pages admit no embedded images
    bar.set_label("predicted / measured")


def _medians(axes: Axes, recurrence: xr.Dataset) -> None:
    """Quantities downwards, assumptions to the right."""
    import seaborn as sns  # slow to import

    rungs = recurrence["rung"].values.tolist()
    sns.heatmap(
        recurrence["median"].transpose("quantity", "rung").to_pandas(),
        cmap=MAP,
        norm=LogNorm(1 / FAR, FAR),
        annot=True,
        fmt=".3g",
        annot_kws={"fontsize": 6},
        cbar=False,
        ax=axes,
    )
    for row, rung in enumerate(recurrence["fails"].values):
        if rung:
            corner = rungs.index(rung) + 0.04, row + 0.06
            axes.add_patch(Rectangle(corner, 0.92, 0.88, fill=False, clip_on=False))
    axes.set(xlabel=None, ylabel=None)
    axes.set_xticks(axes.get_xticks(), rungs, rotation=20, ha="right")
    axes.tick_params(length=0, labelsize=6)


def _modes(
    axes: Axes, recurrence: xr.Dataset, colours: dict[str, str], tolerance: float
) -> None:
    """Ratios against the gap of each mode's eigenvalue."""
    radius = np.hypot(recurrence["lam_re"].values, recurrence["lam_im"].values)
    gap = 1 - (np.sqrt(recurrence["kept"].values) if "kept" in recurrence else radius)
    for level in (1 - tolerance, 1, 1 + tolerance):
        axes.axhline(level, color=style.GREY, linewidth=0.5, zorder=1)
    for name, colour in colours.items():
        if name not in recurrence["quantity"].values:
            continue
        shown = recurrence.sel(quantity=name, rung=SHOWN)
        ratio, error = shown["ratio"].values, shown["ratio_sem"].values
        positive = (gap > 0) & (ratio > 0)
        axes.errorbar(
            gap[positive],
            ratio[positive],
            np.minimum(error[positive], 0.99 * ratio[positive]),
            fmt=".",
            color=colour,
            markersize=2.5,
            elinewidth=0.4,
            capsize=0,
        )
    axes.set_xscale("log")
    axes.xaxis.set_inverted(True)
    style.plain_log(axes)


def _plain_ticks(axes: Axes) -> None:
    """Label decades, or plain numbers where there are fewer than two, and no minor ticks."""
    high, low = axes.get_xlim()
    if high < 100 * low:
        axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
        axes.xaxis.set_major_formatter(StrMethodFormatter("{x:g}"))
    if high < 10 * low:
        axes.xaxis.set_major_locator(MaxNLocator(4))
    axes.xaxis.set_minor_formatter(NullFormatter())


def _key(axes: Axes, colours: dict[str, str]) -> None:
    """Names of the quantities above a panel, in their colours."""
    for line, (name, colour) in enumerate(reversed(colours.items())):
        axes.annotate(
            name,
            (0, 1),
            (0, 3 + 8 * line),
            xycoords="axes fraction",
            textcoords="offset points",
            color=colour,
            fontsize=7,
        )
