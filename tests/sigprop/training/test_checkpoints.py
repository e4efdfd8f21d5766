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
def place(tmp_path):
    save_checkpoint(tmp_path / "run.npz", TREE, 2, RECORDS, ABOUT)
    return tmp_path / "run.npz"


def exchanged(sound, one, other):
    """An archive with the contents of two members exchanged, and the old checksum."""
    held, made = zipfile.ZipFile(io.BytesIO(sound)), io.BytesIO()
    names = {one: other, other: one}
    with zipfile.ZipFile(made, "w") as archive:
        for name in held.namelist():
            archive.writestr(names.get(name, name), held.read(name))
        archive.comment = sound[-CHECKSUM:]
    return made.getvalue()


def mutants(sound, other, step):
    """Damaged files: bytes changed, lost, added, and members exchanged."""
    first = random.randrange(step)
    for spot in [*range(first, len(sound), step), *range(-3 * CHECKSUM, 0)]:
        flipped = bytearray(sound)
        flipped[spot] ^= random.randrange(1, 256)
        yield bytes(flipped), f"other byte at {spot}"
    for spot in range(first, len(sound), 4 * step):
        yield sound[:spot], f"cut at {spot}"
        yield sound[spot + 1 :], f"begun at {spot + 1}"
        yield sound[:spot] + sound[spot + 1 :], f"without {spot}"
        yield sound[:spot] + b"\0" + sound[spot:], f"longer at {spot}"
        yield sound[:spot] + other[spot:], f"another file from {spot}"
    yield sound + b"\n", "more"
    names = zipfile.ZipFile(io.BytesIO(sound)).namelist()
    for name in names[1:]:
        yield exchanged(sound, names[0], name), f"{names[0]} for {name}"
    yield exchanged(sound, "['a'].npy", "['b'].npy"), "a for b"


@pytest.mark.parametrize("step", [pytest.param(1, marks=pytest.mark.slow), 9])
def test_every_damaged_file_is_refused_with_one_error(place, tmp_path, step):
    sound = place.read_bytes()
    moved = {**TREE, "a": TREE["a"] + 1}
    save_checkpoint(tmp_path / "other.npz", moved, 2, RECORDS, ABOUT)
    other = (tmp_path / "other.npz").read_bytes()
    tried = 0
    for mutant, what in mutants(sound, other, step):
        if mutant not in (sound, other):
            place.write_bytes(mutant)
            with pytest.raises(ValueError, match=REFUSED):
                print(what, load_checkpoint(place, TREE, ABOUT))
            tried += 1
    assert tried > len(sound) / step
    place.write_bytes(sound)
    tree, done, records = load_checkpoint(place, TREE, ABOUT)
    assert done == 2
    np.testing.assert_array_equal(tree["b"], TREE["b"])
    assert bool(tree["key"] == TREE["key"])
    np.testing.assert_array_equal(records["loss"], RECORDS["loss"])


def test_a_checkpoint_is_an_archive_that_numpy_reads(place):
    with np.load(place) as stored:
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
        found = {"loss": np.ones(2)}
        if self.calls in self.late:
            found["seen"] = Interrupting()
        return run + 1, found


class Interrupting:
    def __array__(self, *_, **__):
        raise KeyboardInterrupt


def trained(place, segment, count=6, progress=lambda done: None):
    return train(jnp.zeros(2), segment, Segments(count, 2, place, every=1e9), progress)


def stands(place):
    run, done, records = load_checkpoint(place, jnp.zeros(2), {})
    return float(run[0]), done, len(records["loss"])


def test_the_first_checkpoint_comes_after_the_first_segment(tmp_path):
    place, seen = tmp_path / "run.npz", []

    def progress(done):
        if place.is_file():
            seen.append((done, stands(place)[1]))

    trained(place, Clock(), progress=progress)
    assert seen == [(1, 1), (2, 1), (3, 1), (4, 1), (5, 1), (6, 6)]


def test_an_interruption_is_written_down_first(tmp_path):
    place = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        trained(place, Clock(stop=4))
    assert stands(place) == (3, 3, 3)
    rest = Clock()
    run, records = trained(place, rest)
    assert (float(run[0]), rest.calls, len(records["loss"])) == (6, 3, 6)


def test_an_interruption_within_a_record_splits_nothing(tmp_path):
    place = tmp_path / "run.npz"
    with pytest.raises(KeyboardInterrupt):
        trained(place, Clock(late=(3,)))
    assert stands(place) == (2, 2, 2)


def test_an_interruption_before_the_first_segment_writes_nothing(tmp_path):
    with pytest.raises(KeyboardInterrupt):
        trained(tmp_path / "run.npz", Clock(stop=1))
    assert list(tmp_path.iterdir()) == []
