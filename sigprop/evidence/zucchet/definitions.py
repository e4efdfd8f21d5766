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
    """Evidence that the code does what a definition says.

    Args:
        points: Values by name.
        code: What gives the value of the code there.
        form: The definition, where it is no expression.
        route: How the code is asked.
        tolerance: Relative error allowed, of the largest entry.
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
