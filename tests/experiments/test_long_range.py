"""Trainings on long-range tasks: their grids, how they are gathered, and one that runs."""

import math

import numpy as np
import pytest
import xarray as xr

from sigprop.experiments import store, studies, sweep
from sigprop.experiments.long_range import cells, gathering, grids
from sigprop.experiments.long_range.cells import Config
from sigprop.training import supervised
from sigprop.training.presets import LADDER


@pytest.mark.parametrize("task", ["digits", "listops", "smnist"])
def test_the_ladder_has_every_rung_three_times(task):
    groups = grids.SWEEPS[f"ladder_{task}"]("paper")
    assert [name.split(" ")[1] for name in groups] == list(LADDER)
    for group in groups.values():
        assert [config.seed for config in group] == [0, 1, 2]
        assert all(config.task.startswith(task) for config in group)


def test_digits_are_tested_on_all_folds():
    for group in grids.folds("paper").values():
        assert [config.seed for config in group] == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("name", grids.SWEEPS)
def test_every_preset_has_cells(name):
    sizes = [len(studies.grid(name, preset)) for preset in ("smoke", "quick", "paper")]
    assert 0 < sizes[0] <= sizes[1] <= sizes[2]
    assert studies.sweeps()[name] == "long_range"


def made_up(segments, looks, seed):
    """The result of a training, as ``run_cells`` returns it."""
    draw = np.random.default_rng(seed)
    return xr.Dataset(
        {
            "loss": ("segment", draw.normal(size=segments)),
            "validation_accuracy": ("look", draw.uniform(size=looks)),
            "state_power": (("look", "layer"), draw.uniform(size=(looks, 3))),
        },
        {"step": ("look", 20 * np.arange(1, looks + 1))},
        {
            "width": 64,
            "depth": 3,
            "examples": 1000,
            "length": 64,
            "parameters": 5,
            "best_step": 20,
            "diverged": -1,
            "test_accuracy": 0.5 + seed / 10,
            "test_loss": 0.25,
        },
    )


def gathered(results):
    grid = studies.grid("folds", "paper")[: len(results)]
    by_config = {
        repr(config): result for config, result in zip(grid, results, strict=True)
    }
    return gathering.gather("folds", "paper", repr, by_config)


def test_cells_come_back_from_a_gathered_result():
    results = [
        made_up(4, 2, 0),
        made_up(6, 3, 1),
        cells._lost(7, made_up(1, 1, 2).attrs),
    ]
    table = gathered(results)
    for index, result in enumerate(results[:2]):
        repeated = gathering.cell(table, index)
        xr.testing.assert_identical(repeated.drop_attrs(), result.drop_attrs())
        assert repeated.attrs == result.attrs | {"dtype": "float32"}
    diverged = gathering.cell(table, 2)
    assert diverged.attrs["diverged"] == 7
    assert math.isnan(diverged.attrs["test_accuracy"])
    assert diverged.sizes["segment"] == diverged.sizes["look"] == 0


def test_findings_are_means_over_runs_that_ended():
    results = [made_up(4, 2, seed) for seed in (0, 1, 2)]
    results += [cells._lost(7, results[0].attrs), made_up(4, 2, 4)]
    text = gathering.findings(gathered(results))
    mean, error = (
        np.mean([0.5, 0.6, 0.7, 0.9]),
        np.std([0.5, 0.6, 0.7, 0.9], ddof=1) / 2,
    )
    assert f"{mean:.4f}, standard error {error:.4f}, 4 runs, 1 diverged" in text


def test_a_loss_that_explodes_is_a_result(monkeypatch):
    monkeypatch.setattr(
        cells, "altered", lambda recipe, *_: altered_to_explode(recipe), raising=True
    )
    (result,) = cells.run_cells([Config("digits", "relu", 0, 20)])
    assert result.attrs["diverged"] >= 0


def altered_to_explode(recipe):
    import dataclasses

    from sigprop.training.loop import Optimiser

    network = dataclasses.replace(recipe.network, width=4, state_size=4, depth=1)
    return dataclasses.replace(
        recipe,
        network=network,
        optimiser=Optimiser(20, "constant"),
        rate=1e38,
        segment=5,
    )


@pytest.mark.slow
def test_a_sweep_of_trainings_is_run_gathered_and_not_run_again(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    monkeypatch.setattr(cells, "PROBED", supervised.PROBED)
    file = sweep.run("norms", "smoke")
    table = store.read(file)
    assert table.sizes == {
        "cell": 2,
        "segment": 1,
        "look": 1,
        "layer": 3,
        "recurrence": 3,
        "rung": 5,
        "quantity": 7,
        "quantile": 3,
    }
    power, measured = (table[name].isel(look=0) for name in ("state_power", "measured"))
    np.testing.assert_allclose(measured, power, rtol=1e-3)
    theory = table["predicted"].isel(look=0, rung=1) / measured
    assert (abs(theory - 1) < 0.1).all()
    low, middle, high = table["ratio"].isel(look=0, quantity=0, rung=1).T.values
    assert (low <= middle).all()
    assert (middle <= high).all()
    assert (abs(middle - 1) < 0.1).all()
    monkeypatch.setattr(cells, "fit", None)
    assert sweep.run("norms", "smoke") == file
