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


def scaled(one, factor):
    """A row with a derived form that is a factor off, and no printed one."""
    proof = one.claim.derive()
    return changed(
        one, printed=None, derive=lambda: proof.then("a mutant", factor * proof.result)
    )


ROUTES = dict(QUANTITIES)  # as they are, whatever a test puts in their place


def value(reading):
    """What a perfect simulation of a reading would find."""
    return ROUTES[reading.quantity].reference(reading.point, True).real


@pytest.fixture
def drawn(monkeypatch):
    """Say what every simulation finds; gives back the jobs and seeds it was asked for."""

    def say(ratio=1.0, spread=lambda reading: 2.0):
        asked = []

        def run(job, seed, tick):
            asked.append((job, seed))
            tick(job.n)
            found = {}
            for reading in job.readings:
                mean, more = ratio * value(reading), spread(reading) * (job.n - 1)
                second = mean**2 * (job.n + more)
                found[reading] = Sums(job.n * mean, second, job.n)
            return found

        monkeypatch.setattr(simulate, "run", run)
        return asked

    return say


def judged(one, **how):
    (found,) = verify((one,), **how).claims
    return found


def words(claim, route, form="derived"):
    return {str(r.verdict) for r in claim.results if (r.route, r.form) == (route, form)}


def simulated(claim) -> list[RouteResult]:
    found = [r for r in claim.results if r.route == "monte_carlo"]
    assert found
    return found


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
    found = judged(scaled(KERNEL, factor))
    assert found.status == "refuted"
    assert words(found, "reference") == words(found, "impulse") == {"refuted"}


def test_a_form_that_is_off_by_rounding_alone_is_not_refuted():
    found = judged(scaled(KERNEL, 1 + Rational(1, 10**13)))
    assert words(found, "reference") == words(found, "impulse") == {"confirmed"}


NO_NUMBERS = {
    "nan": complex(math.nan),
    "an infinity": complex(math.inf),
    "a complex nan": complex(1, math.nan),
    "zero": 0j,
}


@pytest.mark.parametrize("bad", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("route", ["impulse", "closed_form"])
def test_a_route_that_gives_no_number_refutes_and_never_confirms(
    route, bad, drawn, monkeypatch
):
    drawn()
    if route == "closed_form":
        bad = bad.real if bad.imag == 0 else math.nan
    changed = {route: lambda *point: bad}
    monkeypatch.setitem(
        QUANTITIES, "state", dataclasses.replace(QUANTITIES["state"], **changed)
    )
    found = judged(STATE)
    assert words(found, route) == {"refuted"}
    assert found.status == "refuted"
    for other in {"reference", "impulse", "closed_form"} - {route}:
        assert words(found, other) == {"confirmed"}


@pytest.mark.parametrize("bad", NO_NUMBERS.values(), ids=NO_NUMBERS)
def test_a_reference_that_gives_no_number_is_an_error_of_the_plan(bad, monkeypatch):
    routes = dataclasses.replace(QUANTITIES["state"], reference=lambda *point: bad)
    monkeypatch.setitem(QUANTITIES, "state", routes)
    with pytest.raises(ValueError, match="need a state that is known after 160 steps"):
        judged(STATE)


# --- simulated routes


def test_the_headline_tier_is_judged_at_one_percent(drawn):
    drawn(ratio=1.02)
    run = verify((STATE,), tier="headline")
    assert (run.tier, run.margin) == ("headline", 0.01)
    for found, margin, word in (
        (judged(STATE), 0.05, "confirmed"),
        (run.claims[0], 0.01, "refuted"),
        (judged(PLAIN, tier="headline"), 0.05, "confirmed"),  # no main moment
    ):
        assert words(found, "monte_carlo") == {word}
        for one in simulated(found):
            assert one.n == whole_batches(plan(margin).n)
            assert one.high - one.low == pytest.approx(1.02 * width(one.n), rel=1e-3)


def width(n, variance=2.0):
    """Of an interval at the level of a run, by the normal law."""
    return 2 * norm.isf(BETA / 2) * math.sqrt(variance / n)


@pytest.mark.parametrize(
    ("ratio", "word"),
    [(0.94, "refuted"), (0.98, "confirmed"), (1.02, "confirmed"), (1.06, "refuted")],
)
def test_the_word_on_a_claim_is_that_of_its_ratio(ratio, word, drawn):
    drawn(ratio=ratio)
    found = judged(STATE)
    assert words(found, "monte_carlo") == {word}
    assert words(found, "reference") == words(found, "symbolic") == {"confirmed"}
    assert found.status == ("proved" if word == "confirmed" else "refuted")
    for one in simulated(found):
        assert one.value == pytest.approx(ratio, rel=1e-6)
        assert one.low < ratio < one.high


@pytest.mark.parametrize(
    ("variance", "word"), [(2.4, "confirmed"), (2.6, "inconclusive")]
)
def test_samples_more_dispersed_than_planned_get_no_verdict(variance, word, drawn):
    drawn(spread=lambda reading: variance)
    found = judged(STATE)
    assert words(found, "monte_carlo") == {word}
    assert found.status == ("proved" if word == "confirmed" else "undecided")


@pytest.mark.parametrize(
    ("share", "word"), [(0.99, "confirmed"), (1.01, "inconclusive")]
)
@pytest.mark.parametrize("variance", [2.0, 0.3])
@pytest.mark.parametrize("form", [5.0, -5.0])
def test_a_quarter_more_variance_than_planned_is_too_much(form, variance, share, word):
    planned = plan(0.05, variance=variance)
    sem = abs(form) * math.sqrt(1.25 * share * variance / planned.n)
    assert judge(form, form, planned, sem).outcome == word
    # Nor is a wrong form refuted by such samples.
    expected = "refuted" if word == "confirmed" else "inconclusive"
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
    for one in (point.alpha, point.beta):
        own = PairPoint(one, one, point.input, point.steps)
        squares *= value(reading._replace(point=own))
    return 1 + squares / value(reading) ** 2


def test_the_interval_of_a_pair_is_that_of_its_own_variance(drawn):
    drawn(spread=pair_variance)
    found = judged(PAIR)
    right = [one for one in simulated(found) if one.form == "derived"]
    assert words(found, "monte_carlo") == {"confirmed"}
    assert len(right) == len(PAIRS)
    for one, point in zip(right, PAIRS, strict=True):
        variance = pair_variance(Reading("state_pair", point))
        assert variance > 2.5  # that of a single neuron would be too small
        assert one.high - one.low == pytest.approx(width(one.n, variance), rel=1e-4)
        assert one.n >= plan(0.05, variance=variance).n


def test_the_score_is_that_of_the_plan_of_the_tier(drawn):
    drawn()
    blind = changed(STATE, {"points": GRID[:1], "margin": 0.5})
    quick, headline = (judged(blind, tier=tier) for tier in ("quick", "headline"))
    killed = [one.killed_formula_mutants for one in (quick, headline)]
    assert killed[0] < killed[1] <= headline.formula_mutants == quick.formula_mutants
    assert quick.status == "undecided"


def test_the_seed_and_the_sample_size_reach_the_simulation(drawn):
    asked = drawn()
    found = judged(STATE, seed=11, samples=100_000)
    assert {seed for _, seed in asked} == {11}
    assert {one.n for one in simulated(found)} == {whole_batches(100_000)}


def test_progress_counts_every_row_and_every_trajectory_once(drawn):
    asked, calls = drawn(), []
    verify(
        (KERNEL, STATE, row("zucchet:75"), row("zucchet:1")),
        progress=lambda *call: calls.append(call),
    )
    sizes = [job.n for job, _ in asked]
    assert sum(sizes) >= plan(0.05).n
    trajectories = [sum(sizes[: place + 1]) for place in range(len(sizes))]
    assert calls == [
        *(("deriving", done, 2) for done in (0, 1)),
        *(("deterministic routes", done, 2) for done in (0, 1)),
        *(("simulating trajectories", done, sum(sizes)) for done in trajectories),
        *(("checks", done, 2) for done in (1, 2)),
    ]


def test_a_reading_that_two_claims_share_has_the_larger_sample(drawn):
    drawn()
    coarse = changed(PLAIN, {"margin": 0.2})
    for claims in ((coarse, STATE), (STATE, coarse)):
        sizes = {r.n for one in verify(claims).claims for r in simulated(one)}
        assert sizes == {whole_batches(plan(0.05).n)}


def test_a_wrong_print_keeps_its_verdicts_apart_from_those_of_the_derived_form(drawn):
    drawn()
    right = STATE.claim.derive().result
    wrong = changed(
        STATE,
        printed=lambda: Rational(11, 10) * right,
        corrected=lambda: right,
        correction="x",
        expected=Status.REFUTED,
    )
    found = judged(wrong)
    assert found.status == "refuted"
    for route in ("reference", "monte_carlo"):
        assert words(found, route) == {"confirmed"}
        assert words(found, route, "printed") == {"refuted"}
    for one in found.results:
        if one.form == "printed" and one.route != "symbolic":
            assert one.value == pytest.approx(1 / 1.1, rel=1e-6)
    said = {(r.point, str(r.verdict), r.form) for r in found.results}
    assert ("printed form, all parameters", "refuted", "printed") in said
    assert ("corrected form, all parameters", "confirmed", "derived") in said


def test_a_print_that_simulation_does_not_tell_apart_is_not_refuted(drawn):
    drawn()
    right = STATE.claim.derive().result
    wrong = changed(
        STATE, printed=lambda: (1 + Rational(1, 100)) * right, expected=Status.REFUTED
    )
    found = judged(wrong)
    assert words(found, "monte_carlo", "printed") == {"confirmed"}
    assert found.status == "undecided"


def test_the_counterexample_is_where_the_print_misses_most(drawn):
    drawn()
    right = STATE.claim.derive().result
    wrong = changed(STATE, printed=lambda: (1 + rho) * right, expected=Status.REFUTED)
    truth = value(Reading("state", GRID[1]))
    assert judged(wrong).counterexample == (
        f"At {GRID[1]}: printed {1.9 * truth:.6g}, derived {truth:.6g}. The relative "
        "error at 2 of 2 points is between 0.5 and 0.9."
    )
