"""Public names of a package, each imported when it is first used.

Importing a package then imports none of its modules, and so no JAX.
"""

import importlib
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any


def export(package: str, homes: Mapping[str, str]) -> None:
    """Give a package its public names: ``__all__``, and attributes that load lazily.

    Args:
        package: ``__name__`` of the package that calls.
        homes: For each module of the package, its public names, separated by spaces.

    A name that is also the name of a module means the public object: after
    ``from sigprop.layers import lru`` the function is there, whatever was imported before.
    The module stays importable by ``from sigprop.layers.lru import LRU``.
    """
    module = sys.modules[package]
    module.__class__ = _Package
    public = {name: home for home, names in homes.items() for name in names.split()}
    vars(module).update(__all__=sorted(public), _homes=public)


class _Package(ModuleType):
    _homes: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        if name not in vars(self).get("_homes", ()):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home = importlib.import_module(f"{self.__name__}.{self._homes[name]}")
        value = getattr(home, name)
        vars(self)[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Python sets each module that it has imported as an attribute of its package.
        if not (isinstance(value, ModuleType) and name in self._homes):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*vars(self), *self._homes})
