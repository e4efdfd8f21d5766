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
    """Evidence that printed numbers have a stated relation.

    Args:
        value: Number computed from the tables, or from the source that ``alone`` names.
        form: Number that the paper states.
        at: Arguments of both, for one point or several.
        relation: Relation of the value to the form.
        alone: Source of the value, if it uses more than the paper's own numbers.
        wrong: A number that the comparison must refute.
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
