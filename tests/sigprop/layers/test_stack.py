"""Layers in a row: what they compute by hand, how they name parameters, what they refuse."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import parameters, replace
from sigprop.layers.blur import blur
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.gru import gru
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.stack import as_real, stack
from sigprop.numerics.precision import double_precision
from tests.sigprop.layers.helpers import both_ways, gap, inputs, run, states_of


@pytest.fixture(scope="module", autouse=True)
def wide():
    with double_precision(True):
        yield


@pytest.fixture(scope="module")
def mixed():
    """A complex state, a real one that is not linear, and a real one."""
    keys = jax.random.split(jax.random.key(1), 3)
    return (
        lru(3, 2, key=keys[0], r_min=0.5, r_max=0.9),
        gru(4, 2, key=keys[1], times=(1.0, 8.0)),
        rotrnn(4, 2, key=keys[2], heads=2, gamma_range=(0.4, 0.9)),
    )


@pytest.mark.parametrize("skip", [True, False])
@pytest.mark.sampled(1)
def test_a_stack_is_its_layers_one_after_the_other(mixed, skip):
    built = stack(mixed, skip=skip)
    u = inputs(built)
    by_hand = u
    for layer in mixed:
        by_hand = run(layer, by_hand) + (by_hand if skip else 0)
    outputs, stepped = both_ways(built, u)
    assert gap(outputs, by_hand) < 1e-13
    assert gap(stepped, by_hand) < 1e-13


def test_skips_change_the_outputs(mixed):
    u = inputs(mixed[0])
    with_skip, without = (run(stack(mixed, skip=skip), u) for skip in (True, False))
    assert gap(with_skip, without) > 0.1


def test_the_state_is_that_of_every_layer_side_by_side(mixed):
    built = stack(mixed, skip=False)
    u = inputs(built)
    h = states_of(built, u)
    assert built.state_size == 2 * 3 + 4 + 4
    assert h.shape == (len(u), built.state_size)
    assert built.initial_state().shape == (built.state_size,)
    first = states_of(mixed[0], u)
    assert gap(h[:, :3], first.real) < 1e-14
    assert gap(h[:, 3:6], first.imag) < 1e-14
    assert gap(h[:, 6:10], states_of(mixed[1], run(mixed[0], u))) < 1e-14


def test_the_real_form_of_a_state_keeps_its_size():
    h = jnp.array([[1 + 2j, 3 - 4j]])
    assert as_real(h).tolist() == [[1, 3, 2, -4]]
    assert as_real(h.real).tolist() == [[1, 3]]


def test_layers_without_a_skip_may_change_the_width():
    keys = jax.random.split(jax.random.key(4))
    first, second = complex_diagonal(3, 2, key=keys[0], d_out=4), lru(2, 4, key=keys[1])
    built = stack([first, second], skip=False)
    u = inputs(built)
    assert built.widths == (2, 4)
    assert gap(run(built, u), run(second, run(first, u))) < 1e-13


def test_one_layer_without_a_skip_is_that_layer(mixed):
    u = inputs(mixed[0])
    assert gap(run(stack(mixed[:1], skip=False), u), run(mixed[0], u)) == 0


def test_every_parameter_keeps_the_group_of_its_layer(mixed):
    built = stack(mixed)
    named = parameters(built)
    assert len(named) == sum(len(parameters(layer)) for layer in mixed)
    for index, layer in enumerate(mixed):
        for name, value in parameters(layer).items():
            assert (named[f"layers.{index}.{name}"] == value).all()
            assert built.groups()[f"layers.{index}.{name}"] == layer.groups()[name]


def test_replacing_a_parameter_changes_that_layer_alone(mixed):
    built = stack(mixed)
    moved = replace(built, {"layers.1.C": 2 * mixed[1].C})
    assert (moved.layers[1].C == 2 * mixed[1].C).all()
    same = {
        name
        for name, old in parameters(built).items()
        if (parameters(moved)[name] == old).all()
    }
    assert set(parameters(built)) - same == {"layers.1.C"}


def test_a_stack_is_linear_stable_or_of_known_eigenvalues_if_its_layers_are(mixed):
    first, _, last = mixed
    assert stack([first, last]).linear
    assert stack([first, last]).stable
    assert not stack(mixed).linear
    assert not stack(mixed).stable
    assert stack(mixed).eigenvalues() is None
    lam = first.eigenvalues()
    truth = np.concatenate([lam, lam.conj(), last.eigenvalues()])
    np.testing.assert_array_equal(stack([first, last]).eigenvalues(), truth)


BAD = {
    "none": ("need one layer or more, got none", lambda key: stack([])),
    "two directions": (
        "need causal layers, got BLUR",
        lambda key: stack([blur(2, 2, key=key)]),
    ),
    "skip": (
        r"need as many outputs as inputs for a skip, got \(2, 3\)",
        lambda key: stack([complex_diagonal(2, 2, key=key, d_out=3)]),
    ),
    "widths": (
        "need a layer of 3 inputs, got 2",
        lambda key: stack([complex_diagonal(2, 2, key=key, d_out=3)] * 2, skip=False),
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_layers_that_do_not_fit_are_refused(case):
    message, build = BAD[case]
    with pytest.raises(ValueError, match=f"^{message}$"):
        build(jax.random.key(0))
