"""What a run is asked for reaches what does the work: seeds, margins, tiers, options.

The work itself is replaced by a note of how it was called, or made small.
"""

import dataclasses
import json
from concurrent.futures import Future

import jax.numpy as jnp
import numpy as np
import pytest
from typer.testing import CliRunner

import sigprop.judge.run
from sigprop.cli import console
from sigprop.cli import main as cli
from sigprop.judge import parallel as checking
from sigprop.judge.basis import Check, Grid, Row
from sigprop.judge.mutants import Score, Scores
from sigprop.judge.plans import make_plans, margin_of, score
from sigprop.judge.results import RouteResult, Run
from sigprop.judge.statuses import finish
from sigprop.judge.verdict import distance_plan
from sigprop.ledger.entries import VALUELESS
from sigprop.neuron import ring
from sigprop.numerics.points import RingPoint
from sigprop.theory.claims import find, select
from tests.rows import changed, row

LAW = changed(row("lru:lemma3.2"), {"points": (RingPoint(0.3, 0.9),)})
EDGE = find("zucchet:text:divergence")


# --- checks, here and in a second process


@pytest.fixture
def recorded_check():
    """Rows whose check draws nothing, by id; and what it was called with."""
    calls = []

    def check(claim, seed):
        calls.append((claim.id, seed))
        return tuple(
            RouteResult(
                route, "here", 1.0, 1.0, 1.0, verdict, form, inside=form == "derived"
            )
            for route, verdict, form in (
                ("reference", "confirmed", "derived"),
                ("closed_form", "confirmed", "derived"),
                ("reference", "refuted", "printed"),
            )
        )

    checked = Check(check, lambda claim: Score(5, ()), ("reference", "closed_form"))
    return lambda claim_id: Row(dataclasses.replace(EDGE, id=claim_id), checked), calls


def test_a_check_gets_the_seed_of_the_run_and_its_record_says_where_it_fails(
    recorded_check,
):
    find_row, calls = recorded_check
    (result,) = sigprop.judge.run.verify((find_row("zucchet:74"),), seed=41).claims
    assert calls == [("zucchet:74", 41)]
    assert result.counterexample == "At here the statement fails."
    assert (result.status, result.formula_mutants) == ("conditional", 5)
    assert result.killed_formula_mutants == 5


class Here:
    """A pool of processes that works in this one, when a result is asked for."""

    def __init__(self, *arguments, **more):
        self.waiting = []

    def __enter__(self):
        return self

    def __exit__(self, *error):
        return None

    def submit(self, work, *arguments):
        future = Future()
        future.result = lambda timeout=None: work(*arguments)
        self.waiting.append(future)
        return future

    def shutdown(self, **how):
        return None


@pytest.mark.parametrize("running", [0, 2, 3])
def test_two_processes_judge_every_claim_once_with_the_seed_of_the_run(
    running, recorded_check, monkeypatch
):
    """However many chunks of claims the other one has already begun."""
    ids = [f"zucchet:74:{number}" for number in range(3 * checking.CHUNK - 1)]
    find_row, called_with = recorded_check
    monkeypatch.setattr(checking, "ProcessPoolExecutor", Here)
    stages, let_go = {}, []
    monkeypatch.setattr(checking, "let_go", lambda: let_go.append(len(called_with)))

    def progress(stage, done, total):
        stages[stage] = (done, total)

    submit = Here.submit

    def begun(self, work, *arguments):
        future = submit(self, work, *arguments)
        if len(self.waiting) <= running:
            future.set_running_or_notify_cancel()
        return future

    monkeypatch.setattr(Here, "submit", begun)
    claims = sigprop.judge.run.verify(
        tuple(map(find_row, ids)), seed=43, again=find_row, progress=progress
    ).claims
    assert [claim.id for claim in claims] == ids
    assert sorted(called_with) == sorted((claim_id, 43) for claim_id in ids)
    assert stages["checks"] == (len(ids), len(ids))
    # Each process asks before a chunk, of which the last is the short one.
    done = [0, 3, 7] if running < 3 else [0, 4, 8]
    assert let_go == done


# --- the sampler's law


def judged_law(**how):
    (claim,) = sigprop.judge.run.verify((LAW,), **how).claims
    return {r.point.rpartition(", ")[2]: r for r in claim.results if r.n}, claim


def test_the_law_of_the_ring_is_judged_at_its_own_margin_and_moves_with_the_seed():
    results, claim = judged_law(seed=5)
    assert claim.status == "proved"
    planned = distance_plan(LAW.basis.margin)
    assert {r.n for r in results.values()} == {planned.n}
    assert LAW.basis.margin == 0.01
    moved, _ = judged_law(seed=6)
    assert {*results} == {*moved}
    assert all(results[name].value != moved[name].value for name in results)


def test_the_score_of_the_law_is_that_of_its_own_margin():
    form, grid = LAW.claim.derive().result, LAW.basis
    full = score(grid, form, {})
    blind = score(dataclasses.replace(grid, margin=0.9), form, {})
    assert full.survivors == ()
    assert blind.survivors
    assert make_plans(grid, form, {}, "quick") == {}


WRONG_RINGS = {
    "radius": lambda first, second: (first**1.1, second),
    "phase": lambda first, second: (first, second**1.1),
    "sum": lambda first, second: (first, 1 - first),
    "difference": lambda first, second: (first, first),  # one key for both
}


@pytest.mark.parametrize("name", WRONG_RINGS)
def test_a_sampler_of_another_law_is_refuted_by_the_view_that_shows_it(
    name, monkeypatch
):
    def sample(key, n, inner, outer, dtype):
        uniform = np.random.default_rng().uniform(size=(2, n))
        first, second = WRONG_RINGS[name](*uniform)
        nu, theta = ring.ring_polar(
            jnp.asarray(first), jnp.asarray(second), inner, outer
        )
        return jnp.exp(-nu + 1j * theta)

    monkeypatch.setattr(ring, "sample_ring", sample)
    results, claim = judged_law()
    assert claim.status == "refuted"
    assert results[name].verdict == "refuted"


def test_a_map_to_another_radius_is_refuted_without_drawing(monkeypatch):
    right = ring.ring_polar

    def moved(first, second, inner, outer):
        nu, theta = right(first, second, inner, outer)
        return nu * (1 + 1e-6), theta

    monkeypatch.setattr(sigprop.judge.run.ring, "ring_polar", moved)
    _, claim = judged_law()
    verdicts = {str(r.verdict) for r in claim.results if r.route == "reference"}
    assert verdicts == {"refuted"}


# --- the command line


@pytest.fixture
def called(monkeypatch):
    """How the command line asked for a run; what it gets has one surprise."""
    import sigprop.numerics.devices

    call = {}
    use = sigprop.numerics.devices.use_device

    def on(device):
        call["device"] = device
        return use(device)

    def verify(rows, **how):
        call.update(how, claims=tuple(entry.claim.id for entry in rows))
        results = tuple(
            dataclasses.replace(
                finish(entry, [], Scores(), 0.0), status=str(entry.claim.expected)
            )
            for entry in rows
        )
        if call.get("surprise"):
            results = (
                dataclasses.replace(results[0], status="undecided"),
                *results[1:],
            )
        return Run(
            results, how["tier"], 0.05, 1e-6, 1e-7, how["seed"], "cpu", "float64",
            {"sigprop": "9"}, 1.0,
        )  # fmt: skip

    monkeypatch.setattr(sigprop.judge.run, "verify", verify)
    monkeypatch.setattr(sigprop.numerics.devices, "use_device", on)
    return call


def run(*arguments):
    return CliRunner().invoke(cli.app, [str(part) for part in arguments])


def test_every_option_of_verify_reaches_the_run(called, tmp_path):
    path = tmp_path / "rows.json"
    options = ("--tier", "headline", "--seed", 7, "--samples", 90_000)
    result = run("verify", "--claim", "zucchet:1", "--claim", "lru:4", *options,
               "--json", path)  # fmt: skip
    assert result.exit_code == console.EXPECTED, result.output
    assert called["claims"] == ("zucchet:1", "lru:4")
    assert (called["tier"], called["seed"], called["samples"]) == (
        "headline",
        7,
        90_000,
    )
    assert (called["again"], called["device"]) == (row, "cpu")
    assert [row["id"] for row in json.loads(path.read_text())] == ["zucchet:1", "lru:4"]
    assert run("verify", "--paper", "rotrnn").exit_code == console.EXPECTED
    assert called["claims"] == tuple(claim.id for claim in select("rotrnn"))


def test_the_headline_tier_judges_main_moments_alone_unless_a_claim_is_named(called):
    assert run("verify", "--tier", "headline").exit_code == console.EXPECTED
    bases = {claim.id: row(claim.id).basis for claim in select()}
    closer = {
        name
        for name, basis in bases.items()
        if (isinstance(basis, Grid) and margin_of(basis, "headline") < basis.margin)
        or (isinstance(basis, Check) and basis.of_tier("headline") != basis.results)
    }
    assert {"zucchet:48", "lru:prop3.3", "sigprop:memories"} < closer
    assert set(called["claims"]) == closer
    result = run("verify", "--tier", "headline", "--paper", "lru")
    assert result.exit_code == console.EXPECTED
    assert called["claims"] == ("lru:prop3.3",)
    result = run("verify", "--tier", "headline", "--paper", "rotrnn")
    assert result.exit_code == console.BAD_INPUT
    assert "need rows of main moments for the headline tier, got none" in result.stderr


def test_a_surprise_ends_verify_and_ledger_with_one(called):
    for command in (("verify", "--paper", "rotrnn"), ("ledger", "--paper", "rotrnn")):
        called["surprise"] = False
        assert run(*command).exit_code == console.EXPECTED
        called["surprise"] = True
        assert run(*command).exit_code == console.UNEXPECTED


def test_the_ledger_counts_every_row_and_shows_those_of_the_status(called, tmp_path):
    rows, site = tmp_path / "rows.json", tmp_path / "site"
    called["surprise"] = True  # among the definitions, which are not shown
    result = run("ledger", "--paper", "zucchet", "--status", "refuted", "--seed", 3,
               "--json", rows, "--html", site)  # fmt: skip
    assert result.exit_code == console.UNEXPECTED
    assert (called["tier"], called["seed"]) == ("quick", 3)
    wanted = [claim.id for claim in select("zucchet") if claim.expected == "refuted"]
    assert [row["id"] for row in json.loads(rows.read_text())] == wanted
    assert len(list(site.glob("zucchet-*.html"))) == len(wanted)
    valued = sum(claim.expected not in VALUELESS for claim in select("zucchet"))
    # The surprising definition is undecided, so it counts.
    assert f"{valued} of {valued + 1} verdicts are as expected" in result.output
    assert f"{len(wanted)} refuted" in result.output
