"""The simulated words at fresh seeds: right ones are told from wrong ones, and counted."""

import dataclasses
import functools

import numpy as np
import pytest

from sigprop.evidence import fresh
from sigprop.evidence.fresh import Answer, answers, grid_answers, gridded, parts
from sigprop.judge import grids
from sigprop.judge import run as verify
from sigprop.judge.basis import Check, Row
from sigprop.judge.plans import Reading
from sigprop.judge.results import RouteResult
from sigprop.judge.routes import QUANTITIES, reach
from sigprop.judge.run import prepare, statistical
from sigprop.judge.verdict import plan
from sigprop.neuron.montecarlo import Sums
from sigprop.numerics.points import CONSTANT, WHITE, EigenPoint, PairPoint, RingPoint
from sigprop.theory.claims import registry
from tests.kept import let_go
from tests.programs import beside as beside
from tests.rows import changed, row, rows
from tests.seeds import RUN, fresh_seeds

EDGE = EigenPoint(
    0.05, 0.3, CONSTANT, grids.LONG
)  # of all, the farthest from its limit


def wrong(all_answers):
    return [(each.claim, each.result) for each in all_answers if each.wrong]


def partial_sums(lam, steps):
    """The constant input's sensitivity after some steps, as its sum over ages."""
    ages = np.arange(steps)
    return abs(np.sum(ages * lam ** np.maximum(ages - 1, 0))) ** 2


def test_a_stationary_moment_is_carried_to_the_steps_that_are_simulated():
    lam = 0.95 * np.exp(0.3j)
    share = partial_sums(lam, grids.LONG) / partial_sums(lam, 5000)
    assert abs(share - 1) > 0.02
    assert reach("sensitivity", EDGE) == pytest.approx(share, rel=1e-9)


def test_a_verdict_compares_the_mean_with_the_carried_form():
    case = prepare(row("zucchet:61"), "quick")
    lam = 0.95 * np.exp(0.3j)
    mean = partial_sums(lam, grids.LONG)  # what an endless sample would average to
    n = case.plans[EDGE].n
    sums = Sums(np.array(n * mean), np.array(3 * n * mean**2), n)
    case = dataclasses.replace(case, plans={EDGE: case.plans[EDGE]}, results=[])
    statistical(case, {Reading("sensitivity", EDGE): sums})
    (result,) = case.results
    assert result.verdict == "confirmed"
    assert result.value == pytest.approx(1, abs=1e-9)


def test_a_form_of_finite_time_is_not_carried_again():
    case = prepare(row("lru:6"), "quick")
    assert set(case.shares.values()) == {1.0}


@pytest.mark.parametrize(
    ("quantity", "point"),
    [
        ("state", EigenPoint(0.3, 0.4, WHITE, 6)),
        ("state_pair", PairPoint(0.8, 0.5, WHITE, 6)),
        ("backward", EigenPoint(0.3, 0.4, WHITE, 6)),
        ("ring_gain", RingPoint(0.6, 0.8, WHITE, 6)),
    ],
)
def test_the_share_of_few_steps_is_that_of_their_kernels(quantity, point):
    if isinstance(point, EigenPoint):
        expected = 1 - 0.7**12
    elif isinstance(point, PairPoint):
        expected = 1 - 0.4**6
    else:  # the mean over the area of sums of |lambda|^2n over ages
        squares = np.linspace(0.36, 0.64, 200_001)
        expected = np.mean((1 - squares**6) / (1 - squares)) / np.mean(
            1 / (1 - squares)
        )
    assert reach(quantity, point) == pytest.approx(expected, rel=1e-4)


def test_a_point_without_a_limit_is_an_error_of_the_plan(monkeypatch):
    endless = dataclasses.replace(
        QUANTITIES["state"], reference=lambda point, finite: 1.0 if finite else np.nan
    )
    monkeypatch.setitem(QUANTITIES, "state", endless)
    with pytest.raises(ValueError, match="need a state that is known after 160 steps"):
        prepare(row("zucchet:5"), "quick")


def test_a_limit_that_is_not_reached_is_an_error_of_the_plan():
    thick = RingPoint(0.94, 0.95, WHITE, grids.LONG)
    thickened = changed(row("lru:5"), {"points": (thick,)})
    with pytest.raises(ValueError, match=r"a hundredth of the margin, got 9\.7e-02"):
        prepare(thickened, "quick")


def answer(verdict, form="derived", point="here"):
    return RouteResult("monte_carlo", point, 1.0, 0.9, 1.1, verdict, form, 10)


@pytest.mark.parametrize(
    ("error", "verdict", "bad"),
    [
        *((error, "inconclusive", False) for error in (0, 0.01, 0.3)),
        (0.0, "confirmed", False),
        (0.0, "refuted", True),
        (0.01, "confirmed", False),
        (0.01, "refuted", False),
        (0.3, "confirmed", True),
        (0.3, "refuted", False),
    ],
)
def test_a_wrong_print_may_be_confirmed_only_within_the_margin(error, verdict, bad):
    case = prepare(row("zucchet:60"), "quick")
    point = case.grid.points[0]
    case = dataclasses.replace(case, wrong={point: (1 + error) * case.truths[point]})
    assert fresh._is_wrong(case, answer(verdict, "printed", str(point))) == bad


@pytest.mark.parametrize("verdict", ["confirmed", "refuted", "inconclusive"])
def test_a_right_form_has_to_be_confirmed(verdict):
    case = prepare(row("zucchet:60"), "quick")
    assert fresh._is_wrong(case, answer(verdict)) == (verdict != "confirmed")


@pytest.fixture
def models_afresh():
    """Nothing remembered of the rows that a test replaces, before it and after it."""
    fresh._models.cache_clear()
    yield
    fresh._models.cache_clear()


@pytest.mark.usefixtures("models_afresh")
def test_a_check_that_does_not_confirm_is_wrong(monkeypatch):
    def check(claim, seed):
        assert (claim.id, seed) == ("lru:thm3.1", 7)
        return tuple(answer(v) for v in ("confirmed", "refuted", "inconclusive"))

    checked = Check(check, lambda claim: None, ("monte_carlo",))
    monkeypatch.setattr(
        fresh, "row", lambda claim_id: Row(row(claim_id).claim, checked)
    )
    all_answers = answers("lru:thm3.1", 7)
    assert [each.wrong for each in all_answers] == [False, True, True]


@pytest.mark.usefixtures("models_afresh")
def test_a_deterministic_route_is_no_simulated_word(monkeypatch):
    exact = dataclasses.replace(answer("refuted"), route="impulse")
    checked = Check(lambda claim, seed: (exact,), lambda claim: None, ("monte_carlo",))
    monkeypatch.setattr(
        fresh, "row", lambda claim_id: Row(row(claim_id).claim, checked)
    )
    assert answers("lru:thm3.1", 7) == []


def test_an_unknown_part_is_refused():
    with pytest.raises(
        ValueError, match=r"need a part in grids, lru:thm3\.1, .*'lru:1'"
    ):
        answers("lru:1", 1)


@functools.cache
def judged(claim_id, seed):
    """What the check of a claim gives, once for all tests."""
    entry = rows()[claim_id]
    return tuple(entry.basis.results(entry.claim, seed))


def test_every_claim_that_may_draw_is_in_a_part():
    checks = {
        key: entry for key, entry in rows().items() if isinstance(entry.basis, Check)
    }
    exact = checks.keys() - {part.partition(", ")[0] for part in parts()}
    assert exact
    for key in exact:
        for seed in (1, 2):
            routes = {r.route for r in judged(key, seed)} & set(fresh.DRAWN)
            assert not routes or fresh.stored(key), key
    assert set(filter(gridded, registry())) >= {
        *(
            "zucchet:61",
            "lru:5",
            "lru:prop3.3",
            "zucchet:7",
            "zucchet:34",
            "lru:lemma3.2",
        )
    }


def test_what_stored_results_decide_draws_nothing():
    checks = {
        key: entry for key, entry in rows().items() if isinstance(entry.basis, Check)
    }
    stored = [key for key in checks if fresh.stored(key)]
    assert stored
    for key in stored:
        assert judged(key, 1) == judged(key, 2)
    assert not {*stored} & {*parts()}


def test_grids_have_no_wrong_word_at_fresh_seeds():
    runs = [grid_answers(("zucchet:61",), seed) for seed in fresh_seeds(2, "grids")]
    for seed, run_answers in zip(fresh_seeds(2, "grids"), runs, strict=True):
        assert {each.result.point for each in run_answers} == set(
            map(str, grids.COMPLEX_CONSTANT)
        )
        assert not wrong(run_answers), f"seed {seed} of run {RUN}"
    for first, other in zip(*runs, strict=True):
        assert first.result.value != other.result.value  # a seed moves every number,
        assert first.result.n == other.result.n >= plan(0.05).n  # and no plan


def test_the_whole_models_have_no_wrong_word_at_a_fresh_seed():
    """One of them a run, another one each time."""
    (seed,) = fresh_seeds(1, "models")
    models = parts()[1:]
    part = models[seed % len(models)]
    all_answers = answers(part, seed)
    assert all_answers
    assert not wrong(all_answers), f"{part} at seed {seed} of run {RUN}"


def counts_and_wrong(part, seeds):
    """How many words a part has at each seed, and the wrong ones, in a process beside."""
    counted = []
    for seed in seeds:
        all_answers = answers(part, seed)
        counted.append(
            (len(all_answers), [str(each) for each in all_answers if each.wrong])
        )
    let_go()
    return counted


@pytest.mark.slow(first=True)
@pytest.mark.parametrize("part", parts())
def test_fresh_seeds_have_no_wrong_word(part, beside):
    seeds = fresh_seeds(4, part)
    counts = beside.submit(counts_and_wrong, part, seeds).result()
    for seed, (count, bad) in zip(seeds, counts, strict=True):
        assert count
        assert not bad, f"{part} at seed {seed} of run {RUN}"


def test_an_answer_is_wrong_where_its_moment_is_five_percent_off(monkeypatch):
    """The count can fail: every word on a form with a mutant is a wrong one."""
    right = verify.simulate.run

    def louder(job, seed, tick):
        readings = right(job, seed, tick)
        return {
            reading: Sums(1.07 * sums.first, 1.07**2 * sums.second, sums.n)
            for reading, sums in readings.items()
        }

    monkeypatch.setattr(verify.simulate, "run", louder)
    all_answers = grid_answers(("zucchet:61",), 1)
    assert all_answers == [
        Answer(each.claim, each.result, True) for each in all_answers
    ]
    assert len(all_answers) == len(row("zucchet:61").basis.points)


def test_each_architecture_of_a_merged_row_is_a_part():
    """So that a failure names it, and each compiles once."""
    cases = row("sigprop:gates").basis.cases
    assert {f"sigprop:gates, {name}" for name in cases} < {*parts()}
    assert "sigprop:gates" not in parts()
