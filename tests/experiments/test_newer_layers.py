"""Layers of 2024 to 2026 over the time constant: what sets it, and what is measured."""

import dataclasses
import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.curvature import expand
from sigprop.experiments import equal_memory, newer_layers
from sigprop.inputs import White
from sigprop.layers.base import parameters, replace
from sigprop.linear.linearise import perturb
from sigprop.linear.measured_moments import responses
from sigprop.linear.predicted_moments import predict
from sigprop.tasks.teacher_student import teacher_student

pytestmark = pytest.mark.usefixtures("x64")
FAR = 5.0  # standard errors


def kept(name, layer):
    """Share of a state that a layer keeps in one step without an input."""
    silence = jnp.zeros((1, layer.widths[0]))
    if name in ("DeltaNet", "DeltaProduct"):  # on average over keys of unit length
        keys, reflections = layer.head_shape[2], len(layer.W_k)
        return (1 - layer.largest / 2 / keys) ** reflections
    if name == "LinOSS":
        return float(jnp.max(jnp.abs(layer.eigenvalues())))
    if name == "gated DeltaNet":
        return float(jnp.max(layer.decays(silence)))
    if name in ("Mamba-3", "RWKV-7"):
        return float(layer.maps(silence)[0][0, 0, 0, 0])
    return float(jnp.max(layer.gates(silence)[0]))


@pytest.mark.parametrize("name", newer_layers.LAYERS)
@pytest.mark.sampled(2)
def test_a_layer_without_input_forgets_in_its_time_constant(name):
    for memory in (5.0, 250.0):
        layer = newer_layers.draw(name, memory, newer_layers.SMOKE)
        assert kept(name, layer) == pytest.approx(1 - 1 / memory, rel=1e-5)


@pytest.mark.parametrize("name", newer_layers.LAYERS)
@pytest.mark.sampled(2)
def test_time_constants_have_the_same_draw_but_for_one_parameter(name):
    short, long = (
        parameters(newer_layers.draw(name, memory, newer_layers.SMOKE))
        for memory in (5.0, 250.0)
    )
    moved = {key for key in short if not np.array_equal(short[key], long[key])}
    inside = name in ("DeltaNet", "DeltaProduct", "HGRN2")  # a bound is no parameter
    assert moved == (set() if inside else {newer_layers.GATE[name]})


@pytest.mark.parametrize("name", ["RWKV-7", "LinOSS", "HGRN2"])
@pytest.mark.sampled(1)
def test_squares_are_those_of_the_layers_own_states(name):
    layer = newer_layers.draw(name, 7.0, newer_layers.SMOKE)
    gate = newer_layers.GATE[name]
    u = jax.random.normal(jax.random.key(11), (2, 9, layer.widths[0]))
    got = newer_layers.squares(layer, u, 6, gate)
    ends = [
        np.asarray(
            replace(layer, {gate: parameters(layer)[gate] + move}).states(one)[5]
        )
        for one in u
        for move in (1e-6, -1e-6)
    ]
    derivative = [(a - b) / 2e-6 for a, b in zip(ends[::2], ends[1::2], strict=True)]
    h = [np.asarray(layer.states(one)[5]) for one in u]
    np.testing.assert_allclose(got["state"], np.sum(np.abs(h) ** 2, 1), rtol=1e-9)
    if parameters(layer)[gate].size == 1:
        moved = np.sum(np.abs(derivative) ** 2, 1)
        np.testing.assert_allclose(got["gate"], moved, rtol=1e-5)


def test_impulses_give_the_state_of_the_closed_form():
    layer: Any = newer_layers.draw("LinOSS", 6.0, newer_layers.SMOKE)
    # Modes of one eigenvalue are kept apart by steps that differ.
    layer = replace(layer, {"dt_raw": layer.dt_raw + jnp.array([0.0, 0.3])})
    sums = newer_layers.impulse_sums(layer, "dt_raw", 15)
    closed = predict(perturb(layer), np.eye(1, 15)[0], 15, 14)
    assert float(sums["state"]) == pytest.approx(closed["state"], rel=1e-9)


@pytest.mark.slow
def test_measured_moments_are_those_predicted():
    """The seed is fixed, so that the test gives the same answer in all runs."""
    layers = ("Mamba-2", "RWKV-7", "LinOSS", "HGRN2")
    config = dataclasses.replace(
        newer_layers.SMOKE, layers=layers, memories=(4.0,), seed=5
    )
    data = newer_layers.run(config)
    room = FAR * data["sem"] + data["error"]
    assert bool((np.abs(data["measured"] - data["predicted"]) < room).all())
    assert bool((np.abs(data["measured"] - 1.8 * data["predicted"]) > room).all())
    for label, values in data.data_vars.items():
        assert values.attrs["units"], label


# --- equal time constants -----------------------------------------------------------


def three(name, memory):
    """A layer and its neighbours in the time constant."""
    return tuple(
        equal_memory.draw(name, memory * math.exp(move), equal_memory.SMOKE)
        for move in (0, -equal_memory.CLOSE, equal_memory.CLOSE)
    )


def test_the_gradient_by_the_time_constant_is_that_by_the_bias_of_the_gate():
    memory, length = 9.0, 12
    layers = three("mLSTM", memory)
    u = jax.random.normal(jax.random.key(3), (3, 20, layers[0].widths[0]))
    got = equal_memory.squares(layers, u, length)
    by_bias = newer_layers.squares(layers[0], u, length, "b_f")
    by_log = by_bias["gate"] / (1 - 1 / memory) ** 2  # tau = 1 + exp(b_f)
    size = layers[0].state_size
    np.testing.assert_allclose(got["gradient"], by_log / size, rtol=1e-5)
    np.testing.assert_allclose(got["state"], by_bias["state"] / size, rtol=1e-10)


@pytest.mark.parametrize("name", ["LRU", "Mamba-3"])
@pytest.mark.sampled(1)
def test_the_trace_is_that_of_squared_output_derivatives(name):
    layers = three(name, 9.0)
    u = jax.random.normal(jax.random.key(4), (1, 20, layers[0].widths[0]))
    got = equal_memory.squares(layers, u, 12)
    answers = responses(layers[0], u[0, :12], 11, jnp.eye(layers[0].widths[1]))
    names = equal_memory.recurrent(layers[0])
    total = sum(float(jnp.sum(answers[name] ** 2)) for name in names)
    entries = sum(value.size for value in names.values())
    assert float(got["trace"][0]) == pytest.approx(total / entries, rel=1e-8)


def test_exponents_are_those_of_powers_and_of_the_errors_of_two_points():
    memory = np.array([3.0, 11.0, 40.0])
    mean = np.stack([5 * memory**1.7, 0.2 * memory**-0.4])
    power, error = equal_memory.exponents(memory, mean, 0 * mean)
    np.testing.assert_allclose(power, [1.7, -0.4], rtol=1e-12)
    np.testing.assert_array_equal(error, 0)
    _, error = equal_memory.exponents(memory[:2], mean[:, :2], 0.1 * mean[:, :2])
    np.testing.assert_allclose(error, 0.1 * math.sqrt(2) / math.log(11 / 3), rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "angle"), [("LRU", "theta_log"), ("RotRNN", "theta")])
def test_curvature_grows_with_the_time_constant_in_the_angles_alone(name, angle):
    config = dataclasses.replace(equal_memory.PAPER, seed=5)
    traces = []
    for memory in (64.0, 256.0):
        layer = equal_memory.draw(name, memory, config)
        task = teacher_student(layer, White(), length=None)
        expansion = expand(task, layer, at_optimum=True)
        diagonal = np.diag(expansion.hessian)
        blocks = expansion.layout.items()
        traces.append({block: diagonal[at.entries].sum() for block, at in blocks})
    for block in traces[0]:
        exponent = math.log(traces[1][block] / traces[0][block]) / math.log(4)
        # A trace is a power of tau times 1 + c / tau; |c| is below 4.
        assert exponent == pytest.approx(2.0 * (block == angle), abs=0.05), block


@pytest.mark.slow
def test_the_comparison_has_a_number_of_everything():
    data = equal_memory.run(equal_memory.SMOKE)
    assert "dtype" in data.attrs
    for label, values in data.data_vars.items():
        assert values.attrs["units"], label
        assert np.isfinite(values).all(), label
    assert (data["mean"] > 0).all()
