"""The picture of the benchmark: stored seconds, rates and ratios, on the right axes."""

import numpy as np
import pytest

from sigprop.figures import sigprop_bench, style
from tests.figures import scrambled


def test_rates_are_a_row_of_points_a_way_with_how_much_longer_it_takes(show):
    (panel,), data = show("sigprop-bench", "a")
    seconds = data["seconds"].values
    steps = 256 * 64 * 2048
    for row, way in enumerate(data["way"].values):
        colour = style.GREY if row else style.BLUE
        panel.points(steps / seconds[row], np.full(seconds.shape[1], row), colour)
        median = float(np.median(steps / seconds[row]))
        name = sigprop_bench.NAMES[way]
        if row:
            name += f", {np.median(seconds[row] / seconds[0]):.3g} times as long"
        panel.text(name, (median, row), colour)
    panel.done("log", x="neuron-steps per second")
    low, high = panel.axes.get_ylim()
    assert low > high  # the first way is on top


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
            label_text = rf"{task}, $\propto {letter}^{{{power:.2f}}}$"
            reading.curve(
                own["size"],
                scale * own[cost].sel(task=task),
                colour,
                marker="o",
                label=label_text,
            )
            reading.text(label_text, colour=colour)
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
