"""What forecasts and trainings cost is drawn as it was measured, beside the LRU."""

import numpy as np
import pytest

from sigprop.figures import blur_6, epochs, style
from tests.figures.scrambled import scrambled


def test_seconds_over_horizons_have_their_powers_beside_them(show):
    (panel,), data = show("blur-6", "a")
    for model, colour in blur_6.COLOURS.items():
        case = data.sel(model=model)
        low, power, high = case["power"].values
        label = f"{epochs.NAMES[model]}: ${power:.2f}$ ({low:.2f} to {high:.2f})"
        middle = 1e3 * np.median(case["seconds"].transpose("horizon", "repeat"), 1)
        panel.curve(data["horizon"].values, middle, colour, marker="o", label=label)
    panel.done("log", "log", x="horizon", y="milliseconds")


def test_ratios_are_taken_within_repeats(show):
    (panel,), data = show("blur-6", "b")
    seconds = data["seconds"].transpose("model", "horizon", "repeat")
    horizons = data["horizon"].values
    for model in ("blur", "gru", "lstm"):
        colour = blur_6.COLOURS[model]
        times = (seconds.sel(model=model) / seconds.sel(model="lru")).values
        panel.band(horizons, *np.quantile(times, (0.25, 0.75), axis=1), colour)
        panel.curve(
            horizons, np.median(times, 1), colour, marker="o", label=epochs.NAMES[model]
        )
    panel.level(1, style.BLACK)
    panel.done("log", x="horizon", y="as the LRU")


@pytest.mark.parametrize(
    ("name", "task"), [("blur-14", "image"), ("blur-15", "forecast")]
)
@pytest.mark.parametrize(("letter", "unit"), [("a", "minutes"), ("b", "MiB")])
def test_bars_are_epochs_and_memory_relative_to_the_lru(show, name, task, letter, unit):
    (panel,), data = show(name, letter)
    case = data.sel(task=task)
    seconds = case["step_seconds"].transpose("trained", "repeat")
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
    texts = [text.get_text() for text in panel.axes.texts]
    for model, text in zip(case["trained"].values, texts, strict=True):
        times = float((costs.sel(trained=model) / lru).median())
        if model == "lru":
            assert text.startswith(f"{float(lru.median()):.3g} ")
        else:
            assert text == f"{times:.2f} × LRU"
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
