"""The style of all notebooks: one look, and the same colour for the same quantity."""

from typing import Any

import matplotlib as mpl
from matplotlib.rcsetup import cycler

from sigprop.figures import losses, style

SETTINGS: dict[Any, Any] = style.SETTINGS | {
    "figure.dpi": 120,
    "figure.figsize": (7, 2.8),
    "axes.prop_cycle": cycler("color", style.SEQUENCE),
}
NETWORK = {"dense RNN": losses.COLOURS["RNN"]} | losses.COLOURS
CORRELATION = dict(zip((0.0, 0.5, 0.9, 0.99, 1.0), style.SEQUENCE, strict=True))
"""Of inputs, by their ``rho``."""
MEMORY = dict(zip((0.5, 0.9, 0.97, 0.99), style.SEQUENCE, strict=False))
"""Of teachers, by the modulus of their eigenvalue."""
BLOCK = (style.ORANGE, style.GREEN)
UP, DOWN = style.VERMILION, style.BLUE
"""Of curvature, as in the maps of Hessians."""


def use() -> None:
    """Draw like this from here on."""
    for name, value in SETTINGS.items():
        mpl.rcParams[name] = value
