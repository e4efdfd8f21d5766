"""Moments of neurons with gates whose inputs remember, by routes without their operator."""

import itertools
import math

import numpy as np
import pytest

from sigprop.inputs import AR1, Constant, Mixed, MovingAverage, White
from sigprop.neuron import chains
from sigprop.neuron.chains import Chain, Recursion, hermite_axis, law_axis
from sigprop.neuron.correlated_gates import correlated_moment, terms_of
from sigprop.neuron.gated import gated_sensitivity_moment, gated_state_moment
from sigprop.neuron.quadrature import Law
from tests.sigprop.neuron.test_gated import (
    BY_HAND,
    GATES,
    LAW,
    differenced,
    gate_name,
    last_states,
    neurons,
)
from tests.sigprop.neuron.test_gated import STEPS as FEW

WHITE = ((1.0, 0.0),)


def remembering(law, rho):
    index = np.array(list(itertools.product(range(len(law.values)), repeat=FEW)))
    return law.values[index], law.chances(index, rho)


@pytest.mark.parametrize("rho", [0.7, -0.2])
@pytest.mark.parametrize("name", GATES)
def test_every_moment_is_that_of_every_sequence(name, rho):
    population, (u, p) = neurons(name, seed=1), remembering(LAW, rho)
    options = {"terms": ((1.0, rho),), "law": LAW, "steps": FEW}
    moment = correlated_moment(population, **options).value
    np.testing.assert_allclose(moment, last_states(population, u) ** 2 @ p, rtol=1e-12)
    for k, by in enumerate(map(str, GATES[name].projections)):
        exact = differenced(population, "offsets", (k,), u) ** 2 @ p
        moment = correlated_moment(population, by, **options).value
        np.testing.assert_allclose(moment, exact, rtol=1e-7)
        exact = [
            differenced(population, "weights", (k, j), u) ** 2 @ p for j in range(2)
        ]
        moment = correlated_moment(population, by, directions="each", **options).value
        np.testing.assert_allclose(moment, sum(exact), rtol=1e-7)


@pytest.mark.parametrize("name", GATES)
def test_independent_inputs_are_those_that_do_not_remember(name):
    population, by = neurons(name, d=4, n=1, seed=3), str(GATES[name].projections[-1])
    for steps in (2, None):
        exact = gated_state_moment(population, steps=steps).value
        moment = correlated_moment(population, terms=WHITE, steps=steps).value
        np.testing.assert_allclose(moment, exact, rtol=1e-7)
    for directions in (None, "each", np.array([[1.0, -2.0, 0.5, 0.0]])):
        exact = gated_sensitivity_moment(population, by, directions=directions).value
        moment = correlated_moment(population, by, terms=WHITE, directions=directions)
        np.testing.assert_allclose(moment.value, exact, rtol=1e-7)


def on_a_grid(population, rho, steps):
    """``E h^2`` of a neuron of one input by a trapezoidal rule for the AR(1)'s kernel."""
    line = np.arange(-12, 12, 0.06)
    width = math.sqrt(1 - rho**2)
    kernel = np.exp(-(((line - rho * line[:, None]) / width) ** 2) / 2)
    kernel /= kernel.sum(1, keepdims=True)
    density = np.exp(-(line**2) / 2) / np.exp(-(line**2) / 2).sum()
    g = np.einsum("nkd,sd->kns", population.weights, line[:, None])
    a, b = BY_HAND[gate_name(population)](
        g + population.offsets.T[:, :, None], population.parameters.T[:, :, None]
    )
    first = second = np.zeros_like(a)
    for _ in range(steps):
        before = first @ kernel.T
        second = a**2 * (second @ kernel.T) + 2 * a * b * before + b**2
        first = a * before + b
    return second @ density


@pytest.mark.parametrize("rho", [0.9, -0.6])
@pytest.mark.parametrize("name", GATES)
def test_gaussian_inputs_are_those_of_another_rule(name, rho):
    population = neurons(name, d=1, seed=2)
    moment = correlated_moment(population, terms=((1.0, rho),), steps=5)
    exact = on_a_grid(population, rho, 5)
    assert (np.abs(moment.value - exact) <= moment.error + 1e-9 * exact).all()
    limit, exact = (
        correlated_moment(population, terms=((1.0, rho),)),
        on_a_grid(population, rho, 1500),
    )
    assert (np.abs(limit.value - exact) <= limit.error + 1e-9 * exact).all()
    assert (limit.error < 1e-4 * exact).all()
    assert (np.abs(limit.value / gated_state_moment(population).value - 1) > 0.01).all()


def test_series_of_one_correlation_are_one_series():
    population, rho = neurons("mingru", d=1), 0.8
    single = correlated_moment(population, terms=((1.0, rho),)).value
    two = correlated_moment(population, terms=((0.3, rho), (0.7, rho))).value
    np.testing.assert_allclose(two, single, rtol=1e-8)
    sums = correlated_moment(population, terms=((0.3, 0.2), (0.7, rho))).value
    assert (np.abs(sums / single - 1) > 1e-3).all()


def test_a_constant_input_stays_for_ever():
    """Every state settles where its input, of which there is one, holds it."""
    population = neurons("mingru", d=1, seed=4)
    z, w = np.polynomial.hermite_e.hermegauss(60)
    g = population.weights[:, :, 0].T[..., None] * z + population.offsets.T[:, :, None]
    a, b = BY_HAND["mingru"](g, None)
    moment = correlated_moment(population, terms=terms_of(Constant())).value
    np.testing.assert_allclose(moment, (b / (1 - a)) ** 2 @ (w / w.sum()), rtol=1e-6)


def test_the_stated_error_is_no_less_than_the_error():
    for size in (1.0, 4.0):
        population = neurons("gate-unit", size=size, d=3, seed=5)
        moment, exact = (
            correlated_moment(population, terms=WHITE),
            gated_state_moment(population).value,
        )
        assert (moment.error < 0.02 * exact).all()
        assert (np.abs(moment.value - exact) <= moment.error + 1e-12 * exact).all()


def test_processes_are_sums_of_series():
    assert terms_of(White(2.0)) == ((2.0, 0.0),)
    assert terms_of(AR1(0.5, 3.0)) == ((3.0, 0.5),)
    assert terms_of(Mixed(0.5, 2.0, 0.9)) == ((0.5, 0.0), (2.0, 0.9))
    lags = np.arange(4)
    series = sum(v * r**lags for v, r in terms_of(Mixed(0.5, 2.0, 0.9)))
    np.testing.assert_allclose(series, Mixed(0.5, 2.0, 0.9).autocovariance(lags))
    with pytest.raises(ValueError, match=r"sums of AR.1. series, got MovingAverage"):
        terms_of(MovingAverage((1.0, 0.5)))


def test_an_infinite_moment_says_what_is_finite():
    """Of a chain that stays, the largest value alone may decide."""
    law = Law(np.array([[1.1], [0.2]]), np.array([0.5, 0.5]))
    anew, stays = (Chain((law_axis(law, rho),), 1) for rho in (0.0, 0.9))
    parts = [law.values[:, 0], np.ones(2)]
    assert Recursion(anew, parts).limit() > 0
    with pytest.raises(
        ValueError, match=r"radius of a\^2 K is 1.1496.*E log\|a\| = -0.757"
    ):
        Recursion(stays, parts).limit()
    assert Recursion(stays, parts).after(2) > 0
    assert Recursion(stays, parts).radius(0.1) < 1
    grown = Recursion(stays, [3 * parts[0], parts[1]])
    with pytest.raises(ValueError, match="no stationary state"):
        grown.limit()


def bent_and_straight():
    """A chain of three axes, one of which leads, and parts of a stable sensitivity."""
    axes = (hermite_axis(9, 0.6), hermite_axis(4, 0.6), hermite_axis(3, -0.3))
    chain = Chain(axes, 1)
    x, y, z = np.meshgrid(*(axis.z for axis in axes), indexing="ij", sparse=True)
    a = 0.8 / (1 + np.exp(-x))
    return chain, [a, 1 + y * a, a * (1 - a) * y, z + a * y]


@pytest.mark.parametrize("inverted", [0, 2**17])
def test_a_limit_is_what_many_steps_come_to(inverted, monkeypatch):
    monkeypatch.setattr(chains, "INVERTED", inverted)
    recursion = Recursion(*bent_and_straight())
    assert recursion.limit() == pytest.approx(recursion.after(200), rel=1e-12)


@pytest.mark.parametrize(
    "solve", [Recursion.limit, lambda recursion: recursion.after(7)]
)
def test_several_sensitivities_at_once_are_those_one_by_one(solve):
    chain, (a, b, c, d) = bent_and_straight()
    several = [(c, d), (0 * c, d), (2 * c, -d), (c, d * d)]
    at_once = [
        np.stack(np.broadcast_arrays(*part)) for part in zip(*several, strict=True)
    ]
    expected = [
        solve(Recursion(chain, [a, b, *sensitivity])) for sensitivity in several
    ]
    np.testing.assert_allclose(
        solve(Recursion(chain, [a, b, *at_once])), expected, 1e-12
    )


@pytest.mark.parametrize("together", [1, 2**18])
def test_directions_are_found_some_at_a_time(together, monkeypatch):
    monkeypatch.setattr("sigprop.neuron.correlated_gates.TOGETHER", together)
    population, terms = neurons("selective", d=3, seed=2), ((1.0, 0.4),)
    rows, by = np.eye(3), str(GATES["selective"].projections[0])
    each = [
        correlated_moment(population, by, terms=terms, directions=rows[[k]]).value
        for k in range(3)
    ]
    moment = correlated_moment(population, by, terms=terms, directions=rows).value
    np.testing.assert_allclose(moment, np.sum(each, 0), rtol=1e-12)
    over_all = correlated_moment(population, by, terms=terms, directions="each").value
    np.testing.assert_allclose(over_all, moment, rtol=1e-6)


def test_modes_are_orthogonal_and_the_first_is_constant():
    for axis in (hermite_axis(40, 0.9), law_axis(LAW, 0.5)):
        np.testing.assert_allclose(
            axis.modes.T @ axis.modes, np.eye(len(axis.root)), atol=1e-12
        )
        np.testing.assert_allclose(axis.operator @ axis.root, axis.root, atol=1e-12)
    z = hermite_axis(12, 0.9)
    image = z.operator @ (z.root * z.z) / z.root
    np.testing.assert_allclose(image, 0.9 * z.z, atol=1e-10)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"terms": ()}, "need terms"),
        ({"terms": ((1.0, 1.2),)}, "correlations from -1 to 1"),
        ({"terms": ((-1.0, 0.2),)}, "finite variances >= 0"),
        (
            {"terms": ((1.0, 0.1),) * 4},
            "need at most 3 series that a gate bends, got 4",
        ),
        ({"terms": ((2.0, 0.1),), "law": LAW}, "one term of variance 1 beside a law"),
        ({"terms": ((1.0, -0.9),), "law": LAW}, "stays with a probability >= 0"),
    ],
)
def test_what_is_no_autocovariance_is_refused(options, message):
    with pytest.raises(ValueError, match=message):
        correlated_moment(neurons("mingru"), **options)
