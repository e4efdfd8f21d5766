"""Moments of outputs, of queries' gradients and of gradients by inputs, by two routes."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import replace
from sigprop.linear.gated_moments import predict_input_gradient, predict_output
from sigprop.neuron.neurons import read_by
from sigprop.theory import gated_moments as theory
from tests.sigprop.linear.test_gated_moments import LAYERS, build, law
from tests.sigprop.linear.test_own_gates import Own
from tests.sigprop.linear.test_own_gates import build as build_own

READS = {
    "gla": ("W_q",),
    "selective": ("W_C", "D"),
    "ssd": ("W_C",),
    "gate-unit": ("C", "D"),
    "deltanet": ("W_q",),
    "gated-deltanet": ("W_q",),
}
NEURONS = sorted(set(LAYERS) - {"deltanet", "gated-deltanet"})
UNREAD = {"hgrn2", "mlstm"}  # whose outputs are no sums of queries and states
READ = sorted(set(LAYERS) - UNREAD)


def sequences(inputs, steps):
    index = np.array(list(itertools.product(range(len(inputs.values)), repeat=steps)))
    return jnp.asarray(inputs.values[index]), inputs.probabilities[index].prod(1)


def output_squares(layer, u, names=()):
    """``|y|^2`` at the end, and squares of its derivatives by a parameter."""
    samples = {"output": (jax.vmap(layer)(u)[:, -1] ** 2).sum(1)}
    for name in names:

        def last(value, sequence, name=name):
            return replace(layer, {name: value})(sequence)[-1]

        jacobian = jax.vmap(jax.jacrev(last), (None, 0))(getattr(layer, name), u)
        samples[name] = (jacobian**2).reshape(len(u), -1).sum(1)
    return {key: np.asarray(value) for key, value in samples.items()}


@pytest.mark.parametrize("name", READ)
def test_outputs_are_those_of_every_sequence(name, x64):
    layer = build(name, 3)
    inputs = law(layer.widths[0], 4)
    for steps in (1, 4):
        u, p = sequences(inputs, steps)
        samples = output_squares(layer, u, READS.get(name, ()))
        moments = predict_output(layer, law=inputs, steps=steps)
        assert set(moments) == set(samples)
        for quantity, values in samples.items():
            exact = pytest.approx(float(p @ values), rel=1e-10)
            assert moments[quantity].value == exact, quantity


@pytest.mark.parametrize("name", sorted({*NEURONS} - UNREAD))
@pytest.mark.sampled(2)
def test_outputs_are_those_of_samples(name, x64):
    layer, num, steps = build(name, 5), 40_000, 6
    u = jax.random.normal(jax.random.key(12), (num, steps, layer.widths[0]))
    samples = output_squares(layer, 0.8 * u, READS.get(name, ()))
    moments = predict_output(layer, scale=0.8, steps=steps)
    for quantity, values in samples.items():
        value, error = moments[quantity]
        sem = values.std() / num**0.5
        assert abs(values.mean() - value) < 5 * sem + error, quantity
        assert sem < 0.1 * value
        assert error < 1e-4 * value


@pytest.mark.parametrize("name", ["mingru", "selective", "gate-unit", "deltanet"])
def test_outputs_reach_their_limit(name, x64):
    layer = build(name, 6)
    options = {"law": law(layer.widths[0], 7)} if name == "deltanet" else {}
    limit = predict_output(layer, **options)
    many = predict_output(layer, steps=4000, **options)
    for quantity, (value, _) in limit.items():
        assert many[quantity].value == pytest.approx(value, rel=1e-8)


def input_squares(layer, u, lag):
    """Squares of the last state's derivatives by the input of a lag, added up."""

    def last(now, sequence):
        return layer.states(sequence.at[-1 - lag].set(now))[-1]

    jacobian = jax.vmap(jax.jacrev(last))(u[:, -1 - lag], u)
    return np.asarray((jacobian**2).reshape(len(u), -1).sum(1))


@pytest.mark.parametrize("name", NEURONS)
@pytest.mark.parametrize("lag", [0, 2])
@pytest.mark.sampled(kind="name")
def test_gradients_by_inputs_are_those_of_every_sequence(name, lag, x64):
    layer, steps = build(name, 3), 4
    inputs = law(layer.widths[0], 5)
    u, p = sequences(inputs, steps)
    exact = float(p @ input_squares(layer, u, lag))
    moment = predict_input_gradient(layer, lag, law=inputs, steps=steps)
    assert moment.value == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("name", NEURONS)
@pytest.mark.sampled(3)
def test_gradients_by_inputs_are_those_of_samples(name, x64):
    layer, num, steps, lag = build(name, 4), 40_000, 6, 2
    u = 0.8 * jax.random.normal(jax.random.key(13), (num, steps, layer.widths[0]))
    samples = input_squares(layer, u, lag)
    value, error = predict_input_gradient(layer, lag, scale=0.8, steps=steps)
    sem = samples.std() / num**0.5
    assert abs(samples.mean() - value) < 5 * sem + error
    assert sem + error < 0.05 * value


def test_gradients_by_inputs_reach_their_limit():
    layer = build("rglru", 6)
    limit = predict_input_gradient(layer, 4).value
    many = predict_input_gradient(layer, 4, steps=4000).value
    assert many == pytest.approx(limit, rel=1e-9)


class Read(Own):
    """The user's own readout: a gain an output, and the input beside it."""

    def read(self, h, u):
        return 2 * h[:, :2] + u[:, :2]

    widths = property(lambda self: (4, 2))

    def neurons(self):
        (part,) = super().neurons()
        mixing, skip = 2 * np.eye(2, 3), np.eye(2, 4)
        return [part._replace(readout=read_by(mixing, width=4, skip=skip))]


def test_an_own_layer_has_outputs_if_it_says_how_they_read(x64):
    layer, inputs = build_own(Read, 2), law(4, 9)
    u, p = sequences(inputs, 4)
    exact = p @ output_squares(layer, u)["output"]
    moment = predict_output(layer, law=inputs, steps=4)["output"]
    assert moment.value == pytest.approx(float(exact), rel=1e-10)
    with pytest.raises(ValueError, match=r"need neurons\(\) of Own to give a readout"):
        predict_output(build_own(Own, 2), law=inputs)


def test_no_steps_leave_no_output():
    for name in ("gla", "deltanet"):
        inputs = law(build(name).widths[0], 1)
        moments = predict_output(build(name), law=inputs, steps=0)
        assert all(value == 0 for value, _ in moments.values())


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: predict_output(build("deltanet")),
            ValueError,
            "need a law for outputs of the delta rule, got Gaussian inputs",
        ),
        (
            lambda: predict_input_gradient(build("deltanet"), 1),
            TypeError,
            "need a layer of numbers a neuron for gradients by inputs, got DeltaNet",
        ),
        (
            lambda: predict_input_gradient(build("mingru"), 3, steps=3),
            ValueError,
            "need steps >= 4",
        ),
        (
            lambda: read_by(np.eye(2), np.ones((3, 3)), width=3),
            ValueError,
            r"need rows of shape \(neurons, width\) = \(2, 3\), got shape \(3, 3\)",
        ),
        (
            lambda: read_by(np.ones(2), width=3),
            ValueError,
            r"need mixing of shape \(outputs, neurons\), got shape \(2,\)",
        ),
    ],
)
def test_what_has_no_such_moment_is_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_a_pair_of_one_neuron_is_the_state():
    E, M = theory.EXPECTATIONS, theory.MOMENTS[1, 0]
    same = {
        theory.E_AA: E["aa"],
        theory.E_AB: E["ab"],
        theory.E_BA: E["ab"],
        theory.E_BB: E["bb"],
        theory.FIRST: M,
        theory.OTHER: M,
    }
    limit = theory.limit("state").result.subs(E["b"], M * (1 - E["a"]))
    assert (theory.pair_limit().result.subs(same) - limit).simplify() == 0
