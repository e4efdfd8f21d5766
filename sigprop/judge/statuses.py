"""The status of a row from the results of its routes, and the record of the row."""

from collections.abc import Iterable

from sigprop.judge.basis import ARITHMETIC, Basis, Grid, Row
from sigprop.judge.forms import form_of, worked
from sigprop.judge.mutants import Scores
from sigprop.judge.results import ClaimResult, RouteResult
from sigprop.judge.verdict import Verdict
from sigprop.theory.claims import Kind, Status


def simulated_result(
    point: str, verdict: Verdict, form: str = "derived"
) -> RouteResult:
    """Return a simulated verdict as the result of a route."""
    return RouteResult(
        "monte_carlo",
        point,
        verdict.ratio,
        verdict.low,
        verdict.high,
        verdict.outcome,
        form,
        verdict.n,
    )


def status_of(row: Row, results: Iterable[RouteResult], scores: Scores) -> Status:
    """Return the status of a row from the results of all routes.

    The expected status of the row is not used.  A definition is never refuted.  Any other
    statement is refuted if it fails within its condition and the true form is known.  It is
    conditional if it fails only outside its condition.  It is undecided if the routes do
    not suffice, disagree, or refute no mutant of the form.
    """
    claim = row.claim
    if row.basis is None:  # there is no truth value
        return Status.NOT_CHECKABLE if claim.reason else Status.DEFINITION
    true = [r for r in results if r.form == "derived"]
    printed = [r for r in results if r.form == "printed"]
    routes = {r.route for r in true}
    if any(r.verdict == "refuted" for r in true):
        another = any(r.inside for r in printed)  # then neither form is the true one
        return Status.UNDECIDED if another else Status.REFUTED
    if not true or _lacks_a_route(row, routes) or scores.survivors:
        return Status.UNDECIDED
    if any(r.verdict != "confirmed" for r in true):
        return Status.UNDECIDED
    if claim.kind == Kind.DEFINITION:  # a misprint in it has a class, not a status
        return Status.DEFINITION
    if any(r.verdict == "refuted" for r in printed):
        return _where_it_fails(printed)
    proved = "symbolic" in routes or (claim.printed is None and claim.derive)
    return Status.PROVED if proved else Status.CONFIRMED


def _lacks_a_route(row: Row, routes: set[str]) -> bool:
    """True if there is only one route and no reason; arithmetic is not a route."""
    few = len(routes - {ARITHMETIC}) < 2 and routes != {ARITHMETIC}
    return few and not _reason(row.basis)


def _reason(basis: Basis | None) -> str:
    """Reason why a row has no second route; empty if none is given."""
    return "" if basis is None or isinstance(basis, Grid) else basis.alone


def _where_it_fails(printed: list[RouteResult]) -> Status:
    """Status of a printed form: wrong within the condition, or only beyond it.

    If a simulation judges it, the simulation must refute it too.
    """
    refuting = [r for r in printed if r.verdict == "refuted"]
    within = {r.route for r in refuting if r.inside}
    simulated = any(r.route == "monte_carlo" for r in printed if r.inside)
    if within - {"monte_carlo"} and ("monte_carlo" in within or not simulated):
        return Status.REFUTED
    beyond = {r.route for r in refuting if not r.inside} - {"symbolic"}
    return Status.CONDITIONAL if beyond and not within else Status.UNDECIDED


def finish(
    row: Row,
    results: list[RouteResult],
    scores: Scores,
    seconds: float,
    example: str | None = None,
) -> ClaimResult:
    """Return the record of one claim."""
    claim, erratum = row.claim, row.claim.erratum
    routes = tuple(dict.fromkeys(r.route for r in results))
    example_of_row = row.basis.example if row.basis else None
    return ClaimResult(
        id=claim.id,
        paper=claim.paper,
        kind=claim.kind,
        title=claim.title,
        source=claim.source,
        statement=claim.statement,
        printed=None if claim.paper == "sigprop" else claim.statement,
        corrected=claim.correction,
        assumes=claim.assumes.text,
        condition=claim.condition.text if claim.condition else None,
        counterexample=worked(example_of_row, form_of(claim.paper))
        if example_of_row
        else example,
        status=str(status_of(row, results, scores)),
        routes=routes,
        results=tuple(results),
        formula_mutants=scores.formula.total,
        killed_formula_mutants=scores.formula.killed,
        value_mutants=scores.value.total,
        killed_value_mutants=scores.value.killed,
        hand_mutants=scores.hand.total,
        killed_hand_mutants=scores.hand.killed,
        arithmetic=set(routes) - {"symbolic"} == {ARITHMETIC},
        code=claim.code,
        seconds=seconds,
        note=claim.note,
        topic=claim.topic,
        reason=claim.reason or _reason(row.basis),
        errata_class=claim.errata_class,
        root=erratum.root if erratum else "",
        appears_in=erratum.appears_in if erratum else (),
        inherits=erratum.inherits if erratum else (),
        bearing=erratum.bearing if erratum else "",
        as_extracted=claim.as_extracted,
        uncounted=claim.uncounted,
    )
