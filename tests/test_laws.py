"""One table of layers, one table of laws: every layer passes every law that applies.

A new layer is tested by one added line in ``LAYERS``.
"""

from collections.abc import Callable
from dataclasses import dataclass

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.flatten_util import ravel_pytree

from sigprop.layers.base import Layer, parameters, stepwise
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.dense import block_rnn, linear_rnn, nonlinear_rnn
from sigprop.layers.lru import lru, zucchet_lru
from sigprop.precision import double_precision

LENGTH = 19


@dataclass(frozen=True)
class Case:
    """A layer small enough to differentiate by finite differences."""

    build: Callable[[jax.Array], Layer]


LAYERS = {
    "lru": Case(lambda key: lru(key, 5, 3, r_min=0.4, r_max=0.95)),
    "lru-detached": Case(lambda key: lru(key, 5, 3, r_min=0.4, gamma="detached")),
    "lru-absent": Case(lambda key: lru(key, 5, 3, max_phase=0.3, gamma="absent")),
    "lru-zucchet": Case(lambda key: zucchet_lru(key, 5, 3, 2, nu0=0.9, theta0=0.5)),
    "complex": Case(lambda key: complex_diagonal(key, 5, 3, 2)),
    "complex-polar": Case(
        lambda key: complex_diagonal(key, 5, 3, 2, coordinates="polar")
    ),
    "complex-exponential": Case(
        lambda key: complex_diagonal(key, 5, 3, 2, coordinates="exponential")
    ),
    "dense": Case(lambda key: linear_rnn(key, 6, 3, 2, nu0=0.8, theta0=1.0)),
    "blocks": Case(lambda key: block_rnn(key, 3, 2, 3, 2, nu0=0.8, theta0=1.0)),
    "tanh": Case(lambda key: nonlinear_rnn(key, 5, 3, 2)),
    "relu": Case(lambda key: nonlinear_rnn(key, 5, 3, 2, "relu")),
}


@pytest.fixture(params=LAYERS)
def layer(request, x64):
    return LAYERS[request.param].build(jax.random.key(3))


@pytest.fixture
def u(layer):
    return jax.random.normal(jax.random.key(4), (LENGTH, layer.widths[0]))


def close(left, right, tolerance=1e-10):
    np.testing.assert_allclose(left, right, rtol=tolerance, atol=tolerance)


def test_something_comes_out(layer, u):
    y = layer(u)
    assert y.shape == (LENGTH, layer.widths[1])
    assert layer.states(u).shape == (LENGTH, layer.state_size)
    assert float(jnp.std(y)) > 0.01


def test_parallel_is_step_by_step(layer, u):
    close(layer(u), stepwise(layer, u))


def test_a_linear_layer_is_its_convolution(layer, u):
    if not layer.linear:
        pytest.skip("a non-linear layer is no convolution")
    d_in = layer.widths[0]
    impulses = jnp.zeros((d_in, LENGTH, d_in)).at[jnp.arange(d_in), 0, jnp.arange(d_in)]
    kernel = jax.vmap(layer)(impulses.set(1.0))  # (d_in, time, d_out)
    lags = jnp.arange(LENGTH)[:, None] - jnp.arange(LENGTH)[None]
    toeplitz = jnp.where(lags[None, :, :, None] >= 0, kernel[:, lags], 0)
    close(layer(u), jnp.einsum("itso,si->to", toeplitz, u))


def test_linearity_holds_exactly_where_it_is_claimed(layer, u):
    other = jax.random.normal(jax.random.key(5), u.shape)
    together, apart = layer(2 * u - 3 * other), 2 * layer(u) - 3 * layer(other)
    if layer.linear:
        close(together, apart)
    else:
        assert float(jnp.max(jnp.abs(together - apart))) > 0.05


def test_the_past_alone_matters_by_gradient(layer, u):
    jacobian = jax.jacrev(layer)(u)  # (time, d_out, time, d_in)
    size = np.abs(np.asarray(jacobian)).max(axis=(1, 3))
    later = np.triu(np.ones((LENGTH, LENGTH), bool), 1)
    if layer.causal:
        assert size[later].max() == 0
    else:
        assert size[later].min() > 0
    assert size[np.eye(LENGTH, dtype=bool)].max() > 0


def test_a_batch_is_a_vmap(layer, u):
    batch = jnp.stack([u, 2 * u, u[::-1]])
    close(jax.jit(jax.vmap(layer))(batch), jnp.stack([layer(one) for one in batch]))


def loss(layer, u):
    weights = jnp.cos(jnp.arange(LENGTH * layer.widths[1])).reshape(LENGTH, -1)
    return jnp.sum(weights * layer(u)) + jnp.sum(layer(u) ** 2)


def test_the_gradient_is_a_finite_difference(layer, u):
    trainable, fixed = eqx.partition(layer, eqx.is_inexact_array)
    flat, restore = ravel_pytree(trainable)

    def at(values):
        return loss(eqx.combine(restore(values), fixed), u)

    if getattr(layer, "gamma", None) == "detached":
        pytest.skip(
            "a detached normalisation is not differentiated through, on purpose"
        )
    gradient = jax.grad(at)(flat)
    for seed in range(4):
        direction = jax.random.normal(jax.random.key(seed), flat.shape)
        step = 1e-6 / jnp.linalg.norm(direction)
        slope = (at(flat + step * direction) - at(flat - step * direction)) / (2 * step)
        close(gradient @ direction, slope, 1e-6 * max(1.0, abs(float(slope))))
    assert float(jnp.min(jnp.abs(gradient))) >= 0
    assert np.isfinite(np.asarray(gradient)).all()


def test_the_gradient_is_that_of_the_loop(layer, u):
    def by_steps(layer, u):
        weights = jnp.cos(jnp.arange(LENGTH * layer.widths[1])).reshape(LENGTH, -1)
        y = stepwise(layer, u)
        return jnp.sum(weights * y) + jnp.sum(y**2)

    fast, slow = eqx.filter_grad(loss)(layer, u), eqx.filter_grad(by_steps)(layer, u)
    for one, other in zip(jax.tree.leaves(fast), jax.tree.leaves(slow), strict=True):
        close(one, other, 1e-9)


@pytest.mark.parametrize("name", LAYERS)
def test_single_precision_is_double_precision_up_to_rounding(name):
    single = LAYERS[name].build(jax.random.key(3))
    u = jax.random.normal(jax.random.key(4), (LENGTH, single.widths[0]))
    y = single(u)
    assert y.dtype == jnp.float32
    with double_precision(True):
        double = jax.tree.map(
            lambda leaf: (
                jnp.asarray(np.asarray(leaf), jnp.float64)
                if eqx.is_inexact_array(leaf)
                else leaf
            ),
            single,
        )
        wide = double(jnp.asarray(np.asarray(u), jnp.float64))
        assert wide.dtype == jnp.float64
    scale = float(np.abs(wide).max())
    assert float(np.abs(np.asarray(y) - np.asarray(wide)).max()) < 3e-5 * scale


def test_every_parameter_has_a_group(layer):
    assert set(layer.groups().values()) <= {"recurrent", "input", "readout"}
    assert parameters(layer)


def test_stability_is_kept_at_any_parameters_where_it_is_claimed(layer):
    if not layer.stable:
        pytest.skip("this parametrisation claims no stability")
    trainable, fixed = eqx.partition(layer, eqx.is_inexact_array)
    flat, restore = ravel_pytree(trainable)
    for seed in range(20):
        values = 3 * jax.random.normal(jax.random.key(seed), flat.shape)
        moved = eqx.combine(restore(values), fixed).eigenvalues()
        assert float(jnp.max(jnp.abs(moved))) <= 1


def test_the_spectrum_is_that_of_the_impulse_response(layer):
    """Prony's view: the states' impulse response lies in the span of lam**t."""
    if not layer.linear or layer.eigenvalues() is None:
        pytest.skip("no fixed spectrum")
    impulse = jnp.zeros((LENGTH, layer.widths[0])).at[0].set(1.0)
    h = np.asarray(layer.states(impulse))
    lam = np.asarray(layer.eigenvalues())
    basis = lam[None] ** np.arange(LENGTH)[:, None]
    basis = np.concatenate([basis, basis.conj()], axis=1)
    fitted = basis @ np.linalg.lstsq(basis, h, rcond=None)[0]
    assert np.abs(fitted - h).max() < 1e-8 * np.abs(h).max()


def test_lengths_zero_and_one_work(layer):
    for length in (0, 1):
        u = jnp.ones((length, layer.widths[0]))
        assert layer(u).shape == (length, layer.widths[1])


def test_a_wrong_width_is_refused(layer):
    wrong = jnp.ones((4, layer.widths[0] + 1))
    with pytest.raises(ValueError, match=r"need inputs of shape \(time, "):
        layer(wrong)
