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


GAINS = {"moments": 100.0, "network": 50.0, "CPU": np.inf}
SPEEDS = {
    "speed_moments": (
        {"rate": ("way", [2e10, 1.0])},
        {"way": ["kernel", "streaming"]},
        {"cores": 4},
    ),
    "speed_limits": (
        {"rate": (("limit", "repeat"), [[1.0, 1.0], [8e9, 7e9]])},
        {"limit": ["multiply_adds", "copied_bytes"]},
        {"cores": 4},
    ),
    "speed_training": (
        {"seconds": (("way", "repeat"), [[30.0, 10.0, 20.0]])},
        {"way": ["engine"]},
        {"cores": 4},
    ),
}
CHECK = (
    {
        "rate": (("route", "repeat"), [[1e11, 3e11, 2e11]]),
        "limit": (("limited", "repeat"), [[2e12, 3e12, 1e12]]),
        "step_seconds": (("model", "repeat"), [[0.2, 0.1, 0.3]]),
    },
    {"route": ["kernel"], "limited": ["copied_bytes"], "model": ["LRU"]},
)


@pytest.fixture
def speeds(monkeypatch):
    """Measured speeds; that of a device may be added."""
    results = {name: xr.Dataset(*parts) for name, parts in SPEEDS.items()}

    def shipped(study):
        if study not in results:
            raise FileNotFoundError
        return results[study]

    monkeypatch.setattr(store, "shipped", shipped)
    return results


@pytest.mark.parametrize("platform", [None, "cpu"])
def test_without_a_gpu_half_of_its_bounds_is_assumed(platform, speeds):
    if platform:
        about = {"platform": platform, "checked": "cpu"}
        speeds["gpu_check"] = xr.Dataset(*CHECK, about)
    gains = plans.gains()
    assert gains["moments"] == pytest.approx(0.5 * 1.45e12 / (2e10 / 4))
    assert gains["network"] == pytest.approx(0.5 * 3.35e12 / 2 / (8e9 / 4))
    assert gains["CPU"] == np.inf
    assert plans.assumption() == (
        "50% of the bounds of an H100: 1.45e+12 neuron-steps and 1.68e+12 copied bytes a "
        "second"
    )
    hours = plans.trainings(40.0)
    # A step of the very training takes 20 s on four cores.
    assert hours["LRU, scifar"] == pytest.approx(180_000 * 20 * 4 / 40 / 3600)
    # 80 000 steps of a third of the numbers on sequences twice as long.
    numbers = 32 * 2048 * 6 * (128 + 256) / (50 * 1024 * 6 * (512 + 384))
    listops = 80_000 * 20 * 4 / 40 / 3600 * numbers
    assert hours["LRU, listops"] == pytest.approx(listops)
    assert hours["RotRNN, listops"] == pytest.approx(listops)
    both_ways = 32 * 16_384 * (128 + 2 * 256) / (32 * 2048 * (128 + 256))
    assert hours["LRU, pathx"] == pytest.approx(listops * both_ways * 250 / 80)
    blur = 64 * 4 * (256 + 2 * 128) / (32 * 6 * (128 + 256)) * 60 / 80
    assert hours["BLUR, listops"] == pytest.approx(listops * blur)


def test_rates_that_a_gpu_had_take_the_place_of_what_is_assumed(speeds):
    about = {"platform": "gpu", "checked": "NVIDIA H100"}
    speeds["gpu_check"] = xr.Dataset(*CHECK, about)
    gains = plans.gains()
    assert gains["moments"] == pytest.approx(2e11 / (2e10 / 4))
    assert gains["network"] == pytest.approx(3e12 / 2 / (8e9 / 4))
    assert plans.assumption() == "rates measured on NVIDIA H100"
    hours = plans.trainings(40.0)
    assert hours["LRU, listops"] == pytest.approx(80_000 * 0.2 / 3600)


def test_every_study_moves_to_the_device_or_stays():
    known = set(studies.studies())
    assert set(plans.MOMENTS) | set(plans.NETWORKS) <= known
    assert not set(plans.MOMENTS) & set(plans.NETWORKS)
    kinds = {
        "ring_gain": "moments",
        "fresh_seeds": "moments",
        "memory_gap": "network",
        "deep_signals": "network",
        "basins": "CPU",
    }
    assert {name: plans._kind(name) for name in kinds} == kinds


def test_a_study_is_looked_up_in_its_result(monkeypatch):
    about = {"seconds": 1800.0, "cores": 4, "peak_bytes": 2.0**30}
    results = {"basins": xr.Dataset(attrs=about), "ring_gain": xr.Dataset()}

    def shipped(study):
        if study not in results:
            raise FileNotFoundError
        return results[study]

    monkeypatch.setattr(store, "shipped", shipped)
    monkeypatch.setattr(plans, "trainings", lambda gain: {})
    monkeypatch.setattr(plans, "gains", lambda: GAINS)
    names = "basins", "ring_gain", "accuracy"
    data = plans.run(plans.Config("paper", (), names))
    np.testing.assert_array_equal(data["core_hours"], [2.0, np.nan, np.nan])
    np.testing.assert_array_equal(data["peak"], [2.0**30, np.nan, np.nan])
    np.testing.assert_array_equal(data["device_hours"], [0.0, np.nan, np.nan])


def test_a_study_takes_fewer_hours_of_a_device(monkeypatch, capsys):
    about = {"seconds": 1800.0, "cores": 4, "peak_bytes": 2.0**30}
    monkeypatch.setattr(plans, "gains", lambda: GAINS)
    monkeypatch.setattr(plans, "trainings", lambda gain: {"LRU, pathx": 8 * gain})
    monkeypatch.setattr(plans, "assumption", lambda: "half of it")
    monkeypatch.setattr(store, "shipped", lambda study: xr.Dataset(attrs=about))
    names = "ring_gain", "transients", "basins"
    data = plans.run(plans.Config("paper", (), names))
    np.testing.assert_allclose(data["core_hours"], 2.0)
    np.testing.assert_allclose(data["device_hours"], [0.02, 0.04, 0.0])
    plans.show(data)
    lines = capsys.readouterr().out.splitlines()
    ends = {words[0]: words[-1] for line in lines if (words := line.split())}
    assert (ends["ring_gain"], ends["transients"]) == ("0.02", "0.04")
    assert ends["basins"] == "CPU"
    assert "H100-hours: half of it" in lines
    assert "one training of the paper, LRU, pathx: 4e+02 H100-hours" in lines


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
