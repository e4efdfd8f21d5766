"""The page with the landscape: what a reader sees, clicks, drags, types and hears."""

import itertools
import math
import re

import pytest

from sigprop.landscape import explorer
from sigprop.ledger import landscape
from tests.sigprop.ledger.test_report import Page

SETTINGS = "document.querySelector('[data-explorer]').explorer.settings()"
VIEW = "document.querySelector('[data-explorer]').explorer.view()"
STATUS = "document.querySelector('[data-explorer]').shadowRoot.querySelector('.status')"
REACH = 1.07  # of the map, in both directions, before any zoom
STAR = 0.99 * math.cos(math.pi / 8), 0.99 * math.sin(math.pi / 8)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    return landscape.write(tmp_path_factory.mktemp("landscape"))


def until(page, condition):
    """Wait for a condition; the page's policy forbids Playwright's own way."""
    for _ in range(200):
        if page.evaluate(condition):
            return
        page.wait_for_timeout(50)
    raise AssertionError(f"this did not become true: {condition}")


def opened(browser, file, **how):
    """The page once its first descent has been told."""
    page = browser.open(file.as_uri(), **how)
    until(page, f"{STATUS}.textContent.length > 20")
    return page


def pixel(page, x, y):
    """Where an eigenvalue is on the screen, before any zoom."""
    box = page.locator(".map").bounding_box()
    return (
        box["x"] + box["width"] * (x / REACH + 1) / 2,
        box["y"] + box["height"] * (1 - y / REACH) / 2,
    )


def test_the_page_stands_alone_and_links_to_what_is_beside_it(file):
    text = file.read_text("utf-8")
    assert not re.search(r"https?://(?!www\.w3\.org)", text)
    assert explorer.module() in text
    assert Page(text).links == []
    both = Page(landscape.render(["index.html", "gallery.html", "other.html"])).links
    assert both == ["index.html", "gallery.html"]


@pytest.mark.browser
def test_the_policy_admits_this_script_alone(browser, file, tmp_path):
    opened(browser, file)
    assert browser.requests == [file.as_uri()]
    changed = tmp_path / "changed.html"
    text = file.read_text("utf-8")
    changed.write_text(text.replace("const DEPTH = ", "const  DEPTH = "), "utf-8")
    page = browser.open(changed.as_uri())
    assert page.evaluate("document.querySelector('[data-explorer]').shadowRoot") is None
    assert any("Content Security Policy" in text for text in browser.complaints)
    browser.complaints.clear()


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 390, 768, 1280])
def test_it_fits_every_screen(browser, file, width, scheme):
    page = opened(browser, file, width=width, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    over = page.evaluate(
        "[...document.querySelector('[data-explorer]').shadowRoot.querySelectorAll('*')]"
        ".filter(one => one.getBoundingClientRect().right > innerWidth)"
        ".map(one => one.outerHTML)"
    )
    assert over == []
    ink = page.evaluate(
        "getComputedStyle(document.querySelector('[data-explorer]').shadowRoot"
        ".querySelector('.status')).color"
    )
    assert (sum(map(int, re.findall(r"\d+", ink))) > 384) == (scheme == "dark")


@pytest.mark.browser
def test_all_that_can_be_used_has_a_name(browser, file):
    page = opened(browser, file)
    tree = page.locator("[data-explorer]").aria_snapshot()
    used = re.findall(r"- (slider|radio|button|application|img)\b(.*)", tree)
    assert len(used) >= 30
    assert [both for both in used if not re.match(r' "[^"]+"', both[1])] == []
    assert 'slider "Learning rate' in tree
    assert 'radio "gradient descent" [checked]' in tree
    values = page.evaluate(
        "[...document.querySelector('[data-explorer]').shadowRoot"
        ".querySelectorAll('input[type=range]')].map(i => i.getAttribute('aria-valuetext'))"
    )
    assert "100 steps" in values
    assert "ρ = 0" in values


@pytest.mark.browser
def test_a_click_starts_a_descent_there(browser, file):
    page = opened(browser, file)
    page.mouse.click(*pixel(page, -0.3, 0.4))
    x, y = page.evaluate(SETTINGS)["start"]
    assert math.hypot(x + 0.3, y - 0.4) < 0.01
    page.mouse.click(*pixel(page, 0.9, 0.9))  # not a stable student
    assert page.evaluate(SETTINGS)["start"] == [x, y]


@pytest.mark.browser
def test_the_star_and_the_start_are_dragged_and_the_rest_pans(browser, file):
    page = opened(browser, file)
    start = page.evaluate(SETTINGS)["start"]

    def drag(first, last):
        page.mouse.move(*pixel(page, *first))
        page.mouse.down()
        page.mouse.move(*pixel(page, *last), steps=4)
        page.mouse.up()

    drag(STAR, (0.2, 0.6))
    settings = page.evaluate(SETTINGS)
    assert settings["start"] == start
    assert abs(settings["modulus"] - math.hypot(0.2, 0.6)) < 0.02
    assert abs(settings["angle"] - math.atan2(0.6, 0.2)) < 0.03
    drag(start, (-0.4, -0.2))
    x, y = page.evaluate(SETTINGS)["start"]
    assert math.hypot(x + 0.4, y + 0.2) < 0.02
    before = page.evaluate(SETTINGS)
    drag((0.5, -0.5), (0.5 - 0.214, -0.5))
    assert page.evaluate(SETTINGS) == before
    view = page.evaluate(VIEW)
    assert view["zoom"] == 1
    assert abs(view["x"] - 0.6) < 0.01


@pytest.mark.browser
def test_the_wheel_zooms_about_the_pointer(browser, file):
    page = opened(browser, file)
    page.mouse.move(*pixel(page, *STAR))
    page.mouse.wheel(0, -1200)
    until(page, f"{VIEW}.zoom > 3")
    view = page.evaluate(VIEW)
    for part, centre in zip(STAR, (view["x"], view["y"]), strict=True):
        place = (part / REACH + 1) / 2
        assert abs((place - centre) * view["zoom"] - (place - 0.5)) < 0.01
    page.get_by_label("Show all").click()
    assert page.evaluate(VIEW) == {"x": 0.5, "y": 0.5, "zoom": 1}


@pytest.mark.browser
def test_keys_do_what_the_mouse_does(browser, file):
    page = opened(browser, file)
    page.locator(".map").focus()
    before = page.evaluate(SETTINGS)
    page.keyboard.press("+")
    page.keyboard.press("ArrowRight")
    view = page.evaluate(VIEW)
    assert view["zoom"] > 1
    assert view["x"] > 0.5
    page.keyboard.press("0")
    assert page.evaluate(VIEW) == {"x": 0.5, "y": 0.5, "zoom": 1}
    page.keyboard.press("]")
    assert page.evaluate(SETTINGS)["rate"] > before["rate"]
    page.keyboard.press("Shift+ArrowUp")
    assert page.evaluate(SETTINGS)["start"][1] > before["start"][1]
    scrolled = page.evaluate("scrollY")
    page.keyboard.press("Space")  # plays
    assert page.evaluate("scrollY") == scrolled
    page.get_by_label("Teacher’s memory").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(SETTINGS)["modulus"] > before["modulus"]
    page.get_by_role("radio", name="polar").focus()
    page.keyboard.press("ArrowRight")
    assert page.evaluate(SETTINGS)["parametrisation"] == "exp"


@pytest.mark.browser
def test_fingers_pinch_and_tap(browser, file):
    page = opened(browser, file, width=390)
    page.locator(".map").scroll_into_view_if_needed()
    x, y = pixel(page, 0, 0)
    touch = page.context.new_cdp_session(page)

    def fingers(kind, *places):
        touch.send(
            "Input.dispatchTouchEvent",
            {
                "type": f"touch{kind}",
                "touchPoints": [
                    {"x": a, "y": b, "id": i} for i, (a, b) in enumerate(places)
                ],
            },
        )

    fingers("Start", (x - 30, y), (x + 30, y))
    fingers("Move", (x - 45, y), (x + 45, y))
    fingers("Move", (x - 60, y), (x + 60, y))
    fingers("End")
    view = page.evaluate(VIEW)
    assert abs(view["zoom"] - 2) < 0.2
    assert abs(view["x"] - 0.5) < 0.02
    before = page.evaluate(SETTINGS)["start"]
    fingers("Start", (x - 40, y))
    fingers("End")
    after = page.evaluate(SETTINGS)["start"]
    assert after != before
    assert abs(after[1]) < 0.02


@pytest.mark.browser
@pytest.mark.parametrize("index", range(8))
def test_every_scene_plays_to_its_end(browser, file, index):
    page = opened(browser, file)
    button = page.locator("[data-scene]").nth(index)
    button.click()
    until(
        page,
        "document.querySelector('[data-explorer]').shadowRoot"
        f".querySelectorAll('[data-scene]')[{index}].ariaPressed === 'true'",
    )
    page.wait_for_timeout(1200)
    lesson = page.locator(".lesson").inner_text()
    assert len(lesson) > 80
    assert "_" not in lesson
    assert page.locator("[data-scene]").count() == 8
    drawn = page.evaluate(
        "(() => { const c = document.querySelector('[data-explorer]').shadowRoot"
        ".querySelector('.map'); const d = c.getContext('2d')"
        ".getImageData(0, 0, c.width, c.height).data; const seen = new Set();"
        "for (let i = 0; i < d.length; i += 4096) seen.add(d[i] + 256 * d[i + 1]);"
        "return seen.size })()"
    )
    assert drawn > 20


def facts(page, index):
    """Settings and descent of a scene once it has been reached."""
    page.evaluate(f"document.querySelector('[data-explorer]').explorer.show({index})")
    page.wait_for_timeout(1000)
    return page.evaluate(
        f"""[{SETTINGS}, document.querySelector('[data-explorer]').explorer.descent(),
        document.querySelector('[data-explorer]').explorer.stable()]"""
    )


@pytest.mark.browser
def test_scenes_say_what_is_so(browser, file):
    page = opened(browser, file)
    memory, normalise, fast, momentum, _, lru, best, _ = (
        facts(page, index) for index in range(8)
    )
    reached = [
        next((i for i, loss in enumerate(run["losses"]) if loss < 1e-6), None)
        for _, run, _ in (memory, normalise, fast, momentum)
    ]
    assert reached[0] is None
    assert memory[0]["rate"] < memory[2]
    assert abs(normalise[2] / memory[2] - 50) < 3  # "fifty times as large"
    assert reached[1]
    assert fast[0]["rate"] > fast[2]
    late = [fast[0]["rate"] * c for c in fast[1]["curvatures"][-400:]]
    crossed = sum((a < 2) != (b < 2) for a, b in itertools.pairwise(late))
    assert crossed > 40  # "jumps across the dashed line"
    assert reached[2] is None
    assert momentum[0]["rate"] == normalise[0]["rate"] / 4
    assert reached[3] < reached[1]
    assert lru[0]["parametrisation"] == "exp"
    assert best[0]["parametrisation"] == "tanh"


@pytest.mark.browser
def test_without_motion_the_whole_descent_is_there_at_once(browser, file):
    page = browser.screen
    page.emulate_media(reduced_motion="reduce")
    try:
        page = opened(browser, file)
        button = page.get_by_role("button", name="Play")
        button.click()
        until(page, f"{STATUS}.textContent.includes('step')")
    finally:
        page.emulate_media(reduced_motion="null")
