import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import replace
from sigprop.layers.blur import blur
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.dense import block_rnn, linear_rnn, nonlinear_rnn
from sigprop.layers.lru import lru, zucchet_lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.s4 import s4
from sigprop.linear.impulse_response import ages, kernel
from sigprop.numerics.precision import double_precision

LENGTHS = (1, 2, 9, 31)
LAYERS = {
    "lru": lambda key: lru(5, 3, key=key, r_min=0.4, r_max=0.95),
    "lru-zucchet": lambda key: zucchet_lru(5, 3, key=key, d_out=2, nu0=0.9, theta0=0.5),
    "complex": lambda key: complex_diagonal(5, 1, key=key, d_out=2, nu0=0.5),
    "s4": lambda key: s4(5, 3, key=key, d_out=1, nu0=0.8, theta0=1.0),
    "dense": lambda key: linear_rnn(6, 3, key=key, d_out=2, nu0=0.8, theta0=1.0),
    "blocks": lambda key: block_rnn(
        6, 1, key=key, d_out=2, blocks=3, nu0=0.8, theta0=1.0
    ),
    "rotrnn": lambda key: rotrnn(8, 3, key=key, heads=2),
    "blur": lambda key: blur(4, 3, key=key, r_min=0.4, r_max=0.95),
}
FAST = ("lru", "lru-zucchet", "complex", "s4", "dense", "blocks")


def build(name):
    with double_precision(True):
        return LAYERS[name](jax.random.key(3))


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.sampled(keep=["lru"])
def test_the_output_is_the_convolution_with_the_kernel(x64, name):
    layer = build(name)
    for length in LENGTHS if name in FAST else LENGTHS[-1:]:
        u = np.random.default_rng(4).normal(size=(length, layer.widths[0]))
        kernel_and_outputs = jax.jit(lambda layer, u: (kernel(layer, len(u)), layer(u)))
        response, wanted = map(np.asarray, kernel_and_outputs(layer, u))
        assert response.shape == (len(ages(layer, length)), *layer.widths[::-1])
        y = np.zeros((length, layer.widths[1]))
        for age, weight in zip(ages(layer, length).tolist(), response, strict=True):
            for t in range(max(age, 0), min(length, length + age)):
                y[t] += weight @ u[t - age]
        np.testing.assert_allclose(y, wanted, atol=1e-12)


@pytest.mark.parametrize("name", ["lru-zucchet", "dense", "blocks"])
def test_gradients_are_those_of_the_impulse_through_the_layer(x64, name):
    layer = build(name)
    weight = jax.random.normal(jax.random.key(5), (12, *layer.widths[::-1]))
    impulse = jnp.zeros((12, layer.widths[0])).at[0]

    def by_layer(layer):
        basis = jnp.eye(layer.widths[0])
        y = jax.vmap(lambda channel: layer(impulse.set(channel)))(basis)
        return jnp.sum(weight * jnp.moveaxis(y, 0, -1))

    def by_kernel(layer):
        return jnp.sum(weight * kernel(layer, 12))

    gradients, wanted = (
        jax.tree.leaves(jax.jit(jax.grad(function))(layer))
        for function in (by_kernel, by_layer)
    )
    for leaf, other in zip(gradients, wanted, strict=True):
        np.testing.assert_allclose(leaf, other, rtol=1e-9, atol=1e-12)


def test_an_eigenvalue_of_zero_has_a_gradient(x64):
    layer = build("complex")
    zero = jnp.zeros_like(layer.first)
    still = replace(layer, {"first": zero, "second": zero})
    gradients = jax.jit(jax.grad(lambda layer: jnp.sum(kernel(layer, 9) ** 2)))(still)
    assert all(bool(jnp.isfinite(leaf).all()) for leaf in jax.tree.leaves(gradients))


def test_only_linear_layers_have_one():
    with pytest.raises(ValueError, match="need a linear layer, got NonlinearRNN"):
        kernel(nonlinear_rnn(4, 1, key=jax.random.key(0)), 5)
    with pytest.raises(ValueError, match="need length >= 1, got length=0"):
        kernel(lru(4, 1, key=jax.random.key(0)), 0)
