"""Who calls whom: the named functions of the derivations and of the evidence.

Sources are parsed, never run.  A definition is what a module binds at its top: a function,
a class or a constant; of a table by words, each entry too.  Names are resolved through the
imports of the module and of the function itself; a name that a function binds is its own.
"""

import ast
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
OURS = ("theory", "sigprop")
STORED = "experiment"  # prefix of the name of a sweep's stored result


@dataclass(frozen=True)
class Definition:
    """Something that a module defines.

    Attributes:
        name: Dotted; of a table's entry with the key in brackets.
        file: Where, from the folder of the sources.
        line: Its first.
        uses: Dotted names of ours that it mentions, and calls of them whose arguments
            are constants, as they are written.
        is_code: Whether it is a function or a class.
    """

    name: str
    file: str
    line: int
    uses: frozenset[str]
    is_code: bool = False


@dataclass
class Sources:
    """What some modules define.

    Attributes:
        named: Definitions by name.
        inner: Uses of functions that have no name at the top, lambdas among them, by
            module and first line.
        bodies: The call that a lambda presents, by module and first line.
        aliases: What a name stands for that a module imports.
    """

    named: dict[str, Definition] = field(default_factory=dict)
    inner: dict[tuple[str, int], frozenset[str]] = field(default_factory=dict)
    bodies: dict[tuple[str, int], str] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)

    def uses(self, name: str) -> frozenset[str]:
        """What a definition mentions; nothing of one that was not read."""
        return self.named[name].uses if name in self.named else frozenset()


@functools.cache
def read(root: Path, *places: str) -> Sources:
    """Parse modules.

    Args:
        root: Folder that has the packages.
        places: Folders and files below it.

    Raises:
        ValueError: If one of the places has no module.
    """
    sources = Sources()
    for place in places:
        top = root / place
        files = [top] if top.is_file() else sorted(top.rglob("*.py"))
        if not files:
            raise ValueError(f"need modules to read at {place}, got none")
        for file in files:
            _Module(file.relative_to(root), sources).read(file.read_text("utf-8"))
    return sources


class _Module:
    """One module on its way into the sources."""

    def __init__(self, path: Path, sources: Sources) -> None:
        parts = path.with_suffix("").parts
        self.package = parts[:-1]
        self.name = ".".join(self.package if parts[-1] == "__init__" else parts)
        self.file, self.into = path.as_posix(), sources
        self.names: dict[str, str] = {}

    def read(self, text: str) -> None:
        tree = ast.parse(text)
        for node in tree.body:
            imported = dict(self.imported(node))
            self.into.aliases |= {f"{self.name}.{n}": of for n, of in imported.items()}
            self.names.update(imported)
            self.names.update((name, f"{self.name}.{name}") for name in _bound(node))
        for node in tree.body:
            names = list(_bound(node))
            found = _Uses(self, self.names)
            found.visit(node)
            for name in names:
                self._define(name, node, found)
            value = getattr(node, "value", None)
            if names and isinstance(value, ast.Dict):
                self._entries(names[0], value)

    def _define(self, name: str, node: ast.AST, found: "_Uses") -> None:
        dotted = f"{self.name}.{name}"
        self.into.named[dotted] = Definition(
            dotted,
            self.file,
            getattr(node, "lineno", 1),
            frozenset(found.uses - {dotted}),
            isinstance(node, ast.FunctionDef | ast.ClassDef),
        )

    def _entries(self, name: str, table: ast.Dict) -> None:
        for key, value in zip(table.keys, table.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                found = _Uses(self, self.names)
                found.visit(value)
                self._define(f"{name}[{key.value}]", key, found)

    def imported(self, node: ast.AST) -> Iterator[tuple[str, str]]:
        """Names that an import of ours binds, and what they stand for."""
        if isinstance(node, ast.ImportFrom):
            base = self.package[: len(self.package) + 1 - node.level]
            parts = list(base if node.level else ())
            parts += node.module.split(".") if node.module else []
            if parts and parts[0] in OURS:
                for alias in node.names:
                    yield alias.asname or alias.name, ".".join([*parts, alias.name])
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in OURS:
                    whole = alias.asname is not None
                    top = alias.name if whole else alias.name.partition(".")[0]
                    yield alias.asname or top, top


def _bound(node: ast.AST) -> Iterator[str]:
    """Names that a statement at the top of a module binds, imports left out."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        yield node.name
    elif isinstance(node, ast.Assign | ast.AnnAssign):
        for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
            yield from _targets(target)


def _targets(node: ast.AST) -> Iterator[str]:
    for one in ast.walk(node):
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id


class _Uses(ast.NodeVisitor):
    """Names of ours that a piece of a module mentions.

    ``known`` says what a name stands for here; a function's own names hide it.
    """

    def __init__(self, module: _Module, known: Mapping[str, str]) -> None:
        self.module, self.known = module, dict(known)
        self.uses: set[str] = set()

    def resolve(self, node: ast.AST) -> str | None:
        """The dotted name that an expression is, if it is one of ours."""
        if isinstance(node, ast.Name):
            return self.known.get(node.id)
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return base and f"{base}.{node.attr}"
        return None

    def visit_Name(self, node: ast.Name) -> None:
        """Note a name."""
        self._note(node)

    def visit_Attribute(self, node: ast.Attribute) -> None:
        """Note a dotted name, or what stands before the dot."""
        self._note(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        """Note an entry of a table, if its key is a word."""
        self._note(node)

    def _note(self, node: ast.Name | ast.Attribute | ast.Subscript) -> None:
        if isinstance(node, ast.Subscript):
            base, key = self.resolve(node.value), node.slice
            if base and isinstance(key, ast.Constant) and isinstance(key.value, str):
                self.uses.add(f"{base}[{key.value}]")
        name = self.resolve(node)
        if name is None:
            self.generic_visit(node)
        elif name.count(".") or name not in OURS:
            self.uses.add(name)

    def visit_Call(self, node: ast.Call) -> None:
        """Note a call whose arguments are constants, and a stored result."""
        name = self.resolve(node.func)
        if name and (call := as_written(name, node)):
            self.uses.add(call)
        if isinstance(node.func, ast.Name) and node.func.id == "load" and node.args:
            sweep = node.args[0]
            if isinstance(sweep, ast.Constant):
                self.uses.add(f"{STORED}:{sweep.value}")
        self.generic_visit(node)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """Look into a function with its own names hidden."""
        for decorator in node.decorator_list:
            self.visit(decorator)
        first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
        self._inside(node, node.body, first)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        """Look into a lambda with its arguments hidden."""
        inner = self._inside(node, [node.body], node.lineno)
        shown = _presented(node.body)
        if isinstance(shown, ast.Call):
            name = inner.resolve(shown.func)
            if name and (call := as_written(name, shown)):
                self.module.into.bodies[self.module.name, node.lineno] = call

    def _inside(
        self, node: ast.FunctionDef | ast.Lambda, body: list, first: int
    ) -> "_Uses":
        args = node.args
        for default in (*args.defaults, *filter(None, args.kw_defaults)):
            self.visit(default)
        inner = _Uses(self.module, self.known)
        for name in _own(node):
            inner.known.pop(name, None)
        for piece in body:
            for one in ast.walk(piece):
                inner.known.update(self.module.imported(one))
        for piece in body:
            inner.visit(piece)
        place = self.module.name, first
        before = self.module.into.inner.get(place, frozenset())
        self.module.into.inner[place] = before | inner.uses
        self.uses |= inner.uses
        return inner


def _presented(node: ast.expr) -> ast.expr:
    """What an expression shows: ``f()`` of ``f().result`` and of ``start("...", f())``."""
    while True:
        if isinstance(node, ast.Attribute):
            node = node.value
        elif not isinstance(node, ast.Call):
            return node
        elif isinstance(node.func, ast.Attribute) and isinstance(
            node.func.value, ast.Call
        ):
            node = node.func.value
        elif isinstance(node.func, ast.Name) and node.func.id == "start":
            node = node.args[-1]
        else:
            return node


def _own(node: ast.FunctionDef | ast.Lambda) -> Iterator[str]:
    """Names of arguments, and those that the body binds, inner functions left out."""
    args = node.args
    every = [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]
    yield from (one.arg for one in every if one is not None)
    waiting = list(ast.iter_child_nodes(node))
    while waiting:
        one = waiting.pop()
        if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store):
            yield one.id
        if isinstance(one, ast.FunctionDef):
            yield one.name
        elif not isinstance(one, ast.Lambda):
            waiting.extend(ast.iter_child_nodes(one))


def as_written(name: str, call: ast.Call) -> str | None:
    """A call as text, if all its arguments are constants."""
    if any(keyword.arg is None for keyword in call.keywords):
        return None
    given = [*call.args, *(keyword.value for keyword in call.keywords)]
    if not all(isinstance(one, ast.Constant) for one in given):
        return None
    words = [ast.unparse(one) for one in call.args]
    words += [f"{one.arg}={ast.unparse(one.value)}" for one in call.keywords]
    return f"{name}({', '.join(words)})"
