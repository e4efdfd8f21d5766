"""Statuses of the claims of a run, and intervals compared with the margin."""

import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.patches import Patch

from sigprop.figures import style
from sigprop.figures.entry import chosen_panels

PANELS = ("a", "b")
WIDTH = 3.6  # inches of a panel: legible on a page of 360 pixels
STATUSES = {
    "proved": style.GREEN,
    "confirmed": style.BLUE,
    "conditional": style.ORANGE,
    "refuted": style.VERMILION,
    "undecided": style.BLACK,
    "definition": style.GREY,
    "not-checkable": "#D0D0D0",
}
FORMS = {"derived": style.BLUE, "printed": style.VERMILION}
REACH = 3.0  # margins to either side that are drawn
CAPTIONS = {
    "a": "Each bar has the shares of the statuses in one kind of statement, and the number "
    "beside it is the number of statements.",
    "b": "Each level line is the interval of one simulated point: {derived} points of derived "
    "forms, and {printed} of printed forms. The points are in the order of their values, "
    "which the curve joins. Grey lines are the margin of rows that have none of their own. "
    "Points beyond the panel or without a number: {out}.",
}


def draw(data: xr.Dataset, panel: str | None = None) -> Figure:
    """Draw statuses by paper and kind, and intervals if any claim was simulated.

    Args:
        data: By ``claim``: ``paper``, ``kind`` and ``status``; by ``result``: ``value``,
            ``low`` and ``high`` of measured over closed form, and ``form``; the attribute
            ``margin``.
        panel: ``a`` or ``b`` alone.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = chosen_panels(panel, PANELS)
    if panel is None and not data.sizes["result"]:
        letters = PANELS[:1]
    kinds = len(np.unique(data["kind"]))
    with style.styled():
        figure = style.figure(max(1.6 + 0.22 * kinds, 2.9), WIDTH * len(letters))
        parts = figure.subfigures(1, len(letters), squeeze=False)[0]
        for part, letter in zip(parts, letters, strict=True):
            {"a": _statuses, "b": _intervals}[letter](part, data)
    return figure


def _statuses(part: SubFigure, data: xr.Dataset) -> None:
    """A panel a paper, a row a kind, the commonest kind first."""
    papers = list(dict.fromkeys(data["paper"].values.tolist()))
    names, counts = np.unique(data["kind"], return_counts=True)
    kinds = names[np.argsort(-counts, kind="stable")]
    row = part.subplots(1, len(papers), sharey=True, squeeze=False)[0]
    for axes, paper in zip(row, papers, strict=True):
        own = data.isel(claim=data["paper"].values == paper)
        for position, kind in enumerate(kinds):
            statuses = own["status"].values[own["kind"].values == kind]
            _bar(axes, position, statuses)
        axes.set_title(paper, loc="center", fontsize=7)
        axes.set_xlim(0, 1)
        axes.set_xticks([])
        axes.spines[["left", "bottom"]].set_visible(False)
        axes.tick_params(length=0)
    row[0].set_yticks(range(len(kinds)), kinds)
    row[0].set_ylim(len(kinds) - 0.5, -0.5)
    all_statuses = set(data["status"].values.tolist())
    shown = {name: colour for name, colour in STATUSES.items() if name in all_statuses}
    patches = [Patch(color=colour, label=name) for name, colour in shown.items()]
    part.legend(handles=patches, loc="outside upper center", ncols=3)
    style.caption(part, CAPTIONS["a"])


def _bar(axes: Axes, position: int, statuses: np.ndarray) -> None:
    """The statuses of one kind in one paper, side by side, and their number."""
    left = 0.0
    for status, colour in STATUSES.items():
        share = float(np.mean(statuses == status)) if statuses.size else 0.0
        if share:
            axes.barh(position, share, 0.5, left, color=colour)
        left += share
    if statuses.size:
        alignment = {"ha": "right", "va": "bottom", "fontsize": 5.5}
        axes.text(1, position - 0.26, str(statuses.size), **alignment)


def _intervals(part: SubFigure, data: xr.Dataset) -> None:
    """Derived forms from below, then printed ones, each in the order of its values."""
    axes, margin = part.subplots(), float(data.attrs["margin"])
    edge, height, out = 100 * REACH * margin, 0, 0
    for form, colour in FORMS.items():
        own = data.isel(result=data["form"].values == form)
        own = own.isel(result=np.isfinite(own["value"].values)).sortby("value")
        positions = height + np.arange(own.sizes["result"])
        low, value, high = (
            100 * (own[name].values - 1) for name in ("low", "value", "high")
        )
        inside = np.abs(value) <= edge
        axes.plot(
            np.stack([low, high, np.full(low.shape, np.nan)], 1)[inside].ravel(),
            np.repeat(positions[inside], 3),
            color=colour,
            linewidth=0.5,
            alpha=0.5,
            label=f"{form} form",
        )
        axes.plot(value[inside], positions[inside], color=style.BLACK, linewidth=0.9)
        height += len(positions)
        out += int((data["form"].values == form).sum() - inside.sum())
    for level in (-100 * margin, 0, 100 * margin):
        axes.axvline(level, color=style.GREY, linewidth=0.6, zorder=1)
    axes.set_xlim(-edge, edge)
    axes.set_ylim(-0.02 * height - 1, 1.02 * height)
    axes.set_yticks([])
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("measured over closed form, less one (%)")
    if len(np.unique(data["form"])) > 1:
        axes.legend(loc="lower right")
    counts = {form: int((data["form"].values == form).sum()) for form in FORMS}
    style.caption(part, CAPTIONS["b"].format(**counts, out=out or "none"))
