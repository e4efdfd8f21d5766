"""What a training wrote before its code moved into a room of its own is still of use.

``data`` has files of the parent of the commit "Move what numbers rest on into a room of
its own": the checkpoint of a training that was killed half way, zipped, and what the same
training left at its end.  It is the training of ``test_runs``.
"""

import gzip
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from sigprop.networks.files import read
from sigprop.training.checkpoints import read_checkpoint
from sigprop.training.runs import (
    ABOUT,
    CHECKPOINT,
    CURVES,
    NETWORK,
    RESULT,
    run,
    trained,
)
from sigprop.training.supervised import evaluate
from tests.sigprop.training.test_runs import JOB
from tests.sigprop.training.test_supervised import DATA

OLD = Path(__file__).with_name("data")
KILLED = 2  # segments before the end of the process


@pytest.fixture
def stopped(tmp_path):
    """The folder of the old training as its process left it."""
    shutil.copy(OLD / ABOUT, tmp_path)
    packed = (OLD / f"{CHECKPOINT}.gz").read_bytes()
    (tmp_path / CHECKPOINT).write_bytes(gzip.decompress(packed))
    return tmp_path


@pytest.fixture
def finished(tmp_path):
    """The folder of the same training at its end."""
    for name in (ABOUT, CURVES, NETWORK, RESULT):
        shutil.copy(OLD / name, tmp_path)
    return tmp_path


def curves(folder):
    with np.load(folder / CURVES) as stored:
        return dict(stored)


def test_an_old_training_goes_on_to_the_end_that_it_had(stopped):
    calls = []
    result = run(JOB, DATA, stopped, progress=lambda done, last: calls.append(done))
    assert calls == list(range(KILLED, JOB.recipe.segments + 1))
    ours, theirs = curves(stopped), curves(OLD)
    assert ours.keys() == theirs.keys()
    for name in theirs:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-3, err_msg=name)
    for name in ("loss", "gradient_norm"):  # taken from the checkpoint, not made again
        np.testing.assert_array_equal(ours[name][:KILLED], theirs[name][:KILLED])
    ours, theirs = read(stopped / NETWORK), read(OLD / NETWORK)
    assert ours[1] == theirs[1]
    assert ours[0].keys() == theirs[0].keys()
    for name, array in theirs[0].items():
        np.testing.assert_allclose(ours[0][name], array, rtol=1e-3, atol=1e-5)
    stored = json.loads((OLD / RESULT).read_text())
    assert result["best_step"] == stored["best_step"]
    assert result["test_loss"] == pytest.approx(stored["test_loss"], rel=1e-3)


def test_an_old_network_is_read_and_answers_as_it_did(finished):
    stored = json.loads((OLD / RESULT).read_text())
    network, state = trained(finished)
    score = evaluate(network, state, DATA.test, JOB.recipe.batch)
    assert score.loss == pytest.approx(stored["test_loss"], rel=1e-4)
    assert score.accuracy == stored["test_accuracy"]


def test_an_old_training_that_is_done_is_not_done_again(finished):
    def fail_if_called(done, last):
        raise AssertionError("trained again")

    result = run(JOB, DATA, finished, progress=fail_if_called)
    assert result == json.loads((OLD / RESULT).read_text())


def test_a_checkpoint_from_before_the_checksums_says_so(stopped):
    path = stopped / CHECKPOINT
    np.savez(path, **read_checkpoint(path))  # all that there was
    before = path.read_bytes()
    message = (
        r"checkpoint\.npz was written by an early sigprop 0\.1\.0, which wrote no "
        "checksums; end the training with that version, or delete the file to start over"
    )
    with pytest.raises(ValueError, match=message):
        run(JOB, DATA, stopped)
    assert path.read_bytes() == before
    path.unlink()
    calls = []
    run(JOB, DATA, stopped, progress=lambda done, last: calls.append(done))
    assert calls[0] == 0
