"""Rows lead to the lines that state, derive, judge and implement them."""

import re
from html import unescape

import pytest

from sigprop.ledger import proofs, sources
from sigprop.numerics.paths import on_disk
from sigprop.theory.claims import registry
from tests.sigprop.ledger.test_report import Page


@pytest.fixture(scope="module")
def locations():
    return sources.of_rows(registry())


def lines(file):
    return on_disk(file).read_text().splitlines()


def test_every_row_leads_to_where_it_is_stated_and_implemented(locations):
    assert list(locations) == list(registry())
    for claim_id, sites in locations.items():
        roles = [site_.role for site_ in sites]
        assert roles[0] == "statement", claim_id
        assert roles[-1] == "code", claim_id
        for site_ in sites:
            assert 1 <= site_.line <= len(lines(site_.file)), site_


def test_lines_hold_what_is_said_of_them(locations):
    missed = {"statement": 0, "evidence": 0, "code": 0}
    for claim_id, sites in locations.items():
        for source in sites:
            name = source.name.rpartition(".")[2]
            sought = claim_id if source.role in {"statement", "evidence"} else name
            # A call that states a row has the row's id below it, or after one name.
            last = source.line + 2 * (source.role == "statement")
            text = "\n".join(lines(source.file)[source.line - 1 : last])
            begun = [*re.findall(r'f"([^"{]+:[^"{]*)\{', text)]
            begins = source.role != "code" and any(map(sought.startswith, begun))
            if source.role in missed and sought not in text and not begins:
                missed[source.role] += 1
    # Rows that tables state, and names of modules and methods, have no line of theirs.
    assert missed["evidence"] == 0
    assert missed["statement"] < 0.05 * len(locations)
    assert missed["code"] < 0.15 * len(locations)


def test_a_derivation_is_found_through_the_name_that_a_row_gives(locations):
    by_role = {source.role: source for source in locations["zucchet:6"]}
    line = lines(by_role["derivation"].file)[by_role["derivation"].line - 1]
    assert line.startswith(("def ", "@"))
    assert "def eq_59_corrected" in "".join(
        lines(source.file)[source.line - 1]
        for source in locations["zucchet:59"]
        if source.role == "corrected"
    )


def test_other_ids_have_neither_sources_nor_proofs():
    assert sources.of_rows(["other:1", "zucchet:0"]) == {}
    assert proofs.of_rows(["other:1", "zucchet:0", "blur:fig10"]) == {}


def test_a_page_shows_its_file_whole_and_marks_each_line_that_is_linked_to(site):
    rows = [Page(file.read_text()) for file in site.glob("*.html")]
    links = {link for row in rows for link in row.links if link.startswith("code-")}
    assert len(links) > 10
    for link in links:
        name, _, anchor = link.partition("#")
        text = (site / name).read_text()
        assert Page(text).ids.count(anchor) == 1
        shown = unescape(re.sub(r"<[^>]+>", "", text.rpartition("<pre>")[2]))
        file = unescape(re.findall(r"<h1><code>(.*?)</code>", text)[0])
        source_text = on_disk(file).read_text()
        assert shown.strip().startswith(source_text.strip()), file
        before = text.partition(f'<span id="{anchor}">')[0].rpartition("<pre>")[2]
        assert before.count("\n") + 1 == int(anchor[1:])


def test_a_derivation_is_read_step_by_step(site):
    (steps,) = proofs.of_rows(["lru:4"]).values()
    page = (site / "lru-4.html").read_text()
    part = page.partition('aria-label="Derivation"')[2].partition("</section>")[0]
    assert len(steps) == part.count("<li>") > 1
    assert part.count('display="block"') == len(steps)
