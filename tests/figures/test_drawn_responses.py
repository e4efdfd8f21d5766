"""Responses to impulses and spectra in a figure are the stored ones."""

import numpy as np
import pytest

from figures import lru_4, style

RANGES = {"a": r"2\pi", "b": r"\pi/50", "c": r"2\pi"}


@pytest.mark.parametrize("panel", [None, "b"])
def test_responses_lie_between_their_envelopes(show, panel):
    panels, data = show("lru-4", panel)
    letters = panel or "abc"
    places = [(mode, letter) for mode in range(3) for letter in letters]
    for drawn, (mode, letter) in zip(panels[: len(places)], places, strict=True):
        one = data.isel(
            max_phase=int(letter == "b"), age=slice(1024 if letter == "c" else 16_384)
        )
        drawn.curve(one["age"], one["state"].isel(mode=mode), lru_4.COLOURS[mode])
        for sign in (-1, 1):
            drawn.curve(one["age"], sign * one["envelope"], style.GREY)
        phase = float(one["phase"][mode]) / np.pi
        drawn.text(rf"$\theta = {phase:.2g}\,\pi$", colour=lru_4.COLOURS[mode])
        assert drawn.axes.get_xlim() == (0, one.sizes["age"])
        low, high = drawn.axes.get_ylim()
        assert low < -1 < 1 < high
        middle = mode == 1 and letter == letters[0]
        drawn.done(x="steps" if mode == 2 else "", y="Re $x_k$" if middle else "")
        if mode == 0:
            head = rf"$\theta \leq {RANGES[letter]}$, {one.sizes['age']} steps"
            assert drawn.axes.get_title("left").endswith(head)


def test_turns_are_counted_on_their_line(show):
    (drawn,), data = show("lru-4", "d")
    length = data["length"].values
    for index, (colour, marker) in enumerate(lru_4.RANGES):
        one = data.isel(max_phase=index)
        turns = one["turns"].transpose("length", "draw").values
        drawn.curve(length, one["mean_turns"], colour)
        error = turns.std(1, ddof=1) / np.sqrt(turns.shape[1])
        drawn.errors(length, turns.mean(1), error, colour=colour, marker=marker)
    for index, steps in ((0, 1024), (1, 16384)):
        mean = float(data["mean_turns"].isel(max_phase=index).sel(length=steps))
        drawn.text(f"{mean:.0f}", (steps, mean), lru_4.RANGES[index][0])
    drawn.done("log", "log", x="length", y="periods")
    labels = [text.get_text() for text in drawn.axes.get_legend().get_texts()]
    assert labels == [r"$\theta \leq 2\pi$", r"$\theta \leq \pi/50$"]
    ticks = [float(one.get_text()) for one in drawn.axes.get_xticklabels()]
    assert ticks == length.tolist() == drawn.axes.get_xticks().tolist()
