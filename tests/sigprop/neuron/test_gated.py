"""Moments of neurons with gates: enumeration, quadrature, and where they are infinite."""

import itertools
import math

import numpy as np
import pytest

from sigprop.neuron.gated import gated_sensitivity_moment, gated_state_moment
from sigprop.neuron.neurons import Neurons
from sigprop.neuron.quadrature import Law, gaussian_nodes
from sigprop.neuron.random_coefficients import second_moment, tail_index
from sigprop.theory.gates import GATES, RGLRU, Lambda, derivatives

STEPS, STEP = 3, 1e-5


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def softplus(z):
    return np.log1p(np.exp(z))


def rglru(g, own):
    r, i, x = g
    log_a = -8 * softplus(own[0]) * sigmoid(r)
    return np.exp(log_a), np.sqrt(-np.expm1(2 * log_a)) * sigmoid(i) * x


def selective(g, own):
    step = softplus(g[0])
    return np.exp(-np.exp(own[0]) * step), step * g[1] * g[2]


# The coefficients again, typed by hand.
BY_HAND = {
    "rglru": rglru,
    "selective": selective,
    "mingru": lambda g, own: (1 - sigmoid(g[0]), sigmoid(g[0]) * g[1]),
    "gla": lambda g, own: (sigmoid(g[0]) ** (1 / 16), g[1] * g[2]),
    "hgrn2": lambda g, own: (
        own[0] + (1 - own[0]) * sigmoid(g[0]),
        (1 - own[0]) * (1 - sigmoid(g[0])) * g[1],
    ),
    "mlstm": lambda g, own: (sigmoid(g[0]), np.exp(g[1]) * g[2] * g[3]),
    "gate-unit": lambda g, own: (sigmoid(g[0]), (1 - sigmoid(g[0])) * g[1]),
}


def neurons(name, d=2, n=2, seed=0, size=1.0):
    generator, gate = np.random.default_rng(seed), GATES[name]
    k = len(gate.projections)
    return Neurons(
        gate,
        size * generator.normal(size=(n, k, d)) / math.sqrt(d),
        0.5 * generator.normal(size=(n, k)),
        0.5 * generator.normal(size=(n, len(gate.parameters))) - 1,
    )


def gate_name(population):
    return next(name for name, gate in GATES.items() if gate == population.gate)


@pytest.mark.parametrize("spread", [0.5, 1.5, 3.0])
def test_an_exponential_gate_has_the_moment_of_a_lognormal(spread):
    """``E exp(2 s z) = exp(2 s^2)``, most of which is far from the Gaussian's middle."""
    weights = np.zeros((1, 4, 2))
    weights[0, 1, 0], weights[0, 2, 1] = spread, 1.0
    offsets = np.array([[0.0, 0.0, 0.0, 1.0]])
    population = Neurons(GATES["mlstm"], weights, offsets, np.zeros((1, 0)))
    exact = math.exp(2 * spread**2)
    for options in ({}, {"spread": 3.0}):
        moment = gated_state_moment(population, steps=1, **options)
        np.testing.assert_allclose(moment.value, exact, rtol=1e-9)
    assert [name for name, gate in GATES.items() if gate.exponential] == ["mlstm"]


def last_states(population, u, steps=STEPS):
    """States after the inputs, of each neuron, by the hand's coefficients."""
    h = np.zeros((len(population.weights), len(u)))
    for t in range(steps):
        g = (
            np.einsum("nkd,sd->kns", population.weights, u[:, t])
            + population.offsets.T[:, :, None]
        )
        a, b = BY_HAND[gate_name(population)](g, population.parameters.T[:, :, None])
        h = a * h + b
    return h


def sequences(law):
    rows = itertools.product(range(len(law.values)), repeat=STEPS)
    index = np.array(list(rows))
    return law.values[index], law.probabilities[index].prod(1)


def shifted(population, field, index, amount):
    moved = getattr(population, field).copy()
    moved[(slice(None), *index)] += amount
    return population._replace(**{field: moved})


def differenced(population, field, index, u):
    ahead, behind = (
        last_states(shifted(population, field, index, sign * STEP), u)
        for sign in (1, -1)
    )
    return (ahead - behind) / (2 * STEP)


LAW = Law(np.array([[1.5, -0.3], [-0.8, 1.1], [0.2, 0.9]]), np.array([0.5, 0.3, 0.2]))


@pytest.mark.parametrize("name", GATES)
def test_every_moment_is_that_of_every_sequence(name):
    population, (u, p) = neurons(name), sequences(LAW)
    moment = gated_state_moment(population, law=LAW, steps=STEPS).value
    np.testing.assert_allclose(moment, last_states(population, u) ** 2 @ p, rtol=1e-12)
    parameters = [("offsets", k) for k in range(population.offsets.shape[1])]
    parameters += [("parameters", k) for k in range(population.parameters.shape[1])]
    symbols = GATES[name].symbols
    for (field, index), by in zip(parameters, symbols, strict=True):
        exact = differenced(population, field, (index,), u) ** 2 @ p
        moment = gated_sensitivity_moment(
            population, str(by), law=LAW, steps=STEPS
        ).value
        np.testing.assert_allclose(moment, exact, rtol=1e-7, atol=1e-12)
    for k, by in enumerate(GATES[name].projections):
        exact = [
            differenced(population, "weights", (k, j), u) ** 2 @ p for j in range(2)
        ]
        moment = gated_sensitivity_moment(
            population, str(by), directions="each", law=LAW, steps=STEPS
        )
        np.testing.assert_allclose(moment.value, sum(exact), rtol=1e-7)


@pytest.mark.parametrize("name", GATES)
def test_gaussian_inputs_are_the_limit_of_laws_of_more_values(name):
    """A product rule in two inputs, fine enough, against rules in the projections."""
    population = neurons(name)
    line = 0.2 * np.arange(-45, 46)
    density = np.exp(-(line**2) / 2)
    grid = np.array(list(itertools.product(line, line)))
    fine = Law(grid, np.outer(density, density).ravel() / density.sum() ** 2)
    by = str(GATES[name].projections[0])
    for steps in (4, None):
        exact = gated_state_moment(population, law=fine, steps=steps).value
        moment = gated_state_moment(population, steps=steps)
        np.testing.assert_allclose(moment.value, exact, rtol=1e-10)
        exact = gated_sensitivity_moment(
            population, by, directions="each", law=fine, steps=steps
        ).value
        moment = gated_sensitivity_moment(
            population, by, directions="each", steps=steps
        )
        np.testing.assert_allclose(moment.value, exact, rtol=1e-8)


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("d", [1, 7])
def test_each_weight_is_every_direction(name, d):
    """Inputs outside of the span count, and none that do not exist."""
    population = neurons(name, d=d, seed=3)
    for by in GATES[name].projections:
        each = gated_sensitivity_moment(population, str(by), directions="each").value
        rows = gated_sensitivity_moment(population, str(by), directions=np.eye(d)).value
        np.testing.assert_allclose(each, rows, rtol=1e-11)


@pytest.mark.parametrize("size", [0.3, 1.0, 4.0])
def test_the_stated_error_is_no_less_than_the_error(size):
    population = neurons("rglru", size=size, seed=5)
    moment = gated_sensitivity_moment(population, "r", directions="each")
    line = 0.05 * np.arange(-180, 181) if size > 1 else 0.1 * np.arange(-90, 91)
    density = np.exp(-(line**2) / 2)
    grid = np.array(list(itertools.product(line, line)))
    fine = Law(grid, np.outer(density, density).ravel() / density.sum() ** 2)
    exact = gated_sensitivity_moment(population, "r", directions="each", law=fine).value
    assert (moment.error < 0.02 * exact).all()
    assert (np.abs(moment.value - exact) <= moment.error + 1e-12 * exact).all()


def test_the_size_of_inputs_is_that_of_the_weights():
    population = neurons("mingru")
    double = population._replace(weights=2 * population.weights)
    moment = gated_state_moment(population, scale=2.0).value
    np.testing.assert_allclose(moment, gated_state_moment(double).value, rtol=1e-12)


def test_finite_times_reach_the_limit():
    population = neurons("mingru")
    limit = gated_sensitivity_moment(population, "r", directions="each").value
    long = gated_sensitivity_moment(
        population, "r", directions="each", steps=2000
    ).value
    short = gated_sensitivity_moment(population, "r", directions="each", steps=2).value
    np.testing.assert_allclose(long, limit, rtol=1e-10)
    assert (short < 0.9 * limit).all()


def test_an_infinite_moment_says_what_is_finite():
    known = {"a": 0.5, "b": 0.0, "aa": 1.25, "ab": 0.0, "bb": 1.0}
    with pytest.raises(ValueError, match=r"infinite: E a\^2 = 1.25 >= 1"):
        second_moment(known)
    assert second_moment(known, steps=2) == 2.25
    saturated = neurons("gate-unit")._replace(offsets=np.full((2, 2), 600.0))
    with pytest.raises(ValueError, match="no stationary state; pass steps"):
        gated_state_moment(saturated)


def test_the_tail_is_the_golden_ratio():
    """``(2^k + 4^-k) / 2 = 1`` at ``2^k = (1 + sqrt 5) / 2``."""
    half = np.array([0.5, 0.5])
    kappa = tail_index(np.array([2.0, 0.25]), half)
    assert kappa == pytest.approx(math.log2((1 + math.sqrt(5)) / 2), rel=1e-12)
    assert tail_index(np.array([0.9, -1.0]), half) == math.inf
    assert tail_index(np.array([2.0, 0.5]), half) == 0.0


def test_nodes_integrate_a_gaussian():
    nodes = gaussian_nodes(1, 1, 1.0)
    assert nodes.weights.sum() == pytest.approx(1, rel=1e-14)
    x, y = nodes.z.T
    assert nodes.weights @ (x**4 * y**4) == pytest.approx(9, rel=1e-13)
    assert nodes.coarse @ x**2 == pytest.approx(1, rel=1e-6)
    with pytest.raises(ValueError, match="finite spread"):
        gaussian_nodes(1, 1, math.inf)


def test_slopes_are_those_of_the_gate():
    assert derivatives(RGLRU)[Lambda][0] == RGLRU.a.diff(Lambda)


def test_the_mean_over_time_is_that_of_each_step():
    population = neurons("mingru")
    for quantity in ("state", "r"):

        def moment(quantity=quantity, **options):
            if quantity == "state":
                return gated_state_moment(population, **options).value
            return gated_sensitivity_moment(
                population, quantity, directions="each", **options
            ).value

        each = [moment(steps=steps) for steps in range(1, 6)]
        average = moment(steps=5, average=True)
        np.testing.assert_allclose(average, np.mean(each, axis=0), rtol=1e-12)
