"""The registry: well-formed, consistent with its derivations, helpful when asked wrong."""

import importlib
import math
import re
from itertools import groupby

import mpmath
import pytest
from sympy import Rational

from sigprop.judge.basis import Evidence, Grid
from sigprop.judge.routes import QUANTITIES
from sigprop.numerics.points import (
    CONSTANT,
    WHITE,
    AgePoint,
    EigenPoint,
    Input,
    PairPoint,
    RingPoint,
    exact_eigenvalue,
    exponential,
)
from sigprop.theory import claims as claims_module
from sigprop.theory.autocorrelation import same_form
from sigprop.theory.claims import (
    PAPERS,
    Condition,
    Kind,
    Status,
    find,
    home,
    registry,
    select,
)
from sigprop.theory.derivation import Derivation
from sigprop.theory.papers.zucchet.forms import bound_74, eq_45, eq_59
from sigprop.theory.papers.zucchet.moments import propagation
from sigprop.theory.rows import Part
from sigprop.theory.symbols import lam, lam_bar, rho
from tests.rows import rows

CLAIMS = registry()
ROWS = rows()
GRIDDED = {key: row for key, row in ROWS.items() if isinstance(row.basis, Grid)}
PRINTED = {
    key: row.claim
    for key, row in ROWS.items()
    if row.claim.printed and row.claim.derive and not isinstance(row.basis, Evidence)
}
every_claim = pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)


def resolve(dotted: str):
    """The object behind a dotted name: a module, then attributes."""
    parts = dotted.split(".")
    for split in range(len(parts), 0, -1):
        try:
            value = importlib.import_module(".".join(parts[:split]))
        except ModuleNotFoundError:
            continue
        for name in parts[split:]:
            value = getattr(value, name)
        return value
    raise AssertionError(f"nothing is called {dotted}")


@every_claim
def test_id_names_a_paper_and_a_place_in_it(claim):
    assert re.fullmatch(r"[a-z]+:[a-zA-Z0-9.:-]+", claim.id)
    assert claim.paper in PAPERS
    assert claim.source.startswith(PAPERS[claim.paper].name)
    assert claim.locator
    assert claim.title
    assert claim.statement


def test_the_registry_has_every_row_of_every_part():
    rows = [claim.id for paper in PAPERS for claim in claims_module._of_paper(paper)]
    assert sorted(rows) == sorted(registry())
    assert [claim.id for claim in select()] == list(registry())


def test_a_second_claim_of_the_same_id_is_refused(monkeypatch):
    monkeypatch.setattr(propagation.part, "claims", [find("lru:4"), find("lru:4")])
    with pytest.raises(ValueError, match=r"^need one claim an id, got lru:4 twice$"):
        registry.__wrapped__()


def test_a_paper_module_that_cannot_import_something_else_is_not_skipped(monkeypatch):
    def missing(name):
        raise ModuleNotFoundError("no such module", name="numpyy")

    monkeypatch.setattr(claims_module.importlib, "import_module", missing)
    with pytest.raises(ModuleNotFoundError, match="no such module"):
        registry.__wrapped__()


def test_a_row_takes_from_its_part_what_it_does_not_say():
    part = Part("Section 2", "forward", "sigprop.neuron.stable")
    first = part.row("demo:7", "moment", "proved", "A title", "x", code="ring_gain")
    aside = part.at("Appendix A", "ring", "sigprop.theory.ring")
    second = aside.row(
        "demo:text:a",
        Kind.TEXT,
        Status.REFUTED,
        "Another",
        "y",
        where="text after Eq. 7",
        topic="gain",
        assumes="x > 0",
    )
    third = aside.row("demo:text:b", "limit", "not-checkable", "b", "z", code="a.b")
    assert part.claims == [first, second, third]
    assert (first.kind, first.expected) == (Kind.MOMENT, Status.PROVED)
    assert (second.kind, second.expected) == (Kind.TEXT, Status.REFUTED)
    assert first.locator == "Eq. 7, Section 2"
    assert second.locator == "text after Eq. 7, Appendix A"
    assert third.locator == "Appendix A"
    assert first.code == "sigprop.neuron.stable.ring_gain"
    assert (second.code, third.code) == ("sigprop.theory.ring", "a.b")
    assert [claim.topic for claim in part.claims] == ["forward", "gain", "ring"]
    assert second.assumes == Condition("x > 0")


@pytest.mark.parametrize(
    ("kind", "expected", "message"),
    [
        (
            "momnt",
            "proved",
            "row demo:7: need a kind in definition, identity, moment, distribution, "
            "limit, bound, algorithm, table, text, figure, got 'momnt'",
        ),
        (
            "moment",
            "not checkable",
            "row demo:7: need a status in definition, proved, confirmed, conditional, "
            "refuted, undecided, not-checkable, got 'not checkable'",
        ),
    ],
)
def test_a_misspelt_kind_or_status_is_refused(kind, expected, message):
    part = Part("Section 2", "forward")
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        part.row("demo:7", kind, expected, "A title", "x")
    assert part.claims == []


@every_claim
def test_code_names_something_that_exists(claim):
    assert resolve(claim.code) is not None


def test_a_name_of_nothing_does_not_resolve():
    with pytest.raises(AttributeError, match="sensitivity_momnt"):
        resolve("sigprop.neuron.stable.sensitivity_momnt")


@pytest.mark.parametrize("row", GRIDDED.values(), ids=GRIDDED)
def test_a_grid_is_of_a_quantity_that_has_routes_and_a_claim_that_is_derived(row):
    assert row.basis.quantity in {*QUANTITIES, "ring_law"}
    assert row.claim.derive is not None
    assert row.basis.points
    assert 0 < row.basis.margin <= 0.05


@every_claim
def test_status_comes_with_what_it_needs(claim):
    assert isinstance(claim.kind, Kind)
    assert isinstance(claim.expected, Status)
    if claim.expected == Status.REFUTED:
        assert claim.correction
        assert claim.correction != claim.statement
    if claim.expected == Status.CONDITIONAL:
        assert claim.condition
        assert claim.note
    basis = ROWS[claim.id].basis
    if claim.condition and isinstance(basis, Evidence):
        assert claim.condition.text
        met = {bool(claim.condition.holds(**at)) for at in basis.points}
        assert met == {True, False}


@pytest.mark.parametrize("claim", PRINTED.values(), ids=PRINTED)
@pytest.mark.sampled(8)
def test_printed_form_is_the_derived_one_unless_the_claim_is_refuted(claim):
    agree = same_form(claim.printed(), claim.derive().result)
    assert agree == (claim.expected != Status.REFUTED)


@pytest.mark.parametrize("claim", PRINTED.values(), ids=PRINTED)
def test_printed_form_two_percent_off_is_never_the_derived_one(claim):
    derived = claim.derive().result
    assert not same_form(derived * Rational(51, 50), derived)


@pytest.mark.parametrize("row", GRIDDED.values(), ids=GRIDDED)
def test_derivation_of_a_gridded_claim_depends_only_on_what_its_grid_sets(row):
    derivation, points = row.claim.derive(), row.basis.points
    assert isinstance(derivation, Derivation)
    for point in points:
        point.require_inside()
    if row.basis.quantity != "ring_law":
        free = {s for s in derivation.result.free_symbols if s.name != "Delta"}
        assert free <= set(points[0].environment())
    assert len(set(points)) == len(points)


CORRECTED = {
    key: claim
    for key, claim in CLAIMS.items()
    if claim.corrected and not isinstance(ROWS[key].basis, Evidence)
}


@pytest.mark.parametrize("claim", CORRECTED.values(), ids=CORRECTED)
def test_corrected_form_is_the_derived_one_and_the_printed_is_not(claim):
    derived = claim.derive().result
    assert same_form(claim.corrected(), derived)
    assert not same_form(claim.corrected() * Rational(51, 50), derived)
    assert not same_form(claim.printed(), derived)
    assert claim.expected == Status.REFUTED


def test_eq_59_and_eq_57_are_among_the_corrected():
    assert {"zucchet:57", "zucchet:59"} <= set(CORRECTED)


def test_eq_59_is_wrong_exactly_between_the_values_where_the_paper_checks_it():
    derived = find("zucchet:59").derive().result
    for blind in (0, 1):
        assert same_form(eq_59().subs(rho, blind), derived.subs(rho, blind))
    at = {lam: Rational(1, 2), lam_bar: Rational(1, 2), rho: Rational(1, 2)}
    assert abs(eq_59().subs(at) / derived.subs(at) - 1) > Rational(1, 20)


def test_bound_74_is_eq_45_at_the_modulus():
    at = {lam: Rational(1, 3), lam_bar: Rational(1, 3)}
    assert same_form(bound_74().subs(at), eq_45().subs(at))
    turned = {lam: -Rational(1, 3), lam_bar: -Rational(1, 3)}
    assert not same_form(bound_74().subs(turned), eq_45().subs(turned))


@pytest.mark.parametrize(
    ("claim_id", "message"),
    [
        (
            "zuchet:59",
            "no claim 'zuchet:59'; did you mean zucchet:59, zucchet:5? "
            "`sigprop claims` lists them all",
        ),
        ("QQQQ", "no claim 'QQQQ'; none is near; `sigprop claims` lists them all"),
    ],
)
def test_an_unknown_id_is_answered_with_the_nearest(claim_id, message, monkeypatch):
    known = {key: CLAIMS[key] for key in ("zucchet:5", "zucchet:59", "lru:4")}
    monkeypatch.setattr(claims_module, "registry", lambda: known)
    with pytest.raises(KeyError) as error:
        find(claim_id)
    assert error.value.args[0] == message


def test_an_unknown_paper_is_refused():
    with pytest.raises(KeyError) as error:
        select("hochreiter")
    assert error.value.args[0] == (
        f"need a paper in {', '.join(PAPERS)}, got 'hochreiter'"
    )


def test_selection_is_by_paper_by_id_or_both():
    assert {claim.paper for claim in select("lru")} == {"lru"}
    assert [claim.id for claim in select(ids=("zucchet:59", "lru:4"))] == [
        "zucchet:59",
        "lru:4",
    ]
    assert select("lru", ("lru:4",)) == (find("lru:4"),)


def test_an_id_of_another_paper_is_refused():
    with pytest.raises(KeyError) as error:
        select("lru", ("zucchet:59", "lru:4"))
    assert error.value.args[0] == (
        "the claims zucchet:59 are not of the paper 'lru'; drop one of the two options"
    )


GAP = "need a gap 1 - |lambda| in (0, 1] for a stationary limit, got "
RING = "need 0 <= r_min < r_max < 1 where a limit is asked, got "
OUTSIDE = [
    (EigenPoint(0.0, 0.1, WHITE, 4), GAP + "0.0"),
    (EigenPoint(-0.1, 0.1, WHITE, 4), GAP + "-0.1"),
    (EigenPoint(1.5, 0.1, WHITE, 4), GAP + "1.5"),
    (EigenPoint(math.nan, 0.1, WHITE, 4), GAP + "nan"),
    (EigenPoint(0.1, 0.1, WHITE, 0), "need steps >= 1, got 0"),
    (EigenPoint(0.1, 0.1, exponential(1.1), 4), "need -1 <= rho <= 1, got rho=1.1"),
    (
        EigenPoint(0.1, 0.1, exponential(math.nan), 4),
        "need -1 <= rho <= 1, got rho=nan",
    ),
    (EigenPoint(0.1, 0.1, Input("pink"), 4), "unknown input 'pink'"),
    (PairPoint(1.0, 0.2, WHITE, 4), "need -1 < alpha < 1, got alpha=1.0"),
    (PairPoint(0.2, -1.0, WHITE, 4), "need -1 < beta < 1, got beta=-1.0"),
    (PairPoint(0.2, 0.1, exponential(-2), 4), "need -1 <= rho <= 1, got rho=-2"),
    (RingPoint(0.0, 1.0), RING + "r_min=0.0, r_max=1.0"),
    (RingPoint(0.5, 0.5), RING + "r_min=0.5, r_max=0.5"),
    (RingPoint(-0.1, 0.5), RING + "r_min=-0.1, r_max=0.5"),
    (RingPoint(0.1, 0.5, Input("pink")), "unknown input 'pink'"),
    (AgePoint(0.0, 0.1, 2), GAP + "0.0"),
    (AgePoint(0.1, 0.1, -1), "need age >= 0, got -1"),
]


@pytest.mark.parametrize(("point", "message"), OUTSIDE, ids=str)
def test_a_point_outside_the_domain_is_refused(point, message):
    with pytest.raises(ValueError, match="^" + re.escape(message) + "$"):
        point.require_inside()


INSIDE = [
    EigenPoint(1.0, 0.1, exponential(-1.0), 1),
    PairPoint(0.999, -0.999, CONSTANT, 1),
    RingPoint(0.0, 0.999),
    AgePoint(1.0, 0.1, 0),
]


@pytest.mark.parametrize("point", INSIDE, ids=str)
def test_a_point_at_the_edge_of_the_domain_is_allowed(point):
    point.require_inside()


def test_eigenvalues_are_exact_on_the_real_axis_and_turn_by_their_phase():
    with mpmath.workdps(40):
        assert exact_eigenvalue(0.25, math.pi) == mpmath.mpc("-0.75")
        assert exact_eigenvalue(0.25, 0.0) == mpmath.mpc("0.75")
        turned = exact_eigenvalue(0.25, 1.0)
        assert abs(abs(turned) - mpmath.mpf("0.75")) < 1e-38
        assert abs(mpmath.arg(turned) - 1) < 1e-38


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        (WHITE, [1, 0, 0, 0]),
        (CONSTANT, [1, 1, 1, 1]),
        (exponential(-0.5), [1, -0.5, 0.25, -0.125]),
        (Input("mixed", a=2.0, b=4.0, rho=0.5), [6, 2, 1, 0.5]),
        (Input("moving_average", taps=(1.0, 2.0, -1.0)), [6, 0, -1, 0]),
    ],
    ids=str,
)
def test_autocovariance_of_an_input_is_even_and_as_its_name_says(source, expected):
    assert [source.autocovariance(lag) for lag in range(4)] == expected
    assert [source.autocovariance(-lag) for lag in range(4)] == expected


def test_a_claim_says_where_its_row_is():
    assert home("zucchet:45") == "sigprop.theory.papers.zucchet.moments.state"
    assert home("blur:14") == "sigprop.theory.papers.blur.composition"
    with pytest.raises(KeyError, match="no claim 'zucchet:999'"):
        home("zucchet:999")


NAMED = {
    "fig": r"Fig(?:ure|s?\.)",
    "table": "Tables?",
    "lemma": "Lemma",
    "thm": "Theorem",
    "def": "Definition",
    "prop": "Proposition",
    "": r"Eq\.",
}
NUMBERED = [
    pytest.param(claim, *match.groups(), id=key)
    for key, claim in CLAIMS.items()
    if (match := re.fullmatch(r"\w+:([a-z]*?)([A-Z]?\.?\d[\d.]*)[a-z]?(?::.*)?", key))
    and match[1] in NAMED
]


@pytest.mark.parametrize(("claim", "kind", "number"), NUMBERED)
def test_a_locator_names_the_number_of_the_row(claim, kind, number):
    named = rf"{NAMED[kind]} ([\w.]+ and )?{re.escape(number)}(?![\d.]*\d)"
    assert re.search(named, claim.locator)


def test_a_section_has_equations_in_a_row():
    """A locator of another section parts the equations of one or stands between them."""
    for paper in PAPERS:
        positions = [
            re.findall(r"(?:Section|Appendix) [\w.]+", claim.locator)[-1:]
            for key, claim in CLAIMS.items()
            if re.fullmatch(rf"{paper}:\d+", key)
        ]
        runs = [position for position, _ in groupby(positions)]
        assert len(runs) == len(set(map(tuple, runs))), paper
