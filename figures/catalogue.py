"""The list of figures, and the way to draw one; imports nothing heavy until asked."""

import importlib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Entry:
    """A figure's module and study, the panels it has, and what it shows."""

    module: str
    study: str
    panels: tuple[str, ...]
    title: str


FIGURES = {
    "lru-2": Entry(
        "figures.lru_2",
        "ring_eigenvalues",
        ("a", "b"),
        "Eigenvalues of Gaussian matrices fill the unit disk",
    ),
    "lru-3": Entry(
        "figures.lru_3",
        "ring_eigenvalues",
        ("a", "b"),
        "Eigenvalues sampled by Lemma 3.2 fill the ring",
    ),
    "lru-9": Entry(
        "figures.lru_9",
        "ring_gain",
        ("a", "b"),
        "The gain of a layer with eigenvalues on a ring, simulated and predicted",
    ),
    "zucchet-1a": Entry(
        "figures.zucchet_1a",
        "curse_of_memory",
        ("a",),
        "Sensitivity to the eigenvalue explodes as memory lengthens",
    ),
    "zucchet-2": Entry(
        "figures.zucchet_2",
        "curse_of_memory",
        ("a", "b"),
        "What input normalisation and reparametrisation do to both moments",
    ),
}


def entry(name: str) -> Entry:
    """Look a figure up.

    Raises:
        ValueError: If there is no figure of that name.
    """
    if name not in FIGURES:
        raise ValueError(f"need a figure in {', '.join(FIGURES)}, got {name!r}")
    return FIGURES[name]


def draw_and_save(
    name: str, preset: str = "quick", panel: str | None = None, into: Path | None = None
) -> list[Path]:
    """Draw a figure, or one panel of it, from its stored result; write PDF and PNG.

    Args:
        name: One of ``FIGURES``.
        preset: The preset whose result to draw.
        panel: One of the figure's panels; all of them if left out.
        into: Folder for the files; ``figures.style.folder()`` if left out.

    Raises:
        FileNotFoundError: If the result is missing; names the command that makes it.
        ValueError: If the name or the panel is unknown, or the result is damaged.
    """
    module = importlib.import_module(entry(name).module)
    from figures import style

    drawn = module.draw(preset=preset, panel=panel)
    return style.save(drawn, f"{name}-{panel}" if panel else name, into)
