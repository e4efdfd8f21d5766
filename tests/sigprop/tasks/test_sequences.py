"""Sequences of vectors: what is drawn has its autocovariance, what is read is checked."""

import numpy as np
import pytest

from sigprop.audit.autocovariance import autocovariance
from sigprop.inputs import Mixed
from sigprop.tasks.sequences import (
    EMBEDDINGS,
    embeddings,
    listops_sequences,
    stand_in,
    table_sequences,
)
from sigprop.tasks.tables import carbon_dioxide

FAR = 5.0  # standard errors


@pytest.mark.parametrize("seed", [0, 3])
def test_stand_in_has_the_autocovariance_of_the_paper(seed):
    sequences = stand_in(64, 128, 24, seed)
    assert (sequences.number, sequences.steps, sequences.width) == (64, 128, 24)
    each = autocovariance(sequences, draws=40).each
    lags = [0, 1, 10, 100]
    exact = np.array([0.376, *(0.044 * 0.997 ** np.array(lags[1:]))])
    sem = each.std(0, ddof=1)[lags] / 8
    off = np.abs(each.mean(0)[lags] - exact) / sem
    assert off.max() < FAR
    assert (np.abs(each.mean(0)[lags] - 2 * exact) / sem).min() > FAR
    assert Mixed(0.332, 0.044, 0.997) == EMBEDDINGS


def test_a_drawn_sequence_does_not_depend_on_those_beside_it():
    sequences = stand_in(10, 16, 3, seed=1)
    together = sequences.take(2, 6)
    alone = np.concatenate([sequences.take(index, 1) for index in range(2, 8)])
    np.testing.assert_array_equal(together, alone)
    assert np.abs(together[0] - together[1]).max() > 0.1
    assert np.abs(stand_in(10, 16, 3, seed=2).take(2, 6) - together).max() > 0.1


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_embeddings_are_those_of_the_file(tmp_path, dtype):
    values = np.random.default_rng(0).normal(size=(5, 7, 3)).astype(dtype)
    np.save(tmp_path / "text.npy", values)
    sequences = embeddings(tmp_path / "text.npy", 3, count=4, steps=6)
    assert sequences[:4] == ("text", 4, 6, 3)
    taken = sequences.take(1, 2)
    assert taken.dtype == np.float32
    np.testing.assert_array_equal(taken, values[1:3, :6].astype(np.float32))
    with pytest.raises(ValueError, match="need sequences between 0 and 4, got 3 to 5"):
        sequences.take(3, 2)


def _holed():
    values = np.ones((3, 4, 2))
    values[2, 1, 0] = np.nan
    return values


@pytest.mark.parametrize(
    ("values", "options", "message"),
    [
        (np.ones((2, 3, 4)), {"width": 5}, "need embeddings of width 5, got 4"),
        (np.zeros((0, 3, 4)), {}, r"none of them zero, got \(0, 3, 4\)"),
        (np.ones((3, 4)), {}, r"need embeddings of shape .* got \(3, 4\)"),
        (np.full((2, 3, 4), 0.5), {}, "need embeddings that vary, got 0.5 everywhere"),
        (_holed(), {}, "finite embeddings, got nan in sequence 2, step 1, feature 0"),
        (np.ones((2, 3, 4), int), {}, "need real embeddings, .* got int64"),
        (np.ones((2, 3, 4)), {"count": 3}, "need 3 sequences of 3 steps, got 2 of 3"),
        (np.array([None]), {}, "need a whole .npy file of plain numbers"),
    ],
)
def test_bad_embeddings_get_one_line(tmp_path, values, options, message):
    np.save(tmp_path / "bad.npy", values, allow_pickle=True)
    with pytest.raises(ValueError, match=message) as error:
        embeddings(tmp_path / "bad.npy", **options)
    assert "\n" not in str(error.value)


def test_a_cut_and_a_missing_file_get_one_line(tmp_path):
    file = tmp_path / "whole.npy"
    np.save(file, np.random.default_rng(0).normal(size=(4, 4, 4)))
    cut = tmp_path / "cut.npy"
    cut.write_bytes(file.read_bytes()[:200])
    with pytest.raises(ValueError, match="cut short"):
        embeddings(cut)
    with pytest.raises(FileNotFoundError, match="found none at"):
        embeddings(tmp_path / "none.npy")


def test_expressions_are_one_hot_about_their_mean():
    sequences = listops_sequences(3, 40, seed=1)
    assert sequences[:4] == ("ListOps", 3, 40, 18)
    taken = sequences.take(0, 3)
    np.testing.assert_allclose(taken.mean((0, 1)), 0, atol=1e-6)
    np.testing.assert_allclose(np.ptp(taken, axis=(0, 1))[3:].max(), 1, rtol=1e-6)
    np.testing.assert_allclose(taken.max(2) - np.median(taken, 2), 1, atol=0.3)
    with pytest.raises(ValueError, match="of at least 1500 tokens, got one of"):
        listops_sequences(3, 1500, seed=1)


def test_windows_of_a_table_are_side_by_side():
    sequences = table_sequences(carbon_dioxide(), 100)
    assert (sequences.number, sequences.steps, sequences.width) == (22, 100, 1)
    values = sequences.take(0, 22).reshape(-1)
    assert np.ptp(values[:1000]) > 0.1
    step = np.abs(np.diff(values))
    assert step.max() < 0.5 * np.ptp(values)  # no jump where two windows meet
    with pytest.raises(ValueError, match="need at least 5000 rows"):
        table_sequences(carbon_dioxide(), 5000)
