"""Descriptions of claims, for ``sigprop show`` and ``sigprop claims --json``."""

from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sigprop.judge import evidence, route_names
from sigprop.judge.basis import ARITHMETIC, Basis, Check, Evidence, Grid, Routine, Row
from sigprop.judge.forms import form_of, worked
from sigprop.judge.plans import make_plans, score, simulated
from sigprop.judge.verdict import distance_plan
from sigprop.ledger.addresses import address
from sigprop.ledger.proofs import of_row
from sigprop.ledger.verdicts import accusation
from sigprop.numerics.evaluate import precise
from sigprop.numerics.paths import repository_path
from sigprop.theory import conventions
from sigprop.theory.claims import Claim, home
from sigprop.theory.errata import CLASSES

SCORES = (
    *("mutants", "killed"),
    *("formula_mutants", "killed_formula_mutants"),
    *("value_mutants", "killed_value_mutants"),
    *("hand_mutants", "killed_hand_mutants"),
)


def routes_of(row: Row) -> tuple[str, ...]:
    """Names of the routes that judge a row."""
    claim, basis = row.claim, row.basis
    if basis is None:
        return ()
    if isinstance(basis, Evidence):
        return evidence.routes_of(claim, basis)
    if isinstance(basis, Check):
        return basis.routes
    if basis.quantity == "ring_law":
        return ("symbolic", "reference", "monte_carlo")
    routes = ["symbolic"] if claim.printed else []
    routes += ["reference", "autodiff" if basis.quantity == "backward" else "impulse"]
    if basis.quantity in {"state", "sensitivity", "ring_gain", "thin_ring"}:
        routes.append("closed_form")
    if simulated(basis):
        routes.append("monte_carlo")
    return tuple(routes)


def as_json(row: Row) -> dict[str, Any]:
    """One row for JSON, with the keys that all JSON outputs share.

    The row is not judged: fields of the verdict are null or empty.
    """
    claim = row.claim
    return {
        "id": claim.id,
        "paper": claim.paper,
        "kind": claim.kind,
        "status": None,
        "expected": str(claim.expected),
        "routes": list(routes_of(row)),
        "results": [],
        **dict.fromkeys(SCORES),
        "address": address(claim.id),
        "title": claim.title,
        "source": claim.source,
        "statement": claim.statement,
        "corrected": claim.correction,
        "assumes": claim.assumes.text,
        "condition": claim.condition.text if claim.condition else None,
        "code": claim.code,
        "note": claim.note,
        "topic": claim.topic,
        "arithmetic": set(routes_of(row)) - {"symbolic"} == {ARITHMETIC},
        "errata_class": claim.errata_class,
        "appears_in": list(claim.erratum.appears_in) if claim.erratum else [],
        "inherits": list(claim.erratum.inherits) if claim.erratum else [],
    }


def location(dotted: str) -> str:
    """File of a module, or of the module of a dotted name, without importing it.

    Raises:
        ValueError: If the name does not begin with an installed package.
    """
    package, *parts = dotted.split(".")
    spec = find_spec(package)
    if spec is None or not spec.submodule_search_locations:
        raise ValueError(
            f"need a name in a package, got {dotted!r}; check its spelling"
        )
    top = Path(spec.submodule_search_locations[0])
    for length in range(len(parts), 0, -1):
        module = top.joinpath(*parts[:length])
        for file in (module.with_suffix(".py"), module / "__init__.py"):
            if file.is_file():
                return repository_path(file.relative_to(top.parent).as_posix())
    return f"{package}/__init__.py"


def describe(row: Row) -> str:
    """Everything about a row that can be said before it is run."""
    claim, basis = row.claim, row.basis
    lines = [
        f"{claim.id}  {claim.title}",
        f"source      {claim.source}",
        f"row         {location(home(claim.id))}",
        f"kind        {claim.kind}; expected {claim.expected}",
    ]
    example = basis and basis.example
    if example:
        which = form_of(claim.paper)
        text = worked(example, which)
        lines += accusation(
            which, claim.locator, claim.statement, claim.correction, text
        )
    else:
        lines.append(f"statement   {claim.statement}")
        if claim.correction:
            lines.append(f"corrected   {claim.correction}")
    if claim.condition:
        lines.append(f"condition   {claim.condition.text}")
    if claim.assumes.text:
        lines.append(f"assumes     {claim.assumes.text}")
    for name in ("note", "reason"):
        if getattr(claim, name):
            lines.append(f"{name:<12}{getattr(claim, name)}")
    lines += _erratum(claim)
    if claim.as_extracted:
        lines.append("our copy    its extraction is likely at fault, not the paper")
    lines += [
        f"convention  {one.id}: {one.subject} ({one.verdict})"
        for one in conventions.of(claim.id)
    ]
    lines.append(f"code        {claim.code}  ({location(claim.code)})")
    lines.append(f"routes      {', '.join(map(route_names.name, routes_of(row)))}")
    if claim.derive is not None:
        lines += ["", "derivation"]
        for number, (reason, equation) in enumerate(of_row(claim), 1):
            lines += [f"  {number}. {reason}", f"     {equation}"]
    if isinstance(basis, Grid):
        lines += ["", f"grid        {len(basis.points)} points"]
        lines += [f"  {point}" for point in basis.points]
    if isinstance(basis, Evidence):
        lines += ["", *_evidence(claim, basis)]
    lines += ["", *_power(claim, basis)]
    return "\n".join(lines)


def _erratum(claim: Claim) -> list[str]:
    erratum = claim.erratum
    if erratum is None:
        return []
    lines = [f"class       {erratum.letter}: {CLASSES[erratum.letter]}"]
    for name, value in (
        ("root", erratum.root),
        ("also in", ", ".join(erratum.appears_in)),
        ("inherited", ", ".join(erratum.inherits)),
        ("effect", erratum.bearing),
    ):
        if value:
            lines.append(f"{name:<12}{value}")
    return lines


def _span(sizes: list[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low}" if low == high else f"{low} to {high}"


def _evidence(claim: Claim, basis: Evidence) -> list[str]:
    inside, outside = evidence.split(claim, basis)
    lines = [f"points      {len(inside)}; each route {basis.relation} the form"]
    lines += [f"  {evidence.describe(point)}" for point in inside if point]
    if outside:
        lines += [f"outside     {len(outside)}; the condition is not met here"]
        lines += [f"  {evidence.describe(point)}" for point in outside]
    named = ((route, _dotted_name(routine)) for route, routine in basis.routes.items())
    return lines + [f"{route:<12}{code}" for route, code in named if code]


def _dotted_name(routine: Routine) -> str:
    """Dotted name of a function, if it has one."""
    name = getattr(routine, "__qualname__", "<")
    return "" if "<" in name else f"{routine.__module__}.{name}"


def _power(claim: Claim, basis: Basis | None) -> list[str]:
    """Lines on mutants, and on sample size and detectable error of a simulation."""
    if basis is None:
        return []
    if not isinstance(basis, Grid) or claim.derive is None:
        return ["mutants     scored in the run"]
    form = claim.derive().result
    law = basis.quantity == "ring_law"
    known = (
        {} if law else dict(zip(basis.points, precise(form, basis.points), strict=True))
    )
    plans = make_plans(basis, form, known, "quick")
    killed = score(basis, form, plans)
    scored = f"mutants     {killed.killed} of {killed.total} refuted"
    if law:
        planned = distance_plan(basis.margin)
        return [
            f"plan        {planned.n} samples, distance {planned.margin:.3g}",
            f"detectable  a distance above {planned.detectable:.3g}",
            scored + " by the plan alone",
        ]
    if not plans:
        return ["plan        deterministic, relative error 1e-10", scored]
    sizes = [plan.n for plan in plans.values()]
    low = min(plan.detectable[0] for plan in plans.values())
    high = max(plan.detectable[1] for plan in plans.values())
    return [
        f"plan        {_span(sizes)} simulated sequences per point, to detect an error of "
        f"{basis.margin:.0%}"
        + ("; --tier headline simulates more and detects 1%" if basis.headline else ""),
        f"detectable  a ratio of simulation to formula below {low:.4f} or above {high:.4f}",
        scored + " by the planned simulation alone",
    ]
