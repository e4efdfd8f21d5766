"""Curves over time, position and memory are the stored ones, and nothing else."""

import numpy as np

from sigprop.figures import sigprop_edges, sigprop_gates, sigprop_transients, style
from tests.figures.reading import key
from tests.figures.test_shown import details, shown


def test_norms_are_points_on_transients_with_the_started_ones_in_the_first(show):
    panels, data = show("sigprop-transients")
    time = data["time"]
    for panel, letter in zip(panels, "abcd", strict=True):
        layer, source = sigprop_transients.PANELS[letter]
        for decay in data["decay"].values:
            case = data.sel(layer=layer, input=source, decay=decay)
            label = rf"$\gamma = {decay:g}$"
            colour = panel.curve(time, case["predicted"], label=label).get_color()
            panel.errors(time, case["measured"], 2 * case["sem"], colour=colour)
            if letter == "a":
                bars = 2 * case["started_sem"]
                panel.errors(time, case["started"], bars, colour=style.BLACK)
        panel.level(1)
        panel.done("log", "log", x="number of inputs", y="E$|h|^2$")


def test_both_halves_their_merge_and_gradients_stand_over_the_position(show):
    panels, data = show("sigprop-edges")
    position = data["position"]
    for panel, letter in zip(panels, "abc", strict=True):
        _, moments, inputs = sigprop_edges.PANELS[letter]
        for moment in moments:
            for source in inputs:
                case = data.sel(moment=moment, input=source)
                unit = case["limit"] if letter == "c" else 1.0
                colour = sigprop_edges.DIRECTIONS.get(
                    moment, sigprop_edges.COLOURS[source]
                )
                panel.curve(position, case["predicted"] / unit, colour, label=moment)
                bars = 2 * case["sem"] / unit
                panel.errors(position, case["measured"] / unit, bars, colour=colour)
                limit = sigprop_edges.DIRECTIONS.get(moment, style.GREY)
                panel.level(float(case["limit"] / unit), limit)
            if letter != "b":
                panel.text(moment, colour=sigprop_edges.DIRECTIONS.get(moment, "k"))
        panel.done(x="position", y=sigprop_edges.UP[letter])
    drawn = panels[0].axes.get_figure(root=True)
    for source, colour in sigprop_edges.COLOURS.items():
        assert key(drawn)[sigprop_edges.INPUT_LABELS[source]] == colour


def test_moments_of_gates_stand_over_memory_and_their_deviations_beside(show):
    (states, gates, deviations), data = show("sigprop-gates")
    memory = data["memory"].values
    for i, name in enumerate(data["layer"].values):
        for k, panel in enumerate((states, gates)):
            case = data.sel(layer=name).isel(moment=k)
            colour = panel.curve(memory, case["predicted"], label=name).get_color()
            panel.errors(memory, case["measured"], 2 * case["sem"], colour=colour)
            assert colour == sigprop_gates.COLOURS[i]
            label = {"selective": "selective SSM"}.get(name, name)
            assert colour == key(panel.axes.get_figure(root=True))[label]
            apart = (case["measured"] - case["predicted"]) / case["sem"]
            rows = np.full(memory.size, (0.17, -0.17)[k] - i)
            deviations.curve(apart, rows, colour, marker="os"[k])
    deviations.upright(0)
    for panel in (states, gates):
        panel.done("log", "log", x="time constant")
    deviations.done(x="standard errors")


def test_sigprop_transients_say_how_full_the_slowest_head_is():
    def change(data):
        at = {"layer": "RotRNN", "input": "white", "decay": 0.9999}
        data["measured"].loc[at] = 0.25
        data["predicted"].values[:] = 1.5
        data["predicted"].loc[at] = 0.5
        data["predicted"].loc[
            {"input": "rho=0.9", "layer": "RotRNN", "decay": 0.99}
        ] = 2.5
        data["started"].loc[{"decay": 0.9999}] = 0.75
        data["predicted"].loc[{"time": 1}] = 9.0  # not the last time
        data["predicted"].loc[{"input": "rho=0.9", "layer": "LRU"}] = 3.0

    text = shown("sigprop-transients", transients=change)
    assert "norm of a RotRNN head with γ = 0.9999 is 0.250; the closed" in text
    assert "the closed form gives 0.500" in text
    assert "after the same inputs is 0.75." in text
    assert details("sigprop-transients", transients=change) == (
        (
            "squared norm after 16384 inputs, closed form",
            *("decay 0.9", "decay 0.99", "decay 0.999", "decay 0.9999"),
        ),
        ("RotRNN, white inputs", "1.5", "1.5", "1.5", "0.5"),
        ("LRU, white inputs", "1.5", "1.5", "1.5", "1.5"),
        ("RotRNN, inputs with ρ = 0.9", "1.5", "2.5", "1.5", "1.5"),
        ("LRU, inputs with ρ = 0.9", "3", "3", "3", "3"),
    )


def test_sigprop_edges_say_what_is_left_at_the_first_step():
    def change(data):
        data["predicted"].loc[{"moment": "merged", "position": 0}] = (
            data["limit"].sel(moment="merged") / 4
        )
        data["measured"].values[:] = data["predicted"].values

        merged = {"moment": "merged", "input": "white"}
        last = merged | {"position": data["position"].values[-1]}
        data["predicted"].loc[last] = 0.75 * data["limit"].sel(merged)
        middle = data["position"].values[data.sizes["position"] // 2]
        data["predicted"].loc[merged | {"position": middle}] = (
            data["limit"].sel(merged) / 2
        )
        gradient = {"moment": "recurrent", "input": "rho=0.9", "position": 0}
        data["predicted"].loc[gradient] = data["limit"].sel(
            moment="recurrent", input="rho=0.9"
        )
        data["measured"].values[:] = data["predicted"].values

    text = shown("sigprop-edges", edges=change)
    assert (
        "Relative to an endless sequence with white inputs, the merged state's second moment "
        "is 0.25 at the first step, 0.50 in the middle and 0.75 at the last." in text
    )
    assert "the recurrent gradient's second moment is 0.43 at the first step" in text
    assert "264 of the 264 simulated moments" in text
    header, *rows = details("sigprop-edges", edges=change)
    assert header[1:] == ("first step", "middle", "last step")
    table = {name: values for name, *values in rows}
    assert len(table) == 2 * 5
    assert table["merged state, white inputs"] == ["0.25", "0.50", "0.75"]
    assert table["merged state, inputs with ρ = 0.9"] == ["0.25", "0.98", "0.32"]
    assert table["recurrent gradient, white inputs"] == ["0.43", "0.40", "0.26"]
    assert table["recurrent gradient, inputs with ρ = 0.9"] == ["1.00", "0.59", "0.25"]


def test_sigprop_gates_say_how_far_the_farthest_moment_is():
    def change(data):
        data["measured"].values[:] = data["predicted"].values
        data["measured"].values[0, 0, 0] *= 1.5

    text = shown("sigprop-gates", gated_moments=change)
    count = 6 * 12 * 2
    assert f"{count - 1} of {count} measured moments" in text
    assert "moments; all are 1.000 to 1.500 times as large." in text
    assert (
        "81 times in RG-LRU and 32000 times in GLA; others become 0.3 to 2.4 times"
        in text
    )

    def still(data):
        change(data)
        data["predicted"].values[:] = 1.0

    text = shown("sigprop-gates", gated_moments=still)
    assert "times in no layer; others become 1.0 times as large" in text
