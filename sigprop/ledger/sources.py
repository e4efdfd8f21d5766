"""The code behind a row: its files and lines, and pages that show the files.

A row is stated in ``sigprop.theory.papers``, derived in ``theory`` and judged in
``sigprop.evidence``.  It also names the code that implements it.  Only modules of
``theory`` are imported; all other sources are read as text.
"""

import ast
import functools
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, NamedTuple

from jinja2 import Environment

from sigprop.ledger.catalogue import location
from sigprop.numerics.paths import (
    PACKAGE,
    file_of,
    module_of,
    on_disk,
    repository_path,
)
from sigprop.theory.claims import Claim, find, home, registry

# An id as an argument of a call (first, or after a name), as a key, or anywhere.
OPENS_A_CALL = re.compile(r'\w\((?:\s*\w+,)?\s*"([a-z]+:[^"\s]+)"')
OPENS_AN_ENTRY = re.compile(r'^ *"([^"\s]+:[^"\s]+)":', re.MULTILINE)
QUOTED = re.compile(r'"([a-z]+:[^"\s]+)"')


class Source(NamedTuple):
    """A place in a file.

    Attributes:
        role: Its role for a row: ``statement``, ``derivation``, ...
        name: Name for the reader.
        file: Path from the folder of the packages.
        line: First line.
    """

    role: str
    name: str
    file: str
    line: int


def of_rows(ids: Iterable[str]) -> dict[str, tuple[Source, ...]]:
    """The sources of rows, by id; other ids are ignored."""
    return {row_id: _of_row(row_id) for row_id in ids if row_id in registry()}


@functools.cache
def _of_row(claim_id: str) -> tuple[Source, ...]:
    return tuple(dict.fromkeys(_sources(claim_id)))


def _sources(claim_id: str) -> Iterator[Source]:
    claim = find(claim_id)
    part = home(claim_id)
    stated = file_of(part)
    yield Source("statement", claim_id, stated, _mentioned(stated, claim_id))
    for role, form in (("derivation", claim.derive), ("corrected", claim.corrected)):
        for function in _called(form) if form else ():
            yield _source(role, function)
    judged = stated.replace("theory/papers", "sigprop/evidence", 1)
    if line := _mentioned(judged, claim_id, needed=False):
        yield Source("evidence", claim_id, judged, line)
    if claim.code:
        yield _implemented(claim)


def _called(form: Callable[..., Any]) -> Iterator[FunctionType]:
    """The functions of ``theory`` that a form calls, found by the names in its code."""
    if not isinstance(form, FunctionType):
        return
    if form.__name__ != "<lambda>":
        yield form
        return
    code = form.__code__
    for index, name in enumerate(code.co_names):
        value = form.__globals__.get(name)
        if isinstance(value, ModuleType):
            value = getattr(value, "".join(code.co_names[index + 1 : index + 2]), None)
        if isinstance(value, FunctionType) and _derives(value.__module__):
            yield value


def _derives(module: str) -> bool:
    return (
        module.startswith("sigprop.theory.") and module != "sigprop.theory.derivation"
    )


def _source(role: str, function: FunctionType) -> Source:
    path = Path(function.__code__.co_filename).relative_to(PACKAGE.parent)
    name = f"{function.__module__}.{function.__qualname__}"
    return Source(
        role, name, repository_path(path.as_posix()), function.__code__.co_firstlineno
    )


def _implemented(claim: Claim) -> Source:
    """The place where the name that a row gives for its code is defined."""
    path = location(claim.code)
    name = claim.code.removeprefix(module_of(path)).lstrip(".").partition(".")[0]
    return Source("code", claim.code, path, _definitions(path).get(name, 1))


@functools.cache
def _text(file: str) -> str:
    path = on_disk(file)
    return path.read_text("utf-8") if path.is_file() else ""


@functools.cache
def _definitions(file: str) -> dict[str, int]:
    """First lines of the definitions in a file, by name."""
    lines: dict[str, int] = {}
    for node in ast.parse(_text(file)).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            lines[node.name] = node.lineno
        elif isinstance(node, ast.Assign):
            names = [
                target.id for target in node.targets if isinstance(target, ast.Name)
            ]
            lines |= dict.fromkeys(names, node.lineno)
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            lines[node.target.id] = node.lineno
    return lines


@functools.cache
def _quoted(file: str) -> dict[str, int]:
    """The line of each id in a file: its call, its table entry, or its first use."""
    text = _text(file)
    lines: dict[str, int] = {}
    for pattern in (OPENS_A_CALL, OPENS_AN_ENTRY, QUOTED):
        for match in pattern.finditer(text):
            lines.setdefault(match[1], text.count("\n", 0, match.start()) + 1)
    return lines


@functools.cache
def _begun(file: str) -> dict[str, int]:
    """First lines that quote the beginning of an id which a loop completes."""
    lines: dict[str, int] = {}
    for number, line in enumerate(_text(file).splitlines(), 1):
        for match in re.finditer(r'f"([a-z]+:[^"{\s]*)\{', line):
            lines.setdefault(match[1], number)
    return lines


def _mentioned(file: str, claim_id: str, needed: bool = True) -> int:
    """The line of an id, else of its longest quoted beginning, else the first line."""
    if claim_id in _quoted(file):
        return _quoted(file)[claim_id]
    begun = [beginning for beginning in _begun(file) if claim_id.startswith(beginning)]
    if begun:
        return _begun(file)[max(begun, key=len)]
    return int(needed and bool(_text(file)))


def page_of(file: str) -> str:
    """The page that shows a file."""
    return f"code-{file.removesuffix('.py').replace('/', '-')}.html"


def page_names(ids: Iterable[str]) -> list[str]:
    """The pages of the files of these rows."""
    files = {
        source.file
        for sources_of_row in of_rows(ids).values()
        for source in sources_of_row
    }
    return [page_of(file) for file in sorted(files)]


def documents(env: Environment, variables: Mapping[str, Any]) -> dict[str, str]:
    """Pages that show the source files of rows, by file name.

    Args:
        env: Jinja environment with the templates.
        variables: Variables of every template, with ``sources`` by row and, by file,
            other ``lines`` to which links lead.
    """
    lines: dict[str, set[int]] = {}
    for sources_of_row in variables["sources"].values():
        for source in sources_of_row:
            lines.setdefault(source.file, set()).add(source.line)
    for file, more in variables.get("lines", {}).items():
        if file in lines:
            lines[file] |= more
    page = env.get_template("site_code.html.j2")
    return {
        page_of(file): page.render(
            variables,
            file=file,
            parts=_parts(file, lines[file]),
            numbers="\n".join(map(str, range(1, _text(file).count("\n") + 1))),
        )
        for file in sorted(lines)
    }


def _parts(file: str, lines: Iterable[int]) -> list[tuple[int, str]]:
    """A file cut at the targets of links, with the number of each part's first line."""
    every = _text(file).splitlines()
    starts = sorted({1, *(line for line in lines if line <= len(every))})
    ends = [*starts[1:], len(every) + 1]
    return [
        (start, "\n".join(every[start - 1 : end - 1]))
        for start, end in zip(starts, ends, strict=True)
    ]
