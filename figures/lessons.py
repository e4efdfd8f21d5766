"""The style of all notebooks: one look, and the same colour for the same quantity."""

from collections.abc import Iterable
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


class Table:
    """A table that a notebook shows, as Markdown; ``|`` in a cell ends no cell."""

    def __init__(self, heads: Iterable[str], rows: Iterable[Iterable[Any]]) -> None:
        r"""Write the cells as text.

        Args:
            heads: Of the columns.
            rows: Cells, of which text has formulas between dollars.

        Raises:
            ValueError: If a row has another number of cells than there are heads.

        Example:
            >>> Table(["$|x|$", "a|b"], [[1, 2]])
            | $\vert x\vert $ | a\|b |
            | --- | --- |
            | 1 | 2 |
        """
        self.heads = [_cell(head) for head in heads]
        self.rows = [[_cell(cell) for cell in row] for row in rows]
        for row in self.rows:
            if len(row) != len(self.heads):
                raise ValueError(f"need a cell for each of {self.heads}, got {row}")

    def _repr_markdown_(self) -> str:
        lines = (self.heads, ["---"] * len(self.heads), *self.rows)
        return "\n".join(f"| {' | '.join(line)} |" for line in lines)

    def __repr__(self) -> str:
        """The Markdown, where there is no page."""
        return self._repr_markdown_()


def _cell(content: Any) -> str:
    r"""Escape ``|``: in formulas, where ``\|`` is a double bar, by ``\vert``."""
    parts = str(content).split("$")
    return "$".join(
        part.replace("|", r"\vert " if index % 2 else r"\|")
        for index, part in enumerate(parts)
    )
