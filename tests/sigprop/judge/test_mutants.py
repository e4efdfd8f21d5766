"""Mutation scores: a blind plan lets wrong formulas live, and the score says so."""

import math

import pytest
from sympy import Rational, log

from sigprop.judge import grids
from sigprop.judge.basis import Grid
from sigprop.judge.mutants import (
    generic_points,
    score_distribution,
    score_exact,
    score_ratio,
)
from sigprop.judge.plans import make_plans, score
from sigprop.judge.verdict import DistancePlan, Plan, distance_plan, plan
from sigprop.numerics.evaluate import precise
from sigprop.numerics.points import EigenPoint, RingPoint, exponential
from sigprop.theory import diagonal, ring
from sigprop.theory.autocorrelation import same_form
from sigprop.theory.mutants import mutants_of
from sigprop.theory.symbols import lam, lam_bar, r_max, r_min, u1
from tests.rows import rows

MOMENT = diagonal.moment("sensitivity", "exponential").result
LAW = ring.sampled_nu().result
RINGS = tuple(RingPoint(*radii) for radii in grids.RINGS)
GRIDDED = {key: entry for key, entry in rows().items() if isinstance(entry.basis, Grid)}


def plans(margin, grid):
    return tuple(plan(margin) for _ in grid)


@pytest.mark.parametrize("entry", GRIDDED.values(), ids=GRIDDED)
@pytest.mark.sampled(8)
def test_the_plan_of_every_claim_kills_every_mutant(entry):
    form, grid = entry.claim.derive().result, entry.basis
    points = grid.points if grid.quantity != "ring_law" else ()
    truths = dict(zip(points, precise(form, points), strict=True))
    outcome = score(grid, form, make_plans(grid, form, truths, "quick"))
    assert outcome.survivors == ()
    assert outcome.killed == outcome.total > 0


def test_a_single_point_and_a_wide_margin_let_mutants_live():
    blind = (EigenPoint(0.3, 0.4, exponential(0.5), grids.LONG),)
    outcome = score_ratio(MOMENT, blind, plans(0.5, blind))
    assert outcome.killed + len(outcome.survivors) == outcome.total
    assert outcome.survivors
    full = score_ratio(
        MOMENT, grids.COMPLEX_EXPONENTIAL, plans(0.05, grids.COMPLEX_EXPONENTIAL)
    )
    assert full.total == outcome.total
    assert full.survivors == ()


def test_a_real_eigenvalue_cannot_see_a_dropped_conjugate():
    grid = grids.eigen(((0.3, 0.0), (0.1, 0.0)), grids.CORRELATED)
    outcome = score_ratio(MOMENT, grid, plans(0.05, grid))
    # Its generic points are real as well: there the mutant changes no value.
    assert not any("conjugate" in mutant for mutant in outcome.survivors)
    everywhere = score_ratio(
        MOMENT, grids.COMPLEX_EXPONENTIAL, plans(0.05, grids.COMPLEX_EXPONENTIAL)
    )
    assert everywhere.total > outcome.total


def test_white_noise_alone_cannot_see_a_mutant_in_rho():
    white = (EigenPoint(0.3, 0.4, exponential(0.0), grids.LONG),)
    outcome = score_ratio(MOMENT, white, plans(0.05, white))
    named = {mutant.change for mutant in mutants_of(MOMENT)}
    assert "rho is squared" in named
    everywhere = score_ratio(MOMENT, grids.COMPLEX_EXPONENTIAL[7:8], plans(0.05, [0]))
    assert "rho is squared" not in everywhere.survivors
    assert outcome.total < everywhere.total


@pytest.mark.parametrize("margin", [0.5, 0.2, 0.05, 0.01])
def test_a_mutant_survives_only_inside_the_detectable_error(margin):
    point = EigenPoint(0.3, 0.0, exponential(0.5), grids.LONG)
    (planned,) = plans(margin, [point])
    form = 1 / (1 - lam)
    outcome = score_ratio(form, (point,), (planned,))
    low, high = planned.detectable
    values = [mutant.expr.subs(lam, Rational(7, 10)) for mutant in mutants_of(form)]
    ratios = [Rational(10, 3) / value for value in values if value]
    alive = [ratio for ratio in ratios if ratio.is_real and low < ratio < high]
    assert len(outcome.survivors) == len(alive)
    assert outcome.total == len(values)


def test_an_exact_route_kills_what_a_plan_cannot():
    blind = (EigenPoint(0.3, 0.4, exponential(0.5), grids.LONG),)
    by_plan = score_ratio(MOMENT, blind, (Plan(50, 0.5),))
    assert by_plan.survivors
    assert score_exact(MOMENT, blind).survivors == ()
    assert score_exact(MOMENT, blind).total == by_plan.total


def test_mutants_that_change_nothing_are_not_counted():
    form = 1 / (3 + (lam - lam_bar) ** 2)
    mutants = mutants_of(form)
    same = [mutant for mutant in mutants if same_form(mutant.expr, form)]
    assert [mutant.change for mutant in same] == [f"{lam_bar} and {lam} are swapped"]
    assert score_exact(form, grids.COMPLEX_WHITE).total == len(mutants) - 1


def test_a_mutant_has_a_name_of_its_own_so_that_a_waiver_waives_one():
    names = [mutant.change for mutant in mutants_of(MOMENT)]
    assert len(set(names)) == len(names)


def test_the_full_plan_of_the_sampling_law_kills_every_mutant_of_it():
    outcome = score_distribution(LAW, RINGS, distance_plan(0.01))
    assert outcome.survivors == ()
    assert outcome.total >= 10


def test_a_blind_plan_of_the_sampling_law_lets_mutants_live():
    outcome = score_distribution(LAW, RINGS, DistancePlan(40, 0.9))
    assert outcome.survivors
    assert outcome.total == score_distribution(LAW, RINGS, distance_plan(0.01)).total


def test_relabelling_the_uniform_is_no_mutant_of_a_law():
    relabelled = LAW.subs(u1, 1 - u1)
    assert relabelled != LAW
    width = r_max**2 - r_min**2
    point = RINGS[1]
    for uniform in (0.1, 0.6):
        at = {r_min: point.r_min, r_max: point.r_max}
        first = float(LAW.subs({**at, u1: uniform}))
        second = float(relabelled.subs({**at, u1: 1 - uniform}))
        assert first == pytest.approx(second)
    # Swapping the radii is such a relabelling: u1 becomes 1 - u1.
    form = -log(u1 * width + r_min**2) / 2
    mutants = mutants_of(form)
    swap = [m.change for m in mutants if m.change in ("r_max and r_min are swapped",)]
    assert swap
    outcome = score_distribution(form, RINGS, DistancePlan(40, 0.9))
    assert swap[0] not in outcome.survivors
    assert outcome.total < len(mutants)


@pytest.mark.parametrize("entry", GRIDDED.values(), ids=GRIDDED)
def test_generic_points_stay_inside_the_domain_and_off_the_grid(entry):
    points = entry.basis.points
    apart = generic_points(points)
    assert len(apart) >= min(5, len(points))
    assert not set(apart) & set(points)
    for point in apart:
        point.require_inside()
        assert type(point) is type(points[0])


def test_a_real_grid_stays_real_at_its_generic_points():
    for point in generic_points(grids.REAL_ANY):
        assert point.theta in (0.0, math.pi)
