"""Claims in words: what ``sigprop show`` prints and ``sigprop claims --json`` lists."""

import importlib.util
from typing import Any

from sympy import latex

from sigprop.judge import evidence
from sigprop.judge.mutants import Score
from sigprop.judge.plans import is_check, make_plans, score, simulated
from sigprop.judge.verdict import distance_plan
from sigprop.numerics.evaluate import precise
from theory.claims import Claim, find, home
from theory.evidence import Evidence


def routes_of(claim: Claim) -> tuple[str, ...]:
    """Names of the routes that will judge a claim."""
    if claim.evidence is not None:
        return evidence.routes_of(claim)
    if is_check(claim):
        return (claim.quantity,) if claim.quantity else ()
    if claim.quantity == "ring_law":
        return ("symbolic", "reference", "monte_carlo")
    found = ["symbolic"] if claim.printed else []
    found += ["reference", "autodiff" if claim.quantity == "backward" else "impulse"]
    if claim.quantity in {"state", "sensitivity", "ring_gain", "thin_ring"}:
        found.append("closed_form")
    if simulated(claim) and claim.grid:
        found.append("monte_carlo")
    return tuple(found)


def _truths(claim: Claim) -> dict[Any, complex]:
    if claim.derive is None or not claim.grid or claim.quantity == "ring_law":
        return {}
    values = precise(claim.derive().result, claim.grid)
    return dict(zip(claim.grid, values, strict=True))


def _score(claim: Claim) -> Score:
    if claim.evidence is not None:
        return evidence.judge(claim).score
    if is_check(claim) or claim.derive is None:
        return Score(0, ())
    plans = make_plans(claim, _truths(claim), "quick")
    return score(claim, claim.derive().result, plans)


def row(claim: Claim) -> dict[str, Any]:
    """One claim for JSON, with the keys that all JSON outputs share.

    Nothing is judged: what a verdict would fill is null, or empty.
    """
    return {
        "id": claim.id,
        "paper": claim.paper,
        "kind": claim.kind,
        "status": None,
        "expected": str(claim.expected),
        "routes": list(routes_of(claim)),
        "results": [],
        "mutants": None,
        "killed": None,
        "title": claim.title,
        "source": claim.source,
        "statement": claim.statement,
        "corrected": claim.correction,
        "assumes": claim.assumes,
        "condition": claim.condition.words if claim.condition else None,
        "code": claim.code,
        "note": claim.note,
        "topic": claim.topic,
    }


def location(dotted: str) -> str:
    """File of a dotted name, relative to its package, without importing it."""
    module = dotted.rsplit(".", 1)[0]
    while module:
        try:
            spec = importlib.util.find_spec(module)
        except ModuleNotFoundError:
            spec = None
        if spec is not None:
            return module.replace(".", "/") + ".py"
        module = module.rpartition(".")[0]
    return "unknown"


def describe(claim_id: str) -> str:
    """Everything about a claim that can be said before it is run.

    Raises:
        KeyError: If there is no such claim; the message suggests the nearest.
    """
    claim = find(claim_id)
    lines = [
        f"{claim.id}  {claim.title}",
        f"source      {claim.source}",
        f"row         {home(claim.id).replace('.', '/')}.py",
        f"kind        {claim.kind}; expected {claim.expected}",
        f"statement   {claim.statement}",
    ]
    if claim.correction:
        lines.append(f"corrected   {claim.correction}")
    if claim.condition:
        lines.append(f"condition   {claim.condition.words}")
    for name in ("assumes", "note", "reason", "inherits"):
        if getattr(claim, name):
            lines.append(f"{name:<12}{getattr(claim, name)}")
    if claim.as_extracted:
        lines.append("our copy    its extraction is likely at fault, not the paper")
    lines.append(f"code        {claim.code}  ({location(claim.code)})")
    lines.append(f"routes      {', '.join(routes_of(claim))}")
    if claim.derive is not None:
        lines += ["", "derivation"]
        for number, step in enumerate(claim.derive().steps, 1):
            lines += [f"  {number}. {step.reason}", f"     {latex(step.expr)}"]
    if claim.grid:
        lines += ["", f"grid        {len(claim.grid)} points"]
        lines += [f"  {point}" for point in claim.grid]
    if claim.evidence is not None:
        lines += ["", *_evidence(claim, claim.evidence)]
    lines += ["", *_power(claim)]
    return "\n".join(lines)


def _evidence(claim: Claim, given: Evidence) -> list[str]:
    inside, outside = evidence.split(claim)
    lines = [f"points      {len(inside)}; each route {given.relation} the form"]
    lines += [f"  {evidence.describe(at)}" for at in inside if at]
    if outside:
        lines += [f"outside     {len(outside)}; the condition is not met here"]
        lines += [f"  {evidence.describe(at)}" for at in outside]
    named = [one for one in given.routes.items() if isinstance(one[1], str)]
    return lines + [f"{route:<12}{place}" for route, place in named]


def _power(claim: Claim) -> list[str]:
    if not claim.quantity:
        return []
    if claim.evidence is not None:
        found = _score(claim)
        return [f"mutants     {found.killed} of {found.total} refuted by the evidence"]
    if is_check(claim) or claim.derive is None:
        return ["mutants     scored in the run: the claim brings its own check"]
    plans = make_plans(claim, _truths(claim), "quick")
    found = _score(claim)
    scored = f"mutants     {found.killed} of {found.total} refuted"
    if claim.quantity == "ring_law":
        planned = distance_plan(claim.margin)
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
        f"plan        {min(sizes)} to {max(sizes)} trajectories a point, margin "
        f"{claim.margin:.0%}" + ("; 1% in the headline tier" if claim.headline else ""),
        f"detectable  a ratio below {low:.4f} or above {high:.4f} is refuted",
        scored + " by the simulated plan alone",
    ]
