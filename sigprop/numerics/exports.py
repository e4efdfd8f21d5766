"""Public names of a package, each imported when it is first used.

Importing a package then imports none of its modules, and so no JAX.
"""

import ast
import importlib
import sys
from types import ModuleType
from typing import Any


def export(package: str) -> None:
    """Give a package its public names: ``__all__``, and attributes that load lazily.

    The names are those that the package imports for type checkers::

        if TYPE_CHECKING:
            from sigprop.layers.lru import LRU as LRU

    They are written once, and editors, type checkers and Python see the same.  ``dir`` of
    the package shows them alone.

    Args:
        package: ``__name__`` of the package that calls.

    A name that is also the name of a module means the public object: after
    ``from sigprop.layers import lru`` the function is there, whatever was imported before.
    The module stays importable by ``from sigprop.layers.lru import LRU``.
    """
    module = sys.modules[package]
    module.__class__ = _Package
    source = module.__loader__.get_source(package)  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    found = homes(source)
    vars(module).update(__all__=sorted(found), _homes=found)


def homes(source: str) -> dict[str, str]:
    r"""The module from which a package imports each of its public names.

    Args:
        source: Source of the package; what it imports for type checkers is read.

    >>> homes("if TYPE_CHECKING:\n    from sigprop.layers.lru import LRU as LRU")
    {'LRU': 'sigprop.layers.lru'}
    """
    return {
        alias.name: str(node.module)
        for block in ast.parse(source).body
        if isinstance(block, ast.If) and ast.unparse(block.test) == "TYPE_CHECKING"
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.asname == alias.name
    }


class _Package(ModuleType):
    _homes: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in vars(self).get("_homes", ()):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home = self._homes[name]
        if home == self.__name__:
            value = importlib.import_module(f"{home}.{name}")
        else:
            value = getattr(importlib.import_module(home), name)
        vars(self)[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Python sets each module that it has imported as an attribute of its package.
        public = self._homes.get(name, self.__name__) != self.__name__
        if not (isinstance(value, ModuleType) and public):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return vars(self)["__all__"]
