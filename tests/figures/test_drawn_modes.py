"""The picture of an advice shows the modes of both starts, and what was asked for."""

import numpy as np
import pytest
import xarray as xr

from sigprop.figures import advice, style
from tests.figures.reading import Reading, key

LONGEST, LENGTH, PHASE = (
    333.0,
    1000,
    0.7,
)  # the memory asked for, the sequences', a phase


def advised(gated=0):
    """Modes of which no two agree; the longest remembers less than was asked for."""
    draws = np.random.default_rng(0)
    by = ("start", "mode")
    return xr.Dataset(
        {
            "memory": (by, draws.uniform(3, 200, (2, 5))),
            "phase": (by, draws.uniform(-3, 3, (2, 5))),
            "state": (by, draws.uniform(0.1, 10, (2, 5))),
        },
        {"start": ["default", "advised"]},
        {"length": LENGTH, "memory": LONGEST, "phase": PHASE, "gated": gated},
    )


@pytest.mark.parametrize("gated", [0, 1])
def test_modes_and_what_was_asked_for_are_drawn_each_in_its_panel(gated):
    data = advised(gated)
    figure = advice.draw(data, "what it is about")
    disc, memory, state = map(Reading, figure.axes)
    for start, colour in style.STARTS.items():
        case = data.sel(start=start)
        radius, phase = 1 - 1 / case["memory"].values, case["phase"].values
        x, y = radius * np.cos(phase), np.abs(radius * np.sin(phase))
        disc.curve(x, y, colour, "o", label=start)
        ordered = sorted(case["memory"].values)
        share = [np.mean(case["memory"].values >= many) for many in ordered]
        line = memory.curve(ordered, share, colour)
        assert line.get_drawstyle() == "steps-pre"
        state.curve(case["memory"], case["state"], colour, "o", label=start)
    turn = np.linspace(0, np.pi, 100)
    disc.curve(np.cos(turn), np.sin(turn), style.GREY)
    for angle in () if gated else (PHASE,):
        disc.curve([0, np.cos(angle)], [0, np.sin(angle)], style.BLACK, dashes="--")
    assert memory.upright(LONGEST, style.GREY).get_linestyle() == "--"
    state.level(1, style.GREY)
    disc.done(x="Re", y="|Im")
    memory.done("log", x="time constant, steps", y="share of longer ones")
    state.done("log", "log", x="time constant, steps", y="|h|^2")
    assert figure.get_suptitle() == "what it is about"
    caption = " ".join(figure.get_supxlabel().split())
    assert caption.startswith("States" if gated else "Modes")
    assert key(figure) == style.STARTS
    for axes, letter in zip(figure.axes, "ABC", strict=True):
        assert axes.get_title("left").startswith(rf"$\bf{{{letter}}}$")
