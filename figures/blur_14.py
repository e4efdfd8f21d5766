"""BLUR (2025), Figure 14: training time an epoch on sequential CIFAR."""

from matplotlib.figure import Figure

from sigprop.figures import epochs, style

STUDY = "forecast_speed"
STUDIES = dict.fromkeys("ab", STUDY)
TASK = "image"


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Minutes of an epoch of images, and memory of a step, by the layers of the network.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    data = results[STUDY]
    what = f"Sequential CIFAR, {data.attrs['pixels']} steps"
    return epochs.draw(data, TASK, what, int(data.attrs["images"]), letters)


def shown(results: style.Results) -> str:
    """How many times as long as an LRU's every model's step takes."""
    return epochs.shown(results[STUDY], TASK)
