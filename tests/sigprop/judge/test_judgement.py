"""What a run says of numbers that are just right and just wrong.

A simulation whose mean and spread are chosen takes the place of the real one: every word
then has a known cause and costs nothing.  The claims are real ones, on two points.
"""

import dataclasses
import math

import pytest
from scipy.stats import norm
from sympy import I, Integer, Rational

from sigprop.judge import grids, simulate
from sigprop.judge.plans import Reading
from sigprop.judge.results import RouteResult
from sigprop.judge.routes import QUANTITIES
from sigprop.judge.run import verify
from sigprop.judge.simulate import whole_batches
from sigprop.judge.verdict import BETA, judge, plan
from sigprop.neuron.montecarlo import Sums
from sigprop.numerics.points import EigenPoint, PairPoint, exponential
from sigprop.theory.claims import Status
from sigprop.theory.symbols import rho
from tests.rows import changed, row

LONG = grids.LONG
GRID = (
    EigenPoint(0.3, 1.0, exponential(0.5), LONG),
    EigenPoint(0.5, 2.2, exponential(0.9), LONG),
)
PAIRS = (
    PairPoint(0.95, 0.3, exponential(0.5), LONG),
    PairPoint(-0.7, 0.6, exponential(0.5), LONG),
)
KERNEL = changed(row("zucchet:42"), printed=None)
STATE = changed(row("zucchet:48"), {"points": GRID, "headline": True})
PLAIN = changed(STATE, {"headline": False}, id="zucchet:48:plain")
PAIR = changed(row("zucchet:34"), {"points": PAIRS})


def scaled(entry, factor):
    """A row with a derived form that is a factor off, and no printed one."""
    proof = entry.claim.derive()
    return changed(
        entry,
        printed=None,
        derive=lambda: proof.then("a mutant", factor * proof.result),
    )


ROUTES = dict(QUANTITIES)  # as they are, whatever a test puts in their place


def value(reading):
    """What a perfect simulation of a reading would find."""
    return ROUTES[reading.quantity].reference(reading.point, True).real


@pytest.fixture
def simulation(monkeypatch):
    """Say what every simulation finds; gives back the jobs and seeds it was asked for."""

    def say(ratio=1.0, spread=lambda reading: 2.0):
        jobs = []

        def run(job, seed, tick):
            jobs.append((job, seed))
            tick(job.n)
            sums = {}
            for reading in job.readings:
                mean, more = ratio * value(reading), spread(reading) * (job.n - 1)
                second = mean**2 * (job.n + more)
                sums[reading] = Sums(job.n * mean, second, job.n)
            return sums

        monkeypatch.setattr(simulate, "run", run)
        return jobs

    return say


def judged(entry, **how):
    (result,) = verify((entry,), **how).claims
    return result


def verdicts(claim, route, form="derived"):
    return {str(r.verdict) for r in claim.results if (r.route, r.form) == (route, form)}


def simulated(claim) -> list[RouteResult]:
    results = [r for r in claim.results if r.route == "monte_carlo"]
    assert results
    return results


# --- deterministic routes

OFF = {
    "a millionth more": 1 + Rational(1, 10**6),
    "a millionth less": 1 - Rational(1, 10**6),
    "a billionth more": 1 + Rational(1, 10**9),
    "turned by a millionth": 1 + I / 10**6,
    "turned by a right angle": I,
    "nothing": Integer(0),
}


@pytest.mark.parametrize("factor", OFF.values(), ids=OFF)
def test_a_form_that_is_hardly_off_is_refuted_by_every_exact_route(factor):
    result = judged(scaled(KERNEL, factor))
    assert result.status == "refuted"
    assert verdicts(result, "reference") == verdicts(result, "impulse") == {"refuted"}


def test_a_form_that_is_off_by_rounding_alone_is_not_refuted():
    result = judged(scaled(KERNEL, 1 + Rational(1, 10**13)))
    assert verdicts(result, "reference") == verdicts(result, "impulse") == {"confirmed"}


NO_NUMBERS = {
    "nan": complex(math.nan),
    "an infinity": complex(math.inf),
    "a complex nan": complex(1, math.nan),
    "zero": 0j,
}


@pytest.mark.parametrize("bad", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("route", ["impulse", "closed_form"])
def test_a_route_that_gives_no_number_refutes_and_never_confirms(
    route, bad, simulation, monkeypatch
):
    simulation()
    if route == "closed_form":
        bad = bad.real if bad.imag == 0 else math.nan
    changed = {route: lambda *point: bad}
    monkeypatch.setitem(
        QUANTITIES, "state", dataclasses.replace(QUANTITIES["state"], **changed)
    )
    result = judged(STATE)
    assert verdicts(result, route) == {"refuted"}
    assert result.status == "refuted"
    for other in {"reference", "impulse", "closed_form"} - {route}:
        assert verdicts(result, other) == {"confirmed"}


@pytest.mark.parametrize("bad", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_a_reference_that_gives_no_number_is_an_error_of_the_plan(bad, monkeypatch):
    routes = dataclasses.replace(QUANTITIES["state"], reference=lambda *point: bad)
    monkeypatch.setitem(QUANTITIES, "state", routes)
    with pytest.raises(ValueError, match="need a state that is known after 160 steps"):
        judged(STATE)


# --- simulated routes


def test_the_headline_tier_is_judged_at_one_percent(simulation):
    simulation(ratio=1.02)
    run = verify((STATE,), tier="headline")
    assert (run.tier, run.margin) == ("headline", 0.01)
    for claim, margin, verdict in (
        (judged(STATE), 0.05, "confirmed"),
        (run.claims[0], 0.01, "refuted"),
        (judged(PLAIN, tier="headline"), 0.05, "confirmed"),  # no main moment
    ):
        assert verdicts(claim, "monte_carlo") == {verdict}
        for result in simulated(claim):
            assert result.n == whole_batches(plan(margin).n)
            assert result.high - result.low == pytest.approx(
                1.02 * width(result.n), rel=1e-3
            )


def width(n, variance=2.0):
    """Of an interval at the level of a run, by the normal law."""
    return 2 * norm.isf(BETA / 2) * math.sqrt(variance / n)


@pytest.mark.parametrize(
    ("ratio", "verdict"),
    [(0.94, "refuted"), (0.98, "confirmed"), (1.02, "confirmed"), (1.06, "refuted")],
)
def test_the_word_on_a_claim_is_that_of_its_ratio(ratio, verdict, simulation):
    simulation(ratio=ratio)
    claim = judged(STATE)
    assert verdicts(claim, "monte_carlo") == {verdict}
    assert verdicts(claim, "reference") == verdicts(claim, "symbolic") == {"confirmed"}
    assert claim.status == ("proved" if verdict == "confirmed" else "refuted")
    for result in simulated(claim):
        assert result.value == pytest.approx(ratio, rel=1e-6)
        assert result.low < ratio < result.high


@pytest.mark.parametrize(
    ("variance", "verdict"), [(2.4, "confirmed"), (2.6, "inconclusive")]
)
def test_samples_more_dispersed_than_planned_get_no_verdict(
    variance, verdict, simulation
):
    simulation(spread=lambda reading: variance)
    result = judged(STATE)
    assert verdicts(result, "monte_carlo") == {verdict}
    assert result.status == ("proved" if verdict == "confirmed" else "undecided")


@pytest.mark.parametrize(
    ("share", "verdict"), [(0.99, "confirmed"), (1.01, "inconclusive")]
)
@pytest.mark.parametrize("variance", [2.0, 0.3])
@pytest.mark.parametrize("form", [5.0, -5.0])
def test_a_quarter_more_variance_than_planned_is_too_much(
    form, variance, share, verdict
):
    planned = plan(0.05, variance=variance)
    sem = abs(form) * math.sqrt(1.25 * share * variance / planned.n)
    assert judge(form, form, planned, sem).outcome == verdict
    # Nor is a wrong form refuted by such samples.
    expected = "refuted" if verdict == "confirmed" else "inconclusive"
    assert judge(form, 2 * form, planned, sem).outcome == expected


@pytest.mark.parametrize(("share", "frozen"), [(0.9, True), (1.1, False)])
def test_samples_that_differ_by_rounding_alone_are_refused(share, frozen):
    planned = plan(0.05)
    sem = 3.0 * share * 1e-6 / math.sqrt(planned.n)
    if not frozen:
        assert judge(3.0, 3.0, planned, sem).outcome == "confirmed"
        return
    with pytest.raises(ValueError, match="nothing random was simulated"):
        judge(3.0, 3.0, planned, sem)


def pair_variance(reading):
    """``1 + E[x^2] E[y^2] / E[xy]^2``, of two Gaussians with these second moments."""
    point, squares = reading.point, 1.0
    for eigenvalue in (point.alpha, point.beta):
        own = PairPoint(eigenvalue, eigenvalue, point.input, point.steps)
        squares *= value(reading._replace(point=own))
    return 1 + squares / value(reading) ** 2


def test_the_interval_of_a_pair_is_that_of_its_own_variance(simulation):
    simulation(spread=pair_variance)
    claim = judged(PAIR)
    right = [result for result in simulated(claim) if result.form == "derived"]
    assert verdicts(claim, "monte_carlo") == {"confirmed"}
    assert len(right) == len(PAIRS)
    for result, point in zip(right, PAIRS, strict=True):
        variance = pair_variance(Reading("state_pair", point))
        assert variance > 2.5  # that of a single neuron would be too small
        assert result.high - result.low == pytest.approx(
            width(result.n, variance), rel=1e-4
        )
        assert result.n >= plan(0.05, variance=variance).n


def test_the_score_is_that_of_the_plan_of_the_tier(simulation):
    simulation()
    blind = changed(STATE, {"points": GRID[:1], "margin": 0.5})
    quick, headline = (judged(blind, tier=tier) for tier in ("quick", "headline"))
    killed = [claim.killed_formula_mutants for claim in (quick, headline)]
    assert killed[0] < killed[1] <= headline.formula_mutants == quick.formula_mutants
    assert quick.status == "undecided"


def test_the_seed_and_the_sample_size_reach_the_simulation(simulation):
    jobs = simulation()
    claim = judged(STATE, seed=11, samples=100_000)
    assert {seed for _, seed in jobs} == {11}
    assert {result.n for result in simulated(claim)} == {whole_batches(100_000)}


def test_progress_counts_every_row_and_every_trajectory_once(simulation):
    jobs, calls = simulation(), []
    verify(
        (KERNEL, STATE, row("zucchet:75"), row("zucchet:1")),
        progress=lambda *call: calls.append(call),
    )
    sizes = [job.n for job, _ in jobs]
    assert sum(sizes) >= plan(0.05).n
    trajectories = [sum(sizes[: index + 1]) for index in range(len(sizes))]
    assert calls == [
        *(("deriving", done, 2) for done in (0, 1)),
        *(("deterministic routes", done, 2) for done in (0, 1)),
        *(("simulating trajectories", done, sum(sizes)) for done in trajectories),
        *(("checks", done, 2) for done in (1, 2)),
    ]


def test_a_reading_that_two_claims_share_has_the_larger_sample(simulation):
    simulation()
    coarse = changed(PLAIN, {"margin": 0.2})
    for claims in ((coarse, STATE), (STATE, coarse)):
        sizes = {r.n for claim in verify(claims).claims for r in simulated(claim)}
        assert sizes == {whole_batches(plan(0.05).n)}


def test_a_wrong_print_keeps_its_verdicts_apart_from_those_of_the_derived_form(
    simulation,
):
    simulation()
    right = STATE.claim.derive().result
    wrong = changed(
        STATE,
        printed=lambda: Rational(11, 10) * right,
        corrected=lambda: right,
        correction="x",
        expected=Status.REFUTED,
    )
    claim = judged(wrong)
    assert claim.status == "refuted"
    for route in ("reference", "monte_carlo"):
        assert verdicts(claim, route) == {"confirmed"}
        assert verdicts(claim, route, "printed") == {"refuted"}
    for result in claim.results:
        if result.form == "printed" and result.route != "symbolic":
            assert result.value == pytest.approx(1 / 1.1, rel=1e-6)
    verdicts_by_form = {(r.point, str(r.verdict), r.form) for r in claim.results}
    assert ("printed form, all parameters", "refuted", "printed") in verdicts_by_form
    assert (
        "corrected form, all parameters",
        "confirmed",
        "derived",
    ) in verdicts_by_form


def test_a_print_that_simulation_does_not_tell_apart_is_not_refuted(simulation):
    simulation()
    right = STATE.claim.derive().result
    wrong = changed(
        STATE, printed=lambda: (1 + Rational(1, 100)) * right, expected=Status.REFUTED
    )
    result = judged(wrong)
    assert verdicts(result, "monte_carlo", "printed") == {"confirmed"}
    assert result.status == "undecided"


def test_the_counterexample_is_where_the_print_misses_most(simulation):
    simulation()
    right = STATE.claim.derive().result
    wrong = changed(STATE, printed=lambda: (1 + rho) * right, expected=Status.REFUTED)
    truth = value(Reading("state", GRID[1]))
    assert judged(wrong).counterexample == (
        f"At {GRID[1]}: printed {1.9 * truth:.6g}, true {truth:.6g} by stable closed "
        "form. The relative error at 2 of 2 points is between 0.5 and 0.9."
    )
