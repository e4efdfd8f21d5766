"""Forecasts as drawn are those that were stored."""

import itertools

import numpy as np
import pytest
import xarray as xr

from sigprop.figures import forecasts, style
from tests.figures.reading import Reading


def stored(seeds=2, windows=60, horizon=6, every=1, seed=0):
    draw = np.random.default_rng(seed)
    shape = windows, horizon, 2
    names = [*forecasts.COLOURS]
    errors = draw.uniform(0.2, 2, (seeds, len(names), horizon, 2))
    errors[:, names.index("season")] = np.nan
    by = ("window", "step", "feature")
    return xr.Dataset(
        {
            "forecast": (by, draw.normal(size=shape)),
            "truth": (by, draw.normal(size=shape)),
            "lower": (by[1:], draw.uniform(-2, -1, shape[1:])),
            "upper": (by[1:], draw.uniform(1, 2, shape[1:])),
            "coverage": (
                by[1:],
                draw.uniform(0.5, 0.9, shape[1:]) + np.array([0, 0.1]),
            ),
            "mse": (("seed", "forecaster", *by[1:]), errors),
            "step_trained": (("seed", "look"), np.tile([10, 20, 30], (seeds, 1))),
            "validation_mse": (("seed", "look"), draw.uniform(1, 2, (seeds, 3))),
        },
        {
            "window": np.datetime64("2020-01-01", "ns")
            + np.timedelta64(1, "h") * np.arange(windows) * every,
            "step": np.arange(1, horizon + 1),
            "feature": ["load", "oil"],
            "forecaster": names,
            "seed": range(seeds),
        },
        {"every": every},
    )


@pytest.mark.parametrize(("horizon", "every"), [(6, 1), (6, 4), (1, 1)])
def test_the_series_are_truth_and_forecast_and_none_over_another(horizon, every):
    data = stored(horizon=horizon, every=every)
    figure = forecasts.draw(data, "a title")
    series = figure.axes[0]
    curves = [line for line in series.lines if len(line.get_xdata()) == horizon]
    black = [curve for curve in curves if curve.get_color() == style.BLACK]
    blue = [curve for curve in curves if curve.get_color() == style.BLUE]
    assert len(black) == len(blue) == forecasts.SHOWN
    ends = [curve.get_xdata() for curve in black]
    assert all(a[-1] < b[0] for a, b in itertools.pairwise(ends))
    apart = -(-horizon // every)
    first = data.sizes["window"] // 2
    first = max(0, min(first, data.sizes["window"] - forecasts.SHOWN * apart))
    for number, (true, forecast) in enumerate(zip(black, blue, strict=True)):
        case = data.isel(window=first + number * apart, feature=-1)
        np.testing.assert_array_equal(true.get_ydata(), case["truth"])
        np.testing.assert_array_equal(forecast.get_ydata(), case["forecast"])
        hours = (case["window"] - data["window"][first]) / np.timedelta64(1, "h")
        assert true.get_xdata()[0] == hours
        band = series.collections[number].get_paths()[0].vertices[:, 1]
        ends = [case["forecast"] + case[name] for name in ("lower", "upper")]
        np.testing.assert_allclose(
            np.unique(band), np.unique(np.concatenate(ends)), rtol=1e-12
        )
    assert "oil" in series.get_title(loc="left")
    covered = 100 * float(data["coverage"].sel(feature="oil").mean())
    other = 100 * float(data["coverage"].sel(feature="load").mean())
    caption = " ".join(figure.get_supxlabel().split())
    assert f"on the test {covered:.0f} % lie inside" in caption
    assert f"{other:.0f} %" not in caption
    assert "the mean over 2 seeds" in caption


def test_errors_are_means_and_what_is_impossible_is_left_out():
    data = stored()
    _, by_step, by_feature, course = forecasts.draw(data, "a title").axes
    names = [line.get_label() for line in by_step.lines]
    assert names == ["model", "linear", "last value", "climatology"]
    for line, name in zip(by_step.lines, names, strict=True):
        own = data["mse"].sel(forecaster=name).mean(("seed", "feature"))
        np.testing.assert_allclose(line.get_ydata(), own)
    assert len(by_feature.lines) == len(forecasts.COLOURS)
    for line, (name, colour) in zip(
        by_feature.lines, forecasts.COLOURS.items(), strict=True
    ):
        own = data["mse"].sel(forecaster=name).mean(("seed", "step"))
        np.testing.assert_allclose(line.get_xdata(), own)
        assert line.get_color() == colour
        assert line.get_ydata().tolist() == [0, 1]
    names = [text.get_text() for text in by_feature.get_yticklabels()]
    assert names == ["load", "oil"]
    panel = Reading(course)
    for number, seed in enumerate(data["seed"].values):
        case = data.sel(seed=seed)
        steps, errors = case["step_trained"].values, case["validation_mse"].values
        colour = style.SEQUENCE[number]
        panel.curve(steps, errors, colour, ".", label=f"seed {seed}")
        best = int(errors.argmin())
        panel.curve([steps[best]], [errors[best]], colour, "o")
    panel.done(x="training step")
