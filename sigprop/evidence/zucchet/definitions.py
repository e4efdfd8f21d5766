"""Evidence for definitions, by comparison with the code."""

from collections.abc import Callable
from typing import Any

from sigprop.judge.basis import AtPoint, Evidence


def by_code(
    points: tuple[AtPoint, ...],
    code: Callable[..., Any],
    form: Callable[..., Any] | None = None,
    *,
    route: str = "impulse",
    tolerance: float = 1e-10,
    **more: Any,
) -> Evidence:
    """Evidence that the code agrees with a definition.

    Args:
        points: Values by name.
        code: Function that returns the value of the code at a point.
        form: The definition, if it is not an expression.
        route: Name of the route.
        tolerance: Allowed error, relative to the largest entry.
        more: ``mutants``, ``printed`` and ``example`` of ``Evidence``.
    """
    return Evidence(
        points,
        {route: code},
        form=form,
        tolerance=tolerance,
        alone="it is a definition: what is compared with it is the code",
        **more,
    )
