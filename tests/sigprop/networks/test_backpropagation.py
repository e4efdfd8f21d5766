"""Gradients through depth: exact for linear networks, and near in gated ones."""

from dataclasses import replace

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1
from sigprop.linear.measured_moments import channels
from sigprop.networks import backpropagation, build, propagation, zucchet_paper
from sigprop.networks.backpropagation import predict_errors
from sigprop.networks.blocks import GLU
from sigprop.networks.gaussian import Signal
from sigprop.numerics.precision import double_precision

STEPS, WIDTH, DEPTH = 24, 12, 2
PROCESS = AR1(0.8)
R = PROCESS.autocovariance(np.arange(STEPS))


def random_network(layer="lru", **options):
    """A small network of short memory, its weights of size one."""
    preset = replace(
        zucchet_paper(nu0=0.5, features=3),
        layer=layer,
        layer_options={"r_min": 0.1, "r_max": 0.4} if layer == "lru" else {},
        width=WIDTH,
        state_size=WIDTH,
        depth=DEPTH,
        **options,
    )
    network, state = build(preset, key=jax.random.key(3))
    noise = np.random.default_rng(3)

    def move(leaf):
        if not eqx.is_inexact_array(leaf):
            return leaf
        return jnp.asarray(leaf, float) + 0.2 * noise.standard_normal(leaf.shape)

    moved = jax.tree.map(move, network)
    if network.blocks[0].mixing is None:  # the modulus of an eigenvalue stays short
        layers = [block.layer for block in network.blocks]
        moved = eqx.tree_at(lambda net: [b.layer for b in net.blocks], moved, layers)
    return moved, state


def sequence_errors(network, state, u, v):
    """``dL/dx`` before the first block and after every one, (streams, time, width)."""

    def loss(pushes):
        x = network.encode(u, None) + pushes[0]
        for block, push in zip(network.blocks, pushes[1:], strict=True):
            x = block(x, state)[0] + push
        return jnp.sum(v * x)

    return jax.grad(loss)(jnp.zeros((DEPTH + 1, len(u), WIDTH)))


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("skip", ["identity", "linear"])
def test_a_linear_networks_errors_are_the_squares_of_its_jacobian(skip):
    network, state = random_network(mixing="none", norm="none", skip=skip)
    prediction = predict_errors(network, R)
    units = jnp.eye(STEPS * WIDTH).reshape(-1, STEPS, WIDTH)
    u = jnp.zeros((STEPS, 3))
    back = jax.jit(jax.vmap(lambda v: sequence_errors(network, state, u, v)))(units)
    wanted = np.sum(np.asarray(back)[:, :, 0] ** 2, 0).mean(-1)
    np.testing.assert_allclose(prediction.error, wanted, rtol=1e-8)
    streams = propagation.predict_signals(network, R).stream
    np.testing.assert_allclose(prediction.stream[1:], streams, rtol=1e-12)
    assert prediction.error[-1] == 1.0


def measured(network, state, num):
    """Errors in the middle of twice as many steps, and their standard errors."""
    keys = jax.random.split(jax.random.key(5))
    u = channels(keys[0], PROCESS, num, 2 * STEPS, 3, float)
    v = jax.random.normal(keys[1], (num, 2 * STEPS, WIDTH))
    run = jax.jit(jax.vmap(lambda u, v: sequence_errors(network, state, u, v)))
    squares = np.mean(np.asarray(run(u, v))[:, :, STEPS] ** 2, -1)
    return squares.mean(0), squares.std(0, ddof=1) / num**0.5


MARGIN = 0.1  # of slopes that are taken for independent of each other


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize(
    "options",
    [
        {"mixing": "glu", "norm": "none"},
        pytest.param({"mixing": "half_glu", "norm": "layer"}, marks=pytest.mark.slow),
        pytest.param({"mixing": "mlp", "norm": "none"}, marks=pytest.mark.slow),
        pytest.param(
            {"mixing": "mlp", "norm": "layer", "mixing_norm": True},
            marks=pytest.mark.slow,
        ),
    ],
    ids=lambda options: "-".join(map(str, options.values())),
)
def test_errors_of_bent_networks_are_near(options):
    network, state = random_network(**options)
    predicted = predict_errors(network, R).error
    mean, sem = measured(network, state, 2048)
    ratio = mean / predicted
    assert np.all(np.abs(ratio - 1) < MARGIN + 5 * sem / predicted)
    assert (
        np.abs(predicted[0] / predicted[1] - 1) > 2 * MARGIN
    )  # so that a block matters


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("full", [True, False])
def test_a_gated_unit_multiplies_errors_as_sampled_jacobians_do(full):
    """At lags 0 and 1 of a stream that runs backwards, for errors of any covariance."""
    draws, n, num = np.random.default_rng(4), 3, 400_000
    keys = jax.random.split(jax.random.key(6))
    value, gate = (
        eqx.nn.Linear(n, n, key=key, dtype=jnp.float64, use_bias=True) for key in keys
    )
    unit = GLU(
        value if full else None, eqx.tree_at(lambda g: g.weight, gate, 2 * gate.weight)
    )
    later = draws.standard_normal((n, 2 * n)) / 2
    turned, _ = np.linalg.qr(np.eye(2 * n) + 0.4 * draws.standard_normal((2 * n,) * 2))
    sooner = later @ turned  # y_{t + 1} and y_t from the same six numbers, one law
    mean = np.array([0.5, -0.3, 0.2])
    R = np.stack([later @ later.T, later @ sooner.T])
    C = draws.standard_normal((2, n, n))
    C[0] = C[0] @ C[0].T
    y = Signal(jnp.asarray(mean), jnp.asarray(R))
    errors, derivative = backpropagation._ungate(
        unit, y, Signal(jnp.zeros(n), jnp.asarray(C))
    )
    z = draws.standard_normal((num, 2 * n))
    derivatives = [
        np.asarray(jax.jit(jax.vmap(jax.jacrev(unit)))(mean + z @ way.T))
        for way in (sooner, later)
    ]
    first = np.einsum("sji,jk,skl->il", derivatives[1], C[0], derivatives[1]) / num
    second = np.einsum("sji,jk,skl->il", derivatives[0], C[1], derivatives[1]) / num
    scale = np.abs(first).max()
    np.testing.assert_allclose(errors.covariance[0], first, atol=0.02 * scale)
    assert np.abs(np.asarray(errors.covariance[1]) - second).max() < 0.02 * scale
    assert np.abs(np.asarray(errors.covariance[1]).T - second).max() > 0.1 * scale
    np.testing.assert_allclose(derivative, derivatives[1].mean(0).T, atol=0.02)


def test_a_layer_without_theory_is_named():
    network, _ = build(
        replace(
            zucchet_paper(nu0=0.5, features=3),
            layer="gru",
            layer_options={"times": [1.0, 8.0]},
            width=4,
            state_size=4,
        ),
        key=jax.random.key(0),
    )
    with double_precision(True), pytest.raises(ValueError, match="block 0, got GRU"):
        predict_errors(network, R)


@pytest.mark.usefixtures("x64")
@pytest.mark.slow
def test_streams_that_explode_are_refused():
    R = np.full(STEPS, np.float64(1e18))
    network, _ = random_network(mixing="none", norm="none")
    loud = eqx.tree_at(
        lambda model: model.encoder.weight, network, 1e150 * jnp.ones((12, 3))
    )
    with pytest.raises(ValueError, match="need streams of moderate size"):
        predict_errors(loud, R)
