"""Reviews are read from the original layout, with an alphabet of the training alone."""

import json
from collections import Counter

import numpy as np
import pytest

from sigprop.tasks.characters import Bytes, Characters, alphabet, cached_alphabet
from sigprop.tasks.examples import training_batch
from sigprop.tasks.imdb import imdb
from tests.sigprop.tasks.helpers import assert_same, parts

LIKED = 'I loved it.<br />Très bien, "wow"! 0123456789'
DISLIKED = "Dull.\t😴 It was\r\nlong"
COUNT = 10


def text(part, sort, number):
    return f"{(DISLIKED, LIKED)[sort == 'pos']} {part} {number}"


@pytest.fixture
def folder(tmp_path):
    """The layout of the release, ten reviews a folder, with what is not to be read."""
    root = tmp_path / "aclImdb"
    for part in ("train", "test"):
        for sort in ("pos", "neg"):
            (root / part / sort).mkdir(parents=True)
            for number in range(COUNT):
                rating = (number % 4) + (7 if sort == "pos" else 1)
                path = root / part / sort / f"{number}_{rating}.txt"
                path.write_bytes(text(part, sort, number).encode())
        (root / part / "labeledBow.feat").write_text("9 0:9 1:1")
        (root / part / "urls_pos.txt").write_text("http://www.imdb.com/")
    (root / "train" / "unsup").mkdir()
    (root / "train" / "unsup" / "0_0.txt").write_text("ψ")
    (root / "imdb.vocab").write_text("the\nand")
    return root


def read(folder, **options):
    return imdb(folder, **{"least": 1, "reviews": COUNT, "width": 64, **options})


def texts_of(data, cache):
    """Every part as texts, by the table of tokens that lies in the cache."""
    (path,) = cache.glob("imdb-vocabulary-*.json")
    table = {
        token: character for character, token in json.loads(path.read_text()).items()
    }
    return [
        [
            "".join(table[token] for token in row[:length].tolist())
            for row, length in zip(part.inputs, part.lengths, strict=True)
        ]
        for part in parts(data)
    ]


# --- tokens -------------------------------------------------------------------------


def test_characters_are_counted_from_three_and_ended():
    code = Characters("ab😴")
    assert code.vocabulary == 6
    assert code.encoded("a😴bé", 9).tolist() == [3, 5, 4, 1, 2]
    assert code.encoded("a😴bé", 5).tolist() == [3, 5, 4, 1, 2]
    assert code.encoded("a😴bé", 4).tolist() == [3, 5, 4, 2]
    assert code.encoded("", 4).tolist() == [2]


def test_bytes_are_those_of_utf_8_plus_one():
    assert Bytes().encoded("aé", 9).tolist() == [98, 0xC3 + 1, 0xA9 + 1]
    assert Bytes().encoded("aé", 2).tolist() == [98, 0xC3 + 1]
    assert Bytes().vocabulary == 257
    with pytest.raises(ValueError, match="need a byte of text"):
        Bytes().encoded("", 9)


@pytest.mark.parametrize(
    ("least", "expected"), [(1, "cab😴"), (2, "cab"), (3, "c"), (4, "")]
)
def test_an_alphabet_falls_in_frequency_and_then_rises_in_unicode(least, expected):
    assert alphabet(["bb", "ca", "", "a😴cc"], least) == expected


def test_an_alphabet_is_kept_in_a_table(tmp_path):
    every = 'a"\\\n\x00é😴'
    for make in (lambda: every, pytest.fail):
        assert cached_alphabet(tmp_path, "x", 1, make) == every
    (path,) = tmp_path.iterdir()
    table = json.loads(path.read_text())
    assert list(table.items())[:4] == [
        ("<pad>", 0),
        ("<unk>", 1),
        ("<eos>", 2),
        ("a", 3),
    ]
    assert cached_alphabet(None, "x", 1, lambda: "other") == "other"


@pytest.mark.parametrize(
    "content",
    [
        '{"<pad>": 0, "<unk>": 1, "<eos>": 2, "a": 4}',
        '{"<pad>": 0, "<unk>": 1, "<eos>": 2, "ab": 3}',
        '{"<pad>": 0, "<unk>": 1, "a": 2}',
        '["<pad>", "<unk>", "<eos>", "a"]',
        '{"<pad>": 0, "<unk>',
        "7",
        "",
    ],
)
def test_a_damaged_table_is_refused(tmp_path, content):
    cached_alphabet(tmp_path, "x", 1, lambda: "a")
    (path,) = tmp_path.iterdir()
    path.write_text(content)
    with pytest.raises(ValueError, match=f"need a table .*, delete .*{path.name}"):
        cached_alphabet(tmp_path, "x", 1, pytest.fail)


# --- reviews ------------------------------------------------------------------------


def test_reviews_are_the_texts_of_the_files(folder, tmp_path):
    cache = tmp_path / "cache"
    data = read(folder, cache=cache)
    read_texts = texts_of(data, cache)
    assert [len(part) for part in parts(data)] == [18, 2, 20]
    assert (data.classes, data.pairs) == (2, False)
    assert data.train.inputs.shape == (18, 64)
    assert data.train.inputs.dtype == np.uint8
    for part, texts, name in zip(
        parts(data), read_texts, ("train", "train", "test"), strict=True
    ):
        sorts = [("neg", "pos")[label] for label in part.labels]
        allowed = {
            text(name, sort, number) + "<eos>": sort
            for sort in ("neg", "pos")
            for number in range(COUNT)
        }
        assert [allowed[review] for review in texts] == sorts
    learned = set(read_texts[0]) | set(read_texts[1])
    assert len(learned) == 20
    assert read_texts[2] == [
        text("test", sort, number) + "<eos>"
        for sort in ("neg", "pos")
        for number in range(COUNT)
    ]


def test_reviews_are_in_the_order_of_their_numbers(folder):
    for part in ("train", "test"):
        for sort in ("pos", "neg"):
            for path in (folder / part / sort).iterdir():
                number, rating = path.stem.split("_")
                path.rename(path.with_name(f"{int(number) + 95}_{rating}.txt"))
    data = read(folder, lra_compat=True, tokens="bytes")
    lengths = [len(text("test", "neg", number).encode()) for number in range(COUNT)]
    last = [data.test.inputs[row, lengths[row] - 1] - 1 for row in range(COUNT)]
    assert bytes(last) == b"0123456789"


@pytest.mark.parametrize("share", [0.1, 0.3])
def test_the_validation_has_the_same_share_of_each_class(folder, share):
    data = read(folder, val_split=share)
    count = round(COUNT * share)
    assert np.bincount(data.validation.labels).tolist() == [count, count]
    assert np.bincount(data.train.labels).tolist() == [COUNT - count, COUNT - count]
    repeated = read(folder, val_split=share)
    for part, other in zip(parts(data), parts(repeated), strict=True):
        assert_same(part, other)


def test_as_published_all_are_learned_from_and_the_test_chooses(folder):
    data = read(folder, lra_compat=True)
    assert [len(part) for part in parts(data)] == [20, 20, 20]
    assert data.validation is data.test
    assert (data.train.inputs != data.test.inputs).any()


def test_bytes_are_cut_and_never_ended(folder):
    data = read(folder, tokens="bytes", lra_compat=True, width=12)
    assert data.vocabulary == 257
    assert data.train.inputs.dtype == np.int16
    liked = np.frombuffer(LIKED.encode()[:12], np.uint8) + 1
    np.testing.assert_array_equal(data.train.inputs[-1], liked)
    assert (data.train.lengths == 12).all()


def test_widths_are_those_of_the_two_benchmarks(folder):
    for tokens, width in (("characters", 4096), ("bytes", 4000)):
        data = read(folder, tokens=tokens, width=None)
        assert data.train.inputs.shape[1] == width
        batches = [training_batch(data.train, 5, 0, step) for step in range(3)]
        assert {batch.inputs.shape for batch in batches} == {(5, width)}


def test_a_long_review_is_cut_before_its_end(folder, tmp_path):
    path = folder / "test" / "neg" / "0_1.txt"
    path.write_text("o" * 63 + "wl")
    data = read(folder, cache=tmp_path / "cache")
    assert texts_of(data, tmp_path / "cache")[2][0] == "o" * 63 + "<eos>"
    assert data.test.lengths[0] == 64


def test_rare_characters_are_unknown(folder, tmp_path):
    full_cache, some = tmp_path / "every", tmp_path / "some"
    texts = texts_of(read(folder, cache=full_cache), full_cache)[0]
    counts = Counter("".join(review.removesuffix("<eos>") for review in texts))
    data = read(folder, least=15, cache=some)
    frequent = {letter for letter, count in counts.items() if count >= 15}
    assert 0 < len(frequent) < len(counts)
    assert data.vocabulary == 3 + len(frequent)
    expected = "".join(letter if letter in frequent else "<unk>" for letter in DISLIKED)
    assert texts_of(data, some)[2][0].startswith(expected)


def test_the_alphabet_is_that_of_the_training_as_it_is_read(folder, tmp_path):
    cache = tmp_path / "cache"
    plain = read(folder, cache=cache)
    learned, held_letter, _ = (
        set(map(_number, learned_letter)) for learned_letter in texts_of(plain, cache)
    )

    def vocabulary(part, review, content):
        sort, number = review
        (path,) = (folder / part / sort).glob(f"{number}_*.txt")
        before = path.read_bytes()
        path.write_text(content)
        data = read(folder)
        path.write_bytes(before)
        return data.vocabulary, (data.test.inputs == 1).any()

    learned_letter, other = min(learned), min(held_letter)
    assert plain.vocabulary is not None
    assert vocabulary("train", learned_letter, "ψ") == (plain.vocabulary + 1, False)
    assert vocabulary("train", learned_letter, "o" * 63 + "ψ") == (
        plain.vocabulary,
        False,
    )
    assert vocabulary("train", other, "ψ") == (plain.vocabulary, False)
    assert vocabulary("test", other, "ψ") == (plain.vocabulary, True)


def _number(review):
    """Class and number of a review of these tests."""
    return ("pos" if "wow" in review else "neg"), int(review.removesuffix("<eos>")[-1])


def test_packed_reviews_are_those_read_and_follow_a_change(folder, tmp_path):
    cache, messages = tmp_path / "cache", []
    plain = read(folder)
    first = read(folder, cache=cache, progress=messages.append)
    repeated = read(folder, cache=cache, progress=pytest.fail)
    for part, packed, mapped in zip(*map(parts, (plain, first, repeated)), strict=True):
        assert_same(part, packed)
        assert_same(part, mapped)
        assert isinstance(mapped.inputs, np.memmap)
    assert messages == [
        "train: 18 of 18 reviews read",
        "test: 20 of 20 reviews read",
        "validation: 2 of 2 reviews read",
    ]
    assert len(list(cache.iterdir())) == 4
    (folder / "test" / "neg" / "0_1.txt").write_text("Dull")
    assert read(folder, cache=cache).test.lengths[0] == 5


# --- refusals -----------------------------------------------------------------------


def test_a_missing_folder_names_the_layout(folder, tmp_path):
    for missing_from in (tmp_path / "elsewhere", folder / "train"):
        with pytest.raises(FileNotFoundError, match=r"train/pos.*{id}_{rating}.txt"):
            read(missing_from)


def test_an_unfinished_folder_is_refused(folder):
    (folder / "test" / "pos" / "3_10.txt").unlink()
    with pytest.raises(ValueError, match=r"need 10 reviews, got 9 in .*pos"):
        read(folder)
    with pytest.raises(ValueError, match="need 12500 reviews, got 10"):
        imdb(folder)


@pytest.mark.parametrize(
    ("sort", "name", "ratings"),
    [
        *(("pos", name, "7 to 10") for name in ("10_6.txt", "10_11.txt", "10.txt")),
        *(("neg", name, "1 to 4") for name in ("10_5.txt", "10_0.txt", "ten_3.txt")),
    ],
)
def test_another_name_or_rating_is_refused(folder, sort, name, ratings):
    (folder / "train" / sort / name).write_text("A review")
    with pytest.raises(ValueError, match=f"ratings from {ratings}, got .*{name}"):
        read(folder)


def test_what_is_not_utf_8_is_refused(folder):
    (folder / "test" / "neg" / "0_1.txt").write_bytes("très".encode("latin-1"))
    with pytest.raises(ValueError, match=r"need a text in UTF-8, got .*0_1.txt"):
        read(folder)


def test_an_empty_review_has_an_end_but_no_byte(folder):
    (folder / "test" / "neg" / "0_1.txt").write_text("")
    assert read(folder).test.inputs[0, :2].tolist() == [2, 0]
    with pytest.raises(ValueError, match=r"need a byte of text .*check .*0_1.txt"):
        read(folder, tokens="bytes")


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"width": 1}, "need a width of two or more, got 1"),
        ({"val_split": 0.0}, "need positive shares"),
        ({"val_split": 0.01}, "need an example in every part"),
    ],
)
def test_options_that_leave_nothing_are_refused(folder, options, match):
    with pytest.raises(ValueError, match=match):
        read(folder, **options)
