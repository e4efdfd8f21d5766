"""Moments of layers of today, and their comparison at equal time constants, are drawn."""

from sigprop.figures import sigprop_equal_memory, sigprop_newer_layers, style
from tests.figures.reading import key
from tests.figures.test_shown import details, shown


def test_each_layer_has_a_panel_with_both_moments(show):
    panels, data = show("sigprop-newer-layers")
    memory = data["memory"].values
    layers = sigprop_newer_layers.PANELS.values()
    assert list(layers) == data["layer"].values.tolist()
    for panel, name in zip(panels, layers, strict=True):
        assert panel.axes.get_title(loc="left").endswith(name)
        for moment, dashes, marker in (("state", "-", "o"), ("gate", "--", "s")):
            case = data.sel(layer=name, moment=moment)
            look = sigprop_newer_layers.LOOKS[moment]
            panel.curve(memory, case["predicted"], look["color"], dashes=dashes)
            bars = 2 * case["sem"]
            panel.errors(
                memory, case["measured"], bars, colour=look["color"], marker=marker
            )
        panel.done("log", "log")
    figure = panels[0].axes.get_figure(root=True)
    colours = key(figure)
    assert colours["squared state, exact"] == style.BLUE
    assert colours["gate gradient, exact"] == style.VERMILION
    notes = style.notes(figure)
    assert "mLSTM b_f, LinOSS dt_raw and HGRN2 W_f" in notes
    assert "2048 sequences" in notes
    assert "as long as 2 time constants" in notes


def test_one_layer_alone_names_its_own_parameter(show):
    (panel,), data = show("sigprop-newer-layers", "g")
    memory, case = data["memory"].values, data.sel(layer="mLSTM")
    for moment in ("state", "gate"):
        one = case.sel(moment=moment)
        panel.curve(memory, one["predicted"])
        panel.errors(memory, one["measured"], 2 * one["sem"])
    panel.done("log", "log", x="time constant", y="second moment")
    notes = style.notes(panel.axes.get_figure(root=True))
    assert "with respect to mLSTM b_f." in notes


def test_sentences_on_layers_count_what_is_near_and_name_the_extremes():
    def change(data):
        data["predicted"].values[:] = 2.0
        data["error"].values[:] = 0.05
        data["measured"].values[:] = 2.0
        data["sem"].values[:] = 0.1
        data["measured"].loc[{"layer": "Mamba-2", "moment": "state", "memory": 256}] = 6
        data["measured"].loc[{"layer": "HGRN2", "moment": "state", "memory": 4}] = 8
        data["measured"].loc[{"layer": "RWKV-7", "moment": "gate", "memory": 256}] = 10
        data["measured"].loc[{"layer": "LinOSS", "moment": "gate", "memory": 256}] = 0.5
        near = {"layer": "mLSTM", "moment": "gate", "memory": 16}
        data["measured"].loc[near] = 2.24  # two errors of the sample and one of theory

    text = shown("sigprop-newer-layers", newer_layers=change)
    assert text.startswith(
        "122 of 126 simulated moments lie within two standard errors"
    )
    assert "and their error of at most 2.5 %; all are 0.25 to 5.00 times" in text
    assert "squared state becomes 3 times as large in Mamba-2, the most" in text
    assert "and 0.25 times in HGRN2, the least" in text
    assert "squared gradient becomes 5 times as large in RWKV-7, the most" in text
    assert "and 0.25 times in LinOSS, the least" in text
    assert "From 4 to 256 steps the squared state" in text
    table = details("sigprop-newer-layers", newer_layers=change)
    assert ("Mamba-2", "3", "1") in table
    assert ("RWKV-7", "1", "5") in table


def test_three_quantities_of_every_layer_stand_over_the_time_constant(show):
    panels, data = show("sigprop-equal-memory")
    memory = data["memory"].values
    assert len({*zip(*looks(), strict=True)}) == data.sizes["layer"]
    for panel, letter in zip(panels, "abc", strict=True):
        for name in data["layer"].values:
            case = data.sel(quantity=sigprop_equal_memory.PANELS[letter], layer=name)
            colour = sigprop_equal_memory.COLOURS[name]
            panel.errors(memory, case["mean"], 2 * case["sem"], colour=colour)
        panel.done("log", "log", x="time constant", y=sigprop_equal_memory.UP[letter])
    figure = panels[0].axes.get_figure(root=True)
    assert key(figure) == sigprop_equal_memory.COLOURS
    notes = style.notes(figure)
    assert "after 4 time constants" in notes
    assert f"{data.attrs['sequences']} sequences" in notes


def looks():
    colours = sigprop_equal_memory.COLOURS
    return colours.values(), [sigprop_equal_memory.DASHES[name] for name in colours]


def test_sentences_on_equal_memory_say_which_gradients_grow():
    def change(data):
        data["exponent"].values[:] = 0.1
        data["exponent"].loc[{"quantity": "gradient", "layer": "mLSTM"}] = 1.62
        data["exponent"].loc[{"quantity": "gradient", "layer": "LinOSS"}] = 0.94
        data["exponent"].loc[{"quantity": "gradient", "layer": "Mamba-3"}] = -1.0
        data["exponent"].loc[{"quantity": "trace", "layer": "LRU"}] = 2.04
        data["exponent_sem"].values[:] = 0.05

    text = shown("sigprop-equal-memory", equal_memory=change)
    assert (
        "the gradient grows as τ¹·⁶ in mLSTM and τ⁰·⁹ in LinOSS; other exponents are "
        "-1.0 to 0.1." in text
    )
    assert "The Hessian trace grows as τ² in LRU; other exponents are 0.1." in text
    assert "The squared state grows in no layer; other exponents are 0.1." in text
    assert "Between time constants of 16 and 256 steps" in text
    table = details("sigprop-equal-memory", equal_memory=change)
    assert ("mLSTM", "0.10 ± 0.10", "1.62 ± 0.10", "0.10 ± 0.10") in table
