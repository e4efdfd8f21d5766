import re

import pytest
from matplotlib.text import Text

from sigprop.figures import catalogue
from tests.figures.reading import Reading
from tests.figures.scrambled import scrambled

BAR = "<colorbar>"  # what Matplotlib calls its axes


@pytest.fixture(scope="session")
def results(tmp_path_factory):
    """A folder for the results that ``small`` finds or makes, once for all tests."""
    return tmp_path_factory.mktemp("results")


@pytest.fixture
def stored(results, monkeypatch):
    """Figures read those results."""
    monkeypatch.setenv("SIGPROP_RESULTS", str(results))


def letters(figure):
    """The bold letters that head the panels of a figure, sorted."""
    texts = [text.get_text() for text in figure.findobj(Text)]
    heads = [re.match(r"\$\\bf\{(.)\}\$", text) for text in texts]
    return sorted(head[1].lower() for head in heads if head)


def bars(panel):
    """The colour bars of a panel's figure."""
    axes = panel.axes.get_figure(root=True).axes
    return [axis for axis in axes if axis.get_label() == BAR]


@pytest.fixture
def show():
    """Draw a figure of scrambled results: its panels in order, and the results."""

    def draw(name, panel=None, **tables):
        data = {study: scrambled(study) for study in catalogue.entry(name).needs(panel)}
        data |= tables
        figure = catalogue.module(name).draw(data, panel)
        assert letters(figure) == list(panel or catalogue.entry(name).panels)
        panels = [Reading(axes) for axes in figure.axes if axes.get_label() != BAR]
        return panels, next(iter(data.values()))

    return draw
