"""Evidence says yes to what is true, no to what is not, and notices every mutant."""

import mpmath
import numpy as np
import pytest
from sympy import Integer, Sum, Symbol, cos, exp, oo

from sigprop.judge import evidence
from sigprop.judge.basis import Evidence, Row
from sigprop.judge.mutants import Scores
from sigprop.judge.statuses import finish
from sigprop.theory.claims import Claim, Condition, Kind, Status
from sigprop.theory.derivation import start
from sigprop.theory.symbols import Delta, lam, lam_bar, rho

POINTS = tuple(
    {"lam": lam, "rho": rho} for lam in (0.3 + 0.2j, -0.7j) for rho in (0.4, 0.9)
)


def brute_force(lam, rho):
    return mpmath.nsum(lambda k: (rho * mpmath.mpmathify(lam)) ** int(k), [0, 400])


def total(lam, rho):
    return sum((rho * lam) ** k for k in range(600))


def right():
    return 1 / (1 - rho * lam)


def claim(expected=Status.PROVED, kind=Kind.IDENTITY, **changes):
    fields = {"points": POINTS, "routes": {"reference": total}}
    fields.update(changes.pop("evidence", {}))
    stated = Claim(
        "zucchet:0",
        "nowhere",
        kind,
        "A geometric series",
        "x",
        expected=expected,
        code="sigprop.judge.evidence.judge",
        **changes,
    )
    return Row(stated, Evidence(**fields))


def judge(entry):
    return evidence.judge(entry.claim, entry.basis)


def status(entry):
    judged = judge(entry)
    return finish(
        entry, list(judged.results), judged.scores, 0.0, judged.counterexample
    )


def derived():
    return start("summed", right())


def test_what_is_printed_and_derived_and_summed_is_proved():
    result = status(claim(derive=derived, printed=right))
    assert result.status == "proved"
    assert result.routes == ("symbolic", "reference")
    assert result.formula_mutants == result.killed_formula_mutants > 5
    assert result.value_mutants == result.hand_mutants == 0
    assert result.counterexample is None


@pytest.mark.parametrize("factor", [0.95, 1.05, 1 + 1e-8, -1])
def test_a_wrong_derivation_is_never_what_was_expected(factor):
    wrong = claim(derive=lambda: start("wrong", factor * right()))
    assert status(wrong).status != "proved"


def test_a_wrong_print_is_refuted_with_its_values():
    entry = claim(
        Status.REFUTED,
        derive=derived,
        printed=lambda: 1 / (1 + rho * lam),
        corrected=right,
        correction="x",
    )
    result = status(entry)
    assert result.status == "refuted"
    assert "printed" in result.counterexample
    assert "4 of 4 points" in result.counterexample


def test_a_refutation_that_is_none_is_undecided_or_proved():
    assert (
        status(claim(Status.REFUTED, derive=derived, printed=right)).status == "proved"
    )


def test_a_wrong_correction_is_not_accepted():
    entry = claim(
        Status.REFUTED,
        derive=derived,
        printed=lambda: 1 / (1 + rho * lam),
        corrected=lambda: 1 / (1 - 2 * rho * lam),
    )
    assert status(entry).status == "undecided"


def test_one_route_needs_its_reason():
    assert status(claim(printed=right)).status == "undecided"
    alone = {"alone": "there is nothing else"}
    result = status(claim(printed=right, evidence=alone))
    assert result.status == "confirmed"
    assert result.reason == "there is nothing else"


def test_a_condition_is_seen_to_matter():
    def root(x):
        return abs(x)

    table = {
        "points": ({"x": 0.5}, {"x": 2.0}),
        "routes": {"reference": root, "other": lambda x: np.sqrt(x**2)},
        "form": lambda x: x,
    }
    assert status(claim(evidence=table)).status == "confirmed"
    table["points"] += ({"x": -1.0},)
    assert status(claim(evidence=table)).status == "refuted"
    positive = Condition("x > 0", lambda x, **_: x > 0)
    result = status(claim(evidence=table, condition=positive))
    assert result.status == "conditional"
    assert "x=-1" in result.counterexample
    assert [part.inside for part in result.results] == [True, True, True, True, False]


def test_a_condition_that_does_not_matter_makes_nothing_conditional():
    table = {
        "points": ({"x": 0.5}, {"x": 2.0}, {"x": -3.0}),
        "routes": {"reference": lambda x: x * x, "other": lambda x: x**2},
        "form": lambda x: abs(x) ** 2,
    }
    positive = Condition("x > 0", lambda x, **_: x > 0)
    assert status(claim(evidence=table, condition=positive)).status == "confirmed"


def test_a_condition_does_not_help_a_form_that_fails_within_it():
    table = {
        "points": ({"x": 0.5}, {"x": 2.0}, {"x": -3.0}),
        "routes": {"reference": lambda x: abs(x), "other": lambda x: np.sqrt(x**2)},
        "form": lambda x: abs(x),
        "printed": lambda x: x if x < 1 else 2 * x,
    }
    positive = Condition("x > 0", lambda x, **_: x > 0)
    result = status(claim(evidence=table, condition=positive))
    assert result.status == "refuted"
    assert "1 of 2 points" in result.counterexample


@pytest.mark.parametrize(
    ("relation", "bound", "verdict"),
    [("<=", 4.0, "confirmed"), ("<", 4.0, "refuted"), (">=", 3.9, "confirmed")],
)
def test_orders_are_judged_with_their_equality(relation, bound, verdict):
    table = {
        "points": ({"x": 2.0},),
        "routes": {"reference": lambda x: x * x, "other": lambda x: x**2},
        "form": lambda x: bound,
        "relation": relation,
        "mutants": {"half": lambda x: bound / 2 if "<" in relation else 2 * bound},
    }
    judged = judge(claim(evidence=table))
    assert {result.verdict for result in judged.results} == {verdict}
    assert judged.scores.formula.total == 1


def bounded(relation, share, **changes):
    """A bound of four, and values that exceed it by a relative share."""
    return {
        "points": ({"x": 2.0},),
        "routes": {
            "reference": lambda x: x * x * (1 + share),
            "other": lambda x: x**2 * (1 + share),
        },
        "form": lambda x: 4.0,
        "relation": relation,
        "mutants": {"half": lambda x: 2.0 if "<" in relation else 8.0},
        **changes,
    }


@pytest.mark.parametrize(
    ("relation", "share", "verdict"),
    [
        ("<=", 1e-10, "refuted"),
        ("<=", 1e-14, "confirmed"),
        (">=", -1e-10, "refuted"),
        (">=", -1e-14, "confirmed"),
        ("<", 0.0, "refuted"),
        ("<", -1e-10, "confirmed"),
        (">", 0.0, "refuted"),
        (">", 1e-10, "confirmed"),
    ],
)
def test_a_bound_has_room_for_rounding_and_for_no_more(relation, share, verdict):
    entry = claim(evidence=bounded(relation, share))
    assert {result.verdict for result in judge(entry).results} == {verdict}
    assert status(entry).status == verdict


@pytest.mark.parametrize("relation", ["<=", "<", ">=", ">"])
def test_what_is_not_real_is_neither_more_nor_less(relation):
    side = -0.5 if "<" in relation else 0.5
    turned = {"reference": lambda x: 4.0 * (1 + side) + 1e-9j, "other": lambda x: 2.0}
    judgement = judge(claim(evidence=bounded(relation, 0.0, routes=turned)))
    assert [r.verdict for r in judgement.results if r.route == "reference"] == [
        "refuted"
    ]


def test_every_route_is_taken_at_every_point():
    calls = []

    def looked(name):
        return lambda lam, rho: calls.append((name, lam, rho)) or total(lam, rho)

    routes = {name: looked(name) for name in ("reference", "impulse")}
    result = status(claim(derive=derived, evidence={"routes": routes}))
    wanted = {(name, at["lam"], at["rho"]) for name in routes for at in POINTS}
    assert set(calls) == wanted
    exact = [(r.route, r.point) for r in result.results]
    assert len(exact) == len(set(exact)) == len(wanted)


@pytest.mark.parametrize("index", range(len(POINTS)))
@pytest.mark.parametrize("name", ["reference", "impulse"])
def test_one_route_that_is_off_at_one_point_is_enough(name, index):
    def off(lam, rho):
        wrong = {"lam": lam, "rho": rho} == POINTS[index]
        return total(lam, rho) * (1 + 1e-8 * wrong)

    routes = {"reference": total, "impulse": total, name: off}
    result = status(claim(derive=derived, printed=right, evidence={"routes": routes}))
    assert result.status == "refuted"
    derived_form = [r for r in result.results if r.form == "derived"]
    wrong = [(r.route, r.point) for r in derived_form if r.verdict == "refuted"]
    assert wrong == [(name, evidence.describe(POINTS[index]))]


def test_a_print_that_fails_at_one_point_is_found_there():
    def printed(lam, rho):
        return total(lam, rho) * (1.5 if {"lam": lam, "rho": rho} == POINTS[2] else 1)

    table = {"form": lambda lam, rho: 1 / (1 - rho * lam), "printed": printed}
    table["routes"] = {"reference": total, "impulse": brute_force}
    result = status(claim(Status.REFUTED, evidence=table))
    assert result.status == "refuted"
    judged = [r for r in result.results if r.form == "printed"]
    (miss,) = [r for r in judged if r.verdict == "refuted"]
    assert len(judged) == len(POINTS)
    assert (miss.point, str(miss.verdict)) == (evidence.describe(POINTS[2]), "refuted")
    assert f"At {evidence.describe(POINTS[2])}: printed" in result.counterexample
    assert "1 of 4 points is between 0.5 and 0.5" in result.counterexample


def test_a_mutant_that_is_not_noticed_is_counted_against_the_row():
    def same(lam, rho):
        return (1 + 1e-7) / (1 - rho * lam)

    table = {"mutants": {"hardly": same}, "tolerance": 1e-6}
    result = status(claim(derive=derived, printed=right, evidence=table))
    assert result.status == "undecided"
    assert result.killed_formula_mutants == result.formula_mutants - 1


def test_arrays_are_compared_entry_by_entry():
    generator = np.random.default_rng(0)
    A = generator.normal(size=(3, 3))
    table = {
        "points": ({"size": 3},),
        "routes": {
            "reference": lambda size: A @ A.T @ A,
            "b": lambda size: A @ (A.T @ A),
        },
        "form": lambda size: np.einsum("ij,kj,kl->il", A, A, A),
    }
    result = status(claim(evidence=table))
    assert result.status == "confirmed"
    assert result.value_mutants == result.killed_value_mutants == 7
    assert result.formula_mutants == result.hand_mutants == 0
    swapped = {**table, "form": lambda size: (A @ A.T @ A).T}
    assert status(claim(evidence=swapped)).status == "refuted"


def test_printed_decimals_are_right_to_their_last_digit():
    table = {
        "points": ({},),
        "routes": {"reference": lambda: 2 / 3},
        "form": lambda: 0.667,
        "absolute": 0.0005,
        "alone": "arithmetic",
    }
    result = status(claim(evidence=table))
    assert result.status == "confirmed"
    assert result.value_mutants == result.killed_value_mutants == 3
    off = {**table, "form": lambda: 0.668}
    assert status(claim(evidence=off)).status == "refuted"


def test_what_no_point_tells_apart_survives():
    x = Symbol("x")
    entry = claim(
        printed=lambda: x**2,
        evidence={"points": ({"x": 1.0},), "routes": {"reference": lambda x: 1.0}},
    )
    assert judge(entry).scores.survivors == ()
    poor = claim(
        printed=lambda: x**2 + 1e-7 * x,
        evidence={
            "points": ({"x": 1.0},),
            "routes": {"reference": lambda x: 1.0 + 1e-7},
            "tolerance": 1e-2,
        },
    )
    assert judge(poor).scores.survivors


def test_values_that_are_no_numbers_are_refuted():
    bad = claim(
        printed=right, evidence={"routes": {"reference": lambda lam, rho: np.nan}}
    )
    assert {result.verdict for result in judge(bad).results} == {"refuted"}
    shape = claim(
        printed=right, evidence={"routes": {"reference": lambda lam, rho: np.ones(2)}}
    )
    assert {result.verdict for result in judge(shape).results} == {"refuted"}


def test_symbols_take_their_values_by_name_and_conjugates_by_themselves():
    x = Symbol("x_star", real=True)
    forms = [lam * lam_bar + exp(x), cos(x) * rho, Integer(3) * x]
    at = {"lam": 0.3 + 0.4j, "rho": 0.5, "x_star": 2.0}
    values = [row[0] for row in evidence.at_points(forms, (at,))]
    np.testing.assert_allclose(values, [0.25 + np.exp(2), 0.5 * np.cos(2), 6.0])


def test_a_lag_takes_its_value_from_the_point():
    points = ({"lam": 0.5, "Delta": 3}, {"lam": -0.5j, "Delta": 2})
    (found,) = evidence.at_points([lam**Delta], points)
    np.testing.assert_allclose(found, [0.125, -0.25])


def test_a_sum_over_lags_is_refused_because_evidence_has_no_last_lag():
    form = Sum(lam**Delta, (Delta, 1, oo))
    with pytest.raises(ValueError, match="need a form without a Sum"):
        evidence.at_points([form], ({"lam": 0.5},))


def test_a_point_that_lacks_a_value_is_refused():
    short = claim(printed=right, evidence={"points": ({"lam": 0.5},)})
    with pytest.raises(ValueError, match="depends on rho, which the point"):
        judge(short)


def test_a_number_or_a_list_is_a_form_that_depends_on_nothing():
    table = {
        "points": ({"x": 1.0}, {"x": 2.0}),
        "routes": {"reference": lambda x: [x / x, 0.5], "other": lambda x: (1.0, 0.5)},
        "form": [1.0, 0.5],
        "mutants": {"twice": (2.0, 0.5)},
    }
    assert status(claim(evidence=table)).status == "confirmed"
    assert status(claim(evidence=table | {"form": [1.0, 0.4]})).status == "refuted"


def test_a_proof_is_a_route():
    table = {"proof": lambda: True, "routes": {"reference": total}}
    assert status(claim(printed=right, evidence=table)).status == "proved"
    table["proof"] = lambda: False
    assert status(claim(printed=right, evidence=table)).status != "proved"


def test_a_definition_is_judged_and_stays_one():
    result = status(
        claim(Status.DEFINITION, Kind.DEFINITION, derive=derived, printed=right)
    )
    assert result.status == "definition"
    bare = Row(claim(Status.DEFINITION, Kind.DEFINITION).claim, None)
    assert finish(bare, [], Scores(), 0.0).status == "definition"
