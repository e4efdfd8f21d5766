"""Maps and cuts of depth are the stored ones, and the sentence says what they hold."""

import numpy as np
import pytest

from sigprop.figures import sigprop_depth
from tests.figures.conftest import bars
from tests.figures.reading import key
from tests.figures.test_shown import shown
from tests.figures.tracked import shipped


def test_cuts_through_the_maps_have_theory_as_lines_and_networks_as_points(show):
    panels, data = show("sigprop-depth")
    names = key(panels[0].axes.get_figure(root=True))
    for panel, letter in zip(panels[:3], "abc", strict=True):
        setting = sigprop_depth.SETTINGS[letter]
        case = data["predicted"].sel(setting=setting)
        contours = [
            c for c in panel.collections if hasattr(c, "levels") and not c.filled
        ]
        assert len(contours) == 2
        assert all(
            list(c.levels) == list(sigprop_depth.LEVELS[setting]) for c in contours
        )
        (filled,) = [c for c in panel.collections if getattr(c, "filled", False)]
        low, high = sigprop_depth.ENDS[setting]
        values = case.sel(signal="stream")
        assert float(abs(values).max()) < 1.25 * high  # the data is scrambled
        values = np.clip(values, low, high)
        assert filled.zmin == pytest.approx(float(values.min()))
        assert filled.zmax == pytest.approx(float(values.max()))
        limits = filled.norm.vmin, filled.norm.vmax
        np.testing.assert_allclose(limits, (low, high))
        index = 0 if letter == "a" else 1
        np.testing.assert_allclose(bars(panel)[index].get_xlim(), limits)
    for panel, letter in zip(panels[3:], "def", strict=True):
        case = data.sel(setting=sigprop_depth.SETTINGS[letter])
        for gain in data["measured_gain"].values:
            for signal, (dashes, marker) in sigprop_depth.SIGNALS.items():
                theory = case["predicted"].sel(gain=gain, signal=signal)
                line = panel.curve(data["gap"], theory, dashes=dashes)
                assert names[f"gain {gain:g}"] == line.get_color()
                at = {"measured_gain": gain, "signal": signal}
                panel.errors(
                    data["measured_gap"],
                    case["measured"].sel(at),
                    2 * case["sem"].sel(at),
                    colour=line.get_color(),
                    marker=marker,
                )
        panel.level(0)
        panel.done("log", x="modulus", y="decades" if letter == "d" else "")
        left, right = panel.axes.get_xlim()
        assert left > right


@pytest.mark.parametrize("letter", "abc")
def test_each_level_is_written_at_the_right_between_the_ends_of_its_lines(letter):
    data = shipped("depth_map")
    (axes, *_) = sigprop_depth.draw({"depth_map": data}, letter).axes
    written = {float(text.get_text()): text.xy for text in axes.texts}
    setting = sigprop_depth.SETTINGS[letter]
    assert set(written) == set(sigprop_depth.LEVELS[setting])
    edge = (
        data["predicted"]
        .sel(setting=setting)
        .isel(gap=int(np.argmin(data["gap"].values)))
    )
    gain = data["gain"].values
    for level, (x, y) in written.items():
        above = [
            int(np.argmax(growth > level))
            for growth in edge.transpose("signal", "gain").values
            if growth.min() < level < growth.max()
        ]
        assert x == 1
        assert gain[min(above) - 1] < y < gain[max(above)]


def test_sigprop_depth_says_at_which_gains_blocks_alone_are_balanced():
    def change(data):
        rise = np.log10(data["gain"].values / 4)[None, :, None]
        data["predicted"].loc[{"setting": "alone"}] = rise
        data["predicted"].loc[{"setting": ["skip", "skip + norm"]}] = 0.125
        picked = data["predicted"].sel(
            gap=data["measured_gap"].values, gain=data["measured_gain"].values
        )
        data["measured"].values[:] = picked.values + np.log10(1.1)

    text = shown("sigprop-depth", depth_map=change)
    assert (
        "its size at a gain of 4 and the gradient keeps its size at 4, depend" in text
    )
    assert "With skips, signals and gradients never shrink." in text
    assert (
        "growth factors per block lie within 10.0 % of theory and all within 10 %; gradients "
        "with norms differ by +10 %." in text
    )

    def shrink(data):
        change(data)
        data["predicted"].values[2, 0, 0, 0] = -0.5

    text = shown("sigprop-depth", depth_map=shrink)
    assert "signals and gradients shrink by 0.5 decades per block at most." in text

    def apart(data):
        data["predicted"].loc[
            {"setting": "alone", "signal": "gradient", "gap": 0.5}
        ] = np.log10(data["gain"].values / 2)

    text = shown("sigprop-depth", depth_map=lambda data: [change(data), apart(data)])
    assert (
        "at a gain of 4 and the gradient keeps its size at 2 to 4, depending on the moduli."
        in text
    )
