"""Zucchet & Orvieto (2024), Figure 10D: concentrated eigenvalues are hard to learn."""

import numpy as np
from matplotlib.figure import Figure

from experiments import store
from figures import losses, style

STUDY = "concentration"
STUDIES = {"d": STUDY}


def draw(preset: str = "quick", panel: str | None = None) -> Figure:
    """Final losses of tuned networks by the largest phase of the teacher's eigenvalues.

    Every seed is a point; bars are 95 % intervals for the median, see ``figures.losses``.

    Raises:
        FileNotFoundError: If the result is missing; names the command that makes it.
        ValueError: If there is no such panel, or the result is damaged.
    """
    (letter,) = style.choose(panel, STUDIES)
    data = store.load_preset(STUDY, preset)
    phases = data["condition"].values
    x = np.log10(phases)
    with style.styled():
        drawn = style.figure(2.75, 3.4)
        axes = drawn.subplots()
        losses.axis(axes, data)
        losses.compare(axes, x, data)
        style.caption(drawn, losses.caption(data))
        axes.set_xticks(x, [f"{one:.2g}" for one in phases])
        axes.set_xlabel(r"largest phase $\theta_0 / \pi$ of the teacher's eigenvalues")
        style.letter(axes, letter, "eigenvalues concentrate to the left")
    return drawn
