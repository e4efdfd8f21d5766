"""Build of the website: write the sources, call Sphinx, and move the pages into place.

The site is built beside its folder and moved there when it is complete.  An interrupted
build thus leaves the older site unchanged.  A list in the folder names the files that
belong to the site; a folder with any other file is refused.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from sigprop.ledger.website import bodies, reference
from sigprop.ledger.website.bodies import Body
from sigprop.numerics.files import require_folder, write_text
from sigprop.numerics.paths import PACKAGE, on_disk

MANIFEST = ".sigprop-site.json"
SOURCES = on_disk("docs")
COPIED = {
    "theory/GLOSSARY.md": "glossary.md",
    "CHANGELOG.md": "changelog.md",
    "figures/readme.svg": "static/readme.svg",
}
"""Files of the repository that are pages, or stand on one, by their names in the site."""


def require_site(folder: Path) -> None:
    """Refuse a folder that is neither new, nor empty, nor an earlier site.

    Raises:
        ValueError: If it has a file that does not belong to a site; names the file.
    """
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"need a folder for the site, got the file {folder}")
    require_folder(folder.resolve().parent)
    if not folder.exists():
        return
    ours = _listed(folder)
    for file in sorted(_files(folder)):
        if file not in ours:
            raise ValueError(
                f"need a new or empty folder, or an earlier site, got {folder} with "
                f"{file}, which no site wrote; choose another folder"
            )


def _files(folder: Path) -> set[str]:
    """All files below a folder, by their relative paths."""
    return {
        Path(root, name).relative_to(folder).as_posix()
        for root, folders, names in os.walk(folder)
        for name in [*names, *(one for one in folders if Path(root, one).is_symlink())]
    }


def _listed(folder: Path) -> set[str]:
    """The files that an earlier site wrote; empty without a list."""
    file = folder / MANIFEST
    if not file.is_file():
        return set()
    try:
        return {MANIFEST, *map(str, json.loads(file.read_bytes())["files"])}
    except (ValueError, KeyError, TypeError):
        return set()


def write_sources(
    folder: Path,
    pages: Mapping[str, Body],
    files: Mapping[str, str | bytes],
) -> None:
    """Write everything that Sphinx reads.

    Args:
        folder: An empty folder.
        pages: Bodies by name, with folders and without an extension.
        files: Other files by their paths in the site.
    """
    shutil.copytree(
        SOURCES,
        folder,
        ignore=shutil.ignore_patterns("__pycache__"),
        dirs_exist_ok=True,
    )
    for source, name in COPIED.items():
        there = PACKAGE.parent / source
        there = there if there.is_file() else on_disk(source)
        if there.is_file():
            shutil.copyfile(there, folder / name)
        elif name.endswith(".md"):
            title = name.removesuffix(".md").capitalize()
            gap = f"The file {source} is part of the repository and not installed."
            _write(folder / name, f"# {title}\n\n{gap}\n")
    for page in folder.glob("*.md"):
        text = page.read_text("utf-8")
        for source, name in COPIED.items():
            text = text.replace(f"](../{source})", f"]({name})")
        _write(page, text)
    for name, text in reference.documents().items():
        _write(folder / name, text)
    for name, page in pages.items():
        _write(folder / bodies.FOLDER / f"{name}.html", page.html)
        _write(folder / f"{name}.rst", page.source(name))
    for name, content in files.items():
        _write(folder / "extra" / name, content)
    _write(folder / "static" / bodies.SHEET, bodies.sheet())


def _write(file: Path, content: str | bytes) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(content.encode() if isinstance(content, str) else content)


def build(folder: Path, sources: Path) -> str:
    """Call Sphinx and put the pages where an older site was.

    Args:
        folder: Folder of the site.
        sources: What ``write_sources`` wrote.

    Returns:
        What Sphinx warns of; empty if all is well.

    Raises:
        RuntimeError: If Sphinx fails, with its last words.
        ValueError: See ``require_site``.
    """
    target = folder.resolve()
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(
        prefix=f".{target.name}-", suffix="-unfinished", dir=target.parent
    ) as scratch:
        made = Path(scratch) / "made"
        warnings = _sphinx(sources, made)
        shutil.rmtree(made / ".doctrees", ignore_errors=True)
        (made / ".buildinfo").unlink(missing_ok=True)
        listed = {"files": sorted(_files(made))}
        write_text(made / MANIFEST, json.dumps(listed, indent=1) + "\n")
        require_site(folder)
        if target.exists():
            target.rename(Path(scratch) / "older")
        made.rename(target)
    return warnings


def _sphinx(sources: Path, made: Path) -> str:
    command = [sys.executable, "-m", "sphinx", "-q", "-b", "html", "-d"]
    command += [str(sources.parent / "doctrees"), str(sources), str(made)]
    ours = [str(PACKAGE.parent), os.environ.get("PYTHONPATH")]
    result = subprocess.run(
        command,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, ours)),
            "JAX_PLATFORMS": "cpu",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    if result.returncode:
        last = (result.stderr.strip().splitlines() or ["it ended without a message"])[
            -1
        ]
        raise RuntimeError(f"Sphinx could not build the pages: {last}")
    return result.stderr.strip()


def require_sphinx() -> None:
    """Check that Sphinx and its extensions are installed, without importing them.

    Raises:
        ModuleNotFoundError: If a package is missing; names it.
    """
    for package in ("sphinx", "furo", "myst_parser"):
        if find_spec(package) is None:
            raise ModuleNotFoundError(name=package)
