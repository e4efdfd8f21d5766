"""Sentences of what forecasts and epochs cost."""

import numpy as np
import pytest

from sigprop.figures import blur_6, blur_14, blur_15, epochs
from tests.figures.scrambled import scrambled


def test_blur_6_says_how_much_longer_others_take_and_how_both_grow():
    data, trainings = scrambled("forecast_speed"), scrambled("forecasts")
    data["seconds"].values[:] = 1.0
    data["seconds"].loc[{"model": "blur"}] = 2.0
    data["seconds"].loc[{"model": "blur", "horizon": 720}] = 3.0
    data["power"].loc[{"model": "lru"}] = [0.75, 0.875, 1.0]
    blur = trainings["model"].values == "blur"
    trainings["test_mae"].values[:] = np.where(blur, 0.75, 1.0)
    data["seconds"].loc[{"model": "gru", "horizon": 24}] = 9.0
    results = {"forecast_speed": data, "horizons": trainings}
    text = blur_6.shown(results)
    assert (
        "A forecast takes 2.0 to 3.0 (BLUR), 1.0 (GRU) and 1.0 (LSTM) times as long "
        "as a forecast by the LRU, at horizons of 168 and more." in text
    )
    assert "From horizon 24 to 720, the median time grows 1 times for the LRU" in text
    assert (
        "and 2 times for BLUR. BLUR's mean absolute error on ETTh1 is 0.75 times"
        in text
    )
    rows = blur_6.details(results)
    assert rows[1] == ("LRU", "0.88", "0.75", "1.00")
    assert len(rows) == 1 + data.sizes["model"]


@pytest.mark.parametrize(
    ("module", "task"), [(blur_14, "image"), (blur_15, "forecast")]
)
def test_an_epoch_is_counted_in_those_of_the_lru(module, task):
    data = scrambled("forecast_speed")
    data["step_seconds"].values[:] = 1.0
    data["step_seconds"].loc[{"trained": "gru", "task": task}] = 4.0
    data["step_seconds"].loc[{"trained": "blur", "task": task, "repeat": 0}] = 3.0
    text = module.shown({"forecast_speed": data})
    assert (
        "The median training step of BLUR takes 1.00 times as long as the LRU's, and "
        "1.00 to 3.00 times in the 5 repeats." in text
    )
    assert "and GRU the longest, 4.00 times." in text
    memory = data["step_memory"].sel(task=task)
    ratio = float(memory.sel(trained="blur") / memory.sel(trained="lru"))
    assert text.endswith(f"BLUR takes {ratio:.2f} times the LRU's memory.")
    header, *rows = module.details({"forecast_speed": data})
    assert header == (
        "time of a step relative to the LRU",
        "of medians",
        "smallest",
        "largest",
    )
    assert ("GRU", "4.00", "4.00", "4.00") in rows
    assert ("BLUR", "1.00", "1.00", "3.00") in rows
    assert "LRU" not in {name for name, *_ in rows}
    data["step_seconds"].loc[{"trained": "s4", "task": task}] = 0.25
    text = module.shown({"forecast_speed": data})
    assert (
        "Of the other layers, S4 takes the shortest time, 0.25 times the LRU's" in text
    )
    data["step_seconds"].loc[{"trained": "blur", "task": task, "repeat": 1}] = 0.5
    text = module.shown({"forecast_speed": data})
    assert "0.50 to 3.00 times in the 5 repeats: neither is always faster." in text


def test_epochs_are_of_their_own_task():
    data = scrambled("forecast_speed")
    images = blur_14.shown({"forecast_speed": data})
    windows = blur_15.shown({"forecast_speed": data})
    assert images == epochs.shown(data, "image")
    assert windows == epochs.shown(data, "forecast")
    assert images != windows
    assert blur_14.details({"forecast_speed": data}) == epochs.details(data, "image")
    assert blur_15.details({"forecast_speed": data}) == epochs.details(data, "forecast")
