"""Errata for authors: an entry a root cause, by class, on pages, sheets and as data."""

import dataclasses
import json
import re

import pytest
from jsonschema import Draft202012Validator

from sigprop.ledger import errata, faults
from sigprop.ledger.addresses import address
from sigprop.ledger.mathml import wrapped
from sigprop.ledger.report import anchors, environment, shared
from sigprop.ledger.schema import schema
from sigprop.ledger.site import INDEX, SHEET, page_names
from sigprop.theory.citations import CITATIONS
from sigprop.theory.conventions import CONVENTIONS
from sigprop.theory.errata import CLASSES, DOUBTFUL
from tests.announced import announced_run
from tests.sigprop.ledger.test_report import Page

OWED = [*CITATIONS]  # papers that are cited


@pytest.fixture(scope="module")
def run():
    return announced_run()


@pytest.fixture(scope="module")
def files(run):
    ids = [claim.id for claim in run.claims]
    links = {
        claim_id: f"{name}.html"
        for claim_id, name in zip(ids, anchors(ids), strict=True)
    }
    context = {"sheet": SHEET, "classes": CLASSES, "links": links}
    return errata.documents(environment(), shared(run) | context)


@pytest.fixture(scope="module")
def data(files):
    return json.loads(files[errata.DATA])


def test_every_accusation_is_in_one_entry_and_what_is_doubtful_in_none(run, data):
    accused = [
        claim.id
        for claim in run.claims
        if claim.paper in OWED and claim.errata_class not in (None, DOUBTFUL)
    ]
    listed = [
        row["id"] for entry in data["errata"] for row in (entry, *entry["also_wrong"])
    ]
    assert sorted(listed) == sorted(accused)
    assert any(claim.errata_class == DOUBTFUL for claim in run.claims)


def test_entries_are_root_causes_the_most_serious_first(run, data):
    roots = {claim.id: claim.root for claim in run.claims}
    for entry in data["errata"]:
        assert not roots[entry["id"]]
        assert {roots[row["id"]] for row in entry["also_wrong"]} <= {entry["id"]}
        assert {row["id"] for row in entry["also_wrong"]} <= {*entry["appears_in"]}
    for paper in OWED:
        letters = [
            erratum["class"] for erratum in data["errata"] if erratum["paper"] == paper
        ]
        assert letters == sorted(letters)
        assert letters
    assert len(data["errata"]) > 100
    assert {*data["classes"]} == {*CLASSES} - {DOUBTFUL}


def test_every_entry_has_both_forms_and_an_example_for_the_hand(data):
    for entry in data["errata"]:
        assert entry["corrected"] or entry["condition"], entry["id"]
        for row in (entry, *entry["also_wrong"]):
            example = row["counterexample"]
            assert re.search(r": printed .+[,;] true .+\.$", example), row["id"]
            assert "an array" not in example


def test_an_entry_says_what_rests_on_it_or_why_nothing_does(run, data):
    reach = {entry["id"]: entry["inherits"] for entry in data["errata"]}
    assert all(entry["rows"] for entry in reach.values() if entry["reach"] == "some")
    assert all(entry["why"] for entry in reach.values() if entry["reach"] == "none")
    assert "unknown" not in [entry["reach"] for entry in reach.values()]
    fault = faults.faults([claim for claim in run.claims if claim.id == "zucchet:59"])[
        0
    ]
    for bearing in ("", "Unknown: nobody has looked."):
        row = dataclasses.replace(fault.row, inherits=(), bearing=bearing)
        assert faults.Fault(row).reach == "unknown"


def test_data_has_the_form_that_the_schema_gives(data):
    form = {"$ref": "#/$defs/errata", "$defs": schema()["$defs"]}
    validator = Draft202012Validator(form)
    Draft202012Validator.check_schema(schema())
    assert [*validator.iter_errors(data)] == []
    first, *others = data["errata"]
    for spoilt in ({"class": DOUBTFUL}, {"page": 0}, {"address": None}, {"more": 1}):
        bad = data | {"errata": [first | spoilt, *others]}
        assert [*validator.iter_errors(bad)] != [], spoilt


def test_the_bibliography_has_each_paper_that_is_cited(files, data):
    keys = re.findall(r"@\w+\{(\w+),", files[errata.BIBLIOGRAPHY])
    assert keys == [paper["cite"] for paper in data["papers"]]
    assert [paper["paper"] for paper in data["papers"]] == OWED


def test_every_link_leads_to_a_file_and_a_place_on_it(run, files):
    pages = {n: Page(text) for n, text in files.items() if n.endswith("html")}
    known = {INDEX, *page_names(claim.id for claim in run.claims)}
    assert {*files} <= known
    for name, page in pages.items():
        assert len(page.ids) == len({*page.ids}), name
        for link in page.links:
            target, _, anchor = link.partition("#")
            assert (target or name) in known, (name, link)
            assert not anchor or anchor in pages[target or name].ids, (name, link)
    accused = [claim for claim in run.claims if faults.is_listed(claim)]
    accused_anchors = {address(claim.id).removesuffix(".html") for claim in accused}
    assert accused_anchors <= {*pages[errata.ALL].ids}


def test_a_fault_without_its_root_stands_by_itself(run):
    repeats = [claim for claim in run.claims if claim.root == "zucchet:122"]
    (fault,) = faults.faults(repeats)
    assert (fault.row, fault.others) == (repeats[0], tuple(repeats[1:]))
    assert faults.faults([dataclasses.replace(repeats[0], status="proved")]) == []
    unclassed = dataclasses.replace(repeats[0], errata_class=None, root="", id="lru:4")
    letters = [entry.letter for entry in faults.faults([unclassed, repeats[1]])]
    assert letters == ["B", ""]


def test_a_wrapped_formula_breaks_between_its_sides_and_words_alone():
    pieces = wrapped(r"a = \left(b + c\right)^2 \quad \text{50\% of } x^- < -1")
    assert pieces.count("<math") == 3
    assert "50% of" in pieces
    assert wrapped(r"\frac{a = b}{c}").count("<math") == 1
    assert wrapped(r"\text{Tr}[B^\top B]").count("<math") == 1


SHEETS = ("A4", "Letter")


def sheets(page, size):
    margin = dict.fromkeys(("top", "bottom", "left", "right"), "0.4in")
    return len(re.findall(rb"/Type\s*/Page\b", page.pdf(format=size, margin=margin)))


@pytest.mark.browser
def test_a_summary_is_two_sheets_of_paper(browser, files, tmp_path):
    for paper in OWED:
        file = tmp_path / f"errata-{paper}.html"
        file.write_text(files[file.name])
        (tmp_path / errata.SHEET).write_text(files[errata.SHEET])
        page = browser.open(file.as_uri())
        for size in SHEETS:
            assert sheets(page, size) <= 2, (paper, size)
    long = files["errata-zucchet.html"].replace("</main>", "<p>x" * 600 + "</main>")
    file.write_text(long)
    assert sheets(browser.open(file.as_uri()), "A4") > 2


# Formulas that leave their column, as printed.
WIDE = """[...document.querySelectorAll('li math')].filter(one =>
  one.getBoundingClientRect().right >
  one.closest('li').getBoundingClientRect().right + 3).map(one =>
  one.closest('li').id)"""


@pytest.mark.browser
@pytest.mark.parametrize("width", [734, 360])
def test_no_formula_of_a_summary_leaves_its_column(browser, files, tmp_path, width):
    for paper in OWED:
        file = tmp_path / "page.html"
        file.write_text(files[f"errata-{paper}.html"])
        (tmp_path / errata.SHEET).write_text(files[errata.SHEET])
        page = browser.open(file.as_uri(), width=width)
        if width > 400:
            page.emulate_media(media="print")
            assert page.evaluate(WIDE) == [], paper
        assert page.evaluate("document.documentElement.scrollWidth") <= width, paper


def test_conventions_are_typeset_and_link_their_rows(files):
    page = files[errata.ALL]
    listed = page[page.index('id="conventions"') : page.index("</header>")]
    assert set(re.findall(r'<a href="[^"]+"><code>([^<]+)<', listed)) == {
        row for one in CONVENTIONS for row in one.rows
    }
    assert "<math>" in listed
    assert "h_{t+1}" not in listed
