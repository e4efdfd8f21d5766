"""The picture at the head of the README, drawn by ``python -m sigprop.figures.readme``."""

import re
from pathlib import Path

from sigprop.experiments import store
from sigprop.figures import sigprop_advice_worth, style, zucchet_1a

FILE = Path(__file__).resolve().with_suffix(".svg")
DIGITS = re.compile(r"(\.\d{3})\d+")  # of coordinates in points, more than can be seen
CAPTION = (
    "Networks begun as `sigprop advise` says, over those begun by default: quotients of losses "
    "paired over seeds, with 95 % intervals; left of the line advice is better."
)


def draw(file: Path = FILE) -> None:
    """Figure 1A of Zucchet & Orvieto, and what advice does, from tracked results, as SVG.

    Raises:
        OSError: If it cannot be written; an older one is as it was.
    """
    heights = [3.8, 2.9]
    with style.styled(), store.unfinished(file) as partial:
        drawn = style.figure(sum(heights))
        upper, lower = style.stacked(drawn, heights)
        zucchet_1a.moments(upper, store.shipped(zucchet_1a.STUDY), "a")
        worth = store.shipped(sigprop_advice_worth.STUDIES["a"])
        sigprop_advice_worth.quotients(lower.subplots(), worth, "a", "b")
        style.caption(lower, CAPTION)
        drawn.savefig(partial, format="svg", metadata=style.METADATA["svg"])
        partial.write_text(DIGITS.sub(r"\1", partial.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    draw()
