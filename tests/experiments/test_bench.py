"""The benchmark: what it compares, the limits that it measures, how costs grow."""

import json
import signal
from types import SimpleNamespace

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.experiments import (
    bench,
    command,
    speed_commands,
    speed_limits,
    speed_sizes,
    studies,
)
from sigprop.neuron.noise import available

REPEATS = 3
pytestmark = pytest.mark.usefixtures("compiled_anew")


def timed(dimension, seconds, **attributes):
    """Seconds of ways in three repeats, of which the last takes twice as long."""
    values = np.outer(list(seconds.values()), [1, 1, 2])
    coords = {dimension: list(seconds)}
    return xr.Dataset({"seconds": ((dimension, "repeat"), values)}, coords, attributes)


def moments():
    ways = {"kernel": 0.1, "streaming": 0.5, "associative": 10.0, "one_by_one": 4.0}
    data = timed("way", ways, neurons=256, sequences=64, length=2048)
    return data.assign(rate=("way", [3e9, 0, 0, 0]))


def limits():
    names = list(speed_limits.RATES)
    rates = [[9e10, 2e10], [1e10, 1e9], [np.nan, np.nan]]
    return xr.Dataset(
        {"rate": (("limit", "repeat"), rates)},
        {"limit": names},
        {"cores": 2, "vector": 64},
    )


def forecasts():
    """BLUR takes twice what an LRU does, and a third of a GRU's step."""
    window = timed("model", {"lru": 1.0, "blur": 2.0})["seconds"]
    longer = xr.concat([0.1 * window, window], xr.Variable("horizon", [24, 720]))
    step = timed("trained", {"blur": 1.0, "gru": 3.0})["seconds"].expand_dims(
        task=["x"]
    )
    power = (("model", "end"), [[0.8, 0.9, 1.1], [1.0, 1.25, 1.5]])
    return xr.Dataset(
        {"seconds": longer, "step_seconds": step, "power": power},
        {"horizon": [24, 720]},
    )


RESULTS = {
    "speed_limits": limits(),
    "speed_moments": moments(),
    "speed_layers": xr.concat(
        [timed("way", {"engine": 1.0, "usual": 5.0, "scan": 3.0})] * 2,
        xr.DataArray([64, 128], dims="length", name="length"),
    ),
    "speed_losses": xr.concat(
        [timed("loss", {"population": 0.01, "sampled": 0.7})],
        xr.DataArray(["LRU"], dims="student", name="student"),
    ),
    "speed_training": timed(
        "way",
        {"engine": 1.0, "usual": 6.0, "still": 0.5, "tanh": 2.0},
        depth=6,
        length=9,
    ),
    "speed_hessians": timed(
        "route", {"closed form": 2.0, "a column by simulation": 8.0}, parameters=100
    ),
    "speed_commands": xr.Dataset(
        {
            "seconds": (("command", "repeat"), [[0.5] * REPEATS]),
            "imports": (("command", "repeat"), [[1.5] * REPEATS]),
        },
        {"command": ["--help"]},
    ),
    "forecast_speed": forecasts(),
}
EXPECTED = {
    ("moments", "streaming"): 5,
    ("moments", "associative"): 100,
    ("moments", "one by one"): 40,
    ("LRU layer", "associative scan"): 5,
    ("LRU layer", "lax.scan"): 3,
    ("exact training step", "sampled"): 70,
    ("deep network's step", "associative scan"): 6,
    ("deep network's step", "a dense tanh RNN"): 2,
    ("Hessian", "simulation"): 400,
    ("command", "import jax"): 3,
    ("BLUR's forecast", "lru"): 0.5,
    ("BLUR's step", "gru"): 3,
}


def test_a_ratio_says_how_many_times_longer_the_other_way_takes():
    by_pair = {
        (comparison.part, comparison.other): comparison.ratios
        for comparison in bench.comparisons(RESULTS)
    }
    assert set(by_pair) == set(EXPECTED)
    for name, ratios in by_pair.items():
        np.testing.assert_allclose(
            ratios, [EXPECTED[name]] * REPEATS, err_msg=str(name)
        )


def test_rows_have_medians_and_extremes():
    uneven = moments()
    uneven["seconds"][2] = [1.0, 2.0, 9.0]
    uneven["seconds"][0] = 0.5
    (row,) = (
        table_row
        for table_row in bench.rows({"speed_moments": uneven})
        if table_row["other"] == "associative"
    )
    numbers = [row[name] for name in ("ratio", "least", "most", "seconds", "repeats")]
    assert numbers == [4.0, 2.0, 18.0, 0.5, REPEATS]


def test_a_way_that_was_not_run_is_left_out():
    layers = RESULTS["speed_layers"].copy(deep=True)
    layers["seconds"].loc[{"way": "usual", "length": 128}] = np.nan
    comparisons = bench.comparisons({"speed_layers": layers})
    assert [(comparison.setting, comparison.other) for comparison in comparisons] == [
        ("64 steps", "associative scan"),
        ("64 steps", "lax.scan"),
        ("128 steps", "lax.scan"),
    ]


def test_the_kernel_is_held_against_the_multiplications():
    assert bench.share_of_limit(RESULTS) == pytest.approx(12 * 3e9 / 9e10)
    assert np.isnan(bench.share_of_limit({"speed_moments": moments()}))
    assert bench.limits(RESULTS) == {"multiply_adds": 9e10, "copied_bytes": 1e10}
    assert bench.conclusions(RESULTS) == [
        "2 cores, programs of 64 bytes a vector",
        "multiply adds: 90 G a second",
        "copied bytes: 10 G a second",
        "a forecast by lru: time grows as horizon^0.90 (0.80 to 1.10)",
        "a forecast by blur: time grows as horizon^1.25 (1.00 to 1.50)",
        "the moments' kernel: 40% of these multiply-adds",
    ]


def test_every_study_of_speed_is_a_part():
    speeds = [name for name in studies.studies() if "speed" in name]
    assert sorted(bench.STUDIES) == speeds


@pytest.mark.skipif(not available(), reason="needs Numba")
def test_the_multiplications_are_done_and_as_often_as_counted():
    values = np.full(speed_limits.NUMBERS, 0.5, np.float32)
    speed_limits.multiplication()(values, 2)
    assert (values == 1 - 0.5 ** (1 + 2 * speed_limits.TURNS)).all()
    for config in (speed_limits.SMOKE, speed_limits.QUICK, speed_limits.PAPER):
        assert config.turns % speed_limits.TURNS == 0


def test_rates_are_counts_over_seconds(monkeypatch):
    ticks = iter(range(1000))
    monkeypatch.setattr(speed_limits.time, "perf_counter", lambda: 2.0 * next(ticks))
    config = speed_limits.SMOKE
    rates = speed_limits.run(config)["rate"]
    cores = speed_limits.cores()
    expected = {"copied_bytes": config.copied}
    if available():
        expected["multiply_adds"] = 192 * config.turns
        expected["normals"] = 128 * config.steps
    for name, count in expected.items():
        np.testing.assert_allclose(rates.sel(limit=name), cores * count / 2)


def test_exponents_are_those_of_the_larger_half():
    sizes = 2.0 ** np.arange(4, 12)
    grown = 1e-3 + 1e-6 * sizes**2
    assert speed_sizes.exponent(sizes, 7 * sizes**1.5) == pytest.approx(1.5)
    assert 1.9 < speed_sizes.exponent(sizes, grown) < 2
    grown[-2:] = np.nan
    assert 1.8 < speed_sizes.exponent(sizes, grown) < 2
    assert np.isnan(speed_sizes.exponent(sizes[:2], sizes[:2]))


def test_a_series_ends_where_it_gets_too_long_or_large(monkeypatch):
    sizes_tried = []

    def cost(task, neurons, length, calls, longest):
        assert (calls, longest) == (1, 0.3)
        sizes_tried.append((task, neurons, length))
        if task == "layer" and length == 2**10:
            return [np.inf, np.inf]  # ended by the system
        return [1e-6 * neurons * length, 5.0 + 8.0 * neurons**2]

    monkeypatch.setattr(speed_sizes, "_in_a_process", cost)
    config = speed_sizes.Config((4, 8), (8, 11), 1, 1, 0.3, 8 * 128**2)
    data = speed_sizes.run(config)
    loss = data.sel(task="loss", axis="neurons").dropna("place")
    assert loss["size"].values.tolist() == [16, 32, 64, 128, 256]  # 300 steps each
    np.testing.assert_allclose(loss["seconds"], 3e-4 * loss["size"])
    np.testing.assert_allclose(loss["memory"], 8 * (loss["size"] ** 2 - 4))
    longest = data.sel(task="moments", axis="length").dropna("place")
    assert longest["size"].values.tolist() == [2**8]  # 256 neurons are too large
    assert ("layer", 256, 2**8) in sizes_tried
    assert ("layer", 256, 2**9) not in sizes_tried
    assert all(variable.attrs["units"] for variable in data.data_vars.values())
    grown = data.sel(task="loss", axis="neurons")
    assert float(grown["seconds_power"]) == pytest.approx(1)
    assert float(grown["memory_power"]) == pytest.approx(2, abs=0.01)
    text = bench.conclusions({"speed_sizes": data})
    powers = [float(power) for power in data["seconds_power"].sel(task="loss")]
    assert f"loss: time grows as neurons^1.00, length^{powers[1]:.2f}" in text


def test_a_size_that_fails_says_which_and_why():
    with pytest.raises(
        RuntimeError, match=r"loss of 4 neurons, 1 steps: .*need length >= 2"
    ):
        speed_sizes._in_a_process("loss", 4, 1, 1, 9.0)


def test_a_size_that_the_system_ends_costs_without_end(monkeypatch):
    ended = SimpleNamespace(returncode=-signal.SIGKILL)
    monkeypatch.setattr(command.subprocess, "run", lambda *_, **__: ended)
    assert speed_sizes._in_a_process("loss", 4, 1, 1, 9.0) == [np.inf, np.inf]


@pytest.mark.parametrize("task", speed_sizes.TASKS)
@pytest.mark.sampled(2)
def test_every_task_is_as_large_as_its_sizes_say(task):
    seconds, peak = speed_sizes.measure(task, 4, 16, 1, 9.0)
    assert seconds > 0
    assert peak > 2**20


@pytest.mark.parametrize(("longest", "calls"), [(0.0, 1), (9.0, 5)])
def test_a_call_that_takes_too_long_is_the_last(longest, calls, monkeypatch):
    sizes = []
    slow = speed_sizes.Task(lambda *size: lambda: sizes.append(size), 4, 16, False)
    monkeypatch.setitem(speed_sizes.TASKS, "loss", slow)
    speed_sizes.measure("loss", 4, 16, 5, longest)
    assert len(sizes) == 1 + calls  # the first one compiles


def test_a_command_is_run_whole_and_must_end_well(monkeypatch):
    data = speed_commands.run(speed_commands.SMOKE)
    assert (data["seconds"] > 0.05).all()
    assert (data["imports"] > 0.05).all()
    with pytest.raises(speed_commands.subprocess.CalledProcessError):
        speed_commands.run(speed_commands.Config(("show nothing",), 1))


def test_the_command_measures_prints_and_writes(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path / "results"))
    monkeypatch.setattr(speed_limits, "QUICK", speed_limits.SMOKE)
    target = tmp_path / "speeds.json"
    options = ["bench", "--quick", "--part", "speed_limits", "--json", str(target)]
    answer = CliRunner().invoke(app, options)
    assert answer.exit_code == 0, answer.output
    assert "copied bytes:" in answer.output
    result = json.loads(target.read_text())
    assert result["comparisons"] == []
    assert result["limits"]["copied_bytes"] > 0


def test_an_unknown_part_is_refused():
    answer = CliRunner().invoke(app, ["bench", "--part", "speed"])
    assert answer.exit_code == 2
    assert "need --part in speed_limits, speed_moments" in answer.output
