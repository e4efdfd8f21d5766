"""What is said of a row below a figure: the means, the condition or the class."""

import dataclasses

import pytest

from sigprop.judge.findings import finding
from tests.sigprop.ledger.test_report import EVERYTHING

CLAIM = dataclasses.replace(
    EVERYTHING.claims[0],
    status="confirmed",
    arithmetic=False,
    as_extracted=False,
    routes=("reference",),
    condition="a < 1",
    errata_class="C",
)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"status": "proved"}, "proved"),
        ({}, "confirmed numerically"),
        ({"routes": ("reference", "monte_carlo")}, "confirmed by simulation"),
        ({"routes": ("trained",)}, "confirmed by trainings"),
        ({"arithmetic": True}, "agrees with the paper's own numbers"),
        ({"status": "conditional"}, "true only under a condition: a < 1"),
        ({"status": "refuted"}, "a misprint that the next line repairs"),
        ({"status": "refuted", "errata_class": None}, "refuted"),
        ({"status": "undecided"}, "undecided"),
        ({"status": "definition"}, "a definition"),
        ({"status": "not-checkable"}, "not judged"),
        (
            {"status": "proved", "as_extracted": True},
            "proved, but our copy of the paper may have lost a mark",
        ),
    ],
)
def test_a_finding_says_what_was_judged_and_how(changes, words):
    assert finding(dataclasses.replace(CLAIM, **changes)) == words
