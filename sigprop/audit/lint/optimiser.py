"""Learning rate and weight decay of every tensor, from an optimiser's configuration."""

import fnmatch
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sigprop.numerics.documents import read_document, require_keys

KEYS = ("lr", "weight_decay", "no_decay", "groups", "param_groups", "steps")
IN_A_GROUP = ("params", "lr", "weight_decay")


@dataclass(frozen=True)
class Group:
    """Tensors whose names match a pattern, or end in it."""

    patterns: tuple[str, ...]
    rate: float
    decay: float


@dataclass(frozen=True)
class Optimiser:
    """Groups in order, the first that matches a name has it; and steps of training.

    Attributes:
        groups: Learning rate and weight decay by patterns of names.
        steps: Of the training, if known.
        unknown: Sentences about settings that could not be judged.
    """

    groups: tuple[Group, ...]
    steps: float | None = None
    unknown: tuple[str, ...] = ()

    def group(self, name: str) -> Group | None:
        """The group of a tensor."""
        for group in self.groups:
            if any(_matches(name, pattern) for pattern in group.patterns):
                return group
        return None


def _matches(name: str, pattern: str) -> bool:
    dotted = name.replace("/", ".")
    return fnmatch.fnmatchcase(dotted, pattern) or f".{dotted}".endswith(f".{pattern}")


def read_optimiser(path: Path) -> Optimiser:
    """An optimiser of a TOML or JSON file.

    It has ``lr`` and ``weight_decay``; ``no_decay``, names or patterns without; ``groups``
    or ``param_groups``, tables with ``params`` and their own ``lr`` and ``weight_decay``;
    and ``steps``.

    Raises:
        FileNotFoundError: If there is no such file.
        ValueError: If it is no such configuration.
    """
    try:
        return optimiser(read_document(path))
    except ValueError as error:
        raise ValueError(
            f"need lr and weight_decay, and names in no_decay or groups, in {path}, got "
            f"another configuration: {error}"
        ) from error


def optimiser(content: Any) -> Optimiser:
    """An optimiser of plain values; see ``read_optimiser``.

    Raises:
        ValueError: If a rate or a decay is none.
    """
    content = require_keys("an optimiser", content, KEYS)
    rate, decay = content.get("lr", 1e-3), content.get("weight_decay", 0.0)
    groups = [Group(_names(content.get("no_decay", ())), _number("lr", rate), 0.0)]
    tables = content.get("groups", content.get("param_groups", []))
    if not isinstance(tables, list):
        raise ValueError(f"need a list of groups, got {tables!r:.60}")
    for table in tables:
        group = require_keys("a group", table, IN_A_GROUP)
        groups.append(
            Group(
                _names(group.get("params", ("*",))),
                _number("lr", group.get("lr", rate)),
                _number("weight_decay", group.get("weight_decay", decay)),
            )
        )
    groups.append(Group(("*",), _number("lr", rate), _number("weight_decay", decay)))
    steps = content.get("steps")
    return Optimiser(tuple(groups), None if steps is None else _number("steps", steps))


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise ValueError(f"need a list of names, got {value!r}")
    if not all(isinstance(name, str) for name in value):
        raise ValueError(f"need names of tensors, got {value!r}")
    return tuple(value)


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"need a number in {name}, got {value!r}")
    if not 0 <= value < math.inf:
        raise ValueError(f"need a finite number of at least 0 in {name}, got {value}")
    return float(value)
