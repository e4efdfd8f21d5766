"""Figures say how each network was drawn."""

import dataclasses
import json

import jax
import numpy as np
import pytest

from sigprop import layers
from sigprop.experiments import store, studies
from sigprop.experiments.teacher_student import cells, grids
from sigprop.figures import losses, style, zucchet_3, zucchet_8, zucchet_10
from tests.figures import made_up

RELEASED = "sigprop.layers.lru.released_zucchet_lru"
STUDENTS = {
    "RNN": "sigprop.layers.dense.block_rnn",
    "LRU": losses.PRINTED,
    "released LRU": RELEASED,
}


@pytest.fixture
def shown():
    """Draw a panel of Figure 3; a result may say nothing of how its networks began."""

    def show(panel, silent=False):
        data = made_up.tuned(zucchet_3.ENTRY.studies[panel])
        if not silent:
            drawn_by = {name: STUDENTS[name] for name in data["student"].values}
            data.attrs["drawn_by"] = json.dumps(drawn_by)
        return zucchet_3.draw({zucchet_3.ENTRY.studies[panel]: data}, panel)

    return show


def caption(figure):
    return " ".join(figure.get_supxlabel().split())


def test_the_panel_of_both_starts_says_which_is_which(shown):
    figure = shown("c")
    (axes,) = figure.axes
    for name, colour in (("LRU", style.BLUE), ("released LRU", style.SKY)):
        (label,) = (text for text in axes.texts if text.get_text() == name)
        assert label.get_color() == colour
        assert f"The {name} is {losses.STARTS[STUDENTS[name]]}." in caption(figure)


@pytest.mark.parametrize("silent", [False, True])
def test_the_panel_of_the_paper_names_the_printed_start_alone(shown, silent):
    figure = shown("a", silent)
    assert losses.STARTS[losses.PRINTED] in caption(figure)
    assert "released" not in caption(figure)


def test_the_tracked_result_of_figure_10_names_its_start():
    text = losses.caption(store.shipped("concentration"))
    assert f"The LRU is {losses.STARTS[losses.PRINTED]}." in text
    assert zucchet_10.ENTRY.studies["d"] == "concentration"


def test_figure_8_says_that_the_authors_drew_the_misprint():
    text = caption(zucchet_8.draw({"similarity": store.shipped("similarity")}, "c"))
    assert "computes $S$ as Eq. 134 is printed, with $1-\\rho$ for $1-\\rho^2$" in text


def test_names_in_captions_are_the_functions_that_draw():
    assert cells.builder("lru") == losses.PRINTED
    assert {cells.builder(start) for start in ("lru", "released lru")} == set(
        losses.STARTS
    )
    for name in losses.STARTS:
        assert callable(getattr(layers, name.rpartition(".")[2]))
    with pytest.raises(ValueError, match="need one of"):
        cells.builder("elman")


@pytest.mark.parametrize("preset", ["smoke", "quick", "paper"])
def test_the_two_starts_are_trained_in_pairs(preset):
    grid = grids.SWEEPS["starts"](preset)
    assert {cell.architecture for cell in grid["LRU"]} == {"lru"}
    assert {cell.architecture for cell in grid["released LRU"]} == {"released lru"}
    assert grid["LRU"] == grids.SWEEPS["memory_gap"](preset)["LRU"]
    assert grid["LRU"] == [
        dataclasses.replace(cell, architecture="lru") for cell in grid["released LRU"]
    ]


@pytest.mark.parametrize("sweep", ["memory_gap", "starts"])
def test_the_tracked_sweep_is_that_of_its_grid(sweep):
    """So that the result that comes with the code stays that of the whole grid."""
    keys = {
        store.key("teacher_student", cells.VERSION, cell)
        for cell in studies.grid(sweep, "paper")
    }
    assert keys == set(store.shipped(sweep)["key"].values.tolist())


@pytest.mark.parametrize("preset", ["quick", "paper"])
def test_figure_3a_has_the_networks_of_table_1(preset):
    assert list(grids.SWEEPS["memory_gap"](preset)) == ["RNN", "LRU"]


@pytest.mark.slow
def test_a_cell_is_trained_from_the_start_that_its_name_says():
    """Phases of both signs, and weights of the size that the fan makes them."""
    begun = {}
    for name in ("lru", "released lru"):
        config = cells.Config(name, -2.0, 0, nu0=0.5, hidden=200)
        begun[name] = cells.student(config, jax.random.key(0))
    signs = {name: np.angle(layer.eigenvalues()) < 0 for name, layer in begun.items()}
    assert not signs["lru"].any()
    assert 50 < signs["released lru"].sum() < 150
    size = {name: np.mean(np.asarray(layer.C_re) ** 2) for name, layer in begun.items()}
    assert 0.5 < size["released lru"] < 2
    assert 0.5 < 2 * 200 * size["lru"] < 2
