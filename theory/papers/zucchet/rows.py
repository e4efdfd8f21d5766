"""How the rows of Zucchet & Orvieto (2024) are written down."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from theory.claims import Claim, Condition, Kind, Status
from theory.evidence import Evidence

EVIDENCE = {field.name for field in fields(Evidence)} - {"printed"}
MODELS = "sigprop.references.models."
IS_DEFINITION = "it is a definition: what is compared with it is the code"
RERUN = "the experiment has not been re-run as it was; "
OUTCOMES = "experiments.outcomes."


def row(
    claim_id: str,
    locator: str,
    kind: Kind,
    title: str,
    statement: str,
    expected: Status,
    code: str,
    **more: Any,
) -> Claim:
    """A claim judged by evidence; ``printed_by`` is the evidence's printed routine."""
    inside = {name: more.pop(name) for name in tuple(more) if name in EVIDENCE}
    if "printed_by" in more:
        inside["printed"] = more.pop("printed_by")
    return Claim(
        f"zucchet:{claim_id}",
        locator,
        kind,
        title,
        statement,
        "evidence",
        expected,
        code,
        evidence=Evidence(**inside),
        **{"topic": "models", **more},
    )


def routes(module: str, **names: str) -> dict[str, str]:
    """Routes by their names, all of one module of ``sigprop.references``."""
    return {
        route: f"sigprop.references.{module}.{name}" for route, name in names.items()
    }


def definition(
    number: str, where: str, title: str, latex: str, code: str, **more: Any
) -> Claim:
    """A numbered definition, compared with the code, by one route if need be."""
    alone = "" if len(more["routes"]) > 1 else IS_DEFINITION
    return row(
        number,
        f"Eq. {number}, {where}",
        Kind.DEFINITION,
        title,
        latex,
        Status.DEFINITION,
        code,
        **{"alone": alone, **more},
    )


def of_model(
    number: str,
    where: str,
    title: str,
    latex: str,
    code: str,
    model: str,
    what: str,
    **more: Any,
) -> Claim:
    """A definition judged on a whole run of the layer."""
    return definition(
        number,
        where,
        title,
        latex,
        code,
        points=tuple({"model": model, "d_in": d_in} for d_in in (1, 3)),
        routes=routes("models", impulse=f"layer_{what}", reference=f"kernel_{what}"),
        form=f"{MODELS}written_{what}",
        **more,
    )


def zero_start(number: str, where: str, model: str) -> Claim:
    """The zero state of a model."""
    return Claim(
        f"zucchet:{number}",
        f"Eq. {number}, {where}",
        Kind.DEFINITION,
        f"The {model} starts from the zero state",
        r"h_0 = 0",
        "",
        Status.DEFINITION,
        "sigprop.layers.base.Layer.initial_state",
        topic="models",
    )


def judged(
    claim_id: str,
    locator: str,
    title: str,
    statement: str,
    expected: Status,
    code: str,
    evidence: Evidence,
    *,
    kind: Kind = Kind.TEXT,
    topic: str = "experiments",
    **more: Any,
) -> Claim:
    """A statement with a truth value."""
    return Claim(
        f"zucchet:{claim_id}",
        locator,
        kind,
        title,
        statement,
        "evidence",
        expected,
        code,
        evidence=evidence,
        topic=topic,
        **more,
    )


def outcome(
    claim_id: str,
    locator: str,
    title: str,
    statement: str,
    points: tuple[Mapping[str, Any], ...],
    *,
    measure: str = "lead",
    most: str = "most",
    condition: Condition | None = None,
    kind: Kind = Kind.TEXT,
    **more: Any,
) -> Claim:
    """A comparison of trained students: one leads in the median over teachers.

    The value is the least median that the seeds allow at level 97.9 %.  The statement
    is expected to be conditional where it has a condition.
    """
    return judged(
        claim_id,
        locator,
        title,
        statement,
        Status.CONDITIONAL if condition else Status.CONFIRMED,
        f"{OUTCOMES}{measure}",
        Evidence(
            points,
            {"trained": f"{OUTCOMES}{measure}"},
            form=lambda **_: 0.0,
            relation=">",
            slips={"a lead that the seeds exclude": f"{OUTCOMES}{most}"},
            alone="one experiment decides: ten teachers, every student tuned by itself",
        ),
        kind=kind,
        condition=condition,
        **more,
    )


def unchecked(
    claim_id: str,
    locator: str,
    title: str,
    statement: str,
    decided_by: str,
    code: str,
    *,
    kind: Kind = Kind.TEXT,
    topic: str = "experiments",
    note: str = "",
) -> Claim:
    """An experiment's outcome, and what will decide it."""
    return Claim(
        f"zucchet:{claim_id}",
        locator,
        kind,
        title,
        statement,
        "",
        Status.NOT_CHECKABLE,
        code,
        topic=topic,
        note=note,
        reason=RERUN + decided_by,
    )
