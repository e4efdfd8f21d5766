"""The page with the explorable landscape; it works alone and loads nothing."""

from collections.abc import Collection
from pathlib import Path

from markupsafe import Markup

from sigprop.ledger.mathml import mathml
from sigprop.ledger.report import environment
from sigprop.numerics.files import write_text
from sigprop.numerics.paths import PACKAGE

SCRIPT = PACKAGE / "landscape" / "explorer.js"  # a file: nothing is imported
PAGE = "landscape.html"


def render(beside: Collection[str] = ()) -> str:
    """The page as HTML.

    Args:
        beside: Names of files in its folder, for links.
    """
    env = environment()
    env.filters["inline"] = lambda latex: Markup(mathml(latex, display=False))
    page = env.get_template("landscape.html.j2")
    return page.render(script=SCRIPT.read_text("utf-8"), beside=frozenset(beside))


def write(folder: Path, beside: Collection[str] = ()) -> Path:
    """Write the complete page, or keep the old one, and return its path.

    Raises:
        OSError: If the page cannot be written.
    """
    write_text(folder / PAGE, render(beside))
    return folder / PAGE
