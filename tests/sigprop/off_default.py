"""A table of functions, each called with its arguments off their defaults."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple


class Row(NamedTuple):
    """A function, the arguments that are off their default, and a comparison."""

    function: Callable
    arguments: tuple[str, ...]
    compare: Callable[[], None]


class Rows(dict[str, Row]):
    """Rows by the names of their comparison and function."""

    def row(self, function, *arguments):
        """Decorate a comparison of a function's value with an independent one."""

        def add(compare):
            self[f"{compare.__name__} {function.__name__}"] = Row(
                function, arguments, compare
            )
            return compare

        return add


def address(function: Callable) -> str:
    """Module and name below ``sigprop``."""
    return f"{function.__module__.removeprefix('sigprop.')}.{function.__name__}"


def public(rooms: Iterable[str], named) -> Iterator[Callable]:
    """Public functions of the rooms whose names match a pattern."""
    for room in rooms:
        package = importlib.import_module(f"sigprop.{room}")
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for name, member in vars(importlib.import_module(module.name)).items():
                mine = inspect.isfunction(member) and member.__module__ == module.name
                if mine and not name.startswith("_") and named.search(name):
                    yield member


def require_complete(rows: Rows, functions: Iterable[Callable], without, parts) -> None:
    """Assert that every function has a row with every optional argument in one.

    Args:
        rows: The table.
        functions: That need a row.
        without: Names of arguments that are no numbers.
        parts: Addresses of functions that need no row.
    """
    covered: dict[str, set[str]] = {}
    for function, arguments, _ in rows.values():
        covered.setdefault(address(function), set()).update(arguments)
    known = {address(member): member for member in functions}
    assert set(known) - parts == set(covered)
    for name, public_function in known.items():
        parameters = inspect.signature(public_function).parameters.values()
        optional = {p.name for p in parameters if p.default is not p.empty}
        assert optional - without <= covered.get(name, optional), name
