"""The pages of the blueprint, read by a parser and by a browser."""

import dataclasses
import re
from xml.etree import ElementTree

import pytest

from sigprop.ledger import atlas, blueprint
from sigprop.ledger.blueprint import CODE, PAGE, page_of, shown_by
from sigprop.ledger.dependence import Graph, Node
from sigprop.ledger.site import render_site
from tests.sigprop.ledger.test_report import EVERYTHING

HERE = page_of("zucchet")


def pictures(page):
    """The pictures of a page, each well-formed."""
    found = re.findall(r'<svg width="\d+" height="\d+" viewBox.*?</svg>', page, re.S)
    return [ElementTree.fromstring(one) for one in found]


def boxes(page, tag="a"):
    return [one for picture in pictures(page) for one in picture.iter(tag)]


def test_every_row_stands_once_in_the_picture_of_its_part(site, run):
    for paper in ("zucchet", "lru"):
        places = [one.get("id") for one in boxes((site / page_of(paper)).read_text())]
        here = {
            one.id.replace(":", "-")
            for one in run.claims
            if one.paper == paper and "as-long" not in one.id
        }
        assert sorted(filter(None, places)) == sorted(here)


def test_a_box_opens_the_page_of_its_row_and_says_its_verdict(site):
    (box,) = [
        one for one in boxes((site / HERE).read_text()) if one.get("id") == "zucchet-59"
    ]
    assert box.get("href") == "zucchet-59.html"
    assert "refuted" in box.get("class").split()
    assert box.find("title").text.startswith("zucchet:59, refuted: A title of several")
    assert box.find("text").text == "✗ 59"


def test_rows_without_a_page_are_drawn_without_a_link(site):
    page = (site / HERE).read_text()
    titles = [one.find("title").text for one in boxes(page, "g") if one.get("class")]
    assert "zucchet:34, statement" in titles
    assert not [one for one in boxes(page) if one.get("href") == "zucchet-34.html"]


def test_a_page_of_a_row_names_its_neighbours(site, run, graph):
    page = (site / "zucchet-59.html").read_text()
    assert f'href="{HERE}#zucchet-59"' in page
    below, _ = re.search(
        r"Depends on</dt><dd>(.*?)</dd>.*?Needed by</dt><dd>(.*?)</dd>", page, re.S
    ).groups()
    assert "zucchet:34" in below
    assert "neighbours" not in render_site(run)["zucchet-59.html"].casefold()


def test_the_overview_says_what_falls_and_what_goes_round(run, graph):
    turned = dataclasses.replace(graph, cycles=(("zucchet:59", "zucchet:74"),))
    made = render_site(run, graph=turned)[PAGE]
    assert 'id="falls-zucchet-59"' in made
    assert "would depend on themselves" in made
    plain = render_site(run, graph=dataclasses.replace(graph, cycles=()))[PAGE]
    assert "would depend on themselves" not in plain


def test_a_misprint_fells_what_rests_on_the_true_form(run):
    names = ("zucchet:59", "zucchet:74", "lru:4")
    nodes = {one: Node(one, "statement") for one in names}
    rests = dict(zip(names, ({}, {names[0]: "lemma"}, {names[1]: "form"}), strict=True))
    page = render_site(run, graph=Graph(nodes, rests))[PAGE]
    entry = re.search(r'id="falls-zucchet-59">(.*?)</tr>', page, re.S)[1]
    assert re.findall(r">([a-z]+:\d+)<", entry) == list(names)


@pytest.mark.parametrize(
    ("status", "routes", "arithmetic", "shown"),
    [
        ("proved", ("impulse",), False, "by-proof"),
        ("refuted", ("symbolic", "reference"), False, "by-proof"),
        ("confirmed", ("reference",), False, "by-numbers"),
        ("refuted", ("arithmetic",), True, "by-arithmetic"),
        ("undecided", ("symbolic",), False, ""),
        ("definition", (), False, ""),
        ("not-checkable", (), False, ""),
    ],
)
def test_the_fill_tells_what_a_verdict_is_shown_by(status, routes, arithmetic, shown):
    entry = dataclasses.replace(
        EVERYTHING.claims[0], status=status, routes=routes, arithmetic=arithmetic
    )
    assert shown_by(entry) == shown


def test_a_picture_leaves_out_what_judges_one_row_alone():
    kinds = {"zucchet:59": "statement", "zucchet:60": "statement"}
    kinds |= {"s": "simulation", "t": "simulation", "d": "derivation"}
    on = {"zucchet:59": "std", "zucchet:60": "s"}
    graph = Graph(
        {name: Node(name, kind) for name, kind in kinds.items()},
        {name: dict.fromkeys(on.get(name, ""), "code") for name in kinds},
    )
    (part,) = atlas.parts(graph, kinds)
    assert part.title == "Appendix B.2.2: the sensitivity, Eq. 49, 53-61"
    assert atlas.of_part(graph, part).layout.boxes.keys() == kinds.keys() - {"t"}


def test_the_errata_say_what_falls(run, graph):
    page = render_site(run, graph=graph)["errata.html"]
    entry = re.search(r'id="zucchet-59".*?</article>', page, re.S)[0]
    assert "Rows that depend on it</dt><dd>No other row depends on it" in entry
    names = [f"lru:{n}" for n in range(1, 40)]
    for count in (1, 20):
        below = {one: {"zucchet:59": "lemma"} for one in names[:count]}
        nodes = {one: Node(one, "statement") for one in ("zucchet:59", *names)}
        made = Graph(nodes, {one: below.get(one, {}) for one in nodes})
        page = render_site(run, graph=made)["errata.html"]
        entry = re.search(r'id="zucchet-59".*?</article>', page, re.S)[0]
        assert ("20 rows; the" in entry) == (count == 20)
        assert ("lru:1." in entry) == (count == 1)
    assert "Rows that depend on it" not in render_site(run)["errata.html"]


def test_pages_have_names(run):
    papers = dict.fromkeys(one.paper for one in run.claims)
    assert blueprint.page_names(papers)[0] == PAGE
    assert {*blueprint.page_names(papers)} >= {HERE, CODE}


PAGES = (PAGE, HERE, CODE)


@pytest.mark.browser
@pytest.mark.parametrize("name", PAGES)
def test_a_phone_scrolls_pictures_inside_their_box(browser, site, name):
    browser.open((site / name).as_uri(), width=360)
    assert browser.ask("document.documentElement.scrollWidth") <= 360
    wide = browser.ask(
        "[...document.querySelectorAll('.graph')].map(b => [b.clientWidth, b.scrollWidth,"
        " b.querySelector('svg').getBoundingClientRect().width,"
        " b.querySelector('svg').viewBox.baseVal.width])"
    )
    assert all(drawn == own for _, _, drawn, own in wide)  # its letters are not shrunk
    assert all(shown < 360 for shown, *_ in wide)
    assert name != PAGE or any(whole > shown for shown, whole, *_ in wide)
    assert browser.complaints() == []


@pytest.mark.browser
def test_a_box_is_reached_by_keys_and_opens_its_row(browser, site):
    browser.open((site / HERE).as_uri())
    browser.ask("document.querySelector('.graph').focus()")
    for _ in range(60):
        browser.press("Tab")
        if browser.ask("document.activeElement.id") == "zucchet-59":
            break
    focused = (
        "getComputedStyle(document.activeElement.querySelector('rect')).strokeWidth"
    )
    assert browser.ask(focused) == "4px"
    browser.press("Enter")
    browser.until("location.pathname.endsWith('zucchet-59.html')")
    assert browser.complaints() == []


@pytest.mark.browser
def test_boxes_are_readable_in_light_and_dark(browser, site):
    seen = set()
    for scheme in ("light", "dark"):
        browser.call(
            "Emulation.setEmulatedMedia",
            features=[{"name": "prefers-color-scheme", "value": scheme}],
        )
        browser.open((site / HERE).as_uri())
        for box in browser.ask(COLOURS):
            text, fill, line, page = (luminance(one) for one in box)
            assert contrast(text, fill) > 4.5, (scheme, box)
            assert contrast(line, page) > 3, (scheme, box)
            seen.add(box[1])
    browser.call("Emulation.setEmulatedMedia", features=[])
    assert len(seen) > 3


COLOURS = """[...document.querySelectorAll('.graph .statement')].map(a => {
const rect = getComputedStyle(a.querySelector('rect'));
return [getComputedStyle(a.querySelector('text')).fill, rect.fill, rect.stroke,
  getComputedStyle(document.body).backgroundColor]})"""


def luminance(colour):
    """Of ``rgb(r, g, b)``, as WCAG 2 defines it."""
    parts = [int(number) / 255 for number in re.findall(r"\d+", colour)[:3]]
    linear = [
        c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts
    ]
    return sum(w * c for w, c in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    return (max(one, other) + 0.05) / (min(one, other) + 0.05)
