"""Nothing of a figure is cut off or written over, and each is as wide as a page's text."""

import inspect
import re

import numpy as np
import pytest

from sigprop.experiments import statuses
from sigprop.figures import catalogue, style
from tests.figures import layout
from tests.figures.tracked import shipped

PANELS = [
    pytest.param(name, panel, marks=pytest.mark.slow)
    for name, entry in catalogue.entries().items()
    for panel in entry.panels
    if len(entry.panels) > 1
]


def figure_with_texts(name, panel):
    """A figure of tracked results, and what stands below it."""
    shown = catalogue.entry(name)
    results = {study: shipped(study) for study in shown.needs(panel)}
    one = catalogue.drawn(name, results, panel, statuses.current(shown.rows))
    return one.figure, f"{one.found} {one.shown}", one.origin


@pytest.mark.parametrize(
    ("name", "panel"), [*((name, None) for name in catalogue.entries()), *PANELS]
)
@pytest.mark.sampled(12)
def test_texts_lie_on_the_page_and_not_on_each_other(name, panel):
    figure, *below = figure_with_texts(name, panel)
    width = figure.get_figwidth()
    assert width == style.WIDTH if panel is None else width <= style.WIDTH
    with style.styled():
        assert layout.faults(figure, style.footers(figure, *below)) == []


ANGLES = [
    name
    for name in catalogue.entries()
    if re.search(
        r"ticks\(.*(π|over_pi)|TICK_LABELS = .*pi|import .*\bdisk\b",
        inspect.getsource(catalogue.module(name)),
    )
]


@pytest.mark.sampled(keep=["lru-4", "lru-8", "zucchet-8"])
@pytest.mark.parametrize("name", ANGLES)
def test_angles_on_an_axis_are_where_their_ticks_stand(name):
    figure, *_ = figure_with_texts(name, None)
    assert layout.misplaced_angles(figure) == []


def test_an_angle_at_another_place_is_found(axes):
    axes.set_xlim(-4, 4)
    labels = (r"$-\pi$", r"$-\pi/2$", "0", r"$\pi/2$", "3π/4", "π")
    positions = np.array([-1, -1 / 2, 0, 1 / 2, 3 / 4, 1]) * np.pi
    axes.set_xticks(positions, labels)
    assert layout.misplaced_angles(axes.figure) == []
    positions[1] /= 3
    axes.set_xticks(positions, labels)
    assert layout.misplaced_angles(axes.figure) == [r"'$-\\pi/2$' stands at -0.523599"]


@pytest.fixture
def axes():
    """Of a small figure without fault."""
    with style.styled():
        figure = style.figure(2.0)
        axes = figure.subplots()
        axes.set(xlim=(0, 1), xlabel="across")
        assert layout.faults(figure) == []
        yield axes


def test_ticks_too_close_are_found(axes):
    axes.set_xticks([0.5, 0.51], ["one", "other"])
    assert layout.faults(axes.figure) == ["'one' lies on 'other'"]


def test_ticks_outside_their_axis_are_not_drawn(axes):
    axes.set_xticks([0.5, 1.5, 1.51], ["in", "out", "side"])
    axes.set_xlim(0, 1)
    assert layout.faults(axes.figure) == []


def test_a_text_on_a_tick_is_found(axes):
    axes.set_xticks([0.5], ["one"])
    axes.annotate("text", (0.5, 0), (0, -10), textcoords="offset points", ha="center")
    assert layout.faults(axes.figure) == ["'text' lies on 'one'"]


def test_a_text_cut_off_is_found(axes):
    axes.figure.text(1.0, 0.5, "cut", in_layout=False)
    assert layout.faults(axes.figure) == ["'cut' leaves the page"]


def test_a_label_longer_than_its_page_is_found(axes):
    axes.set_ylabel("much too long a label " * 5)
    problems = layout.faults(axes.figure)
    assert problems[-1] == "something leaves the page"


def test_lines_below_the_page_are_found_unless_it_grows(axes):
    below = style.footers(axes.figure, "", "word " * 60)
    assert layout.faults(axes.figure, below) == []
    assert len(layout.faults(axes.figure)) == 1
