"""Accepted findings are listed, and do not end the command with status 1."""

import json

import jsonschema
import numpy as np
import pytest

from sigprop.audit.lint import Settings, lint
from sigprop.audit.lint.accepted import Acceptance, accept, read_accepted
from sigprop.audit.lint.report import as_json, as_sarif, conclusion, lines
from sigprop.networks.foreign import of_arrays
from tests.sigprop.audit.lint import healthy
from tests.sigprop.audit.lint.test_command import SARIF
from tests.test_readme import ROOT, blocks

REASON = "the release starts with dt_bias = 1"
TABLE = {"rule": "steps-large", "layer": "layers.*", "reason": REASON}


def arrays():
    """Three layers: one has large steps, one a NaN that hides them, and one is sound."""
    out = {}
    for i in range(3):
        layer = healthy.mamba2(np.random.default_rng(i), heads=8)
        if i < 2:
            layer["dt_bias"] = np.ones(8, np.float32)
        if i == 1:
            layer["A_log"][2] = np.nan
        out |= {f"layers.{i}.{name}": array for name, array in layer.items()}
    return out


def report_of(*acceptances):
    return accept(lint(of_arrays(arrays()), Settings()), acceptances)


def found(report):
    return sorted((f.rule.id, f.layer) for f in report.graver)


def test_findings_of_the_rule_and_the_layers_are_accepted_and_no_others():
    every = [("decay-not-finite", "layers.1"), ("steps-large", "layers.0")]
    assert found(report_of()) == every
    report = report_of(Acceptance("steps-large", "*", REASON))
    assert found(report) == every[:1]
    assert [(f.layer, reason) for f, reason in report.accepted] == [
        ("layers.0", REASON)
    ]
    assert report.unused == ()
    other = Acceptance("steps-large", "layers.2", REASON)
    report = report_of(other)
    assert (found(report), report.accepted) == (found(report_of()), ())
    assert report.unused == (f"steps-large in layers.2 ({REASON})",)


def test_brackets_in_the_name_of_a_layer_are_those_of_the_name():
    named = {
        f"['a'].{n.split('.', 2)[2]}": x for n, x in arrays().items() if ".0." in n
    }
    report = lint(of_arrays(named), Settings())
    (finding,) = report.graver
    assert accept(report, [Acceptance("steps-large", finding.layer, "x")]).graver == ()


def test_accepted_findings_are_told_in_words_and_counted_apart():
    stale = Acceptance("memory-short", "layers.7", "known")
    report = report_of(Acceptance("steps-large", "layers.*", REASON), stale)
    told = [*lines(report)]
    assert f"accepted steps-large: 1 finding ({REASON})" in told
    assert (
        "accepted and not found: memory-short in layers.7 (known); take it out of the file"
    ) in told
    assert "1 error, 0 warnings, 0 notes, 1 accepted; 6 of 6" in conclusion(report)
    content = as_json(report)
    assert [row["id"] for row in content["findings"]] == ["decay-not-finite"]
    (row,) = content["accepted"]
    assert (row["id"], row["layer"], row["reason"]) == (
        "steps-large", "layers.0", REASON
    )  # fmt: skip
    assert content["accepted_and_not_found"] == ["memory-short in layers.7 (known)"]


def test_sarif_has_accepted_findings_as_suppressed_results():
    content = as_sarif(report_of(Acceptance(*TABLE.values())), "1.0")
    jsonschema.validate(content, SARIF)
    plain, suppressed = content["runs"][0]["results"]
    assert (plain["ruleId"], "suppressions" in plain) == ("decay-not-finite", False)
    assert suppressed["ruleId"] == "steps-large"
    assert suppressed["suppressions"] == [{"kind": "external", "justification": REASON}]
    suppressed["suppressions"][0]["kind"] = "accepted"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(content, SARIF)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ({"accepted": []}, "need accept in .*, got 'accepted'"),
        ({"accept": {"rule": "x"}}, "need a list `accept` of tables"),
        ({"accept": [{**TABLE, "layers": "*"}]}, "need rule, layer, .*, got 'layers'"),
        (
            {"accept": [{**TABLE, "rule": "step-large"}]},
            "such as 'steps-large', in .*, got 'step-large'",
        ),
        (
            {"accept": [{**TABLE, "rule": 3}]},
            "need a rule of sigprop lint in .*, got 3",
        ),
        ({"accept": [{"rule": "steps-large"}]}, "need a text in reason of steps-large"),
        (
            {"accept": [{**TABLE, "reason": " "}]},
            "need a text in reason of steps-large",
        ),
        ({"accept": [{**TABLE, "layer": 2}]}, "need a text in layer of steps-large"),
    ],
)
def test_a_file_with_an_unknown_key_or_rule_is_refused(content, message, tmp_path):
    path = tmp_path / "accepted.json"
    path.write_text(json.dumps(content))
    with pytest.raises(ValueError, match=message):
        read_accepted(path)


def test_the_example_of_the_page_is_read(tmp_path):
    page = (ROOT / "docs" / "lint_in_ci.md").read_text("utf-8")
    (text,) = (block.text for block in blocks(page) if block.language == "toml")
    path = tmp_path / "accepted.toml"
    path.write_text(text)
    first, second = read_accepted(path)
    assert (first.rule, first.layer) == ("steps-large", "model.layers.*.mamba")
    assert (second.rule, second.layer) == ("ring-wrong", "*")


def test_a_layer_that_is_left_out_means_all_and_control_characters_are_shown(tmp_path):
    path = tmp_path / "accepted.json"
    path.write_text(
        json.dumps({"accept": [{"rule": "steps-large", "reason": "a\x1b[31m\nb"}]})
    )
    (one,) = read_accepted(path)
    assert one.layer == "*"
    assert "\x1b" not in one.reason
    assert "\n" not in one.reason
