"""One style for all figures, and files that come out the same byte by byte.

Colours are Okabe and Ito's, told apart with any colour vision.  Sizes suit a column of
text 5.5 inches wide.
"""

import textwrap
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
import xarray as xr
from matplotlib.axes import Axes
from matplotlib.figure import Figure, SubFigure
from matplotlib.patheffects import AbstractPathEffect, withStroke
from matplotlib.text import Text
from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, StrMethodFormatter
from matplotlib.transforms import Bbox

from sigprop.experiments import store
from sigprop.figures import phrases

WIDTH = 5.5  # inches: the text width of the papers
BLUE, ORANGE, GREEN, VERMILION, PURPLE, SKY = (
    *("#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9"),
)
CAPTION_LETTERS = 20  # an inch
GREY, BLACK = "#8C8C8C", "#000000"
STARTS = {"default": BLACK, "advised": VERMILION}
"""Colours of initialisations."""
SEQUENCE = (PURPLE, BLUE, GREEN, ORANGE, VERMILION)

Results = Mapping[str, xr.Dataset]
"""Stored results by the names of their studies."""
Cells = tuple[tuple[str, ...], ...]
"""A printed table: its header, then its rows."""

SETTINGS: dict[Any, Any] = {
    "figure.dpi": 150,
    "savefig.dpi": 300,
    "figure.constrained_layout.use": True,
    "font.family": "DejaVu Sans",
    "font.size": 8,
    "mathtext.fontset": "dejavusans",
    "axes.titlesize": 8,
    "axes.titlelocation": "left",
    "axes.labelsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "legend.fontsize": 7,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4,
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "errorbar.capsize": 1.5,
    "pdf.fonttype": 42,
    "svg.hashsalt": "sigprop",
}

# What would differ from one run to the next, or from one machine to another.
METADATA: dict[str, dict[str, str | None]] = {
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
    "svg": {"Date": None, "Creator": None},
}
DESCRIPTIONS = {"pdf": "Subject", "png": "Description", "svg": "Description"}
APART = 0.055  # of an axis, between the middles of names beside curves
MANY = 1e3  # times the least value of a log axis: too many for ticks at 2 and 5
NOTES = "notes"  # the id of texts that ``caption`` writes
NOTE, SMALL = 6.0, 4.5  # points: what a picture shows, and where it comes from


@contextmanager
def styled() -> Iterator[None]:
    """Draw and save inside this: no other setting of the user's has a say."""
    with mpl.rc_context():
        mpl.rcdefaults()
        for name, value in SETTINGS.items():
            mpl.rcParams[name] = value
        yield


def figure(height: float, width: float = WIDTH) -> Figure:
    """A figure without a window, in inches."""
    return Figure(figsize=(width, height))


def folder() -> Path:
    """Return the folder of figures: ``figures/out`` in a checkout, else ``./figures-out``."""
    root = store.checkout()
    return root / "figures" / "out" if root else Path("figures-out")


def save(
    figure: Figure,
    name: str,
    into: Path | None = None,
    formats: Iterable[str] = ("pdf", "png"),
    title: str = "",
    summary: str = "",
    origin: str = "",
    caption: bool = True,
) -> list[Path]:
    """Write a file of each format, whole or not at all; return the files.

    Args:
        figure: The figure.
        name: Of the files, without their kind.
        into: Folder; ``folder()`` if left out.
        formats: Of ``METADATA``.
        title: For the files' metadata.
        summary: Sentences below the figure and in the files' metadata.
        origin: Origin of the results; in small letters below the summary, and in the metadata.
        caption: Whether to draw the notes, the summary and the origin below the panels;
            the files' metadata has them in any case.

    Raises:
        OSError: If one cannot be written; an older one is as it was.
        ValueError: If a folder or a device has its name.
    """
    target = folder() if into is None else into
    files = {kind: target / f"{name}.{kind}" for kind in formats}
    width, height = figure.get_size_inches()
    words = (notes(figure), summary, origin)
    if caption:
        below = footers(figure, summary, origin)
    else:
        below = 0.0
        hide_notes(figure)
    page = Bbox.from_extents(0, -below, width, height)
    about = " ".join(filter(None, words))
    with styled():
        lay_out(figure)
        for kind, file in files.items():
            metadata = {"Title": title, DESCRIPTIONS[kind]: about}
            metadata = METADATA[kind] | {
                name: text for name, text in metadata.items() if text
            }
            with store.unfinished(file) as partial:
                figure.savefig(
                    partial, format=kind, metadata=metadata, bbox_inches=page
                )
    return [*files.values()]


def lay_out(figure: Figure) -> None:
    """Compute the layout of a figure once for all its files."""
    figure.set_dpi(mpl.rcParams["savefig.dpi"])
    engine = figure.get_layout_engine()
    if engine and figure.axes:
        engine.execute(figure)
    # With an engine, be it one that does nothing, each file would be drawn twice.
    mpl.rcParams["figure.constrained_layout.use"] = False
    figure.set_layout_engine(None)


def letter(axes: Axes, panel: str, title: str, above: int = 0, size: float = 8) -> None:
    """Head a panel with its letter and what it shows, above so many lines of a title."""
    text = rf"$\bf{{{panel.upper()}}}$   {title}"
    if above:
        axes.annotate(
            text,
            (0, 1),
            (0, 8 + 10 * above),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=size,
        )
    else:
        axes.set_title(text, fontsize=size)


def stacked(figure: Figure, heights: list[float]) -> list[SubFigure]:
    """Parts of a figure, one below the other, of these heights."""
    parts: Any = figure.subfigures(
        len(heights), 1, height_ratios=heights, squeeze=False
    )
    return [row[0] for row in parts]


def caption(figure: Figure | SubFigure, *paragraphs: str) -> None:
    """A small note below a whole figure, or a part of one, as wide as that."""
    columns = int(
        figure.bbox.width / figure.get_figure(root=True).dpi * CAPTION_LETTERS
    )
    lines = [
        textwrap.fill(text, columns, break_on_hyphens=False) for text in paragraphs
    ]
    figure.supxlabel("\n".join(lines), fontsize=NOTE, gid=NOTES)


def notes(figure: Figure) -> str:
    """Return what ``caption`` has written below a figure and its parts, on one line."""
    return " ".join(" ".join(text.get_text().split()) for text in _notes(figure))


def hide_notes(figure: Figure) -> None:
    """Draw the panels without what ``caption`` has written."""
    for text in _notes(figure):
        text.set(visible=False, in_layout=False)


def _notes(figure: Figure) -> list[Text]:
    texts = figure.findobj(lambda artist: artist.get_gid() == NOTES)
    return [text for text in texts if isinstance(text, Text)]


def footers(figure: Figure, summary: str, origin: str) -> float:
    """Write a figure's summary below its page, and the origin of its results in small type.

    Returns:
        The inches by which the page has to grow.
    """
    below = 0.0
    for text, size, colour in ((summary, NOTE, BLACK), (origin, SMALL, GREY)):
        below += _footer(figure, text, size, colour, below) if text else 0.0
    return below


def _footer(figure: Figure, text: str, size: float, colour: str, below: float) -> float:
    """Lines of text below a figure's page; the inches by which that has to grow.

    Args:
        figure: The figure.
        text: Broken into lines here.
        size: Of its letters, in points.
        colour: Of its letters.
        below: Inches below the page at which it begins.
    """
    width, height = figure.get_size_inches()
    columns = int(width * CAPTION_LETTERS * NOTE / size)
    text = textwrap.fill(text, columns, break_on_hyphens=False)
    room = (1.3 * size * (1 + text.count("\n")) + 2) / 72
    foot = (1 / 72 - room - below) / height
    lines = figure.text(0.5, foot, text, color=colour, fontsize=size)
    lines.set(ha="center", va="bottom", in_layout=False)
    return room


def plain_log(axes: Axes) -> None:
    """Make the y axis logarithmic, with plain numbers, however few decades it shows.

    Call this function after all plotting calls.
    """
    axes.set_yscale("log")
    low, high = axes.get_ylim()
    steps, axis = (1, 2, 5, 10), axes.yaxis
    few = high < 10 * low
    subs = steps[:-1] if high < MANY * low else steps[:1]
    axis.set_major_locator(
        MaxNLocator(5, steps=steps) if few else LogLocator(subs=subs)
    )
    axis.set_major_formatter(StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(NullFormatter())


def memory_axis(axes: Axes, smallest: float) -> None:
    """An x axis in 1 - λ, longer time constants to the right, labelled with eigenvalues."""
    ticks = [gap for gap in (1, 1e-1, 1e-2, 1e-3, 1e-4) if gap >= smallest / 1.01]
    axes.set_xscale("log")
    axes.set_xlim(1.15, smallest / 1.3)
    axes.set_xticks(ticks, [f"{1 - gap:.4g}" for gap in ticks])


def halo(width: float) -> list[AbstractPathEffect]:
    """Return a white outline for a line of this width, visible on any background."""
    return [withStroke(linewidth=width + 1.2, foreground="white")]


def within(
    middle: np.ndarray, error: np.ndarray, low: float, high: float
) -> np.ndarray:
    """Lengths of bars down and up that end where a quantity does, such as a proportion."""
    return np.clip([middle - low, high - middle], 0, error)


def mark_leaving(axes: Axes, x: np.ndarray, runs: np.ndarray, colour: str) -> int:
    """Mark with triangles where runs first leave a panel or diverge; return their number.

    Args:
        axes: With its limits.
        x: Increasing positions.
        runs: Values (run, position); values that are not finite count as above.
        colour: Of the triangles.
    """
    low, high = axes.get_ylim()
    below, inside = runs < low, (runs >= low) & (runs <= high)
    left = ~inside.all(1)
    first = (~inside).argmax(1)[left]
    down = below[left, first]
    for marker, edge, which in (("^", high, ~down), ("v", low, down)):
        if which.any():
            positions = x[first[which]]
            axes.plot(
                positions,
                np.full(positions.size, edge),
                marker,
                color=colour,
                markersize=3,
                markeredgewidth=0,
                clip_on=False,
            )
    return int(left.sum())


def standard_error(values: np.ndarray) -> np.ndarray | np.floating:
    """Return the standard error of the mean over the first axis, of two runs or more."""
    return values.std(0, ddof=1) / np.sqrt(len(values))


def number(value: float, digits: int = 2) -> str:
    """A number in so many significant digits, with a power of ten only if long without it.

    >>> [number(value) for value in (197.4, 0.00011, 31_600, 7.8e-6, 1.23e6)]
    ['200', '0.00011', '32000', '7.8 × 10⁻⁶', '1.2 × 10⁶']
    """
    rounded = float(f"{value:.{digits}g}")
    if rounded == 0 or 1e-4 <= abs(rounded) < 1e5 or not np.isfinite(rounded):
        return f"{rounded:g}"
    factor, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{float(factor):g} × 10{phrases.raised(int(exponent))}"


def end_labels(
    axes: Axes,
    x: float,
    heights: list[float],
    texts: list[str],
    colours: list[str],
    apart: float = APART,
) -> None:
    """Names right of the curves' ends on a log axis, moved ``apart`` where they collide.

    Names that collide are moved as little as possible, so that they stand about their ends.
    """
    low, high = axes.get_ylim()
    step = apart * np.log(high / low)
    order = sorted(range(len(heights)), key=heights.__getitem__)
    # Groups of names that touch: the mean of where the lowest would stand, and their number.
    groups: list[tuple[float, int]] = []
    for rank, index in enumerate(order):
        mean, count = float(np.log(heights[index])) - rank * step, 1
        while groups and groups[-1][0] > mean:
            before, number_before = groups.pop()
            count += number_before
            mean += (before - mean) * number_before / count
        groups.append((mean, count))
    lowest = [mean for mean, count in groups for _ in range(count)]
    positions = {
        index: float(np.exp(lowest[rank] + rank * step))
        for rank, index in enumerate(order)
    }
    for index in order:
        axes.annotate(
            texts[index],
            (x, positions[index]),
            (3, 0),
            textcoords="offset points",
            va="center",
            color=colours[index],
            fontsize=7,
            annotation_clip=False,
        )
