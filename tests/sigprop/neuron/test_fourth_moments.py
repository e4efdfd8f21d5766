"""Fourth moments and lagged moments of neurons: enumeration, samples, and no limit."""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from sympy import exp, symbols

from sigprop.neuron.gated import (
    gated_fourth_moment,
    gated_lagged_moment,
    gated_state_moment,
)
from sigprop.neuron.gated_simulation import by_gate
from sigprop.neuron.neurons import describe
from sigprop.neuron.random_coefficients import fourth_moment as of_expectations
from sigprop.neuron.random_coefficients import tail_index
from sigprop.theory.gated_moments import PRODUCTS
from sigprop.theory.gates import GATES, Gate
from tests.sigprop.neuron.test_gated import LAW, STEPS, last_states, neurons, sequences

f, z = symbols("f z", real=True)
STEEP = Gate(exp(f - 1), z, (f, z))  # log-normal: a may exceed one


@pytest.mark.parametrize("name", GATES)
def test_fourth_moments_are_those_of_every_sequence(name):
    population, (u, p) = neurons(name, seed=4), sequences(LAW)
    moment = gated_fourth_moment(population, law=LAW, steps=STEPS).value
    np.testing.assert_allclose(moment, last_states(population, u) ** 4 @ p, rtol=1e-12)


@pytest.mark.parametrize("name", GATES)
@pytest.mark.parametrize("lag", [0, 1, 2])
def test_lagged_moments_are_those_of_every_sequence(name, lag):
    population, (u, p) = neurons(name, seed=5), sequences(LAW)
    late, steps = last_states(population, u), STEPS - lag
    early = last_states(population, u[:, :steps], steps)
    moment = gated_lagged_moment(population, lag, law=LAW, steps=steps).value
    np.testing.assert_allclose(moment, (early * late) @ p, rtol=1e-12)


def sampled(population, steps, num, seed):
    """States of Gaussian inputs at the last two steps but one, in JAX."""
    hand = by_gate(population.gate)
    weights, offsets, own = (jnp.asarray(one) for one in population[1:])

    def step(h, u):
        at = jnp.einsum("nkd,sd->kns", weights, u) + offsets.T[:, :, None]
        a, b = hand(list(at), [row[:, None] for row in own.T])
        h = a * h + b
        return h, h

    u = jax.random.normal(jax.random.key(seed), (steps, num, weights.shape[2]))
    zero = jnp.zeros((len(weights), num))
    return np.asarray(jax.lax.scan(step, zero, u)[1])


@pytest.mark.parametrize("name", GATES)
def test_gaussian_inputs_are_those_of_samples(name, x64):
    size = (
        0.4 if name == "mlstm" else 1.0
    )  # samples miss the tails of a steep exponential
    population = neurons(name, seed=6, d=3, size=size)
    h = sampled(population, 9, 200_000, seed=7)
    cases = (
        (h[-1] ** 4, gated_fourth_moment(population, steps=9)),
        (h[4] * h[-1], gated_lagged_moment(population, 4, steps=5)),
    )
    for samples, moment in cases:
        mean, sem = samples.mean(1), samples.std(1) / math.sqrt(200_000)
        assert (abs(mean - moment.value) < 6 * sem + moment.error).all()
        assert (moment.error < 1e-6 * abs(moment.value)).all()


@pytest.mark.parametrize("name", GATES)
def test_many_steps_reach_the_limit(name):
    population = neurons(name, seed=8)
    limit, many = (
        gated_fourth_moment(population),
        gated_fourth_moment(population, steps=3000),
    )
    np.testing.assert_allclose(many.value, limit.value, rtol=1e-9)
    assert (limit.value >= gated_state_moment(population).value ** 2).all()
    limit = gated_lagged_moment(population, 3).value
    many = gated_lagged_moment(population, 3, steps=3000).value
    np.testing.assert_allclose(many, limit, rtol=1e-9)


def test_the_scale_is_that_of_the_weights():
    population = neurons("gla", seed=9)
    double = population._replace(weights=2 * population.weights)
    for moment in (
        gated_fourth_moment,
        lambda n, **more: gated_lagged_moment(n, 2, **more),
    ):
        np.testing.assert_allclose(
            moment(population, scale=2.0).value, moment(double).value, rtol=1e-12
        )


def lognormal(spread):
    rows = {"f": np.array([[spread, 0.0]]), "z": np.array([[0.0, 1.0]])}
    return describe(STEEP, rows).neurons


def test_kesten_decides_which_moments_are_finite():
    """``E a^kappa = exp(kappa^2 spread^2 / 2 - kappa)``: one at ``2 / spread^2``."""
    wide = lognormal(0.8)  # 3.125
    assert np.isfinite(gated_state_moment(wide).value).all()
    wanted = (
        r"infinite: it needs E a\^4 < 1, got 3.06.* is 3.125: moments of order below"
    )
    with pytest.raises(ValueError, match=wanted):
        gated_fourth_moment(wide)
    assert np.isfinite(gated_fourth_moment(wide, steps=5).value).all()
    narrow = lognormal(0.6)  # 5.6
    E = {n: math.exp(n**2 * 0.36 / 2 - n) for n in (2, 4)}
    second = 1 / (1 - E[2])
    exact = (3 + 6 * E[2] * second) / (1 - E[4])
    moment = gated_fourth_moment(narrow)
    assert abs(moment.value[0] - exact) <= moment.error[0] < 1e-6 * exact


def test_expectations_alone_name_the_condition():
    a, p = np.array([1.2, 0.3]), np.array([0.5, 0.5])
    known = {n: float((a ** n.count("a") * 1.0) @ p) for n in PRODUCTS}
    assert 2 < tail_index(a, p) < 4
    with pytest.raises(ValueError, match=r"needs E a\^4 < 1, got 1.04.* at most 4"):
        of_expectations(known)
    with pytest.raises(ValueError, match="need known of a, b, aa"):
        of_expectations({"a": 0.5})
    with pytest.raises(ValueError, match="need lost of a, aa, aaa, aaaa, got a"):
        of_expectations(known, lost={"a": 0.5})
    h = {0.0: 1.0}
    for _ in range(6):
        h2 = {}
        for state, chance in h.items():
            for value in a:
                after = value * state + 1
                h2[after] = h2.get(after, 0.0) + chance / 2
        h = h2
    exact = sum(chance * state**4 for state, chance in h.items())
    assert of_expectations(known, steps=6) == pytest.approx(exact, rel=1e-12)


def test_a_negative_lag_is_refused():
    with pytest.raises(ValueError, match="need lag >= 0"):
        gated_lagged_moment(neurons("mingru"), -1)
