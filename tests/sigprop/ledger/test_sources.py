"""Rows lead to the lines that state, derive, judge and implement them."""

import re
from html import unescape

import pytest

from sigprop.ledger import proofs, sources
from sigprop.numerics.paths import on_disk
from sigprop.theory.claims import registry
from tests.sigprop.ledger.test_report import Page


@pytest.fixture(scope="module")
def found():
    return sources.of_rows(registry())


def lines(file):
    return on_disk(file).read_text().splitlines()


def test_every_row_leads_to_where_it_is_stated_and_implemented(found):
    assert list(found) == list(registry())
    for one, places in found.items():
        roles = [place.role for place in places]
        assert roles[0] == "statement", one
        assert roles[-1] == "code", one
        for place in places:
            assert 1 <= place.line <= len(lines(place.file)), place


def test_lines_hold_what_is_said_of_them(found):
    missed = {"statement": 0, "evidence": 0, "code": 0}
    for one, places in found.items():
        for place in places:
            name = place.name.rpartition(".")[2]
            sought = one if place.role in {"statement", "evidence"} else name
            # A call that states a row has the row's id below it, or after one name.
            last = place.line + 2 * (place.role == "statement")
            text = "\n".join(lines(place.file)[place.line - 1 : last])
            begun = [*re.findall(r'f"([^"{]+:[^"{]*)\{', text)]
            begins = place.role != "code" and any(map(sought.startswith, begun))
            if place.role in missed and sought not in text and not begins:
                missed[place.role] += 1
    # Rows that tables state, and names of modules and methods, have no line of theirs.
    assert missed["evidence"] == 0
    assert missed["statement"] < 0.05 * len(found)
    assert missed["code"] < 0.15 * len(found)


def test_a_derivation_is_found_through_the_name_that_a_row_gives(found):
    by_role = {place.role: place for place in found["zucchet:6"]}
    line = lines(by_role["derivation"].file)[by_role["derivation"].line - 1]
    assert line.startswith(("def ", "@"))
    assert "def eq_59_corrected" in "".join(
        lines(place.file)[place.line - 1]
        for place in found["zucchet:59"]
        if place.role == "corrected"
    )


def test_other_ids_have_neither_sources_nor_proofs():
    assert sources.of_rows(["other:1", "zucchet:0"]) == {}
    assert proofs.of_rows(["other:1", "zucchet:0", "blur:fig10"]) == {}


def test_a_page_shows_its_file_whole_and_marks_each_line_that_is_linked_to(site):
    rows = [Page(file.read_text()) for file in site.glob("*.html")]
    links = {link for row in rows for link in row.links if link.startswith("code-")}
    assert len(links) > 10
    for link in links:
        name, _, place = link.partition("#")
        text = (site / name).read_text()
        assert Page(text).ids.count(place) == 1
        shown = unescape(re.sub(r"<[^>]+>", "", text.rpartition("<pre>")[2]))
        file = unescape(re.findall(r"<h1><code>(.*?)</code>", text)[0])
        whole = on_disk(file).read_text()
        assert shown.strip().startswith(whole.strip()), file
        before = text.partition(f'<span id="{place}">')[0].rpartition("<pre>")[2]
        assert before.count("\n") + 1 == int(place[1:])


def test_a_derivation_is_read_step_by_step(site):
    (steps,) = proofs.of_rows(["lru:4"]).values()
    page = (site / "lru-4.html").read_text()
    part = page.partition('aria-label="Derivation"')[2].partition("</section>")[0]
    assert len(steps) == part.count("<li>") > 1
    assert part.count('display="block"') == len(steps)
