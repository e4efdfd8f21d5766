import dataclasses
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import xarray as xr
from typer.testing import CliRunner

from sigprop.cli.main import app
from sigprop.experiments import command, store, studies, sweep, workers
from sigprop.experiments.teacher_student import cells, gathering, grids
from sigprop.numerics.devices import default_device
from sigprop.numerics.interruption import INTERRUPTED
from sigprop.theory.teacher import runs
from tests.kept import own_programs

ROOT = Path(__file__).parents[2]
SWEEP = "agreement"  # the least of them


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """A sweep that nothing interrupted: its folder."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SIGPROP_RESULTS", str(folder))
        sweep.run(SWEEP, "smoke")
    return folder


@pytest.fixture
def stored(undisturbed, tmp_path, monkeypatch):
    """A copy of its folder, to damage."""
    for file in undisturbed.glob("*.nc"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    return tmp_path


def cell_files(folder):
    return sorted(folder.glob("teacher_student-*.nc"))


def test_the_grids_are_those_of_the_tables():
    assert len(studies.grid("memory_gap", "paper")) == sum(runs(1)) == 1190
    ablation = grids.SWEEPS["ablation"]("paper")
    assert [len(group) for group in ablation.values()] == [120, 120, 120, 50, 50]
    assert sum(map(len, list(ablation.values())[:3])) == runs(2)[0]
    assert len(studies.grid("concentration", "paper")) == sum(runs(3))
    heads = grids.SWEEPS["heads"]("paper")
    assert {cell.heads for cells in heads.values() for cell in cells} == {
        *(1, 2, 4, 8, 16, 32)
    }
    rates = {cell.log_rate for cell in grids.SWEEPS["memory_gap"]("paper")["LRU"]}
    assert rates == {-2.5, -2, -1.5, -1, -0.5}
    more = ablation["more neurons"][0]
    assert (more.hidden, more.heads) == (128, 64)


@pytest.mark.parametrize(("name", "study"), studies.sweeps().items())
def test_shards_share_the_chunks_of_a_sweep(name, study):
    cells = studies.part(study, "cells")
    chunks = sweep.chunks(name, "paper")
    parts = [sweep.chunks(name, "paper", (i, 3)) for i in range(3)]
    assert sorted(str(part_chunk) for part in parts for part_chunk in part) == sorted(
        map(str, chunks)
    )
    all_cells = [cell for chunk in chunks for cell in chunk.cells]
    assert sorted(map(str, all_cells)) == sorted(map(str, studies.grid(name, "paper")))
    for chunk in chunks:
        assert len({cells.shape(cell) for cell in chunk.cells}) == 1


def test_students_of_a_seed_meet_one_teacher():
    first, second = (
        cells.prepare(cells.Config(name, -2.0, seed=4, hidden=4, teacher=3, length=9))[
            1
        ]
        for name in ("rnn", "lru")
    )
    np.testing.assert_array_equal(first.target, second.target)


def test_cells_are_whole_and_gathered(undisturbed, stored):
    assert sweep.count(SWEEP, "smoke") == (8, 8)
    assert len(cell_files(stored)) == 8
    assert not list((undisturbed / "checkpoints").iterdir())
    table = store.load_preset(SWEEP, "smoke")
    assert table.attrs["complete"] == 1
    assert table.sizes["cell"] == 8
    for index, config in enumerate(studies.grid(SWEEP, "smoke")):
        own = store.load("teacher_student", cells.VERSION, config)
        assert own.attrs["batching"] == f"vmap over {2} cells"
        assert own.attrs["preset"] == "smoke"
        assert own.attrs["device"] == default_device()
        assert own.attrs["config"] == store.canonical(config)
        np.testing.assert_array_equal(own["curve"], table["curve"][index])
    assert "lru" not in sweep.findings(store.preset_path(SWEEP, "smoke"))


def test_a_gathered_result_stands_in_for_its_cells(stored, monkeypatch):
    for file in cell_files(stored):
        file.unlink()
    assert sweep.count(SWEEP, "smoke") == (8, 8)
    monkeypatch.setattr(cells, "run_cells", None)  # nothing is trained
    assert sweep.run(SWEEP, "smoke") == store.preset_path(SWEEP, "smoke")


def test_what_is_lost_is_made_again_and_equal(undisturbed, stored):
    gathered_file = store.preset_path(SWEEP, "smoke")
    gathered_file.unlink()
    victim = cell_files(stored)[3]
    victim.unlink()
    before = {path: path.stat().st_mtime_ns for path in cell_files(stored)}
    assert sweep.count(SWEEP, "smoke") == (7, 8)
    partial = store.read(sweep.gather(SWEEP, "smoke"))
    assert (partial.attrs["complete"], partial.sizes["cell"]) == (0, 7)
    shares = []
    file = sweep.run(SWEEP, "smoke", report=shares.append)
    assert shares[-1] == 1
    assert file.name == gathered_file.name
    assert [path.name for path in stored.glob(f"{SWEEP}-*.nc")] == [file.name]
    xr.testing.assert_equal(store.read(victim), store.read(undisturbed / victim.name))
    # The other student of its chunk was trained again too, and was not written again.
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_chunks_are_stored_under_the_preset_that_was_asked_for(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    calls = []
    monkeypatch.setattr(store, "save", lambda *args, **more: calls.append((args, more)))
    chunk = sweep.chunks(SWEEP, "smoke")[0]
    monkeypatch.setattr(cells, "run_cells", lambda configs, *rest: [*map(str, configs)])
    for preset in ("quick", "paper"):
        assert sweep.run_chunk(dataclasses.replace(chunk, preset=preset))
    expected = [("quick", cell) for cell in chunk.cells] + [
        ("paper", cell) for cell in chunk.cells
    ]
    for (args, more), (preset, config) in zip(calls, expected, strict=True):
        assert args == ("teacher_student", cells.VERSION, config, str(config))
        assert more["preset"] == preset
        assert more["batching"] == f"vmap over {len(chunk.cells)} cells"


def test_versions_of_cells_and_of_how_they_are_gathered_make_one(monkeypatch):
    for base, own, wanted in ((3, 7, 3007), (12, 0, 12000), (1, 999, 1999)):
        monkeypatch.setattr(cells, "VERSION", base)
        monkeypatch.setattr(gathering, "VERSION", own)
        config, version = studies.definition(SWEEP, "smoke")
        assert version == wanted
        assert config.finished == len(studies.grid(SWEEP, "smoke"))


@pytest.mark.parametrize("step", [-1, 1])
def test_gathered_results_of_another_version_of_the_cells_are_not_read(stored, step):
    """They may be laid out in another way: here cells have no names."""
    config, version = studies.definition(SWEEP, "smoke")
    table = store.load_preset(SWEEP, "smoke").drop_vars("key")
    about = {"preset": "smoke", "complete": 1, "details": 0}
    store.save(SWEEP, version + 1000 * step, config, table, **about)
    assert sweep.count(SWEEP, "smoke") == (8, 8)
    for file in cell_files(stored):
        file.unlink()
    assert sweep.count(SWEEP, "smoke") == (8, 8)


def test_damaged_cells_are_set_aside(stored):
    store.preset_path(SWEEP, "smoke").unlink()
    victim = cell_files(stored)[0]
    victim.write_bytes(victim.read_bytes()[:-1000])
    ((aside, message),) = sweep.damaged(SWEEP, "smoke")
    assert aside.is_file()
    assert "is damaged" in message
    assert "sigprop sweep run" in message
    assert sweep.count(SWEEP, "smoke") == (7, 8)
    assert not list(sweep.damaged(SWEEP, "smoke"))


def test_a_rate_that_diverges_everywhere_is_said_so():
    config = cells.Config("rnn", 3.0, 0, hidden=4, teacher=3, length=20, steps=50)
    (result,) = cells.run_cells([config])
    assert result.attrs["diverged"] >= 0
    assert gathering.final_loss(result) == float("inf")


def test_the_best_cell_has_the_least_median(stored):
    results = {}
    for config in studies.grid("memory_gap", "smoke"):
        # Two seeds: the rate of -3.5 has the lesser median, that of -4 the least cell.
        bad = config.log_rate != -3.5 if config.architecture == "rnn" else False
        loss = (0.01, 9.0)[config.seed] if bad else 1.0 + config.seed
        result = store.load("teacher_student", 1, studies.grid(SWEEP, "smoke")[0])
        result["population"][-1] = loss
        if config.start_nu0 == 0.0:
            result.attrs["diverged"] = 3
        results[str(config)] = result
    table = gathering.gather("memory_gap", "smoke", str, results)
    assert (table["best_log_rate"].sel(student="RNN") == -3.5).all()
    assert (table["best_start"].sel(student="RNN") == "teacher").all()
    np.testing.assert_allclose(table["best"].sel(student="RNN"), [[1, 2], [1, 2]])
    assert (table["extreme"] == 1).all()


def test_bad_input_is_refused(stored, monkeypatch):
    with pytest.raises(ValueError, match=r"need a sweep in .*memory_gap.*got 'other'"):
        sweep.run("other")
    with pytest.raises(ValueError, match=r"need a preset in smoke.*got 'big'"):
        sweep.run(SWEEP, "big")
    with pytest.raises(ValueError, match=r"need a shard i/n with 0 <= i < n, got 3/3"):
        sweep.chunks(SWEEP, "smoke", (3, 3))
    with pytest.raises(ValueError, match="need no --force for agreement"):
        command.make(SWEEP, "smoke", force=True)
    with pytest.raises(ValueError, match=r"need steps in multiples of 50, got 70"):
        cells.Config("lru", -2.0, 0, steps=70)
    with pytest.raises(ValueError, match="heads that divide the 64 neurons, got 3"):
        cells.Config("rnn", -2.0, 0, heads=3)
    with pytest.raises(ValueError, match=r"need an architecture in .*got 'gru'"):
        cells.Config("gru", -2.0, 0)
    with pytest.raises(ValueError, match="need cells of one shape, got 2 shapes"):
        cells.run_cells([cells.Config("lru", -2.0, 0), cells.Config("rnn", -2.0, 0)])
    with pytest.raises(
        ValueError, match=r"need a sweep in memory_gap, starts.*got 'teach"
    ):
        studies.grid("teacher_student", "smoke")
    monkeypatch.setitem(grids.SWEEPS, SWEEP, lambda preset: {"RNN": []})
    with pytest.raises(ValueError, match="need at least one cell, the grid of"):
        studies.grid(SWEEP, "smoke")


def test_results_of_another_version_are_not_taken_for_these(stored, monkeypatch):
    monkeypatch.setattr(cells, "VERSION", cells.VERSION + 1)
    assert sweep.count(SWEEP, "smoke") == (0, 8)
    assert len(cell_files(stored)) == 8


def _start(folder, *options):
    return subprocess.Popen(
        [
            *(sys.executable, "-m", "sigprop", "sweep", "run", SWEEP),
            *("--preset", "smoke", *options),
        ],
        cwd=ROOT,
        env={
            **own_programs(folder.with_name("programs")),
            "SIGPROP_RESULTS": str(folder),
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _survives(folder, undisturbed, options, kill):
    """Kill a sweep until it has been killed enough, finish it, compare everything."""
    kill(folder, options)
    assert _start(folder, *options).wait(timeout=300) == 0
    names = [file.name for file in cell_files(folder)]
    assert names == [file.name for file in cell_files(undisturbed)]
    for name in names:
        xr.testing.assert_equal(
            store.read(folder / name), store.read(undisturbed / name)
        )
    assert not list(folder.glob("*.partial"))


def _kill_the_driver(times, seconds, kind=signal.SIGKILL):
    ends = {0, -kind if kind == signal.SIGKILL else INTERRUPTED}

    def kill(folder, options):
        for _ in range(times):
            process = _start(folder, *options)
            moment = random.uniform(*seconds)
            time.sleep(moment)
            process.send_signal(kind)
            assert process.wait() in ends, f"{kind!r} after {moment:.1f} s"

    return kill


@pytest.mark.slow
def test_a_killed_sweep_goes_on(tmp_path, undisturbed):
    _survives(tmp_path, undisturbed, (), _kill_the_driver(1, (4, 8)))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [signal.SIGKILL, signal.SIGINT])
def test_a_sweep_stopped_twice_loses_and_repeats_nothing(tmp_path, undisturbed, kind):
    _survives(tmp_path, undisturbed, (), _kill_the_driver(2, (1, 15), kind))


def _workers(pid):
    """Processes below one, the deepest first."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    below = (
        [int(child) for child in children.read_text().split()]
        if children.exists()
        else []
    )
    return [deeper for child in below for deeper in (*_workers(child), child)]


def _kill_workers_and_the_driver(folder, options):
    process = _start(folder, *options)
    for _ in range(4):
        time.sleep(random.uniform(4, 9))
        if process.poll() is not None:
            return
        if chosen := _workers(process.pid):
            os.kill(random.choice(chosen), signal.SIGKILL)
    process.send_signal(signal.SIGKILL)
    process.wait()


@pytest.mark.slow
@pytest.mark.cluster
@pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc to find workers")
def test_killed_workers_and_drivers_lose_nothing(tmp_path, undisturbed):
    options = ("--workers", "2")
    _survives(tmp_path, undisturbed, options, _kill_workers_and_the_driver)


@pytest.mark.cluster
def test_an_unreachable_scheduler_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(workers, "PATIENCE", "1s")
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    with pytest.raises(
        ConnectionError, match=r"need a Dask scheduler at tcp.*dask sched"
    ):
        sweep.run(SWEEP, "smoke", scheduler="tcp://127.0.0.1:9")
    assert not list(tmp_path.glob("*"))
    with pytest.raises(ValueError, match="need --workers or --scheduler, got both"):
        sweep.run(SWEEP, "smoke", workers=1, scheduler="tcp://127.0.0.1:9")


def test_track_takes_whole_results_alone(stored, monkeypatch):
    def track(name):
        return CliRunner().invoke(app, ["sweep", "track", name])

    monkeypatch.setattr(store, "SHIPPED", stored / "tracked")
    monkeypatch.setattr(store, "_commit", lambda: "0" * 40)
    result = track(SWEEP)
    assert result.exit_code == 2
    assert f"make it with `sigprop sweep run {SWEEP} --preset paper`" in result.stderr
    assert len(result.stderr.splitlines()) == 1
    config, version = studies.definition(SWEEP, "paper")
    table = store.load_preset(SWEEP, "smoke")
    store.save(SWEEP, version, config, table, preset="paper", complete=1)
    result = track(SWEEP)
    assert result.exit_code == 0
    (file,) = (stored / "tracked").iterdir()
    assert result.stdout == f"{file}\n"
    assert command.best(SWEEP) == "paper"
