"""The picture at the head of the README; ``python -m figures.readme`` draws it again."""

from pathlib import Path

from experiments import store
from figures import style, zucchet_1a

FILE = Path(__file__).with_suffix(".svg")


def draw(file: Path = FILE) -> None:
    """Figure 1A of Zucchet & Orvieto from the tracked result, as SVG.

    Raises:
        OSError: If it cannot be written; an older one is as it was.
    """
    drawn = zucchet_1a.draw({zucchet_1a.STUDY: store.shipped(zucchet_1a.STUDY)})
    with style.styled(), store.unfinished(file) as partial:
        drawn.savefig(partial, format="svg", metadata=style.METADATA["svg"])


if __name__ == "__main__":
    draw()
