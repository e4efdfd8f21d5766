"""Figures of forecasts show the stored errors, lines and printed numbers, and say so."""

import numpy as np
import pytest

from sigprop.experiments.forecasting import grids
from sigprop.experiments.forecasting.cells import Config
from sigprop.figures import (
    blur_1,
    blur_4,
    blur_5,
    blur_9,
    blur_12,
    series,
    sigprop_forecasts,
    style,
)
from sigprop.theory.papers.blur.printed import errors
from tests.figures.reading import Reading
from tests.forecast_trainings import VALIDATION, gathered

TASKS = (("ETTh1", 24), ("ETTh1", 48), ("WTH", 24))
LEVELS = {"blur": 0.25, "lru": 0.4}
LINEAR = 0.3  # the linear model's made-up error on the test
SEEN = VALIDATION * LINEAR  # and on the validation


def table(levels=LEVELS, **options):
    return gathered(
        {
            Config(data, horizon, model, seed, **options): level + seed / 100
            for data, horizon in TASKS
            for seed in range(3)
            for model, level in levels.items()
        }
    )


@pytest.fixture(scope="module")
def results():
    return {"forecasts": table(), "horizons": table()}


@pytest.mark.parametrize(
    ("module", "name", "at"), [(blur_9, "ETTh1", 1800), (blur_12, "WTH", 5000)]
)
def test_truth_has_errors_below_and_forecasts_of_the_first_seed_near_a_place(
    module, name, at
):
    data = table()
    draws = np.random.default_rng(1)
    data["forecast"] = data["forecast"] + draws.uniform(0, 3, data["forecast"].shape)
    data["truth"].values[:, 40:45] = 0.0
    truth_axes, errors_axes, near_axes = map(
        Reading, module.draw({"forecasts": data}).axes
    )
    dashes = {"blur": "-", "lru": "--"}
    truth = series.line(data, (name, 24), "blur")["truth"].values
    truth = np.where(np.abs(truth) > series.ZERO, truth, np.nan)
    assert 0 < np.isnan(truth).sum() < 30
    ratios = {}
    truth_axes.curve(np.arange(6 * 24), truth, style.BLACK)
    truth_axes.done(y="temperature")
    rows = np.arange(22, 122)  # of 144, around the middle
    for model, (_, colour, _) in series.MODELS.items():
        runs = series.cells(data, name, 24, model)["forecast"].values[:, : 6 * 24]
        square = (runs - truth) ** 2
        windows = [slice(first, first + 36) for first in range(6 * 24 - 35)]
        ratios[model] = np.sqrt([np.nanmean(square[:, part], 1) for part in windows]).T
        middle = np.arange(len(windows)) + 17.5
        near_axes.curve(rows, runs[0, rows], colour, dashes=dashes[model])
    ratio = ratios["blur"] / ratios["lru"]
    errors_axes.curve(middle, ratio.mean(0), series.MODELS["blur"][1])
    errors_axes.band(middle, ratio.min(0), ratio.max(0))
    errors_axes.level(1, series.MODELS["lru"][1])
    errors_axes.done(x="row of the test set", y="error")
    near_axes.curve(rows, truth[rows], style.BLACK)
    for start in (24, 48, 72, 96, 120):
        near_axes.upright(start, style.GREY)
    near_axes.done(x="row of the test set", y="temperature")
    assert f"near row {at} (vertical" in near_axes.axes.get_title("left")
    assert len(module.draw({"forecasts": data}, "b").axes) == 1
    assert len(module.draw({"forecasts": data}, "a").axes) == 2


def test_a_week_is_averaged_unless_the_test_is_short():
    assert [series.width(rows) for rows in (2880, 672, 144, 2)] == [168, 168, 36, 1]


def test_rows_near_a_place_are_on_both_sides_of_it():
    assert series.spans(5000, 1800) == slice(1750, 1850)
    assert series.spans(200, 1800) == slice(50, 150)


def test_errors_of_all_trainings_are_compared_on_the_whole_test_and_near_the_place():
    data = table()
    for model, overall, near in (("blur", 1.0, 5.0), ("lru", 2.0, 4.0)):
        off = np.full(6 * 24, overall)
        off[22:122] = near
        for seed, cell in enumerate(np.flatnonzero(data["model"].values == model)):
            forecast = data["forecast"].values[cell]
            worse = 1.5 if (model, seed % 3) == ("blur", 2) else 1.0
            forecast[: 6 * 24] = data["truth"].values[cell, : 6 * 24] + worse * off
    text = blur_9.shown({"forecasts": data})
    mean = {name: 100 * n**2 + 44 * w**2 for name, w, n in (("L", 2, 4), ("B", 1, 5))}
    lru, blur = ((error / 144) ** 0.5 for error in mean.values())
    assert (
        f"oil temperature (°C) is {lru:.2f} for the LRU and {blur * 3.5 / 3:.2f} for BLUR, "
        "means over 3 trainings, zeros excepted. Within 50 rows of row 1800, it is 4.00 for "
        "the LRU and 5.83 for BLUR. In single trainings, BLUR's error is "
        f"{blur / lru:.2f} to "
        f"{1.5 * blur / lru:.2f} times the LRU's over the "
        "whole test set, and 1.25 to 1.88 times near row 1800." in text
    )


def test_the_snippet_is_of_the_weather_with_its_interval(results):
    data = results["forecasts"].copy(deep=True)
    here = np.flatnonzero(data["data"].values == "WTH")
    data["truth"].values[here, 10:16] = 0.0
    (axes,) = blur_5.draw({"forecasts": data}).axes
    assert axes.get_title("left") == "Weather, horizon 24"
    lines = {line.get_label(): line for line in axes.lines}
    stored = series.line(data, ("WTH", 24), "blur")
    x, y = lines["BLUR"].get_data()
    np.testing.assert_array_equal(y, stored["forecast"].values[np.asarray(x, int)])
    _, truth = lines["truth"].get_data()
    gaps = np.isnan(truth)
    assert np.flatnonzero(gaps).tolist() == [*range(10, 16)]
    np.testing.assert_array_equal(truth[~gaps], stored["truth"].values[~gaps])
    (shade,) = axes.collections
    low, high = (bound(shade.get_paths()[0].vertices[:, 1]) for bound in (min, max))
    assert low == pytest.approx(min(y) - 0.8, abs=1e-5)
    assert high == pytest.approx(max(y) + 0.8, abs=1e-5)
    assert "144 true values shown, 6 are exactly zero" in " ".join(
        style.notes(axes.get_figure(root=True)).split()
    )
    for model, off in (("lru", 2.0), ("blur", 0.5)):
        rows = series.cells(data, "WTH", 24, model)["key"].values
        cells = np.isin(data["key"].values, rows)
        moved = data["truth"].values[cells] + off
        moved[:, :10] += 0.5 * (model == "blur")
        data["forecast"].values[cells] = moved
    text = blur_5.shown({"forecasts": data})
    assert "the data here are Weather" in text
    blur = ((10 * 1.0 + 128 * 0.25) / 138) ** 0.5
    assert f"is 2.00 for the LRU and {blur:.2f} for BLUR, zeros excepted." in text
    assert text.endswith("There, 93 % of the nonzero values lie in the band.")


def test_bars_are_means_and_diamonds_are_printed(results):
    weather, houses = blur_4.draw(results).axes
    for axes, tasks in ((weather, TASKS[2:]), (houses, TASKS[:2])):
        heights = sorted(float(bar.get_height()) for bar in axes.patches)
        means = [level + 0.01 for level in LEVELS.values()]
        known = [0.3, 0.6, 0.9, 1.2]  # of the made-up controls
        np.testing.assert_allclose(heights, sorted((means + known) * len(tasks)))
        diamonds = [
            float(line.get_ydata()[0])
            for line in axes.lines
            if line.get_marker() == "D"
        ]
        ticks = [label.get_text() for label in axes.get_xticklabels()]
        assert ticks == [str(horizon) for _, horizon in tasks]
        names = [(series.SETS[name], horizon) for name, horizon in tasks]
        printed = [errors(8)[task][m].mse for task in names for m in ("BLUR", "LRU")]
        assert diamonds == printed
    text = blur_4.shown(results)
    assert "BLUR has the smallest mean squared error on 3 of 3 tasks" in text
    assert "BLUR's error is 0.87 times the error" in text
    ratios = [
        errors(8)[series.SETS[name], horizon][label].mse / (LEVELS[model] + 0.01)
        for name, horizon in TASKS
        for model, label in (("blur", "BLUR"), ("lru", "LRU"))
    ]
    assert f"paper prints are {min(ratios):.1f} to {max(ratios):.1f} times" in text
    worse = dict.fromkeys(results, table({"blur": 0.5, "lru": 0.4}))
    assert "on 0 of 3 tasks" in blur_4.shown(worse)


def test_the_key_of_bars_has_them_from_left_to_right_by_rows(results):
    (legend,) = blur_4.draw(results).legends
    names = [text.get_text() for text in legend.get_texts()]
    by_rows = [*names[0::2], *names[1::2]]
    controls = [label for label, _ in series.CONTROLS.values()]
    assert by_rows == ["BLUR", "LRU", *controls, "paper"]


def test_blur_4_lists_errors_relative_to_the_linear_model():
    data = table()
    here = (data["data"].values == "WTH") & (data["model"].values == "blur")
    data["test_mse"].values[here] *= 2
    results = {"forecasts": data, "horizons": data}
    header, *rows = blur_4.details(results)
    assert header == ("mean squared error over the linear model's", "BLUR", "LRU")
    assert rows == [
        ("Weather, horizon 24", "1.73", "1.37"),
        ("ETTh1, horizon 24", "0.87", "1.37"),
        ("ETTh1, horizon 48", "0.87", "1.37"),
    ]
    text = blur_4.shown(results)
    assert "on 2 of 3 tasks" in text
    assert "BLUR's error is 0.87 to 1.73 times" in text


def all_layers():
    """BLUR and LRU on all tasks; every other layer on the first, each with its error."""
    first = {
        Config(*TASKS[0], model, seed): 0.45 + index / 50 + seed / 100
        for index, model in enumerate(series.OTHERS)
        for seed in range(3)
    }
    runs = {
        Config(*task, model, seed): level + seed / 100
        for task in TASKS
        for seed in range(3)
        for model, level in LEVELS.items()
    }
    return gathered(runs | first)


def test_every_layer_that_the_sweep_trains_has_a_name():
    trained = {*grids.MODELS, *grids.OTHERS, *grids.BOTH_ENDS}
    assert trained == {*series.MODELS, *series.OTHERS}
    hollow = {model for model, (*_, fill) in series.OTHERS.items() if fill == "none"}
    assert hollow == {*grids.BOTH_ENDS}


def test_errors_of_all_layers_stand_over_their_parameters():
    data = all_layers()
    here = np.flatnonzero(data["model"].values == "gru")
    data["parameters"][here] = 5000
    figure = blur_1.draw({"forecasts": data}, "b")
    (axes,) = figure.axes
    legend = figure.subfigs[0].legends[0]
    faces = {
        handle.get_label(): handle.get_markerfacecolor()
        for handle in legend.legend_handles
    }
    assert (faces["tanh RNN"], faces["GRU"]) == ("none", style.GREEN)
    assert list(faces)[-1] == "bidirectional, not BLUR"
    assert faces["bidirectional, not BLUR"] == "none"
    (dot,) = [line for line in axes.lines if line.get_color() == style.BLACK][1:]
    assert dot.get_xydata().tolist() == [[600, pytest.approx(0.3)]]
    points = {
        container.get_label(): container.lines[0].get_data()
        for container in axes.containers
    }
    wanted = [(label, LEVELS[model]) for model, (label, *_) in series.MODELS.items()]
    wanted += [
        (label, 0.45 + index / 50)
        for index, (label, *_) in enumerate(series.OTHERS.values())
    ]
    assert set(points) == {label for label, _ in wanted}
    for label, level in wanted:
        ((across,), (up,)) = points[label]
        assert up == pytest.approx(level + 0.01)
        assert across == (5000 if label == "GRU" else 3200)
    linear = next(line for line in axes.lines if len(set(line.get_ydata())) == 1)
    assert linear.get_ydata()[0] == pytest.approx(0.3)
    text = blur_1.shown({"forecasts": data})
    assert text.endswith(
        "On ETTh1 at horizon 24, BLUR has the smallest error of 12 layers, 0.260, and "
        "bidirectional tanh RNN the largest, 0.640."
    )
    header, *rows = blur_1.details({"forecasts": data})
    assert header == ("task", "model", "parameters", "mean squared error, scaled units")
    assert len(rows) == 3 * 3 + 10
    first = "ETTh1, horizon 24"
    assert (first, "BLUR", "3,200", "0.260") in rows
    assert (first, "GRU", "5,000", "0.500") in rows
    assert (first, "bidirectional tanh RNN", "3,200", "0.640") in rows


def test_errors_stand_over_parameters(results):
    axes, _ = blur_1.draw(results).axes
    points = [container.lines[0] for container in axes.containers]
    markers = dict.fromkeys(point.get_marker() for point in points)
    assert len(markers) == len(TASKS)
    for marker in markers:
        own = [point for point in points if point.get_marker() == marker]
        x, y = np.array([point.get_xydata()[0] for point in own]).T
        np.testing.assert_array_equal(x, [3200, 3200])
        np.testing.assert_allclose(y, np.array([0.41, 0.26]) / 0.3)
        colours = [point.get_color() for point in own]
        assert colours == [style.VERMILION, style.PURPLE]
    text = blur_1.shown(results)
    assert "lower mean squared error than the linear model on 3 of 3 tasks." in text
    assert "BLUR has 1.00 times the LRU's parameters and 0.63 times its error." in text
    assert blur_1.details(results)[1:4] == (
        ("ETTh1, horizon 24", "linear, least squares", "600", "0.300"),
        ("ETTh1, horizon 24", "LRU", "3,200", "0.410"),
        ("ETTh1, horizon 24", "BLUR", "3,200", "0.260"),
    )
    worse = {"forecasts": table({"blur": 0.35, "lru": 0.4})}
    assert "on 0 of 3 tasks" in blur_1.shown(worse)


def test_other_layers_are_black_marks_and_their_span_is_told():
    data = {"forecasts": all_layers()}
    tests, *bare = sigprop_forecasts.draw(data, "b").axes
    black = {
        line.get_marker(): line
        for line in tests.lines
        if line.get_color() == style.BLACK
    }
    assert black["o"].get_fillstyle() == "none"
    assert not any(
        line.get_color() == style.BLACK for axes in bare for line in axes.lines
    )
    for marker, models in (("x", grids.OTHERS), ("o", grids.BOTH_ENDS)):
        levels = [0.45 + list(series.OTHERS).index(model) / 50 for model in models]
        ends = [level + seed / 100 for level in levels for seed in range(3)]
        x, y = black[marker].get_data()
        np.testing.assert_allclose(sorted(y), np.sort(ends) / 0.3)
        np.testing.assert_allclose(sorted(x), (np.sort(ends) + 0.25) / SEEN)
    text = sigprop_forecasts.shown({**data, "forecast_settings": settings(SETTINGS)})
    assert (
        "On ETTh1 at horizon 24, other layers have 1.53 times (RotRNN) to 2.13 times "
        "(bidirectional tanh RNN) the linear model's error." in text
    )
    _, *rows = sigprop_forecasts.details(data)
    assert ("ETTh1, horizon 24", "bidirectional tanh RNN", "2.13") in rows
    assert ("ETTh1, horizon 24", "RotRNN", "1.53") in rows


SETTINGS = {("each", "last"): 0.4, ("mixed", "last"): 0.3, ("mixed", "none"): 0.5}


def settings(levels):
    """BLUR in every setting; validation errors are 0.25 above those of the test."""
    return gathered(
        {
            Config(data, horizon, "blur", 3, centre=centre, channels=channels): level
            for data, horizon in TASKS
            for (channels, centre), level in levels.items()
        },
        "forecast_settings",
    )


def test_courses_and_tests_are_told_by_the_linear_model(results):
    data_and_settings = {**results, "forecast_settings": settings(SETTINGS)}
    figure = sigprop_forecasts.draw(data_and_settings)
    _names_of_forecasts(figure)
    panels = [*map(Reading, figure.axes)]
    courses, tests = panels[: len(TASKS)], panels[len(TASKS) :]
    for reading in courses:
        for setting, level in SETTINGS.items():
            colour, _ = sigprop_forecasts.COLOURS[setting]
            at = 100 * np.arange(1, 5)
            height = (level + 1 / np.arange(1, 5)) / SEEN
            reading.curve(at, height, colour)
        reading.level(1, style.GREY)
        reading.done("linear", "log", x="training step")
    assert courses[0].axes.get_ylabel() == "validation error / linear"
    for reading in tests:
        for model, (_, colour, _) in series.MODELS.items():
            ends = LEVELS[model] + np.arange(3) / 100
            reading.curve((ends + 0.25) / SEEN, ends / LINEAR, colour, "o")
        for setting, level in SETTINGS.items():
            colour, _ = sigprop_forecasts.COLOURS[setting]
            at = [(level + 0.25) / SEEN], [level / LINEAR]
            assert reading.curve(*at, colour, "D").get_fillstyle() == "none"
        (same,) = [line for line in reading.lines if line.get_color() == style.GREY]
        assert (same.get_xy1(), same.get_slope()) == ((1, 1), 1)
        reading.lines.remove(same)
        reading.done(x="validation error / linear")
    assert tests[0].axes.get_ylabel() == "test error / linear"


def test_the_inset_enlarges_the_part_with_the_lru_and_blur(results):
    settings_too = {**results, "forecast_settings": settings(SETTINGS)}
    data = results["forecasts"]
    (wide,) = [
        panel for panel in sigprop_forecasts.draw(settings_too).axes if panel.child_axes
    ]
    assert wide.get_title("left").endswith(series.task_label(series.richest(data)))
    (inset,) = wide.child_axes
    drawn, again = (
        [
            line.get_xydata().tolist()
            for line in panel.lines
            if line.get_marker() in "oD"
        ]
        for panel in (wide, inset)
    )
    assert again == drawn
    (left, right), (low, high) = inset.get_xlim(), inset.get_ylim()
    for line in inset.lines[:2]:
        x, y = line.get_data()
        assert left < x.min() < x.max() < right
        assert low < y.min() < y.max() < high


def test_each_panel_of_forecasts_has_its_own_task():
    levels = {task: 0.3 + i / 10 for i, task in enumerate(TASKS)}
    results = {"forecasts": table(), "forecast_settings": settings(SETTINGS)}
    for study, name in (("forecasts", "test_mse"), ("forecast_settings", "best_mse")):
        data = results[study]
        for (source, horizon), level in levels.items():
            here = (data["data"].values == source) & (data["horizon"].values == horizon)
            data[name].values[here] = level
    panels = sigprop_forecasts.draw(results).axes
    for panel, (task, level) in zip(panels[3:], levels.items(), strict=True):
        assert panel.get_title("left").endswith(series.task_label(task))
        dots = [line for line in panel.lines if line.get_marker() == "o"]
        diamonds = [line for line in panel.lines if line.get_marker() == "D"]
        for dot in dots:
            np.testing.assert_allclose(dot.get_ydata(), level / LINEAR)
        for diamond in diamonds:
            np.testing.assert_allclose(diamond.get_xdata(), level / SEEN)
        assert (len(dots), len(diamonds)) == (2, 3)


def _names_of_forecasts(figure):
    """The keys have each setting's colour, and each kind of layer's colour and marker."""
    above, below = (part.legends[0] for part in figure.subfigs)
    settings_drawn = {one.get_label(): one.get_color() for one in above.legend_handles}
    assert settings_drawn == {
        label: colour for colour, label in sigprop_forecasts.COLOURS.values()
    }
    looks = {
        one.get_label(): (one.get_color(), one.get_marker())
        for one in below.legend_handles
    }
    assert looks == {
        "LRU": (style.VERMILION, "o"),
        "BLUR, chosen setting": (style.PURPLE, "o"),
        "settings of A": (style.GREY, "D"),
    }


def test_the_setting_of_the_least_validation_is_named(results):
    data_and_settings = {**results, "forecast_settings": settings(SETTINGS)}
    text = sigprop_forecasts.shown(data_and_settings)
    assert (
        "'features together, last values subtracted' has the smallest mean validation error, "
        "1.47 times the linear model's, and is best on 3 of 3 tasks (test: 3 of 3)."
        in text
    )
    assert (
        "LRU's mean error is 1.37 times the linear model's, and BLUR's mean error is 0.87"
        in text
    )
    other = settings(SETTINGS | {("each", "last"): 0.2})
    text = sigprop_forecasts.shown({**results, "forecast_settings": other})
    assert (
        "'each feature alone, last value subtracted' has the smallest mean validation error, "
        "1.20 times" in text
    )
    here = other["data"].values == "WTH"
    other["test_mse"].values[here & (other["centre"].values == "none")] = 0.01
    text = sigprop_forecasts.shown({**results, "forecast_settings": other})
    assert "is best on 3 of 3 tasks (test: 2 of 3)." in text
    data = table()
    here = (data["data"].values == "WTH") & (data["model"].values == "blur")
    data["test_mse"].values[here] *= 2
    data_and_settings["forecasts"] = data
    assert "BLUR's mean error is 0.87 to 1.73 times." in sigprop_forecasts.shown(
        data_and_settings
    )
    assert sigprop_forecasts.details(data_and_settings) == (
        ("task", "layer", "test error over the linear model's"),
        ("ETTh1, horizon 24", "LRU", "1.37"),
        ("ETTh1, horizon 24", "BLUR", "0.87"),
        ("ETTh1, horizon 48", "LRU", "1.37"),
        ("ETTh1, horizon 48", "BLUR", "0.87"),
        ("Weather, horizon 24", "LRU", "1.37"),
        ("Weather, horizon 24", "BLUR", "1.73"),
    )
