"""What forecasts and trainings cost is drawn as it was measured, beside the LRU."""

import numpy as np
import pytest

from sigprop.figures import blur_6, epochs
from tests.figures.scrambled import scrambled


def timed(panel, horizons, times):
    """Medians of the repeats with their range, each model beside the others."""
    for number, (model, repeats) in enumerate(times.items()):
        at = horizons * blur_6.BESIDE ** (number - (len(times) - 1) / 2)
        middle = np.median(repeats, 1)
        ends = [middle - repeats.min(1), repeats.max(1) - middle]
        panel.errors(at, middle, ends, colour=blur_6.COLOURS[model], marker="o")
    labels = [bars.get_label() for bars in panel.axes.containers]
    assert labels == [epochs.NAMES[model] for model in times]


def test_seconds_over_horizons_are_medians_with_their_ranges(show):
    (panel,), data = show("blur-6", "a")
    seconds = 1e3 * data["seconds"].transpose("model", "horizon", "repeat")
    times = {model: seconds.sel(model=model).values for model in blur_6.COLOURS}
    timed(panel, data["horizon"].values, times)
    panel.done("log", "log", x="horizon", y="milliseconds")


def test_ratios_are_taken_within_repeats_of_long_forecasts(show):
    (panel,), data = show("blur-6", "b")
    assert data["horizon"].values.tolist() == [24, 168, 720]
    data = data.sel(horizon=[168, 720])
    seconds = data["seconds"].transpose("model", "horizon", "repeat")
    times = {
        model: (seconds.sel(model=model) / seconds.sel(model="lru")).values
        for model in ("blur", "gru", "lstm")
    }
    timed(panel, data["horizon"].values, times)
    panel.level(1, blur_6.COLOURS["lru"])
    panel.done("log", "log", x="horizon", y="time of the LRU")


@pytest.mark.parametrize(
    ("name", "task"), [("blur-14", "image"), ("blur-15", "forecast")]
)
@pytest.mark.parametrize(("letter", "unit"), [("a", "minutes"), ("b", "MiB")])
def test_bars_are_epochs_and_memory_relative_to_the_lru(show, name, task, letter, unit):
    (panel,), data = show(name, letter)
    case = data.sel(task=task)
    seconds = case["step_seconds"].transpose("trained", "repeat")
    ratios = seconds / seconds.sel(trained="lru")
    case = case.isel(trained=np.median(seconds, 1).argsort())
    costs = (
        case["step_seconds"].transpose("trained", "repeat") * case["steps"] / 60
        if letter == "a"
        else case["step_memory"].expand_dims(repeat=1).transpose("trained", "repeat")
        / 2**20
    )
    middle = np.median(costs, 1)
    bars = panel.axes.patches
    assert [bar.get_width() for bar in bars] == pytest.approx([*middle])
    names = [text.get_text() for text in panel.axes.get_yticklabels()]
    assert names == [epochs.NAMES[model] for model in case["trained"].values]
    lru = costs.sel(trained="lru")
    texts = panel.axes.texts
    for model, text in zip(case["trained"].values, texts, strict=True):
        times = float(costs.sel(trained=model).median() / lru.median())
        if model == "lru":
            assert text.get_text().startswith(f"{float(lru.median()):.3g} ")
        else:
            within = ratios.sel(trained=model)
            ends = f" ({float(within.min()):.2f} to {float(within.max()):.2f})"
            ends = ends if letter == "a" else ""
            assert text.get_text() == f"{times:.2f} × LRU{ends}"
        assert text.xy == (1, [*case["trained"].values].index(model))
    assert panel.axes.get_xlim() == pytest.approx((0, 1.05 * float(costs.max())))
    if letter == "a":
        (dots,) = panel.lines
        x, y = dots.get_data()
        np.testing.assert_allclose(x, costs.values.ravel())
        np.testing.assert_array_equal(np.round(y), np.repeat(range(len(names)), 5))
    assert unit in panel.axes.get_xlabel()
    low, high = panel.axes.get_ylim()
    assert low > high  # the quickest on top


def test_the_picture_says_what_is_smaller_and_made_up():
    data = scrambled("forecast_speed")
    text = " ".join(
        epochs.draw(data, "image", "images", 3, ("a",)).get_supxlabel().split()
    )
    assert f"{int(data['steps'].sel(task='image'))} steps of 3" in text
    assert "random numbers" in text
    assert "on a CPU with 2 cores" in text
