"""What a Python file imports, read off its source without running it."""

import ast
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

LINKED = ("theory", "experiments", "figures")  # rooms beside the package


class Import(NamedTuple):
    """One imported module, by its dotted name from the root of the repository."""

    line: int
    module: str
    lazy: bool


UNKNOWN = "a module whose name is computed"


@cache
def imports(source: str, path: str) -> tuple[Import, ...]:
    """Every import of a file: statements, relative ones resolved, and calls."""
    package = path.removesuffix(".py").split("/")[:-1]
    return tuple(_imports(ast.parse(source), package, lazy=False))


def _imports(node: ast.AST, package: list[str], lazy: bool) -> Iterator[Import]:
    for name in _modules(node, package):
        yield Import(getattr(node, "lineno", 0), _in_repository(name, node), lazy)
    inside = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
    for child in ast.iter_child_nodes(node):
        yield from _imports(child, package, lazy or inside)


def _modules(node: ast.AST, package: list[str]) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        kept = package[: max(0, len(package) + 1 - node.level)] if node.level else []
        base = ".".join([*kept, *([node.module] if node.module else [])])
        yield from (
            ".".join(part for part in (base, alias.name) if part and part != "*")
            for alias in node.names
        )
    elif isinstance(node, ast.Call):
        function = ast.unparse(node.func).rpartition(".")[2]
        if function in {"import_module", "__import__"}:
            yield _beginning(node.args[0]) if node.args else UNKNOWN
        elif function in {"exec", "eval"} and isinstance(node.func, ast.Name):
            yield UNKNOWN


def _in_repository(module: str, node: ast.AST) -> str:
    """``theory.rows`` for ``sigprop.theory.rows``; ``outside.theory`` for ``theory``."""
    inside = module.removeprefix("sigprop.")
    if inside.partition(".")[0] not in LINKED:
        return module
    relative = isinstance(node, ast.ImportFrom) and node.level
    return inside if inside != module or relative else f"outside.{module}"


def _beginning(name: ast.expr) -> str:
    """The constant with which a computed name begins; whole packages at least."""
    if isinstance(name, ast.JoinedStr) and name.values:
        name = name.values[0]
    if isinstance(name, ast.Constant) and "." in f"{name.value}.":
        return str(name.value).strip(".")
    return UNKNOWN
