"""BLUR (2025), Figure 9: forecasts of ETTh1 by LRU and BLUR on the whole test set."""

from matplotlib.figure import Figure

from sigprop.figures import series, style
from sigprop.figures.entry import Entry

STUDY = "forecasts"
ENTRY = Entry(
    dict.fromkeys("ab", STUDY),
    "Forecasts of ETTh1 over the whole test set",
    reduced=series.SMALLER,
    full="sigprop train forecast --data ETTh1 --horizon 24 --model blur --preset paper",
    rows=("blur:fig9",),
)
DATA, ROW = "ETTh1", 1800  # where the text says that the LRU lags behind a spike


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Panel A shows the oil temperature, and BLUR's error over the LRU's.

    Panel B shows forecasts of both networks near row 1800.

    Raises:
        ValueError: If there is no such panel.
    """
    return series.full_test(results, panel, STUDY, DATA, ROW)


def shown(results: style.Results) -> str:
    """Errors of both networks on the whole test set and near the row that the text names."""
    return series.compared(results[STUDY], DATA, ROW)


if __name__ == "__main__":
    from sigprop.figures.command import main

    main("blur-9")
