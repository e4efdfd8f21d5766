"""Public names of a package, each imported when it is first used.

Importing a package thus imports neither its modules nor JAX.
"""

import ast
import importlib
import sys
from types import ModuleType
from typing import Any


def export(package: str) -> None:
    """Define the public names of a package, ``__all__``, as attributes that load lazily.

    The names are those that the package imports for type checkers::

        if TYPE_CHECKING:
            from sigprop.layers.lru import LRU as LRU

    The names are written only once, for editors, type checkers and Python.  ``dir`` of the
    package shows only these names.

    A name that is also the name of a module means the public object.  For example,
    ``from sigprop.layers import lru`` gives the function, whatever was imported before.
    ``from sigprop.layers.lru import LRU`` imports from the module.

    Args:
        package: ``__name__`` of the calling package.
    """
    module = sys.modules[package]
    module.__class__ = _Package
    source = module.__loader__.get_source(package)  # pyright: ignore[reportOptionalMemberAccess, reportAttributeAccessIssue]
    found = homes(source)
    vars(module).update(__all__=sorted(found), _homes=found)


def homes(source: str) -> dict[str, str]:
    r"""The module from which a package imports each of its public names.

    Args:
        source: Source code of the package, whose imports for type checkers are read.

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
