"""BLUR (2025), Figure 12: forecasts of the weather by LRU and BLUR over its test part."""

from matplotlib.figure import Figure

from sigprop.figures import series, style

STUDY = "forecasts"
STUDIES = dict.fromkeys("ab", STUDY)
DATA, PLACE = "WTH", 5000  # of which the text says that the LRU overestimates the peak


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Wet-bulb temperature and forecasts of it, over the whole test and near row 5000.

    Raises:
        ValueError: If there is no such panel.
    """
    return series.full_test(results, panel, STUDY, DATA, PLACE)


def shown(results: style.Results) -> str:
    """Which network is nearer, over all and where the text says so."""
    return series.compared(results[STUDY], DATA, PLACE)
