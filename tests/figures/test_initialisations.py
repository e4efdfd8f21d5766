"""Figures say how each network was drawn, and draw both starts where both are there."""

import json

import jax
import numpy as np
import pytest

from experiments import store
from experiments.teacher_student import cells, grids
from figures import losses, style, zucchet_3, zucchet_8, zucchet_10
from sigprop.layers import lru
from tests.figures import made_up

RELEASED = "sigprop.layers.lru.released_zucchet_lru"
STUDENTS = {
    "RNN": "sigprop.layers.dense.block_rnn",
    "LRU": losses.PRINTED,
    "released LRU": RELEASED,
}


@pytest.fixture
def shown(monkeypatch):
    """Draw Figure 3A of these students; a result may say nothing of how they began."""

    def show(students, silent=False):
        both = {"memory_gap": ((0.9, 0.99), tuple(students))}
        monkeypatch.setattr(made_up, "CONDITIONS", both)
        data = made_up.tuned("memory_gap")
        if not silent:
            data.attrs["drawn_by"] = json.dumps(students)
        monkeypatch.setattr(store, "load_preset", lambda study, preset: data)
        return zucchet_3.draw("quick", "a"), data

    return show


def caption(figure):
    return " ".join(figure.get_supxlabel().split())


def test_both_starts_are_drawn_and_told_apart_where_both_are_stored(shown):
    figure, data = shown(STUDENTS)
    (axes,) = figure.axes
    for name, colour in (("LRU", style.BLUE), ("released LRU", style.SKY)):
        (points,) = (
            line
            for line in axes.lines
            if line.get_marker() == "." and line.get_color() == colour
        )
        own = data["best"].sel(student=name).values.ravel()
        np.testing.assert_array_equal(points.get_ydata(), own)
        assert name in [text.get_text() for text in axes.texts]
        assert f"; {name}: {losses.STARTS[STUDENTS[name]]}" in caption(figure)


@pytest.mark.parametrize("silent", [False, True])
def test_a_result_without_the_released_start_names_the_printed_one_alone(shown, silent):
    students = {name: STUDENTS[name] for name in ("RNN", "LRU")}
    figure, _ = shown(students, silent)
    assert losses.STARTS[losses.PRINTED] in caption(figure)
    assert "released" not in caption(figure)


def test_the_tracked_result_of_figure_10_names_its_start():
    text = losses.caption(store.shipped("concentration"))
    assert f"LRU: {losses.STARTS[losses.PRINTED]}" in text
    assert zucchet_10.STUDIES["d"] == "concentration"


def test_figure_8_says_that_the_authors_drew_the_misprint(monkeypatch):
    data = store.shipped("similarity")
    monkeypatch.setattr(store, "load_preset", lambda study, preset: data)
    text = caption(zucchet_8.draw("paper", "c"))
    assert "computes $S$ as Eq. 134 is printed, with $1-\\rho$ for $1-\\rho^2$" in text


def test_names_in_captions_are_the_functions_that_draw():
    assert cells.builder("lru") == losses.PRINTED
    assert {cells.builder(one) for one in ("lru", "released lru")} == set(losses.STARTS)
    for name in losses.STARTS:
        assert callable(getattr(lru, name.rpartition(".")[2]))
    with pytest.raises(ValueError, match="need one of"):
        cells.builder("elman")


def test_the_smallest_grid_of_figure_3a_has_both_starts_in_pairs():
    grid = grids.networks("memory_gap", "smoke")
    assert {cell.architecture for cell in grid["LRU"]} == {"lru"}
    assert {cell.architecture for cell in grid["released LRU"]} == {"released lru"}

    def rest(name):
        return [(c.nu0, c.log_rate, c.seed, c.steps) for c in grid[name]]

    assert rest("LRU") == rest("released LRU")


def test_the_tracked_grid_of_figure_3a_is_that_of_table_1():
    """So that the result that comes with the code stays that of the whole grid."""
    for preset in ("quick", "paper"):
        assert list(grids.networks("memory_gap", preset)) == ["RNN", "LRU"]
    keys = {
        store.key("teacher_student", cells.VERSION, cell)
        for cell in grids.cells("memory_gap", "paper")
    }
    assert keys == set(store.shipped("memory_gap")["key"].values.tolist())


@pytest.mark.slow
def test_a_cell_is_trained_from_the_start_that_its_name_says():
    """Phases of both signs, and weights of the size that the fan makes them."""
    begun = {}
    for name in ("lru", "released lru"):
        config = cells.Config(name, -2.0, 0, nu0=0.5, hidden=200)
        begun[name] = cells.student(config, jax.random.key(0))
    signs = {name: np.angle(one.eigenvalues()) < 0 for name, one in begun.items()}
    assert not signs["lru"].any()
    assert 50 < signs["released lru"].sum() < 150
    size = {name: np.mean(np.asarray(one.C_re) ** 2) for name, one in begun.items()}
    assert 0.5 < size["released lru"] < 2
    assert 0.5 < 2 * 200 * size["lru"] < 2
