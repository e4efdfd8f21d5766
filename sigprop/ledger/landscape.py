"""The page with the explorable landscape; it loads nothing and works alone."""

from collections.abc import Collection
from pathlib import Path

from markupsafe import Markup

from sigprop.ledger.mathml import mathml
from sigprop.ledger.report import environment
from sigprop.numerics.files import write_text
from sigprop.numerics.paths import PACKAGE

SCRIPT = PACKAGE / "landscape" / "explorer.js"  # read, so that no code is imported
PAGE = "landscape.html"


def render(beside: Collection[str] = ()) -> str:
    """The page.

    Args:
        beside: Names of the files in its folder to which it may link.
    """
    env = environment()
    env.filters["inline"] = lambda latex: Markup(mathml(latex, display=False))
    page = env.get_template("landscape.html.j2")
    return page.render(script=SCRIPT.read_text("utf-8"), beside=frozenset(beside))


def write(folder: Path, beside: Collection[str] = ()) -> Path:
    """Write the page whole or not at all, and return its path.

    Raises:
        OSError: If it cannot be written.
    """
    write_text(folder / PAGE, render(beside))
    return folder / PAGE
