"""BLUR (2025), Figure 15: training time an epoch on ETTh1."""

from matplotlib.figure import Figure

from sigprop.figures import epochs, style

STUDY = "forecast_speed"
STUDIES = dict.fromkeys("ab", STUDY)
TASK = "forecast"


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Minutes of an epoch of windows, and memory of a step, by the layers of the network.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    what = f"ETTh1, horizon and window {data.attrs['training_horizon']}"
    return epochs.draw(data, TASK, what, int(data.attrs["batch"]), letters)


def shown(results: style.Results) -> str:
    """How many times as long as an LRU's every model's step takes."""
    return epochs.shown(results[STUDY], TASK)
