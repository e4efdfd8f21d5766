"""BLUR (2025), Figure 9: forecasts of ETTh1 by LRU and BLUR over its test part."""

from matplotlib.figure import Figure

from sigprop.figures import series, style

STUDY = "forecasts"
STUDIES = dict.fromkeys("ab", STUDY)
DATA, PLACE = "ETTh1", 1800  # of which the text says that the LRU lags behind a spike


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Oil temperature and forecasts of it, over the whole test and near row 1800.

    Raises:
        ValueError: If there is no such panel.
    """
    return series.full_test(results, panel, STUDY, DATA, PLACE)


def shown(results: style.Results) -> str:
    """Which network is nearer, over all and where the text says so."""
    return series.compared(results[STUDY], DATA, PLACE)
