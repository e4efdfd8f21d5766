"""A checkpoint's modes are drawn where the audit has them, by colour and by shape."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import same_color

from sigprop.figures import checkpoints, style
from tests.figures import layout
from tests.figures.reading import Reading, same

FAILS = ["", "stationary", "infinite", "independent", "white", "none", "white", ""]


LONG = "model.backbone.decoder.layers.2.temporal_block.mixer"


def layer(real=False, longest=400.0):
    """A layer in which no two numbers agree."""
    g = np.random.default_rng(2)
    n = len(FAILS)
    memory = np.geomspace(longest, longest / 500, n)
    radius, theta = np.exp(-1 / memory), g.uniform(-3, 3, n)
    theta = 0 * theta if real else theta
    ratio = g.uniform(0.5, 2, (2, n))
    ratio[1, 5] = np.nan
    dims = ("quantity", "mode")
    return xr.Dataset(
        {
            "re": ("mode", radius * np.cos(theta)),
            "im": ("mode", radius * np.sin(theta)),
            "memory": ("mode", memory),
            "fails": (dims, np.array([FAILS, FAILS[::-1]])),
            "ratio": (dims, ratio),
            "low": (dims, 0.8 * ratio),
            "high": (dims, 1.3 * ratio),
        },
        {"quantity": ["state", "dh/dlam"]},
        {"steps": 100, "tolerance": 0.125},
    )


def dots(axes):
    """Points of each labelled series, its colour and its marker by its name."""
    by_label = {}
    for line in axes.lines:
        label = str(line.get_label())
        if not label.startswith("_") and line.get_marker() != "None":
            name = label.rpartition(" (")[0]
            by_label[name] = (line.get_xydata(), line.get_color(), line.get_marker())
    return by_label


@pytest.mark.parametrize("real", [False, True])
def test_each_mode_has_the_mark_of_what_fails_first(real):
    data = layer(real)
    (axes,) = checkpoints.draw(data, "fails").axes
    x = data["re"].values
    y = np.arange(len(FAILS), 0, -1) if real else data["im"].values
    by_label = dots(axes)
    assert set(by_label) == {*FAILS} - {"", "none"} | {"none", "no prediction"}
    for name, (points, colour, mark) in by_label.items():
        kind = {"none": "", "no prediction": "none"}.get(name, name)
        some = np.array(FAILS) == kind
        assert same(points, np.stack([x[some], y[some]], 1))
        wanted = checkpoints.MARKS.get(kind, checkpoints.UNSEEN)
        assert (same_color(colour, wanted[0]), mark) == (True, wanted[1])
    looks = {(colour, mark) for _, colour, mark in by_label.values()}
    assert len({mark for _, mark in looks}) == len(looks)  # told apart without colour


def test_each_mode_has_the_mark_of_its_memory():
    data = layer()
    (axes,) = checkpoints.draw(data, "memory").axes
    by_label = dots(axes)
    names = ["below 1", "1 to 10", "10 to 100", "100 and more"]
    assert list(by_label) == [f"{name} steps" for name in names]
    ends = [0, 1, 10, 100, np.inf]
    memory, positions = data["memory"].values, np.stack([data["re"], data["im"]], 1)
    for (points, *_), low, high in zip(by_label.values(), ends, ends[1:], strict=False):
        assert same(points, positions[(memory >= low) & (memory < high)])


def test_ratios_stand_over_memory_with_their_intervals():
    data = layer()
    (axes,) = checkpoints.draw(data, "ratio").axes
    panel = Reading(axes)
    assert len(panel.bars) == 2
    for bars, name in zip(panel.bars, ["state", "dh/dlam"], strict=True):
        case = data.sel(quantity=name)
        positive = case["ratio"].values > 0
        middle, _, (spans,) = bars.lines
        ratio, memory = case["ratio"].values[positive], data["memory"].values[positive]
        assert same(middle.get_xydata(), np.stack([memory, ratio], 1))
        ends = np.array([span[:, 1] for span in spans.get_segments()])
        assert same(ends, np.stack([0.8 * ratio, 1.3 * ratio], 1))
    levels = [line.get_ydata()[0] for line in panel.lines[:3]]
    assert levels == [0.875, 1, 1.125]
    assert same(panel.lines[3].get_xdata(), [100, 100])


def margins():
    slowest = np.array([900.0, 40.0, np.inf])
    columns = {
        "fastest": [1.0, 2.0, 3.0],
        "median": [9.0, 8.0, 7.0],
        "slowest": slowest,
    }
    columns["longest"] = np.array([256.0, 2048.0, 2.0**24])
    return xr.Dataset(
        {name: ("layer", np.asarray(column)) for name, column in columns.items()},
        {"layer": ["layers.0", "layers.1", LONG]},
        {"steps": 512},
    )


def test_margins_go_from_the_fastest_to_the_slowest_mode_of_each_layer():
    (axes,) = checkpoints.draw_margins(margins()).axes
    (spans,) = axes.collections
    ends = [segment[:, 0].tolist() for segment in spans.get_segments()]
    assert ends == [[1, 900], [2, 40], [3, 9000]]  # what has no end goes beyond all
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["layers.0", "layers.1", f"…{LONG[-31:]}"]
    lines = {str(line.get_label()): line for line in axes.lines}
    assert same(lines["median mode"].get_xdata(), [9, 8, 7])
    assert same(
        lines["where moduli of the format end"].get_xydata(), [[256, 0], [2048, 1]]
    )
    assert same(lines["|λ| = 1 or above: no end"].get_xydata(), [[9000, 2]])
    assert same(lines["window"].get_xdata(), [512, 512])


def histograms():
    return xr.Dataset(
        {
            "share": (("layer", "bin"), np.array([[0.5, 0.25], [0, 0], [0.1, 0.9]])),
            "median": ("layer", [3.0, np.nan, np.inf]),
            "endless": ("layer", [0.25, 0.0, 0.0]),
            "edge": ("end", [1.0, 10.0, 100.0]),
        },
        {"layer": ["layers.0", "layers.1", LONG]},
        {"steps": 64},
    )


def test_histograms_stand_on_the_line_of_their_layer():
    (axes,) = checkpoints.draw_times(histograms()).axes
    bars = [patch.get_data() for patch in axes.patches]
    assert all(same(one.edges, [1, 10, 100]) for one in bars)
    heights = [one.baseline - one.values for one in bars]
    tall = checkpoints.TALL
    assert same(np.array(heights), tall * np.array([[1, 0.5], [0, 0], [1 / 9, 1]]))
    assert [one.baseline for one in bars] == [0, 1, 2]
    lines = {str(line.get_label()): line for line in axes.lines}
    assert same(lines["median"].get_xydata(), [[3, 0]])
    assert same(lines["some modes have |λ| = 1 or above"].get_xydata(), [[100, 0]])
    assert same(lines["sequence length"].get_xdata(), [64, 64])
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["layers.0", "layers.1", f"…{LONG[-31:]}"]
    unknown = histograms()
    del unknown.attrs["steps"]
    (axes,) = checkpoints.draw_times(unknown).axes
    assert "sequence length" not in {str(line.get_label()) for line in axes.lines}


def test_the_ring_goes_from_the_smallest_to_the_largest_modulus():
    data = layer()
    (axes,) = checkpoints.draw(data, "memory", "a layer").axes
    (ring,) = axes.patches
    modulus = np.hypot(data["re"].values, data["im"].values)
    assert same(ring.get_radii(), [modulus.max()] * 2)
    assert ring.get_width() == pytest.approx(np.ptp(modulus))
    assert axes.get_title(loc="left") == "a layer"


@pytest.mark.parametrize("panel", checkpoints.PANELS)
@pytest.mark.parametrize("data", [layer(), layer(True), layer(True, 2.0)])
def test_texts_lie_on_the_page_and_not_on_each_other(panel, data):
    with style.styled():
        assert layout.faults(checkpoints.draw(data, panel)) == []
        assert layout.faults(checkpoints.draw_margins(margins())) == []
        assert layout.faults(checkpoints.draw_times(histograms())) == []


def test_an_unknown_panel_is_refused():
    with pytest.raises(
        ValueError, match="need a panel in fails, memory, ratio, got 'x'"
    ):
        checkpoints.draw(layer(), "x")
