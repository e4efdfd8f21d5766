"""Pages that other modules write as HTML, prepared for Sphinx.

Sphinx gives such a page its title, navigation and search, and does not change its body.
The style sheet of these bodies applies only inside them, and takes its colours from the
theme.
"""

import re
from html import unescape
from typing import NamedTuple

from sigprop.ledger.report import text

FOLDER = "bodies"
SHEET, SCRIPT = "bodies.css", "ledger.js"
SHEETS = ("style.css", "site.css", "blueprint.css", "gallery.css")
_ROOT = re.compile(r":root\{(.*?)\}", re.DOTALL)
_OUTSIDE = re.compile(r"(?<![\w.#-])(?::root|html|body)(?=[.\s{,])")
_DARK = re.compile(r"@media screen and \(prefers-color-scheme:dark\)\{(.*?)\}\}", re.S)
_HEADING = re.compile(r"<h1\b[^>]*>.*?</h1>", re.DOTALL)
_LANDMARK = re.compile(r"<(/?)(?:main|header|footer)\b([^>]*)>")


class Body(NamedTuple):
    """A page of raw HTML.

    Attributes:
        title: Title in plain text.
        html: HTML below the title.
        keywords: Words for which the search lists the page first.
        searched: True if the search reads the text and not only the title.
        children: Names of pages below it in the navigation.
    """

    title: str
    html: str
    keywords: tuple[str, ...] = ()
    searched: bool = True
    children: tuple[str, ...] = ()

    def source(self, name: str) -> str:
        """The page as reStructuredText.

        Args:
            name: Name of the page, with its folder and without an extension.
        """
        title = re.sub(r"([^\w\s])", r"\\\1", " ".join(self.title.split()))
        up = "../" * (name.count("/"))
        index = [f".. index:: ! single: {word}" for word in self.keywords]
        below = [
            ".. toctree::",
            "   :hidden:",
            "",
            *(f"   {one}" for one in self.children),
        ]
        return "\n".join(
            [
                ":body: raw",
                ":orphan:",
                *([] if self.searched else [":nosearch:"]),
                "",
                *index,
                "",
                title,
                "=" * len(title),
                "",
                ".. raw:: html",
                f"   :file: {up}{FOLDER}/{name}.html",
                "",
                *(below if self.children else []),
                "",
            ]
        )


def body(
    page: str,
    script: str = "",
    searched: bool = True,
) -> Body:
    """Extract the title and the body of a page.

    Args:
        page: A complete page of this project.
        script: Address of a script that the page needs.
        searched: See ``Body``.

    Example:
        >>> page = "<title>a &lt; b</title><body><h1>A</h1><main>Text</main></body>"
        >>> body(page)[:2]
        ('a < b', '<div class="body"><div>Text</div></div>')
    """
    title = unescape(_between(page, "<title>", "</title>"))
    inner = page.partition("<body")[2].partition(">")[2].rpartition("</body>")[0]
    inner = _LANDMARK.sub(r"<\1div\2>", _HEADING.sub("", inner, count=1))
    own = _between(page, "<style>", "</style>").replace(text("style.css"), "")
    style = f"<style>.body{{{own}}}</style>" if own.strip() else ""
    called = f'<script src="{script}" defer></script>' if script else ""
    html = f'{style}<div class="body">{inner}</div>{called}'
    return Body(title, html, searched=searched)


def _between(page: str, start: str, end: str) -> str:
    return page.partition(start)[2].partition(end)[0]


def sheet() -> str:
    """The style sheet of all bodies."""
    whole = "".join(map(text, SHEETS))
    light = _variables(_ROOT.search(whole))
    dark = _variables(_ROOT.search(_DARK.search(whole)[1] + "}"))  # pyright: ignore[reportOptionalSubscript]
    both = ";".join(
        f"--{name}:light-dark({value},{dark.get(name, value)})"
        for name, value in light.items()
    )
    rules = _OUTSIDE.sub("&", _ROOT.sub("", _DARK.sub("", whole)))
    return f".body{{{both}}}\n.body{{{rules}}}\n"


def _variables(block: re.Match[str] | None) -> dict[str, str]:
    return dict(re.findall(r"--([\w-]+):([^;]+)", block[1] if block else ""))
