"""Links of a folder of web pages, read as a browser would follow them."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urlsplit

_TAG = re.compile(r"<[a-zA-Z][^<>]*>")
_TARGET = re.compile(r'\s(?:href|src|action)="([^"]*)"')
_NAME = re.compile(r'\s(?:id|name)="([^"]*)"')
_UNREAD = re.compile(r"<(script|style)\b([^>]*)>.*?</\1>|<!--.*?-->", re.DOTALL)


def pages(folder: Path) -> list[Path]:
    """Every page below a folder."""
    return sorted(folder.rglob("*.html"))


def broken(folder: Path) -> list[str]:
    """Each link of a page to a file, or to a place on a page, that is not there.

    A link to another site is broken too if a page would load it: a script, a style sheet
    or a picture.
    """
    tags = {page: _tags(page) for page in pages(folder)}
    names = {
        page: {unescape(name) for tag in found for name in _NAME.findall(tag)}
        for page, found in tags.items()
    }
    wrong = []
    for page, found in tags.items():
        for tag in found:
            for target in map(unescape, _TARGET.findall(tag)):
                if not _leads(page, target, names, loads=not tag.startswith("<a")):
                    wrong.append(f"{page.relative_to(folder)}: {target}")
    return wrong


def _tags(page: Path) -> list[str]:
    return _TAG.findall(_UNREAD.sub(r"<\1\2>", page.read_text("utf-8")))


def _leads(page: Path, target: str, names: dict[Path, set[str]], loads: bool) -> bool:
    parts = urlsplit(target)
    if parts.scheme or parts.netloc:
        return parts.scheme == "data" or not loads
    path = unquote(parts.path)
    file = (page.parent / path).resolve() if path else page
    if not file.is_file():
        return False
    fragments = {parts.fragment, unquote(parts.fragment)}  # which browsers try in turn
    return (
        not parts.fragment
        or "=" in parts.fragment  # a search of the ledger
        or file not in names
        or bool(fragments & names[file])
    )
