"""Examples come in an order that is random, complete and the same after a restart."""

import numpy as np
import pytest

from sigprop.tasks.examples import (
    Examples,
    accuracy,
    evaluation_batches,
    split,
    training_batch,
)

COUNT = 23
PART = Examples(
    np.arange(COUNT * 4).reshape(COUNT, 4), np.full(COUNT, 3), np.arange(COUNT) % 5
)


def rows(batch):
    return (batch.inputs[:, 0] // 4).tolist()


def test_an_epoch_has_every_example_once_but_the_unfinished_batch():
    indices = [
        row for step in range(4) for row in rows(training_batch(PART, 5, 0, step))
    ]
    assert len(set(indices)) == 20


def test_order_depends_on_seed_and_epoch_alone():
    first = rows(training_batch(PART, 5, 0, 2))
    assert rows(training_batch(PART, 5, 0, 2)) == first
    assert rows(training_batch(PART, 5, 1, 2)) != first
    assert rows(training_batch(PART, 5, 0, 6)) != first


def test_evaluation_sees_all_in_order_in_one_shape():
    batches = list(evaluation_batches(PART, 5))
    assert {batch.inputs.shape for batch in batches} == {(5, 4)}
    indices = [row for batch in batches for row in np.array(rows(batch))[batch.valid]]
    assert indices == list(range(COUNT))
    assert batches[-1].valid.sum() == 3


def test_accuracy_counts_examples_and_not_what_fills():
    batch = list(evaluation_batches(PART, 5))[-1]
    scores = np.eye(5)[batch.labels]
    assert accuracy(scores, batch) == (3, 3)
    assert accuracy(-scores, batch) == (0, 3)
    with pytest.raises(ValueError, match="scores for each of 5 examples, got 1"):
        accuracy(scores[:1], batch)


def test_splits_are_disjoint_complete_and_fixed():
    parts = split(100, (0.8, 0.1, 0.1))
    assert [len(part) for part in parts] == [80, 10, 10]
    assert sorted(np.concatenate(parts)) == list(range(100))
    np.testing.assert_array_equal(parts[0], split(100, (0.8, 0.1, 0.1))[0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Examples(PART.inputs, PART.lengths[1:], PART.labels), "23, 22 and 23"),
        (
            lambda: Examples(PART.inputs, PART.lengths + 2, PART.labels),
            "need lengths from 1 to 4, got 5 to 5",
        ),
        (lambda: training_batch(PART, 24, 0, 0), "a batch of 1 to 23 examples, got 24"),
        (lambda: split(10, (0.5, 0.4)), "add up to one"),
        (lambda: split(2, (0.8, 0.1, 0.1)), "an example in every part"),
    ],
)
def test_what_cannot_be_is_refused(make, message):
    with pytest.raises(ValueError, match=message):
        make()
