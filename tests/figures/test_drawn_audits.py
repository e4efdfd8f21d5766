"""An audit's medians, frames and modes are drawn where the audit has them."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import same_color

from sigprop.figures import audits, style
from tests.figures.reading import Reading, same

QUANTITIES = [*audits.GROUPS[0], *audits.GROUPS[1]]
RUNGS = ["shuffled", "stationary", "infinite", "independent", "white"]
NAMES = ["block 1", "block 2 forward", "block 2 backward"]
TOLERANCE = 0.125


def audited(silent=()):
    """An audit in which no two numbers agree; some recurrences have no closed form."""
    draws = np.random.default_rng(0)
    shape = len(NAMES), len(QUANTITIES), len(RUNGS), 5
    ratio = draws.uniform(0.3, 3, shape)
    ratio[:, :-1, 0] = np.nan  # shuffled errors are of the gradient alone
    ratio[:, -1, 2] = np.nan
    ratio[list(silent)] = np.nan
    sem = draws.uniform(0.01, 4, shape)
    parts = draws.uniform(0.1, 0.7, (2, len(NAMES), 5))
    dims = ("recurrence", "quantity", "rung")
    fails = np.full(shape[:2], "", "<U11")
    fails[:, ::2], fails[0, 1] = "infinite", "white"
    fails[list(silent)] = ""
    medians = np.median(ratio, -1)
    return xr.Dataset(
        {
            "ratio": ((*dims, "mode"), ratio),
            "ratio_sem": ((*dims, "mode"), sem),
            "median": (dims, medians),
            "fails": (dims[:2], fails),
            "lam_re": (("recurrence", "mode"), parts[0]),
            "lam_im": (("recurrence", "mode"), parts[1]),
        },
        dict(zip(dims, (NAMES, QUANTITIES, RUNGS), strict=True)),
        {"tolerance": TOLERANCE},
    )


@pytest.mark.parametrize("silent", [(), (1,), (0, 2)])
def test_medians_frames_and_modes_of_every_recurrence(silent):
    data = audited(silent)
    figure = audits.draw(data, "digits, lru")
    shown = [name for i, name in enumerate(NAMES) if i not in silent]
    panels = [Reading(axes) for axes in figure.axes if axes.get_label() != "<colorbar>"]
    assert len(panels) == 3 * len(shown)
    for i, name in enumerate(shown):
        case, last = data.sel(recurrence=name), i == len(shown) - 1
        table, *modes = panels[3 * i : 3 * i + 3]
        assert table.axes.get_title("left") == name
        _medians(table, case, last)
        for panel, colours in zip(modes, audits.GROUPS, strict=True):
            _modes(panel, case, colours, last)
    assert "12.5 %" in figure.get_supxlabel().replace("\n", " ")
    for panel, colours in zip(panels[1:3], audits.GROUPS, strict=True):
        for name, colour in colours.items():
            panel.text(name, (0, 1), colour)


def _medians(panel, case, last):
    medians = case["median"].values
    corners = np.arange(len(RUNGS) + 1), np.arange(len(QUANTITIES) + 1)
    picture = panel.mesh(*np.meshgrid(*corners), medians)
    assert (picture.norm.vmin, picture.norm.vmax) == (0.25, 4)
    assert panel.axes.yaxis_inverted()
    written = {text.get_position(): text.get_text() for text in panel.axes.texts}
    assert written == {
        (column + 0.5, row + 0.5): f"{median:.3g}"
        for (row, column), median in np.ndenumerate(medians)
        if np.isfinite(median)
    }
    framed = [frame.get_center() for frame in panel.axes.patches]
    wanted = [
        (RUNGS.index(rung) + 0.5, row + 0.5)
        for row, rung in enumerate(case["fails"].values)
        if rung
    ]
    assert same(framed, wanted) if wanted else not framed
    ticks = [tick.get_text() for tick in panel.axes.get_yticklabels()]
    assert ticks == QUANTITIES
    if last:
        assert [tick.get_text() for tick in panel.axes.get_xticklabels()] == RUNGS
    panel.done()


def _modes(panel, case, colours, last):
    gap = 1 - np.hypot(case["lam_re"].values, case["lam_im"].values)
    for name, colour in colours.items():
        own = case.sel(quantity=name, rung="stationary")
        ratio = own["ratio"].values
        error = np.minimum(own["ratio_sem"].values, 0.99 * ratio)
        panel.errors(gap, ratio, error, colour=colour)
    for level in (1 - TOLERANCE, 1, 1 + TOLERANCE):
        panel.level(level, style.GREY)
    panel.done("log", "log", x="memory" if last else "")
    assert panel.axes.xaxis.get_inverted()


def test_modes_outside_the_disc_or_without_a_ratio_are_left_out():
    data = audited()
    data["lam_re"][0, 0] = 1.5
    data["ratio"][0, 0, 1, 1] = np.nan
    panel = Reading(audits.draw(data, "").axes[1])
    (state,) = [
        bars for bars in panel.bars if same_color(bars.lines[0].get_color(), style.BLUE)
    ]
    own = data["ratio"].sel(quantity="state", rung="stationary").values[0]
    assert same(state.lines[0].get_ydata(), own[2:])


def test_an_audit_without_a_closed_form_is_refused():
    with pytest.raises(ValueError, match="need a recurrence with a closed form"):
        audits.draw(audited(range(len(NAMES))), "")


def test_gates_are_drawn_over_the_share_that_a_step_carries_over():
    data = audited().sel(quantity=["state", "state at the end"])
    kept = np.random.default_rng(1).uniform(0.2, 0.9, (len(NAMES), 5))
    data["kept"] = ("recurrence", "mode"), kept
    data["lam_re"][:] = data["lam_im"][:] = np.nan
    figure = audits.draw(data, "digits, ssd")
    for column, name in ((1, "state"), (2, "state at the end")):
        panel = Reading(figure.axes[column])
        panel.text(name, (0, 1), style.BLUE)
        assert len(panel.axes.texts) == 1
        own = data.isel(recurrence=0).sel(quantity=name, rung="stationary")
        error = np.minimum(own["ratio_sem"], 0.99 * own["ratio"]).values
        gap = 1 - np.sqrt(kept[0])
        panel.errors(gap, own["ratio"].values, error, colour=style.BLUE)
    caption = figure.get_supxlabel().replace("\n", " ")
    assert "A gate has no" in caption
    assert "A gate has no" not in audits.draw(audited(), "").get_supxlabel()
