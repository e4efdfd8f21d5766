"""A run's statuses are shares of bars, and its intervals stand against the margin."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import to_hex

from sigprop.figures import inline, overview, style
from tests.figures.reading import Reading

MARGIN = 0.04
CLAIMS = (
    ("zucchet", "identity", "proved"),
    ("zucchet", "identity", "refuted"),
    ("zucchet", "identity", "refuted"),
    ("zucchet", "moment", "confirmed"),
    ("lru", "identity", "not-checkable"),
    ("lru", "text", "definition"),
    ("lru", "text", "undecided"),
    ("lru", "moment", "conditional"),
)
RESULTS = (  # value, half the width of its interval, form
    (1.01, 0.03, "derived"),
    (0.97, 0.02, "derived"),
    (0.999, 0.01, "derived"),
    (1.2, 0.01, "derived"),
    (np.nan, np.nan, "derived"),
    (1.1, 0.05, "printed"),
    (0.5, 0.01, "printed"),
    (1.02, 0.02, "printed"),
    (np.inf, np.nan, "printed"),
)


def verdict_table(results=RESULTS):
    papers, kinds, statuses = zip(*CLAIMS, strict=True)
    value, half, form = zip(*results, strict=True) if results else ((), (), ())
    value, half = np.array(value, float), np.array(half, float)
    return xr.Dataset(
        {
            "paper": ("claim", [*papers]),
            "kind": ("claim", [*kinds]),
            "status": ("claim", [*statuses]),
            "value": ("result", value),
            "low": ("result", value - half),
            "high": ("result", value + half),
            "form": ("result", [*form]),
        },
        attrs={"margin": MARGIN},
    )


def test_bars_are_the_shares_of_every_status_of_a_kind_in_a_paper():
    figure = overview.draw(verdict_table(), "a")
    papers = {axes.get_title(): axes for axes in figure.axes}
    assert list(papers) == ["zucchet", "lru"]
    kinds = [tick.get_text() for tick in figure.axes[0].get_yticklabels()]
    assert kinds == ["identity", "moment", "text"]  # four, two and two
    for paper, axes in papers.items():
        bars = {}
        for container in axes.containers:
            (patch,) = container.get_children()
            row = round(patch.get_y() + patch.get_height() / 2)
            shade = to_hex(patch.get_facecolor())
            bars[row, shade] = patch.get_x(), patch.get_width()
        wanted, counts = {}, {}
        for row, kind in enumerate(kinds):
            own = [s for p, k, s in CLAIMS if (p, k) == (paper, kind)]
            left = 0.0
            for status, colour in overview.STATUSES.items():
                share = own.count(status) / max(len(own), 1)
                if share:
                    wanted[row, to_hex(colour)] = left, share
                left += share
            if own:
                counts[row] = str(len(own))
        assert bars.keys() == wanted.keys()
        for key, extent in wanted.items():
            np.testing.assert_allclose(bars[key], extent, atol=1e-12)
        written = {
            round(text.get_position()[1] + 0.26): text.get_text() for text in axes.texts
        }
        assert written == counts
        assert axes.get_xlim() == (0, 1)
        assert axes.get_ylim() == (2.5, -0.5)
    (legend,) = figure.subfigs[0].legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == list(overview.STATUSES)
    shades = [to_hex(patch.get_facecolor()) for patch in legend.get_patches()]
    assert shades == [to_hex(colour) for colour in overview.STATUSES.values()]


def test_intervals_are_in_the_order_of_their_values_and_what_is_beyond_is_counted():
    figure = overview.draw(verdict_table(), "b")
    panel = Reading(figure.axes[0])
    rows = {"derived": [(0, 1), (1, 2), (2, 0)], "printed": [(5, 7), (6, 5)]}
    for form, positions in rows.items():
        colour, x, y, values = overview.FORMS[form], [], [], []
        for height, index in positions:
            value, half, _ = RESULTS[index]
            x += [100 * (value - half - 1), 100 * (value + half - 1), np.nan]
            y += [height] * 3
            values.append(100 * (value - 1))
        panel.curve(x, y, colour, label=f"{form} form")
        panel.curve(values, [height for height, _ in positions], style.BLACK)
    for level in (-100 * MARGIN, 0, 100 * MARGIN):
        panel.upright(level)
    panel.done(x="closed form")
    np.testing.assert_allclose(panel.axes.get_xlim(), (-12, 12))
    low, high = panel.axes.get_ylim()
    assert low < 0
    assert high > 6
    caption = figure.subfigs[0].get_supxlabel().replace("\n", " ")
    assert "5 points of derived forms, and 4 of printed forms" in caption
    assert caption.endswith("without a number: 4.")


def test_both_panels_are_drawn_and_one_where_nothing_was_simulated():
    assert len(overview.draw(verdict_table()).axes) == 3
    assert len(overview.draw(verdict_table(())).axes) == 2
    width, height = overview.draw(verdict_table()).get_size_inches()
    for panel in overview.PANELS:
        single = overview.draw(verdict_table(), panel).get_size_inches()
        np.testing.assert_allclose(single, [width / 2, height])
    with pytest.raises(ValueError, match="need a panel in a, b"):
        overview.draw(verdict_table(), "c")


def test_a_picture_in_a_page_has_no_style_and_names_of_its_own():
    svg, repeated, other = (
        inline.svg(overview.draw(verdict_table(), "a"), name, 'what "it" <shows>')
        for name in ("one", "one", "other")
    )
    assert svg == repeated
    assert svg.startswith("<svg ")
    root = ElementTree.fromstring(svg)
    assert root.attrib["aria-label"] == 'what "it" <shows>'
    assert root.attrib["fill"] == "currentColor"
    assert {"width", "height"}.isdisjoint(root.attrib)
    parts = list(root.iter())
    assert all("style" not in part.attrib for part in parts)
    tags = {part.tag.rpartition("}")[2] for part in parts}
    assert {"path", "use"} <= tags
    assert tags.isdisjoint({"style", "metadata", "script", "image", "text"})
    names, others = (set(re.findall(r' id="([^"]*)"', text)) for text in (svg, other))
    assert names.isdisjoint(others)
    links = set(re.findall(r'href="#([^"]*)"|url\(#([^)]*)\)', svg))
    assert {a or b for a, b in links} <= names
    fills = {part.attrib["fill"] for part in parts if "fill" in part.attrib}
    assert to_hex(overview.STATUSES["proved"]) in fills
    assert "#000000" not in svg


def test_a_picture_in_a_page_has_no_words_below_its_panels():
    def drawn(*words):
        with style.styled():
            figure = style.figure(2.0)
            figure.subplots()
            style.caption(figure, *words)
        return figure

    shown = drawn("Words below the panels.")
    assert inline.svg(shown, "one", "x") == inline.svg(drawn(""), "one", "x")
    assert style.notes(shown) == "Words below the panels."
