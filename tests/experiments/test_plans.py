"""What sweeps and studies take: each shape is tried once and counts for all of its kind."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr

from sigprop.experiments import plans, store, studies, sweep
from sigprop.experiments.teacher_student import cells


def test_every_shape_is_tried_once_and_counts_for_all_its_chunks(monkeypatch):
    calls = []

    def tried(study, *about):
        calls.append(about)
        return [10.0 + about[2], 1e9 + about[2]]

    monkeypatch.setattr(plans, "measured_alone", tried)
    config = plans.Config("paper", ("memory_gap", "starts"), (), 7.0)
    data = plans.run(config)
    kinds, seconds = {}, {}
    for name in config.sweeps:
        chunks = sweep.chunks(name, "paper")
        for index, chunk in enumerate(chunks):
            kind = cells.shape(chunk.cells[0]), len(chunk.cells)
            kinds.setdefault(kind, (name, "paper", index, 7.0))
            seconds[name] = seconds.get(name, 0) + 10 + kinds[kind][2]
    assert calls == [*kinds.values()]
    assert 1 < len(kinds) < sum(len(sweep.chunks(n, "paper")) for n in config.sweeps)
    for name in config.sweeps:
        plan = data.sel(plan=name)
        assert int(plan["cells"]) == len(studies.grid(name, "paper"))
        np.testing.assert_allclose(plan["core_hours"], seconds[name] / 3600, rtol=1e-12)
    assert float(data["peak"].max()) == 1e9 + max(index for _, _, index, _ in calls)


def test_a_study_is_looked_up_in_its_result(monkeypatch):
    about = {"seconds": 1800.0, "cores": 4, "peak_bytes": 2.0**30}
    results = {"basins": xr.Dataset(attrs=about), "ring_gain": xr.Dataset()}

    def shipped(study):
        if study not in results:
            raise FileNotFoundError
        return results[study]

    monkeypatch.setattr(store, "shipped", shipped)
    names = "basins", "ring_gain", "accuracy"
    data = plans.run(plans.Config("paper", (), names))
    np.testing.assert_array_equal(data["core_hours"], [2.0, np.nan, np.nan])
    np.testing.assert_array_equal(data["peak"], [2.0**30, np.nan, np.nan])


@pytest.fixture
def trains(monkeypatch):
    """Let a chunk report these shares, a second apart; say how many it came to."""

    def of(shares, error=None):
        clock, came = iter(np.arange(100.0)), []

        def run_cells(configs, checkpoint, progress):
            assert checkpoint is None
            assert configs == sweep.chunks("memory_gap", "paper")[2].cells
            if error:
                raise error
            for share in shares:
                came.append(share)
                progress(share)

        monkeypatch.setattr(cells, "run_cells", run_cells)
        monkeypatch.setattr(
            plans, "time", SimpleNamespace(process_time=lambda: float(next(clock)))
        )
        return came

    return of


def test_a_chunk_is_trained_for_a_while_and_the_rest_goes_at_its_last_pace(trains):
    came = trains([0.02, 0.12, 0.22, 0.32, 0.42])
    seconds, peak = plans.measure("memory_gap", "paper", 2, 2.0)
    assert came == [0.02, 0.12, 0.22]
    assert seconds == pytest.approx(1 + 9.8)
    assert peak > 2**20


def test_a_chunk_that_ends_earlier_takes_what_it_took(trains):
    trains([0.5, 1.0])
    assert plans.measure("memory_gap", "paper", 2, 60.0)[0] == 3.0


def test_without_its_files_a_sweep_is_not_measured(trains):
    trains([], FileNotFoundError("gone"))
    assert np.isnan(plans.measure("memory_gap", "paper", 2, 1.0)).all()


def test_a_sweep_of_which_one_shape_is_unknown_is_unknown(monkeypatch):
    answers = iter([[10.0, 1e9], [np.nan, np.nan]])
    monkeypatch.setattr(
        plans, "measured_alone", lambda *about: next(answers, [10.0, 1e9])
    )
    data = plans.run(plans.Config("paper", ("memory_gap",), (), 1.0))
    assert np.isnan(data["core_hours"].values).all()
    assert np.isnan(data["peak"].values).all()


@pytest.mark.slow
def test_a_real_sweep_is_measured(capsys):
    data = plans.run(dataclasses.replace(plans.SMOKE, preset="quick"))
    assert 0 < float(data["core_hours"].sel(plan="memory_gap")) < 100
    assert 1e8 < float(data["peak"].sel(plan="memory_gap")) < 1e11
    plans.show(data)
    output = capsys.readouterr().out
    assert "memory_gap" in output
    assert "not run: deep_signals at width 256, 768 features (FULL), about 4" in output
