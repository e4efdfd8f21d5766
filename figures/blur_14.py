"""BLUR (2025), Figure 14: training time per epoch on sequential CIFAR."""

from matplotlib.figure import Figure

from sigprop.figures import epochs, style
from sigprop.figures.entry import Entry

STUDY = "forecast_speed"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Time of an epoch and memory of a step of sequential CIFAR",
    reduced="Batches have 4 images.",
    full="sigprop figure blur-14 --preset full",
    differs="The time of an epoch is estimated from the times of single steps. "
    "Informer, a transformer of the paper, is left out.",
    rows=("blur:fig14",),
)
TASK = "image"


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the time of an epoch, B the memory of a step, for each type of layer.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = ENTRY.chosen(panel)
    data = results[STUDY]
    description = f"sequential CIFAR of {data.attrs['pixels']} steps"
    return epochs.draw(data, TASK, description, int(data.attrs["images"]), letters)


def shown(results: style.Results) -> str:
    """The time of BLUR's step over the LRU's, and the fastest and slowest other layers."""
    return epochs.shown(results[STUDY], TASK)


def details(results: style.Results) -> style.Cells:
    """The time of each layer's step relative to the LRU."""
    return epochs.details(results[STUDY], TASK)


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-14")
