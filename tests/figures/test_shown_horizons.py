"""Errors over horizons are drawn as they are stored, and what is missing is said."""

import numpy as np

from sigprop.experiments.forecasting.cells import Config
from sigprop.figures import blur_7, blur_12, horizons, series, style
from sigprop.theory.papers.blur.printed import errors
from tests.figures.reading import Reading
from tests.forecast_trainings import gathered


def table(levels):
    return gathered(
        {
            Config(data, horizon, model, seed): level * horizon / 24 + seed / 100
            for data, horizon in (("ETTh1", 24), ("ETTh1", 48), ("WTH", 24))
            for seed in range(3)
            for model, level in levels.items()
        }
    )


def both(data):
    """One result as both of a figure's."""
    return {"forecasts": data, "horizons": data}


def test_blur_7_says_whose_error_is_less_and_whether_it_grows():
    data = table({"blur": 0.25, "lru": 0.5})
    text = blur_7.shown(both(data))
    assert (
        "On ETTh1, BLUR's mean squared error is 0.505 to 0.510 times the LRU's" in text
    )
    assert "and both errors grow" in text
    assert blur_7.details(both(data)) == (
        ("task", "layer", "mean squared error, scaled units", "relative to the LRU"),
        ("ETTh1, horizon 24", "BLUR", "0.260", "0.510"),
        ("ETTh1, horizon 24", "LRU", "0.510", "1.00"),
        ("ETTh1, horizon 48", "BLUR", "0.510", "0.505"),
        ("ETTh1, horizon 48", "LRU", "1.010", "1.00"),
    )
    long = (data["horizon"].values == 48) & (data["model"].values == "lru")
    data["test_mse"].values[long] = 0.5
    assert "and not both errors grow" in blur_7.shown(both(data))


def test_errors_over_horizons_are_means_with_standard_errors_and_what_is_printed():
    data = table({"blur": 0.25, "lru": 0.5})
    for control, factor in (("linear", 1.0), ("season", 2.0), ("last value", 3.0)):
        for horizon in (24, 48):  # no two horizons, metrics and controls agree
            here = (data["horizon"].values == horizon) & (
                data["data"].values == "ETTh1"
            )
            for metric, power in (("mse", 1.0), ("mae", 0.5)):
                own = data[f"control_{metric}"].sel(control=control)
                own.values[here] = (0.3 * factor * horizon / 24) ** power
    data["test_mae"] = 0.7 * data["test_mae"]
    all_axes = blur_7.draw(both(data)).axes
    for axes, metric, power in zip(all_axes, ("mse", "mae"), (1.0, 0.5), strict=False):
        panel = Reading(axes)
        for (model, (_, colour, _)), shift in zip(
            series.MODELS.items(), (-0.12, 0.12), strict=True
        ):
            cells = [
                series.cells(data, "ETTh1", horizon, model) for horizon in (24, 48)
            ]
            runs = [cell[f"test_{metric}"].values for cell in cells]
            means, spreads = zip(
                *((np.mean(run), np.std(run, ddof=1) / 3**0.5) for run in runs),
                strict=True,
            )
            at = np.arange(2) + shift
            panel.errors(at, means, spreads, colour=colour, marker="o")
            printed = [float(cell[f"printed_{metric}"][0]) for cell in cells]
            panel.curve(at, printed, colour, "D")
        controls = (("linear", 1, "-"), ("season", 2, "--"))
        for control, factor, dashes in controls:
            values = [(0.3 * factor * many) ** power for many in (1, 2)]
            label, _ = series.CONTROLS[control]
            ends = [-0.4, 0.4, np.nan, 0.6, 1.4, np.nan]
            heights = np.repeat(values, 3)
            panel.curve(ends, heights, style.GREY, dashes=dashes, label=label)
        panel.curve([], [], style.GREY, "D", label="paper")
        panel.done("linear", "linear", "horizon", horizons.METRICS[metric])
        labels = [label.get_text() for label in axes.get_xticklabels()]
        assert (labels, axes.get_xticks().tolist()) == (["24", "48"], [0, 1])


def test_the_key_has_models_first_and_the_paper_last():
    figure = blur_7.draw(both(table({"blur": 0.25, "lru": 0.5})))
    (legend,) = figure.legends
    names = [text.get_text() for text in legend.get_texts()]
    assert names == [
        *("LRU", "BLUR", "linear, least squares", "last season's value", "paper")
    ]


def test_blur_7_ranks_all_layers_on_the_task_that_has_most():
    levels = {"blur": 0.4, "lru": 0.5, "s4": 0.3, "brnn": 0.6}
    runs = {
        Config("ETTh1", 24, model, seed): level + seed / 100
        for model, level in levels.items()
        for seed in range(3)
    }
    runs |= {Config("ETTh1", 48, model, 0): levels[model] for model in ("blur", "lru")}
    data = gathered(runs)
    (axes,) = blur_7.draw(both(data), "c").axes
    names = [label.get_text() for label in axes.get_yticklabels()]
    assert names == ["S4", "BLUR", "LRU", "bidirectional tanh RNN"]
    for index, (model, bar) in enumerate(
        zip(("s4", "blur", "lru", "brnn"), axes.containers, strict=True)
    ):
        ((mean,), (up,)) = bar.lines[0].get_data()
        assert up == index
        np.testing.assert_allclose(mean, levels[model] + 0.01)
        face = bar.lines[0].get_markerfacecolor()
        assert (face == "none") == (model == "brnn")
        (half,) = np.ptp(bar.lines[2][0].get_segments()[0], 0)[:1] / 2
        np.testing.assert_allclose(half, 0.01 / 3**0.5)
    drawn = [line for line in axes.lines if line.get_marker() == "D"]
    diamonds = [line.get_xdata()[0] for line in drawn if len(line.get_xdata())]
    task = "ETTh1", 24
    printed = [errors(8)[task][label].mse for label in ("S4", "BLUR", "LRU")]
    assert diamonds == [*printed, errors(12)[task]["BRNN"].mse]
    grey = {
        line.get_label(): line.get_xdata()[0]
        for line in axes.lines
        if line.get_label() in ("linear, least squares", "last season's value")
    }
    assert grey == {"linear, least squares": 0.3, "last season's value": 0.6}
    text = blur_7.shown(both(data))
    assert (
        "On ETTh1 at horizon 24, S4 has the smallest error of 4 layers, 0.310, and "
        "bidirectional tanh RNN the largest, 0.610. In the paper, BLUR at horizon 48 has a "
        "lower squared error than the LRU but a larger absolute error, 0.484 against 0.383."
    ) in text
    blur = (data["model"].values == "blur") & (data["horizon"].values == 48)
    data["printed_mae"].values[blur] = 0.1
    assert text.startswith(blur_7.shown(both(data)))
    assert "In the paper" not in blur_7.shown(both(data))
    _, *rows = blur_7.details(both(data))
    assert [row[1:] for row in rows if row[0] == "ETTh1, horizon 24"] == [
        ("S4", "0.310", "0.608"),
        ("BLUR", "0.410", "0.804"),
        ("LRU", "0.510", "1.00"),
        ("bidirectional tanh RNN", "0.610", "1.20"),
    ]


def test_blur_12_gives_the_ratio_of_both_errors():
    data = table({"blur": 0.25, "lru": 0.5})
    for model, off in (("blur", 1.0), ("lru", 2.0)):
        here = (data["model"].values == model) & (data["data"].values == "WTH")
        data["forecast"].values[here] = data["truth"].values[here] + off
    text = blur_12.shown({"forecasts": data})
    assert "wet-bulb" not in text  # the made-up target has another name
    assert text.endswith(
        "BLUR's error is 0.50 times the LRU's over the whole test set, and 0.50 times near row "
        "5000."
    )
    data["forecast"].values[:] = data["truth"].values + 1.0
    assert text != blur_12.shown({"forecasts": data})
