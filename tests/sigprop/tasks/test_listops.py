"""Tables of expressions are read back as written, and damaged ones are refused."""

import os

import numpy as np
import pytest

from sigprop.tasks.examples import Examples, training_batch
from sigprop.tasks.expressions import EOS, LRA, SHORT, TOKENS, Rules, values
from sigprop.tasks.listops import curried, listops, parsed, read_table, write_table
from tests.sigprop.tasks.helpers import assert_same, parts

COUNTS = (600, 40, 50)
HEADER = b"Source\tTarget\r\n"
GOOD = b"( ( ( [MAX 2 ) 9 ) ] )\t9\r\n"
WIDTH = SHORT.width


def short(**options):
    return listops(rules=SHORT, counts=COUNTS, **options)


def expressions(part):
    return [
        row[:length].tobytes()
        for row, length in zip(part.inputs, part.lengths, strict=True)
    ]


def written(folder):
    data = short()
    for name, part in zip(("train", "val", "test"), parts(data), strict=True):
        write_table(folder / f"basic_{name}.tsv", part)
    return data


@pytest.mark.parametrize(
    ("text", "prefix"),
    [
        ("4", "4"),
        ("( ( ( [MAX 2 ) 9 ) ] )", "[MAX 2 9 ]"),
        ("( ( ( [MIN 1 ) ( ( ( [SM 2 ) 3 ) ] ) ) ] )", "[MIN 1 [SM 2 3 ] ]"),
        ("( ( ( [MED ( ( ( [MAX 0 ) 7 ) ] ) ) 8 ) ] )", "[MED [MAX 0 7 ] 8 ]"),
    ],
)
def test_parentheses_are_those_of_the_files(text, prefix):
    tokens = parsed(text)
    assert [TOKENS[token] for token in tokens] == prefix.split()
    assert curried(tokens) == text


def test_every_example_is_an_expression_an_end_and_its_value():
    data = short()
    assert (data.classes, data.vocabulary, data.pairs) == (10, 18, False)
    assert tuple(len(part) for part in parts(data)) == COUNTS
    for part in parts(data):
        assert part.inputs.shape[1] == WIDTH
        for row, length in zip(part.inputs, part.lengths, strict=True):
            assert row[length - 1] == EOS
            assert not row[length:].any()
        joined = b"".join(expression[:-1] for expression in expressions(part))
        results = values(np.frombuffer(joined, np.uint8))
        np.testing.assert_array_equal(results, part.labels)


def test_strings_have_the_lengths_of_the_grammar():
    for expression in expressions(short().test):
        text, count = curried(expression[:-1]), len(expression) - 1
        assert text.count("(") == text.count(")") == count - 1
        letters = sum(len(TOKENS[token]) for token in expression[:-1])
        assert len(text) == 5 * (count - 1) + letters


def test_parts_are_disjoint_and_distinct():
    all_expressions = [
        expression for part in parts(short()) for expression in expressions(part)
    ]
    assert len(set(all_expressions)) == len(all_expressions) == sum(COUNTS)


def test_data_depend_on_the_seed_alone():
    first, repeated, other = short(seed=4), short(seed=4), short(seed=5)
    for part, same in zip(parts(first), parts(repeated), strict=True):
        assert_same(part, same)
    assert set(expressions(first.train)).isdisjoint(expressions(other.train))
    part, same = (training_batch(data.train, 32, 1, 21) for data in (first, repeated))
    np.testing.assert_array_equal(part.inputs, same.inputs)


def test_a_root_alone_tells_a_third():
    data = listops(counts=(2400, 100, 1000), seed=1)
    assert data.train.inputs.shape[1] == LRA.width

    def guessed(keys, answers):
        best = {
            key: np.bincount(data.train.labels[keys == key]).argmax()
            for key in np.unique(keys)
        }
        return np.mean(
            [
                best[key] == label
                for key, label in zip(answers, data.test.labels, strict=True)
            ]
        )

    by_root = guessed(data.train.inputs[:, 0], data.test.inputs[:, 0])
    by_none = guessed(np.zeros(2400), np.zeros(1000))
    # Four standard errors of shares of 1000 test examples.
    assert by_root == pytest.approx(0.36, abs=0.06)
    assert by_none == pytest.approx(0.17, abs=0.05)


def test_files_are_read_back_as_written(tmp_path):
    data = written(tmp_path)
    for part, read in zip(
        parts(data), parts(listops(tmp_path, rules=SHORT)), strict=True
    ):
        assert_same(part, read)
    content = (tmp_path / "basic_val.tsv").read_bytes()
    assert content.startswith(HEADER)
    assert content.count(b"\r\n") == content.count(b"\n") == COUNTS[1] + 1
    assert b'"' not in content


def test_lines_may_end_in_lf(tmp_path):
    path = tmp_path / "table.tsv"
    tables = []
    for content in (HEADER + GOOD + GOOD, (HEADER + GOOD + GOOD).replace(b"\r", b"")):
        path.write_bytes(content)
        tables.append(read_table(path, WIDTH))
    assert_same(*tables)
    assert tables[0].labels.tolist() == [9, 9]


@pytest.mark.parametrize(
    ("line", "match"),
    [
        (b"( ( ( [MAX 2 ) 11 ) ] )\t9", "line 3: need words .* unknown token '11'"),
        (b"( ( ( [FIRST 2 ) 1 ) ] )\t2", r"line 3: .*unknown token '\[FIRST'"),
        (b"<pad>\t2", "line 3: .*unknown token '<pad>'"),
        (b"\xff\t2", "line 3: .*unknown token"),
        (b"( ( ( [MAX 2 ) 9 ) ]\t9", "line 3: need the parentheses"),
        (b"( ( [MAX 2 ) 9 ) ] )\t9", "line 3: need the parentheses"),
        (b"( ( ( [MAX 2 ) 9 ) )\t9", "line 3: .*unknown token '\\)'|line 3: need bal"),
        (b"( ( [MAX 2 ) 9 )\t9", "line 3: need balanced brackets"),
        (b"( [MAX ] )\t0", "line 3: need an operator and arguments"),
        (b"2 ]\t2", "line 3: need an operator and arguments"),
        (b"2 3\t2", "line 3: need balanced brackets .* 2 complete"),
        (b"( ( ( [MAX 2 ) 9 ) ] )\t2", "line 3: need the label 9, .* got 2"),
        (b"( ( ( [MAX 2 ) 9 ) ] )\t10", "line 3: need an expression, a tab"),
        (b"( ( ( [MAX 2 ) 9 ) ] )", "line 3: need an expression, a tab"),
        (b"", "line 3: need an expression, a tab"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, match):
    path = tmp_path / "table.tsv"
    path.write_bytes(HEADER + GOOD + line + b"\r\n" + GOOD)
    with pytest.raises(ValueError, match=match):
        read_table(path, WIDTH)


def test_a_wrong_label_is_found_behind_the_first_thousand(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_bytes(HEADER + GOOD * 1500 + GOOD.replace(b"\t9", b"\t8") + GOOD * 9)
    with pytest.raises(ValueError, match="line 1502: need the label 9"):
        read_table(path, WIDTH)
    path.write_bytes(HEADER + GOOD * 1000)
    assert len(read_table(path, WIDTH)) == 1000


def test_a_table_without_header_or_rows_is_refused(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_bytes(GOOD)
    with pytest.raises(ValueError, match="need the header Source<TAB>Target"):
        read_table(path, WIDTH)
    path.write_bytes(HEADER)
    with pytest.raises(ValueError, match="got the header alone"):
        read_table(path, WIDTH)


def test_an_expression_must_leave_room_for_its_end(tmp_path):
    path = tmp_path / "table.tsv"
    path.write_bytes(HEADER + GOOD)
    assert read_table(path, 5).inputs.tolist() == [[14, 5, 12, 17, EOS]]
    with pytest.raises(ValueError, match="line 2: need fewer than 4 tokens, got 4"):
        read_table(path, 4)


def test_only_expressions_and_ends_are_written(tmp_path):
    labels = np.array([9])
    for tokens, match in [([14, 5, 12, 17], "end token"), ([14, 5, EOS], "balanced")]:
        row = np.array([tokens], np.uint8)
        part = Examples(row, np.array([len(tokens)]), labels)
        with pytest.raises(ValueError, match=match):
            write_table(tmp_path / "table.tsv", part)


def test_a_missing_file_names_the_layout(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"basic_val.tsv.*got no basic_train"):
        listops(tmp_path)


def test_every_part_needs_an_example():
    with pytest.raises(ValueError, match="need an expression in every part"):
        listops(rules=SHORT, counts=(5, 0, 5))


def test_packed_draws_are_those_drawn(tmp_path):
    messages = []
    first = short(cache=tmp_path, progress=messages.append)
    assert messages[-1] == "690 of 690 expressions drawn"
    second = short(cache=tmp_path, progress=pytest.fail)
    for part, same, plain in zip(
        parts(first), parts(second), parts(short()), strict=True
    ):
        assert_same(part, plain)
        assert_same(same, plain)
    assert isinstance(second.train.inputs.base, np.memmap)
    assert [path.suffix for path in tmp_path.iterdir()] == [".npy"]
    short(cache=tmp_path, seed=1)
    assert len(list(tmp_path.iterdir())) == 2


def test_packed_files_are_those_read_and_follow_a_change(tmp_path):
    cache = tmp_path / "cache"
    data = written(tmp_path)
    for _ in range(2):
        read = listops(tmp_path, rules=SHORT, cache=cache)
        assert_same(read.train, data.train)
    assert len(list(cache.iterdir())) == 3
    path = tmp_path / "basic_val.tsv"
    path.write_bytes(HEADER + GOOD)
    assert len(listops(tmp_path, rules=SHORT, cache=cache).validation) == 1
    os.utime(path, ns=(0, 0))
    path.write_bytes(b"damaged")
    with pytest.raises(ValueError, match="need the header"):
        listops(tmp_path, rules=SHORT, cache=cache)


def test_an_unfinished_reading_leaves_no_packed_file(tmp_path):
    cache = tmp_path / "cache"
    written(tmp_path)
    (tmp_path / "basic_train.tsv").write_bytes(HEADER + GOOD + b"cut")
    with pytest.raises(ValueError, match="line 3"):
        listops(tmp_path, rules=SHORT, cache=cache)
    assert not cache.exists()


@pytest.mark.parametrize(
    ("damage", "match"),
    [
        (lambda table: table[:, 1:], "need uint8 of 129 columns"),
        (lambda table: table.astype(np.int16), "need uint8 of 129 columns"),
        (lambda table: np.where(table == 17, 18, table), "need tokens up to 17"),
        (lambda table: np.where(table == EOS, 3, table), "an end"),
        (lambda table: table + (np.arange(129) == 128) * np.uint8(10), "labels up to"),
    ],
)
def test_a_damaged_packed_file_is_refused(tmp_path, damage, match):
    short(cache=tmp_path)
    (path,) = tmp_path.iterdir()
    np.save(path, damage(np.load(path)))
    with pytest.raises(ValueError, match=match):
        short(cache=tmp_path)


def test_a_packed_file_cut_short_is_refused(tmp_path):
    short(cache=tmp_path)
    (path,) = tmp_path.iterdir()
    content = path.read_bytes()
    for size in (len(content) - 100, 60, 0):
        path.write_bytes(content[:size])
        with pytest.raises(ValueError, match="need a whole packed file, delete"):
            short(cache=tmp_path)


def test_short_expressions_may_be_asked_for():
    rules = Rules(max_depth=3, max_args=4, min_length=5, max_length=30)
    data = listops(rules=rules, counts=(50, 10, 10))
    assert data.train.inputs.shape == (50, 32)
    assert data.train.lengths.min() > 6
