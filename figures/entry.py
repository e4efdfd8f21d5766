"""The catalogue's entry of a figure."""

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Entry:
    """Studies, title and ledger rows of a figure; each figure's module has an ``ENTRY``.

    Attributes:
        studies: The study or sweep whose result each panel draws, by the panel's letter.
        title: What the figure shows, in a few words.
        rows: Ids of the ledger's rows that judge its caption.
        reduced: What is smaller than in the paper even at the preset ``paper``.
        full: A command that runs it, or the main part of it, at the paper's sizes.
        differs: What is not the paper's at any size.
    """

    studies: dict[str, str]
    title: str
    rows: tuple[str, ...] = ()
    reduced: str = ""
    full: str = ""
    differs: str = ""

    @property
    def panels(self) -> tuple[str, ...]:
        """The letters of the panels."""
        return tuple(self.studies)

    def needs(self, panel: str | None = None) -> tuple[str, ...]:
        """The results that one panel draws, or all of them, each once.

        Raises:
            ValueError: If the figure has no such panel.
        """
        chosen = self.chosen(panel)
        return tuple(dict.fromkeys(self.studies[letter] for letter in chosen))

    def chosen(self, panel: str | None = None) -> tuple[str, ...]:
        """The letters of the panels to draw: one panel, or all of them.

        Raises:
            ValueError: If the figure has no such panel.
        """
        return chosen_panels(panel, self.panels)


def chosen_panels(panel: str | None, panels: Iterable[str]) -> tuple[str, ...]:
    """Return the panels to draw: ``panel`` alone, or all if it is ``None``.

    Raises:
        ValueError: If the figure has no such panel.
    """
    panels = tuple(panels)
    if panel is None:
        return panels
    if panel not in panels:
        raise ValueError(f"need a panel in {', '.join(panels)}, got {panel!r}")
    return (panel,)
