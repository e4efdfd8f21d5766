import dataclasses
import math

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.dense import LinearRNN, NonlinearRNN
from sigprop.layers.lru import zucchet_lru
from sigprop.numerics.precision import double_precision
from sigprop.tasks.convolution import (
    bumped_kernel,
    convolution,
    glorot_rnn,
    kernel_at_rest,
    waves,
)


@pytest.fixture(autouse=True)
def precise():
    with double_precision(True):
        yield


@pytest.fixture
def task():
    return convolution(bumped_kernel(30), waves(jax.random.key(1), 9.0, 30, 5))


def test_outputs_are_the_convolution(task):
    for u, y in zip(task.inputs, task.outputs, strict=True):
        np.testing.assert_allclose(y, np.convolve(u, task.response)[:30], atol=1e-14)
    assert float(task.power) == pytest.approx(float((task.outputs**2).mean()))


def test_kernel_has_the_papers_values_and_bump():
    kernel = np.asarray(bumped_kernel())
    k = np.arange(100)
    np.testing.assert_allclose(kernel, 0.1 * np.exp(-0.015 * k) * np.cos(0.04 * k) ** 2)
    assert 50 + kernel[50:].argmax() == 74


def test_inputs_are_waves_of_the_stated_form():
    u = np.asarray(waves(jax.random.key(3), 4.0, 50, 6))
    w, v = np.asarray(jax.random.uniform(jax.random.key(3), (2, 6, 1), maxval=4.0))
    assert max(w.max(), v.max()) < 4
    k = np.arange(50)
    expected = np.sin(0.05 * w * k) * np.cos(0.05 * v * k) ** 2
    np.testing.assert_allclose(u, expected, atol=1e-14)
    assert len(np.unique(u[:, 1])) == 6


@pytest.mark.parametrize("activation", ["identity", "tanh"])
@pytest.mark.sampled(keep=["tanh"])
def test_loss_is_that_of_a_plain_loop(task, activation):
    layer = glorot_rnn(jax.random.key(2), 8, activation)
    A, B, C, D = (
        np.asarray(matrix) for matrix in (layer.A[0], layer.B, layer.C, layer.D)
    )
    act = np.tanh if activation == "tanh" else np.asarray
    errors = []
    for u, y in zip(np.asarray(task.inputs), np.asarray(task.outputs), strict=True):
        h = np.zeros(8)
        for x, wanted in zip(u, y, strict=True):
            h = act(A @ h + B[:, 0] * x)
            errors.append(C[0] @ h + D[0, 0] * x - wanted)
    assert float(task.loss(layer)) == pytest.approx(np.mean(np.square(errors)))


def test_layer_that_is_the_kernel_has_no_loss(task):
    modes = np.exp([-0.015, -0.015 + 0.08j])
    turned = modes[1]
    A = np.zeros((3, 3))
    A[0, 0] = modes[0].real
    A[1:, 1:] = [[turned.real, -turned.imag], [turned.imag, turned.real]]
    B, C = np.array([[1.0], [1.0], [0.0]]), np.array([[0.05, 0.05, 0.0]])
    layer = LinearRNN(*map(jnp.asarray, (A[None], B, C, np.zeros((1, 1)))))
    assert float(task.loss(layer)) < 1e-25
    assert float(task.loss(eqx.tree_at(lambda x: x.C, layer, 1.1 * layer.C))) > 1e-5


@pytest.mark.parametrize("activation", ["identity", "tanh"])
@pytest.mark.parametrize("name", ["A", "B", "C", "D"])
@pytest.mark.sampled(keep=["A-tanh", "C-tanh"])
def test_gradient_is_the_difference_quotient(task, activation, name):
    layer = glorot_rnn(jax.random.key(2), 6, activation, 0.7)
    loss_and_gradient = jax.jit(jax.value_and_grad(task.loss))
    gradient = np.asarray(getattr(loss_and_gradient(layer)[1], name))
    direction = np.random.default_rng(4).normal(size=gradient.shape)

    def moved(step):
        there = jnp.asarray(np.asarray(getattr(layer, name)) + step * direction)
        return float(loss_and_gradient(dataclasses.replace(layer, **{name: there}))[0])

    quotient = (moved(1e-6) - moved(-1e-6)) / 2e-6
    assert np.vdot(gradient, direction) == pytest.approx(quotient, rel=1e-6)
    assert abs(quotient) > 1e-6


def test_activations_of_one_key_share_their_matrices():
    linear, other = (glorot_rnn(jax.random.key(0), 5, a) for a in ("identity", "tanh"))
    assert isinstance(linear, LinearRNN)
    assert isinstance(other, NonlinearRNN)
    for name in "ABCD":
        assert (getattr(linear, name) == getattr(other, name)).all()


def test_entries_have_glorots_variance():
    n = 60
    layers = [glorot_rnn(jax.random.key(i), n) for i in range(60)]
    for name, variance in {"A": 1 / n, "B": 2 / (n + 1), "C": 2 / (n + 1)}.items():
        entries = np.stack([getattr(layer, name) for layer in layers])
        sem = math.sqrt(2 / entries.size)
        assert abs(entries.var() / variance - 1) < 5 * sem < 0.2
    skips = np.array([float(layer.D[0, 0]) for layer in layers])
    assert abs(skips.var() - 1) < 5 * math.sqrt(2 / 60)


def test_scale_multiplies_the_recurrence_alone():
    full, half = (glorot_rnn(jax.random.key(0), 5, scale=s) for s in (1.0, 0.5))
    np.testing.assert_allclose(half.A, full.A / 2)
    assert (half.B == full.B).all()


def test_kernel_at_rest_answers_a_tiny_impulse():
    layer = glorot_rnn(jax.random.key(5), 7, "tanh")
    impulse = jnp.zeros((20, 1)).at[0].set(1e-5)
    np.testing.assert_allclose(
        layer(impulse)[:, 0] / 1e-5, kernel_at_rest(layer, 20), atol=1e-8
    )


@pytest.mark.parametrize("length", [0, 1])
def test_kernel_that_is_too_short_is_refused(length):
    with pytest.raises(ValueError, match=f"kernel of at least 2 steps, got {length}"):
        bumped_kernel(length)
    with pytest.raises(ValueError, match=f"kernel of at least 2 steps, got {length}"):
        convolution(jnp.ones(length), jnp.ones((3, length)))


def test_other_bad_input_is_refused(task):
    with pytest.raises(ValueError, match="inputs of the kernel's 5 steps, got 4"):
        convolution(jnp.ones(5), jnp.ones((3, 4)))
    with pytest.raises(ValueError, match="need largest > 0"):
        waves(jax.random.key(0), 0.0)
    with pytest.raises(ValueError, match="count=0"):
        waves(jax.random.key(0), 1.0, count=0)
    with pytest.raises(ValueError, match="need activation in"):
        glorot_rnn(jax.random.key(0), 3, "sine")
    with pytest.raises(ValueError, match=r"widths \(1, 1\), got \(2, 1\)"):
        task.loss(
            zucchet_lru(4, 2, key=jax.random.key(0), d_out=1, nu0=0.5, theta0=3.0)
        )
