"""Predicates on points that statements of several papers share."""

from collections.abc import Callable
from typing import Any

Holds = Callable[..., bool]


def inside(*names: str) -> Holds:
    """Return the predicate that the values of these names are inside the unit circle."""
    return lambda **point: all(abs(point[name]) < 1 for name in names)


def is_stable(gap: float, **_: object) -> bool:
    """True if ``0 < gap <= 1``, with ``gap`` the distance from the unit circle."""
    return 0 < gap <= 1


def driven_by(*names: str) -> Holds:
    """Return the predicate that the eigenvalue is stable and the input has such a name."""
    return lambda gap, input, **_: is_stable(gap) and input.name in names


def is_ring(r_min: float, r_max: float, **_: object) -> bool:
    """True for a ring of nonzero width inside the closed unit disc."""
    return 0 <= r_min < r_max <= 1


def is_open_ring(r_min: float, r_max: float, **_: object) -> bool:
    """True for a ring of nonzero width that does not reach the unit circle."""
    return 0 <= r_min < r_max < 1


def are_distinct(values: Any) -> bool:
    """True if no two of these numbers are equal."""
    return len(set(values)) == len(values)
