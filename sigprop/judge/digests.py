"""Digests of the code that decides the verdict on a row: its forms and its evidence.

The digest of a row changes with its statement, forms, assumptions, condition and evidence,
and with every definition of ``sigprop.theory`` and ``sigprop.evidence`` that they use.  It
does not change with comments, docstrings, titles, notes or other rows.
"""

import ast
import functools
import hashlib
import re
from typing import Any, NamedTuple

from sigprop.numerics.paths import file_of, on_disk
from sigprop.numerics.syntax import bound
from sigprop.theory.claims import PAPERS

ROOMS = ("sigprop.theory.", "sigprop.evidence.")
WORDS = {
    "where",
    "topic",
    "code",
    "correction",
    "note",
    "reason",
    "erratum",
    "uncounted",
}
"""Arguments of ``sigprop.theory.rows.Part.row`` that do not change a verdict."""
ANSWERS = slice(2, 4)  # positional arguments without effect on a verdict: status, title
_ROW = re.compile(rf"({'|'.join(PAPERS)}):\S+")


class _Module(NamedTuple):
    """Statements of a module by the names that they bind, and its imports.

    Statements that bind no name, such as those that state a row, have the name ``""``.
    """

    defined: dict[str, list[ast.stmt]]
    imported: dict[str, str]


def digest(row: str, module: str) -> str:
    """Return the SHA-256 of the code that decides the verdict on a row.

    Args:
        row: Id of the row.
        module: Dotted name of the module with the row.

    Example:
        >>> ring = "sigprop.theory.papers.lru.ring"
        >>> digest("lru:fig2", ring) == digest("lru:lemma3.2", ring)
        False
    """
    evidence = module.replace("sigprop.theory.papers", "sigprop.evidence", 1)
    reached = {(module, ""): "", (evidence, "EVIDENCE"): ""}
    waiting = [*reached]
    while waiting:
        place = waiting.pop()
        reached[place], names = _content(*place, row)
        for used in filter(None, (_resolved(place[0], name) for name in names)):
            if used not in reached:
                reached[used] = ""
                waiting.append(used)
    texts = (f"{place}: {text}" for place, text in sorted(reached.items()))
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _content(module: str, name: str, row: str) -> tuple[str, frozenset[str]]:
    """The statements that bind a name, as they matter to a row, and the names they use."""
    return _written(module, name, row if _mentions_rows(module, name) else "")


@functools.cache
def _mentions_rows(module: str, name: str) -> bool:
    texts = (
        node.value
        for statement in _read(module).defined.get(name, ())
        for node in ast.walk(statement)
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    )
    return any(map(_ROW.fullmatch, texts))


@functools.cache
def _written(module: str, name: str, row: str) -> tuple[str, frozenset[str]]:
    names: set[str] = set()
    text = [_text(s, row, names) for s in _read(module).defined.get(name, ())]
    return "\n".join(filter(None, text)), frozenset(names)


def _text(node: Any, row: str, names: set[str]) -> str:
    """A node as text, without texts about rows; adds the names in it to ``names``."""
    if isinstance(node, list):
        return f"[{','.join(_text(item, row, names) for item in node)}]"
    if not isinstance(node, ast.AST):
        return repr(node)
    if isinstance(node, ast.Name):
        names.add(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        names.add(f"{node.value.id}.{node.attr}")
    parts = dict(ast.iter_fields(node))
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return ""  # a docstring
    if isinstance(node, ast.Expr) and _states_another(node.value, row):
        return ""
    if isinstance(node, ast.Call) and _states_a_row(node):
        parts["args"] = [*node.args[: ANSWERS.start], *node.args[ANSWERS.stop :]]
        parts["keywords"] = [word for word in node.keywords if word.arg not in WORDS]
    if isinstance(node, ast.Dict):
        items = zip(node.keys, node.values, strict=True)
        kept = [(k, value) for k, value in items if not _names_another(k, row)]
        parts = {"items": [part for item in kept for part in item]}
    fields = (
        f"{key}={_text(part, row, names)}"
        for key, part in parts.items()
        if part is not None and part != []
    )
    return f"{type(node).__name__}({','.join(fields)})"


def _states_a_row(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr == "row"


def _states_another(node: ast.expr, row: str) -> bool:
    """True for a call that states another row."""
    return isinstance(node, ast.Call) and any(
        _names_another(argument, row) for argument in node.args[:1]
    )


def _names_another(node: ast.expr | None, row: str) -> bool:
    """True for the id of another row."""
    name = node.value if isinstance(node, ast.Constant) else None
    return isinstance(name, str) and name != row and bool(_ROW.fullmatch(name))


def _resolved(module: str, name: str) -> tuple[str, str] | None:
    """Module and name of the definition in this project that a name means."""
    first, _, rest = name.partition(".")
    read = _read(module)
    if not rest and first in read.defined:
        return module, first
    target = read.imported.get(first)
    if target is None:
        return None
    home, _, last = (f"{target}.{rest}" if rest else target).rpartition(".")
    if last in _read(home).defined:
        return home, last
    return _resolved(home, last) if last in _read(home).imported else None


@functools.cache
def _read(module: str) -> _Module:
    """Parse a module; one of another room, or without a file, counts as empty."""
    found = _Module({}, {})
    file = file_of(module)
    paths = [on_disk(file), on_disk(f"{file.removesuffix('.py')}/__init__.py")]
    path = next((path for path in paths if path.is_file()), None)
    if path is None or not f"{module}.".startswith(ROOMS):
        return found
    for statement in ast.parse(path.read_text("utf-8")).body:
        if isinstance(statement, ast.ImportFrom):
            for alias in statement.names:
                of = f"{statement.module}.{alias.name}"
                found.imported[alias.asname or alias.name] = of
        else:
            # ``A += b`` adds to the definition of A.
            added = [statement.target] if isinstance(statement, ast.AugAssign) else []
            names = [part.id for part in added if isinstance(part, ast.Name)]
            for name in names or [*bound(statement)] or [""]:
                found.defined.setdefault(name, []).append(statement)
    return found
