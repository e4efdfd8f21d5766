"""Pictures of layers, for the pages of several commands."""

from typing import NamedTuple


class Drawn(NamedTuple):
    """Inline SVG of layers; without it a page has only text and numbers.

    Attributes:
        most: Largest number of modes that are drawn per layer.
        times: Time constants of all layers.
        discs: Eigenvalues of layers in the complex plane.
        undrawn: Number of layers with complex eigenvalues that are not drawn.
    """

    most: int
    times: str = ""
    discs: tuple[str, ...] = ()
    undrawn: int = 0
