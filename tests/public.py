"""The packages that users call, and their public names."""

import ast
import importlib
from pathlib import Path

PACKAGES = (
    "sigprop",
    "sigprop.advice",
    "sigprop.audit",
    "sigprop.audit.foreign",
    "sigprop.audit.lint",
    "sigprop.curvature",
    "sigprop.landscape",
    "sigprop.layers",
    "sigprop.linear",
    "sigprop.networks",
    "sigprop.networks.foreign",
    "sigprop.neuron",
    "sigprop.tasks",
    "sigprop.training",
)
MODULES = ("sigprop.inputs", "sigprop.testing")
# Rooms of the project whose modules are read one by one.
BY_MODULE = ("sigprop.theory", "sigprop.experiments", "sigprop.figures")


def public() -> dict[str, object]:
    """Every public object by its full name."""
    return {
        f"{module}.{name}": getattr(importlib.import_module(module), name)
        for module in (*PACKAGES, *MODULES)
        for name in importlib.import_module(module).__all__
    }


def for_type_checkers(package: str) -> dict[str, str]:
    """The names under ``if TYPE_CHECKING``, and the module each is imported from."""
    tree = ast.parse(Path(str(importlib.import_module(package).__file__)).read_text())
    blocks = [
        node.body
        for node in tree.body
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    ]
    return {
        alias.asname or "": str(node.module)
        for block in blocks
        for node in block
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }


def private_imports(source: str) -> list[str]:
    """Names of the package that a source imports and that are not public."""
    return [
        f"{node.module}.{alias.name}"
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom)
        and (node.module or "").startswith("sigprop")
        for alias in node.names
        if not _is_public(str(node.module), alias.name)
    ]


def _is_public(module: str, name: str) -> bool:
    if f"{module}.{name}".startswith(BY_MODULE):
        return True
    known = module in (*PACKAGES, *MODULES)
    return known and name in importlib.import_module(module).__all__
