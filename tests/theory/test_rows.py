"""Every row has its announced status, by all of its routes that draw nothing.

What simulates, mutants of the forms and a few expensive routes are left to the slow tests:
``test_every_claim_has_its_expected_status`` judges all of them.
"""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest

from sigprop.judge import evidence, run
from sigprop.judge.basis import Check, Evidence, Grid
from sigprop.judge.evidence import expression, resolve
from sigprop.judge.mutants import Scores
from sigprop.judge.statuses import finish, status_of
from sigprop.theory.claims import Status, find
from tests.rows import changed, every_mutant_noticed, row, rows
from tests.sealed import sealed

ROWS = rows()
JUDGED = {
    key: entry for key, entry in ROWS.items() if isinstance(entry.basis, Evidence)
}
DRAWN = ("monte_carlo", "trained")
EXACT = {
    key: entry
    for key, entry in ROWS.items()
    if isinstance(entry.basis, Evidence | Grid)
    or (isinstance(entry.basis, Check) and not set(DRAWN) & set(entry.basis.routes))
}

# The form or the proof itself takes a second or more: of these no route is quick.
COSTLY = (
    *("sigprop:curvature", "sigprop:loss-infinite", "sigprop:glorot-range"),
    *("sigprop:sensitivity-finite", "sigprop:remembering-state", "zucchet:161"),
    *("zucchet:text:hessian-spectra", "zucchet:text:jacobian-explodes"),
)

# Each takes a third of a second or more, and its row has another route.
EXPENSIVE = {
    "zucchet:2": "autodiff",
    "zucchet:3": "autodiff",
    "zucchet:4": "autodiff",
    "zucchet:11": "autodiff",
    "zucchet:18": "impulse",
    "zucchet:24": "impulse",
    "zucchet:78": "autodiff",
    "zucchet:94": "autodiff",
    "zucchet:text:total-derivative": "autodiff",
    "zucchet:text:state-diverges": "reference",
    "zucchet:text:sensitivity-diverges": "reference",
    "zucchet:text:divergence-speed": "reference",
    "zucchet:text:faster": "reference",
    "zucchet:text:dominating-term": "autodiff",
    "zucchet:fig1:sharpness-real": "autodiff",
    "zucchet:fig1:sharpness-circle": "autodiff",
    "zucchet:text:euler": "closed_form",
    "zucchet:text:outer-radius": "reference",
    "zucchet:text:ring": "impulse",
    "zucchet:text:derivatives-bounded": "reference",
    "zucchet:text:dominance": "reference",
    "zucchet:fig6-hessian": "reference",
    "zucchet:fig7-sharpness": "reference",
    "zucchet:text:c1-sensitivity-larger": "reference",
    "zucchet:text:one-dimensional-other-inputs": "reference",
    "zucchet:text:one-dimensional-flat": "autodiff",
    "zucchet:text:hessian-large-blocks": "reference",
    "zucchet:text:hessian-concentrated": "sensitivities",
    "zucchet:text:footnote-1": "layer",
    "zucchet:text:more-neurons": "quadrature",
    "zucchet:text:s4-landscape": "autodiff",
    "zucchet:text:input-gate": "step",
    "zucchet:text:non-diagonal": "reference",
    "lru:fig4": "reference",
    "rotrnn:13": "listing",
    "rotrnn:text:stronger-guarantee": "impulse",
    "rotrnn:text:white-inputs": "impulse",
    "rotrnn:text:planar-heads": "layer",
    "rotrnn:text:bidirectional": "sums",
    "rotrnn:listing:glorot": "layer",
    "blur:19": "impulse",
    "blur:20": "impulse",
    "blur:text:causal": "autodiff",
    "blur:text:sketch": "impulse",
    "blur:lemmaA.1": "impulse",
}


def test_a_seal_keeps_the_answer_and_nothing_else():
    claim = sealed(row("lru:4")).claim
    assert claim.statement == find("lru:4").statement
    with pytest.raises(AssertionError, match="reads the answer"):
        _ = claim.expected


class Remembered:
    """A routine that runs once a point, though a row is judged under several forms."""

    values: ClassVar = {}

    def __init__(self, routine):
        self.routine = resolve(routine)

    def __call__(self, **at):
        key = (self.routine, *((name, id(value)) for name, value in at.items()))
        if (
            key not in self.values
        ):  # with what is named by its address, so that it stays
            self.values[key] = at, self.routine(**at)
        return self.values[key][1]


def remembered(entry):
    """The evidence of a row with routes that run once a point."""
    routes = {name: Remembered(route) for name, route in entry.basis.routes.items()}
    return dataclasses.replace(entry.basis, routes=routes)


def measure(entry):
    """Evidence without mutants of the form."""
    return evidence.measure(entry.claim, remembered(entry))


def status(entry):
    """The record of a row with the mutants of its form."""
    entry = sealed(entry)
    judged = evidence.judge(entry.claim, remembered(entry))
    return finish(
        entry, list(judged.results), judged.scores, 0.0, judged.counterexample
    )


def exact(entry):
    """The status of a row by its routes that draw nothing, and an example of a miss."""
    entry, basis = sealed(entry), entry.basis
    if isinstance(basis, Grid):
        case = run.begin(entry)
        if basis.quantity == "ring_law":
            case.results.extend(map(run.ring_map, basis.points))
        else:
            run.deterministic(case)
        return status_of(entry, case.results, Scores()), run.example_of(case)
    if isinstance(basis, Check):
        results = basis.results(entry.claim, 0)
        return status_of(entry, results, Scores()), "the statement fails"
    result = measure(entry)
    return status_of(entry, result.results, Scores()), result.counterexample


def quick(entry):
    """A row without its expensive route."""
    left = EXPENSIVE.get(entry.claim.id)
    if left is None:
        return entry
    routes = {name: it for name, it in entry.basis.routes.items() if name != left}
    return changed(entry, {"routes": routes, "alone": "the other route is expensive"})


@pytest.mark.sampled(200)
@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=key, marks=[pytest.mark.slow] if key in COSTLY else [])
        for key, entry in EXACT.items()
    ],
)
def test_a_row_has_its_status_by_its_exact_routes(entry):
    status, example = exact(quick(entry))
    assert status == entry.claim.expected
    if entry.claim.expected in (Status.REFUTED, Status.CONDITIONAL):
        assert example


def test_a_route_that_is_left_out_is_one_of_several():
    for key, left in EXPENSIVE.items():
        assert left in JUDGED[key].basis.routes
        assert len(JUDGED[key].basis.routes) > 1


# ``test_every_claim_has_its_expected_status`` notices all of them.
SOME = [key for key in JUDGED if key not in COSTLY][::7]


@pytest.mark.parametrize("entry", [JUDGED[key] for key in SOME], ids=SOME)
@pytest.mark.sampled(12)
def test_every_mutant_of_a_row_is_noticed(entry):
    result = status(entry)
    assert result.status == entry.claim.expected
    assert every_mutant_noticed(result)
    if entry.claim.expected in (Status.REFUTED, Status.CONDITIONAL):
        assert result.counterexample


WRONG = [
    entry
    for entry in JUDGED.values()
    if entry.claim.expected == Status.REFUTED
    and (entry.claim.printed or entry.basis.printed is not None)
]


@pytest.mark.parametrize("entry", WRONG, ids=[entry.claim.id for entry in WRONG])
@pytest.mark.sampled(20)
def test_a_right_form_under_a_refuted_row_is_noticed(entry):
    righted = sealed(changed(entry, {"printed": None}, printed=None))
    verdict = status_of(righted, measure(righted).results, Scores())
    assert verdict not in (Status.REFUTED, Status.CONDITIONAL)


def test_no_tolerance_hides_an_error_of_five_percent():
    loose = {key: entry.basis.tolerance for key, entry in JUDGED.items()}
    assert {key: x for key, x in loose.items() if x > 0.03} == {}


SAMPLE = [
    entry
    for entry in JUDGED.values()
    if entry.basis.relation == "="
    and not entry.basis.absolute
    and entry.basis.form != 0
][::7]


@pytest.mark.parametrize("entry", SAMPLE, ids=[entry.claim.id for entry in SAMPLE])
@pytest.mark.sampled(25)
def test_evidence_against_a_form_five_percent_off_is_noticed(entry):
    assert not refuted(times(entry, 1.0))
    doctored = times(entry, 1.05)
    results = measure(doctored).results
    verdict = status_of(doctored, results, Scores())
    assert verdict in (Status.REFUTED, Status.UNDECIDED)
    assert refuted(doctored)


def refuted(entry):
    """Whether a route refutes the true form; the printed one may be wrong anyway."""
    results = measure(entry).results
    return any((r.form, r.verdict) == ("derived", "refuted") for r in results)


def times(entry, factor):
    """A row whose true form is so many times that of this one."""
    known = expression(entry.claim, entry.basis)
    if known is None:
        form = Multiple(entry.basis.form, factor)
        return changed(entry, {"form": form, "proof": None})
    form = factor * known
    return changed(
        entry, {"proof": None}, derive=None, corrected=lambda: form, printed=None
    )


class Multiple:
    """A routine whose value is a multiple of another one's."""

    def __init__(self, routine, factor):
        self.routine, self.factor = resolve(routine), factor

    def __call__(self, **at):
        return self.factor * np.asarray(self.routine(**at), dtype=complex)
