"""What is packed is read back, in the smallest type, or refused where it is damaged."""

import numpy as np
import pytest

from sigprop.numerics.files import unfinished
from sigprop.tasks.packed import BLOCK, Form, cache_path, cached, identity, padded
from tests.sigprop.tasks.helpers import assert_same

FORM = Form(width=6, vocabulary=300, classes=4, end=2)
ROWS = [([7, 8, 2], 1), ([299, 9, 5, 4, 3, 2], 3), ([2], 0)]


def rows(examples=ROWS):
    return ((np.array(tokens), label) for tokens, label in examples)


def many(count, seed=0):
    rng = np.random.default_rng(seed)
    for _ in range(count):
        tokens = rng.integers(3, 300, rng.integers(0, 6))
        yield np.append(tokens, 2), int(rng.integers(4))


def forbidden():
    raise AssertionError("asked for what is packed already")


def test_rows_are_padded_with_zeros():
    table = padded(rows(), FORM)
    assert table.inputs.tolist() == [
        [7, 8, 2, 0, 0, 0],
        [299, 9, 5, 4, 3, 2],
        [2, 0, 0, 0, 0, 0],
    ]
    assert table.lengths.tolist() == [3, 6, 1]
    assert table.labels.tolist() == [1, 3, 0]
    assert table.lengths.dtype == table.labels.dtype == np.int32


@pytest.mark.parametrize(
    ("vocabulary", "kind"),
    [(256, "uint8"), (257, "int16"), (32_768, "int16"), (32_769, "int32")],
)
def test_tokens_have_the_smallest_type_that_holds_them(vocabulary, kind):
    form = Form(2, vocabulary, 2)
    table = padded(rows([([vocabulary - 1, 1], 1)]), form)
    assert table.inputs.dtype == kind
    assert table.inputs.tolist() == [[vocabulary - 1, 1]]


@pytest.mark.parametrize("count", [1, BLOCK, 2 * BLOCK + 345])
def test_a_file_holds_what_memory_holds(tmp_path, count):
    plain = padded(many(count), FORM)
    first = cached(tmp_path, "x", 0, FORM, lambda: many(count))
    repeated = cached(tmp_path, "x", 0, FORM, forbidden)
    assert len(plain) == count
    assert_same(plain, first)
    assert_same(plain, repeated)
    assert isinstance(repeated.inputs, np.memmap)
    (path,) = tmp_path.iterdir()
    table = np.load(path)
    assert table.flags.c_contiguous
    assert path.stat().st_size == table.nbytes + 128  # NumPy's header, and no more


def test_rows_are_written_as_they_come(tmp_path):
    sizes = []

    def growing():
        for number, row in enumerate(many(3 * BLOCK)):
            if number and number % BLOCK == 0:
                sizes.extend(path.stat().st_size for path in tmp_path.iterdir())
            yield row

    cached(tmp_path, "x", 0, FORM, growing)
    assert sizes == [128 + 14 * BLOCK, 128 + 28 * BLOCK]  # rows of seven numbers
    assert [path.suffix for path in tmp_path.iterdir()] == [".npy"]


def test_another_key_or_form_is_another_file(tmp_path):
    other = Form(width=7, vocabulary=300, classes=4, end=2)
    for key, form in [((1, "a"), FORM), ((2, "a"), FORM), ((1, "a"), other)]:
        cached(tmp_path, "x", key, form, rows)
    assert len(list(tmp_path.iterdir())) == 3
    assert_same(cached(tmp_path, "x", (2, "a"), FORM, forbidden), padded(rows(), FORM))


def test_without_a_cache_rows_are_made_every_time():
    assert_same(cached(None, "x", 0, FORM, rows), padded(rows(), FORM))


@pytest.mark.parametrize(
    ("row", "match"),
    [
        (([], 1), "need 1 to 6 tokens, got 0"),
        (([3] * 6 + [2], 1), "need 1 to 6 tokens, got 7"),
        (([300, 2], 1), "need tokens up to 299"),
        (([65_536 + 3, 2], 1), "need tokens up to 299"),
        (([-3, 2], 1), "need tokens up to 299"),
        (([3, 4], 1), "an end before the padding"),
        (([3, 2], 4), "labels up to 3"),
        (([3, 2], -1), "labels up to 3"),
    ],
)
def test_a_row_of_another_form_is_refused(tmp_path, row, match):
    def wrong():
        return rows([*ROWS, row])

    for make in (
        lambda: padded(wrong(), FORM),
        lambda: cached(tmp_path / "cache", "x", 0, FORM, wrong),
    ):
        with pytest.raises(ValueError, match=match):
            make()
    assert not (tmp_path / "cache").exists()


def test_no_row_is_refused(tmp_path):
    with pytest.raises(ValueError, match="need an example at least, got none"):
        cached(tmp_path / "cache", "x", 0, FORM, list)
    assert not (tmp_path / "cache").exists()


def test_what_fails_late_leaves_no_file(tmp_path):
    def failing():
        yield from many(BLOCK + 5)
        raise ValueError("a damaged line")

    with pytest.raises(ValueError, match="a damaged line"):
        cached(tmp_path, "x", 0, FORM, failing)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("damage", "match"),
    [
        (lambda table: table[:, 1:], r"need int16 of 7 columns, got int16 \(3, 6\)"),
        (lambda table: table.astype(np.int32), "need int16 of 7 columns, got int32"),
        (lambda table: table[0], "need int16 of 7 columns"),
        (lambda table: np.where(table == 299, 300, table), "need tokens up to 299"),
        (lambda table: np.where(table == 299, -1, table), "need tokens up to 299"),
        (lambda table: np.where(table == 9, 0, table), "an end before the padding"),
        (lambda table: np.where(table == 2, 3, table), "an end before the padding"),
        (lambda table: table + 3 * (np.arange(7) == 6), "labels up to 3"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, damage, match):
    cached(tmp_path, "x", 0, FORM, rows)
    (path,) = tmp_path.iterdir()
    damaged = damage(np.load(path))
    same = damaged.astype(np.int16) if damaged.dtype == np.int64 else damaged
    np.save(path, same)
    with pytest.raises(ValueError, match=f"{match}.*; delete .*{path.name}"):
        cached(tmp_path, "x", 0, FORM, forbidden)


def test_an_end_is_asked_for_only_where_there_is_one():
    free = Form(6, 300, 4)
    assert padded(rows([([3, 4], 1)]), free).lengths.tolist() == [2]
    with pytest.raises(ValueError, match="an end before the padding"):
        padded(rows([([0, 4], 1)]), free)


def test_a_file_cut_short_is_refused(tmp_path):
    cached(tmp_path, "x", 0, FORM, rows)
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    for size in (len(content) - 1, 60, 0):
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match="need a whole packed file, delete"):
            cached(tmp_path, "x", 0, FORM, forbidden)


def test_a_name_is_taken_only_by_a_complete_file(tmp_path):
    path = tmp_path / "folder" / "name.txt"

    def fail():
        with unfinished(path) as partial, partial.open("wb") as stream:
            stream.write(b"half")
            assert not path.exists()
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(path.parent.iterdir()) == []
    with unfinished(path) as partial, partial.open("wb") as stream:
        stream.write(b"whole")
    assert path.read_bytes() == b"whole"


def test_an_identity_follows_a_change(tmp_path):
    path = tmp_path / "a.tsv"
    path.write_bytes(b"one")
    before = identity(path)
    assert before == identity(path)
    path.write_bytes(b"other")
    assert identity(path) != before
    names = {
        cache_path(tmp_path, "a.npy", key).name for key in (before, identity(path))
    }
    assert len(names) == 2
    assert all(name.startswith("a-") and name.endswith(".npy") for name in names)
