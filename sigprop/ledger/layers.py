"""Pictures of layers that pages of several commands share."""

from typing import NamedTuple


class Drawn(NamedTuple):
    """Inline SVG of layers; without them a page has words and numbers alone.

    Attributes:
        most: How many modes of a layer are drawn, at most.
        times: Time constants of all layers.
        discs: Eigenvalues of layers in the complex plane.
        undrawn: How many layers have complex eigenvalues and no picture.
    """

    most: int
    times: str = ""
    discs: tuple[str, ...] = ()
    undrawn: int = 0
