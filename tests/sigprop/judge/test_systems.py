"""A trajectory of anything that has states, and the inputs that it takes."""

import re

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop import Constant, White, linear_recurrence
from sigprop.judge.systems import Process, Recurrence, channels, draw, trajectory
from sigprop.layers import lru
from sigprop.layers.base import stepwise
from sigprop.networks import NetworkConfig, build, over_batch
from sigprop.networks.propagation import widened

KEY = jax.random.key(4)
X = jax.random.normal(KEY, (7,))
PAIRS = jax.random.normal(KEY, (7, 2))


class Leaky(eqx.Module):
    rate: jax.Array
    initial: jax.Array

    def step(self, h, x):
        return self.rate * h + x


def network(norm="layer", **more):
    config = {"inputs": 2, "outputs": 3, "width": 4, "state_size": 5, "depth": 2}
    return build(NetworkConfig(**config, layer="lru", norm=norm, **more), key=KEY)


def test_eigenvalues_run_the_recurrence():
    lam = jnp.array([0.5, 0.3j])
    states, outputs = trajectory(lam, X)
    np.testing.assert_array_equal(states, linear_recurrence(lam, X[:, None]))
    np.testing.assert_array_equal(states, outputs)
    both = trajectory(lam, PAIRS).states
    np.testing.assert_allclose(both, linear_recurrence(lam, PAIRS), rtol=1e-6)


def test_a_layer_has_states_and_outputs():
    layer = lru(3, 2, key=KEY)
    states, outputs = trajectory(layer, PAIRS)
    np.testing.assert_array_equal(states, layer.states(PAIRS))
    np.testing.assert_allclose(outputs, stepwise(layer, PAIRS), rtol=1e-4, atol=1e-5)


def test_a_function_is_called():
    states, outputs = trajectory(lambda x: jnp.tanh(x), X)
    np.testing.assert_array_equal(states, jnp.tanh(X))
    np.testing.assert_array_equal(states, outputs)


def test_a_recurrence_of_your_own_begins_at_its_initial_state():
    own = Leaky(jnp.array([0.5]), jnp.array([8.0]))
    states, _ = trajectory(own, jnp.array([1.0, 2.0]))
    assert states.tolist() == [[5.0], [4.5]]
    assert isinstance(own, Recurrence)
    assert isinstance(White(), Process)


def test_a_state_takes_the_precision_of_its_inputs(x64):
    own = Leaky(jnp.array([0.5], jnp.float32), jnp.zeros(1, jnp.float32))
    assert trajectory(own, jnp.ones(3, jnp.float64)).states.dtype == jnp.float64
    assert widened(own).rate.dtype == jnp.float64
    assert widened(jnp.array([1j], jnp.complex64)).dtype == jnp.complex128
    assert widened(jnp.array([1])).dtype == jnp.array([1]).dtype


def test_a_trajectory_is_differentiated_by_parameters():
    def last(own):
        return trajectory(own, jnp.array([1.0, 2.0])).states[-1, 0]

    own = Leaky(jnp.array([0.5]), jnp.array([8.0]))
    gradient = jax.grad(last)(own)
    assert gradient.rate.tolist() == [0.5 * 8 + 5.0]
    assert gradient.initial.tolist() == [0.25]


def test_a_network_has_the_states_of_each_block():
    net, state = network()
    states, outputs = trajectory((net, state), PAIRS)
    assert [block.shape for block in states] == [(7, 5)] * 2
    expected, _ = over_batch(net, state, PAIRS[None])
    np.testing.assert_allclose(outputs, expected[0], rtol=1e-5)
    np.testing.assert_array_equal(trajectory(net, PAIRS).outputs, outputs)
    # The states are what a stream of single steps carries.
    stream = net.initial_states()
    for x in PAIRS:
        stream, _ = net.step(stream, x, state)
    for block, last in zip(states, stream[0], strict=True):
        np.testing.assert_allclose(block[-1], last, rtol=1e-4, atol=1e-6)


def test_a_network_in_training_or_without_its_state_is_refused():
    net, state = network("batch")
    with pytest.raises(ValueError, match="need a network in inference mode"):
        trajectory((net, state), PAIRS)
    still = eqx.nn.inference_mode(net)
    assert trajectory((still, state), PAIRS).outputs.shape == (3,)
    with pytest.raises(ValueError, match="need the state of a network that normalises"):
        trajectory(still, PAIRS)


def test_what_is_no_system_is_refused():
    with pytest.raises(
        ValueError, match=r"need a system: eigenvalues, a layer.*got dict"
    ):
        trajectory({}, X)
    own = Leaky(jnp.ones(2), jnp.zeros(1))
    with pytest.raises(ValueError, match=re.escape("got shapes")):
        trajectory(own, X)


def test_channels_are_those_of_layers_and_linear_encoders():
    assert channels(lru(3, 2, key=KEY)) == 2
    assert channels(network()) == 2
    assert channels(network(encoder="embedding")) is None
    assert channels(jnp.ones(2)) is None
    assert channels(jnp.tanh) is None


def test_channels_have_inputs_of_their_own(x64):
    x = np.asarray(draw(White(2.0), KEY, 500, 20, 3))
    assert x.shape == (500, 20, 3)
    covariance = np.cov(x.reshape(-1, 3).T)
    np.testing.assert_allclose(covariance, 2 * np.eye(3), atol=5 * 2 / 100)
    still = np.asarray(draw(Constant(), KEY, 5, 20, 3))
    np.testing.assert_array_equal(still, np.broadcast_to(still[:, :1], still.shape))
    assert draw(White(), KEY, 5, 20, None).shape == (5, 20)


class Pairs:
    def sample(self, key, num, length, dtype):
        return jax.random.normal(key, (num, length, 2), dtype)


class Turned:
    def sample(self, key, num, length, dtype):
        return jnp.zeros((length, num), dtype)


def test_a_process_of_your_own_gives_its_own_shape(x64):
    assert draw(Pairs(), KEY, 4, 9, None).shape == (4, 9, 2)
    assert draw(Pairs(), KEY, 4, 9, 2).shape == (4, 9, 2)
    message = r"need sample\(key, 4, 9, dtype\).*got \(9, 4\) from Turned"
    with pytest.raises(ValueError, match=message):
        draw(Turned(), KEY, 4, 9, None)
