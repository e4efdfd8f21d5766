"""Sliders have names, values and buttons, and show the picture that they stand at."""

import re

import pytest
from matplotlib.figure import Figure

from sigprop.figures.sliders import Sliders

CHOICES = {"size & shape": (1, 2, 3), "turn": ("left", "right")}
START = (2, "left")


def draw(width, turn):
    """A picture whose width in pixels says which it is."""
    return Figure(figsize=(width + 0.5 * (turn == "right"), 1))


@pytest.fixture(scope="module")
def sliders():
    return Sliders(draw, CHOICES, START, "Call draw.")


def test_every_combination_is_drawn_and_said(sliders):
    text = sliders._repr_html_()
    pictures = re.findall(r"<img [^>]*>", text)
    texts = [re.search('alt="([^"]*)"', picture)[1] for picture in pictures]
    assert texts[:2] == [
        "size &amp; shape 1, turn left",
        "size &amp; shape 1, turn right",
    ]
    assert len(texts) == len(set(texts)) == 6
    shown = [" hidden" not in picture for picture in pictures]
    assert shown == [False, False, True, False, False, False]
    assert "Call draw." in text
    assert repr(sliders) == "6 pictures by size & shape, turn"
    assert not re.search(r"https?://", text)


@pytest.mark.parametrize("choices", [{}, {"a": ()}], ids=["none", "empty"])
def test_nothing_to_choose_from_is_refused(choices):
    with pytest.raises(ValueError, match="need a choice with an option"):
        Sliders(draw, choices, (), "")


@pytest.mark.parametrize("options", [(0.25, 0.0, 0.05), (1, 1, 2), (3, 1, 2)])
def test_numbers_that_go_back_and_forth_are_refused(options):
    with pytest.raises(ValueError, match="need numbers that increase or decrease for"):
        Sliders(draw, {"angle": options}, options[:1], "")
    assert Sliders(lambda angle: draw(angle, ""), {"angle": (2, 1)}, (1,), "")


@pytest.mark.parametrize("start", [(), (1,), (4, "left"), ("left", 1)])
def test_a_start_that_is_no_choice_is_refused(start):
    with pytest.raises(ValueError, match="need a start with an option of each choice"):
        Sliders(draw, CHOICES, start, "")


SHOWN = "[...document.querySelectorAll('img:not([hidden])')].map(i => i.naturalWidth)"
VALUES = "[...document.querySelectorAll('output')].map(one => one.textContent)"


@pytest.mark.browser
def test_bars_and_buttons_choose_the_picture(sliders, browser, tmp_path):
    file = tmp_path / "page.html"
    text = sliders._repr_html_()
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8>{text}{text}", "utf-8")
    page = browser.open(file.as_uri())
    assert page.evaluate(SHOWN) == [200, 200]
    page.get_by_label("size & shape: on").first.click()
    assert page.evaluate(SHOWN) == [300, 200]  # the other one stays
    page.get_by_label("turn: back").first.click()
    assert page.evaluate(SHOWN) == [350, 200]
    assert page.evaluate(VALUES) == ["3", "right", "2", "left"]
    page.locator("input").first.fill("0")
    assert page.evaluate(SHOWN) == [150, 200]
    page.get_by_label("size & shape: play").last.click()
    page.wait_for_function(f"{SHOWN}[1] === 300")
