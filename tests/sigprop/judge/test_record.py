"""Every figure of a verdict arrives where a reader looks for it, and no other one does.

Each field has a value that no other field has, so that a swap shows.
"""

import dataclasses
import io
import json
import math
import re

import pytest
from rich.console import Console

from sigprop.judge.basis import Evidence, Row
from sigprop.judge.mutants import Score, Scores
from sigprop.judge.results import ClaimResult, RouteResult, Run
from sigprop.judge.statuses import finish, simulated_result
from sigprop.judge.verdict import Outcome, Verdict
from sigprop.ledger import catalogue
from sigprop.ledger.entries import Entry, Ledger, announced, rows, tally, write_json
from sigprop.ledger.report import render
from sigprop.ledger.site import render_site
from sigprop.ledger.terminal import ledger_table, outcome, summary
from sigprop.theory.claims import Claim, Condition, Kind, Status
from sigprop.theory.errata import Erratum
from tests.rows import changed

CLAIM = Claim(
    id="zucchet:0",
    locator="locator",
    kind=Kind.BOUND,
    title="A title",
    statement=r"\alpha",
    expected=Status.CONDITIONAL,
    code="sigprop.neuron.stable.ring_gain",
    correction=r"\beta",
    assumes=Condition("what it assumes"),
    condition=Condition("a condition", lambda **_: True),
    note="a note",
    topic="a topic",
    reason="a reason of the row",
    erratum=Erratum(
        "B", "zucchet:9", ("Figure 1",), ("zucchet:7",), "what rests on it"
    ),
    as_extracted=True,
)
ROW = Row(CLAIM, Evidence(points=(), routes={}, alone="alone"))
RESULTS = (
    RouteResult("impulse", "a", 1.0, 1.0, 1.0, "confirmed"),
    RouteResult("monte_carlo", "b", 1.01, 0.97, 1.04, "confirmed", n=70_000),
    RouteResult("monte_carlo", "c", 0.99, 0.96, 1.03, "confirmed", n=80_000),
    RouteResult("monte_carlo", "b", 1.5, 1.45, 1.55, "refuted", "printed", 70_000),
    RouteResult("autodiff", "b", 1.5, 1.5, 1.5, "refuted", "printed", inside=False),
)
SCORES = Scores(
    Score(9, ("first", "second")), Score(8, ("third",)), Score(5, tuple("abc"))
)
JUDGED = finish(ROW, list(RESULTS), SCORES, 12.5, "an example")
FOUND = Entry(**vars(JUDGED), expected="conditional")


def test_a_record_has_every_field_from_where_it_belongs():
    wanted = ClaimResult(
        id="zucchet:0",
        paper="zucchet",
        kind="bound",
        title="A title",
        source="Zucchet & Orvieto (2024), locator",
        statement=r"\alpha",
        printed=r"\alpha",
        corrected=r"\beta",
        assumes="what it assumes",
        condition="a condition",
        counterexample="an example",
        status="undecided",  # a mutant survives
        routes=("impulse", "monte_carlo", "autodiff"),
        results=RESULTS,
        formula_mutants=9,
        killed_formula_mutants=7,
        value_mutants=8,
        killed_value_mutants=7,
        hand_mutants=5,
        killed_hand_mutants=2,
        arithmetic=False,
        code="sigprop.neuron.stable.ring_gain",
        seconds=12.5,
        note="a note",
        topic="a topic",
        reason="a reason of the row",
        errata_class="F",  # of what our copy may have lost, whatever an erratum says
        root="zucchet:9",
        appears_in=("Figure 1",),
        inherits=("zucchet:7",),
        bearing="what rests on it",
        as_extracted=True,
    )
    assert wanted == JUDGED
    assert not hasattr(wanted, "expected")  # no judge knows it
    assert not FOUND.as_expected


def test_a_statement_of_our_own_was_not_printed():
    own = finish(changed(ROW, id="sigprop:0"), list(RESULTS), SCORES, 1.0)
    assert (own.printed, own.statement, own.counterexample) == (None, r"\alpha", None)


def test_why_one_route_has_to_do_stands_in_for_a_reason():
    assert finish(changed(ROW, reason=""), [], SCORES, 1.0).reason == "alone"


def test_a_simulated_verdict_keeps_its_ratio_its_interval_and_its_size():
    verdict = Verdict(Outcome.REFUTED, ratio=1.1, low=1.0, high=1.3, n=7)
    assert simulated_result("here", verdict, "printed") == RouteResult(
        "monte_carlo", "here", 1.1, 1.0, 1.3, "refuted", "printed", 7
    )
    assert simulated_result("here", verdict).form == "derived"


def test_json_has_the_record_and_words_for_what_is_no_number(tmp_path):
    odd = RouteResult("reference", "d", math.nan, -math.inf, math.inf, "refuted")
    write_json(tmp_path / "rows.json", [dataclasses.replace(FOUND, results=(odd,))])
    (row,) = json.loads((tmp_path / "rows.json").read_text())
    results = row.pop("results")
    assert results == [
        {**dataclasses.asdict(odd), "value": "nan", "low": "-inf", "high": "inf"}
    ]
    assert row.pop("as_expected") is False
    assert row.pop("address") == "zucchet-0.html"
    assert (row.pop("mutants"), row.pop("killed")) == (9, 7)  # those of the formula
    plain = dataclasses.asdict(dataclasses.replace(FOUND, results=()))
    plain.pop("results")
    assert row == json.loads(json.dumps(plain))
    good = dataclasses.replace(FOUND, expected=FOUND.status)
    assert rows([good])[0]["as_expected"] is True


def run(*claims):
    return Ledger(
        claims,
        "headline",
        0.01,
        1e-6,
        1e-7,
        31,
        "a device",
        "float64",
        {"sigprop": "9"},
        77.0,
    )


def lines(table):
    file = io.StringIO()
    Console(file=file, width=200).print(table)
    return [re.split(r"\s{2,}", line.strip()) for line in file.getvalue().splitlines()]


def test_the_table_of_a_run_has_the_interval_of_the_derived_form():
    _, line, *_ = lines(summary(run(FOUND)))
    routes = "impulse response, simulation, autodiff"
    assert line == [
        *("zucchet:0", "undecided", "conditional", routes),
        *("0.9600 .. 1.0400", "7/9", "12.5"),
    ]
    bare = dataclasses.replace(FOUND, results=FOUND.results[:1], expected="undecided")
    assert lines(summary(run(bare)))[1][2:] == ["✓", routes, "-", "7/9", "12.5"]


def test_the_table_of_the_ledger_has_kind_status_score_and_title():
    assert lines(ledger_table([FOUND]))[1] == [
        *("zucchet:0", "bound", "undecided not conditional", "7/9", "A title")
    ]


def test_the_last_line_of_a_run_says_how_it_was_made():
    good = dataclasses.replace(FOUND, expected="undecided")
    assert outcome(run(FOUND, good, good), 3.25) == (
        "2 of 3 verdicts are as expected. Tier headline, seed 31, float64 on a "
        "device. The run took 77.0 s, the imports 3.2 s."
    )


def test_rows_without_a_truth_value_are_counted_apart():
    good = dataclasses.replace(FOUND, status="proved", expected="proved")
    valueless = [
        dataclasses.replace(FOUND, status=status, expected=status)
        for status in ("definition", "definition", "not-checkable")
    ]
    assert tally([good, FOUND, *valueless]) == (
        "1 of 2 verdicts are as expected; rows without a verdict: 2 definitions, "
        "1 not checkable"
    )
    strange = dataclasses.replace(valueless[0], expected="proved")
    assert tally([good, strange]) == (
        "1 of 1 verdicts are as expected; rows without a verdict: 1 definition, "
        "1 of these unexpectedly"
    )


def test_a_run_is_held_against_what_its_rows_announce():
    fields = vars(run(FOUND)) | {"claims": (JUDGED,)}
    judged = Run(
        **{field.name: fields[field.name] for field in dataclasses.fields(Run)}
    )
    right = announced(judged, [expecting(Status.UNDECIDED)])
    assert right.as_expected
    assert right.claims[0].expected == "undecided"
    for other in set(Status) - {Status.UNDECIDED}:
        assert not announced(judged, [expecting(other)]).as_expected


def expecting(status):
    return dataclasses.replace(CLAIM, expected=status)


def noted(page):
    """The words of a page's notes, by their names."""
    pairs = re.findall(r"<dt>(.*?)</dt>\s*<dd>(.*?)</dd>", page, re.S)
    return {name: re.sub(r"<.*?>", "", text).strip() for name, text in pairs}


def pages():
    site = render_site(run(FOUND))
    return {"report": render(run(FOUND)), "site": site["zucchet-0.html"]}


@pytest.fixture(scope="module")
def written():
    return pages()


@pytest.mark.parametrize("kind", ["report", "site"])
def test_a_page_shows_every_field_under_its_name(kind, written):
    page = written[kind]
    values = noted(page)
    assert values["Assumes"] == "what it assumes"
    assert values["Condition"] == "a condition"
    assert values["Counterexample"] == "an example"
    assert values["Later results"] == "zucchet:7. what rests on it"
    assert values["Reason"] == "a reason of the row"
    assert values["Note"] == "a note"
    assert values["Mutants refuted"] == (
        "7 of 9 wrong formulas, 7 of 8 wrong values, 2 of 5 wrong forms made by hand"
    )
    assert values["Code"] == "sigprop.neuron.stable.ring_gain (12.5 s)"
    assert "extraction" in values["Our copy"]
    assert "✗ expected conditional" in page
    forms = page[page.index("As printed") :]
    assert forms.index("α") < forms.index("Corrected") < forms.index("β")
    assert "Zucchet &amp; Orvieto (2024), locator" in page


@pytest.mark.parametrize("kind", ["report", "site"])
def test_a_page_shows_each_route_at_its_worst_point(kind, written):
    table = re.search(r'<div class="routes">.*?</table>', written[kind], re.S)[0]
    cells = [
        [re.sub(r"<.*?>|\s+", " ", cell).split() for cell in row]
        for row in (
            re.findall(r"<t[hd].*?</t[hd]>", line, re.S)
            for line in re.findall(r"<tr.*?</tr>", table, re.S)[1:]
        )
    ]
    assert [row[0][0] for row in cells] == [
        *("impulse", "simulation", "simulation", "automatic")
    ]
    derived, printed = cells[1], cells[2]
    assert derived[1] == ["1.01", "[0.97,", "1.04]"]  # as far off as 0.99, and first
    assert derived[3] == ["70", "000–80", "000"]
    assert derived[4] == ["confirmed"]
    assert "printed" in printed[0]
    assert printed[1] == ["1.5", "[1.45,", "1.55]"]
    assert printed[4] == ["refuted"]


def test_the_list_of_claims_has_the_fields_of_the_row():
    content = catalogue.as_json(ROW)
    wanted = dataclasses.asdict(FOUND)
    assert content.pop("condition") == "a condition"
    assert content.pop("address") == "zucchet-0.html"
    for key in ("appears_in", "inherits"):
        assert content.pop(key) == list(wanted[key])
    for key in content.keys() - {"status", "routes", "results", *catalogue.SCORES}:
        assert content[key] == wanted.get(key, getattr(CLAIM, key, None)), key
    assert content["status"] in (None, Status.CONDITIONAL)
