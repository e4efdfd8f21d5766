"""The ledger as a small website: index, papers, rows, errata and results.

The site needs no server and loads nothing from elsewhere.  All pages share one style
sheet, and the index has a script.  Both are files of the site that the content security
policy admits.  The page of the landscape contains its own style and script, so that it
also works alone.

A manifest in the folder lists the files of the site by name and content.  Only these
files are ever replaced or removed.  A file that is not listed, or that the user
changed, is kept.
"""

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from sigprop.evidence.measurements import Group
from sigprop.ledger import (
    blueprint,
    contents,
    errata,
    gallery,
    landscape,
    proofs,
    results,
    search,
    sources,
)
from sigprop.ledger.dependence import Graph
from sigprop.ledger.entries import Ledger
from sigprop.ledger.gallery import Picture
from sigprop.ledger.report import anchors, environment, shared, text
from sigprop.numerics.files import require_folder, write_text
from sigprop.theory.errata import CLASSES

INDEX, MANIFEST = "index.html", ".sigprop-ledger.json"
SHEET, SCRIPT = "ledger.css", "ledger.js"

# Possible digests of a page: two while a newer page is being written.
Digests = dict[str, set[str]]


def render_site(
    run: Ledger,
    figures: Mapping[str, str] | None = None,
    graph: Graph | None = None,
    measured: Iterable[Group] = (),
) -> dict[str, str]:
    """Every page of the site and the files that the pages share, by file name.

    Args:
        run: The verdicts.
        figures: The figure in the gallery that shows a row, by the row's id.
        graph: Graph of all rows; without it there is no blueprint.
        measured: Measurements of our own trainings, for the page of results.

    Raises:
        ValueError: If a claim's formula cannot be converted; names the LaTeX.
    """
    ids = [claim.id for claim in run.claims]
    links = {
        row_id: f"{name}.html" for row_id, name in zip(ids, anchors(ids), strict=True)
    }
    env = environment(links)
    variables = shared(run) | {
        "figures": figures or {},
        "gallery": gallery.PAGE,
        "landscape": landscape.PAGE,
        "results": results.PAGE,
        "classes": CLASSES,
        "links": links,
        "label": search.label,
        "locator": contents.locator,
        "paper_page": contents.page_of,
        "words": search.search_text,
        "sheet": SHEET,
        "script": SCRIPT,
        "sources": sources.of_rows(ids),
        "code_page": sources.page_of,
        "proofs": proofs.of_rows(ids),
        **blueprint.shared(graph, run),
    }
    variables["chapters"] = {
        paper: contents.chapters(paper, rows) for paper, rows in variables["sections"]
    }
    order = [
        (part, anchor, claim)
        for parts in variables["chapters"].values()
        for part in parts
        for anchor, claim in part.rows
    ]
    pages = {INDEX: env.get_template(f"site_{INDEX}.j2").render(variables)}
    page = env.get_template("site_claim.html.j2")
    for index, (part, anchor, claim) in enumerate(order):
        before = order[index - 1][1] if index else None
        after = order[index + 1][1] if index + 1 < len(order) else None
        pages[f"{anchor}.html"] = page.render(
            variables, part=part, anchor=anchor, claim=claim, before=before, after=after
        )
    files = {
        SHEET: "".join(
            text(name) for name in ("style.css", "site.css", "blueprint.css")
        ),
        SCRIPT: text("site_index.js"),
    }
    for part in (contents, errata, sources):
        pages |= part.documents(env, variables)
    pages |= results.documents(env, variables, measured)
    beside = {INDEX, *([gallery.PAGE] if figures else [])}
    pages[landscape.PAGE] = landscape.render(beside)
    if graph:
        pages |= blueprint.documents(env, variables, graph)
    return pages | files | run.overview


def page_names(ids: Iterable[str]) -> list[str]:
    """Names of the files of a site on these claims; the index is last."""
    ids = list(ids)
    papers = dict.fromkeys(row_id.partition(":")[0] for row_id in ids)
    return [
        *(f"{anchor}.html" for anchor in anchors(ids)),
        *map(contents.page_of, papers),
        *blueprint.page_names(papers),
        *sources.page_names(ids),
        SHEET,
        SCRIPT,
        *errata.names(papers),
        results.PAGE,
        landscape.PAGE,
        INDEX,
    ]


def require_free(folder: Path, names: Iterable[str]) -> None:
    """Refuse a folder that is not writable, or in which a page would overwrite a file.

    Args:
        folder: Folder of the site, which need not exist.
        names: Names of the pages.

    Raises:
        ValueError: If the folder is refused; names the reason.
    """
    require_folder(folder)
    known = _manifest(folder)
    strange = [name for name in names if _is_strange(folder / name, known)]
    if strange:
        more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
        raise ValueError(
            f"need a place for {folder / strange[0]}{more}, got a file that is not what "
            "an earlier ledger wrote there; move it away or choose another folder"
        )


def write_site(
    folder: Path,
    run: Ledger,
    pictures: Sequence[Picture] = (),
    graph: Graph | None = None,
    measured: Iterable[Group] = (),
) -> None:
    """Write every page completely, and remove pages of an older site.

    After an interruption, the manifest still lists all pages of the site, so that the
    next call can complete it.

    Args:
        folder: Folder of the site, which need not exist.
        run: The verdicts.
        pictures: Figures and their texts.  Rows link to the gallery, which is created
            without pictures if it does not exist.  If another program's file has its
            name, there are no links and no gallery.
        graph: Graph of statements for the blueprint; see ``sigprop.ledger.dependence``.
        measured: Measurements of our own trainings; see
            ``sigprop.evidence.measurements``.

    Raises:
        ValueError: If the folder is not writable, or if a page would overwrite a file
            that does not belong to the site.
    """
    linked = pictures if gallery.is_ours(folder) else ()
    figures = {row: picture.name for picture in linked for row in picture.rows}
    pages = render_site(run, figures, graph, measured)
    require_free(folder, pages)
    old = _manifest(folder)
    new = {name: {_digest(text.encode())} for name, text in pages.items()}
    _write_manifest(
        folder,
        {name: old.get(name, set()) | new.get(name, set()) for name in {**old, **new}},
    )
    for name in sorted(pages, key=INDEX.__eq__):  # the index comes last
        if _file_digest(folder / name) not in new[name]:
            write_text(folder / name, pages[name])
    for name in old.keys() - new.keys():
        if _file_digest(folder / name) in old[name]:
            (folder / name).unlink()
    _write_manifest(folder, new)
    if figures and not gallery.has_pictures(folder):
        gallery.write(folder, linked)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _file_digest(file: Path) -> str | None:
    """The digest of a regular file; ``None`` for a link, whose content is elsewhere."""
    if file.is_symlink() or not file.is_file():
        return None
    return _digest(file.read_bytes())


def _is_strange(file: Path, known: Digests) -> bool:
    there = file.is_symlink() or file.exists()
    return there and _file_digest(file) not in known.get(file.name, set())


def _manifest(folder: Path) -> Digests:
    """The pages that earlier sites wrote; empty without a manifest.

    Raises:
        ValueError: If the manifest was not written by the ledger.
    """
    file = folder / MANIFEST
    if not (file.is_symlink() or file.exists()):
        return {}
    try:
        digests = {
            name: set(map(str, ds))
            for name, ds in json.loads(file.read_bytes()).items()
        }
        if file.is_symlink() or any(Path(name).name != name for name in digests):
            raise ValueError
    except (OSError, ValueError, AttributeError, TypeError):
        raise ValueError(
            f"need the list of pages that a ledger wrote, got {file} with something "
            "else; choose another folder, or remove that file and the pages"
        ) from None
    return digests


def _write_manifest(folder: Path, pages: Digests) -> None:
    listed = {name: sorted(pages[name]) for name in sorted(pages)}
    write_text(folder / MANIFEST, json.dumps(listed, indent=1) + "\n")
