"""Pages of the ledger, the notebooks and the gallery, with their addresses.

The ledger is in ``ledger``, the notebooks are in ``notebooks``, and the gallery is at
the top.  Below these, file names and anchors are the same as those of ``sigprop
ledger``, ``sigprop notebooks`` and ``sigprop figure --gallery``.
"""

import re
from collections.abc import Iterable, Mapping
from html import escape

from sigprop.ledger import blueprint, gallery, site
from sigprop.ledger.gallery import Picture
from sigprop.ledger.website.bodies import Body, body

LEDGER, NOTEBOOKS, PICTURES = "ledger", "notebooks", "pictures"
FIRST = ("errata", "results", "landscape", "blueprint")
"""Pages of the ledger that the navigation names, before those of the papers."""
_NAVIGATION = re.compile(r'<nav class="meta".*?</nav>', re.DOTALL)
_STYLE = re.compile(r"<style>.*?</style>", re.DOTALL)
_ANCHOR = re.compile(r'<a class="anchor-link"[^>]*></a>')
_ROW = re.compile(r"([a-z]+:\S+): ")
_LINK = re.compile(r'href="([\w.-]+)\.html')

Files = dict[str, str | bytes]


def of_ledger(rendered: Mapping[str, str]) -> tuple[dict[str, Body], Files]:
    """The pages of the ledger, and the files that they use.

    Args:
        rendered: Files of ``sigprop.ledger.site.render_site`` by name.
    """
    pages: dict[str, Body] = {}
    files: Files = {}
    papers = []
    for name, text in rendered.items():
        stem = name.removesuffix(".html")
        if stem == name or name.startswith("errata-"):
            files[f"{LEDGER}/{name}"] = text  # pages to print, and data
            continue
        if name.startswith("paper-"):
            papers.append(stem)
        is_code = name.startswith("code-") or name == blueprint.CODE
        text = text.replace(f'href="{gallery.PAGE}', f'href="../{gallery.PAGE}')
        script = site.SCRIPT if name == site.INDEX else ""
        page = body(text, script, searched=not is_code)
        row = _ROW.match(page.title)
        keywords = (row[1],) if row else ()
        pages[f"{LEDGER}/{stem}"] = page._replace(keywords=keywords)
    del files[f"{LEDGER}/{site.SHEET}"]
    index = pages[f"{LEDGER}/index"]
    children = [name for name in FIRST if f"{LEDGER}/{name}" in pages]
    pages[f"{LEDGER}/index"] = index._replace(children=(*papers, *children))
    return pages, files


def of_notebooks(
    rendered: Mapping[str, str], failed: Mapping[str, str]
) -> dict[str, Body]:
    """The pages of the notebooks.

    Args:
        rendered: Files of ``sigprop.ledger.notebooks.pages`` by name.
        failed: Reasons why notebooks have no outputs, by name.
    """
    pages: dict[str, Body] = {}
    for name, text in rendered.items():
        stem = name.removesuffix(".html")
        for unwanted in (_STYLE, _NAVIGATION):
            text = unwanted.sub("", text, count=1)
        page = body(_ANCHOR.sub("", text))
        if stem in failed:
            reason = escape(failed[stem])
            gap = f'<p class="gap">This notebook was not run: {reason}</p>'
            page = page._replace(html=gap + page.html)
        pages[f"{NOTEBOOKS}/{stem}"] = page
    children = tuple(name.removesuffix(".html") for name in rendered)
    index = pages[f"{NOTEBOOKS}/index"]
    others = tuple(name for name in children if name != "index")
    pages[f"{NOTEBOOKS}/index"] = index._replace(children=others)
    return pages


def of_gallery(
    pictures: Iterable[Picture], beside: Iterable[str]
) -> tuple[dict[str, Body], Files]:
    """The page of the gallery, and the files of its pictures.

    Args:
        pictures: Pictures in their order.
        beside: Names of the other pages, for links.
    """
    shown = tuple(pictures)
    of_ledger = {
        name.removeprefix(f"{LEDGER}/")
        for name in beside
        if name.startswith(f"{LEDGER}/")
    }
    files = {f"{name}.html" for name in (*of_ledger, *beside)}
    page = _NAVIGATION.sub("", gallery.render(shown, files, PICTURES), count=1)

    def moved(link: re.Match[str]) -> str:
        inside = f"{LEDGER}/" if link[1] in of_ledger else ""
        return f'href="{inside}{link[1]}.html'

    made = body(_LINK.sub(moved, page))
    stored: Files = {
        f"{PICTURES}/{name}": data for name, data in gallery.files(shown).items()
    }
    return {gallery.PAGE.removesuffix(".html"): made}, stored
