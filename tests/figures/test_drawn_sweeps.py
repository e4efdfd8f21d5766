"""Tuned networks and trainings: every seed, median, interval and curve is the stored one."""

import numpy as np
import pytest
from scipy import stats

from sigprop.figures import losses, lru_1, rates, rotrnn_3, style, zucchet_3
from tests.figures import made_up
from tests.figures.reading import Reading
from tests.figures.test_trained import LAYERS, SEEDS, trainings

RUNS = 10
OUT = 1  # of ten on either side, so that the interval misses in at most 5 %


def tuned(reading: Reading, x, best, extreme, colour, width):
    """What ``sigprop.figures.losses`` shows of one network at these places."""
    aside = x[:, None] + width * np.linspace(-0.5, 0.5, RUNS)
    reading.curve(aside.ravel(), best.ravel(), colour, marker=".")
    middle, ordered = np.median(best, axis=1), np.sort(best, axis=1)
    reading.curve(x, middle, colour)
    reading.dashes_up(x, ordered[:, OUT], ordered[:, -1 - OUT], colour)
    for face, which in ((colour, ~extreme), ("white", extreme)):
        circles = reading.curve(x[which], middle[which], colour=None, marker="o")
        assert circles.get_markerfacecolor() == face


def test_the_interval_leaves_out_as_many_as_it_may():
    assert (
        2 * stats.binom.cdf(OUT, RUNS, 0.5) < 0.05 < 2 * stats.binom.cdf(2, RUNS, 0.5)
    )


@pytest.mark.parametrize(
    ("name", "panel", "sweep", "position"),
    [
        ("zucchet-3", "a", "memory_gap", lambda nu0: -np.log10(1 - nu0)),
        ("zucchet-3", "c", "starts", lambda nu0: -np.log10(1 - nu0)),
        ("zucchet-10", "d", "concentration", np.log10),
    ],
)
def test_losses_stand_over_their_condition(show, name, panel, sweep, position):
    data = made_up.tuned(sweep)
    data["extreme"][:, 1] = 1
    ((reading,), _) = show(name, panel, **{sweep: data})
    conditions = data["condition"].values
    x = position(conditions)
    step = np.diff(x).min()
    students = data["student"].values
    for i, student in enumerate(students):
        case = data.sel(student=student)
        shift = 0.2 * step * (i - (len(students) - 1) / 2)
        colour = losses.COLOURS[student]
        extreme = case["extreme"].values == 1
        tuned(reading, x + shift, case["best"].values, extreme, colour, 0.16 * step)
        reading.text(student, colour=colour)
    np.testing.assert_allclose(reading.axes.get_xticks(), x)
    labels = [float(label.get_text()) for label in reading.axes.get_xticklabels()]
    np.testing.assert_allclose(labels, conditions, rtol=0.05)
    reading.done("linear", "log", x="_0", y="loss")


def test_designs_stand_side_by_side(show):
    data = made_up.tuned("ablation")
    ((reading,), _) = show("zucchet-3", "b", ablation=data)
    best = data["best"].isel(condition=0).values
    students = data["student"].values
    never = np.zeros(1, bool)
    for i, student in enumerate(students):
        colour, x = losses.COLOURS[student], np.array([float(i)])
        tuned(reading, x, best[[i]], never, colour, zucchet_3.WIDTH)
    labels = [label.get_text() for label in reading.axes.get_xticklabels()]
    assert [label.replace("\n", " ") for label in labels] == students.tolist()
    reading.done("linear", "log", x="\\nu_0 = 0.99", y="loss")


def test_heads_stand_over_their_number_and_rates_over_the_step(show):
    data = made_up.tuned("heads")
    panels, _ = show("zucchet-11", heads=data)
    heads = data["student"].values
    x = np.log2(heads.astype(float))
    best, never = data["best"].isel(condition=0).values, np.zeros(len(x), bool)
    tuned(panels[0], x, best, never, losses.COLOURS["RNN"], 0.4)
    panels[0].done("linear", "log", x="heads", y="loss")
    step = data["record"].values / 1000
    for reading, count in zip(panels[1:], heads, strict=True):
        own = data["rate"].values[data["network"].values == count][:, :, 0]
        for run in own:
            reading.curve(step, run[:, 1], losses.COLOURS["RNN"])
        low, middle, high = np.median(own, axis=0).T
        reading.curve(step, middle, losses.COLOURS["RNN"])
        reading.band(step, low, high, losses.COLOURS["RNN"])
        reading.level(1e-3, style.GREY)
        reading.done("linear", "log")
        title = "1 head" if count == "1" else f"{count} heads"
        assert reading.axes.get_title("left").split("   ")[-1] == title


@pytest.mark.parametrize(
    ("name", "networks"),
    [("zucchet-4", ("RNN", "complex diagonal")), ("zucchet-9", ("LRU", "S4"))],
)
def test_rates_are_points_medians_and_spreads(show, name, networks):
    data = made_up.rates()
    for letter, network in zip("cd", networks, strict=True):
        (wide, narrow), _ = show(name, letter, adaptive_rates=data)
        colour = losses.COLOURS[network]
        _parameters(wide, data, network, colour)
        last = data["rate"].isel(cell=data["network"].values == network, record=-1)
        for i, shade in enumerate((colour, style.BLACK)):
            own = last.isel(group=i).transpose("quantile", "cell")
            low, middle, high = own.values
            x = i + 0.7 * np.linspace(-0.5, 0.5, RUNS)
            narrow.curve(x, middle, shade, marker="o")
            narrow.dashes_up(x, low, high, shade)
        for reading in (wide, narrow):
            reading.level(1e-3, style.GREY)
        wide.done("linear", "log", x="one seed", y="rate")
        narrow.done("linear", "log", x="10 seeds")
        assert network in wide.axes.get_title("left")


def _parameters(reading: Reading, data, network, colour):
    """A column of points for each symbol, about its tick, and their median."""
    own = data.isel(entry=data["entry_network"].values == network)
    names, values = own["entry_parameter"].values, own["effective"].values
    labels = [tick_label.get_text() for tick_label in reading.axes.get_xticklabels()]
    by_label = {}
    for parameter in dict.fromkeys(names.tolist()):
        symbol = (rates.RECURRENT | rates.OTHER)[parameter]
        by_label.setdefault(symbol, []).extend(values[names == parameter])
    assert sorted(labels) == sorted(by_label)
    for x, label in enumerate(labels):
        (line,) = [
            candidate
            for candidate in reading.lines
            if candidate.get_marker() == "."
            and abs(np.mean(candidate.get_xdata()) - x) < 0.3
        ]
        assert np.ptp(line.get_xdata()) < 1
        shade = colour if label in rates.RECURRENT.values() else style.BLACK
        reading.curve(line.get_xdata(), by_label[label], shade, marker=".")
        middle = np.median(by_label[label])
        reading.dashes_across(middle, x - 0.35, x + 0.35, shade)


@pytest.fixture
def trained(show):
    """Draw a figure of random trainings: its panels, and the trainings."""

    def draw(name, panel, study, models, recurrences=LAYERS):
        data = trainings(models, recurrences)
        return show(name, panel, **{study: data})[0], data

    return draw


def of(data, model):
    return data.isel(cell=data["model"].values == model)


def test_rungs_are_runs_their_mean_and_its_error(trained):
    models = ("tanh", "complex", "gamma")
    (reading,), data = trained("lru-1", "b", "ladder_listops", models)
    for row, model in enumerate(models):
        runs = 100 * of(data, model)["test_accuracy"].values
        colour = lru_1.COLOURS.get(model, style.BLUE)
        reading.points(runs, np.full(SEEDS, row), colour)
        reading.curve([], [], marker="x")  # none diverged
        _mean(reading, row, runs, len(models), colour)
    _no_more(reading)
    labels = [label.get_text() for label in reading.axes.get_yticklabels()]
    assert labels == [lru_1.NAMES[model] for model in models]
    assert reading.axes.yaxis_inverted()
    reading.done(x="accuracy (%)")


def test_runs_that_diverged_are_crosses_and_one_run_has_no_bar(show):
    data = trainings(("tanh", "gamma"))
    data["test_accuracy"][[0, 3, 4]] = np.nan
    ((reading,), _) = show("lru-1", "a", ladder_digits=data)
    first, last = (data["test_accuracy"].values[cells] for cells in ([1, 2], [5]))
    reading.points(100 * first, [0, 0], lru_1.COLOURS["tanh"])
    reading.curve([10], [0], marker="x")
    reading.text("1 of 3", (10, 0))
    _mean(reading, 0, 100 * first, 2, lru_1.COLOURS["tanh"])
    reading.points(100 * last, [1], lru_1.COLOURS["gamma"])
    reading.curve([10, 10], [1, 1], marker="x")
    reading.text("2 of 3", (10, 1))
    _mean(reading, 1, 100 * last, 2, lru_1.COLOURS["gamma"])
    _no_more(reading)


def test_the_last_column_of_rungs_is_the_mean_over_tasks(show):
    tables = {}
    for study in lru_1.ENTRY.studies.values():
        tables[study] = trainings(("tanh", "dense", "gamma"))
        tables[study]["test_accuracy"].values[:6] = np.nan
    tables["ladder_digits"]["test_accuracy"].values[0] = 0.4
    panels, _ = show("lru-1", **tables)
    means = panels[-1]
    assert len(panels) == 4
    spread = style.standard_error(np.array([40, 10, 10])) / 3
    bars = {"colour": lru_1.COLOURS["tanh"], "marker": "o"}  # some diverged
    means.errors([(40 + 8 * 10) / 9], [0], across=spread, **bars)
    means.errors([10], [1], across=0, colour=style.BLUE, marker="o")
    runs = [100 * of(data, "gamma")["test_accuracy"].values for data in tables.values()]
    errors = [style.standard_error(task) for task in runs]
    error = np.sqrt(np.square(errors).sum()) / 3
    bars = {"colour": lru_1.COLOURS["gamma"], "marker": "|"}
    means.errors([np.mean(runs)], [2], across=error, **bars)
    means.done(x="accuracy (%)")


def _mean(reading, row, runs, rows, colour):
    """The mean in a row and, of two runs or more, its standard error to either side."""
    positions = np.arange(rows)
    mean = np.where(positions == row, runs.mean(), np.nan)
    reading.curve(mean, positions, colour, marker="|")
    if len(runs) > 1:
        error = runs.std(ddof=1) / np.sqrt(len(runs))
        ends = [runs.mean() - error, runs.mean() + error]
        reading.curve(ends, [row, row], colour)


def _no_more(reading):
    """All lines that are left are empty: those of a network in the rows of others."""
    assert all(np.isnan(line.get_xdata()).all() for line in reading.lines)
    reading.lines.clear()


def test_norms_of_layers_and_seeds_are_points_and_their_theory_lines(trained):
    (*alone, seeds), data = trained(
        "rotrnn-3", None, "lists", ("lru", "rotrnn", "blur")
    )
    kinds = (("lru", style.BLUE), ("rotrnn", style.VERMILION))
    for layers, (model, colour) in zip(alone, kinds, strict=True):
        own = of(data, model)
        step = own["step"].values[0]
        measured = np.sqrt(own["measured"].values)
        theory = np.sqrt(own["predicted"].values[..., rotrnn_3.RUNG])
        for layer, marker in zip(range(LAYERS), "os^", strict=True):
            layers.curve(step, measured[0, :, layer], colour, marker=marker)
            dashes = rotrnn_3.DASHES[layer]
            layers.curve(step, theory[0, :, layer], colour, dashes=dashes)
        mean, error = measured[..., -1].mean(0), measured[..., -1].std(0, ddof=1)
        seeds.errors(step, mean, error / np.sqrt(SEEDS), colour=colour, marker="^")
        seeds.curve(step, theory[..., -1].mean(0), colour, dashes=":")
        layers.done("linear", "log", x="step", y="h" if model == "lru" else "")
    seeds.done("linear", "log", x="step")
