"""The pages of the blueprint, read by a parser and by a browser."""

import dataclasses
import re

import pytest

from sigprop.ledger import blueprint
from sigprop.ledger.blueprint import CODE, PAGE, code_below, page_of, sections
from sigprop.ledger.contents import chapters
from sigprop.ledger.dependence import Graph, Node
from sigprop.ledger.site import render_site
from tests.sigprop.ledger.test_report import claim

HERE = page_of("zucchet")


def graph_of(rests_on, kinds=()):
    """A graph of statements, and of the code in ``kinds``."""
    names = dict.fromkeys([*rests_on, *(o for on in rests_on.values() for o in on)])
    nodes = {name: Node(name, dict(kinds).get(name, "statement")) for name in names}
    return Graph(nodes, {name: rests_on.get(name, {}) for name in names})


def cells(page, anchor):
    """The cells of the line of a row, each as the ids of its links, and the text."""
    line = re.search(rf'<tr id="{anchor}">(.*?)</tr>', page, re.S)[1]
    return [
        re.findall(r'href="([\w.-]+)\.html"', cell)
        for cell in re.findall(r"<t[dh].*?</t[dh]>", line, re.S)
    ]


CHAIN = graph_of(
    {
        "zucchet:59": {"zucchet:74": "lemma", "sweep": "code", "moment": "code"},
        "zucchet:74": {"lru:4": "form", "zucchet:34": "lemma"},
        "lru:4": {"lru:9": "inherits"},
    },
    {"sweep": "experiment", "moment": "derivation"}.items(),
)


def test_every_row_stands_once_on_the_page_of_its_paper(site, run):
    for paper in ("zucchet", "lru"):
        page = (site / page_of(paper)).read_text()
        here = [
            result.id.replace(":", "-")
            for result in run.claims
            if result.paper == paper
        ]
        names = re.findall(rf'<(?:tr|li) id="({paper}-[^"]*)"', page)
        assert sorted(names) == sorted(here)


def test_a_row_stands_between_what_it_depends_on_and_what_uses_it(run):
    page = render_site(run, graph=CHAIN)[HERE]
    assert cells(page, "zucchet-74") == [["lru-4"], ["zucchet-74"], ["zucchet-59"]]
    assert cells(page, "zucchet-59") == [["zucchet-74"], ["zucchet-59"], []]
    assert '<span class="badge">34</span>' in page  # of which the run has no page
    assert '<li id="zucchet-5">' in page  # which has no neighbour


def test_a_neighbour_says_its_verdict_by_mark_colour_and_title(run):
    page = render_site(run, graph=CHAIN)[HERE]
    badges = re.findall(
        r'<a class="(badge \w+)" href="zucchet-59.html" (.*?)</a>', page
    )
    assert len(badges) == 2
    for looks, rest in badges:
        assert looks == "badge refuted"
        assert 'title="zucchet:59, refuted: A title of several' in rest
        assert re.search(r"<span[^>]*>✗</span> 59$", rest)


def test_the_page_of_a_row_says_what_of_its_neighbours_is_used(run):
    page = render_site(run, graph=CHAIN)["zucchet-74.html"]
    table_rows = re.findall(
        r"<tr><th[^>]*>(.*?)</th><td>(.*?)</td><td>(.*?)</td>", page
    )
    near = [
        (re.search(r">([a-z]+:\d+)<", cell)[1], used)
        for cell, _, used in table_rows[-3:]
    ]
    assert near == [
        ("lru:4", "formula"),
        ("zucchet:34", "derivation or proof"),
        ("zucchet:59", "derivation or proof"),
    ]
    assert "refuted" in table_rows[-1][1]
    assert table_rows[-2][1] == ""  # not of this run
    assert f'href="{HERE}#zucchet-74"' in page
    below = render_site(run, graph=CHAIN)["lru-4.html"]
    assert re.search(r"lru:9.*inherited error", below)
    assert "Dependences" not in render_site(run)["zucchet-74.html"]


def test_the_page_of_a_row_names_the_code_by_its_kind(run):
    assert code_below(CHAIN, "zucchet:59") == {
        "Derivations": ["moment"],
        "Stored results": ["sweep"],
    }
    page = render_site(run, graph=CHAIN)["zucchet-59.html"]
    assert re.search(rf'Derivations</dt><dd><a href="{CODE}#moment">', page)
    assert re.search(rf'Stored results</dt><dd><a href="{CODE}#sweep">', page)


def test_many_neighbours_are_folded(run):
    names = [f"lru:{n}" for n in range(20, 33)]
    for count, folded in ((12, 0), (13, 1)):
        on = {name: {"zucchet:59": "lemma"} for name in names[:count]}
        pages = render_site(run, graph=graph_of(on))
        assert pages[HERE].count("<summary>13 statements") == folded
        assert pages["zucchet-59.html"].count("on this one (13)</summary>") == folded


def test_sections_depend_on_each_other_as_their_statements_do():
    def row(claim_id, location):
        return claim_id, claim(
            claim_id, "proved", source=f"Somebody (2024), {location}"
        )

    rows = [
        row("zucchet:59", "Eq. 59, Appendix B.2.2"),
        row("zucchet:5", "Section 2.2"),
    ]
    parts = {
        "zucchet": chapters("zucchet", rows),
        "lru": chapters("lru", [row("lru:4", "Section 2"), row("lru:9", "Section 2")]),
    }
    on = {
        "zucchet:5": {"zucchet:59": "form", "lru:4": "lemma", "lru:9": "lemma"},
        "lru:9": {"lru:4": "form", "elsewhere": "lemma"},
    }
    (edges,) = sections(graph_of({"zucchet:59": {}, **on}), parts).items()
    titles = {(p, part.anchor): part.title for p in parts for part in parts[p]}
    ((here, others),) = edges[1].items()
    assert edges[0] == "zucchet"
    assert titles[here].startswith("Section 2.2")
    assert [titles[name].partition(":")[0] for name in others] == [
        "Appendix B.2.2",
        "Section 2",
    ]


def test_the_overview_says_what_falls_and_what_goes_round(run, graph):
    turned = dataclasses.replace(graph, cycles=(("zucchet:59", "zucchet:74"),))
    text = render_site(run, graph=turned)[PAGE]
    assert 'id="falls-zucchet-59"' in text
    assert "would depend on themselves" in text
    plain = render_site(run, graph=dataclasses.replace(graph, cycles=()))[PAGE]
    assert "would depend on themselves" not in plain


def test_a_misprint_fells_what_rests_on_the_true_form(run):
    on = {"zucchet:74": {"zucchet:59": "lemma"}, "lru:4": {"zucchet:74": "form"}}
    page = render_site(run, graph=graph_of(on))[PAGE]
    assert cells(page, "falls-zucchet-59") == [
        ["zucchet-59"],
        [],
        ["zucchet-74", "lru-4"],
    ]


def test_the_errata_say_what_falls(run, graph):
    page = render_site(run, graph=graph)["errata.html"]
    entry = re.search(r'id="zucchet-59".*?</article>', page, re.S)[0]
    assert "Rows that depend on it</dt><dd>No other row depends on it" in entry
    names = [f"lru:{n}" for n in range(1, 40)]
    for count in (1, 20):
        dependents = graph_of({name: {"zucchet:59": "lemma"} for name in names[:count]})
        page = render_site(run, graph=dependents)["errata.html"]
        entry = re.search(r'id="zucchet-59".*?</article>', page, re.S)[0]
        assert ("20 rows; the" in entry) == (count == 20)
        assert ("lru:1." in entry) == (count == 1)
    assert "Rows that depend on it" not in render_site(run)["errata.html"]


def test_pages_have_names(run):
    papers = dict.fromkeys(result.paper for result in run.claims)
    assert blueprint.page_names(papers)[0] == PAGE
    assert {*blueprint.page_names(papers)} >= {HERE, CODE}


@pytest.mark.browser
@pytest.mark.parametrize("name", [PAGE, HERE, CODE, "zucchet-59.html"])
def test_a_phone_needs_no_sideways_scrolling(browser, site, name):
    page = browser.open((site / name).as_uri(), width=360)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.browser
def test_a_neighbour_is_reached_by_keys_and_opens_its_row(browser, site):
    page = browser.open((site / HERE).as_uri())
    page.evaluate("document.querySelector('main a').focus()")
    for _ in range(60):
        if page.evaluate("document.activeElement.title.startsWith('zucchet:59')"):
            break
        page.keyboard.press("Tab")
    outline = "getComputedStyle(document.activeElement).outlineWidth"
    assert page.evaluate(outline) == "2px"
    page.keyboard.press("Enter")
    page.wait_for_function("location.pathname.endsWith('zucchet-59.html')")


@pytest.mark.browser
def test_verdicts_are_readable_in_light_and_dark(browser, site):
    fills = set()
    for scheme in ("light", "dark"):
        page = browser.open((site / HERE).as_uri(), color_scheme=scheme)
        for text, fill in page.evaluate(COLOURS):
            assert contrast(luminance(text), luminance(fill)) > 4.5, (scheme, text)
            fills.add(fill)
    assert len(fills) > 3


COLOURS = """[...document.querySelectorAll('.badge')].map(one => {
const style = getComputedStyle(one);
return [style.color, style.backgroundColor]})"""


def luminance(colour):
    """Of ``rgb(r, g, b)``, as WCAG 2 defines it."""
    parts = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts
    ]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first, other):
    return (max(first, other) + 0.05) / (min(first, other) + 0.05)
