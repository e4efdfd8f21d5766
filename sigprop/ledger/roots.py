"""What a row names at first hand: functions of its forms, its routes and its proof.

The objects themselves are walked, so that a row made in a loop or by a helper counts as
one that is written out; no function is called.
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
    """A walk through objects; ``names`` has what they name of ours."""

    def __init__(self, sources: Sources) -> None:
        self.sources = sources
        self.names: set[str] = set()
        self._seen: dict[int, Any] = {}  # kept alive, so that no number is used twice

    def through(self, *objects: Any) -> "Walk":
        """Walk through some objects, and all that they hold."""
        for one in objects:
            plain = one is None or isinstance(one, str | bytes | int | float | complex)
            if not plain and id(one) not in self._seen:
                self._seen[id(one)] = one
                self._visit(one)
        return self

    def _visit(self, one: Any) -> None:
        if isinstance(one, functools.partial):
            if (name := _name(one.func)) is None:
                self.through(one.func)
            else:
                self.names.add(_written(name, one, "**_"))
            self.through(*one.args)
            self._by_name(_bound(one))
        elif isinstance(one, types.MethodType):
            self.through(one.__func__, one.__self__)
        elif isinstance(one, types.FunctionType):
            if is_ours(one):
                self._function(one)
            self.through(getattr(one, "__wrapped__", None))
        elif isinstance(one, type):
            if is_ours(one):
                self.names.add(f"{one.__module__}.{one.__qualname__}")
        elif isinstance(one, Mapping):
            self._by_name(one)
        elif isinstance(one, list | tuple | set | frozenset):
            self.through(*one)
        elif hasattr(one, "__wrapped__"):  # as of a function that caches or compiles
            self.through(one.__wrapped__)
        elif dataclasses.is_dataclass(one) and is_ours(type(one)):
            if isinstance(one, Grid):
                self.names.add(f"{GRIDS}[{one.quantity}]")
            self.through(*(getattr(one, f.name) for f in dataclasses.fields(one)))

    def _function(self, one: types.FunctionType) -> None:
        name, cells = f"{one.__module__}.{one.__qualname__}", _cells(one)
        if "<" in name:
            self.names |= self.sources.inside(place(one), cells)
            if ".<locals>" in name:
                self.names.add(f"{name.partition('.<locals>')[0]}(**_)")
        else:
            self.names.add(name)
        self._by_name(cells)
        self.through(*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values())

    def _by_name(self, values: Mapping[Any, Any]) -> None:
        """Values with their names: a stored result is read by the name ``sweep``."""
        for name, value in values.items():
            if name == "sweep" and isinstance(value, str):
                self.names.add(f"{STORED}:{value}")
            self.through(value)


def is_ours(one: Any) -> bool:
    """Whether a function or a class is of these packages."""
    return (one.__module__ or "").partition(".")[0] == OURS


def place(one: types.FunctionType) -> Place:
    """Module and first line of a function."""
    return one.__module__, one.__code__.co_firstlineno


def _cells(one: types.FunctionType) -> dict[str, Any]:
    """What a function found around it when it was made, by name."""
    cells = zip(one.__code__.co_freevars, one.__closure__ or (), strict=True)
    return {name: _content(cell) for name, cell in cells}


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is not filled yet
        return None


def _name(one: Any) -> str | None:
    """The dotted name of a function of ours that has one at the top of its module."""
    while hasattr(one, "__wrapped__"):
        one = one.__wrapped__
    if not isinstance(one, types.FunctionType) or not is_ours(one):
        return None
    return None if "<" in one.__qualname__ else f"{one.__module__}.{one.__qualname__}"


def _written(name: str, one: functools.partial, *more: str) -> str:
    """A partial function as a call, ``...`` for what is no constant."""
    words = [_word(value) for value in one.args]
    words += [f"{key}={_word(value)}" for key, value in one.keywords.items()]
    return f"{name}({', '.join([*words, *more])})"


def _word(value: Any) -> str:
    return repr(value) if plain({"": value}) else "..."


def _bound(one: functools.partial) -> Mapping[str, Any]:
    """The arguments that a partial function has, by their names."""
    try:
        signature = inspect.signature(one.func)
        return signature.bind_partial(*one.args, **one.keywords).arguments
    except (TypeError, ValueError):
        return one.keywords


def result_of(one: Any, sources: Sources) -> str | None:
    """The call that gives a derivation, as it is written; none if it is no one call.

    Args:
        one: A function of no argument.
        sources: Where lambdas are found.
    """
    call, name = None, _name(one)
    if isinstance(one, functools.partial):
        name = _name(one.func)
        call = name and _written(name, one)
    elif name:
        call = f"{name}()"
    elif isinstance(one, types.FunctionType) and "<lambda>" in one.__qualname__:
        call = sources.presents(place(one), _cells(one)) if is_ours(one) else None
    return None if call is None or "..." in call else call
