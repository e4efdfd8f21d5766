"""Moments of the two sums of an sLSTM whose gates see the input alone, by two routes."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import replace
from sigprop.layers.slstm import slstm
from sigprop.linear.gated_moments import (
    covered,
    enumerate_gated,
    lagged_gated,
    predict_gated,
    predict_input_gradient,
    predict_output,
    squares,
)
from sigprop.numerics.precision import double_precision
from tests.sigprop.layers.test_gated import perturbed
from tests.sigprop.linear.test_gated_moments import law

WIDTH, STEPS = 3, 4
ENDS = {"sigmoid": (2.0, -1.0), "exponential": (0.5, -2.0)}
by_forget = pytest.mark.parametrize("forget", ENDS)


@functools.cache
def build(forget, gain=0.0):
    """A layer whose biases are not zero, and whose gates see the state if it has a gain."""
    with double_precision(True):
        drawn = slstm(
            WIDTH, WIDTH, key=jax.random.key(1), forget=forget, ends=ENDS[forget]
        )
        moved = perturbed(drawn)
        return replace(
            moved, {f"R_{gate}": gain * getattr(moved, f"R_{gate}") for gate in "ifzo"}
        )


@pytest.mark.usefixtures("x64")
@by_forget
def test_every_moment_is_that_of_every_sequence(forget):
    layer, inputs = build(forget), law(WIDTH, 2)
    exact = enumerate_gated(layer, inputs, 5)
    moments = predict_gated(layer, law=inputs, steps=5)
    names = {"state", "W_i", "W_f", "W_z", "b_i", "b_f", "b_z"}
    assert set(moments) == {"state", *covered(layer)} == set(exact) == names
    for quantity, value in exact.items():
        assert moments[quantity].value == pytest.approx(value, rel=1e-10), quantity


@pytest.mark.usefixtures("x64")
@by_forget
@pytest.mark.parametrize("lag", [0, 2])
def test_lagged_sums_are_those_of_every_sequence(forget, lag):
    layer, inputs = build(forget), law(WIDTH, 3)
    index = np.array(list(itertools.product(range(2), repeat=STEPS + lag)))
    h = jax.vmap(lambda u: layer.sums(layer.states(u)))(
        jnp.asarray(inputs.values[index])
    )
    exact = inputs.probabilities[index].prod(1) @ (h[:, STEPS - 1] * h[:, -1]).sum(1)
    moment = lagged_gated(layer, lag, law=inputs, steps=STEPS)
    assert moment.value == pytest.approx(float(exact), rel=1e-11)


@pytest.mark.usefixtures("x64")
@by_forget
def test_gradients_by_inputs_are_those_of_every_sequence(forget):
    layer, inputs, lag = build(forget), law(WIDTH, 3), 2
    index = np.array(list(itertools.product(range(2), repeat=STEPS)))

    def last(u):
        return layer.sums(layer.states(u))[-1]

    jacobian = jax.vmap(jax.jacrev(last))(jnp.asarray(inputs.values[index]))
    squared = (jacobian[:, :, STEPS - 1 - lag] ** 2).sum((1, 2))
    exact = float(inputs.probabilities[index].prod(1) @ squared)
    moment = predict_input_gradient(layer, lag, law=inputs, steps=STEPS)
    assert moment.value == pytest.approx(exact, rel=1e-10)


@pytest.mark.usefixtures("x64")
@by_forget
def test_moments_of_gaussian_inputs_are_those_of_samples(forget):
    """A right moment fails once in 500 000; weights are small, so that tails are sampled."""
    layer, num, scale = build(forget), 40_000, 0.4
    u = scale * jax.random.normal(jax.random.key(8), (num, STEPS, WIDTH))
    moments = predict_gated(layer, scale=scale, steps=STEPS)
    for name, samples in squares(layer)(u).items():
        value, error = moments[name]
        sem = float(samples.std()) / num**0.5
        assert abs(float(samples.mean()) - value) < 6 * sem + error, name
        assert sem < 0.03 * value
        assert error < 1e-4 * value


def test_sums_of_a_sigmoid_gate_have_a_limit():
    layer = build("sigmoid")
    few, many, limit = (predict_gated(layer, steps=steps) for steps in (2, 2000, None))
    assert few["state"].value < 0.9 * limit["state"].value
    for name, (value, _) in limit.items():
        assert many[name].value == pytest.approx(value, rel=1e-8)


def test_sums_of_an_exponential_gate_above_one_have_none():
    layer = build("exponential")
    grown = replace(layer, {"b_f": jnp.full(WIDTH, 0.2)})
    with pytest.raises(ValueError, match="infinite"):
        predict_gated(grown)
    assert predict_gated(grown, steps=9)["state"].value > 0


def test_gates_that_see_the_state_are_refused_in_one_line():
    layer = build("sigmoid", 0.1)
    with pytest.raises(TypeError) as refused:
        predict_gated(layer)
    assert "\n" not in str(refused.value)
    for part in ("recurrent matrices", "zeros", "SLSTM", "measure"):
        assert part in str(refused.value)
    one = replace(build("sigmoid"), {"R_o": layer.R_o})
    with pytest.raises(TypeError, match="recurrent matrices"):
        covered(one)
    with pytest.raises(TypeError, match="recurrent matrices"):
        jax.jit(lambda R: predict_gated(replace(layer, {"R_i": R}))["state"].value)(
            layer.R_i
        )


def test_a_prediction_has_a_derivative_by_a_bias():
    layer = build("sigmoid")

    def state(b_f):
        moved = replace(layer, {"b_f": b_f})
        return predict_gated(moved, steps=5, spread=1.0, names=["state"])["state"].value

    with double_precision(True):
        slope = jax.grad(state)(layer.b_f)[0]
        ahead, behind = (state(layer.b_f.at[0].add(step)) for step in (1e-5, -1e-5))
    assert slope == pytest.approx((ahead - behind) / 2e-5, rel=1e-6)


# --- outputs at constant gates --------------------------------------------------------


def constant(forget, **values):
    """The layer with constant forget and input gates."""
    layer = build(forget)
    return replace(layer, {"W_f": 0 * layer.W_f, "W_i": 0 * layer.W_i, **values})


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("steps", [1, 5])
@by_forget
def test_outputs_at_constant_gates_are_those_of_every_sequence(forget, steps):
    # With forget gates below one, of one and above one.
    b_f = jnp.array([-0.7, 0.0, 0.4])
    layer, inputs = constant(forget, b_f=b_f), law(WIDTH, 5)
    index = np.array(list(itertools.product(range(2), repeat=steps)))
    u = jnp.asarray(inputs.values[index])
    y = jax.vmap(layer)(u)[:, -1:]
    mass = inputs.probabilities[index].prod(1)
    exact = float(mass @ (y**2).sum((1, 2)))
    moment = predict_output(layer, law=inputs, steps=steps)["output"]
    assert moment.value == pytest.approx(exact, rel=1e-10)


@pytest.mark.usefixtures("x64")
@by_forget
def test_outputs_of_gaussian_inputs_are_those_of_samples(forget):
    """A right moment fails once in 500 million."""
    layer, num, steps, scale = constant(forget), 40_000, 6, 0.7
    u = scale * jax.random.normal(jax.random.key(9), (num, steps, WIDTH))
    squared = np.asarray((jax.vmap(layer)(u)[:, -1] ** 2).sum(1))
    value, error = predict_output(layer, scale=scale, steps=steps)["output"]
    sem = squared.std() / num**0.5
    assert abs(squared.mean() - value) < 6 * sem + error
    assert sem < 0.02 * value
    assert error < 1e-6 * value


@pytest.mark.usefixtures("x64")
@by_forget
def test_outputs_at_constant_gates_reach_their_limit(forget):
    layer = constant(forget, b_f=jnp.array([-0.5, -1.0, 0.3]))
    few, many, limit = (
        predict_output(layer, steps=steps)["output"].value for steps in (3, 300, None)
    )
    assert many == pytest.approx(limit, rel=1e-9)
    assert abs(few / limit - 1) > 0.01
    assert predict_output(layer, steps=0)["output"].value == 0


def test_outputs_of_gates_that_move_are_refused():
    with pytest.raises(ValueError, match="need W_f and W_i of zeros"):
        predict_output(build("sigmoid"), steps=3)
    with pytest.raises(TypeError, match="recurrent matrices"):
        predict_output(build("sigmoid", 0.1), steps=3)
