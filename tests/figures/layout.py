"""What of a figure runs off its page, and which of its texts lie on each other."""

import re
from collections.abc import Iterator
from itertools import combinations

import numpy as np
from matplotlib.axis import Axis, Tick
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text
from matplotlib.transforms import Bbox

SLACK = 0.5  # pixels, of rounding


def faults(figure: Figure, below: float = 0.0) -> list[str]:
    """What is wrong with the places of a figure's texts, in words.

    Args:
        drawn: The figure.
        below: Inches by which its page grows at the bottom.
    """
    renderer = FigureCanvasAgg(figure).get_renderer()
    engine = figure.get_layout_engine()
    assert engine is not None
    engine.execute(figure)
    for legend in figure.findobj(Legend):
        legend.draw(renderer)  # puts its texts in their places
    extent = figure.get_tightbbox(renderer)  # and this titles and ticks
    width, height = figure.get_size_inches()
    page = Bbox.from_extents(0, -below, width, height).padded(SLACK / figure.dpi)
    boxes = {
        text: text.get_window_extent(renderer).transformed(
            figure.dpi_scale_trans.inverted()
        )
        for text in _texts(figure)
    }
    problems = [
        f"{_name(text)} leaves the page"
        for text, box in boxes.items()
        if not _inside(box, page)
    ]
    if not _inside(extent, page):
        problems.append("something leaves the page")
    for (text, first), (other, second) in combinations(boxes.items(), 2):
        shared = Bbox.intersection(first, second)
        if shared and min(shared.width, shared.height) > SLACK / figure.dpi:
            problems.append(f"{_name(text)} lies on {_name(other)}")
    return problems


def misplaced_angles(figure: Figure) -> list[str]:
    """Ticks of axes on which multiples of pi do not stand at one scale, in words.

    An axis may have radians or turns; either way each label is the same times its place.
    """
    problems = []
    for panel in figure.axes:
        for axis in (panel.xaxis, panel.yaxis):
            positions = [float(position) for position in axis.get_majorticklocs()]
            texts = [label.get_text() for label in axis.get_majorticklabels()]
            if not any(map(_has_pi, texts)):
                continue
            angles = [multiple_of_pi(text) for text in texts]
            scale = max(map(abs, angles)) / max(map(abs, positions))
            problems += [
                f"{text!r} stands at {position:g}"
                for text, position, angle in zip(texts, positions, angles, strict=True)
                if abs(angle - scale * position) > 1e-6
            ]
    return problems


def _has_pi(text: str) -> bool:
    return "π" in text or r"\pi" in text


def multiple_of_pi(text: str) -> float:
    """An angle over pi, as in ``$-3\\pi/2$``.

    Raises:
        ValueError: If the text is no such angle.
    """
    plain = re.sub(r"\\pi|π", "p", re.sub(r"[$\s\\,]+(?!pi)", "", text))
    plain = plain.replace("−", "-")
    read = re.fullmatch(r"(-?)(?:([\d.]*)p(?:/([\d.]+))?|0)", plain)
    if read is None:
        raise ValueError(f"need a multiple of pi, got {text!r}")
    if "p" not in plain:
        return 0.0
    size = float(read[2] or 1) / float(read[3] or 1)
    return -size if read[1] else size


def _inside(box: Bbox, page: Bbox) -> bool:
    return all(page.contains(x, y) for x, y in (box.min, box.max))


def _name(text: Text) -> str:
    return repr(text.get_text())


def _texts(figure: Figure) -> Iterator[Text]:
    """All that is written; of tick labels those of ticks within their axis."""
    hidden = {label for tick in figure.findobj(Tick) for label in _labels(tick)}
    for axis in figure.findobj(Axis):
        transform = axis.get_transform().transform
        low, high = np.sort(transform(axis.get_view_interval()))
        slack = 1e-9 * (high - low)
        for tick in (*axis.get_major_ticks(), *axis.get_minor_ticks()):
            if (
                axis.axes.axison
                and low - slack <= transform(tick.get_loc()) <= high + slack
            ):
                hidden -= _labels(tick)
    for text in figure.findobj(Text):
        if text.get_visible() and text.get_text().strip() and text not in hidden:
            yield text


def _labels(tick: Tick) -> set[Text]:
    return {tick.label1, tick.label2}
