"""Named functions of the derivations and of the evidence, and the names that each uses.

Sources are parsed and never executed.  A definition is a function, a class or a
constant at the top level of a module.  In a table whose keys are strings, every entry
is a definition too.  Names are resolved by the imports of the module and of the
function.  A name that a function binds is local to it.
"""

import ast
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sigprop.ledger.uses import PLAIN, Function, Uses, arguments, defaults, presented
from sigprop.numerics.paths import repository_path
from sigprop.numerics.syntax import bound

OURS = "sigprop"
Place = tuple[str, int]  # a module, and a line


@dataclass(frozen=True)
class Definition:
    """A definition at the top level of a module.

    Attributes:
        name: Dotted name; an entry of a table has its key in brackets.
        file: Path from the folder of the sources.
        line: First line.
        uses: Dotted names of this project that it mentions, and its calls.  A call has
            ``...`` for an argument that is not constant.
        is_code: True for a function or a class.
    """

    name: str
    file: str
    line: int
    uses: frozenset[str]
    is_code: bool = False


@dataclass(frozen=True)
class _Inner:
    """A function, and the meanings of the names around it."""

    node: Function
    around: Uses


@dataclass
class Sources:
    """Definitions of some modules, and the names that each of them uses.

    Attributes:
        named: Definitions by name.
        aliases: Names that a module imports, with their meanings.
    """

    named: dict[str, Definition] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    functions: dict[str, _Inner] = field(default_factory=dict, repr=False)
    inner: dict[Place, list[_Inner]] = field(default_factory=dict, repr=False)
    _calls: dict[str, frozenset[str]] = field(default_factory=dict, repr=False)

    def uses(self, name: str) -> frozenset[str]:
        """Return the names that a definition or a call mentions; empty if unknown."""
        if "(" not in name:
            return self.named[name].uses if name in self.named else frozenset()
        if name not in self._calls:
            self._calls[name] = self._called(name)
        return self._calls[name]

    def _called(self, call: str) -> frozenset[str]:
        base, _, rest = call.partition("(")
        function = self.functions.get(base)
        if function is None:
            return self.uses(base)
        written = ast.parse(f"f({rest}", mode="eval").body
        assert isinstance(written, ast.Call)
        node = function.node
        open_ended = any(keyword.arg is None for keyword in written.keywords)
        passed_arguments: dict[str, ast.expr] = dict(
            zip(
                (argument.arg for argument in arguments(node)),
                written.args,
                strict=False,
            )
        )
        passed_arguments |= {
            keyword.arg: keyword.value for keyword in written.keywords if keyword.arg
        }
        constants = {} if open_ended else defaults(node)
        for name, value in passed_arguments.items():
            constants.pop(name, None)
            if isinstance(value, ast.Constant) and value.value is not ...:
                constants[name] = value.value
            elif isinstance(value, ast.UnaryOp | ast.Tuple):
                constants[name] = ast.literal_eval(value)
        return frozenset(function.around.inside(node, constants).names)

    def inside(self, where: Place, cells: Mapping[str, Any]) -> frozenset[str]:
        """Return the names that the anonymous functions on a line mention.

        Args:
            where: Module and first line.
            cells: Values of the closure, by name.
        """
        known = plain(cells)
        names: set[str] = set()
        for inner in self.inner.get(where, ()):
            around = Uses(inner.around.known, inner.around.imported, _ignore, known)
            names |= around.inside(inner.node).names
        return frozenset(names)

    def presents(self, where: Place, cells: Mapping[str, Any]) -> str | None:
        """The call whose result a lambda returns, if a line has exactly one lambda."""
        listed = [inner for inner in self.inner.get(where, ())]
        if len(listed) != 1 or not isinstance(listed[0].node, ast.Lambda):
            return None
        shown = presented(listed[0].node.body)
        around = listed[0].around
        inside = Uses(around.known, around.imported, _ignore, plain(cells))
        return inside.written(shown) if isinstance(shown, ast.Call) else None


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that a source can contain as constants."""
    return {name: value for name, value in values.items() if isinstance(value, PLAIN)}


def _ignore(node: Function, known: Mapping[str, str]) -> None:
    """Do nothing, because the function is known from the first reading."""


@functools.cache
def read(root: Path, *paths: str) -> Sources:
    """Parse modules.

    Args:
        root: Folder that has the packages.
        paths: Folders and files below it.

    Raises:
        ValueError: If there is no module at one of the paths.
    """
    sources = Sources()
    for path in paths:
        top = root / path
        files = [top] if top.is_file() else sorted(top.rglob("*.py"))
        if not files:
            raise ValueError(f"need modules to read at {path}, got none")
        for file in files:
            _Module(file.relative_to(root), sources).read(file.read_text("utf-8"))
    return sources


class _Module:
    """Reader of one module, which adds its definitions to the sources."""

    def __init__(self, path: Path, sources: Sources) -> None:
        parts = path.with_suffix("").parts
        self.package = parts[:-1]
        self.name = ".".join(self.package if parts[-1] == "__init__" else parts)
        self.file, self.into = repository_path(path.as_posix()), sources
        self.names: dict[str, str] = {}

    def read(self, text: str) -> None:
        tree = ast.parse(text)
        for node in tree.body:
            imported = dict(self.imported(node))
            self.into.aliases |= {f"{self.name}.{n}": of for n, of in imported.items()}
            self.names.update(imported)
            self.names.update((name, f"{self.name}.{name}") for name in bound(node))
        for node in tree.body:
            names = list(bound(node))
            uses = self._visited(node)
            for name in names:
                self._define(name, node, uses)
            if isinstance(node, ast.FunctionDef):
                around = Uses(self.names, self.imported, _ignore)
                self.into.functions[f"{self.name}.{node.name}"] = _Inner(node, around)
            value = getattr(node, "value", None)
            if names and isinstance(value, ast.Dict):
                self._entries(names[0], value)

    def _visited(self, node: ast.AST) -> Uses:
        uses = Uses(self.names, self.imported, self._add_inner)
        uses.visit(node)
        return uses

    def _add_inner(self, node: Function, known: Mapping[str, str]) -> None:
        lines = [decorator.lineno for decorator in getattr(node, "decorator_list", ())]
        where = self.name, min([node.lineno, *lines])
        around = Uses(known, self.imported, _ignore)
        listed = self.into.inner.setdefault(where, [])
        if all(inner.node is not node for inner in listed):
            listed.append(_Inner(node, around))

    def _define(self, name: str, node: ast.AST, uses: Uses) -> None:
        dotted = f"{self.name}.{name}"
        self.into.named[dotted] = Definition(
            dotted,
            self.file,
            getattr(node, "lineno", 1),
            frozenset(uses.names - {dotted}),
            isinstance(node, ast.FunctionDef | ast.ClassDef),
        )

    def _entries(self, name: str, table: ast.Dict) -> None:
        for key, value in zip(table.keys, table.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                self._define(f"{name}[{key.value}]", key, self._visited(value))

    def imported(self, node: ast.AST) -> Iterator[tuple[str, str]]:
        """Names that an import from this project binds, and their meanings."""
        if isinstance(node, ast.ImportFrom):
            base = self.package[: len(self.package) + 1 - node.level]
            parts = list(base if node.level else ())
            parts += node.module.split(".") if node.module else []
            if parts and parts[0] == OURS:
                for alias in node.names:
                    yield alias.asname or alias.name, ".".join([*parts, alias.name])
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] == OURS:
                    has_alias = alias.asname is not None
                    top = alias.name if has_alias else alias.name.partition(".")[0]
                    yield alias.asname or top, top
