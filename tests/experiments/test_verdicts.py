"""The sweep over fresh seeds: what is counted, kept, gathered and said."""

import numpy as np
import pytest
import xarray as xr

from sigprop.evidence.fresh import GRIDS, Answer, parts
from sigprop.experiments import store, studies, sweep
from sigprop.experiments.verdicts import cells, gathering, grids
from sigprop.experiments.verdicts.cells import Config
from sigprop.judge.results import RouteResult


def answer(claim, verdict, value=1.0, form="derived", wrong=False, point="here"):
    route = RouteResult("monte_carlo", point, value, 0.9, 1.1, verdict, form, 10)
    return Answer(claim, route, wrong)


WORDS = ("confirmed", "refuted", "inconclusive")
FOUND = [
    answer("zucchet:5", "confirmed", 0.98),
    answer("zucchet:5", "confirmed", 1.01),
    answer("zucchet:59", "confirmed", 1.02),
    answer("zucchet:59", "refuted", 0.5, "printed"),
    answer("lru:5", "inconclusive", 1.04, wrong=True, point="T=160"),
    answer("lru:5", "refuted", 1.07, wrong=True, point="T=4"),
]


def test_words_are_counted_by_claim():
    table = cells.table(FOUND)
    assert table["claim"].values.tolist() == ["zucchet:5", "zucchet:59", "lru:5"]
    counts = {name: table[name].values.tolist() for name in cells.COUNTS}
    assert counts == {
        "comparisons": [2, 2, 2],
        "confirmed": [2, 1, 0],
        "refuted": [0, 1, 1],
        "inconclusive": [0, 0, 1],
        "wrong": [0, 0, 2],
    }
    assert table["least"].values.tolist() == [0.98, 1.02, 1.04]
    assert table["most"].values.tolist() == [1.01, 1.02, 1.07]
    assert table["where"].values.tolist() == [
        "",
        "",
        "T=160: inconclusive; T=4: refuted",
    ]


def test_every_part_has_its_seeds_and_seed_zero_none():
    grid = studies.grid("fresh_seeds", "paper")
    seeds = {part: [c.seed for c in grid if c.part == part] for part in parts()}
    assert seeds.pop(GRIDS) == list(range(1, 201))
    assert all(numbers == list(range(1, 61)) for numbers in seeds.values())
    assert len(seeds) > 30
    assert {c.part for c in studies.grid("fresh_seeds", "quick")} == set(parts())
    assert 0 < len(studies.grid("fresh_seeds", "smoke")) < 5
    assert studies.sweeps()["fresh_seeds"] == "verdicts"


@pytest.fixture
def gathered():
    grid = studies.grid("fresh_seeds", "quick")
    first, second = (
        next(cell for cell in grid if cell.part == part) for part in parts()[:2]
    )
    tables = {first: cells.table(FOUND), second: cells.table(FOUND[:1])}
    named = {repr(cell): table for cell, table in tables.items()}
    return gathering.gather("fresh_seeds", "quick", repr, named), tables


def test_cells_come_back_from_a_gathered_result(gathered, tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    table, tables = gathered
    config = store.Members("made up", 2)
    table = store.read(store.save("fresh_seeds", 1, config, table, preset="quick"))
    for index, expected in enumerate(tables.values()):
        xr.testing.assert_identical(
            gathering.cell(table, index).drop_attrs(), expected.drop_attrs()
        )


def test_wrong_words_are_named_with_their_seeds_and_rates_have_intervals(gathered):
    lines = gathering.findings(gathered[0]).splitlines()
    assert lines == [
        "grids: 2 of 6 words wrong at 1 seeds; a run has one with probability 2.50% to "
        "100.00%",
        "  lru:5 at seed 1: T=160: inconclusive; T=4: refuted",
        f"{parts()[1]}: 0 of 1 words wrong at 1 seeds; a run has one with probability "
        "0.00% to 97.50%",
    ]


def test_a_sweep_simulates_each_cell_at_its_own_seed(tmp_path, monkeypatch):
    calls = []

    def answers(part, seed):
        calls.append((part, seed))
        return FOUND[:1]

    monkeypatch.setattr(cells, "answers", answers)
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    file = sweep.run("fresh_seeds", "smoke")
    assert calls == [(grids.CHEAP, 1), (grids.CHEAP, 2)]
    table = store.read(file)
    assert table["seed"].values.tolist() == [1, 2]
    assert np.all(table["comparisons"] == 1)
    assert sweep.run("fresh_seeds", "smoke") == file
    assert len(calls) == 2  # what is stored is not simulated again


def test_the_tracked_result_has_no_wrong_word():
    """What the documentation quotes, at all seeds of the preset."""
    (file,) = store.SHIPPED.glob("fresh_seeds-*.nc")
    table = store.read(file)
    assert int(table["wrong"].sum()) == 0
    wanted = studies.grid("fresh_seeds", "paper")
    pairs = zip(table["part"].values, table["seed"].values, strict=True)
    assert sorted(pairs) == sorted((cell.part, cell.seed) for cell in wanted)
    assert (table["comparisons"].sum("claim") > 0).all()
    assert int(table["comparisons"].sum()) == int(table[list(WORDS)].to_array().sum())


def test_a_cell_is_a_part_and_a_seed():
    assert cells.shape(Config("grids", 1)) == Config("grids", 1)
    assert cells.chunk_size(Config("grids", 1)) == 1
