"""Advised against default beginnings, read back from the figure."""

import numpy as np
import pytest

from sigprop.figures import sigprop_advice_worth as figure
from sigprop.figures import style
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
    }


@pytest.fixture(scope="module")
def picture(results):
    return figure.draw(results)


def verdict_texts(axes):
    (right,) = axes.child_axes
    return [text.get_text() for text in right.get_yticklabels()]


@pytest.mark.parametrize(
    ("panel", "study", "contrast"),
    [
        ("a", "advice", "advised"),
        ("c", "advice_rates", "rates"),
    ],
)
def test_quotients_are_the_stored_ones_with_their_intervals(
    results, panel, study, contrast
):
    table = results[study].copy(deep=True)
    scales = 1 + np.arange(table["mean"].size).reshape(table["mean"].shape) / 10
    for names, *_ in figure.MEASURES.values():
        for name in names:
            table[name] = table[name] * scales
    flipped = [figure.WORSE, "no difference shown", *[figure.BETTER] * (TASKS - 2)]
    flipped = flipped[: table.sizes["of"]]
    table["word"].loc[{"contrast": contrast}] = flipped
    chosen = table.sel(contrast=contrast)
    (axes,) = figure.draw({study: table}, panel).axes
    chosen = chosen.isel(of=chosen["mean"].values.argsort())
    numbers = [f"{ratio:.2f}" for ratio in np.exp(chosen["mean"].values)]
    assert [text.split("  ") for text in verdict_texts(axes)] == [
        [number, verdict]
        for number, verdict in zip(numbers, chosen["word"].values, strict=True)
    ]
    assert len(axes.containers) == 2
    for bars, (names, colour, *_) in zip(
        axes.containers, figure.MEASURES.values(), strict=True
    ):
        middle, low, high = (chosen[name].values for name in names)
        dots, _, (lines,) = bars.lines
        np.testing.assert_allclose(dots.get_xdata(), middle)
        assert (np.diff(dots.get_ydata()) < 0).all()  # the first task on top
        assert dots.get_color() == colour
        ends = np.array([line[:, 0] for line in lines.get_segments()])
        np.testing.assert_allclose(ends, np.stack([low, high], 1))
    labels = [text.get_text() for text in axes.get_yticklabels()]
    assert labels == [figure.NAMES[subject] for subject in chosen["of"].values.tolist()]
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
    (axes,) = figure.draw({"advice_phases": shuffled}, "d").axes
    assert [text.get_text() for text in axes.get_yticklabels()] == [
        figure.NAMES[task] for task in order
    ]
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    for bars, label, (contrast, way) in zip(
        axes.containers, labels, figure.WAYS.items(), strict=True
    ):
        chosen = table.sel(contrast=contrast)
        dots, _, (lines,) = bars.lines
        assert label == way[0]
        assert label.startswith(STARTS[contrast])
        np.testing.assert_allclose(dots.get_xdata(), chosen["mean"])
        ends = np.array([line[:, 0] for line in lines.get_segments()])
        np.testing.assert_allclose(ends, np.stack([chosen["low"], chosen["high"]], 1))
    ticks = [text.get_text() for text in axes.get_yticklabels()]
    assert ticks == [figure.NAMES[subject] for subject in table["of"].values.tolist()]


def test_curves_are_those_of_each_beginning(results, picture):
    data = results["advice"]
    small = picture.axes[1 : 1 + TASKS]
    legend = picture.axes[1 + TASKS].get_legend()
    names = [text.get_text() for text in legend.get_texts()]
    colours = {
        name: line.get_color()
        for name, line in zip(names, legend.get_lines(), strict=True)
    }
    for axes, task in zip(small, dict.fromkeys(data["task"].values), strict=True):
        assert axes.get_title(loc="left").endswith(figure.NAMES[task])
        for arm, colour in figure.COLOURS.items():
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
        figure._arm(axes, rows, style.BLUE)
    np.testing.assert_allclose(axes.lines[-1].get_ydata(), 6)


def sentences(results, changes=(), contrast="advised", study="advice"):
    table = results[study].copy(deep=True)
    for task, verdict in changes:
        table["word"].loc[{"contrast": contrast, "of": task}] = verdict
    return figure.shown({**results, study: table})


SAME = "no difference shown"


def test_sigprop_advice_worth_says_where_advice_is_better_and_worse(results):
    text = sentences(results)
    assert (
        "than the default on 9 of 9 tasks, and with a higher loss on 0. The aim, set"
        in text
    )
    assert "to the advice helps on 4 of 4 tasks and harms on 0." in text
    same = ("ETTh1", "WTH", "white", "smnist-10k")
    mixed = [("fsdd", "worse"), *((task, SAME) for task in same)]
    text = sentences(results, mixed)
    assert "on 4 of 9 tasks, and with a higher loss on 1." in text
    assert "at most one; it is not reached." in text
    assert "at most one; it is reached." in sentences(results, mixed[:4])
    assert "it is not reached." in sentences(results, [*mixed[:1], ("white", "worse")])
    fewer = sentences(results, [("fsdd", "worse")], "rates", "advice_rates")
    assert "to the advice helps on 3 of 4 tasks and harms on 1." in fewer
    both = sentences(results, [("fsdd", "worse")], "both", "advice_rates")
    assert "helps on 4 of 4 tasks and harms on 0." in both


def test_sigprop_advice_worth_lists_every_verdict_by_task(results):
    tables = {study: table.copy(deep=True) for study, table in results.items()}
    tables["advice"]["word"].loc[{"contrast": "advised", "of": "digits"}] = SAME
    tables["advice_rates"]["word"].loc[{"contrast": "rates", "of": "fsdd"}] = "worse"
    for way, task in (("input", "correlated"), ("all", "ETTh1"), ("advised", "white")):
        tables["advice_phases"]["word"].loc[{"contrast": way, "of": task}] = "worse"
    header, *rows = figure.details(tables)
    assert header == (
        *("last validation loss of", "advised / default", "lower rates / advised"),
        *(f"phases {label} / default" for label, *_ in figure.WAYS.values()),
    )
    assert len(rows) == TASKS
    good, none = "better", "–"
    assert {name: verdicts for name, *verdicts in rows} == {
        "teacher, white input": [good, none, "worse", good, good],
        "teacher, correlated": [good, good, good, "worse", good],
        "sMNIST, 10k": [good, good, good, good, good],
        "ETTh1, 24 hours": [good, none, good, good, "worse"],
        "ListOps, short": [good, none, none, none, none],
        "spoken digits": [good, "worse", none, none, none],
        "psMNIST, 10k": [good, good, none, none, none],
        "digits, 8 x 8": [SAME, none, none, none, none],
        "Weather, 24 hours": [good, none, none, none, none],
    }
