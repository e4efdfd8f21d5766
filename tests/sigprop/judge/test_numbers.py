"""Numbers of the judge that nobody else looks at: forecasts, bounds, tiers."""

import dataclasses
import json

import numpy as np
import pytest

import sigprop.judge.run
from sigprop.judge import forecast, mutants
from sigprop.judge import parallel as checking
from sigprop.judge.basis import Check, Row
from sigprop.judge.forecast import Forecast
from sigprop.judge.mutants import Score
from sigprop.judge.plans import Reading, make_plans
from sigprop.judge.results import RouteResult
from sigprop.judge.simulate import BATCH, Job, whole_batches
from sigprop.judge.verdict import Plan
from sigprop.numerics.points import WHITE, EigenPoint
from sigprop.theory.claims import find
from sigprop.theory.mutants import Mutant
from sigprop.theory.symbols import lam
from tests.command import sigprop as command
from tests.rows import row
from tests.sigprop.judge.test_wiring import Here

# --- the tier of a run, in both processes


def of_tier(tier):
    """A check that leaves its tier and its seed in the record."""

    def results(claim, seed):
        return tuple(
            RouteResult(route, f"{tier}, seed {seed}", 1.0, 1.0, 1.0, "confirmed", n=9)
            for route in ("reference", "closed_form")
        )

    return results


CHECK = Check(
    of_tier("quick"),
    lambda claim: Score(5, ()),
    ("reference", "closed_form"),
    headline=of_tier("headline"),
)
CLAIMS = ("zucchet:42", "zucchet:74", "zucchet:75", "lru:4", "lru:8", "rotrnn:11",
          "blur:14", "zucchet:1", "zucchet:5")  # fmt: skip


@pytest.mark.parametrize("tier", ["quick", "headline"])
def test_both_processes_judge_at_the_tier_and_the_seed_of_the_command(
    tier, monkeypatch
):
    """The first of three chunks of rows goes to the second process."""
    there = []
    submit = Here.submit

    def begun(self, work, *arguments):
        future = submit(self, work, *arguments)
        if len(self.waiting) == 1:
            future.set_running_or_notify_cancel()
            there.extend(arguments[0])
        return future

    monkeypatch.setattr(Here, "submit", begun)
    monkeypatch.setattr(checking, "ProcessPoolExecutor", Here)
    monkeypatch.setattr(
        "sigprop.experiments.rows.row", lambda claim_id: Row(find(claim_id), CHECK)
    )
    options = [part for claim in CLAIMS for part in ("--claim", claim)]
    result = command("verify", *options, "--tier", tier, "--seed", 7, "--json", "-")
    assert result.exception is None or isinstance(result.exception, SystemExit), (
        result.output
    )
    points = {
        entry["id"]: {result["point"] for result in entry["results"]}
        for entry in json.loads(result.stdout)
    }
    assert points == {key: {f"{tier}, seed 7"} for key in CLAIMS}
    assert len(there) == checking.CHUNK
    assert f"Tier {tier}, seed 7," in result.stderr


# --- what a run will take


@pytest.fixture
def trials(monkeypatch):
    """Two jobs and what each would take: they run one after the other."""
    takes = {2048: Forecast(10, 2.0, 5.0), 4096: Forecast(20, 3.0, 4.0)}
    readings = {}

    def jobs(needed):
        readings.update(needed)
        return [Job(None, WHITE, (), n) for n in takes]

    def trial(work, batch, n):
        assert batch == BATCH
        return takes[n]

    monkeypatch.setattr(forecast, "jobs", jobs)
    monkeypatch.setattr(forecast, "trial", trial)
    return readings


@pytest.mark.parametrize("seeds", [1, 3])
def test_times_of_jobs_and_seeds_add_up_and_their_memory_does_not(trials, seeds):
    total = forecast.of_rows([], "quick", None, seeds)
    assert total == Forecast(30 * seeds, 5.0 * seeds, 5.0)


@pytest.mark.parametrize("tier", ["quick", "headline"])
@pytest.mark.parametrize("samples", [None, 3_000_000])
def test_a_forecast_is_of_the_largest_plan_of_each_reading(trials, tier, samples):
    rows = [row("zucchet:59"), row("zucchet:42"), row("zucchet:75"), row("zucchet:48")]
    forecast.of_rows(rows, tier, samples)
    wanted = {}
    for entry in (rows[0], rows[3]):
        plans = make_plans(entry.basis, entry.claim.derive().result, {}, tier, samples)
        for point, planned in plans.items():
            reading = Reading(entry.basis.quantity, point)
            wanted[reading] = max(wanted.get(reading, 0), planned.n)
    assert trials == wanted
    assert samples is None or {*wanted.values()} == {samples}


def test_a_trial_is_of_whole_batches():
    assert [whole_batches(n) for n in (1, BATCH, BATCH + 1)] == [
        BATCH,
        BATCH,
        2 * BATCH,
    ]


@pytest.mark.parametrize(
    ("seconds", "duration"),
    [
        (1.4, "1 s"), (119, "119 s"), (120, "2 minutes"), (7_199, "120 minutes"),
        (7_200, "2 hours"), (172_800, "2 days"), (2 * 365.25 * 86_400, "2 years"),
    ],
)  # fmt: skip
def test_a_forecast_is_told_in_the_largest_unit_of_which_there_are_two(
    seconds, duration
):
    text = str(Forecast(1_234_567, seconds, 3 * 2.0**30))
    assert text == f"1.23e+06 trajectories, an expected {duration} and 3 GiB"


# --- which mutants a plan notices


def test_a_mutant_survives_within_the_detectable_ratios_of_its_plan(monkeypatch):
    """Mutants whose ratios stand on either side of each bound, and far from others."""
    plan = Plan(4_000, 0.5)
    low, high = plan.detectable
    assert low < 1 - 1e-3 < 1 + 1e-3 < high
    form, point = 1 / (1 - lam), EigenPoint(0.3, 0.0, WHITE, 1024)
    ratios = {
        "below": low * 0.999, "just above low": low * 1.001, "just below high": high * 0.999,
        "above": high * 1.001,
    }  # fmt: skip
    planted = [Mutant(name, form / ratio) for name, ratio in ratios.items()]
    monkeypatch.setattr(mutants, "mutants_of", lambda expr: planted)
    outcome = mutants.score_ratio.__wrapped__(form, (point,), (plan,))
    assert (outcome.total, outcome.survivors) == (
        4,
        ("just above low", "just below high"),
    )
    assert outcome.killed == 2
    # Confirmed is less than not refuted: these bounds are other ones.
    assert not np.isclose(plan.acceptance, plan.detectable, rtol=2e-3).any()


def test_the_record_of_a_run_is_that_of_its_arguments():
    entry = Row(dataclasses.replace(find("zucchet:42")), CHECK)
    for tier, margin in (("quick", 0.05), ("headline", 0.01)):
        run = sigprop.judge.run.verify([entry], tier=tier, seed=9)
        assert (run.tier, run.margin, run.seed, run.dtype) == (
            tier,
            margin,
            9,
            "float64",
        )
