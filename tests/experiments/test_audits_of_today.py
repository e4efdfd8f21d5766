"""Audits of today's layers: their grid, how they are gathered, and one that runs."""

import math

import numpy as np
import pytest
import xarray as xr

from sigprop.audit.gated_layers import GATED_RUNGS
from sigprop.audit.moments import RUNGS
from sigprop.experiments import store, studies, sweep
from sigprop.experiments.audits_of_today import cells, gathering, grids
from sigprop.networks.registry import SEQUENCE_LAYERS
from sigprop.training.layer_sizes import registered_layers

SWEEP = "gated_audits"


def made_up(seed):
    """The result of a cell; its second block fails at its third rung, by 20 %.

    It is off by 30 % at the rung before, but that is one and a half standard errors.
    """
    draw = np.random.default_rng(seed)
    median = draw.uniform(0.95, 1.05, (2, 2, 5))
    median[1, 0, 1:] = [0.7, 1.2, 0.3, 0.2]
    sem = draw.uniform(0.01, 0.02, median.shape)
    sem[1, 0, 1] = 0.2
    return cells._dataset(median, sem, 0.25 + seed / 100, 1000 + seed)


def gathered(results):
    """Results of layers of both ladders, gathered."""
    rows = [
        cells.Config(task, model)
        for task in ("listops-short", "digits")
        for model in ("ssd", "linoss")
    ]
    by_config = dict(zip(map(repr, rows), results, strict=True))
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(grids.SWEEPS, SWEEP, lambda preset: rows)
        return gathering.gather(SWEEP, "paper", repr, by_config), rows


def test_every_layer_is_trained_on_every_task():
    grid = studies.grid(SWEEP, "paper")
    assert {(cell.task, cell.model) for cell in grid} == {
        (task, model) for task in grids.TASKS for model in grids.MODELS
    }
    assert set(grids.MODELS) <= set(registered_layers()) <= set(SEQUENCE_LAYERS)
    sizes = [len(studies.grid(SWEEP, preset)) for preset in ("smoke", "quick", "paper")]
    assert sizes == [1, 2 * len(grids.TASKS), len(grids.TASKS) * len(grids.MODELS)]


def test_cells_come_back_and_the_first_failing_assumption_is_named():
    results = [made_up(seed) for seed in range(3)]
    missing = np.full((2, 2, 5), math.nan)
    results.append(cells._dataset(missing, missing, math.nan, -1, 7))
    table, rows = gathered(results)
    for index, result in enumerate(results):
        repeated = gathering.cell(table, index)
        xr.testing.assert_identical(repeated.drop_attrs(), result.drop_attrs())
        wanted = {"dtype": "float32"} | result.attrs
        assert repr(repeated.attrs) == repr(wanted)  # NaN is not itself
    for index, config in enumerate(rows[:3]):
        one = table.isel(cell=index)
        names = RUNGS if config.model == "linoss" else GATED_RUNGS
        assert tuple(one["assumption"].values) == names
        fails = one["fails"].values.tolist()
        assert fails == [["", ""], [names[2], ""]]
        ratio, median = one["ratio"].values, one["median"].values
        assert ratio[1, 0] == 1.2
        assert ratio[0].tolist() == median[0, :, -1].tolist()
        assert one["score"].item() == pytest.approx(0.25 + index / 100)
    text = gathering.findings(table)
    assert "listops-short ssd: score 0.2500;" in text
    assert "Gaussian (1.2)" in text


@pytest.mark.slow
def test_a_sweep_is_trained_audited_and_not_run_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    file = sweep.run(SWEEP, "smoke")
    table = store.read(file)
    assert table["median"].dims == ("cell", "block", "quantity", "rung")
    assert table["median"].shape == (1, 2, 2, 5)
    assert np.isfinite(table["median"]).all()
    assert np.isfinite(table["sem"]).all()
    assert 0 <= float(table["score"][0]) <= 1
    monkeypatch.setattr(cells, "run_cells", None)
    assert sweep.run(SWEEP, "smoke") == file


@pytest.mark.slow
def test_a_forecaster_is_audited_too(monkeypatch):
    monkeypatch.setattr(cells, "AUDITED", 32)
    config = cells.Config("co2", "hgrn2", steps=20, size=8, horizon=4)
    (result,) = cells.run_cells([config])
    assert np.isfinite(result["median"]).all()
    assert result.attrs["score"] > 0
