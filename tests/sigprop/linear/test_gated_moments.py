"""Moments of whole gated layers are those of every sequence through the layer."""

import itertools

import jax
import numpy as np
import pytest

from sigprop.layers import projected
from sigprop.layers.base import replace
from sigprop.layers.deltanet import deltanet, gated_deltanet
from sigprop.layers.gated import gated_unit
from sigprop.layers.gla import gla
from sigprop.layers.gru import gru
from sigprop.layers.hgrn2 import hgrn2
from sigprop.layers.mingru import mingru
from sigprop.layers.mlstm import mlstm
from sigprop.layers.rglru import rglru
from sigprop.layers.selective import selective
from sigprop.layers.ssd import ssd
from sigprop.linear import gated_moments
from sigprop.linear.gated_moments import (
    covered,
    enumerate_gated,
    lagged_gated,
    predict_gated,
    predict_key_gradient,
)
from sigprop.neuron.quadrature import Law
from sigprop.numerics.precision import double_precision

KEY = jax.random.key(1)
LAYERS = {
    "rglru": lambda key: rglru(4, 4, key=key, heads=2, radii=(0.5, 0.9)),
    "mingru": lambda key: mingru(3, 4, key=key),
    "selective": lambda key: selective(2, 3, key=key, steps=(0.05, 0.5)),
    "ssd": lambda key: ssd(2, 4, key=key, heads=2, groups=1, steps=(0.005, 0.05)),
    "gla": lambda key: gla(2, 4, key=key, heads=2, rank=3),
    "hgrn2": lambda key: hgrn2(2, 4, key=key, heads=2, bound=0.3),
    "mlstm": lambda key: mlstm(2, 4, key=key, heads=2, offsets=(0.5, 2.0)),
    "gate-unit": lambda key: gated_unit(
        3, 3, key=key, d_out=2, times=(2.0, 9.0), state_gain=0
    ),
    "deltanet": lambda key: deltanet(2, 4, key=key, heads=2),
    "gated-deltanet": lambda key: gated_deltanet(2, 6, key=key, heads=1),
}


def build(name, seed=0):
    with double_precision(True):
        return jax.jit(LAYERS[name])(jax.random.key(seed))


def law(width, seed):
    values = np.random.default_rng(seed).normal(size=(2, width))
    return Law(values, np.array([0.65, 0.35]))


@pytest.mark.parametrize("name", LAYERS)
def test_every_moment_is_that_of_every_sequence(name, x64):
    for seed in (0, 1):
        layer = build(name, seed)
        inputs = law(layer.widths[0], seed)
        exact = enumerate_gated(layer, inputs, 5)
        moments = predict_gated(layer, law=inputs, steps=5)
        assert set(moments) == {"state", *covered(layer)} == set(exact)
        for quantity, value in exact.items():
            assert moments[quantity].value == pytest.approx(value, rel=1e-10), quantity


@pytest.mark.parametrize("name", LAYERS)
def test_every_moment_of_inputs_that_stay_is_that_of_every_sequence(name, x64):
    layer = build(name, 2)
    inputs = law(layer.widths[0], 3)
    exact = enumerate_gated(layer, inputs, 5, rho=0.6)
    moments = predict_gated(layer, law=inputs, terms=((1.0, 0.6),), steps=5)
    for quantity, value in exact.items():
        assert moments[quantity].value == pytest.approx(value, rel=1e-10), quantity
    apart = enumerate_gated(layer, inputs, 5)["state"] / exact["state"]
    assert abs(apart - 1) > 1e-3


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("lag", [0, 1, 3])
def test_lagged_states_are_those_of_every_sequence(name, lag, x64):
    layer, steps = build(name, 3), 2
    inputs = law(layer.widths[0], 4)
    index = np.array(list(itertools.product(range(2), repeat=steps + lag)))
    p = inputs.probabilities[index].prod(1)
    h = jax.vmap(layer.states)(jax.numpy.asarray(inputs.values[index]))
    exact = p @ np.asarray((h[:, steps - 1] * h[:, -1]).sum(1))
    moment = lagged_gated(layer, lag, law=inputs, steps=steps)
    assert moment.value == pytest.approx(exact, rel=1e-11)


@pytest.mark.parametrize("name", sorted(set(LAYERS) - {"gated-deltanet"}))
def test_lagged_states_are_those_of_samples(name, x64):
    layer, num = build(name, 4), 40_000
    u = jax.random.normal(jax.random.key(11), (num, 8, layer.widths[0]))
    h = jax.vmap(layer.states)(u)
    samples = np.asarray((h[:, 4] * h[:, 7]).sum(1))
    moment = lagged_gated(layer, 3, steps=5)
    sem = samples.std() / num**0.5
    assert abs(samples.mean() - moment.value) < 5 * sem + moment.error
    assert moment.error < 0.05 * abs(moment.value)


def test_the_scale_of_inputs_that_remember_is_that_of_their_terms():
    layer = build("mingru")
    scaled = predict_gated(layer, scale=2.0, terms=((0.25, 0.8),), steps=3)
    sized = predict_gated(layer, terms=((1.0, 0.8),), steps=3)
    assert scaled["W_z"].value == pytest.approx(sized["W_z"].value, rel=1e-12)
    assert scaled["state"].error < 1e-3 * scaled["state"].value


@pytest.mark.parametrize("name", sorted(set(LAYERS) - {"gated-deltanet"}))
def test_gaussian_moments_reach_their_limit(name):
    layer = build(name)
    few, many, limit = (predict_gated(layer, steps=steps) for steps in (1, 4000, None))
    assert 0 < few["state"].value < 0.9 * limit["state"].value
    for quantity, (value, error) in limit.items():
        assert many[quantity].value == pytest.approx(value, rel=1e-8)
        assert error < 1e-2 * value


def test_larger_inputs_count():
    layer = build("mingru")
    ratio = predict_gated(layer, scale=3.0)["W_v"].value
    assert ratio > 4 * predict_gated(layer)["W_v"].value


def test_no_steps_leave_nothing():
    moments = predict_gated(build("mingru"), steps=0)
    assert all(value == 0 for value, _ in moments.values())


@pytest.mark.parametrize(
    ("layer", "options", "error", "message"),
    [
        (lambda key: gru(3, 2, key=key, times=(2, 4)), {}, TypeError, "RGLRU.*got GRU"),
        (
            lambda key: gated_unit(3, 3, key=key, d_out=2, times=(2, 4)),
            {},
            TypeError,
            "need a gate that sees the input alone",
        ),
        (
            LAYERS["deltanet"],
            {"terms": ((1.0, 0.5),)},
            ValueError,
            "need steps for heads of the delta rule whose inputs remember, got none",
        ),
        (LAYERS["mingru"], {"scale": 0.0}, ValueError, "need a finite scale > 0"),
        (LAYERS["mingru"], {"steps": -1}, ValueError, "need steps >= 0"),
    ],
)
def test_what_has_no_such_moments_is_refused(layer, options, error, message):
    with pytest.raises(error, match=message):
        predict_gated(layer(jax.random.key(0)), **options)


def test_a_gate_that_never_closes_says_so(x64):
    layer = build("mingru")
    open_for_ever = jax.tree.map(lambda leaf: leaf * 0 - 400, layer)
    with pytest.raises(ValueError, match=r"infinite: E a\^2 = 1 >= 1"):
        predict_gated(open_for_ever, scale=1e-3)


def test_too_many_sequences_are_refused():
    layer = build("mingru")
    with pytest.raises(ValueError, match="need at most 65536 sequences"):
        enumerate_gated(layer, law(4, 0), 17)


def key_squares(layer, u):
    """``|d(v . h)/dW_k|^2`` at the end, by JAX through the layer."""

    def last(W_k, sequence):
        return replace(layer, {"W_k": W_k}).states(sequence)[-1]

    jacobian = jax.vmap(jax.jacrev(last), (None, 0))(layer.W_k, u)
    return np.asarray((jacobian**2).reshape(len(u), -1).sum(1))


@pytest.mark.parametrize("name", ["deltanet", "gated-deltanet"])
def test_what_weights_of_keys_move_is_that_of_every_sequence(name, x64):
    layer, inputs = build(name, 5), law(LAYERS[name](KEY).widths[0], 6)
    index = np.array(list(itertools.product(range(2), repeat=5)))
    exact = inputs.probabilities[index].prod(1) @ key_squares(
        layer, jax.numpy.asarray(inputs.values[index])
    )
    moment = predict_key_gradient(layer, law=inputs, steps=5)
    assert moment.value == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize(
    "name", ["deltanet", pytest.param("gated-deltanet", marks=pytest.mark.slow)]
)
def test_what_weights_of_keys_move_is_that_of_samples(name, x64, monkeypatch):
    """With more added to the length of a key, whose samples have lighter tails."""
    for module in (projected, gated_moments):
        monkeypatch.setattr(module, "TINY", 0.1)
    layer, num = build(name, 6), 40_000
    u = jax.random.normal(jax.random.key(8), (num, 4, layer.widths[0]))
    samples = key_squares(layer, 1.1 * u)
    moment = predict_key_gradient(layer, scale=1.1, steps=4)
    sem = samples.std() / num**0.5
    assert abs(samples.mean() - moment.value) < 5 * sem + moment.error
    assert sem + moment.error < 0.05 * moment.value


def test_weights_of_keys_are_those_of_the_delta_rule():
    with pytest.raises(TypeError, match="need a DeltaNet or GatedDeltaNet, got MinGRU"):
        predict_key_gradient(build("mingru"))
