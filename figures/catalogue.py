"""The figures: every module of this package that has an ``ENTRY``, and how one is drawn."""

import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING

import sigprop.figures

if TYPE_CHECKING:
    from sigprop.figures import style
    from sigprop.figures.entry import Entry


FORMATS = ("pdf", "png", "svg")
DEFAULT = FORMATS[:2]


@cache
def entries() -> "dict[str, Entry]":
    """The entry of every figure by its name, in natural order; imports all figures."""
    modules = {file.replace("_", "-"): _import(file) for file in _files()}
    figures = [name for name, code in modules.items() if hasattr(code, "ENTRY")]
    return {name: modules[name].ENTRY for name in sorted(figures, key=_natural)}


def _files() -> list[str]:
    return [file.name for file in pkgutil.iter_modules(sigprop.figures.__path__)]


def _import(file: str) -> ModuleType:
    return importlib.import_module(f"sigprop.figures.{file}")


def _natural(name: str) -> list[tuple[int, str]]:
    """Sort ``zucchet-9`` before ``zucchet-10``."""
    return [(int(n or 0), word) for n, word in re.findall(r"(\d+)|(\D+)", name)]


def module(name: str) -> ModuleType:
    """Import the module of a figure: it has ``ENTRY``, ``draw`` and ``shown``.

    Raises:
        ValueError: If there is no figure of that name; suggests the nearest.
    """
    file = name.replace("-", "_")
    if "_" not in name and file in _files() and hasattr(_import(file), "ENTRY"):
        return _import(file)
    raise ValueError(
        f"need a figure that `sigprop figure --list` lists, {_got(name, entries())}"
    )


def entry(name: str) -> "Entry":
    """Look a figure up.

    Raises:
        ValueError: If there is no figure of that name; suggests the nearest.
    """
    return module(name).ENTRY


def require_formats(asked: Iterable[str] | None) -> tuple[str, ...]:
    """The formats to write, each once; PDF and PNG if none is asked for.

    Raises:
        ValueError: If one is unknown; suggests the nearest.
    """
    formats = tuple(dict.fromkeys(map(str.casefold, asked or DEFAULT)))
    for kind in formats:
        if kind not in FORMATS:
            raise ValueError(
                f"need a format in {', '.join(FORMATS)}, {_got(kind, FORMATS)}"
            )
    return formats


def _got(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.4)
    return f"got {name!r}" + "".join(f"; did you mean {one}?" for one in near)


def of_rows() -> dict[str, str]:
    """The figure that shows each row of the ledger, by the row's id."""
    return {row: name for name, shown in entries().items() for row in shown.rows}


def source_and_caption(name: str) -> tuple[str, str]:
    """The figure of a paper that a figure follows, and what its panels show.

    The first is the start of the module's docstring, the second the docstring of ``draw``
    up to its section ``Raises``.

    Raises:
        ValueError: If the name is unknown.
    """
    code = module(name)
    source, drawn = (inspect.getdoc(one) or "" for one in (code, code.draw))
    drawn = drawn.partition("\n\nRaises:")[0].replace("``", "")
    return source.partition(":")[0], " ".join(drawn.split())


def said(
    name: str, results: "style.Results", panel: str | None = None
) -> tuple[str, str]:
    """What a figure shows of its caption, if it is whole, and where its results come from.

    Raises:
        ValueError: If the name is unknown.
    """
    from sigprop.figures import provenance

    code = module(name)
    origin = provenance.sentence(results, code.ENTRY.reduced)
    return "" if panel else code.shown(results), origin


def details(name: str, results: "style.Results") -> "style.Cells":
    """The numbers behind a figure's sentences as a table; nothing for most figures.

    Raises:
        ValueError: If the name is unknown.
    """
    code = module(name)
    return code.details(results) if hasattr(code, "details") else ()


def draw_and_save(
    name: str,
    results: "style.Results",
    panel: str | None = None,
    into: Path | None = None,
    formats: Iterable[str] | None = None,
    verdicts: Mapping[str, str] | None = None,
) -> list[Path]:
    """Draw a figure, or one panel of it, from stored results; write PDF and PNG.

    The files are named after the figure, the panel, and the presets of the results unless
    all are of the preset ``paper``: no picture takes the place of a better one.  Below
    each figure, and in the metadata of its files, stands what the ledger says of its
    caption, what of that a whole figure shows, and where its results come from.

    Args:
        name: A key of ``entries``.
        results: Those that the panels need, by the names of their studies.
        panel: One of the figure's panels; all of them if left out.
        into: Folder for the files; ``sigprop.figures.style.folder()`` if left out.
        formats: Some of ``pdf``, ``png`` and ``svg``; the first two if left out.
        verdicts: Statuses of the ledger by the figure's rows; unsaid if left out.

    Raises:
        ValueError: If the name, the panel or a format is unknown.
        OSError: If a file cannot be written.
    """
    code, kinds = module(name), require_formats(formats)
    from sigprop.figures import provenance, style

    drawn = code.draw(results, panel)
    sentence, origin = said(name, results, panel)
    told = provenance.verdict(verdicts or {}, sentence)
    presets = {study: one.attrs["preset"] for study, one in results.items()}
    files = stem(name, panel, presets)
    return style.save(drawn, files, into, kinds, code.ENTRY.title, told, origin)


def stem(name: str, panel: str | None, presets: Mapping[str, str]) -> str:
    """The name of a figure's files without their kind.

    >>> stem("zucchet-3", None, {"memory_gap": "paper"})
    'zucchet-3'
    >>> stem("zucchet-3", "b", {"ablation": "quick"})
    'zucchet-3-b-quick'
    """
    found = sorted(set(presets.values()))
    return "-".join(filter(None, (name, panel, *(found if found != ["paper"] else ()))))
