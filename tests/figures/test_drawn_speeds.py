"""The picture of the benchmark: stored seconds, rates and ratios, on the right axes."""

import numpy as np
import pytest

from sigprop.figures import sigprop_bench, style
from tests.figures import scrambled


def test_times_are_a_row_of_points_a_way_relative_to_the_kernel(show):
    (panel,), data = show("sigprop-bench", "a")
    texts = iter(panel.axes.texts)
    seconds = dict(zip(data["way"].values, data["seconds"].values, strict=True))
    kernel = seconds["kernel"]
    middle = {way: np.median(own / kernel) for way, own in seconds.items()}
    order = sorted(middle, key=lambda way: middle[way])
    for row, way in enumerate(order):
        own = seconds[way] / np.median(kernel)
        panel.points(
            own, np.full(own.size, row), style.BLUE if way == "kernel" else style.GREY
        )
        if way != "kernel":
            text = next(texts)
            assert text.get_text() == f"{style.number(middle[way])} ×"
            np.testing.assert_allclose(text.xy, (np.median(own), row))
    assert not [*texts]
    labels = [text.get_text() for text in panel.axes.get_yticklabels()]
    assert labels == [sigprop_bench.NAMES[way] for way in order]
    panel.done("log", x="time relative to our kernel")
    low, high = panel.axes.get_ylim()
    assert low > high  # the first way is on top
    said = style.notes(panel.axes.get_figure(root=True))
    assert "on a CPU with 2 cores" in said
    assert "64 sequences of 2048 steps through 256 neurons" in said


def test_ratios_over_lengths_are_medians_and_ranges_where_a_way_ran(show):
    data = scrambled.speed_layers()
    ran = data["length"] < data["length"].max()
    data["seconds"] = data["seconds"].where(ran | (data["way"] != "usual"))
    (panel,), _ = show("sigprop-bench", "b", speed_layers=data)
    engine, *others = data["seconds"].transpose("way", "length", "repeat").values
    for own, available, (name, colour) in zip(
        *(others, (slice(-1), slice(None)), sigprop_bench.OTHERS.values()), strict=True
    ):
        times, length = (own / engine)[available], data["length"].values[available]
        panel.curve(length, np.median(times, 1), colour, marker="o", label=name)
        panel.band(length, times.min(1), times.max(1), colour)
    panel.level(1, style.BLACK)
    panel.done("log", x="steps", y="relative")
    assert panel.axes.get_ylim()[0] == 0


@pytest.mark.parametrize(
    ("panel", "cost", "scale", "unit"),
    [("c", "seconds", 1, "s"), ("d", "memory", 1e-6, "MB")],
)
def test_costs_are_curves_over_both_sizes_with_their_powers(
    show, panel, cost, scale, unit
):
    panels, data = show("sigprop-bench", panel)
    for reading, axis, label, letter in zip(
        *(panels, ("length", "neurons"), ("steps", "neurons"), "Tn"), strict=True
    ):
        own = data.sel(axis=axis)
        for task, colour in sigprop_bench.TASKS.items():
            power = float(own[f"{cost}_power"].sel(task=task))
            label_text = rf"{task}, $\propto {letter}^{{{power:.1f}}}$"
            reading.curve(
                own["size"],
                scale * own[cost].sel(task=task),
                colour,
                marker="o",
                label=label_text,
            )
            reading.text(label_text, colour=colour)
        ends = {text.get_text(): text.xy for text in reading.axes.texts}
        for line in reading.axes.lines:
            x, y = line.get_xydata()[-1]
            across, up = ends[line.get_label()]
            assert across == x
            assert abs(np.log10(up / y)) < 0.5  # moved where names collide
        most = max(np.nanmax(line.get_ydata()) for line in reading.axes.lines)
        assert most < reading.axes.get_ylim()[1] < 10 * most
        reading.done(
            "log",
            "log",
            x=label,
            y=f"{cost if cost == 'memory' else 'time'} of a call, {unit}"
            if axis == "length"
            else "",
        )


def test_lines_that_end_early_are_named_there_and_flat_ones_are_called_constant(show):
    data = scrambled.speed_sizes()
    data["seconds"].loc[{"task": "Hessian", "axis": "length", "place": [2, 3]}] = np.nan
    data["seconds_power"].loc[{"task": "loss", "axis": "length"}] = -0.06
    data["seconds_power"].loc[{"task": "layer", "axis": "length"}] = np.nan
    (length, _), _ = show("sigprop-bench", "c", speed_sizes=data)
    texts = {text.get_text().partition(",")[0]: text for text in length.axes.texts}
    assert texts["loss"].get_text() == "loss, constant"
    assert texts["layer"].get_text() == "layer"
    own = data.sel(task="Hessian", axis="length")
    x, y = texts["Hessian"].xy
    assert (x, y) == (own["size"][1], own["seconds"][1])
