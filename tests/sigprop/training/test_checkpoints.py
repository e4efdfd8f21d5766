"""A checkpoint is read whole or refused with one error, whatever happened to it."""

import io
import random
import zipfile

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.training.checkpoints import CHECKSUM, load_checkpoint, save_checkpoint
from sigprop.training.loop import Segments, train

REFUSED = r"run\.npz is no checkpoint of this version, or damaged.*delete it to start o"
TREE = {"a": jnp.arange(6.0), "b": jnp.arange(6.0)[::-1], "key": jax.random.key(3)}
RECORDS = {"loss": [np.arange(4.0), np.ones(4)]}
ABOUT = {"seed": 3}


@pytest.fixture
def checkpoint(tmp_path):
    save_checkpoint(tmp_path / "run.npz", TREE, 2, RECORDS, ABOUT)
    return tmp_path / "run.npz"


def exchanged(sound, first, other):
    """An archive with the contents of two members exchanged, and the old checksum."""
    original, target = zipfile.ZipFile(io.BytesIO(sound)), io.BytesIO()
    names = {first: other, other: first}
    with zipfile.ZipFile(target, "w") as archive:
        for name in original.namelist():
            archive.writestr(names.get(name, name), original.read(name))
        archive.comment = sound[-CHECKSUM:]
    return target.getvalue()


def mutants(sound, other, step):
    """Damaged files: bytes changed, lost, added, and members exchanged."""
    first = random.randrange(step)
    for offset in [*range(first, len(sound), step), *range(-3 * CHECKSUM, 0)]:
        flipped = bytearray(sound)
        flipped[offset] ^= random.randrange(1, 256)
        yield bytes(flipped), f"other byte at {offset}"
    for offset in range(first, len(sound), 4 * step):
        yield sound[:offset], f"cut at {offset}"
        yield sound[offset + 1 :], f"begun at {offset + 1}"
        yield sound[:offset] + sound[offset + 1 :], f"without {offset}"
        yield sound[:offset] + b"\0" + sound[offset:], f"longer at {offset}"
        yield sound[:offset] + other[offset:], f"another file from {offset}"
    yield sound + b"\n", "more"
    names = zipfile.ZipFile(io.BytesIO(sound)).namelist()
    for name in names[1:]:
        yield exchanged(sound, names[0], name), f"{names[0]} for {name}"
    yield exchanged(sound, "['a'].npy", "['b'].npy"), "a for b"


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 9])
def test_every_damaged_file_is_refused_with_one_error(checkpoint, tmp_path, step):
    sound = checkpoint.read_bytes()
    moved = {**TREE, "a": TREE["a"] + 1}
    save_checkpoint(tmp_path / "other.npz", moved, 2, RECORDS, ABOUT)
    other = (tmp_path / "other.npz").read_bytes()
    tried = 0
    for mutant, description in mutants(sound, other, step):
        if mutant not in (sound, other):
            checkpoint.write_bytes(mutant)
            with pytest.raises(ValueError, match=REFUSED):
                print(description, load_checkpoint(checkpoint, TREE, ABOUT))
            tried += 1
    assert tried > len(sound) / step
    checkpoint.write_bytes(sound)
    tree, done, records = load_checkpoint(checkpoint, TREE, ABOUT)
    assert done == 2
    np.testing.assert_array_equal(tree["b"], TREE["b"])
    assert bool(tree["key"] == TREE["key"])
    np.testing.assert_array_equal(records["loss"], RECORDS["loss"])


def test_a_checkpoint_is_an_archive_that_numpy_reads(checkpoint):
    with np.load(checkpoint) as stored:
        np.testing.assert_array_equal(stored["['a']"], TREE["a"])


def test_a_checkpoint_that_may_not_be_read_is_not_called_damaged(tmp_path):
    with pytest.raises(IsADirectoryError):
        load_checkpoint(tmp_path, TREE)


# --- when they are written ----------------------------------------------------------


class Clock:
    """A segment of so many steps that add one, and stops where it is told."""

    def __init__(self, stop=None, late=()):
        self.calls, self.stop, self.late = 0, stop, late

    def __call__(self, run):
        self.calls += 1
        if self.calls == self.stop:
            raise KeyboardInterrupt
        records = {"loss": np.ones(2)}
        if self.calls in self.late:
            records["seen"] = Interrupting()
        return run + 1, records


class Interrupting:
    def __array__(self, *_, **__):
        raise KeyboardInterrupt


def trained(path, segment, count=6, progress=lambda done: None):
    return train(jnp.zeros(2), segment, Segments(count, 2, path, every=1e9), progress)


def stands(path):
    run, done, records = load_checkpoint(path, jnp.zeros(2), {})
    return float(run[0]), done, len(records["loss"])


def test_the_first_checkpoint_comes_after_the_first_segment(tmp_path):
    path, calls = tmp_path / "run.npz", []

    def progress(done):
        if path.is_file():
            calls.append((done, stands(path)[1]))

    trained(path, Clock(), progress=progress)
    assert calls == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 6)]


def test_an_interruption_is_written_down_first(tmp_path):
    path = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        trained(path, Clock(stop=4))
    assert stands(path) == (3, 3, 3)
    rest = Clock()
    run, records = trained(path, rest)
    assert (float(run[0]), rest.calls, len(records["loss"])) == (6, 3, 6)


def test_an_interruption_within_a_record_splits_nothing(tmp_path):
    path = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        trained(path, Clock(late=(3,)))
    assert stands(path) == (2, 2, 2)


def test_an_interruption_before_the_first_segment_writes_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "run.npz", Clock(stop=1))
    assert list(tmp_path.iterdir()) == []
