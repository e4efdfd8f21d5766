"""Evidence for rows that relate printed numbers to each other."""

from typing import Any

from sigprop.judge.basis import ARITHMETIC, AtPoint, Evidence, Relation, Routine


def numbers(
    value: Routine,
    form: Routine,
    at: AtPoint | tuple[AtPoint, ...] = ({},),
    relation: Relation = "=",
    *,
    alone: str = "",
    wrong: float | None = None,
    **more: Any,
) -> Evidence:
    """Numbers against what they are said to be.

    Args:
        value: Computed from the tables, or from what ``alone`` names.
        form: What it is.
        at: Arguments of both; several, where they are judged at several points.
        relation: How the value stands to the form.
        alone: What the value comes from, where it is more than the paper's own numbers.
        wrong: A number that the comparison must refuse.
        more: ``printed``, ``absolute``, ``hand`` and ``example`` of ``Evidence``.
    """
    if wrong is not None:
        more["hand"] = {"far off": wrong}
    route = "reference" if alone else ARITHMETIC
    return Evidence(
        at if isinstance(at, tuple) else (at,),
        {route: value},
        form,
        relation=relation,
        alone=alone,
        **more,
    )
