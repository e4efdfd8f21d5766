"""The figure of a series' moments shows each ratio, and the intervals beside it."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.collections import LineCollection

from sigprop.figures import series_moments as figure
from sigprop.figures import style


def made_up(features, seed=0):
    """Ratios and intervals of which no two agree."""
    draws = np.random.default_rng(seed)
    shape = features, 2, 3
    dims = "feature", "quantity", "eigenvalue"
    low = draws.uniform(0.5, 0.9, shape)
    ratio = draws.uniform(0.1, 9, (*shape, 3))
    ratio[0, 0, 1, 2] = np.nan  # a missing prediction
    return xr.Dataset(
        {
            "low": (dims, low),
            "high": (dims, 2 - low),
            "ratio": ((*dims, "assumption"), ratio),
            "gap": ("eigenvalue", [0.5, 0.1, 0.01]),
            "theta": ("eigenvalue", [0, 0.3, np.pi]),
        },
        {
            "feature": [f"feature {index}" for index in range(features)],
            "quantity": ["state", "sensitivity"],
            "assumption": ["toeplitz", "stationary", "white"],
        },
        {"steps": 64},
    )


@pytest.mark.parametrize("features", [1, 3])
def test_every_ratio_and_interval_is_drawn(features):
    data = made_up(features)
    panels = figure.draw(data, "x.npy").axes
    assert len(panels) == 2 * features
    for panel, (feature, quantity) in zip(
        panels,
        [(f, q) for f in data["feature"].values for q in data["quantity"].values],
        strict=True,
    ):
        here = data.sel(feature=feature, quantity=quantity)
        marks = {line.get_label(): line for line in panel.lines}
        for name, (label, *_) in figure.ASSUMPTIONS.items():
            ratio = here["ratio"].sel(assumption=name).values
            known = np.isfinite(ratio)
            np.testing.assert_array_equal(marks[label].get_xdata(), ratio[known])
            np.testing.assert_array_equal(marks[label].get_ydata(), np.arange(3)[known])
        (bars,) = panel.collections
        assert isinstance(bars, LineCollection)
        ends = [(path[0, 0], path[1, 0]) for path in bars.get_segments()]
        np.testing.assert_array_equal(ends, np.stack([here["low"], here["high"]], 1))
    labels = [text.get_text() for text in panels[0].get_yticklabels()]
    assert [r"= 0.3$" in label for label in labels] == [False, True, False]


def test_features_beyond_the_figure_are_counted_in_its_caption():
    whole = figure.draw(made_up(figure.MOST + 2), "x.npy")
    assert len(whole.axes) == 2 * figure.MOST
    assert "2 more features are in the table only." in style.notes(whole)
    assert "more features" not in style.notes(figure.draw(made_up(1), "x.npy"))
