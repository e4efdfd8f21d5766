"""How the rows on the LRU paper's prose and tables are built."""

from collections.abc import Callable, Mapping
from typing import Any

from theory.claims import Claim, Kind, Status
from theory.evidence import ARITHMETIC, Evidence, Relation, Routine

TABLES = "sigprop.references.lru_tables"
LRU = "sigprop.references.lru"
TOYS = "sigprop.references.lru_toys"
SPECTRAL = "sigprop.references.spectral"


def printed_numbers(
    claim_id: str,
    locator: str,
    title: str,
    statement: str,
    routine: str,
    at: Mapping[str, Any] | tuple[Mapping[str, Any], ...],
    form: Any,
    relation: Relation = "=",
    *,
    status: Status = Status.CONFIRMED,
    kind: Kind = Kind.TEXT,
    absolute: float = 0.0,
    printed: Routine | None = None,
    wrong: Any = None,
    topic: str = "tables",
    **more: Any,
) -> Claim:
    """A row whose value is computed from the tables' printed numbers.

    Args:
        claim_id: Its id.
        locator: Where it stands.
        title: A title.
        statement: LaTeX of the statement as printed.
        routine: Function of ``sigprop.references.lru_tables`` that computes the value.
        at: Its arguments; or several, of a conditional statement also such as do not
            meet its condition.
        form: What the value is compared with: a number, a list or a dotted name.
        relation: How.
        status: What verification is to find.
        kind: What sort of statement it is.
        absolute: Half a unit of the last printed digit.
        printed: The printed form where it is another.
        wrong: A number that the comparison must refuse.
        topic: For filters.
        more: Other attributes of the row.
    """
    right = form if isinstance(form, str) else _constant(form)
    slips = {} if wrong is None else {"far off": _constant(wrong)}
    return Claim(
        claim_id,
        locator,
        kind,
        title,
        statement,
        "evidence",
        status,
        f"{TABLES}.{routine}",
        evidence=Evidence(
            at if isinstance(at, tuple) else (at,),
            {ARITHMETIC: f"{TABLES}.{routine}"},
            form=right,
            printed=printed,
            relation=relation,
            absolute=absolute,
            slips=slips,
        ),
        topic=topic,
        **more,
    )


def only_on(*allowed: str) -> Callable[..., bool]:
    """A condition that holds where a point asks for no tasks but these."""
    return lambda tasks, **_: set(tasks.split(",")) <= set(allowed)


def _constant(value: Any) -> Routine:
    return lambda **_: value


def unchecked(
    claim_id: str,
    locator: str,
    kind: Kind,
    title: str,
    statement: str,
    reason: str,
    topic: str = "experiments",
    code: str = "sigprop.layers.lru.lru",
    **more: Any,
) -> Claim:
    """A row that nothing here can decide, with the reason."""
    return Claim(
        claim_id,
        locator,
        kind,
        title,
        statement,
        "",
        Status.NOT_CHECKABLE,
        code,
        reason=reason,
        topic=topic,
        **more,
    )
