"""The sentence of every rule: each of its numbers is computed here in another way."""

import math

import ml_dtypes
import numpy as np
import pytest

from sigprop.audit.lint import RULES, Settings, lint
from sigprop.audit.lint.check import not_finite
from sigprop.audit.lint.findings import Case
from sigprop.audit.lint.optimiser import optimiser
from sigprop.audit.lint.report import as_json, as_sarif, conclusion, lines, table
from sigprop.networks.foreign import Rest, find, of_arrays
from tests.shown import columns
from tests.sigprop.audit.lint.healthy import f4


def rows(*values):
    """Modes as a layer has them: a row for all that read the same inputs."""
    return np.array(values, float).reshape(-1, len(values))


def stored(dtype="float32"):
    """A layer whose decay is stored in this format."""
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    arrays = {"l.nu_log": np.zeros(3, kind), "l.theta_log": np.zeros(3, np.float32)}
    (layer,) = find(of_arrays(arrays))
    return layer


def T(nu):
    """A time constant in steps."""
    return 1 / (1 - math.exp(-nu))


LRU = {"nu": rows(0.1, 0.2, 0.25, 0.4)}
HALF = np.array([0.5, 0.125, 0.3, -0.2])
CLIPPED = np.array([0.1, 0.2, 0.3, 0.4, 0.75, 0.75, 0.75, 0.75, 0.75])
LIKE_WEIGHTS = np.array([0.05, -0.03, 0.01, 0.02, -0.02, 0.04, 0.03, 0.02])
NU = np.exp(LIKE_WEIGHTS)  # all close to 1, their median between the two of 0.02

# Rule, what the layer has at rest, what is said of its use, and what follows.
SAID = [
    (
        "decay-not-finite",
        Rest(
            rows(1, 2), raw={"nu_log": np.array([np.nan, -np.inf, -np.inf, np.inf, 1])}
        ),
        {},
        "4 of 5 numbers of nu_log are not finite (1 NaN, 2 -inf): all outputs are NaN",
    ),
    (
        "decay-not-finite",
        Rest(rows(1, 2), raw={"A_log": np.array([-np.inf, 1.0, 2.0])}),
        {"length": 77},
        "1 of 3 numbers of A_log are not finite (0 NaN, 1 -inf): |lam| is 1 or 0 there; "
        "where it is 1, white inputs raise E|h|^2 to 77 in 77 steps",
    ),
    (
        "decay-not-finite",
        Rest(rows(1, 2), raw={"A_log": np.array([-np.inf, 1.0, 2.0])}),
        {},
        "1 of 3 numbers of A_log are not finite (0 NaN, 1 -inf): |lam| is 1 or 0 there; "
        "where it is 1, white inputs raise E|h|^2 to 1000 in 1000 steps",
    ),
    (
        "decay-all-zero",
        Rest(rows(0.5, 0.05, 0.01, -3), raw={"A_log": np.zeros(4)}),
        {},
        # 1/(1 - exp(-0.5)) and 1/(1 - exp(-0.01))
        "all 4 numbers of A_log are zero; time constants lie between 2.54 and 101 steps",
    ),
    (
        "decay-part-zero",
        Rest(**LRU, raw={"nu_log": np.array([0, 1.5, 0, 2.5, 0.1])}),
        {},
        "2 of 5 numbers of nu_log are exactly zero and the others are not, as after an "
        "initialisation of one shard alone",
    ),
    (
        "decay-part-zero",
        Rest(**LRU, raw={"A_log": np.array([[0, 0.7], [0, 0], [0, 0], [0, 0.7]])}),
        {},
        "2 of 4 rows of A_log are exactly zero and the others are not, as after an "
        "initialisation of one shard alone",
    ),
    (
        "decay-overflow",
        Rest(rows(np.inf, 0.1, 0.2), theta=rows(1, np.nan, np.inf)),
        {"dtype": "bfloat16"},
        "-log|lam| is infinite or NaN in bfloat16 for 1 of 3 modes, though every stored "
        "number is finite",
        "the phase is infinite or NaN in bfloat16 for 2 of 3 modes, though every stored "
        "number is finite",
    ),
    (
        "decay-overflow",
        Rest(rows(0.1, 0.2), gamma=rows(1, 7e4)),
        {"dtype": "float16"},  # at most 65504
        "gamma is infinite or NaN in float16 for 1 of 2 modes, though every stored number "
        "is finite",
    ),
    (
        "gates-swapped",
        Rest(
            **LRU,
            gates={
                "forget": np.array([0.1, 0.3, -0.2]),
                "input": np.array([3.0, 4.0, 6.0]),
                "output": np.array([0.1, 0.2, 6.0]),
            },
        ),
        {},
        # 1 + exp(4) and 1 + exp(0.1)
        "the input gates have biases up to 6, the forget gates up to 0.3; as forget biases, "
        "they would give a median time constant of 55.6 steps instead of 2.11",
    ),
    (
        "recurrent-exploding",
        Rest(**LRU, jacobian=np.array([[0, -9.0, 0], [1, 0, 0], [5, 5, 0.5]])),
        {},
        # Eigenvalues 3i, -3i and 0.5.
        "without inputs, small states grow by a factor 3 per step (spectral radius of the "
        "Jacobian of 3 neurons at state zero)",
    ),
    (
        "decay-overwritten",
        Rest(NU[None], raw={"nu_log": LIKE_WEIGHTS}),
        {},
        "nu_log has mean 0.015 and standard deviation 0.026, like a new weight matrix; the "
        f"median time constant is {T(math.exp(0.02)):.3g} steps",
    ),
    (
        "one-memory",
        Rest(rows(0.05, 0.05, 0.05, 0.0501), raw={"nu_log": HALF}),
        {},
        "all 4 modes have a time constant of 20.5 steps",
    ),
    (
        "mode-exploding",
        Rest(rows(0.5, -0.02, -0.01)),
        {"length": 500},
        # exp(0.02 * 500) = 22026 = 10^4.34
        "2 of 3 modes have |lam| > 1; the fastest grows by a factor 10^4.34 in 500 steps",
    ),
    (
        "mode-exploding",
        Rest(rows(0.5, -0.02, 0.01, 1)),
        {},
        "1 of 4 modes have |lam| > 1; the fastest grows by a factor 10^8.69 in 1000 steps",
    ),
    (
        "mode-frozen",
        Rest(rows(1e-12, 0, 0.1)),
        {"length": 512},
        "2 of 3 modes never decay: white inputs raise E|h|^2 to 512 in 512 steps",
    ),
    (
        "frozen-for-length",
        Rest(rows(1e-5, 2e-5, 1e-6, 0.1)),
        {"length": 300},
        "3 of 4 modes have a time constant above 100 times 300 steps: they sum their "
        "inputs without decay",
    ),
    (
        "mode-instant",
        Rest(rows(30, 40, 50, 0.1)),
        {},
        "3 of 4 modes have |lam| below 3e-08: the state equals the last input",
    ),
    (
        "memory-short",
        Rest(**LRU),
        {"length": 1000},
        # exp(-0.1 * 1000) = 3.72e-44
        "the longest time constant is 10.5 steps. After 1000 steps 10^-43.4 of an input "
        "remains",
    ),
    (
        "memory-short",
        Rest(**LRU, moved=True),
        {"length": 1000, "dtype": "bfloat16"},
        "the longest time constant is 10.5 steps (computed from the biases alone). After 1000 "
        "steps 10^-43.4 of an input remains",
    ),
    (
        "resolution-lost",
        Rest(rows(0.001, 0.003, 0.1)),
        {"dtype": "bfloat16"},
        # A gap of 2^-8; of 1 - k/256 those from 1 - 1/10 to 1 - 1/1000.5: k = 1 .. 25.
        "in bfloat16 2 of 3 modes have gaps below 0.0039; from 10 to 1e+03 steps there "
        "are 25 distinct time constants, the longest of 256 steps",
    ),
    (
        "steps-small",
        Rest(rows(0.02, 0.05), steps=np.array([1e-4, 4e-4, 0.01])),
        {},
        "2 of 3 steps are below 0.0005, the median 0.0004 (its square root is 0.02); the "
        "longest time constant is 50.5 steps",
    ),
    (
        "steps-small",
        Rest(rows(0.02, 0.05), steps=np.array([1e-5, 9e-5, 4e-4, 0.01])),
        {"length": 10000},
        "2 of 4 steps are below 0.0001, the median 0.00024 (its square root is 0.016); "
        "the longest time constant is 50.5 steps",
    ),
    (
        "steps-large",
        Rest(rows(0.2, 0.5), steps=np.array([0.3, 0.7, 0.15])),
        {},
        "2 of 3 steps are above 0.2, the median 0.3; the longest time constant is 5.52 steps",
    ),
    (
        "ring-wrong",
        Rest(rows(0.4, 0.5, 0.6), open=rows(0.01, 0.5, 0.8)),
        {},
        # exp(-0.8) = 0.449, exp(-0.01) = 0.99005, 1/(1 - 0.999) = 1000
        "with open gates |lam| lies in [0.45, 0.99]: the longest time constant is 101 "
        "steps; on the paper's ring it would be 1000",
    ),
    (
        "decay-clipped",
        Rest(**LRU, raw={"nu_log": CLIPPED}),
        {},
        "5 of 9 numbers of nu_log equal 0.75, an end of their range, where the gradient is "
        "zero",
    ),
    (
        "mode-dead",
        Rest(**LRU, silent={"C": rows(0, 2, 0, 1)}),
        {},
        "2 of 4 modes have zero in C: they change no output, and the gradient of their "
        "decay is zero",
    ),
    (
        "mode-dead",
        Rest(**LRU, gamma=rows(1e-39, 0, 0, 1)),
        {},
        "3 of 4 modes have gamma = 0 in float32: they receive no input",
    ),
    (
        "mode-duplicated",
        Rest(
            np.array([[0.1, 0.2, 0.3, 0.4, 0.5], [0.1, 0.1, 0.1, 0.2, 0.2]]),
            shared=True,
        ),
        {},
        "5 modes of row 1 have 2 distinct eigenvalues: 3 add nothing to the impulse "
        "response",
    ),
    (
        "mode-duplicated",
        Rest(rows(0.1, 0.1, 0.1, 0.2), theta=rows(1, 1, 2, 2), shared=True),
        {},
        "4 modes have 3 distinct eigenvalues: 1 add nothing to the impulse response",
    ),
    (
        "gamma-mismatch",
        # sqrt(1 - |lam|^2) is 0.6 and 0.8; ratios 5, 2.5 and 2.5; squares 25, 6.25, 6.25.
        Rest(rows(*(-np.log([0.8, 0.6, 0.6]))), gamma=rows(3, 2, 2)),
        {},
        "the median of gamma / sqrt(1 - |lam|^2) is 2.5: for white inputs of variance 1, "
        "E|h|^2 is 12.5 instead of 1",
    ),
    (
        "gates-saturated",
        Rest(**LRU, gates={"input": np.array([-10.0, 9.0, 11.0, 0.5])}),
        {},
        "3 of 4 input gates have a bias beyond 8.6; their derivative is 5e-05, where 0.25 "
        "is possible",
    ),
    (
        "phase-aliased",
        Rest(rows(1, 1, 1), theta=rows(-3.3, 3.2, 1), steps=np.array([1.0])),
        {},
        "2 of 3 modes rotate by more than pi per step, up to 3.3: they act like slower "
        "rotations",
    ),
    (
        "phase-aliased",
        Rest(rows(1, 1, 1, 1), theta=rows(-7, 8, 1, 6.4)),
        {},
        "2 of 4 modes have phases beyond 2 pi, up to 8: only the remainder modulo 2 pi counts",
    ),
    (
        "phase-turns",
        # Slow ones have 2 pi - 5 = 1.2832 and 1 rad a step: 204.2 and 159.2 turns.
        Rest(rows(1e-4, 5e-4, 0.1), theta=rows(5, 1, 3)),
        {"length": 1000},
        "2 modes have time constants above 1000 steps and rotate 182 times within 1000 "
        "steps",
    ),
]


@pytest.mark.parametrize("case", SAID, ids=[case[0] for case in SAID])
def test_the_numbers_of_a_consequence_are_those_of_the_layer(case):
    name, rest, use, *expected = case
    (rule,) = (candidate for candidate in RULES if candidate.id == name)
    assert [*rule.check(Case(stored(), rest, Settings(**use)))] == expected


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_resolution_is_that_of_the_format_in_which_the_modulus_is_computed(dtype):
    """Its longest time constant is the inverse of the distance of neighbours below one.

    A logarithm that is stored in the format says nothing of the modulus.
    """
    (rule,) = (candidate for candidate in RULES if candidate.id == "resolution-lost")
    rest = Rest(rows(1e-4, 0.5))
    assert not [*rule.check(Case(stored(dtype), rest, Settings()))]
    (sentence,) = rule.check(Case(stored(), rest, Settings(dtype=dtype)))
    bits = {"float16": 2048, "bfloat16": 256}[dtype]
    assert sentence.startswith(
        f"in {dtype} 1 of 2 modes have gaps below {1 / bits:.2g};"
    )
    assert sentence.endswith(f"the longest of {bits} steps")


def of_rule(name, arrays, **use):
    report = lint(
        of_arrays({f"l.{key}": array for key, array in arrays.items()}), Settings(**use)
    )
    return [
        finding.consequence for finding in report.findings if finding.rule.id == name
    ]


# Rates exp(-1), exp(-3) and exp(-5).
FADING = f4(nu_log=[-1, -3, -5], theta_log=[-1, 0, 1])


@pytest.mark.parametrize("steps", [None, 1000])
def test_weight_decay_is_followed_for_the_steps_of_the_training_or_one_half_life(steps):
    use = {
        "lr": 0.01,
        "weight_decay": 0.05,
        **({} if steps is None else {"steps": steps}),
    }
    (sentence,) = of_rule("weight-decay", FADING, optimiser=optimiser(use))
    half = math.log(2) / (0.01 * 0.05)
    left = 0.5 if steps is None else math.exp(-0.5)  # of a logarithm
    assert sentence == (
        f"nu_log, theta_log halve in {half:.4g} steps (learning rate 0.01, weight decay "
        f"0.05); this alone changes the median time constant from {T(math.exp(-3)):.3g} to "
        f"{T(math.exp(-3 * left)):.3g} steps in {steps or half:.4g} training steps"
    )


def test_groups_without_numbers_of_their_own_have_those_of_the_optimiser():
    """Of each of the two, and of what no group names."""
    groups = [
        {"params": ["a"]},
        {"params": ["b"], "lr": 3},
        {"params": ["c"], "weight_decay": 7},
    ]
    settings = optimiser(
        {"lr": 0.5, "weight_decay": 0.25, "no_decay": ["d"], "groups": groups}
    )
    rates = {
        name: (settings.group(name).rate, settings.group(name).decay)
        for name in "abcde"
    }
    assert rates == {
        "a": (0.5, 0.25), "b": (3, 0.25), "c": (0.5, 7), "d": (0.5, 0), "e": (0.5, 0.25)
    }  # fmt: skip
    assert (optimiser({}).group("a").rate, optimiser({}).group("a").decay) == (0.001, 0)


HALVES = ("float16", "bfloat16")


@pytest.mark.parametrize("dtype", [*HALVES, "float32", "float64", "complex64"])
def test_infinities_and_nans_are_counted_in_every_format(dtype):
    kind = np.dtype(getattr(ml_dtypes, dtype, dtype))
    top = float(ml_dtypes.finfo(kind).max) if dtype in HALVES else 1e30
    sound = [0.0, -1.0, top, -top, 1e-7, 3.0]
    for wrong in ([], [np.inf], [np.nan, -np.inf, np.inf]):
        with np.errstate(over="ignore"):
            array = np.array([*sound, *wrong]).astype(kind)
        arrays = {**FADING, "w": array}
        (tensor,) = (
            stored_tensor
            for name, stored_tensor in of_arrays(arrays).tensors.items()
            if name == "w"
        )
        assert not_finite(tensor) == len(wrong)
        sentences = [f"{len(wrong)} of {array.size} numbers are infinite or NaN"]
        assert of_rule("weights-not-finite", arrays) == sentences * bool(wrong)


# By tests of their own, above, in ``test_judged`` and in ``test_released``.
ELSEWHERE = {
    *("weights-not-finite", "weight-decay", "decay-negative", "log-rounded"),
    *("array-transposed", "not-judged", "gate-constant"),
}


def test_every_rule_has_a_sentence_that_is_read_back():
    assert {case[0] for case in SAID} | ELSEWHERE == {rule.id for rule in RULES}


TWO = {
    "a.nu_log": np.log([0.5, 0.1, 0.02, 0.0099, 0.005]),
    "a.theta_log": np.zeros(5),
    "b.nu_log": np.log([0.25, 0.125]),
    "b.theta_log": np.array([-1.0, -2.0]),
}


def test_the_table_of_memories_has_each_number_in_its_column():
    report = lint(of_arrays(TWO), Settings(100))
    family = "the LRU"
    assert columns(table(report)) == [
        {
            "layer": "a", "family": family, "modes": "5", "shortest": "2.54", "median": "50.5",
            "longest": "201", ">= 100": "40%",
        },
        {
            "layer": "b", "family": family, "modes": "2", "shortest": "4.52", "median": "6.52",
            "longest": "8.51", ">= 100": "0%",
        },
    ]  # fmt: skip
    layers = as_json(report)["layers"]
    for row, layer in zip(columns(table(report)), layers, strict=True):
        for name in ("shortest", "median", "longest", "modes"):
            assert row[name] == f"{layer[name]:.3g}"
        assert row[">= 100"] == f"{layer['share_beyond_length']:.0%}"
    assert ">= 100" not in columns(table(lint(of_arrays(TWO), Settings())))[0]


def ring_arrays(nu, phases):
    """A layer of one row, as an LRU without gamma is stored."""
    return {"nu_log": np.log(nu), "theta_log": np.log(phases)}


def test_findings_are_counted_by_severity_and_given_with_reason_and_remedy():
    layers = {
        "b": ring_arrays([0.1, 0.01], [100.0, 2.0]),  # beyond a whole turn
        "c": ring_arrays([0.0015, 0.9], [3.0, 2.0]),  # turns too often
        **{f"d.{i}": ring_arrays([0.05, 0.2], [1.0, 2.0]) for i in range(6)},
    }
    arrays = {
        f"{key}.{end}": x for key, layer in layers.items() for end, x in layer.items()
    }
    spoilt = {"w": np.array([np.inf, 1.0]), "v": np.array([np.nan, np.nan])}
    report = lint(of_arrays(arrays | spoilt), Settings(200))
    assert conclusion(report) == (
        "8 recurrent layers: 2 errors, 9 warnings, 1 note; 16 of 16 recurrent tensors judged."
    )
    by_id = {rule.id: rule for rule in RULES}
    report_lines = [*lines(report)]
    heads = [line for line in report_lines if not line.startswith(" ")]
    assert heads == [
        f"{severity} {name}: {by_id[name].says}"
        for severity, name in (
            ("error", "weights-not-finite"),
            ("warning", "gamma-mismatch"),
            ("warning", "phase-aliased"),
            ("note", "phase-turns"),
        )
    ]
    assert report_lines[:5] == [
        heads[0],
        "  v: 2 of 2 numbers are infinite or NaN",
        "  w: 1 of 2 numbers are infinite or NaN",
        f"  why: {by_id['weights-not-finite'].form}",
        f"  do: {by_id['weights-not-finite'].remedy}",
    ]
    # Of the eight layers without gamma six are given in full.
    assert report_lines.index("  and 2 more") == report_lines.index(heads[1]) + 7
    sarif = as_sarif(report, "7")["runs"][0]
    rules = sarif["tool"]["driver"]["rules"]
    for finding, entry in zip(report.findings, sarif["results"], strict=True):
        assert entry["message"]["text"] == f"{finding.layer}: {finding.consequence}"
        assert (entry["ruleId"], entry["level"]) == (finding.rule.id, finding.severity)
        assert rules[entry["ruleIndex"]] == {
            "id": finding.rule.id,
            "shortDescription": {"text": finding.rule.says},
            "fullDescription": {"text": finding.rule.form},
            "help": {"text": finding.rule.remedy},
            "defaultConfiguration": {"level": finding.rule.severity},
        }
    for finding, entry in zip(
        report.findings, as_json(report)["findings"], strict=True
    ):
        assert entry == {
            **{
                name: getattr(finding, name) for name in ("severity", "layer", "family")
            },
            **{name: getattr(finding, name) for name in ("form", "remedy")},
            "says": finding.rule.says,
            "consequence": finding.consequence,
            "id": finding.rule.id,
        }
