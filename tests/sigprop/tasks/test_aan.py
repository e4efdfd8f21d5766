"""Pairs are read from tables as they were released: no quotation, decimal labels."""

import json

import numpy as np
import pytest

from sigprop.tasks import packed
from sigprop.tasks.aan import FILES, aan, read_pairs
from sigprop.tasks.examples import evaluation_batches, training_batch
from tests.sigprop.tasks.helpers import assert_same, parts

LINES = {
    "train": [
        '1.0\tP05-1001\tW06-2002\tWe "parse trees.\tA parser: 3 "quotes" here',
        "0.0\tA1\tB2\tTranslation of “speech”\t",
        "1.0\tA3\tB4\t\tcarriage\rreturn\x85and\u2028separators",
        "0\tA5\tB6\t'single\t\"",
    ],
    "eval": ["1.0\tC1\tD1\tparse\ttrees", '0.0\tC2\tD2\t"a\ts"'],
    "test": ["0.0\tE1\tF1\tψ parser\there", "1.0\tE2\tF2\tx\ty", "1.0\tE\tF\tz\tz"],
}


def write(folder, lines=LINES, end="\n"):
    for name, table in lines.items():
        content = "".join(line + end for line in table)
        (folder / FILES[name]).write_bytes(content.encode())
    return folder


def texts(name):
    return [tuple(line.split("\t")[3:]) for line in LINES[name]]


def texts_of(data, cache):
    (path,) = cache.glob("aan-vocabulary-*.json")
    table = {
        token: character for character, token in json.loads(path.read_text()).items()
    }
    return [
        [
            tuple(
                "".join(table[token] for token in row[:length].tolist())
                for row, length in zip(pair, lengths, strict=True)
            )
            for pair, lengths in zip(part.inputs, part.lengths, strict=True)
        ]
        for part in parts(data)
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_pairs_are_the_texts_of_the_tables(tmp_path, end):
    cache = tmp_path / "cache"
    data = aan(write(tmp_path, end=end), width=64, cache=cache)
    read_texts = texts_of(data, cache)
    for name, pairs in zip(("train", "eval"), read_texts, strict=False):
        ended = [tuple(text + "<eos>" for text in pair) for pair in texts(name)]
        assert pairs == ended
    assert read_texts[2][0] == ("<unk> parser<eos>", "here<eos>")
    assert [part.labels.tolist() for part in parts(data)] == [
        [1, 0, 1, 0],
        [1, 0],
        [0, 1, 1],
    ]
    assert data.train.inputs.shape == (4, 2, 64)
    assert data.train.inputs.dtype == np.uint8
    assert data.train.labels.dtype == np.int32
    assert (data.classes, data.pairs) == (2, True)
    known = {letter for pair in texts("train") for letter in "".join(pair)}
    assert data.vocabulary == 3 + len(known)


def test_a_missing_last_line_end_is_no_matter(tmp_path):
    path = write(tmp_path) / FILES["eval"]
    rows = list(read_pairs(path))
    path.write_bytes(path.read_bytes()[:-1])
    assert list(read_pairs(path)) == rows


def test_pairs_stay_together_in_batches(tmp_path):
    data = aan(write(tmp_path), width=64)
    rows = {
        example.tobytes(): number for number, example in enumerate(data.train.inputs)
    }
    for step in range(4):
        batch = training_batch(data.train, 2, 0, step)
        numbers = [rows[example.tobytes()] for example in batch.inputs]
        np.testing.assert_array_equal(batch.labels, data.train.labels[numbers])
        np.testing.assert_array_equal(batch.lengths, data.train.lengths[numbers])
        assert batch.lengths.shape == (2, 2)
    last = list(evaluation_batches(data.test, 2))[-1]
    assert last.inputs.shape == (2, 2, 64)
    assert last.valid.tolist() == [True, False]


def test_long_texts_are_cut_before_their_end(tmp_path):
    write(tmp_path)
    data = aan(tmp_path, width=5)
    assert (data.train.lengths.max(axis=1) <= 5).all()
    assert data.train.inputs[0, :, 4].tolist() == [2, 2]
    known = {letter for pair in texts("train") for text in pair for letter in text[:4]}
    assert data.vocabulary == 3 + len(known)
    assert aan(tmp_path).train.inputs.shape == (4, 2, 4000)


def test_bytes_are_those_of_utf_8(tmp_path):
    lines = {name: ["1.0\ta\tb\té\tAB"] for name in FILES}
    data = aan(write(tmp_path, lines), width=8, tokens="bytes")
    assert data.vocabulary == 257
    assert data.test.inputs.dtype == np.int16
    assert data.test.inputs[0, 0].tolist() == [0xC4, 0xAA, *[0] * 6]
    assert data.test.inputs[0, 1].tolist() == [66, 67, *[0] * 6]
    assert data.test.lengths.tolist() == [[2, 2]]


def test_only_the_training_makes_the_alphabet(tmp_path):
    plain = aan(write(tmp_path), width=64)
    other = {**LINES, "eval": ["0.0\tA\tB\tωω\tщщ"], "test": ["1.0\tA\tB\tωω\tщщ"]}
    changed = aan(write(tmp_path, other), width=64)
    assert_same(plain.train, changed.train)
    assert changed.vocabulary == plain.vocabulary
    assert changed.test.inputs[0, 0, :3].tolist() == [1, 1, 2]


def test_packed_pairs_are_those_read_and_follow_a_change(tmp_path):
    cache, messages = tmp_path / "cache", []
    plain = aan(write(tmp_path), width=64)
    first = aan(tmp_path, width=64, cache=cache, progress=messages.append)
    repeated = aan(tmp_path, width=64, cache=cache, progress=pytest.fail)
    for part, unmapped, mapped in zip(
        *map(parts, (plain, first, repeated)), strict=True
    ):
        assert_same(part, unmapped)
        assert_same(part, mapped)
        assert isinstance(mapped.inputs, np.memmap)
    assert messages[0] == "new_aan_pairs.train.tsv: all 4 pairs, characters counted"
    assert messages[-1] == "new_aan_pairs.test.tsv: all 3 pairs, packed"
    assert len(list(cache.iterdir())) == 4
    (tmp_path / FILES["eval"]).write_text("1.0\ta\tb\tc\td\n")
    assert len(aan(tmp_path, width=64, cache=cache).validation) == 1
    (tmp_path / FILES["train"]).write_text("1.0\ta\tb\tc\td\n")
    assert aan(tmp_path, width=64, cache=cache).vocabulary == 5


def test_no_more_than_a_block_is_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(packed, "BLOCK", 10)
    lines = {name: LINES["train"] * 30 for name in FILES}
    sizes = []

    def measured(_):
        files = (tmp_path / "cache").glob(".aan-train*partial")
        sizes.append(sum(path.stat().st_size for path in files))

    aan(
        write(tmp_path, lines),
        width=640,
        cache=tmp_path / "cache",
        progress=measured,
    )
    assert sizes[0] == 0  # the characters are counted first
    assert sizes[1] > 0.9 * 2 * 120 * 641  # all but what is buffered


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ("1.0\ta\tb\tc", "line 2: need label, .*, got 4 of 5 fields"),
        ("1.0\ta\tb\tc\td\te", "line 2: need label, .*, got 6 of 5 fields"),
        ("", "line 2: need label, .*, got 1 of 5 fields"),
        ("yes\ta\tb\tc\td", "line 2: need a label of 0.0 or 1.0, got 'yes'"),
        ("0.5\ta\tb\tc\td", "line 2: need a label of 0.0 or 1.0, got '0.5'"),
        ("2.0\ta\tb\tc\td", "line 2: need a label of 0.0 or 1.0, got '2.0'"),
        ("nan\ta\tb\tc\td", "line 2: need a label of 0.0 or 1.0, got 'nan'"),
        ("1.0\ta\tb\t\udcff\td", "line 2: .*utf-8"),
    ],
)
@pytest.mark.parametrize("name", FILES)
def test_a_wrong_line_is_named(tmp_path, line, match, name):
    write(tmp_path)
    content = f"{LINES['eval'][0]}\n{line}\n{LINES['eval'][1]}\n"
    (tmp_path / FILES[name]).write_bytes(content.encode(errors="surrogateescape"))
    for cache in (None, tmp_path / "cache"):
        with pytest.raises(ValueError, match=rf"{FILES[name]}, {match}"):
            aan(tmp_path, cache=cache)


def test_an_empty_text_has_no_byte(tmp_path):
    with pytest.raises(ValueError, match=r"train.tsv, line 2: need a byte of text"):
        aan(write(tmp_path), tokens="bytes")


def test_an_empty_table_is_refused(tmp_path):
    (write(tmp_path) / FILES["eval"]).write_bytes(b"")
    with pytest.raises(ValueError, match=r"need a pair in .*eval.tsv, got an empty"):
        aan(tmp_path)


def test_a_missing_table_names_all_three(tmp_path):
    (write(tmp_path) / FILES["eval"]).unlink()
    with pytest.raises(
        FileNotFoundError, match=r"need .*train.tsv, .*test.tsv.*found no .*eval.tsv"
    ):
        aan(tmp_path)


def test_a_width_without_room_is_refused(tmp_path):
    with pytest.raises(ValueError, match="need a width of two or more, got 1"):
        aan(write(tmp_path), width=1)
