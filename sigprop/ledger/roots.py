"""Functions that a row itself names: those of its forms, its routes and its proof.

The Python objects of the row are searched, so that rows made in a loop or by a helper
are treated like any other row.  No function is called.
"""

import dataclasses
import functools
import inspect
import types
from collections.abc import Mapping
from typing import Any

from sigprop.judge.basis import Grid
from sigprop.ledger.calls import OURS, Place, Sources, plain
from sigprop.ledger.uses import STORED

GRIDS = "sigprop.judge.routes.QUANTITIES"


class Walk:
    """Search through Python objects; ``names`` has the names that they use."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.names: set[str] = set()
        self._seen: dict[int, Any] = {}  # kept alive: ids of deleted objects are reused

    def through(self, *objects: Any) -> "Walk":
        """Search some objects, and everything that they contain."""
        for item in objects:
            plain = item is None or isinstance(
                item, str | bytes | int | float | complex
            )
            if not plain and id(item) not in self._seen:
                self._seen[id(item)] = item
                self._visit(item)
        return self

    def _visit(self, item: Any) -> None:
        if isinstance(item, functools.partial):
            if (name := _name(item.func)) is None:
                self.through(item.func)
            else:
                self.names.add(_written(name, item, "**_"))
            self.through(*item.args)
            self._by_name(_bound(item))
        elif isinstance(item, types.MethodType):
            self.through(item.__func__, item.__self__)
        elif isinstance(item, types.FunctionType):
            if is_ours(item):
                self._function(item)
            self.through(getattr(item, "__wrapped__", None))
        elif isinstance(item, type):
            if is_ours(item):
                self.names.add(f"{item.__module__}.{item.__qualname__}")
        elif isinstance(item, Mapping):
            self._by_name(item)
        elif isinstance(item, list | tuple | set | frozenset):
            self.through(*item)
        elif hasattr(item, "__wrapped__"):  # a wrapper that caches or compiles
            self.through(item.__wrapped__)
        elif dataclasses.is_dataclass(item) and is_ours(type(item)):
            if isinstance(item, Grid):
                self.names.add(f"{GRIDS}[{item.quantity}]")
            self.through(*(getattr(item, f.name) for f in dataclasses.fields(item)))

    def _function(self, function: types.FunctionType) -> None:
        name, cells = f"{function.__module__}.{function.__qualname__}", _cells(function)
        if "<" in name:
            self.names |= self.sources.inside(location(function), cells)
            if ".<locals>" in name:
                self.names.add(f"{name.partition('.<locals>')[0]}(**_)")
        else:
            self.names.add(name)
        self._by_name(cells)
        self.through(
            *(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()
        )

    def _by_name(self, values: Mapping[Any, Any]) -> None:
        """Search named values; the value of ``sweep`` names a stored result."""
        for name, value in values.items():
            if name == "sweep" and isinstance(value, str):
                self.names.add(f"{STORED}:{value}")
            self.through(value)


def is_ours(item: Any) -> bool:
    """Return True for a function or a class of this project."""
    return (item.__module__ or "").partition(".")[0] == OURS


def location(function: types.FunctionType) -> Place:
    """Module and first line of a function."""
    return function.__module__, function.__code__.co_firstlineno


def _cells(function: types.FunctionType) -> dict[str, Any]:
    """Values of the closure of a function, by name."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return {name: _content(cell) for name, cell in cells}


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # the cell is empty
        return None


def _name(function: Any) -> str | None:
    """Dotted name of a function of this project, unless it is anonymous."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    if not isinstance(function, types.FunctionType) or not is_ours(function):
        return None
    return (
        None
        if "<" in function.__qualname__
        else f"{function.__module__}.{function.__qualname__}"
    )


def _written(name: str, function: functools.partial, *more: str) -> str:
    """A partial function as a call, with ``...`` for arguments that vary."""
    arguments = [_argument(value) for value in function.args]
    arguments += [
        f"{key}={_argument(value)}" for key, value in function.keywords.items()
    ]
    return f"{name}({', '.join([*arguments, *more])})"


def _argument(value: Any) -> str:
    return repr(value) if plain({"": value}) else "..."


def _bound(function: functools.partial) -> Mapping[str, Any]:
    """The arguments of a partial function by name."""
    try:
        signature = inspect.signature(function.func)
        return signature.bind_partial(*function.args, **function.keywords).arguments
    except (TypeError, ValueError):
        return function.keywords


def result_of(form: Any, sources: Sources) -> str | None:
    """The single call that computes a derivation, as text, or ``None``.

    Args:
        form: A function without arguments.
        sources: Sources that contain the lambdas.
    """
    call, name = None, _name(form)
    if isinstance(form, functools.partial):
        name = _name(form.func)
        call = name and _written(name, form)
    elif name:
        call = f"{name}()"
    elif isinstance(form, types.FunctionType) and "<lambda>" in form.__qualname__:
        call = sources.presents(location(form), _cells(form)) if is_ours(form) else None
    return None if call is None or "..." in call else call
