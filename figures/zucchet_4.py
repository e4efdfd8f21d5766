"""Zucchet & Orvieto (2024), Figure 4: curvature at optimality, and what Adam makes of it."""

from matplotlib.figure import Figure

from experiments import store
from figures import hessians, style

STUDIES = dict.fromkeys("ab", "hessian_structure") | dict.fromkeys(
    "cd", "adaptive_rates"
)
NETWORKS = {
    "a": "RNN",
    "b": "complex diagonal",
    "c": "RNN",
    "d": "complex diagonal",
}


def draw(preset: str = "quick", panel: str | None = None) -> Figure:
    """Hessians at optimality, and effective learning rates of Adam after training.

    What points and lines are say ``figures.hessians`` and ``figures.rates``.

    Raises:
        FileNotFoundError: If a result is missing; names the command that makes it.
        ValueError: If there is no such panel, or a result is damaged.
    """
    letters = style.chosen_panels(panel, STUDIES)
    results = {
        study: store.load_preset(study, preset)
        for study in dict.fromkeys(STUDIES[letter] for letter in letters)
    }
    with style.styled():
        return hessians.figure(
            results.get("hessian_structure"),
            results.get("adaptive_rates"),
            {letter: NETWORKS[letter] for letter in letters},
        )
