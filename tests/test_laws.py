"""One table of layers, one table of laws: every layer passes every law that applies.

Layers of the registry that ``LAYERS`` does not list are tested with the options that they
need.
"""

import functools

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from sigprop.layers.attention import causal_attention
from sigprop.layers.base import parameters, stepwise
from sigprop.layers.bidirectional_lru import bidirectional_lru
from sigprop.layers.blur import blur
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.delta_product import delta_product
from sigprop.layers.deltanet import deltanet, gated_deltanet
from sigprop.layers.dense import block_rnn, linear_rnn, nonlinear_rnn
from sigprop.layers.gated import constant_gate, gated_unit
from sigprop.layers.gla import gla
from sigprop.layers.gru import chrono_times, gru
from sigprop.layers.hgrn2 import hgrn2
from sigprop.layers.linoss import linoss
from sigprop.layers.lru import lru, released_zucchet_lru, zucchet_lru
from sigprop.layers.lstm import lstm
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.mingru import mingru
from sigprop.layers.mlstm import mlstm
from sigprop.layers.released_rotrnn import (
    released_bidirectional_rotrnn,
    released_rotrnn,
)
from sigprop.layers.rglru import rglru
from sigprop.layers.rotrnn import bidirectional_rotrnn, rotrnn
from sigprop.layers.rwkv7 import rwkv7
from sigprop.layers.s4 import s4
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.layers.selective import selective
from sigprop.layers.slstm import slstm
from sigprop.layers.ssd import ssd
from sigprop.layers.stack import stack
from sigprop.layers.two_way import bgru, bidirectional_s4, blstm, brnn
from sigprop.networks.registry import SEQUENCE_LAYERS, sequence_layer
from sigprop.numerics.precision import double_precision
from tests.sigprop.networks.small import OPTIONS

LENGTH = 19
KEY = jax.random.key(3)
ROTATIONS = {"gamma_range": (0.4, 0.95)}
TIMES = (1.0, 16.0)

# Layers small enough to differentiate by finite differences.
LAYERS = {
    "lru": lambda key: lru(5, 3, key=key, r_min=0.4, r_max=0.95),
    "lru-detached": lambda key: lru(5, 3, key=key, r_min=0.4, gamma="detached"),
    "lru-absent": lambda key: lru(5, 3, key=key, max_phase=0.3, gamma="absent"),
    "zucchet_lru": lambda key: zucchet_lru(5, 3, key=key, d_out=2, nu0=0.9, theta0=0.5),
    "released_zucchet_lru": lambda key: released_zucchet_lru(
        5, 3, key=key, d_out=2, nu0=0.9, theta0=0.5
    ),
    "complex_diagonal": lambda key: complex_diagonal(5, 3, key=key, d_out=2),
    "complex_diagonal-polar": lambda key: complex_diagonal(
        5, 3, key=key, d_out=2, coordinates="polar"
    ),
    "complex_diagonal-exponential": lambda key: complex_diagonal(
        5, 3, key=key, d_out=2, coordinates="exponential"
    ),
    "linear_rnn": lambda key: linear_rnn(6, 3, key=key, d_out=2, nu0=0.8, theta0=1.0),
    "block_rnn": lambda key: block_rnn(
        6, 3, key=key, d_out=2, blocks=3, nu0=0.8, theta0=1.0
    ),
    "nonlinear_rnn": lambda key: nonlinear_rnn(5, 3, key=key, d_out=2),
    "nonlinear_rnn-channels": lambda key: nonlinear_rnn(5, 3, key=key, skip="vector"),
    "nonlinear_rnn-relu": lambda key: nonlinear_rnn(
        5, 3, key=key, d_out=2, activation="relu"
    ),
    "s4": lambda key: s4(5, 3, key=key, d_out=2, nu0=0.8, theta0=1.0),
    "s4d": lambda key: s4d(4, 3, key=key),
    "s4d-bilinear": lambda key: s4d(
        4, 3, key=key, spectrum="inv", discretisation="bilinear"
    ),
    "s5": lambda key: s5(4, 3, key=key, blocks=2),
    "s5-whole": lambda key: s5(5, 3, key=key, conjugate=False),
    "s5-bilinear": lambda key: s5(4, 3, key=key, blocks=2, discretisation="bilinear"),
    "linoss": lambda key: linoss(3, 2, key=key),
    "linoss-imex": lambda key: linoss(3, 2, key=key, discretisation="imex"),
    "gru": lambda key: gru(5, 3, key=key, d_out=2, times=chrono_times(0.8)),
    "lstm": lambda key: lstm(5, 3, key=key, d_out=2, times=TIMES),
    "gated_unit": lambda key: gated_unit(4, 4, key=key, d_out=2, times=TIMES),
    "gated_unit-input": lambda key: gated_unit(
        4, 4, key=key, d_out=2, state_gain=0, times=TIMES
    ),
    "constant_gate": lambda key: constant_gate(4, 4, key=key, d_out=2, times=TIMES),
    "rglru": lambda key: rglru(4, 4, key=key, heads=2),
    "mingru": lambda key: mingru(4, 3, key=key),
    "selective": lambda key: selective(2, 3, key=key, steps=(0.05, 0.5)),
    "ssd": lambda key: ssd(2, 4, key=key, heads=2, groups=2, steps=(0.05, 0.5)),
    "gla": lambda key: gla(2, 4, key=key, heads=2, rank=2),
    "hgrn2": lambda key: hgrn2(2, 4, key=key, heads=2, bound=0.3),
    "mlstm": lambda key: mlstm(2, 4, key=key, heads=2, offsets=(0.5, 2.0)),
    "slstm": lambda key: slstm(
        4, 4, key=key, heads=2, ends=(2.0, -1.0), state_gain=2.0
    ),
    "slstm-exponential": lambda key: slstm(
        3, 3, key=key, forget="exponential", ends=(2.0, 0.5), state_gain=2.0
    ),
    "rwkv7": lambda key: rwkv7(3, 4, key=key, heads=2, rank=2),
    "deltanet": lambda key: deltanet(2, 4, key=key, heads=2),
    "gated_deltanet": lambda key: gated_deltanet(2, 4, key=key, heads=2),
    "mamba3": lambda key: mamba3(4, 4, key=key, heads=2, steps=(0.1, 0.9), weight=0.4),
    "mamba3-ranks": lambda key: mamba3(
        2, 4, key=key, heads=2, steps=(0.1, 0.9), weight=0.4, rank=3
    ),
    "delta_product": lambda key: delta_product(2, 4, key=key, heads=2),
    "delta_product-decay": lambda key: delta_product(
        3, 3, key=key, reflections=1, largest=1.0, steps=(0.1, 0.5)
    ),
    "rotrnn": lambda key: rotrnn(8, 3, key=key, heads=2, **ROTATIONS),
    "rotrnn-pairs": lambda key: rotrnn(6, 3, key=key, heads=3, **ROTATIONS),
    "bidirectional_rotrnn": lambda key: bidirectional_rotrnn(
        8, 3, key=key, heads=2, **ROTATIONS
    ),
    "released_rotrnn": lambda key: released_rotrnn(8, 3, key=key, heads=2, **ROTATIONS),
    "released_bidirectional_rotrnn": lambda key: released_bidirectional_rotrnn(
        8, 3, key=key, heads=2, **ROTATIONS
    ),
    "blur": lambda key: blur(4, 3, key=key, r_min=0.4, r_max=0.95),
    "bidirectional_lru": lambda key: bidirectional_lru(
        4, 3, key=key, r_min=0.4, r_max=0.95
    ),
    "brnn": lambda key: brnn(4, 3, key=key, d_out=2),
    "blstm": lambda key: blstm(4, 3, key=key, d_out=2, times=TIMES),
    "bgru": lambda key: bgru(4, 3, key=key, d_out=2, times=TIMES),
    "bidirectional_s4": lambda key: bidirectional_s4(
        4, 3, key=key, d_out=2, nu0=0.5, theta0=1.0
    ),
    "attention": lambda key: causal_attention(
        8, 8, key=key, heads=2, max_length=LENGTH
    ),
    "deep": lambda key: stack(
        [lru(4, 3, key=k, r_min=0.4, r_max=0.9) for k in jax.random.split(key)]
    ),
}
# Every other layer of the registry, with the options that it needs.
LAYERS |= {
    name: lambda key, name=name: sequence_layer(
        name, 4, 4, key=key, **OPTIONS.get(name, {})
    )
    for name in SEQUENCE_LAYERS
    if name not in {key.partition("-")[0] for key in LAYERS}
}

VARIANTS = {  # held to the laws by the slow tests only
    "complex_lru",
    "lru-detached",
    "lru-absent",
    "zucchet_lru",
    "released_zucchet_lru",
    "complex_diagonal-polar",
    "complex_diagonal-exponential",
    "block_rnn",
    "nonlinear_rnn-channels",
    "nonlinear_rnn-relu",
    "s4d-bilinear",
    "s5-whole",
    "s5-bilinear",
    "gated_unit-input",
    "constant_gate",
    "mingru",
    "gla",
    "hgrn2",
    "deltanet",
    "linoss-imex",
    "delta_product-decay",
    "mamba3-ranks",
    "slstm-exponential",
    "rotrnn-pairs",
    "bidirectional_rotrnn",
    "released_rotrnn",
    "released_bidirectional_rotrnn",
    "bidirectional_lru",
    "brnn",
    "blstm",
    "bgru",
    "bidirectional_s4",
}
NAMES = [
    pytest.param(name, marks=pytest.mark.slow if name in VARIANTS else ())
    for name in LAYERS
]


def random_layer(name, key=KEY):
    """The layer, in one program where its eigenvectors are not NumPy's."""
    draw = LAYERS[name]
    by_numpy = name.startswith(("linear_rnn", "block_rnn", "s5"))
    return draw(key) if by_numpy else eqx.filter_jit(draw)(key)


def parts(layer):
    """All parameters in one NumPy vector, and what makes a layer of such a vector."""
    trainable, fixed = eqx.partition(layer, eqx.is_inexact_array)
    leaves, tree = jax.tree.flatten(trainable)
    ends = np.cumsum([leaf.size for leaf in leaves])

    def restored(values):
        split = np.split(values, ends[:-1])
        shaped = [
            jnp.asarray(part.reshape(leaf.shape))
            for part, leaf in zip(split, leaves, strict=True)
        ]
        return eqx.combine(jax.tree.unflatten(tree, shaped), fixed)

    return np.concatenate([np.ravel(leaf) for leaf in leaves]), restored


@functools.cache
def single_random_layer(name):
    with double_precision(True):
        return random_layer(name)


@pytest.fixture(params=NAMES)
def layer(request, x64):
    return single_random_layer(request.param)


@pytest.fixture
def u(layer):
    return jax.random.normal(jax.random.key(4), (LENGTH, layer.widths[0]))


@eqx.filter_jit
def run(layer, u):
    """The layer, one program a layer and a length for all laws."""
    return layer(u)


def close(left, right, tolerance=1e-10):
    np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)


def by_steps(layer, u):
    """What a layer computes by definition, one step after the other."""
    forward, *backward = layer.halves()
    y = stepwise(forward, u)
    for half in backward:  # the skip connection is counted once
        silent = jnp.zeros((len(u), half.state_size), half.states(u).dtype)
        y = y + stepwise(half, u[::-1])[::-1] - half.read(silent, u)
    return y


def test_something_comes_out(layer, u):
    y = run(layer, u)
    assert y.shape == (LENGTH, layer.widths[1])
    assert jax.eval_shape(layer.states, u).shape == (LENGTH, layer.state_size)
    assert float(jnp.std(y)) > 0.01


def test_parallel_is_step_by_step(layer, u):
    (_, slow), _ = loss_and_gradients(layer, u, by_steps)
    close(run(layer, u), slow)


def test_a_linear_layer_is_its_convolution(layer, u):
    if not layer.linear:
        pytest.skip("a non-linear layer is no convolution")
    d_in, middle = layer.widths[0], LENGTH - 1
    impulses = np.zeros((d_in, 2 * LENGTH - 1, d_in))
    impulses[:, middle] = np.eye(d_in)
    kernel = jax.jit(jax.vmap(layer))(impulses)  # (d_in, middle + lag, d_out)
    if layer.causal:
        assert not kernel[:, :middle].any()
    lags = np.subtract.outer(np.arange(LENGTH), np.arange(LENGTH))
    blocks = np.asarray(kernel)[:, middle + lags]
    close(run(layer, u), np.einsum("itso,si->to", blocks, u))


def test_linearity_holds_exactly_where_it_is_claimed(layer, u):
    u, other = np.asarray(u), np.random.default_rng(5).normal(size=u.shape)
    together = run(layer, 2 * u - 3 * other)
    apart = 2 * run(layer, u) - 3 * run(layer, other)
    if layer.linear:
        close(together, apart)
    else:
        assert float(jnp.max(jnp.abs(together - apart))) > 0.05


def test_the_past_alone_matters_by_gradient(layer, u):
    jacobian = jax.jit(jax.jacrev(layer))(u)  # (time, d_out, time, d_in)
    size = np.abs(np.asarray(jacobian)).max(axis=(1, 3))
    later = np.triu(np.ones((LENGTH, LENGTH), bool), 1)
    if layer.causal:
        assert size[later].max() == 0
    else:
        assert size[later].min() > 0
    assert size[np.eye(LENGTH, dtype=bool)].max() > 0


def test_a_batch_is_a_vmap(layer, u):
    u = np.asarray(u)
    batch = np.stack([u, 2 * u, u[::-1]])
    close(
        jax.jit(jax.vmap(layer))(batch),
        np.stack([run(layer, sequence) for sequence in batch]),
    )


def loss(layer, u, way=lambda layer, u: layer(u)):
    """Of the outputs, and these."""
    y = way(layer, u)
    weights = jnp.cos(jnp.arange(y.size)).reshape(y.shape)
    return jnp.sum(weights * y) + jnp.sum(y**2), y


@eqx.filter_jit
def loss_and_gradients(layer, u, *way):
    """Loss and outputs, and gradients by parameters and input: one program for all laws."""
    return eqx.filter_value_and_grad(lambda pair: loss(*pair, *way), has_aux=True)(
        (layer, u)
    )


def test_the_gradient_is_a_finite_difference(layer, u):
    if getattr(layer, "gamma", None) == "detached":
        pytest.skip("no gradient flows through a detached normalisation, on purpose")
    values, restored = parts(layer)
    gradients = np.concatenate(
        [
            np.ravel(gradient)
            for gradient in jax.tree.leaves(loss_and_gradients(layer, u)[1][0])
        ]
    )
    for seed in range(4):
        direction = np.random.default_rng(seed).normal(size=values.shape)
        step = 1e-6 / np.linalg.norm(direction)
        ahead, behind = (
            float(
                loss_and_gradients(restored(values + sign * step * direction), u)[0][0]
            )
            for sign in (1, -1)
        )
        derivative = (ahead - behind) / (2 * step)
        close(gradients @ direction, derivative, 1e-6 * max(1.0, abs(derivative)))


def test_gradients_map_over_a_batch_in_one_program(layer, u):
    u = np.asarray(u)
    batch = np.stack([u, 2 * u, u[::-1]])
    by_input = jax.grad(lambda u: loss(layer, u)[0])
    one_by_one = [loss_and_gradients(layer, jnp.asarray(u))[1][1] for u in batch]
    close(jax.jit(jax.vmap(by_input))(batch), np.stack(one_by_one))


def test_the_gradient_is_that_of_the_loop(layer, u):
    fast, slow = (loss_and_gradients(layer, u, *way) for way in ((), (by_steps,)))
    for leaf, other in zip(jax.tree.leaves(fast), jax.tree.leaves(slow), strict=True):
        close(leaf, other, 1e-9)


@eqx.filter_jit
def along(layer, u, direction):
    """Derivatives of the loss along a direction of parameters and input, forward first.

    The first derivative in forward and in reverse mode; the second forward over forward,
    and forward over reverse.
    """
    values, fixed = eqx.partition((layer, u), eqx.is_inexact_array)

    def scalar(values):
        return loss(*eqx.combine(values, fixed))[0]

    def tangent(function):
        return lambda values: jax.jvp(function, (values,), (direction,))[1]

    def dot(tree):
        return sum(map(jnp.vdot, jax.tree.leaves(tree), jax.tree.leaves(direction)))

    first = tangent(scalar)(values), dot(jax.grad(scalar)(values))
    second = tangent(tangent(scalar))(values), dot(tangent(jax.grad(scalar))(values))
    return first, second


def test_forward_and_reverse_mode_agree(layer, u):
    values, _ = eqx.partition((layer, u), eqx.is_inexact_array)
    generator = np.random.default_rng(7)
    direction = jax.tree.map(
        lambda leaf: jnp.asarray(generator.normal(size=leaf.shape), leaf.dtype), values
    )
    for forward, reverse in along(layer, u, direction):
        close(forward, reverse)
        assert abs(forward) > 1e-3


def wide(layer):
    """A layer in double precision."""
    return jax.tree.map(
        lambda leaf: (
            jnp.asarray(np.asarray(leaf), np.result_type(leaf.dtype, np.float64))
            if eqx.is_inexact_array(leaf)
            else leaf
        ),
        layer,
    )


@pytest.mark.parametrize("name", NAMES)
def test_single_precision_is_double_precision_up_to_rounding(name):
    single = random_layer(name)
    u = jax.random.normal(jax.random.key(4), (LENGTH, single.widths[0]))
    y = run(single, u)
    assert y.dtype == jnp.float32
    with double_precision(True):
        double = run(wide(single), jnp.asarray(np.asarray(u), jnp.float64))
        assert double.dtype == jnp.float64
    scale = float(np.abs(double).max())
    assert float(np.abs(np.asarray(y) - np.asarray(double)).max()) < 3e-5 * scale


def test_every_parameter_has_a_group(layer):
    assert set(layer.groups().values()) <= {"recurrent", "input", "readout"}
    assert parameters(layer)


def test_stability_is_kept_at_any_parameters_where_it_is_claimed(layer):
    if not layer.stable:
        pytest.skip("this parametrisation claims no stability")
    values, restored = parts(layer)
    spectrum = eqx.filter_jit(lambda layer: layer.eigenvalues())
    for seed in range(20):
        moved = 3 * np.random.default_rng(seed).normal(size=values.shape)
        assert np.abs(spectrum(restored(moved))).max() <= 1


def test_eigenvalues_are_those_of_the_step(layer, u):
    if not layer.linear:
        pytest.skip("the Jacobian of a non-linear step has no fixed eigenvalues")

    @eqx.filter_jit
    def stepped(layer):
        def columns(half):
            zero = half.initial_state()
            basis = jnp.concatenate([zero[None], jnp.eye(zero.size, dtype=zero.dtype)])
            h = jax.vmap(lambda state: half.step(state, u[0])[0])(basis)
            return h[1:] - h[:1]

        return layer.eigenvalues(), [columns(half) for half in layer.halves()]

    eigenvalues, steps = stepped(layer)
    truth = np.concatenate([np.linalg.eigvals(matrix) for matrix in steps])
    distance = np.abs(np.asarray(eigenvalues)[:, None] - truth[None])
    assert distance[linear_sum_assignment(distance)].max() < 1e-9


def test_lengths_zero_and_one_work(layer):
    for length in (0, 1):
        u = np.ones((length, layer.widths[0]))
        assert run(layer, u).shape == (length, layer.widths[1])


def test_a_wrong_width_is_refused(layer):
    wrong = jnp.ones((4, layer.widths[0] + 1))
    with pytest.raises(ValueError, match=r"need inputs of shape \(time, "):
        jax.eval_shape(layer, wrong)
