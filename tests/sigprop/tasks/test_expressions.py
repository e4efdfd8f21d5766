"""Drawn expressions have the benchmark's lengths and values; operators do as they say."""

import functools
import statistics

import numpy as np
import pytest
from scipy.stats import chisquare

from sigprop.tasks.expressions import (
    BLOCK,
    CLOSE,
    DIGIT,
    LRA,
    OPERATOR,
    SHORT,
    TOKENS,
    Rules,
    distinct,
    expressions,
    values,
)

SIGNIFICANCE = 1e-4
BLOCKS = 12  # about 4,000 accepted expressions
FEWER = 4  # enough for rules that are wrong
LABELS = [
    *(0.1688, 0.0918, 0.0757, 0.0842, 0.0884),
    *(0.0867, 0.0765, 0.0710, 0.0867, 0.1702),
]
LENGTH_BINS = [500, 600, 700, 800, 900, 1000, 1200, 1400, 1600, 1800, 2000]
LENGTHS = [
    *(0.1272, 0.1184, 0.1084, 0.0973, 0.0872),
    *(0.1454, 0.1121, 0.0880, 0.0659, 0.0500),
]
MINIMUM = [0.564, 0.218, 0.103, 0.056, 0.027, 0.015, 0.008, 0.005, 0.002, 0.001]
MEDIAN = [0.011, 0.046, 0.098, 0.169, 0.212, 0.203, 0.143, 0.077, 0.032, 0.007]
ROOTS = {
    "[MIN": MINIMUM,
    "[MAX": MINIMUM[::-1],
    "[MED": MEDIAN,
    "[SM": [0.1] * 10,
}


def tokens(text):
    return np.array([TOKENS.index(part) for part in text.split()], np.uint8)


@functools.cache
def sample(rules, blocks=BLOCKS):
    parts = [expressions(rules, 2021, block) for block in range(blocks)]
    joined = np.concatenate([part.tokens for part in parts])
    return joined, np.concatenate([part.lengths for part in parts])


def split_up(joined, lengths):
    return np.split(joined, np.cumsum(lengths)[:-1])


def p_value(counts, shares):
    shares = np.array(shares) / sum(shares)
    return chisquare(counts, shares * counts.sum()).pvalue


def deviations(rules, blocks):
    """What of the benchmark's statistics these rules do not reproduce."""
    joined, lengths = sample(rules, blocks)
    labels = np.bincount(values(joined), minlength=10)
    bins = np.histogram(lengths, LENGTH_BINS)[0]
    checks = {
        "labels": p_value(labels, LABELS) < SIGNIFICANCE,
        "lengths": p_value(bins, LENGTHS) < SIGNIFICANCE,
        "bounds": lengths.min() < 501 or lengths.max() > 1999,
        "mean length": abs(lengths.mean() - 1035.8) > 26,
        "acceptance": abs(len(lengths) / (blocks * BLOCK) - 0.0829) > 0.006,
    }
    return {name for name, wrong in checks.items() if wrong}


def by_recursion(tokens_left):
    """The value by the definitions, one word after another, and the words behind it."""
    head, rest = tokens_left[0], tokens_left[1:]
    if head.isdigit():
        return int(head), rest
    arguments = []
    while rest[0] != "]":
        value, rest = by_recursion(rest)
        arguments.append(value)
    results = {
        "[MIN": min(arguments),
        "[MAX": max(arguments),
        "[MED": int(statistics.median(arguments)),
        "[SM": sum(arguments) % 10,
    }
    return results[head], rest[1:]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", 7),
        ("[MIN 4 2 9 ]", 2),
        ("[MAX 4 2 9 ]", 9),
        ("[MED 9 1 4 ]", 4),
        ("[MED 1 4 ]", 2),
        ("[MED 9 8 ]", 8),
        ("[MED 9 0 3 8 ]", 5),
        ("[MED 0 0 9 9 ]", 4),
        ("[SM 4 6 ]", 0),
        ("[SM 9 9 9 9 9 9 9 9 9 9 ]", 0),
        ("[SM 9 9 9 9 9 9 9 9 9 8 ]", 9),
        ("[MAX 2 9 [MIN 4 7 ] 0 ]", 9),
        ("[MIN [MAX 2 9 ] [SM 8 [MED 3 4 6 6 ] ] ]", 3),
        ("[SM [SM 1 2 ] [SM 3 4 ] [SM 5 6 ] 7 ]", 8),
        ("[MIN 5 ]", 5),
        ("[MAX 1 2 3 4 5 6 7 8 9 8 7 6 5 ]", 9),
    ],
)
def test_operators_do_as_they_say(text, value):
    assert values(tokens(text)).tolist() == [value]
    assert by_recursion(text.split()) == (value, [])


def test_expressions_in_a_row_are_evaluated_each():
    joined = tokens("3 [MIN 1 2 ] [MAX [MIN 8 9 ] 0 ] 5 [SM 9 9 ]")
    assert values(joined).tolist() == [3, 1, 8, 5, 8]
    assert values(joined[:0]).tolist() == []


def test_values_are_those_of_a_recursion():
    joined, lengths = sample(SHORT, 1)
    results = values(joined)
    for expression, value in list(zip(split_up(joined, lengths), results, strict=True))[
        :500
    ]:
        assert by_recursion([TOKENS[token] for token in expression]) == (value, [])


@pytest.mark.parametrize(
    "text", ["[MIN 1", "1 ]", "] 1 [MIN", "[MAX ] ]", "<eos>", "1 <pad>"]
)
def test_values_refuse_what_is_no_expression(text):
    with pytest.raises(ValueError, match="need tokens from 3 to 17 and every bracket"):
        values(tokens(text))


def test_values_refuse_an_operator_of_nothing():
    with pytest.raises(ValueError, match="at least one argument"):
        values(tokens("[MIN 3 [MAX ] ]"))


def test_the_benchmark_is_reproduced():
    assert len(sample(LRA)[1]) > 3900
    assert deviations(LRA, BLOCKS) == set()
    assert deviations(LRA, FEWER) == set()


@pytest.mark.parametrize(
    ("rules", "telling"),
    [
        (Rules(p_operator=0.24), "acceptance"),
        pytest.param(Rules(p_operator=0.26), "acceptance", marks=pytest.mark.slow),
        (Rules(max_args=9), "acceptance"),
        pytest.param(Rules(max_args=11), "lengths", marks=pytest.mark.slow),
        pytest.param(Rules(max_depth=9), "lengths", marks=pytest.mark.slow),
        (Rules(min_length=499), "bounds"),
        pytest.param(Rules(max_length=2040), "bounds", marks=pytest.mark.slow),
        pytest.param(Rules(max_length=1800), "lengths", marks=pytest.mark.slow),
    ],
)
def test_other_rules_are_noticed(rules, telling):
    assert telling in deviations(rules, FEWER)


@pytest.mark.parametrize(
    ("written", "meant"), [("[MED", "[SM"), ("[MAX", "[MIN"), ("[SM", "[MAX")]
)
def test_another_operator_is_noticed(written, meant):
    joined, _ = sample(LRA)
    changed = np.where(joined == TOKENS.index(written), TOKENS.index(meant), joined)
    labels = np.bincount(values(changed.astype(np.uint8)), minlength=10)
    assert p_value(labels, LABELS) < SIGNIFICANCE


def test_values_given_the_root_are_the_benchmarks():
    joined, lengths = sample(LRA)
    roots = joined[np.cumsum(lengths) - lengths]
    results = values(joined)
    assert p_value(np.bincount(roots)[OPERATOR:], [0.25] * 4) > SIGNIFICANCE
    for name, shares in ROOTS.items():
        counts = np.bincount(results[roots == TOKENS.index(name)], minlength=10)
        shares = np.array(shares) / sum(shares)
        allowed = 4.5 * np.sqrt(shares * (1 - shares) / counts.sum()) + 5e-4
        assert (np.abs(counts / counts.sum() - shares) < allowed).all()


def test_shares_of_tokens_are_the_benchmarks():
    joined, _ = sample(LRA)
    shares = np.bincount(joined, minlength=len(TOKENS)) / len(joined)
    np.testing.assert_allclose(shares[DIGIT:OPERATOR], 0.07155, atol=5e-4)
    np.testing.assert_allclose(shares[OPERATOR:CLOSE], 0.0356, atol=3e-4)
    np.testing.assert_allclose(shares[CLOSE], 0.1423, atol=3e-4)
    assert shares[:DIGIT].sum() == 0


@pytest.mark.parametrize("rules", [LRA, SHORT])
def test_every_expression_keeps_the_rules(rules):
    joined, lengths = sample(rules)
    assert rules.min_length < lengths.min()
    assert lengths.max() < rules.max_length
    for expression in split_up(joined, lengths)[:300]:
        opened, widths, deepest = [], [], 1
        for token in expression.tolist():
            if token == CLOSE:
                widths.append(opened.pop())
            elif opened:
                opened[-1] += 1
            if OPERATOR <= token < CLOSE:
                opened.append(0)
            deepest = max(deepest, len(opened) + 1)
        assert opened == []
        assert min(widths) >= 2
        assert max(widths) <= rules.max_args
        leaves = len(expression) - 2 * len(widths)
        assert sum(widths) == leaves + len(widths) - 1
        assert deepest <= rules.max_depth
        assert deepest == rules.max_depth or rules != LRA


def test_the_bounds_of_the_length_are_left_out():
    rules = Rules(max_depth=2, max_args=4, min_length=4, max_length=6)
    lengths = sample(rules, 1)[1]
    assert set(lengths.tolist()) == {5}
    assert LRA.width == 2048
    assert [Rules(min_length=1, max_length=top).width for top in (8, 9)] == [8, 16]


def test_draws_depend_on_seed_and_block_alone():
    first = expressions(SHORT, 3, 5)
    repeated = expressions(SHORT, 3, 5)
    np.testing.assert_array_equal(first.tokens, repeated.tokens)
    for seed, block in [(3, 6), (4, 5)]:
        other = expressions(SHORT, seed, block).tokens[: len(first.tokens)]
        assert not np.array_equal(first.tokens[: len(other)], other)


def test_fewer_expressions_are_the_first_of_more():
    few, many = (list(distinct(SHORT, count, 0).items()) for count in (300, 900))
    assert many[:300] == few
    blocks = [expressions(SHORT, 0, block) for block in range(3)]
    drawn_bytes = [
        expression.tobytes() for block in blocks for expression in split_up(*block)
    ]
    assert [expression for expression, _ in many] == list(dict.fromkeys(drawn_bytes))[
        :900
    ]


def test_rules_of_few_expressions_end():
    digits = Rules(max_depth=1, min_length=0, max_length=2)
    assert sorted(distinct(digits, 10, 0).values()) == list(range(10))
    with pytest.raises(ValueError, match="need 11 distinct expressions, got 10"):
        distinct(digits, 11, 0)
    with pytest.raises(ValueError, match="need 1 distinct expressions, got 0"):
        distinct(Rules(max_depth=1), 1, 0)


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"max_depth": 0}, "max_depth >= 1"),
        ({"max_args": 1}, "max_args >= 2"),
        ({"min_length": -1}, "min_length"),
        ({"max_length": 501}, "min_length < max_length - 1"),
        ({"p_operator": 1.5}, "p_operator"),
    ],
)
def test_rules_that_admit_nothing_are_refused(changed, match):
    with pytest.raises(ValueError, match=match):
        Rules(**changed)
