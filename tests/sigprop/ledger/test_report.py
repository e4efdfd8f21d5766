"""The report is one page that stands alone, reads well and lies about nothing."""

import dataclasses
import hashlib
import math
import re
from base64 import b64encode
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sigprop.judge.results import RouteResult
from sigprop.ledger.entries import Entry, Ledger
from sigprop.ledger.report import render, write_report

VOID = {"meta", "br", "link", "img", "hr", "input"}

SENSITIVITY = (
    r"\mathbb{E}\left[\left|\frac{\mathrm{d}h_t}{\mathrm{d}\lambda}\right|^2\right] = "
    r"\frac{(1-\rho)(1+|\lambda|^2)+\rho^2(1-|\lambda|^2)^3}"
    r"{(1-|\lambda|^2)^3|1-\rho\lambda|^4}"
)


class Page(HTMLParser):
    """Reads a page and refuses an end tag that does not close what is open."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.links: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in VOID:
            self.open.append(tag)
        self._note(tag, attrs)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag

    def _note(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        for name, value in attrs:
            self.attributes.append((tag, name, value or ""))
            if name == "id":
                self.ids.append(value or "")
            if name == "href":
                self.links.append(value or "")


def result(
    route: str,
    value: float,
    *,
    half: float = 0.0,
    form: str = "derived",
    point: str = "rho=0.5",
    verdict: str = "confirmed",
    n: int | None = None,
) -> RouteResult:
    """One route's answer with a symmetric interval."""
    return RouteResult(
        route, point, value, value - half, value + half, verdict, form, n
    )


def claim(id: str, status: str, expected: str | None = None, **fields: object):
    """A claim with unremarkable fields wherever nothing is given."""
    plain: dict[str, object] = {
        "id": id,
        "paper": id.split(":")[0],
        "kind": "exact",
        "title": f"Title of {id}",
        "source": "Section 2",
        "statement": r"\mathbb{E}|h|^2 = \frac{1}{1-|\lambda|^2}",
        "printed": None,
        "corrected": None,
        "assumes": "",
        "condition": None,
        "counterexample": None,
        "status": status,
        "expected": expected or status,
        "routes": ("symbolic", "reference"),
        "results": (result("reference", 1 + 3e-12),),
        "formula_mutants": 12,
        "killed_formula_mutants": 11,
        "value_mutants": 0,
        "killed_value_mutants": 0,
        "hand_mutants": 0,
        "killed_hand_mutants": 0,
        "arithmetic": False,
        "code": "sigprop.theory.diagonal.second_moment",
        "seconds": 1.0,
    }
    return Entry(**{**plain, **fields})  # type: ignore[arg-type]


CONFIRMED = claim(
    "zucchet:5",
    "confirmed",
    results=(
        result("impulse", 1 + 1e-14),
        result("monte_carlo", 1.004, half=0.02, n=70078),
        result("monte_carlo", 0.997, half=0.02, n=70078, point="rho=0.9"),
    ),
)
REFUTED = claim(
    "zucchet:45",
    "refuted",
    statement=SENSITIVITY,
    printed=SENSITIVITY,
    corrected=r"\rho^2",
    counterexample=r"at $\lambda = 0.9$ the ratio is 2",
    results=(
        result("monte_carlo", 1.001, half=0.02, n=500),
        result("monte_carlo", 2.0, half=0.1, form="printed", verdict="refuted"),
    ),
)
CONDITIONAL = claim("lru:prop3.3", "conditional", condition=r"if $r_{min} > 0$")
WILD = claim(
    "blur:thm4.1",
    "not-checkable",
    "proved",
    title="<script>alert(1)</script> & \"quotes\" 'too'",
    note="an <em> word",
    source='"><img src=x onerror=alert(1)>',
    code="</code><script>",
    results=(
        result("monte_carlo", math.inf, point='"><script>'),
        result("monte_carlo", math.nan, point="b"),
        result("monte_carlo", -math.inf, point="c"),
        result("reference", math.nan, point="d"),
    ),
)
BARE = claim(
    "sigprop:x", "definition", routes=(), results=(), formula_mutants=0, paper="other"
)


def run(*claims: Entry) -> Ledger:
    """A run that holds ``claims``."""
    return Ledger(
        claims=claims,
        tier="SMOKE",
        margin=0.05,
        alpha=1e-6,
        beta=1e-7,
        seed=7,
        device="cpu",
        dtype="float64",
        versions={"jax": "0.10.1"},
        seconds=12.5,
    )


EVERYTHING = run(CONFIRMED, REFUTED, CONDITIONAL, WILD, BARE)


@pytest.fixture(scope="module")
def page() -> str:
    return render(EVERYTHING)


def section(page: str, anchor: str) -> str:
    """The part of the page about one claim."""
    match = re.search(rf'<article class="claim" id="{anchor}".*?</article>', page, re.S)
    assert match
    return match[0]


def test_the_page_is_well_formed_and_stands_alone(page: str):
    read = Page(page)
    assert "script" not in read.tags
    assert "link" not in read.tags
    assert "img" not in read.tags
    assert "://" not in page
    assert "url(" not in page
    assert "@import" not in page
    for tag, name, _ in read.attributes:
        assert name != "style", tag
        assert not name.startswith("on"), tag


def test_the_policy_admits_the_style_by_its_hash(page: str):
    styles = re.findall(r"<style>(.*?)</style>", page, re.S)
    assert len(styles) == 1
    digest = b64encode(hashlib.sha256(styles[0].encode()).digest()).decode()
    assert f"default-src 'none'; style-src 'sha256-{digest}'" in page
    assert page.index("Content-Security-Policy") < page.index("<style>")


def test_the_style_knows_dark_screens_paper_and_phones(page: str):
    assert "@media screen and (prefers-color-scheme:dark)" in page
    assert "@media print" in page
    assert "@media (max-width:" in page
    assert 'name="viewport" content="width=device-width' in page


def test_every_link_has_its_anchor_and_every_anchor_is_unique(page: str):
    read = Page(page)
    assert len(set(read.ids)) == len(read.ids)
    assert {link.removeprefix("#") for link in read.links} <= set(read.ids)
    assert {"zucchet-5", "zucchet-45", "lru-prop3.3", "blur-thm4.1"} <= set(read.ids)


def test_claims_that_share_an_id_get_anchors_of_their_own():
    read = Page(render(run(CONFIRMED, CONFIRMED)))
    assert len(set(read.ids)) == len(read.ids)
    assert "#zucchet-5--2" in read.links


def test_formulas_on_the_page_hold_no_backslash(page: str):
    formulas = re.findall(r"<math.*?</math>", page, re.S)
    assert len(formulas) >= 8
    assert not [formula for formula in formulas if "\\" in formula]


def test_text_is_escaped(page: str):
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "an &lt;em&gt; word" in page
    assert "onerror=alert(1)&gt;" in page


def test_a_formula_that_fails_stops_the_report():
    with pytest.raises(ValueError, match="nosuch"):
        render(run(dataclasses.replace(CONFIRMED, note=r"see $\nosuch$")))


def test_the_head_says_whether_all_is_as_expected(page: str):
    assert (
        "✗ 3 of 3 verdicts are as expected; rows without a verdict: 1 definition, "
        "1 not checkable, 1 of these unexpectedly; not as expected:"
    ) in page
    page_of_both = render(run(CONFIRMED, REFUTED))
    assert "✓ 2 of 2 verdicts are as expected." in page_of_both
    assert "no claims" in render(run())
    for fact in ("SMOKE", "0.05", "10<sup>−6</sup>", "cpu", "float64", "jax 0.10.1"):
        assert fact in page


def test_a_refuted_claim_shows_both_forms_and_its_counterexample(page: str):
    part = section(page, "zucchet-45")
    assert part.index("As printed") < part.index("Corrected")
    assert part.count('display="block"') == 2
    assert "Counterexample" in part
    assert "form as printed" in part
    assert '<tr class="printed">' in part
    assert "As printed" not in section(page, "zucchet-5")


def test_routes_show_ratio_interval_deviation_and_samples(page: str):
    part = section(page, "zucchet-5")
    assert "1.004" in part
    assert "[0.984, 1.024]" in part
    assert "1.0&thinsp;×&thinsp;10<sup>−14</sup>" in part
    assert "70\u202f078" in part
    assert "All 3 results" in part
    assert "11 of 12 wrong formulas" in part


def test_a_route_without_a_number_says_so(page: str):
    assert "no number" in section(page, "lru-prop3.3")
    assert "No route was taken" in section(page, "sigprop-x")


def test_only_monte_carlo_is_drawn(page: str):
    assert "<svg" not in section(page, "lru-prop3.3")
    part = section(page, "zucchet-5")
    assert part.count("<circle") == 2
    assert 'role="img" aria-label="zucchet:5: measured over closed form' in part
    assert "<title>rho=0.9 (derived): 0.997" in part


def test_values_outside_the_picture_become_arrows_inside_it(page: str):
    for anchor in ("zucchet-45", "blur-thm4.1"):
        part = section(page, anchor)
        assert "Triangles at the border mark points outside" in part
        picture = re.findall(r"<svg.*?</svg>", part, re.S)[0]
        heights = re.findall(r'(?:V|y="|cy=")([-\d.]+)', picture)
        assert heights
        assert all(0 <= float(height) <= 200 for height in heights)
        assert "nan" not in picture
        assert '"inf' not in picture
    assert "not a number" in section(page, "blur-thm4.1")
    assert "∞" in section(page, "blur-thm4.1")


def test_the_page_depends_on_the_run_alone(page: str):
    assert render(EVERYTHING) == page


def test_a_report_is_written_whole_or_not_at_all(tmp_path: Path):
    path = tmp_path / "report.html"
    write_report(path, EVERYTHING)
    before = path.read_text(encoding="utf-8")
    assert before == render(EVERYTHING)
    unrenderable = run(dataclasses.replace(CONFIRMED, statement=r"\nosuch"))
    with pytest.raises(ValueError, match="nosuch"):
        write_report(path, unrenderable)
    assert path.read_text(encoding="utf-8") == before
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.browser
def test_a_phone_shows_the_page_without_sideways_scrolling(browser, tmp_path: Path):
    wide = rf"\left({' + '.join(f'x_{{{i}}}' for i in range(80))}\right)"
    tall = render(
        run(dataclasses.replace(CONFIRMED, statement=wide), *EVERYTHING.claims)
    )
    # Open tables are the widest that a reader can make the page.
    file = tmp_path / "report.html"
    file.write_text(tall.replace("<details>", "<details open>"), "utf-8")
    page = browser.open(file.as_uri(), width=360)
    width, height = page.evaluate(
        "(one => [one.scrollWidth, one.scrollHeight])(document.documentElement)"
    )
    assert width <= 360
    assert height > 2000
    style = "getComputedStyle(document.querySelector('.badge')).borderRadius"
    assert page.evaluate(style) == "16px"
    assert page.locator(".formula > math").first.bounding_box()["width"] > 360
    assert page.locator("svg").first.bounding_box()["height"] > 100


CUT = """() => [...document.querySelectorAll(".formula")].flatMap(box =>
  [...box.querySelectorAll("math, .paper")]
    .filter(one => one.getClientRects().length)
    .map(one => one.getBoundingClientRect().right - box.getBoundingClientRect().right)
).filter(over => over > 1)"""


@pytest.mark.browser
def test_paper_cuts_no_formula(browser, tmp_path: Path):
    terms = " + ".join(rf"x_{{{i}}}" for i in range(40))
    wide = rf"\left({terms}\right) = {terms} = \frac{{{terms}}}{{2}}"
    page = render(run(dataclasses.replace(CONFIRMED, statement=wide)))
    file = tmp_path / "report.html"
    file.write_text(page, "utf-8")
    shown = browser.open(file.as_uri(), width=718)  # A4 without Chromium's margins
    shown.emulate_media(media="print")
    pieces = shown.locator(".formula .paper math").all()
    assert sum(one.is_visible() for one in pieces) > 40
    assert shown.evaluate(CUT) == []
    assert shown.locator(".formula > math").first.bounding_box() is None
    shown.emulate_media(media="screen")
    assert shown.locator(".formula .paper").first.bounding_box() is None
    shown.evaluate(
        "document.querySelector('.paper').style = 'display:block;white-space:nowrap'"
    )
    assert shown.evaluate(CUT) != []  # the measure sees what is cut
