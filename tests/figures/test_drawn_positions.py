"""State power over positions is drawn where the audit has it, with its intervals."""

import numpy as np
import pytest
import xarray as xr
from matplotlib.colors import same_color

from sigprop.figures import positions, style
from tests.figures import layout
from tests.figures.reading import Reading

NAMES = ["block 1 forward", "block 1 backward"]
TOLERANCE = 0.125


def audited():
    """Numbers of which no two agree."""
    draws = np.random.default_rng(0)
    power = draws.uniform(1, 5, (2, 6))
    dims = "recurrence", "position"

    def interval(shape):
        return draws.uniform(0.5, 2, shape) * np.array([0.8, 1, 1.3]).reshape(3, 1, 1)

    return xr.Dataset(
        {
            "measured": (("end", *dims), power * interval((1, 1, 1))),
            "predicted": (
                ("recurrence", "rung", "position"),
                draws.uniform(1, 5, (2, 4, 6)),
            ),
            "ratio": (("end", "recurrence", "rung"), interval((1, 2, 4))),
            "edges": (("end", "recurrence", "edge"), interval((1, 2, 2))),
        },
        {
            "end": ["low", "middle", "high"],
            "recurrence": NAMES,
            "position": np.arange(1, 7),
            "rung": list(positions.RUNGS),
            "edge": ["start", "end"],
        },
        {"blocks": 16},
    )


def test_texts_of_powers_over_three_decades_are_apart():
    data = audited()
    data["measured"][:, 1, -1] *= 1e-2
    figure = positions.draw(data, "waves.csv, blur, quick, seed 0: test", TOLERANCE)
    with style.styled():
        assert layout.faults(figure) == []
    (legend,) = figure.legends
    assert legend.get_title().get_text() == "waves.csv, blur, quick, seed 0: test"


def test_power_and_ratios_of_every_recurrence_are_drawn():
    data = audited()
    figure = positions.draw(data, "waves", TOLERANCE)
    assert len(figure.axes) == 4
    for row, name in enumerate(NAMES):
        power, ratios = figure.axes[2 * row : 2 * row + 2]
        case = data.sel(recurrence=name)
        assert power.get_title("left") == name
        measured, *predicted = power.lines
        np.testing.assert_allclose(measured.get_ydata(), case["measured"][1])
        for line, (rung, colour) in zip(
            predicted, positions.RUNGS.items(), strict=True
        ):
            np.testing.assert_allclose(
                line.get_ydata(), case["predicted"].sel(rung=rung)
            )
            assert same_color(line.get_color(), colour)
        bounds = np.concatenate([case["ratio"], case["edges"]], 1)
        for index, bar in enumerate(ratios.containers):
            (x,), (y,) = bar.lines[0].get_data()
            assert (x, y) == pytest.approx((bounds[1, index], index))
            ((first, last),) = bar.lines[2][0].get_segments()
            assert (first[0], last[0]) == pytest.approx(
                (bounds[0, index], bounds[2, index])
            )
        (shade,) = ratios.patches
        box = shade.get_extents().transformed(ratios.transData.inverted())
        np.testing.assert_allclose(box.intervalx, [1 - TOLERANCE, 1 + TOLERANCE])
        names = [text.get_text() for text in ratios.get_yticklabels()]
        assert names == [*positions.RUNGS, "start", "end"]
    text = figure.get_supxlabel().replace("\n", " ")
    assert "12.5 %" in text
    assert "16 blocks" in text
    assert figure.axes[0].lines[0].get_color() == style.BLACK


def test_the_interval_is_shaded_down_to_half_of_the_least_power_that_is_not_zero():
    data = audited()
    data["measured"][:] *= 0.1  # all below one
    data["measured"][:2, 0, 1] = 0  # nothing is seen at a position, and its low end
    data["measured"][0, 0, 3] = 1e-9
    power = Reading(positions.draw(data, "waves", TOLERANCE).axes[0])
    low, middle, high = data["measured"].sel(recurrence=NAMES[0]).values
    least = sorted(middle)[1] / 2
    assert low[3] < least < min(low[[0, 2, 4, 5]])
    position = data["position"].values
    power.band(position, [max(bound, least) for bound in low], high, style.GREY)
    power.curve(position, middle, style.BLACK, label="measured")
    for rung, colour in positions.RUNGS.items():
        values = data["predicted"].sel(recurrence=NAMES[0], rung=rung)
        power.curve(position, values, colour, label=rung)
    power.done("linear", "log")


def test_an_audit_without_a_recurrence_is_refused():
    with pytest.raises(ValueError, match="need a recurrence with a closed form"):
        positions.draw(xr.Dataset(), "waves", TOLERANCE)


@pytest.mark.parametrize("high", [1.5, 30.0, 1e4, 1e28, 1e160])
def test_a_log_axis_of_any_range_has_numbers(high):
    with style.styled():
        axes = style.figure(1.5).subplots()
        axes.plot([1, 2], [1, high])
        style.plain_log(axes)
        assert layout.faults(axes.figure) == []
        low, top = axes.get_ylim()
        assert sum(low <= tick <= top for tick in axes.get_yticks()) >= 2
