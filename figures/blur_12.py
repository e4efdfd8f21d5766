"""BLUR (2025), Figure 12: forecasts of Weather by LRU and BLUR on the whole test set."""

from matplotlib.figure import Figure

from sigprop.figures import series, style
from sigprop.figures.entry import Entry

STUDY = "forecasts"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Forecasts of Weather over the whole test set",
    reduced=series.SMALLER,
    full="sigprop train forecast --data WTH --horizon 24 --model blur --preset paper",
    rows=("blur:fig12",),
)
DATA, ROW = "WTH", 5000  # where the text says that the LRU overestimates the peak


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the wet-bulb temperature, and BLUR's error over the LRU's.

    Panel B shows forecasts of both networks near row 5000.

    Raises:
        ValueError: If there is no such panel.
    """
    return series.full_test(results, panel, STUDY, DATA, ROW)


def shown(results: style.Results) -> str:
    """Errors of both networks on the whole test set and near the row that the text names."""
    return series.compared(results[STUDY], DATA, ROW)


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-12")
