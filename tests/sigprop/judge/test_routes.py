"""Deterministic routes agree with the derived form, and share nothing on the way."""

import math

import mpmath
import numpy as np
import pytest

from sigprop.judge import grids
from sigprop.judge import routes as quantities
from sigprop.judge.routes import QUANTITIES, process, ring_nodes
from sigprop.numerics.evaluate import precise
from sigprop.numerics.points import (
    CONSTANT,
    WHITE,
    AgePoint,
    EigenPoint,
    Input,
    PairPoint,
    RingPoint,
    exponential,
)
from sigprop.theory import autocorrelation, diagonal, ring
from sigprop.theory.symbols import T

TOLERANCE = 1e-10


def random_points(kind, count=6):
    """Points without any special relation, new in every run."""
    draw = np.random.default_rng()
    inputs = [grids.FREE, exponential(float(draw.uniform(-0.9, 0.9))), WHITE, CONSTANT]
    inputs += [Input("mixed", a=0.4, b=float(draw.uniform(0.2, 2)), rho=0.7)]
    for index in range(count):
        gap, theta = float(draw.uniform(0.05, 0.9)), float(draw.uniform(-3, 3))
        source = inputs[index % len(inputs)]
        steps = int(draw.integers(2, 40))
        if kind is EigenPoint:
            yield EigenPoint(gap, theta, source, steps)
        elif kind is PairPoint:
            # Any signs; away from zero, where both moments are only their first term.
            sizes = draw.uniform(0.1, 0.9, 2) * draw.choice([-1, 1], 2)
            yield PairPoint(*map(float, sizes), source, steps)
        elif kind is AgePoint:
            yield AgePoint(gap, theta, int(draw.integers(1, 9)))
        else:
            inner = float(draw.uniform(0, 0.8))
            yield RingPoint(inner, inner + float(draw.uniform(0.01, 0.15)), source, 9)


CASES = {
    "state": ("state", EigenPoint, lambda: diagonal.moment("state"), False),
    "state, finite": ("state", EigenPoint, lambda: diagonal.moment("state", None, T), True),
    "sensitivity": ("sensitivity", EigenPoint, lambda: diagonal.moment("sensitivity"), False),
    "sensitivity, finite": (
        "sensitivity", EigenPoint, lambda: diagonal.moment("sensitivity", None, T), True,
    ),
    "backward": ("backward", EigenPoint, lambda: diagonal.moment("state"), False),
    "state pair": ("state_pair", PairPoint, autocorrelation.lemma_1, False),
    "sensitivity pair": ("sensitivity_pair", PairPoint, autocorrelation.lemma_2, False),
    "state kernel": ("state_kernel", AgePoint, diagonal.state_kernel, False),
    "sensitivity kernel": (
        "sensitivity_kernel", AgePoint, diagonal.sensitivity_kernel, False,
    ),
    "ring gain": ("ring_gain", RingPoint, ring.gain, False),
    "thin ring": ("thin_ring", RingPoint, ring.gain, False),
}  # fmt: skip


def truth_at(form, point):
    derived = form()
    expr = derived.as_sum() if hasattr(derived, "as_sum") else derived.result
    value = precise(expr, [point])[0]
    source = getattr(point, "input", WHITE)
    return value * (
        float(source.autocovariance(0)) if isinstance(point, RingPoint) else 1
    )


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
@pytest.mark.sampled(
    keep=[
        "state, finite",
        "sensitivity",
        "backward",
        "state pair",
        "sensitivity kernel",
        "ring gain",
    ]
)
def test_every_route_gives_the_derived_value_at_random_points(case):
    name, kind, form, finite = case
    routes = QUANTITIES[name]
    for point in random_points(kind):
        truth = truth_at(form, point)
        scale = abs(truth)
        assert abs(routes.reference(point, finite) - truth) < TOLERANCE * scale, point
        assert abs(routes.impulse(point, finite) - truth) < TOLERANCE * scale, point
        assert abs(routes.reference(point, finite) * 1.05 - truth) > 0.01 * scale
        if routes.closed_form and not finite and kind is EigenPoint:
            stable = routes.closed_form(point)
            no_closed_form = point.input.name == "moving_average"
            assert (stable is None) == no_closed_form
            assert no_closed_form or abs(stable - truth) < TOLERANCE * scale


def test_every_quantity_has_a_case_here():
    covered = {name for name, *_ in CASES.values()} | {"normalised_state"}
    assert covered == set(QUANTITIES)


def test_normalised_state_is_one_under_white_noise_and_not_under_another_input():
    routes = QUANTITIES["normalised_state"]
    for gap, theta in ((0.05, 0.3), (0.6, 2.0)):
        for route in (routes.reference, routes.impulse):
            assert route(EigenPoint(gap, theta, WHITE, 9), False) == pytest.approx(1)
            correlated = EigenPoint(gap, theta, exponential(0.9), 9)
            assert abs(route(correlated, False) - 1) > 0.05


POINT = EigenPoint(0.2, 0.5, exponential(0.4), 12)
INDEPENDENT = ("state", "sensitivity", "backward")


@pytest.fixture
def afresh():
    """Nothing remembered by the reference of what a test patches."""
    remembered = {QUANTITIES[name].reference for name in INDEPENDENT}
    for function in remembered:
        function.cache_clear()
    yield
    for function in remembered:
        function.cache_clear()


PARTS = {
    "reference": ("_kernels", "_double_sum"),
    "impulse": ("_responses", "backward_weights", "linear_recurrence"),
}


@pytest.mark.usefixtures("afresh")
@pytest.mark.parametrize("name", INDEPENDENT)
@pytest.mark.parametrize(("broken", "other"), [tuple(PARTS), tuple(PARTS)[::-1]])
def test_neither_route_uses_what_the_other_is_made_of(name, broken, other, monkeypatch):
    routes = QUANTITIES[name]
    before = getattr(routes, other)(POINT, True)

    def unusable(*arguments, **more):
        raise ArithmeticError("a part of the other route")

    for part in PARTS[broken]:
        monkeypatch.setattr(quantities, part, unusable)
    routes.reference.cache_clear()
    quantities._impulse.cache_clear()
    with pytest.raises(ArithmeticError, match="a part of the other route"):
        getattr(routes, broken)(POINT, True)
    assert getattr(routes, other)(POINT, True) == before


@pytest.mark.parametrize("name", ["state", "sensitivity"])
def test_no_deterministic_route_reads_the_derived_form(name, monkeypatch):
    routes = QUANTITIES[name]
    before = routes.reference(POINT, True), routes.impulse(POINT, True)

    def forbidden(*arguments, **more):
        raise AssertionError("a route asked for the form it is to judge")

    for module in (diagonal, ring):
        for function in ("moment", "functional", "gain"):
            monkeypatch.setattr(module, function, forbidden, raising=False)
    assert (routes.reference(POINT, True), routes.impulse(POINT, True)) == before


@pytest.mark.parametrize(
    "source", [WHITE, CONSTANT, grids.FREE, *grids.MIXED, exponential(-0.6)]
)
def test_the_process_of_an_input_has_its_autocovariance(source):
    lags = np.arange(6)
    expected = [float(source.autocovariance(int(lag))) for lag in lags]
    assert process(source).autocovariance(lags) == pytest.approx(expected)


def test_an_unknown_input_has_no_process():
    with pytest.raises(ValueError, match=r"^no process is known for the input 'pink'$"):
        process(Input("pink"))


@pytest.mark.parametrize("radii", [(0.0, 0.8), (0.7, 0.95), (0.9, 0.9001)])
def test_ring_nodes_integrate_over_the_area(radii):
    nodes, weights = ring_nodes(RingPoint(*radii))
    inner, outer = radii
    assert weights.sum() == pytest.approx(1, rel=1e-12)
    assert ((nodes > inner) & (nodes < outer)).all()
    second = (weights * nodes**2).sum()
    assert second == pytest.approx((inner**2 + outer**2) / 2, rel=1e-12)
    gain = math.log((1 - inner**2) / (1 - outer**2)) / (outer**2 - inner**2)
    assert (weights / (1 - nodes**2)).sum() == pytest.approx(gain, rel=1e-9)


@pytest.mark.parametrize("radius", [0.05, 0.5, 0.95])
def test_a_truncated_stationary_sum_leaves_out_nothing_that_matters(radius):
    point = EigenPoint(1 - radius, 0.0, CONSTANT, 1)
    length = quantities.horizon(point, False)
    with mpmath.workdps(40):
        left_out = length * mpmath.mpf(radius) ** length / (1 - radius) ** 2
        assert left_out < 1e-14
    assert quantities.horizon(point, True) == 1
