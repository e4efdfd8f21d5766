"""The picture at the head of the README, drawn by ``python -m sigprop.figures.readme``."""

import re
from pathlib import Path

from sigprop.experiments import store
from sigprop.figures import style, zucchet_1a

FILE = Path(__file__).resolve().with_suffix(".svg")
DIGITS = re.compile(r"(\.\d{3})\d+")  # of coordinates in points, more than can be seen


def draw(file: Path = FILE) -> None:
    """Draw Figure 1A of Zucchet & Orvieto from its tracked result, as SVG.

    Raises:
        OSError: If it cannot be written; an older one is as it was.
    """
    with store.unfinished(file) as partial:
        figure = zucchet_1a.draw({zucchet_1a.STUDY: store.shipped(zucchet_1a.STUDY)})
        with style.styled():
            figure.savefig(partial, format="svg", metadata=style.METADATA["svg"])
        partial.write_text(DIGITS.sub(r"\1", partial.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    draw()
