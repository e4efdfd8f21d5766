"""Figures as inline SVG for pages whose policy forbids external files and styles.

Such a page's policy forbids styles of elements, so that every property becomes an
attribute; what is black takes the colour of the page's text, and the paper is the page's.
"""

import io
import re
from html import escape

from matplotlib.figure import Figure

from sigprop.figures import style

PROLOGUE = re.compile(r"^.*?(?=<svg )|<metadata>.*?</metadata>|<style.*?</style>", re.S)
STYLES = re.compile(r' style="([^"]*)"')
NAMES = re.compile(r'(?<= id=")|(?<=xlink:href="#)|(?<=url\(#)')


def svg(figure: Figure, name: str, label: str) -> str:
    """Return the panels of a figure as one SVG element, which is also a valid file.

    The words below the panels are left out, for ``style.notes`` to put beside the picture.

    Args:
        figure: The figure.
        name: Prefix that makes the element's inner ids unique on a page.
        label: Description for readers who cannot see the figure.
    """
    style.hide_notes(figure)
    written = io.StringIO()
    with style.styled():
        figure.savefig(
            written,
            format="svg",
            metadata=style.METADATA["svg"],
            facecolor="none",
            transparent=True,
        )
    text = PROLOGUE.sub("", written.getvalue())
    text = STYLES.sub(_attributes, text)
    text = NAMES.sub(f"{name}-", text).replace("#000000", "currentColor")
    head = f'role="img" aria-label="{escape(label)}" fill="currentColor" '
    text = re.sub(r' (?:width|height)="[0-9.]+pt"', "", text, count=2)
    return text.replace("<svg ", f"<svg {head}", 1).strip() + "\n"


def _attributes(match: re.Match[str]) -> str:
    pairs = (part.split(":") for part in match[1].split(";") if part.strip())
    return "".join(f' {key.strip()}="{value.strip()}"' for key, value in pairs)
