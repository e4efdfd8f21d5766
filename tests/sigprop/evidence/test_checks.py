"""Checks that claims bring themselves: right on the claim, and able to say no."""

import dataclasses
from functools import cache

import pytest
from sympy import Integer

from sigprop import inputs
from sigprop.evidence.lru import ring
from sigprop.evidence.zucchet.moments import sensitivity, state
from sigprop.judge.routes import QUANTITIES
from sigprop.neuron import ginibre
from sigprop.theory.claims import find
from sigprop.theory.derivation import start
from tests.rows import row

CHECKS = {
    "zucchet:text:divergence": sensitivity.divergence,
    "zucchet:74": state.covariance_bound,
    "zucchet:75": state.empirical_autocovariance,
    "lru:thm3.1": ring.circular_law,
}


@cache
def results(claim_id, seed=0):
    return CHECKS[claim_id](find(claim_id), seed)


def verdicts(outcomes, form="derived", route=None):
    return [
        r.verdict
        for r in outcomes
        if r.form == form and (route is None or r.route == route)
    ]


@pytest.mark.parametrize("claim_id", CHECKS)
def test_a_check_confirms_the_claim_with_its_condition_by_two_routes(claim_id):
    outcomes = results(claim_id)
    assert set(verdicts(outcomes)) == {"confirmed"}
    assert len({r.route for r in outcomes if r.form == "derived"}) >= 2


@pytest.mark.parametrize("claim_id", CHECKS)
def test_a_check_notices_every_mutant_in_what_it_checks(claim_id):
    score = row(claim_id).basis.score(find(claim_id))
    assert score.total >= 2
    assert score.survivors == ()


@pytest.mark.parametrize("claim_id", CHECKS)
def test_a_check_is_the_one_that_its_claim_names(claim_id):
    basis = row(claim_id).basis
    assert basis.results is CHECKS[claim_id]
    assert set(basis.routes) == {r.route for r in results(claim_id)}


def test_a_statement_that_says_too_much_is_refuted_by_both_routes():
    claim = find("zucchet:text:divergence")
    outcomes = sensitivity.divergence(claim, 0, says=lambda decay, turn: True)
    assert len({r.route for r in outcomes if r.verdict == "refuted"}) == 2


def test_a_moment_that_stays_finite_at_the_edge_is_not_said_to_diverge():
    bounded = dataclasses.replace(
        find("zucchet:text:divergence"), derive=lambda: start("bounded", Integer(1))
    )
    outcomes = sensitivity.divergence(bounded, 0)
    *edges, last = verdicts(outcomes, route="symbolic")
    assert set(edges) == {"refuted"}
    # Under constant input the true moment is finite at -1 as well: the check agrees.
    assert last == "confirmed"


def test_code_that_stays_finite_at_the_edge_is_not_said_to_diverge(monkeypatch):
    routes = QUANTITIES["sensitivity"]

    def held_off(point, finite):
        return routes.impulse(dataclasses.replace(point, gap=0.1 + point.gap), finite)

    finite = dataclasses.replace(routes, impulse=held_off)
    monkeypatch.setitem(QUANTITIES, "sensitivity", finite)
    outcomes = sensitivity.divergence(find("zucchet:text:divergence"), 0)
    *edges, last = verdicts(outcomes, route="impulse")
    assert set(edges) == {"refuted"}
    assert last == "confirmed"  # finite, as it should be
    assert set(verdicts(outcomes, route="symbolic")) == {"confirmed"}


def test_a_bound_five_percent_too_small_is_noticed(monkeypatch):
    original = state.bound_74
    monkeypatch.setattr(state, "bound_74", lambda: original() * 95 / 100)
    assert "refuted" in verdicts(state.covariance_bound(find("zucchet:74"), 0))


def test_a_bound_in_place_of_the_covariances_needs_the_modulus_too():
    outcomes = state.covariance_bound(find("zucchet:74"), 0, modulus=False)
    for quantity in ("state", "sensitivity"):
        for route in ("reference", "impulse"):
            of_quantity = [r for r in outcomes if r.point.startswith(quantity)]
            assert "refuted" in verdicts(of_quantity, route=route)
    positive = [r for r in outcomes if r.point.endswith("theta=0")]
    assert positive
    assert set(verdicts(positive)) == {"confirmed"}


@pytest.mark.parametrize(
    ("short", "verdict"), [(1e-9, "refuted"), (1e-14, "confirmed")]
)
def test_a_bound_that_is_reached_may_not_be_a_billionth_smaller(short, verdict):
    outcomes = state.covariance_bound(find("zucchet:74"), 0, scale=1 - short)
    for route in ("reference", "impulse"):
        assert (verdict == "refuted") == ("refuted" in verdicts(outcomes, route=route))


def test_a_divisor_one_too_large_is_noticed(monkeypatch):
    original = inputs.Empirical.autocovariance

    def biased(self, lags):
        length = self.values.shape[1]
        return original(self, lags) * (length - lags) / (length - lags + 1)

    monkeypatch.setattr(inputs.Empirical, "autocovariance", biased)
    outcomes = state.empirical_autocovariance(find("zucchet:75"), 0)
    assert set(verdicts(outcomes)) == {"refuted"}


def test_a_law_of_the_disc_in_place_of_that_of_the_matrix_is_noticed(monkeypatch):
    original = ginibre.radial_law

    def of_the_disc(radii, size):
        exact = original(radii, size)
        return radii**2 if size == ring.CIRCLE_SIZE else exact

    monkeypatch.setattr(ginibre, "radial_law", of_the_disc)
    monkeypatch.setattr(ring, "CIRCLE_SIZE", 65)  # not one of the sizes of the limit
    outcomes = ring.circular_law(find("lru:thm3.1"), 0)
    assert "refuted" in verdicts(outcomes, route="monte_carlo")


def test_matrices_five_percent_too_large_are_noticed(monkeypatch):
    original = ginibre.sample_radii
    monkeypatch.setattr(ginibre, "sample_radii", lambda *a: 1.05 * original(*a))
    outcomes = ring.circular_law(find("lru:thm3.1"), 0)
    assert "refuted" in verdicts(outcomes, route="monte_carlo")


def test_the_sample_size_is_fixed_before_the_matrices_are_drawn(monkeypatch):
    counts = []
    original = ginibre.sample_radii

    def counting(generator, count, size):
        counts.append(count)
        return original(generator, count, size)

    monkeypatch.setattr(ginibre, "sample_radii", counting)
    outcomes = ring.circular_law(find("lru:thm3.1"), 5)
    sizes = {r.n for r in outcomes if r.route == "monte_carlo"}
    assert counts == [ring.CIRCLE_PILOT, *sizes]


def test_the_seed_moves_the_draws_and_nothing_else():
    for claim_id in ("zucchet:text:divergence", "zucchet:74"):
        assert str(CHECKS[claim_id](find(claim_id), 1)) == str(results(claim_id))
    moved = ring.circular_law(find("lru:thm3.1"), 1)
    assert [r.value for r in moved] != [r.value for r in results("lru:thm3.1")]
    assert set(verdicts(moved)) == {"confirmed"}
