"""What a panel shows, read back from what was drawn, and ticked off one by one.

A drawing is right when all that should be in it is found there, with its data, its colour
and its marker, and when nothing is left over.
"""

import re
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import Collection, LineCollection
from matplotlib.colors import same_color, to_hex
from matplotlib.container import BarContainer, ErrorbarContainer
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Polygon
from matplotlib.ticker import FixedLocator
from PIL import Image
from scipy.interpolate import RegularGridInterpolator

from sigprop.figures import style

EXACT = 1e-10


def same(first: Any, other: Any) -> bool:
    """Whether two arrays hold the same numbers, not-a-number in the same places."""
    first, other = (
        np.asarray(np.ma.filled(each, np.nan), float) for each in (first, other)
    )
    return first.shape == other.shape and np.allclose(
        first, other, rtol=EXACT, atol=1e-300, equal_nan=True
    )


def rows(vertices: Any) -> np.ndarray:
    """Points in a fixed order, each once."""
    return np.unique(np.asarray(vertices, float), axis=0)


def inked(file: Path, figure: Figure) -> list[bool]:
    """Whether the picture has more than its paper's colour within each panel.

    The picture has the figure's size, without words below it; a panel's own frame does
    not count.
    """
    with Image.open(file) as opened:
        pixels = np.asarray(opened.convert("RGB"))
    width, height = np.round(figure.get_size_inches() * style.SETTINGS["savefig.dpi"])
    np.testing.assert_allclose(pixels.shape[:2], (height, width), atol=1)
    inked_parts = []
    for axes in figure.axes:
        box = axes.get_window_extent().transformed(figure.transFigure.inverted())
        left, right = np.array([0.97 * box.x0 + 0.03 * box.x1, box.x1]) * width
        top, bottom = (1 - np.array([box.y1, 0.97 * box.y0 + 0.03 * box.y1])) * height
        part = pixels[round(top) : round(bottom), round(left) : round(right)]
        inked_parts.append(bool((part != part[0, 0]).any()))
    return inked_parts


SCALES = (
    lambda tick, label: (tick, label),
    lambda tick, label: (tick, 1 - label),  # gaps under the names of moduli
    lambda tick, label: (10.0**-tick, 1 - label),  # decades of gaps
    lambda tick, label: (tick + 1, label),  # places, counted from one
    lambda tick, label: (np.pi * tick, label),  # shares of half a turn
    lambda tick, label: (np.exp(tick), label),
    lambda tick, label: (10.0**tick, label),
)


def truly(ticks: Any, names: list[str]) -> bool:
    """Whether labels that are numbers, or parts of pi, are those of their ticks.

    Labels of rows that stand at 0, 1, 2 may say anything, and so may those with words.
    """
    numbers = [number(name) for name in names]
    if (
        None in numbers
        or len(ticks) != len(names)
        or same(ticks, np.arange(len(names)))
    ):
        return True
    with np.errstate(over="ignore"):
        pairs = [scale(np.asarray(ticks), np.array(numbers, float)) for scale in SCALES]
    return any(np.allclose(*pair, rtol=0.06, atol=1e-4) for pair in pairs)


def number(label: str) -> float | None:
    """The number that a label says: ``0.5``, ``½``, ``$3\\pi/8$`` or ``-π``."""
    plain = label.translate(str.maketrans({"$": "", "−": "-", "½": "0.5", " ": ""}))
    plain = plain.replace("\\pi", "π")
    match = re.fullmatch(r"(-?)([\d.]*(?:e[+-]?\d+)?)(π?)(?:/(\d+))?", plain)
    if not match or not (match[2] or match[3]):
        return None
    size = float(match[2] or 1) * (np.pi if match[3] else 1) / float(match[4] or 1)
    return -size if match[1] else size


def key(figure: Figure) -> dict[str, Any]:
    """The colours of the names in a figure's legend."""
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    colours = [
        handle.get_color() if isinstance(handle, Line2D) else handle.get_facecolor()
        for handle in legend.legend_handles
    ]
    return {
        name: to_hex(colour).upper()
        for name, colour in zip(names, colours, strict=True)
    }


class Reading:
    """The artists of one panel that nobody has asked for yet."""

    def __init__(self, axes: Axes) -> None:
        self.axes = axes
        grouped = [part for group in axes.containers for part in group.get_children()]
        self.bars = [
            container
            for container in axes.containers
            if isinstance(container, ErrorbarContainer)
        ]
        self.columns = [
            container
            for container in axes.containers
            if isinstance(container, BarContainer)
        ]
        self.lines = [line for line in axes.lines if line not in grouped]
        self.collections = [
            collection for collection in axes.collections if collection not in grouped
        ]
        self.images = list(axes.images)
        self.polygons = [patch for patch in axes.patches if isinstance(patch, Polygon)]

    def curve(
        self,
        x: Any,
        y: Any,
        colour: Any = None,
        marker: str = "None",
        dashes: str | None = None,
        label: str | None = None,
    ) -> Line2D:
        """The line, or the points, at these places."""
        for line in self.lines:
            looks = (
                (line.get_marker() or "None") == marker,
                colour is None or same_color(line.get_color(), colour),
                dashes is None or line.get_linestyle() == dashes,
                label is None or line.get_label() == label,
            )
            data = same(line.get_xdata(), x) and same(line.get_ydata(), y)
            if all(looks) and data and line.get_transform() == self.axes.transData:
                self.lines.remove(line)
                return line
        raise AssertionError(
            f"no such line: {x=}, {y=}, {colour=}, {marker=}, {label=}"
        )

    def level(self, height: float, colour: Any = None) -> Line2D:
        """A line across the whole panel."""
        across = self.axes.get_yaxis_transform(which="grid")
        return self._straight([0, 1], [height, height], across, colour)

    def upright(self, x: float, colour: Any = None) -> Line2D:
        """A line from the bottom of the panel to its top."""
        up = self.axes.get_xaxis_transform(which="grid")
        return self._straight([x, x], [0, 1], up, colour)

    def _straight(self, x: Any, y: Any, transform: Any, colour: Any) -> Line2D:
        for line in self.lines:
            data = same(line.get_xdata(), x) and same(line.get_ydata(), y)
            shade = colour is None or same_color(line.get_color(), colour)
            if data and shade and line.get_transform() == transform:
                self.lines.remove(line)
                return line
        raise AssertionError(f"no straight line {x=}, {y=}, {colour=}")

    def errors(
        self,
        x: Any,
        y: Any,
        up: Any = None,
        across: Any = None,
        colour: Any = None,
        marker: str | None = None,
    ) -> None:
        """Points, or columns, with bars of these lengths to either side.

        Two rows of lengths are those to the smaller side and to the larger.
        """
        x, y = np.atleast_1d(np.asarray(x)), np.atleast_1d(np.asarray(y))
        down, on = np.broadcast_to(up if across is None else across, (2, len(x)))
        low, high = (
            ([x, y - down], [x, y + on])
            if across is None
            else ([x - down, y], [x + on, y])
        )
        ends = [np.stack([np.stack(low, 1), np.stack(high, 1)], 1)]
        for bars in self.bars:
            line, _, columns = bars.lines
            segments = [np.array(column.get_segments()) for column in columns]
            looks = (
                colour is None or same_color(line.get_color(), colour),
                marker is None or line.get_marker() == marker,
                line is None or same(line.get_xydata(), np.stack([x, y], 1)),
                bars.has_yerr == (across is None),
            )
            if all(looks) and all(map(same, segments, ends)):
                self.bars.remove(bars)
                return
        raise AssertionError(f"no points with bars: {x=}, {y=}, {up=}, {across=}")

    def leaving(self, x: Any, runs: Any, colour: Any = None) -> int:
        """Triangles at the edges over the first places where runs are not inside."""
        low, high = self.axes.get_ylim()
        beyond: dict[str, list[float]] = {"^": [], "v": []}
        for run in runs:
            for position, value in zip(x, run, strict=True):
                if not low <= value <= high:
                    beyond["v" if value < low else "^"].append(position)
                    break
        for (marker, positions), edge in zip(beyond.items(), (high, low), strict=True):
            if positions:
                self.curve(
                    positions, np.full(len(positions), edge), colour, marker=marker
                )
        return sum(map(len, beyond.values()))

    def band(self, x: Any, low: Any, high: Any, colour: Any = None) -> Collection:
        """A filled strip between two curves."""
        wanted = rows([*zip(x, low, strict=True), *zip(x, high, strict=True)])
        for collection in self.collections:
            shade = colour is None or same_color(
                collection.get_facecolor()[0][:3], colour
            )
            paths = collection.get_paths()
            if shade and len(paths) == 1 and same(rows(paths[0].vertices), wanted):
                self.collections.remove(collection)
                return collection
        raise AssertionError(f"no band: {x=}, {low=}, {high=}, {colour=}")

    def dashes_up(self, x: Any, low: Any, high: Any, colour: Any = None) -> Collection:
        """Separate upright lines."""
        ends = zip(x, low, high, strict=True)
        return self._segments([[(a, b), (a, c)] for a, b, c in ends], colour)

    def dashes_across(self, y: float, low: float, high: float, colour: Any = None):
        """One separate level line."""
        return self._segments([[(low, y), (high, y)]], colour)

    def _segments(self, wanted: Any, colour: Any) -> Collection:
        for collection in self.collections:
            if not isinstance(collection, LineCollection):
                continue
            shade = colour is None or same_color(collection.get_color()[0], colour)
            if shade and same(np.array(collection.get_segments()), wanted):
                self.collections.remove(collection)
                return collection
        raise AssertionError(f"no separate lines {wanted}")

    def points(self, x: Any, y: Any, colour: Any = None) -> Collection:
        """Points of a scatter."""
        for collection in self.collections:
            offsets = np.ma.filled(collection.get_offsets(), np.nan)
            if same(offsets, np.stack([x, y], 1)):
                self.collections.remove(collection)
                assert colour is None or same_color(
                    collection.get_facecolor()[0][:3], colour
                )
                return collection
        raise AssertionError("no such points")

    def image(self, values: Any) -> Any:
        """An image of these numbers, the first row on top."""
        (match,) = [
            candidate
            for candidate in self.images
            if same(candidate.get_array(), values)
        ]
        self.images.remove(match)
        assert match.origin == "upper"
        return match

    def mesh(self, x: Any, y: Any, values: Any) -> Any:
        """Cells of a plane with these corners, and these numbers for colours."""
        for collection in self.collections:
            if not hasattr(collection, "get_coordinates"):
                continue
            if same(collection.get_array(), values):
                assert same(collection.get_coordinates(), np.stack([x, y], -1))
                self.collections.remove(collection)
                return collection
        raise AssertionError("no mesh of these numbers")

    def contours(self, x: Any, y: Any, values: Any, filled: bool = False) -> Any:
        """Lines of equal height on a plane, or what is between them.

        Where such a line crosses the grid's, the height interpolated there is a level.

        Args:
            x: The grid's places across, and ``y`` upwards.
            y: See ``x``.
            values: Heights by ``y`` and ``x``.
            filled: Whether the plane between the lines is filled.
        """
        (match,) = [
            collection
            for collection in self.collections
            if hasattr(collection, "levels") and collection.filled is filled
        ]
        height = RegularGridInterpolator((x, y), np.asarray(values).T)
        edges = [min(x), max(x)], [min(y), max(y)]
        levels, count = np.asarray(match.levels), 0
        for number, path in enumerate(match.get_paths()):
            if not len(path.vertices):
                continue
            inside = np.all(
                [~np.isin(path.vertices[:, i], edges[i]) for i in (0, 1)], axis=0
            )
            low, high = zip(*edges, strict=True)
            at = height(np.clip(path.vertices[inside], low, high))
            own = levels[number : number + 2] if filled else levels[[number]]
            low, high = own.min(), own.max()
            top = filled and number + 1 == len(levels)  # all that is higher
            away = np.abs(at[:, None] - own).min(1)
            within = (at > low - 1e-6) & ((at < high + 1e-6) | top)
            assert np.all(within if filled else away < 1e-6)
            count += np.sum(away < 1e-6)
        assert count > 50
        self.collections.remove(match)
        return match

    def heights(self, x: Any, values: Any, colour: Any = None) -> None:
        """Columns from nought with their middles here."""
        for column in self.columns:
            middles = [bar.get_x() + bar.get_width() / 2 for bar in column]
            if same([bar.get_height() for bar in column], values):
                np.testing.assert_allclose(middles, x, atol=1e-12)
                assert all(bar.get_y() == 0 for bar in column)
                assert colour is None or same_color(column[0].get_facecolor(), colour)
                self.columns.remove(column)
                return
        raise AssertionError(f"no columns of heights {values}")

    def disc(self, radius: float) -> None:
        """A filled circle about the origin."""
        for polygon in self.polygons:
            if np.allclose(np.hypot(*polygon.get_xy().T), radius):
                self.polygons.remove(polygon)
                return
        raise AssertionError(f"no disc of {radius=}")

    def text(self, start: str, position: Any = None, colour: Any = None) -> None:
        """A text that starts so, at this place of the data, in this colour."""
        (match,) = [
            candidate
            for candidate in self.axes.texts
            if candidate.get_text().startswith(start)
        ]
        assert position is None or same(match.xy, position)
        assert colour is None or same_color(match.get_color(), colour)

    def done(
        self, across: str = "linear", up: str = "linear", x: str = "", y: str = ""
    ) -> None:
        """Nothing is left over; the axes have these scales and say so much."""
        left = self.lines, self.bars, self.columns, self.collections, self.images
        assert [len(artists) for artists in (*left, self.polygons)] == [0] * 6
        assert (self.axes.get_xscale(), self.axes.get_yscale()) == (across, up)
        assert x in self.axes.get_xlabel()
        assert y in self.axes.get_ylabel()
        for axis in (self.axes.xaxis, self.axes.yaxis):
            if isinstance(axis.get_major_locator(), FixedLocator):
                names = [label.get_text() for label in axis.get_ticklabels()]
                assert truly(axis.get_ticklocs(), names), (axis.get_ticklocs(), names)


def memory(axes: Axes) -> None:
    """The axis of a gap: eigenvalues are written, and grow to the right."""
    left, right = axes.get_xlim()
    assert left > right > 0
    labels = [float(label.get_text()) for label in axes.get_xticklabels()]
    np.testing.assert_allclose(labels, 1 - axes.get_xticks(), atol=1e-4)
    assert len(labels) > 1
