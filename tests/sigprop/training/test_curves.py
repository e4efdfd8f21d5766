"""Curves of a folder's trainings are those that each of them recorded."""

import dataclasses

import numpy as np
import pytest

from sigprop.training.curves import curves
from sigprop.training.recipes import Schedule, recipe
from sigprop.training.runs import CURVES, Job, reserve, write_result
from tests.sigprop.training.test_supervised import SMALL

SCORES = dict.fromkeys(
    ("test_loss", "validation_accuracy", "parameters", "seconds"), 1.0
)


RECIPE = recipe(SMALL, Schedule(12, 10, 1e-2, 0.5), segment=4, evaluate=1)
JOB = Job("signs", "lru", "quick", 0, RECIPE)


def finished(folder, seed, segments=3, job=JOB):
    """A folder as of a finished training; what it recorded."""
    path = folder / f"seed-{seed}"
    reserve(path, dataclasses.replace(job, seed=seed))
    draws = np.random.default_rng(seed)
    records = {
        name: draws.uniform(1, 2, (segments, 4)) for name in ("loss", "gradient_norm")
    }
    records |= {"step": 4 * np.arange(1, segments + 1)}
    records |= {
        name: draws.uniform(size=segments)
        for name in ("validation_loss", "validation_accuracy")
    }
    records |= {"state_power": draws.uniform(1, 2, (segments, 2))}
    np.savez(path / CURVES, **records)
    scores = SCORES | {"best_step": 4, "test_accuracy": seed / 10}
    write_result(path, scores, [CURVES])
    return records


def test_every_finished_training_is_read_and_others_are_left_out(tmp_path):
    long, short = finished(tmp_path, 10), finished(tmp_path, 2, segments=2)
    (tmp_path / "seed-3").mkdir()
    (tmp_path / "seed-x").mkdir()
    data = curves(tmp_path)
    assert data["seed"].values.tolist() == [2, 10]
    assert data["test_accuracy"].values.tolist() == [0.2, 1.0]
    assert data["segment"].values.tolist() == [4, 4]
    for seed, records, size in ((2, short, 8), (10, long, 12)):
        selection = data.sel(seed=seed)
        for name, values in records.items():
            read = selection[name].dropna("update" if values.size == size else "look")
            np.testing.assert_array_equal(read.values.ravel(), values.ravel())
    assert data["update"].values.tolist() == list(range(1, 13))
    assert data["layer"].values.tolist() == [1, 2]


def test_nothing_finished_and_damaged_curves_are_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="need a finished training in"):
        curves(tmp_path)
    finished(tmp_path, 0)
    for content in (b"", b"x", b"PK\x03\x04"):
        (tmp_path / "seed-0" / CURVES).write_bytes(content)
        with pytest.raises(ValueError, match=r"curves\.npz as the training wrote it"):
            curves(tmp_path)
    np.savez(tmp_path / "seed-0" / CURVES, loss=np.zeros((2, 2)))
    write_result(
        tmp_path / "seed-0", SCORES | {"best_step": 4, "test_accuracy": 0.0}, [CURVES]
    )
    with pytest.raises(ValueError, match=r"curves\.npz, got something else"):
        curves(tmp_path)
