"""Data and tables of the ledger, field by field: each is of its own row."""

import dataclasses
import json

import pytest

from sigprop.ledger import errata, faults, search, terminal
from sigprop.ledger.entries import tally
from tests.shown import columns
from tests.sigprop.ledger.test_report import EVERYTHING, claim, result


def distinct(name, **fields_given):
    """An entry in which every text is another one, with its own name in it."""
    texts = ("title", "statement", "corrected", "condition", "note", "assumes", "topic",
             "counterexample", "bearing", "reason", "code", "printed")  # fmt: skip
    fields = {field: f"{field} of {name}" for field in texts}
    fields |= {
        "source": f"Someone (2024), Eq. of {name}",
        "routes": (f"route of {name}",),
        "appears_in": (f"place of {name}",),
        "inherits": (f"later than {name}",),
        "kind": "approximate",
    }
    return claim(
        f"zucchet:{name}", "refuted", errata_class="B", **(fields | fields_given)
    )


@pytest.fixture
def record(monkeypatch):
    """An erratum of two rows, as it stands in errata.json."""
    monkeypatch.setattr(errata, "page", {"zucchet:1": 7, "zucchet:2": 9}.get)
    (fault,) = faults.faults(
        [distinct("1"), distinct("2", root="zucchet:1", kind="exact")]
    )
    links = {"zucchet:1": "one.html", "zucchet:2": "two.html"}
    sheet = errata.as_json({"zucchet": [fault]}, links)
    (erratum,) = json.loads(json.dumps(sheet))["errata"]
    return erratum


def test_each_field_of_an_erratum_is_of_its_own_row(record):
    second = record.pop("also_wrong")
    assert second == [
        {
            "id": "zucchet:2",
            "address": "two.html",
            "section": "Eq. of 2",
            "page": 9,
            "printed": "statement of 2",
            "corrected": "corrected of 2",
            "counterexample": "counterexample of 2",
        }
    ]
    assert record == {
        "id": "zucchet:1",
        "address": "one.html",
        "paper": "zucchet",
        "class": "B",
        "section": "Eq. of 1",
        "page": 7,
        "status": "refuted",
        "title": "title of 1",
        "printed": "statement of 1",
        "corrected": "corrected of 1",
        "condition": "condition of 1",
        "what": "note of 1",
        "counterexample": "counterexample of 1",
        "appears_in": ["zucchet:2", "place of 1", "place of 2"],
        "inherits": {
            "reach": "some",
            "rows": ["later than 1", "later than 2"],
            "why": "bearing of 1",
        },
        "routes": ["route of 1"],
    }


def test_a_place_has_the_page_of_its_row(monkeypatch):
    monkeypatch.setattr(faults, "page", {"zucchet:1": 7}.get)
    assert faults.Fault(distinct("1")).location == "Eq. of 1, p. 7"
    assert faults.Fault(distinct("2")).location == "Eq. of 2"


def test_a_search_looks_through_every_text_of_a_row_and_nothing_else():
    entry = distinct("59", statement=r"\frac{a}{b}", corrected=r"\rho^2")
    assert search.search_text(entry).split(" \n") == [
        "zucchet:59",
        "title of 59",
        "Someone (2024), Eq. of 59",
        "approximate",
        "topic of 59",
        "(a)/(b)",
        "rho^2",
        "condition of 59",
        "note of 59",
    ]
    bare = distinct("59", corrected=None, condition=None, note="", topic="")
    assert search.search_text(bare).split(" \n") == [
        "zucchet:59", "title of 59", "Someone (2024), Eq. of 59", "approximate",
        "statement of 59",
    ]  # fmt: skip


LABELS = {
    "zucchet:59": "eq 59",
    "lru:thm2": "theorem 2",
    "lru:prop3.3": "proposition 3.3",
    "blur:lemmaA.4": "lemma a.4",
    "rotrnn:def1": "definition 1",
    "lru:fig4": "figure 4",
    "lru:table10": "table 10",
    "zucchet:footnote2": "footnote 2",
    "lru:corollary2": "",
}


def test_each_kind_of_number_has_its_own_name():
    assert {label: search.label(label) for label in LABELS} == LABELS
    assert {name.split()[0] for name in LABELS.values() if name} == {
        *search.KINDS.values()
    }


SIMULATED = claim(
    "zucchet:5",
    "confirmed",
    "proved",
    kind="approximate",
    routes=(
        "symbolic",
        "reference",
        "impulse",
        "autodiff",
        "closed_form",
        "monte_carlo",
        "x",
    ),
    results=(
        result("reference", 7.0),
        result("monte_carlo", 1.5, half=0.25),
        result("monte_carlo", 1.25, half=0.125),
        result("monte_carlo", 3.0, half=0.5, form="printed", verdict="refuted"),
    ),
    formula_mutants=31,
    killed_formula_mutants=29,
    seconds=2.5,
)
PLAIN = claim(
    "lru:4", "definition", results=(), routes=(), formula_mutants=0, seconds=0.25
)
RUN = dataclasses.replace(
    EVERYTHING, claims=(SIMULATED, PLAIN), tier="headline", seed=3, device="H200",
    dtype="float64", seconds=12.5,
)  # fmt: skip


def test_the_summary_of_a_run_has_each_number_in_its_column():
    assert columns(terminal.summary(RUN)) == [
        {
            "claim": "zucchet:5",
            "status": "confirmed",
            "expected": "proved",
            "routes": "proof, brute force, impulse response, autodiff, closed form, "
            "simulation, x",
            "measured / closed form": "1.1250 .. 1.7500",
            "mutants": "29/31",
            "seconds": "2.5",
        },
        {
            "claim": "lru:4",
            "status": "definition",
            "expected": "✓",
            "routes": "-",
            "measured / closed form": "-",
            "mutants": "-",
            "seconds": "0.2",
        },
    ]


def test_the_table_of_the_ledger_has_each_number_in_its_column():
    assert columns(terminal.ledger_table([SIMULATED, PLAIN])) == [
        {
            "row": "zucchet:5",
            "kind": "approximate",
            "status": "confirmed not proved",
            "mutants": "29/31",
            "title": "Title of zucchet:5",
        },
        {
            "row": "lru:4",
            "kind": "exact",
            "status": "definition",
            "mutants": "-",
            "title": "Title of lru:4",
        },
    ]


def test_the_outcome_says_how_the_run_was_made():
    assert terminal.outcome(RUN, 1.25) == (
        "0 of 1 verdicts are as expected; rows without a verdict: 1 definition. Tier headline, "
        "seed 3, float64 on H200. The run took 12.5 s, the imports 1.2 s."
    )


def test_rows_are_counted_by_what_they_are():
    entries = [
        claim("lru:1", "confirmed"),
        claim("lru:2", "proved"),
        claim("lru:3", "refuted", "proved"),
        claim("lru:4", "definition"),
        claim("lru:5", "definition", "proved"),
        claim("lru:6", "not-checkable"),
    ]
    assert tally(entries) == (
        "2 of 3 verdicts are as expected; rows without a verdict: 2 definitions, "
        "1 not checkable, 1 of these unexpectedly"
    )
    assert tally(entries[:1]) == "1 of 1 verdicts are as expected"
