"""Zucchet & Orvieto (2024), Figure 9: as Figure 4, of the LRU and S4."""

from matplotlib.figure import Figure

from experiments import store
from figures import rates, style

STUDY = "adaptive_rates"
STUDIES = dict.fromkeys("cd", STUDY)
NETWORKS = {"c": "LRU", "d": "S4"}


def draw(preset: str = "quick", panel: str | None = None) -> Figure:
    """Effective learning rates of Adam at the end, by parameter, at a constant rate.

    The grey line is the learning rate.  What points, dots and bars are says
    ``figures.rates.draw``.

    Raises:
        FileNotFoundError: If the result is missing; names the command that makes it.
        ValueError: If there is no such panel, or the result is damaged.
    """
    letters = style.choose(panel, STUDIES)
    data = store.load_preset(STUDY, preset)
    with style.styled():
        return rates.row(data, {letter: NETWORKS[letter] for letter in letters})
