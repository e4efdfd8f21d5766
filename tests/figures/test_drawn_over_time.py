"""Curves over time, position and memory are the stored ones, and nothing else."""

import numpy as np

from sigprop.figures import sigprop_edges, sigprop_gates, sigprop_transients
from tests.figures.test_shown import shown


def test_norms_are_points_on_transients_with_the_started_ones_in_the_first(show):
    panels, data = show("sigprop-transients")
    time = data["time"]
    for panel, letter in zip(panels, "abcd", strict=True):
        layer, source = sigprop_transients.PLACES[letter]
        for decay in data["decay"].values:
            one = data.sel(layer=layer, input=source, decay=decay)
            label = rf"$\gamma = {decay:g}$"
            colour = panel.curve(time, one["predicted"], label=label).get_color()
            panel.errors(time, one["measured"], 2 * one["sem"], colour=colour)
            if letter == "a":
                bars = 2 * one["started_sem"]
                panel.errors(time, one["started"], bars, colour=colour)
        panel.level(1)
        panel.done("log", "log", x="inputs seen", y="E$|h|^2$")


def test_both_halves_their_merge_and_gradients_stand_over_the_position(show):
    panels, data = show("sigprop-edges")
    place = data["position"]
    for panel, letter in zip(panels, "abc", strict=True):
        _, moments, inputs = sigprop_edges.PANELS[letter]
        for moment in moments:
            for source in inputs:
                one = data.sel(moment=moment, input=source)
                unit = one["limit"] if letter == "c" else 1.0
                line = panel.curve(
                    place,
                    one["predicted"] / unit,
                    sigprop_edges.COLOURS[moment],
                    dashes=sigprop_edges.DASHES[source],
                )
                assert line.get_label().startswith(moment)
                colour, bars = line.get_color(), 2 * one["sem"] / unit
                panel.errors(place, one["measured"] / unit, bars, colour=colour)
                panel.level(float(one["limit"] / unit))
        panel.done(x="position", y=sigprop_edges.UP[letter])


def test_moments_of_gates_stand_over_memory_and_their_ratios_beside(show):
    (states, gates, ratios), data = show("sigprop-gates")
    memory = data["memory"].values
    for i, name in enumerate(data["layer"].values):
        for k, panel in enumerate((states, gates)):
            one = data.sel(layer=name).isel(moment=k)
            colour = panel.curve(memory, one["predicted"], label=name).get_color()
            panel.errors(memory, one["measured"], 2 * one["sem"], colour=colour)
            assert colour == sigprop_gates.COLOURS[i]
            one = one.isel(memory=slice(None, None, 3))
            unit, some = one["predicted"], memory[::3]
            step = 0.7 * np.log(some[1] / some[0]) / (2 * data["layer"].size)
            shift = 2 * i + k - (2 * data["layer"].size - 1) / 2
            ratios.errors(
                some * np.exp(step * shift),
                one["measured"] / unit,
                2 * one["sem"] / unit,
                colour=colour,
            )
    ratios.level(1)
    for panel, up in ((states, "log"), (gates, "log"), (ratios, "linear")):
        panel.done("log", up, x="memory")


def test_sigprop_transients_say_how_full_the_slowest_head_is():
    def change(data):
        place = {"layer": "RotRNN", "input": "white", "decay": 0.9999}
        data["measured"].loc[place] = 0.25
        data["predicted"].loc[place] = 0.5
        data["predicted"].loc[{"input": "rho=0.9", "layer": "LRU"}] = 3.0

    said = shown("sigprop-transients", transients=change)
    assert "of decay 0.9999 has 0.250 of its stationary norm" in said
    assert "the closed form gives 0.500" in said
    assert "LRU 3." in said


def test_sigprop_edges_say_what_is_left_at_the_first_step():
    def change(data):
        data["predicted"].loc[{"moment": "merged", "position": 0}] = (
            data["limit"].sel(moment="merged") / 4
        )
        data["measured"].values[:] = data["predicted"].values

    said = shown("sigprop-edges", edges=change)
    assert said.count("0.25 (0.") == 2
    assert "396 of 396 points" in said


def test_sigprop_gates_say_how_far_the_farthest_moment_is():
    def change(data):
        data["measured"].values[:] = data["predicted"].values
        data["measured"].values[0, 0, 0] *= 1.5

    said = shown("sigprop-gates", gated_moments=change)
    count = 6 * 12 * 2
    assert f"{count - 1} of {count} measured moments" in said
    assert "Measured over predicted is 1.000 to 1.500." in said
