"""Nothing that is measured before a training depends on rows that are held back.

Validation and test rows are replaced by others; all that a training begins with stays.
"""

import dataclasses
import inspect

import numpy as np
import pytest

from sigprop.experiments.advised import tasks
from sigprop.tasks.baselines import least_squares
from sigprop.tasks.examples import DataSet, Examples
from sigprop.tasks.forecasts import PARTS, Forecasts
from sigprop.tasks.tables import Step, Table

ROWS, FEATURES, SEEDS = 600, 3, [0, 7]


def table(seed, rest_seed=None):
    """Correlated rows; those of validation and test are another seed's, if one is given."""
    draws = np.random.default_rng(seed)
    values = np.cumsum(draws.normal(size=(ROWS, FEATURES)), 0)
    times = np.datetime64("2020-02-28T00:00:00") + 3600 * np.arange(ROWS)
    names = tuple(f"load {k}" for k in range(FEATURES))
    data = Table("mine", times, values, names, Step(3600))
    if rest_seed is not None:
        start = Forecasts(data, 24, 24).split["validation"].start
        other = 5 + 9 * np.random.default_rng(rest_seed).normal(size=values.shape)
        changed = np.concatenate([values[:start], other[start:]])
        data = dataclasses.replace(data, values=changed)
    return data


@pytest.fixture(autouse=True)
def forgotten():
    """What was measured of other rows is not remembered."""

    def forget():
        for function in (
            tasks._data,
            tasks.forecasts,
            tasks.spectrum_of,
            tasks.advice_of,
        ):
            function.cache_clear()

    forget()
    yield forget
    forget()


@pytest.mark.parametrize("seed", SEEDS)
def test_windows_their_scale_and_the_linear_model_are_of_the_training_rows(seed):
    task, other = (
        Forecasts(table(seed, rest_seed), 24, 5) for rest_seed in (None, seed + 1)
    )
    np.testing.assert_array_equal(task.mean, other.mean)
    np.testing.assert_array_equal(task.scale, other.scale)
    start, stop = task.split["train"]
    rows = table(seed).values[start:stop]
    np.testing.assert_allclose(task.mean, rows.mean(0), rtol=1e-12)
    np.testing.assert_allclose(task.scale, rows.std(0), rtol=1e-12)
    for part in PARTS:
        pairs = zip(task.windows(part), other.windows(part), strict=True)
        same = [np.array_equal(*pair) for pair in pairs]
        assert same[:2] == [part == "train"] * 2
    for first, second in zip(least_squares(task), least_squares(other), strict=True):
        np.testing.assert_array_equal(first, second)


def parts(seed, rest_seed, tokens):
    """Examples with sequences of unequal lengths, of numbers or of tokens."""

    def sample(seed, shift):
        draws = np.random.default_rng(seed)
        shape = (40, 12) if tokens else (40, 12, 2)
        inputs = (
            draws.integers(1, 6, shape) if tokens else draws.normal(shift, 1, shape)
        )
        lengths = draws.integers(6, 12, 40, endpoint=True)
        return Examples(
            inputs.astype(np.int32 if tokens else np.float32),
            lengths.astype(np.int32),
            draws.integers(0, 2, 40).astype(np.int32),
        )

    rest = (sample(1000 + rest_seed, rest_seed), sample(2000 + rest_seed, rest_seed))
    return DataSet(sample(seed, 0), *rest, classes=2, vocabulary=7 if tokens else None)


def measured(name, forget, monkeypatch, seed, rest_seed):
    """Inputs that are measured, and what the advice is then asked with by every way."""
    forget()
    data = parts(seed, rest_seed, name == "listops-short")
    monkeypatch.setattr(tasks, "load_task", lambda *args, **more: data)
    monkeypatch.setattr(
        tasks, "load_table", lambda file: table(seed, rest_seed or None)
    )
    calls = []
    monkeypatch.setattr(tasks, "advise", lambda kind, **options: calls.append(options))
    for arm in tasks.PHASES_OF:
        inspect.unwrap(tasks.advice_of)(name, arm)
    spectra = [call.pop("spectrum").covariance for call in calls]
    return tasks.inputs_of(name), np.stack(spectra), tasks.length_of(name), calls


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", ["ETTh1", "smnist-10k", "listops-short"])
def test_the_advice_sees_no_row_that_is_held_back(name, seed, forgotten, monkeypatch):
    result, other = (
        measured(name, forgotten, monkeypatch, seed, rest_seed) for rest_seed in (0, 3)
    )
    for first, second in zip(result[:2], other[:2], strict=True):
        np.testing.assert_array_equal(first, second)
    assert result[2:] == other[2:]
    unlike = measured(name, forgotten, monkeypatch, seed + 1, 0)
    assert not np.array_equal(result[1], unlike[1])  # it does see the training rows
