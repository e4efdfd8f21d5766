"""Makers of BLUR's rows on printed numbers and on figures."""

from collections.abc import Callable
from typing import Any

from theory.claims import Claim, Kind, Status
from theory.evidence import ARITHMETIC, Evidence

TABLES = "theory.papers.blur.tables.errors"


def fact(
    name: str,
    where: str,
    title: str,
    statement: str,
    value: Callable[[], Any] | str,
    form: Any,
    *,
    printed: Any = None,
    kind: Kind = Kind.TEXT,
    topic: str = "experiments",
    code: str = TABLES,
    alone: str = "",
    absolute: float = 0.0,
    **more: Any,
) -> Claim:
    """A row on numbers: what is computed, what it is, and what is printed if another."""
    return Claim(
        f"blur:{name}",
        where,
        kind,
        title,
        statement,
        "evidence",
        Status.CONFIRMED if printed is None else Status.REFUTED,
        code,
        evidence=Evidence(
            ({},),
            {"reference" if alone else ARITHMETIC: value},
            form=lambda: form,
            printed=None if printed is None else lambda: printed,
            absolute=absolute,
            alone=alone,
        ),
        topic=topic,
        **more,
    )


def unseen(name: str, where: str, title: str, statement: str, **more: Any) -> Claim:
    """A row on what our copy has no numbers of."""
    given = {
        "kind": Kind.FIGURE,
        "reason": "Our copy has the caption, not the picture.",
        "note": "",
        **more,
    }
    return Claim(
        f"blur:{name}",
        where,
        given["kind"],
        title,
        statement,
        "",
        Status.NOT_CHECKABLE,
        "sigprop.layers.blur.BLUR",
        reason=given["reason"],
        note=given["note"],
        topic="experiments",
    )
