"""The check of a GPU, on a CPU: its parts, its record, and what it says is wrong."""

import dataclasses
import functools
import json
import os
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

from sigprop.experiments import command, gpu_check, store
from sigprop.neuron import gpu, gpu_kernel

SMOKE = gpu_check.SMOKE
SIZES = dataclasses.asdict(SMOKE)
SLOW = {"gates", "scans", "Hessian", "training", "verify"}


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    """Kernels that are interpreted soon."""
    monkeypatch.setattr(gpu_kernel, "LANES", 8)
    blocks = dict.fromkeys(gpu_kernel.NEURONS, 4)
    monkeypatch.setattr(gpu_kernel, "NEURONS", blocks)


@pytest.fixture
def results(tmp_path, monkeypatch):
    monkeypatch.setenv("SIGPROP_RESULTS", str(tmp_path))
    monkeypatch.setattr(store, "_commit", lambda: "0" * 40)
    return tmp_path


def numbers(name):
    """Answers of a part that are all different."""
    shapes = {
        "limits": {"limit": (2, 2)},
        "gates": {"apart": (2, 2), "draws_apart": (2,)},
        "closed forms": {"score": (2, 4)},
        "rates": {"rate": (2, 2)},
        "scans": {"scan_seconds": (2, 2, 2)},
        "Hessian": {"hessian_seconds": (2,)},
        "training": {"step_seconds": (3, 2)},
        "verify": {"claims": (2,)},
    }
    about = {"device": "a device", "platform": "gpu"}
    if name == "environment":
        return about
    draws = np.random.default_rng(len(name))
    return {
        variable: draws.uniform(1e-16, 2e-16, shape).tolist()
        for variable, shape in shapes[name].items()
    }


@pytest.fixture
def parts(monkeypatch):
    """Answer without measuring; what was asked, and what fails by the name of a part."""
    asked, failing = [], {}

    def answer(study, name, sizes, where, limit):
        assert (study, sizes) == (gpu_check.STUDY, SIZES)
        slower = gpu_check.SLOWER if name == "environment" else 1
        assert limit == gpu_check.PARTS[name].limit * slower
        assert where == ("gpu" if name != "environment" else "")
        asked.append(name)
        if name in failing:
            raise failing[name]
        return numbers(name) | {"said": []}

    monkeypatch.setattr(gpu_check, "measured_alone", answer)
    return asked, failing


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name in SLOW else ())
        for name in gpu_check.PARTS
    ],
)
def test_every_part_is_measured_on_a_cpu(name):
    answers = gpu_check.measure(name, SIZES, "cpu")
    assert answers.pop("said") == []
    assert json.loads(json.dumps(answers)) == answers
    parts = {part: {"seconds": 1.0} for part in gpu_check.PARTS}
    record = {"parts": parts | {name: {"seconds": 1.0, "answers": answers}}}
    data = gpu_check.dataset(SMOKE, record)
    for variable, values in answers.items():
        if name != "environment":
            assert np.shape(values) == data[variable].shape
            assert np.isfinite(data[variable]).all()
    assert gpu_check.failures(data.assign_attrs(record=json.dumps(record))) == []


def test_the_kernel_and_its_draws_are_compared_with_the_scan(monkeypatch):
    def shifted(key, index, dtype):
        return normal(key, index + 1, dtype)

    normal: Any = gpu_kernel.normal
    looks: Any = gpu_kernel.looks
    assert gpu_check._draws_apart(np.float32) <= gpu.CLOSE["f"]
    monkeypatch.setattr(gpu_kernel, "normal", shifted)
    # A new function, as JAX remembers what it has compiled.
    anew = functools.wraps(looks)(lambda *all, **options: looks(*all, **options))
    monkeypatch.setattr(gpu_kernel, "looks", anew)
    assert gpu_check._draws_apart(np.float32) > 0.1


def test_all_parts_fit_in_eight_minutes():
    limits = [part.limit for part in gpu_check.PARTS.values()]
    assert sum(limits) <= gpu_check.TOTAL == 8 * 60


def test_an_interruption_loses_one_part(results, parts):
    asked, failing = parts
    failing["rates"] = KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        gpu_check.run(SMOKE)
    names = list(gpu_check.PARTS)
    done = names.index("rates")
    assert asked == names[: done + 1]
    record = json.loads(gpu_check.file(SMOKE).read_text())
    assert list(record["parts"]) == names[:done]
    failing.clear()
    data = gpu_check.run(SMOKE)
    assert asked[done + 1 :] == names[done:]
    for name in names[1:]:
        for variable, values in numbers(name).items():
            np.testing.assert_array_equal(data[variable], values)
    assert json.loads(gpu_check.file(SMOKE).read_text()) == json.loads(
        data.attrs["record"]
    )


def test_a_part_that_fails_says_so_and_is_tried_again(results, parts):
    asked, failing = parts
    failing |= {"gates": RuntimeError("no Triton"), "scans": TimeoutError("too long")}
    data = gpu_check.run(SMOKE)
    assert asked == list(gpu_check.PARTS)
    assert np.isnan(data["apart"]).all()
    assert np.isfinite(data["rate"]).all()
    lines = gpu_check.failures(data)
    assert {"gates: no Triton", "scans: too long"} <= set(lines)
    failing.clear()
    del asked[:]
    data = gpu_check.run(SMOKE)
    assert asked == ["gates", "scans"]
    assert np.isfinite(data["apart"]).all()


@pytest.mark.parametrize("change", ["commit", "whole", "damaged"])
def test_a_record_of_other_code_or_of_a_whole_check_is_not_gone_on_with(
    change, results, parts, monkeypatch
):
    asked, failing = parts
    failing |= {} if change == "whole" else {"verify": RuntimeError("no")}
    gpu_check.run(SMOKE)
    if change == "commit":
        monkeypatch.setattr(store, "_commit", lambda: "1" * 40)
    if change == "damaged":
        gpu_check.file(SMOKE).write_text("{")
    del asked[:]
    gpu_check.run(SMOKE)
    assert asked == list(gpu_check.PARTS)


def data_with(**changes):
    """The result of a check that went well but for some variables."""
    record = {
        "parts": {
            name: {"seconds": 1.0, "answers": numbers(name)} for name in gpu_check.PARTS
        }
    }
    data = gpu_check.dataset(SMOKE, record)
    data["claims"].values[:] = 24
    for name, (index, value) in changes.items():
        data[name].values[index] = value
    return data


WRONG = {
    "nothing": ({}, []),
    "a gate": ({"apart": ((0, 1), 2e-5)}, ["apart: beyond what is allowed"]),
    "a precise gate": ({"apart": ((1, 0), 2e-12)}, ["apart: beyond what is allowed"]),
    "no number": (
        {"draws_apart": (0, np.inf)},
        ["draws_apart: beyond what is allowed"],
    ),
    "a moment": (
        {"score": ((1, 2), -5.5)},
        ["score: a moment is more than 5 standard errors off"],
    ),
    "a claim": ({"claims": (1, 23)}, ["claims: 1 of 24 not as expected"]),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_what_is_wrong_is_told(wrong):
    changes, lines = WRONG[wrong]
    assert gpu_check.failures(data_with(**changes)) == lines


def test_lines_of_a_kernel_that_is_not_used_are_told(monkeypatch):
    gpu.say.cache_clear()

    def speaks(config, where):
        gpu.say("it needs compute capability 8.0, got 7.5")
        return {"limit": []}

    part = gpu_check.Part(1.0, speaks)
    monkeypatch.setitem(gpu_check.PARTS, "limits", part)
    (line,) = gpu_check.measure("limits", SIZES, "gpu")["said"]
    assert line.endswith("a slower scan is: it needs compute capability 8.0, got 7.5")
    gpu.say.cache_clear()


def test_the_medians_and_the_file_to_send_are_shown(results, capsys):
    data = data_with(limit=((1, slice(None)), 3e13))
    config = store.canonical(SMOKE)
    gpu_check.show(data.assign_attrs(config=config))
    output = capsys.readouterr().out
    assert "Check of a device" in output
    assert "limit multiply adds" in output
    assert "3e+13" in output
    assert "hessian seconds" in output
    assert "everything is as it should be" in output
    assert f"please send {gpu_check.file(SMOKE)}" in output.replace("\n", "")


def test_a_process_that_takes_too_long_is_ended():
    with pytest.raises(TimeoutError, match=r"more than its limit of 0\.01 s"):
        command.measured_alone("gpu_check", "environment", SIZES, "", limit=0.01)


def test_whoever_starts_the_parts_takes_no_memory_of_the_gpu():
    """A device that cannot be is asked for when JAX starts one."""
    subprocess.run(
        [sys.executable, "-c", "import sigprop.experiments.gpu_check"],
        env={**os.environ, "JAX_PLATFORMS": "none"},
        check=True,
    )


@pytest.mark.slow
def test_the_script_measures_and_stores_all_parts(results):
    process = subprocess.run(
        [sys.executable, "-m", "sigprop.experiments.gpu_check", "--preset", "smoke"],
        env={**os.environ, "SIGPROP_RESULTS": str(results)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "please send" in process.stdout
    data = store.load(gpu_check.STUDY, gpu_check.VERSION, SMOKE)
    assert list(json.loads(data.attrs["record"])["parts"]) == list(gpu_check.PARTS)
