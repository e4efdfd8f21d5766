"""From route results to a status, and from a status to a record."""

from collections.abc import Iterable

from sigprop.mutation import Score
from sigprop.results import ClaimResult, RouteResult
from sigprop.verdict import Verdict
from theory.claims import Claim, Kind, Status


def drawn_result(point: str, verdict: Verdict, form: str = "derived") -> RouteResult:
    """A simulated verdict as a route result."""
    return RouteResult(
        "monte_carlo",
        point,
        verdict.ratio,
        verdict.low,
        verdict.high,
        verdict.word,
        form,
        verdict.n,
    )


def status_of(claim: Claim, results: Iterable[RouteResult], score: Score) -> str:
    """What the routes say together; the word ``inconclusive`` is a failure."""
    if not claim.quantity:
        return claim.expected  # a definition, or not checkable: there is no truth value
    derived = [r for r in results if r.form == "derived"]
    printed = [r for r in results if r.form == "printed"]
    routes = {r.route for r in derived}
    if any(r.verdict == "refuted" for r in derived):
        return "refuted" if claim.expected != Status.REFUTED else "inconclusive"
    if any(r.verdict != "confirmed" for r in derived) or not routes:
        return "inconclusive"
    if len(routes) < 2 and not (claim.evidence and claim.evidence.alone):
        return "inconclusive"
    if set(score.survivors) - set(claim.waivers):
        return "inconclusive"
    if printed:
        simulations = [r for r in printed if r.route == "monte_carlo"]
        seen = not simulations or any(r.verdict == "refuted" for r in simulations)
        exact = any(r.verdict == "refuted" for r in printed if r.route != "monte_carlo")
        if not (seen and exact):
            return "inconclusive"
        return (
            Status.CONDITIONAL
            if claim.expected == Status.CONDITIONAL
            else Status.REFUTED
        )
    if claim.kind == Kind.DEFINITION:
        return Status.DEFINITION
    return (
        Status.PROVED
        if "symbolic" in routes or (claim.printed is None and claim.derive)
        else Status.CONFIRMED
    )


def finish(
    claim: Claim,
    results: list[RouteResult],
    score: Score,
    seconds: float,
    example: str | None = None,
) -> ClaimResult:
    """The record of one claim."""
    survivors = set(score.survivors)
    return ClaimResult(
        id=claim.id,
        paper=claim.paper,
        kind=claim.kind,
        title=claim.title,
        source=claim.source,
        statement=claim.statement,
        printed=None if claim.paper == "sigprop" else claim.statement,
        corrected=claim.correction,
        condition=claim.condition,
        counterexample=example,
        status=str(status_of(claim, results, score)),
        expected=str(claim.expected),
        routes=tuple(dict.fromkeys(r.route for r in results)),
        results=tuple(results),
        mutants=score.total,
        killed=score.killed,
        waived=tuple(sorted(survivors & set(claim.waivers))),
        code=claim.code,
        seconds=seconds,
        note=claim.note,
        topic=claim.topic,
        reason=claim.reason or (claim.evidence.alone if claim.evidence else ""),
        inherits=claim.inherits,
        as_extracted=claim.as_extracted,
    )
