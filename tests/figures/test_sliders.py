"""Sliders have names, values and buttons, and show the picture that they stand at."""

import re

import pytest
from matplotlib.figure import Figure

from sigprop.figures.sliders import Sliders

CHOICES = {"size & shape": (1, 2, 3), "turn": ("left", "right")}


def draw(width, turn):
    """A picture whose width in pixels says which it is."""
    return Figure(figsize=(width + 0.5 * (turn == "right"), 1))


@pytest.fixture(scope="module")
def sliders():
    return Sliders(draw, CHOICES, "Call draw.")


def test_every_combination_is_drawn_and_said(sliders):
    text = sliders._repr_html_()
    pictures = re.findall(r"<img [^>]*>", text)
    texts = [re.search('alt="([^"]*)"', picture)[1] for picture in pictures]
    assert texts[:2] == [
        "size &amp; shape 1, turn left",
        "size &amp; shape 1, turn right",
    ]
    assert len(texts) == len(set(texts)) == 6
    assert [" hidden" in picture for picture in pictures] == [False] + [True] * 5
    assert "Call draw." in text
    assert repr(sliders) == "6 pictures by size & shape, turn"
    assert not re.search(r"https?://", text)


@pytest.mark.parametrize("choices", [{}, {"a": ()}], ids=["none", "empty"])
def test_nothing_to_choose_from_is_refused(choices):
    with pytest.raises(ValueError, match="need a choice with an option"):
        Sliders(draw, choices, "")


SHOWN = "[...document.querySelectorAll('img:not([hidden])')].map(i => i.naturalWidth)"
VALUES = "[...document.querySelectorAll('output')].map(one => one.textContent)"


@pytest.mark.browser
def test_bars_and_buttons_choose_the_picture(sliders, browser, tmp_path):
    file = tmp_path / "page.html"
    text = sliders._repr_html_()
    file.write_text(f"<!DOCTYPE html><meta charset=utf-8>{text}{text}", "utf-8")
    page = browser.open(file.as_uri())
    assert page.evaluate(SHOWN) == [100, 100]
    page.get_by_label("size & shape: on").first.click()
    assert page.evaluate(SHOWN) == [200, 100]  # the other one stays
    page.get_by_label("turn: back").first.click()
    assert page.evaluate(SHOWN) == [250, 100]
    assert page.evaluate(VALUES) == ["2", "right", "1", "left"]
    page.locator("input").first.fill("2")
    assert page.evaluate(SHOWN) == [350, 100]
    page.get_by_label("size & shape: play").last.click()
    page.wait_for_function(f"{SHOWN}[1] === 200")
