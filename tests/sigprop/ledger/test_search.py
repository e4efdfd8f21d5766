"""The index: what a reader asks it, by hand or by address, and what he finds."""

import pytest

from sigprop.ledger.search import label, plain, search_text
from sigprop.ledger.site import INDEX
from sigprop.theory.claims import registry
from tests.sigprop.ledger.conftest import LONG, WIDE

VISIBLE = "document.querySelectorAll('tr[data-status]:not([hidden])').length"
ROWS = "[...document.querySelectorAll('tr[data-status]:not([hidden])')].map(r => r.id)"
HITS = "[...document.querySelectorAll('#hits:not([hidden]) .id')].map(h => h.innerText)"


def choose(page, field, value):
    """Enter a value as a reader does."""
    if field == "words":
        page.fill("#words", value)
    else:
        page.select_option(f"#{field}", value)


def test_a_number_has_its_label_and_words_have_none():
    assert label("zucchet:footnote2:lipschitz") == "footnote 2"
    assert label("lru:6-limit") == "eq 6"
    assert label("zucchet:fig2b:edge") == "figure 2"
    numbered = [
        claim_id for claim_id in registry() if claim_id.partition(":")[2][0].isdigit()
    ]
    assert len(numbered) > 200
    assert all(label(claim_id).startswith("eq ") for claim_id in numbered)
    assert not any(label(claim_id) for claim_id in registry() if ":text:" in claim_id)


def test_formulas_are_searched_in_the_letters_that_are_typed():
    assert plain(r"\frac{\frac{a}{b_{1}}}{\sqrt{2}}") == "((a)/(b_1))/(sqrt2)"
    assert plain(r"\left|h\right|^{2}") == "|h|^2"
    assert "(1-rho)(1+|lambda|^2)" in search_text(WIDE)
    for claim in registry().values():
        assert not set(plain(claim.statement)) & set("\\{}"), claim.id


@pytest.mark.browser
def test_filters_and_search_leave_what_they_say(browser, site, run):
    page = browser.open((site / INDEX).as_uri())
    assert page.evaluate(VISIBLE) == len(run.claims)
    for field in ("paper", "status", "topic"):
        for value in {getattr(claim, field) for claim in run.claims} - {""}:
            choose(page, field, str(value))
            expected = sum(getattr(claim, field) == value for claim in run.claims)
            assert page.evaluate(VISIBLE) == expected, (field, value)
        choose(page, field, "")
    choose(page, "grade", "A")
    assert page.evaluate(ROWS) == ["zucchet-59"]
    choose(page, "grade", "")
    choose(page, "words", "unrolled")
    assert page.evaluate(VISIBLE) == 1
    text = page.evaluate("document.getElementById('shown').textContent")
    assert text == f"1 of {len(run.claims)} rows"
    choose(page, "status", "definition")
    assert page.evaluate(VISIBLE) == 0


@pytest.mark.browser
@pytest.mark.parametrize(
    "query",
    [
        *("equation 59", "Eq. 59", "eq (59)", "equations 59", "(59)", "59"),
        *("zucchet 59", "Zucchet & Orvieto, (59)", "zucchet:59"),
    ],
)
def test_a_number_finds_its_equation_however_it_is_written(browser, site, query):
    page = browser.open((site / INDEX).as_uri())
    choose(page, "words", query)
    assert page.evaluate(HITS) == ["zucchet:59"]
    also = [] if "ucchet" in query else ["lru-text-an-id-as-long-as-the-longest-one"]
    assert page.evaluate(ROWS) == ["zucchet-59", *also]


@pytest.mark.browser
@pytest.mark.parametrize(
    ("query", "entry"),
    [
        *((query, LONG) for query in ("normalization", "Normalisation", "normalis")),
        *(
            (query, WIDE)
            for query in ("1-rho", "1 - rho", "(1 − ρ)", "1-ρλ", "(|1 - ρλ|^4)")
        ),
        *(("tab. 8", LONG), ("tables 8", LONG), ("app. B.2.2", WIDE)),
    ],
)
def test_spellings_of_words_and_formulas_are_one(browser, site, query, entry):
    page = browser.open((site / INDEX).as_uri())
    choose(page, "words", query)
    assert entry.id.replace(":", "-") in page.evaluate(ROWS)
    assert page.evaluate(VISIBLE) < 3
    assert page.evaluate(HITS) == []


@pytest.mark.browser
@pytest.mark.parametrize("query", ["equation 5", "lemma 59", "9", "equation 590"])
def test_a_number_is_no_part_of_another(browser, site, query):
    page = browser.open((site / INDEX).as_uri())
    choose(page, "words", query)
    assert not any("59" in row for row in page.evaluate(ROWS))


@pytest.mark.browser
def test_the_address_has_what_is_asked_and_asks_it_again(browser, site):
    page = browser.open((site / INDEX).as_uri())
    choose(page, "words", "1 - rho")
    choose(page, "status", "refuted")
    address = page.evaluate("location.href")
    assert "status=refuted" in address
    ids = page.evaluate(ROWS)
    assert ids == ["zucchet-45", "zucchet-59"]
    page = browser.open(address)
    assert page.evaluate("document.getElementById('words').value") == "1 - rho"
    assert page.evaluate(ROWS) == ids
    page.evaluate("location.hash = '#paper=lru'")
    page.wait_for_function("document.getElementById('words').value === ''")
    assert all(row.startswith("lru") for row in page.evaluate(ROWS))
    page = browser.open((site / INDEX).as_uri() + "?status=definition")
    assert page.evaluate("document.getElementById('status').value") == "definition"
    choose(page, "status", "")
    assert "#" not in page.evaluate("location.href")


@pytest.mark.browser
def test_a_deep_link_shows_its_row_and_takes_the_focus(browser, site):
    page = browser.open((site / INDEX).as_uri() + "#lru-4")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('tr').id") == "lru-4"
    page.evaluate("document.getElementById('status').value = 'definition'; filter()")
    page.evaluate("location.hash = '#zucchet-74'")
    page.wait_for_function("document.activeElement.closest('tr')?.id === 'zucchet-74'")
    assert not page.evaluate("document.getElementById('zucchet-74').hidden")
    box = "document.getElementById('zucchet-74').getBoundingClientRect()"
    assert page.evaluate(f"{box}.top >= 0 && {box}.bottom <= innerHeight")


@pytest.mark.browser
def test_keys_alone_find_a_row_and_open_its_page(browser, site):
    page = browser.open((site / INDEX).as_uri())
    page.keyboard.press("/")
    for _ in range(4):
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.id") == "grade"
    page.keyboard.press("/")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "words"
    page.keyboard.type("lru:4")
    assert page.evaluate(VISIBLE) == 1
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert page.evaluate(outline) != "none"
    page.keyboard.press("Enter")
    page.wait_for_function("location.pathname.endsWith('lru-4.html')")
