"""Moments of states that a matrix multiplies: every sequence, samples and closed forms."""

import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import replace
from sigprop.layers.delta_product import DeltaProduct, delta_product
from sigprop.layers.deltanet import deltanet
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.rwkv7 import rwkv7
from sigprop.linear.gated_moments import (
    covered,
    enumerate_gated,
    lagged_gated,
    predict_gated,
    predict_input_gradient,
    predict_output,
)
from sigprop.neuron.quadrature import Law
from sigprop.numerics.precision import double_precision
from tests.sigprop.linear.test_gated_moments import law

LAYERS = {
    "rwkv7": lambda key: rwkv7(3, 4, key=key, heads=2, rank=2),
    "mamba3": lambda key: mamba3(4, 4, key=key, heads=2, steps=(0.1, 0.9)),
    "delta_product": lambda key: delta_product(2, 4, key=key, heads=2, reflections=3),
    "delta_product-decay": lambda key: delta_product(
        2, 3, key=key, reflections=2, largest=1.5, steps=(0.1, 0.5)
    ),
    "released_deltanet": lambda key: delta_product(
        3, 3, key=key, reflections=1, largest=1.0
    ),
}


def build(name, seed=0):
    with double_precision(True):
        return jax.jit(LAYERS[name])(jax.random.key(seed))


def sequences(inputs, steps):
    index = np.array(list(itertools.product(range(len(inputs.values)), repeat=steps)))
    return jnp.asarray(inputs.values[index]), inputs.probabilities[index].prod(1)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("steps", [1, 5])
@pytest.mark.sampled(kind="name")
def test_moments_are_those_of_every_sequence(name, steps, x64):
    layer = build(name, steps)
    inputs = law(layer.widths[0], 2)
    assert covered(layer) == ()
    exact = enumerate_gated(layer, inputs, steps)
    moments = predict_gated(layer, law=inputs, steps=steps)
    assert exact.keys() == moments.keys() == {"state"}
    assert moments["state"].value == pytest.approx(exact["state"], rel=1e-10)
    u, p = sequences(inputs, steps)
    outputs = float(p @ (jax.vmap(layer)(u)[:, -1] ** 2).sum(1))
    moment = predict_output(layer, law=inputs, steps=steps)["output"]
    assert moment.value == pytest.approx(outputs, rel=1e-10)


@pytest.mark.parametrize("name", LAYERS)
@pytest.mark.parametrize("lag", [0, 1, 3])
@pytest.mark.sampled(kind="name")
def test_lagged_states_are_those_of_every_sequence(name, lag, x64):
    layer, steps = build(name, 3), 2
    inputs = law(layer.widths[0], 4)
    u, p = sequences(inputs, steps + lag)
    h = jax.vmap(layer.states)(u)
    exact = p @ np.asarray((h[:, steps - 1] * h[:, -1]).sum(1))
    moment = lagged_gated(layer, lag, law=inputs, steps=steps)
    assert moment.value == pytest.approx(exact, rel=1e-10)


@pytest.mark.parametrize("name", LAYERS)
def test_gaussian_moments_are_those_of_samples(name, x64):
    layer, num, steps = build(name, 4), 40_000, 6
    u = 1.3 * jax.random.normal(jax.random.key(11), (num, steps, layer.widths[0]))
    options = {"scale": 1.3, "steps": steps}
    exact = {
        "state": predict_gated(layer, **options)["state"],
        "output": predict_output(layer, **options)["output"],
        "lagged": lagged_gated(layer, 2, scale=1.3, steps=steps - 2),
    }
    h = jax.vmap(layer.states)(u)
    samples = {
        "state": (h[:, -1] ** 2).sum(1),
        "output": (jax.vmap(layer)(u)[:, -1] ** 2).sum(1),
        "lagged": (h[:, -1] * h[:, -3]).sum(1),
    }
    for quantity, values in samples.items():
        value, error = exact[quantity]
        sem = float(values.std()) / num**0.5
        assert abs(float(values.mean()) - value) < 5 * sem + error, quantity
        assert error < 0.02 * value
        assert sem < 0.05 * value


@pytest.mark.parametrize("name", LAYERS)
def test_many_steps_reach_the_limit(name, x64):
    layer = build(name, 5)
    values = np.random.default_rng(6).normal(size=(5, layer.widths[0]))
    for options in ({"scale": 0.7}, {"law": Law(values, np.full(5, 0.2))}):
        few = predict_gated(layer, steps=1, **options)["state"].value
        many = predict_gated(layer, steps=20_000, **options)["state"].value
        limit = predict_gated(layer, **options)["state"].value
        assert 0 < few < 0.98 * limit
        assert many == pytest.approx(limit, rel=1e-8)
    assert predict_gated(layer, steps=0)["state"].value == 0
    assert predict_output(layer, steps=0)["output"].value == 0


def test_one_reflection_without_a_silu_is_deltanet(x64):
    """By another integral, over the logarithm of the keys' lengths."""
    old = deltanet(2, 4, key=jax.random.key(1), heads=2)
    weights = (old.W_q, old.W_k[None], old.W_v[None], old.W_beta[None])
    new = DeltaProduct(*weights, largest=1.0, activation="identity")
    for steps in (1, 5, None):
        exact = predict_gated(old, steps=steps)["state"]
        value, error = predict_gated(new, steps=steps)["state"]
        assert abs(value - exact.value) < error + exact.error
        assert error < 0.01 * value


def isotropic(reflections, keys=3, values=2, largest=1.4):
    """A layer whose keys are independent and of any direction, with a constant beta."""
    width = reflections * (keys + values)
    basis, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(width, width)))
    W_k, W_v = np.split(basis, [reflections * keys])
    return DeltaProduct(
        W_q=jnp.asarray(W_k[None, :keys]),
        W_k=jnp.asarray(W_k.reshape(reflections, 1, keys, width)),
        W_v=jnp.asarray(W_v.reshape(reflections, 1, values, width)),
        W_beta=jnp.zeros((reflections, 1, width)),
        largest=largest,
        activation="identity",
    )


@pytest.mark.parametrize("reflections", [1, 2, 3])
def test_isotropic_keys_decay_by_a_power_of_the_reflections(reflections, x64):
    """``E|S_T|^2 = beta^2 |v|^2 (1 - a^(n T))/(1 - a)``, ``a = 1 - (2 beta - beta^2)/d``."""
    keys, values, beta = 3, 2, 0.7
    layer = isotropic(reflections, keys, values, 2 * beta)
    a = 1 - (2 * beta - beta**2) / keys
    for steps in (1, 4, None):
        power = 0 if steps is None else a ** (reflections * steps)
        exact = beta**2 * values * (1 - power) / (1 - a)
        value, error = predict_gated(layer, steps=steps)["state"]
        assert abs(value - exact) < error + 1e-5 * exact
        assert error < 0.01 * exact
    mean = (1 - beta / keys) ** reflections
    state, next_state = (lagged_gated(layer, lag) for lag in (0, 1))
    assert next_state.value / state.value == pytest.approx(mean, abs=0.01)


def test_two_reflections_turn_by_twice_their_angle(x64):
    """Eigenvalues: the roots of ``z^2 - (2 - b - c + b c cos^2) z + (1 - b)(1 - c)``."""
    layer = delta_product(4, 5, key=jax.random.key(2), activation="identity")
    u = jax.random.normal(jax.random.key(3), (30, 5))
    A, _ = layer.maps(u)
    for now, product in zip(np.asarray(u), np.asarray(A)[:, 0], strict=True):
        k = np.asarray(layer.W_k)[:, 0] @ now
        b, c = 2 / (1 + np.exp(-np.asarray(layer.W_beta)[:, 0] @ now))
        b, c = np.array([b, c]) * (k**2).sum(1) / ((k**2).sum(1) + 1e-6)
        cosine = k[0] @ k[1] / np.linalg.norm(k[0]) / np.linalg.norm(k[1])
        middle = 2 - b - c + b * c * cosine**2
        roots = [*np.roots([1, -middle, (1 - b) * (1 - c)]), 1, 1]
        found = np.linalg.eigvals(product)
        np.testing.assert_allclose(np.poly(found), np.poly(roots), atol=1e-10)
    assert (np.linalg.norm(np.asarray(A)[:, 0], 2, axis=(1, 2)) <= 1 + 1e-12).all()


@pytest.mark.parametrize("memory", [4, 60, 1000])
def test_constant_gates_of_a_trapezoid_have_a_closed_form(memory, x64):
    """``E|S|^2 = (beta^2 + gamma^2 + 2 alpha beta gamma)/(1 - alpha^2) E|e|^2``."""
    step, weight, alpha = 0.3, 0.35, 1 - 1 / memory
    layer = mamba3(4, 4, key=jax.random.key(3), steps=(step, step), weight=weight)
    rate = -np.log(alpha) / step
    values = {"W_dt": 0, "W_A": 0, "W_lam": 0, "W_theta": 0, "W_B": 0}
    still = replace(layer, {k: v * getattr(layer, k) for k, v in values.items()})
    slow = replace(still, {"b_B": still.b_B * jnp.array([[1.0, -2.0, 0.5, 3.0]])})
    turned = replace(
        slow, {"bias": jnp.log(jnp.expm1(jnp.array([rate * step / np.log(2)])))}
    )
    step = float(jax.nn.softplus(turned.bias[0]))
    beta, gamma = (1 - weight) * step * alpha, weight * step
    e = float((turned.W_x**2).sum() * (turned.b_B**2).sum())
    ratio = (beta**2 + gamma**2 + 2 * alpha * beta * gamma) / (1 - alpha**2)
    value, error = predict_gated(turned)["state"]
    assert value == pytest.approx((1 + ratio) * e, rel=1e-4)
    assert error < 1e-3 * value


def test_what_has_no_such_moments_is_refused():
    layer = build("released_deltanet")
    with pytest.raises(ValueError, match="need independent inputs for DeltaProduct"):
        predict_gated(layer, terms=((1.0, 0.5),))
    with pytest.raises(TypeError, match="for gradients by inputs, got DeltaProduct"):
        predict_input_gradient(layer, 1)
    with pytest.raises(TypeError, match=r"need numbers.*DeltaProduct"):
        jax.jit(lambda layer: predict_gated(layer)["state"])(layer)
    with pytest.raises(ValueError, match="need keys of at most 64 entries"):
        predict_gated(delta_product(65, 1, key=jax.random.key(0)), law=law(1, 0))


def test_a_direction_of_keys_that_no_input_has_is_never_forgotten(x64):
    layer = build("released_deltanet")
    with pytest.raises(ValueError, match=r"infinite: E a\^2 = 1 >= 1"):
        predict_gated(layer, law=law(3, 1))
