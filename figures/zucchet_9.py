"""Zucchet & Orvieto (2024), Figure 9: as Figure 4, of the LRU and S4."""

from matplotlib.figure import Figure

from figures import hessians, style

STUDIES = dict.fromkeys("ab", "hessian_structure") | dict.fromkeys(
    "cd", "adaptive_rates"
)
NETWORKS = {
    "a": "LRU",
    "b": "S4",
    "c": "LRU",
    "d": "S4",
}


def draw(results: style.Results, panel: str | None = None) -> Figure:
    """Hessians at optimality, and effective learning rates of Adam after training.

    What points and lines are say ``figures.hessians`` and ``figures.rates``.

    Raises:
        ValueError: If there is no such panel.
    """
    letters = style.chosen_panels(panel, STUDIES)
    found = {
        study: results[study]
        for study in dict.fromkeys(STUDIES[letter] for letter in letters)
    }
    with style.styled():
        return hessians.figure(
            found.get("hessian_structure"),
            found.get("adaptive_rates"),
            {letter: NETWORKS[letter] for letter in letters},
        )
