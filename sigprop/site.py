"""The ledger as a small site: an index that filters, a page an equation, the errata.

It needs no server and loads nothing: every page carries its style, the index its one
script, each admitted by its hash.
"""

import shutil
from pathlib import Path

from sigprop.report import environment, shared
from sigprop.results import Run
from theory.conventions import CONVENTIONS

MARK = "<!-- sigprop ledger -->"  # how a site of ours is told from a folder of yours
INDEX, ERRATA = "index.html", "errata.html"
WRONG = ("refuted", "conditional")


def render_site(run: Run) -> dict[str, str]:
    """Every page of the site by its file name.

    Raises:
        ValueError: Naming the LaTeX, when a claim's formula cannot be converted.
    """
    pages = environment()
    given = shared(run) | {"mark": MARK, "wrong": WRONG, "conventions": CONVENTIONS}
    order = [
        (anchor, claim) for _, claims in given["sections"] for anchor, claim in claims
    ]
    found = {
        name: pages.get_template(f"site_{name}.j2").render(given)
        for name in (INDEX, ERRATA)
    }
    page = pages.get_template("site_claim.html.j2")
    for place, (anchor, claim) in enumerate(order):
        before = order[place - 1][0] if place else None
        after = order[place + 1][0] if place + 1 < len(order) else None
        found[f"{anchor}.html"] = page.render(
            given, anchor=anchor, claim=claim, before=before, after=after
        )
    return found


def require_free(folder: Path) -> None:
    """Refuse a folder that holds anything but an older site.

    Raises:
        ValueError: Naming the folder.
    """
    if not folder.exists() or (folder.is_dir() and not any(folder.iterdir())):
        return
    index = folder / INDEX
    if not index.is_file() or MARK not in index.read_text("utf-8", errors="replace"):
        raise ValueError(
            f"need a new or empty folder, or one that an earlier ledger wrote, got "
            f"{folder}; choose another"
        )


def write_site(folder: Path, run: Run) -> None:
    """Write the site in place of an older one, whole or not at all.

    Raises:
        ValueError: If the folder holds something else.
    """
    require_free(folder)
    pages = render_site(run)
    folder.parent.mkdir(parents=True, exist_ok=True)
    partial = folder.with_name(f".{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir()
    for name, text in pages.items():
        (partial / name).write_text(text, encoding="utf-8")
    if folder.exists():
        shutil.rmtree(folder)
    partial.replace(folder)
