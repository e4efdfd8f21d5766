"""Advised against default beginnings, read back from the figure."""

import numpy as np
import pytest
import xarray as xr

from sigprop.figures import (
    ratios,
    sigprop_advice_choices,
    sigprop_advice_worth,
    style,
)
from tests.advised_trainings import gathered

TASKS = 9
STARTS = {"advised": "as advised", "input": "all low", "all": "all up to"}


@pytest.fixture(scope="module")
def results():
    """Losses of which advice leaves 0.6, and lower rates 0.6 of that."""
    return {
        "advice": gathered(gain=0.6),
        "advice_rates": gathered(sweep="advice_rates", gain=0.6),
        "advice_phases": gathered(sweep="advice_phases", gain=0.6),
        "advice_gates": gathered(sweep="advice_gates", gain=0.6),
    }


@pytest.fixture(scope="module")
def picture(results):
    return sigprop_advice_worth.draw(results)


def verdict_texts(axes):
    (right,) = axes.child_axes
    return [text.get_text() for text in right.get_yticklabels()]


def expected_texts(chosen):
    """Ratio, interval and verdict of each task."""
    mean, low, high = (np.exp(chosen[name].values) for name in ("mean", "low", "high"))
    rows = zip(mean, low, high, chosen["word"].values, strict=True)
    return [f"{one:.3f}  {a:.3f} to {b:.3f}  {word}" for one, a, b, word in rows]


def test_long_ratios_have_one_digit_less():
    with style.styled():
        axes = style.figure(2).subplots()
        ends = {
            name: ("of", np.log([ratio]))
            for name, ratio in (("mean", 9.99951), ("low", 5.3), ("high", 12.894))
        }
        ratios.label_verdicts(
            axes, [(xr.Dataset({**ends, "word": ("of", ["worse"])}), 0)]
        )
    assert verdict_texts(axes) == ["10.000  5.300 to 12.89  worse"]


@pytest.mark.parametrize(
    ("figure", "panel", "contrast"),
    [
        (sigprop_advice_worth, "a", "advised"),
        (sigprop_advice_choices, "a", "rates"),
        (sigprop_advice_choices, "c", "gates"),
    ],
)
def test_quotients_are_the_stored_ones_with_their_intervals(
    results, figure, panel, contrast
):
    study = figure.ENTRY.studies[panel]
    table = results[study].copy(deep=True)
    scales = 1 + np.arange(table["mean"].size).reshape(table["mean"].shape) / 10
    for names, *_ in ratios.MEASURES.values():
        for name in names:
            table[name] = table[name] * scales
    flipped = [ratios.WORSE, "no difference shown", *[ratios.BETTER] * (TASKS - 2)]
    flipped = flipped[: table.sizes["of"]]
    table["word"].loc[{"contrast": contrast}] = flipped
    chosen = table.sel(contrast=contrast)
    (axes,) = figure.draw({study: table}, panel).axes
    chosen = chosen.isel(of=chosen["mean"].values.argsort())
    assert verdict_texts(axes) == expected_texts(chosen)
    assert len(axes.containers) == 2
    for bars, (names, colour, *_) in zip(
        axes.containers, ratios.MEASURES.values(), strict=True
    ):
        middle, low, high = (chosen[name].values for name in names)
        dots, _, (lines,) = bars.lines
        np.testing.assert_allclose(dots.get_xdata(), middle)
        assert (np.diff(dots.get_ydata()) < 0).all()  # the first task on top
        assert dots.get_color() == colour
        ends = np.array([line[:, 0] for line in lines.get_segments()])
        np.testing.assert_allclose(ends, np.stack([low, high], 1))
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels == [ratios.NAMES[subject] for subject in chosen["of"].values.tolist()]
    ticks = [float(text.get_text()) for text in axes.get_xticklabels()]
    np.testing.assert_allclose(axes.get_xticks(), np.log(ticks), atol=1e-12)
    low, high = axes.get_xlim()
    inside = [line.get_xdata() for bars in axes.containers for line in bars.lines[1]]
    assert all(((low < ends) & (ends < high)).all() for ends in inside)


def test_ways_to_draw_phases_are_held_against_default(results):
    table = results["advice_phases"].copy(deep=True)
    scales = 1 + np.arange(table["mean"].size).reshape(table["mean"].shape) / 10
    for name in ("mean", "low", "high"):
        table[name] = table[name] * scales
    advised = table["mean"].sel(contrast="advised").values
    table = table.isel(of=advised.argsort())
    order = table["of"].values.tolist()
    shuffled = table.isel(of=[2, 0, 3, 1])
    (axes,) = sigprop_advice_choices.draw({"advice_phases": shuffled}, "b").axes
    assert [text.get_text() for text in axes.get_yticklabels()] == [
        ratios.NAMES[task] for task in order
    ]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    for bars, label, (contrast, way) in zip(
        axes.containers, labels, sigprop_advice_choices.WAYS.items(), strict=True
    ):
        chosen = table.sel(contrast=contrast)
        dots, _, (lines,) = bars.lines
        assert label == way[0]
        assert label.startswith(STARTS[contrast])
        np.testing.assert_allclose(dots.get_xdata(), chosen["mean"])
        ends = np.array([line[:, 0] for line in lines.get_segments()])
        np.testing.assert_allclose(ends, np.stack([chosen["low"], chosen["high"]], 1))
    (right,) = axes.child_axes
    written = dict(zip(right.get_yticks(), verdict_texts(axes), strict=True))
    for up, contrast in ((0.27, "advised"), (0, "input"), (-0.27, "all")):
        own = [written[up - row] for row in range(table.sizes["of"])]
        assert own == expected_texts(table.sel(contrast=contrast))


def test_curves_are_those_of_each_beginning(results, picture):
    data = results["advice"]
    small = picture.axes[1 : 1 + TASKS]
    legend = picture.axes[1 + TASKS].get_legend()
    names = [text.get_text() for text in legend.get_texts()]
    colours = {
        name: line.get_color()
        for name, line in zip(names, legend.get_lines(), strict=True)
    }
    advised = data.sel(contrast="advised")
    order = data["of"].values[advised["mean"].values.argsort(kind="stable")]
    for axes, task in zip(small, order.tolist(), strict=True):
        assert axes.get_title(loc="left").endswith(ratios.NAMES[task])
        for arm, colour in style.STARTS.items():
            lines = [
                candidate for candidate in axes.lines if candidate.get_color() == colour
            ]
            here = (data["task"] == task) & (data["arm"] == arm)
            losses = data["loss"].values[here.values]
            *thin, thick = lines
            assert len(thin) == len(losses) == 2
            assert colour == colours[arm]
            for line, row in zip(thin, losses, strict=True):
                # 40 records: each point is a mean of four.
                np.testing.assert_allclose(line.get_ydata()[0], row[:4].mean())
                np.testing.assert_allclose(line.get_ydata()[-1], row[-4:].mean())
                np.testing.assert_allclose(line.get_xdata()[[0, -1]], [0.1, 1])
            each = np.array([line.get_ydata() for line in thin])
            np.testing.assert_allclose(thick.get_ydata(), np.sqrt(each[0] * each[1]))


def test_a_training_that_was_lost_has_no_part_in_the_mean():
    rows = np.array([[4.0] * 20, [9.0] * 20, [9.0] * 10 + [np.nan] * 10])
    with style.styled():
        axes = style.figure(2).subplots()
        sigprop_advice_worth._arm(axes, rows, style.BLUE)
    np.testing.assert_allclose(axes.lines[-1].get_ydata(), 6)


def changed(results, study, contrast, verdicts):
    """The results with other verdicts on some tasks."""
    table = results[study].copy(deep=True)
    for task, verdict in verdicts:
        table["word"].loc[{"contrast": contrast, "of": task}] = verdict
    return {**results, study: table}


SAME = "no difference shown"


def test_sigprop_advice_worth_says_where_advice_is_better_and_worse(results):
    def sentences(changes=()):
        return sigprop_advice_worth.shown(
            changed(results, "advice", "advised", changes)
        )

    text = sentences()
    assert "than the default on 9 of 9 tasks, and with a higher loss on 0." in text
    spread = changed(results, "advice", "advised", [("fsdd", "worse")])
    for task, ratio in (("white", 0.05), ("fsdd", 1.7), ("digits", 0.93)):
        spread["advice"]["mean"].loc[{"contrast": "advised", "of": task}] = np.log(
            ratio
        )
    text = sigprop_advice_worth.shown(spread)
    assert "Where the loss is lower, it is 0.050 to 0.930 times the default's." in text
    none = sentences([(task, SAME) for task in ratios.NAMES])
    assert "on 0 of 9 tasks, and with a higher loss on 0. The aim, set" in none
    same = ("ETTh1", "WTH", "white", "smnist-10k")
    mixed = [("fsdd", "worse"), *((task, SAME) for task in same)]
    text = sentences(mixed)
    assert "on 4 of 9 tasks, and with a higher loss on 1." in text
    assert "at most one; it is not reached." in text
    assert "at most one; it is reached." in sentences(mixed[:4])
    assert "it is not reached." in sentences([*mixed[:1], ("white", "worse")])


def test_sigprop_advice_choices_says_where_other_choices_help_and_harm(results):
    def sentences(*change):
        return sigprop_advice_choices.shown(changed(results, *change))

    text = sentences("advice_rates", "rates", [("fsdd", "worse")])
    assert "to the advice helps on 3 of 4 tasks and harms on 1." in text
    assert "Of 4 tasks, phases give a lower loss than the default on 4" in text
    both = sentences("advice_rates", "both", [("fsdd", "worse")])
    assert "helps on 4 of 4 tasks and harms on 0." in both
    low = sentences("advice_phases", "input", [("white", "worse"), ("ETTh1", SAME)])
    assert "on 4 (as advised), 2 (low) and 4 (up to π)." in low
    gates = sentences("advice_gates", "gates", [("digits", "worse"), ("ETTh1", SAME)])
    assert "biases of an mLSTM helps on 1 of 3 tasks and harms on 1." in gates


def test_figures_of_advice_list_every_verdict_by_task(results):
    tables = {study: table.copy(deep=True) for study, table in results.items()}
    tables["advice"]["word"].loc[{"contrast": "advised", "of": "digits"}] = SAME
    tables["advice_rates"]["word"].loc[{"contrast": "rates", "of": "fsdd"}] = "worse"
    for way, task in (("input", "correlated"), ("all", "ETTh1"), ("advised", "white")):
        tables["advice_phases"]["word"].loc[{"contrast": way, "of": task}] = "worse"
    tables["advice_gates"]["word"].loc[{"contrast": "gates", "of": "digits"}] = SAME
    good, none = "better", "–"
    header, *rows = sigprop_advice_worth.details(tables)
    assert header == ("last validation loss of", "advised / default")
    assert len(rows) == TASKS
    assert {name for name, verdict in rows if verdict == SAME} == {"digits, 8 x 8"}
    header, *rows = sigprop_advice_choices.details(tables)
    assert header == (
        *("last validation loss of", "lower rates / advised"),
        *(
            f"phases {label} / default"
            for label, *_ in sigprop_advice_choices.WAYS.values()
        ),
        "mLSTM biases spread / default",
    )
    assert {name: verdicts for name, *verdicts in rows} == {
        "teacher, correlated": [good, good, "worse", good, none],
        "sMNIST, 10k": [good, good, good, good, good],
        "psMNIST, 10k": [good, none, none, none, none],
        "spoken digits": ["worse", none, none, none, none],
        "teacher, white input": [none, "worse", good, good, none],
        "ETTh1, 24 hours": [none, good, good, "worse", good],
        "digits, 8 x 8": [none, none, none, none, SAME],
    }
