"""The list of figures, i.e. of the modules with an ``ENTRY``, and functions to draw them."""

import difflib
import importlib
import inspect
import pkgutil
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, NamedTuple

import sigprop.figures

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    return [(int(n or 0), text) for n, text in re.findall(r"(\d+)|(\D+)", name)]


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


def require_formats(names: Iterable[str] | None) -> tuple[str, ...]:
    """Return the formats to write, without repetition: PDF and PNG by default.

    Raises:
        ValueError: If a format is unknown; suggests the nearest.
    """
    formats = tuple(dict.fromkeys(map(str.casefold, names or DEFAULT)))
    for kind in formats:
        if kind not in FORMATS:
            raise ValueError(
                f"need a format in {', '.join(FORMATS)}, {_got(kind, FORMATS)}"
            )
    return formats


def _got(name: str, names: Iterable[str]) -> str:
    near = difflib.get_close_matches(name, list(names), n=1, cutoff=0.4)
    return f"got {name!r}" + "".join(f"; did you mean {match}?" for match in near)


def of_rows() -> dict[str, str]:
    """The figure that shows each row of the ledger, by the row's id."""
    return {row: name for name, shown in entries().items() for row in shown.rows}


def source_and_caption(name: str) -> tuple[str, str]:
    """Return the paper's figure that a figure reproduces, and a description of its panels.

    The first is the start of the module's docstring, the second the docstring of ``draw``
    up to its section ``Raises``.

    Raises:
        ValueError: If the name is unknown.
    """
    code = module(name)
    source, caption = (
        inspect.getdoc(documented) or "" for documented in (code, code.draw)
    )
    caption = caption.partition("\n\nRaises:")[0].replace("``", "")
    return source.partition(":")[0], " ".join(caption.split())


def details(name: str, results: "style.Results") -> "style.Cells":
    """Return the numbers behind a figure's sentences as a table, empty for most figures.

    Raises:
        ValueError: If the name is unknown.
    """
    code = module(name)
    return code.details(results) if hasattr(code, "details") else ()


class Drawn(NamedTuple):
    """A figure that was drawn, and the words that go beside it.

    Attributes:
        figure: The figure.
        title: What it shows, in a few words.
        source: The paper's figure that it reproduces; empty for a command's picture.
        caption: What the panels show, and what their marks mean.
        shown: Summary of a whole figure; empty for one panel.
        found: What the ledger says of the paper's caption.
        origin: Origin of the results.
    """

    figure: "Figure"
    title: str
    source: str
    caption: str
    shown: str
    found: str
    origin: str

    def markdown(self, pictures: Iterable[Path]) -> str:
        """A page with the pictures that a page can show, and the words below them."""
        images = (
            f"![{self.title}]({file.name})"
            for file in pictures
            if file.suffix != ".pdf"
        )
        words = (self.caption, self.shown, self.found, self.origin)
        source = f"{self.source}." if self.source else ""
        paragraphs = (f"# {self.title}", source, *images, *words)
        return "\n\n".join(filter(None, paragraphs)) + "\n"

    def save(
        self,
        name: str,
        into: Path | None = None,
        formats: Iterable[str] = DEFAULT,
        caption: bool = False,
    ) -> list[Path]:
        """Write the pictures, and the words beside them; return the files.

        The words are in ``NAME.md``, and in the metadata of the pictures.

        Args:
            name: Of the files, without their kind.
            into: Folder for the files; ``sigprop.figures.style.folder()`` if left out.
            formats: Some of ``FORMATS``.
            caption: Whether to draw the words below the panels, too.

        Raises:
            OSError: If a file cannot be written.
        """
        from sigprop.figures import style
        from sigprop.numerics.files import write_text

        pictures = style.save(
            self.figure,
            name,
            into,
            formats,
            self.title,
            " ".join(filter(None, (self.found, self.shown))),
            self.origin,
            caption,
        )
        beside = pictures[0].with_suffix(".md")
        write_text(beside, self.markdown(pictures))
        return [*pictures, beside]


def drawn(
    name: str,
    results: "style.Results",
    panel: str | None = None,
    verdicts: Mapping[str, str] | None = None,
) -> Drawn:
    """Draw a figure, or one panel of it, from stored results, and describe it.

    Args:
        name: A key of ``entries``.
        results: Those that the panels need, by the names of their studies.
        panel: One of the figure's panels; all of them if left out.
        verdicts: Findings of the ledger by the figure's rows; unsaid if left out.

    Raises:
        ValueError: If the name or the panel is unknown.
    """
    code = module(name)
    from sigprop.figures import provenance, style

    figure = code.draw(results, panel)
    source, panels = source_and_caption(name)
    return Drawn(
        figure,
        code.ENTRY.title,
        source,
        f"{panels} {style.notes(figure)}".strip(),
        "" if panel else code.shown(results),
        provenance.findings(verdicts or {}),
        provenance.sentence(results, code.ENTRY),
    )


def draw_and_save(
    name: str,
    results: "style.Results",
    panel: str | None = None,
    into: Path | None = None,
    formats: Iterable[str] | None = None,
    verdicts: Mapping[str, str] | None = None,
    caption: bool = False,
) -> list[Path]:
    """Draw a figure, or one panel of it, from stored results; return the files.

    The files are named after the figure, the panel, and the presets of the results unless
    all are of the preset ``paper``: no picture takes the place of a better one.  Beside
    the pictures, in ``NAME.md`` and in their metadata, stand what is drawn, the summary of
    a whole figure, the ledger's findings about its caption, and the origin of its results.

    Args:
        name: A key of ``entries``.
        results: Those that the panels need, by the names of their studies.
        panel: One of the figure's panels; all of them if left out.
        into: Folder for the files; ``sigprop.figures.style.folder()`` if left out.
        formats: Some of ``pdf``, ``png`` and ``svg``; the first two if left out.
        verdicts: Findings of the ledger by the figure's rows; unsaid if left out.
        caption: Whether to draw these words below the panels, too.

    Raises:
        ValueError: If the name, the panel or a format is unknown.
        OSError: If a file cannot be written.
    """
    kinds = require_formats(formats)
    one = drawn(name, results, panel, verdicts)
    presets = {study: data.attrs["preset"] for study, data in results.items()}
    return one.save(stem(name, panel, presets), into, kinds, caption)


def stem(name: str, panel: str | None, presets: Mapping[str, str]) -> str:
    """The name of a figure's files without their kind.

    >>> stem("zucchet-3", None, {"memory_gap": "paper"})
    'zucchet-3'
    >>> stem("zucchet-3", "b", {"ablation": "quick"})
    'zucchet-3-b-quick'
    """
    names = sorted(set(presets.values()))
    return "-".join(filter(None, (name, panel, *(names if names != ["paper"] else ()))))
