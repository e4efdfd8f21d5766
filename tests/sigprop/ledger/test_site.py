"""The ledger's site: every page, every link, and what a reader does with them."""

import dataclasses
import re
from xml.etree import ElementTree

import pytest

from sigprop.ledger import errata, landscape
from sigprop.ledger.overview import PICTURES
from sigprop.ledger.report import write_report
from sigprop.ledger.site import (
    INDEX,
    MANIFEST,
    SCRIPT,
    SHEET,
    page_names,
    render_site,
    write_site,
)
from tests.sigprop.ledger.test_report import Page


def test_there_is_a_page_a_claim_an_index_and_the_errata(site, run):
    names = page_names(claim.id for claim in run.claims)
    assert {*names, *PICTURES} == {file.name for file in site.glob("[!.]*")}
    assert len(names) == len({*names}) > len(run.claims)
    assert names[-1] == INDEX


def test_the_overview_is_on_the_index_and_in_the_folder(site, report, run):
    assert [*run.overview] == [*PICTURES]
    pages = [file.read_text() for file in (site / INDEX, report)]
    for name, picture in run.overview.items():
        assert (site / name).read_text() == picture
        assert ElementTree.fromstring(picture).attrib["viewBox"]
        assert all(picture in page for page in pages)
        assert "style" not in picture
        caption = f"</svg>\n\n<figcaption>{run.captions[name]}</figcaption>"
        assert all(caption in page for page in pages)
    for page in pages:
        names = re.findall(r' id="([^"]*)"', page)
        assert len(set(names)) == len(names)
    assert "<svg" not in render_site(dataclasses.replace(run, overview={}))[INDEX]


def test_every_link_leads_to_a_page_and_a_place_on_it(site):
    pages = {file.name: Page(file.read_text()) for file in site.glob("*.html")}
    links = 0
    for name, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            assert (site / (target or name)).is_file(), (name, link)
            assert not anchor or anchor in pages[target or name].ids, (name, link)
            links += 1
    assert links > 4 * len(pages)


def test_pages_share_one_style_and_only_the_index_has_a_script(site):
    assert "prefers-color-scheme:dark" in (site / SHEET).read_text()
    for file in {*site.glob("*.html")} - {site / landscape.PAGE}:  # it stands alone
        text, page = file.read_text(), Page(file.read_text())
        loaded = {
            value
            for tag, name, value in page.attributes
            if name == "src" or (tag == "link" and name == "href")
        }
        sheet = errata.SHEET if file.name.startswith("errata-") else SHEET
        assert loaded == {sheet, *([SCRIPT] if file.name == INDEX else [])}
        assert "<style" not in text
        assert ("<script" in text) == (file.name == INDEX)
        assert "default-src 'none'; style-src 'self'" in text
        assert not re.search(r"https?://(?!www\.w3\.org)", text)
        assert "\\" not in text or file.name.startswith("code-")


def test_errata_hold_what_is_wrong_and_nothing_else(site, run):
    text = (site / "errata.html").read_text()
    wrong = {
        claim.id
        for claim in run.claims
        if claim.status in ("refuted", "conditional") and claim.paper != "sigprop"
    }
    ids = set(re.findall(r'<a class="id" href="[^"]+">([^<]+)</a>', text))
    assert ids == wrong
    assert "lru:4" in ids
    assert "\\" not in text


def test_what_extraction_spoilt_is_no_erratum(run):
    spoilt = tuple(
        dataclasses.replace(claim, as_extracted=True) for claim in run.claims
    )
    text = render_site(dataclasses.replace(run, claims=spoilt))["errata.html"]
    assert "None among the statements judged" in text
    assert "lru-4.html" not in text.partition("</header>")[2]  # below the conventions


def test_a_site_that_cannot_be_rendered_leaves_the_older_one(tmp_path, run, graph):
    few = dataclasses.replace(run, claims=run.claims[:1])
    write_site(tmp_path, run)
    write_site(tmp_path, few, graph=graph)
    written = {*page_names(claim.id for claim in few.claims), *few.overview, MANIFEST}
    assert {file.name for file in tmp_path.iterdir()} == written
    unrenderable = dataclasses.replace(few.claims[0], statement=r"\nosuch")
    with pytest.raises(ValueError, match="nosuch"):
        write_site(tmp_path, dataclasses.replace(few, claims=(unrenderable,)))
    assert {file.name for file in tmp_path.iterdir()} == written


@pytest.mark.browser
@pytest.mark.parametrize(
    "name",
    [INDEX, "errata.html", "paper-zucchet.html", "lru-4.html", "zucchet-74.html"],
)
def test_a_phone_needs_no_sideways_scrolling(browser, site, name):
    page = browser.open((site / name).as_uri(), width=360)
    assert page.evaluate("innerWidth") == 360
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    assert page.evaluate("document.documentElement.scrollHeight") > 600


# What lies over something else, beyond the page's margin, or not beside its id.
MISPLACED = """(() => {
const found = [], box = element => element.getBoundingClientRect();
const over = (a, b) => a.right > b.left + 1 && b.right > a.left + 1
  && a.bottom > b.top + 1 && b.bottom > a.top + 1;
for (const figure of document.querySelectorAll('.evidence>figure'))
  if (over(box(figure.parentElement.querySelector('table')), box(figure)))
    found.push('a plot over its table');
for (const one of document.querySelectorAll('.index .id')) {
  const id = box(one), title = box(one.nextElementSibling);
  if (title.left < id.right && title.top < id.bottom - 1)
    found.push('a title under ' + one.innerText);
}
const margin = parseFloat(getComputedStyle(document.body).paddingRight);
const right = box(document.body).right - margin;
for (const one of document.querySelectorAll('body *'))
  if (!one.closest('.formula, .scroll, thead, script') && box(one).right > right + 1)
    found.push(one.tagName + ' in the margin');
return found;
})()"""


@pytest.fixture(scope="module")
def report(run, tmp_path_factory):
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(path, run)
    return path


@pytest.mark.browser
@pytest.mark.parametrize("width", [360, 720, 1000, 1280])
def test_nothing_lies_over_anything_else(browser, site, report, width):
    names = (INDEX, "zucchet-59.html", "paper-zucchet.html", "errata.html")
    for file in (*(site / name for name in names), report):
        page = browser.open(file.as_uri(), width=width)
        assert page.evaluate("document.body.innerText.includes('A title of several')")
        assert page.evaluate(MISPLACED) == [], file.name


@pytest.mark.browser
@pytest.mark.parametrize(
    ("style", "message"),
    [
        ("figure{margin-left:-9rem!important}", "a plot over its table"),
        (".named{display:block!important}", "a title under zucchet:59"),
        (".index td{padding-left:30rem!important}", "in the margin"),
    ],
)
def test_what_lies_over_something_else_is_seen(browser, report, style, message):
    page = browser.open(report.as_uri(), width=1280)
    assert page.evaluate(MISPLACED) == []
    # The page's policy admits no other style sheet, but what the protocol adds.
    page.evaluate(
        "document.adoptedStyleSheets = [new CSSStyleSheet()];"
        f"document.adoptedStyleSheets[0].replaceSync({style!r})"
    )
    assert message in " ".join(page.evaluate(MISPLACED))


@pytest.mark.browser
def test_formulas_are_drawn(browser, site):
    page = browser.open((site / "lru-4.html").as_uri())
    boxes = page.evaluate(
        "[...document.querySelectorAll('.forms .formula math')]"
        ".map(m => m.getBoundingClientRect()).map(b => [b.width, b.height])"
    )
    assert len(boxes) == 2
    for width, height in boxes:
        assert width > 60
        assert height > 20
    sums = page.evaluate(
        "[...document.querySelectorAll('munderover')].map(m => m.offsetHeight || "
        "m.getBoundingClientRect().height)"
    )
    assert min(sums) > 30


@pytest.mark.browser
def test_a_complaint_would_be_heard(browser, tmp_path):
    file = tmp_path / "bad.html"
    file.write_text("<!DOCTYPE html><script>nothing()</script>")
    browser.open(file.as_uri())
    assert len(browser.complaints) == 1
    browser.complaints.clear()
