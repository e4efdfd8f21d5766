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
from sigprop.ledger.calls import OURS, STORED, Sources

GRIDS = "sigprop.judge.routes.QUANTITIES"
Place = tuple[str, int]


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
            self.through(one.func, *one.args)
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
        name = f"{one.__module__}.{one.__qualname__}"
        if "<" in name:
            self.names |= self.sources.inner.get(place(one), frozenset())
            if ".<locals>" in name:
                self.names.add(name.partition(".<locals>")[0])
        else:
            self.names.add(name)
        cells = zip(one.__code__.co_freevars, one.__closure__ or (), strict=True)
        self._by_name({n: _content(cell) for n, cell in cells})
        self.through(*(one.__defaults__ or ()), *(one.__kwdefaults__ or {}).values())

    def _by_name(self, values: Mapping[Any, Any]) -> None:
        """Values with their names: a stored result is read by the name ``sweep``."""
        for name, value in values.items():
            if name == "sweep" and isinstance(value, str):
                self.names.add(f"{STORED}:{value}")
            self.through(value)


def is_ours(one: Any) -> bool:
    """Whether a function or a class is of these packages."""
    return (one.__module__ or "").partition(".")[0] in OURS


def place(one: types.FunctionType) -> Place:
    """Module and first line of a function."""
    return one.__module__, one.__code__.co_firstlineno


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # it is not filled yet
        return None


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
    while hasattr(one, "__wrapped__"):
        one = one.__wrapped__
    if isinstance(one, functools.partial):
        inner = result_of(one.func, sources)
        if inner is None or not inner.endswith("()"):
            return None
        words = [repr(value) for value in one.args]
        words += [f"{name}={value!r}" for name, value in one.keywords.items()]
        return f"{inner[:-1]}{', '.join(words)})"
    if not isinstance(one, types.FunctionType) or not is_ours(one):
        return None
    if "<" in one.__qualname__:
        return sources.bodies.get(place(one))
    return f"{one.__module__}.{one.__qualname__}()"
