"""One table of functions, one table of laws: each composes with JAX's transformations.

A case is a function of a tree of arrays.  It passes every law: it runs in a program,
over a batch of trees, and its derivatives in both modes are finite differences.  Where a
function gives numbers of NumPy by itself, the first law compares both ways.
"""

import dataclasses
import functools
from typing import Any, NamedTuple

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1, White
from sigprop.layers.deltanet import deltanet
from sigprop.layers.mingru import mingru
from sigprop.linear.gated_moments import (
    lagged_gated,
    predict_gated,
    predict_input_gradient,
    predict_output,
)
from sigprop.linear.impulse_response import kernel
from sigprop.linear.infinite_loss import stationary_loss, stationary_target
from sigprop.linear.linearise import perturb
from sigprop.linear.measured_moments import exact, impulse_moments, response_moment
from sigprop.linear.predicted_moments import predict
from sigprop.networks import build, propagation, zucchet_paper
from sigprop.networks.backpropagation import predict_errors
from sigprop.neuron import stable
from sigprop.neuron.quadrature import Law
from sigprop.neuron.random_coefficients import fourth_moment, second_moment
from sigprop.tasks.teacher_student import expected_loss, teacher_student
from tests.arguments.inputs import POWERS
from tests.sigprop.linear import test_own_gates as own_gates
from tests.test_laws import NAMES, random_layer, single_random_layer

KEY = jax.random.key(3)
STEPS = 5
R = AR1(0.7).autocovariance(np.arange(STEPS))
SAME, TINY = 1e-12, 1e-6


class Case(NamedTuple):
    """A function of a tree of arrays, and such a tree."""

    function: Any
    arrays: Any


def of_module(module, function, *arrays):
    """A function of a layer or a network and further arrays."""
    own, fixed = eqx.partition(module, eqx.is_inexact_array)
    return Case(
        lambda tree: function(eqx.combine(tree[0], fixed), *tree[1:]), (own, *arrays)
    )


def values(moments):
    return {name: moment.value for name, moment in moments.items()}


def network(depth=1):
    config = dataclasses.replace(
        zucchet_paper(nu0=0.5, features=2), width=3, state_size=3, depth=depth
    )
    return propagation.widened(build(config, key=KEY)[0])


def gated_case(name, **options):
    return of_module(
        random_layer(name),
        lambda layer: values(predict_gated(layer, **options)),
    )


def own_case(kind, **options):
    """A layer whose gate is not ours, of few neurons."""
    return of_module(
        own_gates.build(kind, 3, n=2, d=2),
        lambda layer: values(predict_gated(layer, **options)),
    )


def finite_law(width):
    points = np.random.default_rng(0).normal(size=(3, width))
    return Law(points, np.array([0.2, 0.3, 0.5]))


def loss_case(student, teacher, length):
    """A loss as a function of both."""
    own, fixed = eqx.partition(random_layer(teacher, jax.random.key(8)), eqx.is_array)
    task = teacher_student(eqx.combine(own, fixed), AR1(0.4), length)
    return of_module(random_layer(student), lambda layer: task.loss(layer))


def teacher_case(student, teacher):
    """A loss as a function of student and teacher."""
    own, fixed = eqx.partition(
        random_layer(teacher, jax.random.key(8)), eqx.is_inexact_array
    )

    def loss(layer, own):
        target = stationary_target(eqx.combine(own, fixed), AR1(0.4))
        return stationary_loss(layer, target, AR1(0.4))

    return of_module(random_layer(student), loss, own)


def at_end(function):
    return lambda layer, R: function(layer, R, steps=STEPS, at=3)


EXPECTATIONS = {
    name: np.asarray(value)
    for name, value in {
        "a": 0.5,
        "b": 0.1,
        "aa": 0.4,
        "ab": 0.2,
        "bb": 1.0,
        "c": 0.2,
        "ac": 0.1,
        "cc": 0.3,
        "bc": 0.1,
    }.items()
}
FOURTH = {name: np.asarray(value + 0.1) for name, value in POWERS.items()}
GAPS = (np.array([0.3, 0.05]), np.array([0.9, -2.0]), np.array([0.6, -0.3]))
CASES = {
    "state_moment": lambda: Case(lambda x: stable.state_moment(*x), GAPS),
    "sensitivity_moment": lambda: Case(lambda x: stable.sensitivity_moment(*x), GAPS),
    "finite_state_moment_white": lambda: Case(
        lambda gap: stable.finite_state_moment_white(gap, 4), GAPS[0]
    ),
    "ring_gain": lambda: Case(
        lambda x: stable.ring_gain(*x), (np.array(0.1), np.array(0.6))
    ),
    "second_moment": lambda: Case(
        lambda known: second_moment(known, "sensitivity", 5), EXPECTATIONS
    ),
    "second_moment-limit": lambda: Case(
        lambda known: second_moment(known, "sensitivity"), EXPECTATIONS
    ),
    "fourth_moment": lambda: Case(lambda known: fourth_moment(known, 5), FOURTH),
    "fourth_moment-limit": lambda: Case(fourth_moment, FOURTH),
    "response_moment": lambda: Case(
        lambda x: response_moment(*x), (np.cos(np.arange(10.0)).reshape(STEPS, 2), R)
    ),
    "kernel": lambda: of_module(random_layer("lru"), lambda layer: kernel(layer, 4)),
    "impulse_moments": lambda: of_module(
        random_layer("lru"), at_end(impulse_moments), R
    ),
    "exact-two-ways": lambda: of_module(random_layer("blur"), at_end(exact), R),
    "predict-rglru": lambda: gated_case("rglru", spread=0.5, steps=6),
    "predict-mingru": lambda: gated_case("mingru", spread=1.0),
    "predict-selective": lambda: gated_case("selective", law=finite_law(3)),
    "predict-gla": lambda: gated_case("gla", law=finite_law(4), steps=3),
    "predict-gated_unit": lambda: gated_case("gated_unit-input", spread=1.0),
    "predict-own-gate": lambda: own_case(own_gates.Bounded, spread=1.5, steps=4),
    "predict-own-kinks": lambda: own_case(own_gates.Hard, spread=1.5, steps=4),
    "lagged": lambda: of_module(
        random_layer("mingru"), lambda layer: lagged_gated(layer, 2, spread=1.0).value
    ),
    "input-gradient": lambda: of_module(
        random_layer("mingru"),
        lambda layer: predict_input_gradient(layer, 2, spread=1.0, steps=5).value,
    ),
    "predict-scale": lambda: Case(
        lambda scale: values(
            predict_gated(random_layer("mingru"), scale=scale, spread=2.0)
        ),
        np.array(0.8),
    ),
    "predict-layer": lambda: of_module(
        random_layer("s4"),
        lambda layer, R: propagation.predict_signals(layer, R)[:2],
        R,
    ),
    "predict-network": lambda: of_module(
        network(), lambda net, R: propagation.predict_signals(net, R)[:2], R
    ),
    "predict_errors": lambda: of_module(network(), predict_errors, R),
    "loss-modes": lambda: loss_case("zucchet_lru", "linear_rnn", None),
    "loss-gramian": lambda: loss_case("linear_rnn", "zucchet_lru", None),
    "loss-finite": lambda: loss_case("s4", "zucchet_lru", 6),
    "loss-teacher": lambda: teacher_case("zucchet_lru", "linear_rnn"),
    "expected_loss": lambda: Case(
        lambda d: expected_loss(d, White(), 4), np.cos(np.arange(8.0)).reshape(4, 2, 1)
    ),
}


def of_layer(name):
    """Outputs and states of a layer of the table of layers."""
    layer = single_random_layer(name)
    u = jax.random.normal(jax.random.key(4), (STEPS, layer.widths[0]))
    return of_module(layer, lambda layer, u: (layer(u), layer.states(u)), u)


COSTLY = {"predict_errors", "predict-rglru"}  # whose derivatives take long to compile
ALL = [
    *(
        pytest.param(
            "moment", name, id=name, marks=[pytest.mark.slow] * (name in COSTLY)
        )
        for name in CASES
    ),
    *(
        pytest.param("layer", param.values[0], id=param.values[0], marks=param.marks)
        for param in NAMES
    ),
]


@pytest.fixture(scope="module")
def made():
    """Make a case once for all laws."""
    done: dict[tuple[str, str], Case] = {}

    def make(kind, name):
        if (kind, name) not in done:
            case = CASES[name]() if kind == "moment" else of_layer(name)
            arrays = jax.tree.map(jnp.asarray, case.arrays)
            done[kind, name] = Case(case.function, arrays)
        return done[kind, name]

    return make


def flat(outputs):
    """All numbers that a function gives, in one vector."""
    return jnp.concatenate(
        [
            part.ravel()
            for leaf in map(jnp.asarray, jax.tree.leaves(outputs))
            for part in (leaf.real, leaf.imag)
        ]
    )


def close(left, right, tolerance=SAME):
    scale = float(jnp.abs(right).max())
    np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance * scale)


def along(arrays, seed):
    """A direction of unit length."""
    draws = np.random.default_rng(seed)
    tree = jax.tree.map(
        lambda leaf: jnp.asarray(draws.normal(size=leaf.shape), leaf.dtype), arrays
    )
    size = float(jnp.sqrt(sum(jnp.sum(jnp.abs(x) ** 2) for x in jax.tree.leaves(tree))))
    return jax.tree.map(lambda leaf: leaf / size, tree)


def moved(arrays, direction, step):
    return jax.tree.map(lambda leaf, way: leaf + step * way, arrays, direction)


def scalar(function):
    def weighed(arrays):
        numbers = flat(function(arrays))
        return jnp.cos(jnp.arange(numbers.size)) @ numbers

    return weighed


parametrised = pytest.mark.parametrize(("kind", "name"), ALL)


@parametrised
@pytest.mark.sampled(12)
def test_a_program_gives_the_same(made, x64, kind, name):
    function, arrays = made(kind, name)
    outputs = flat(jax.jit(function)(arrays))
    close(outputs, flat(function(arrays)))
    assert np.isfinite(outputs).all()
    assert float(jnp.abs(outputs).max()) > 1e-3


@parametrised
@pytest.mark.sampled(12)
def test_a_batch_is_each_by_itself(made, x64, kind, name):
    function, arrays = made(kind, name)
    trees = [moved(arrays, along(arrays, seed), 0.01 * seed) for seed in (1, 2)]
    batch = jax.tree.map(lambda *leaves: jnp.stack(leaves), *trees)
    outputs = jax.jit(jax.vmap(lambda tree: flat(function(tree))))(batch)
    alone = jax.jit(lambda tree: flat(function(tree)))
    close(outputs, jnp.stack([alone(tree) for tree in trees]))
    assert not np.allclose(outputs[0], outputs[1], rtol=1e-9)


@parametrised
@pytest.mark.sampled(24)
def test_derivatives_in_both_modes_are_finite_differences(made, x64, kind, name):
    function, arrays = made(kind, name)
    if name == "lru-detached":
        pytest.skip("no gradient flows through a detached normalisation, on purpose")
    direction, value = along(arrays, 0), scalar(function)

    forwards = jax.jit(lambda arrays: jax.jvp(value, (arrays,), (direction,)))
    _, forward = forwards(arrays)
    gradient = jax.jit(jax.grad(value))(arrays)
    reverse = sum(map(jnp.vdot, jax.tree.leaves(gradient), jax.tree.leaves(direction)))
    (ahead, _), (behind, _) = (
        forwards(moved(arrays, direction, sign * TINY)) for sign in (1, -1)
    )
    difference = (ahead - behind) / (2 * TINY)
    assert abs(float(forward)) > 1e-4
    assert float(reverse) == pytest.approx(float(forward), rel=1e-9)
    assert float(forward) == pytest.approx(float(difference), rel=1e-5)


def test_moments_by_impulses_are_those_by_modes(x64):
    for name in ("lru", "s4d", "blur", "deep"):
        layer = random_layer(name)
        by_modes = predict(perturb(layer), R, STEPS, 3)
        by_impulses = jax.jit(at_end(impulse_moments))(layer, R)
        assert by_modes.keys() == by_impulses.keys()
        for quantity, moment in by_modes.items():
            assert float(by_impulses[quantity]) == pytest.approx(moment, rel=SAME), name


def test_moments_of_gates_whose_nodes_are_given_are_those_that_are_chosen(x64):
    layer = mingru(4, 3, key=KEY)
    chosen, given = predict_gated(layer), predict_gated(layer, spread=2.0)
    for name, moment in chosen.items():
        assert given[name].value == pytest.approx(moment.value, rel=SAME)
    chosen, given = lagged_gated(layer, 2), lagged_gated(layer, 2, spread=2.0)
    assert given.value == pytest.approx(chosen.value, rel=SAME)


def test_a_steep_gate_gets_more_nodes_unless_its_spread_is_given(x64):
    layer = mingru(2, 2, key=KEY)
    steep = eqx.tree_at(lambda one: one.W_z, layer, 8 * layer.W_z)
    given = functools.partial(predict_gated, spread=0.5)
    state = predict_gated(steep)["state"]
    fixed, traced = given(steep)["state"], jax.jit(given)(steep)["state"]
    assert float(traced.value) == pytest.approx(fixed.value, rel=SAME)
    assert state.error < 1e-3 * state.value < fixed.error
    assert abs(state.value - fixed.value) < fixed.error


def test_a_traced_limit_that_is_infinite_is_infinity(x64):
    known = {"a": 1.0, "b": 0.0, "aa": 1.1, "ab": 0.0, "bb": 1.0}
    assert jax.jit(second_moment)(jax.tree.map(jnp.asarray, known)) == jnp.inf


def test_what_cannot_be_traced_is_refused(x64):
    layer = mingru(4, 3, key=KEY)
    with pytest.raises(ValueError, match="need a spread under jit, vmap or grad"):
        jax.eval_shape(predict_gated, layer)
    with pytest.raises(TypeError, match="trace, for DeltaNet"):
        jax.eval_shape(predict_gated, deltanet(2, 4, key=KEY))
    with pytest.raises(TypeError, match="trace, for outputs"):
        jax.eval_shape(predict_output, layer)
    with pytest.raises(TypeError, match="trace, for inputs that remember"):
        jax.eval_shape(lambda x: predict_gated(x, terms=((1.0, 0.5),)), layer)
    net = of_module(
        network(), lambda net: propagation.predict_signals(net, R, samples=9)
    )
    with pytest.raises(ValueError, match="need samples=None or 0 under jit"):
        jax.eval_shape(*net)
    with pytest.raises(ValueError, match="need 5 covariances, got 4"):
        jax.eval_shape(at_end(exact), random_layer("lru"), R[:4])


def test_errors_of_a_traced_network_are_infinite_and_of_a_layer_rounding(x64):
    function, arrays = of_module(
        network(), lambda net: propagation.predict_signals(net, R)
    )
    assert np.isinf(jax.jit(function)(arrays).error.stream).all()
    layer = random_layer("lru")
    found = jax.jit(lambda layer: propagation.predict_signals(layer, R))(layer)
    assert 0 < float(found.error.state[0]) < 1e-6 * float(found.state[0])
