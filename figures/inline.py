"""A figure as a piece of a page that loads nothing and admits no style but its own.

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


def svg(drawn: Figure, name: str, label: str) -> str:
    """The figure as one SVG element, which is a file of its own as well.

    Args:
        drawn: The figure.
        name: Tells its inner names from those of other pictures on a page.
        label: What it shows, for those who do not see it.
    """
    written = io.StringIO()
    with style.styled():
        drawn.savefig(
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
