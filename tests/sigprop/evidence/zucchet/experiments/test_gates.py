"""The gated unit, and how gated networks are drawn."""

import jax.numpy as jnp
import numpy as np

from sigprop.evidence.zucchet.experiments.gate_dependence import unit_loop
from sigprop.evidence.zucchet.experiments.gated_networks import orthogonal
from sigprop.evidence.zucchet.experiments.jacobian import (
    step_jacobian,
    step_jacobian_by_layer,
)
from sigprop.layers.gated import GatedUnit
from sigprop.numerics.precision import double_precision


def test_loop_of_units_is_the_layer():
    generator, n, steps = np.random.default_rng(0), 5, 7
    W, V = generator.normal(size=(2, 1, n, n))
    bias, x = generator.normal(size=(1, n)), generator.normal(size=(steps, 1, n))
    with double_precision(True):
        none = jnp.zeros((1, n))
        unit = GatedUnit(
            jnp.asarray(bias[0]), none, none, jnp.asarray(W[0]), jnp.asarray(V[0])
        )
        h = np.asarray(unit.states(jnp.asarray(x[:, 0])))[-1]
    np.testing.assert_allclose(unit_loop(W, V, bias, x)[0], h, rtol=1e-12)


def test_orthogonal_matrices_are_drawn_without_a_preferred_sign():
    Q = orthogonal(np.random.default_rng(0), 400, 6, 6)
    np.testing.assert_allclose(
        Q @ np.swapaxes(Q, 1, 2), np.broadcast_to(np.eye(6), Q.shape), atol=1e-12
    )
    assert abs(np.mean(np.diagonal(Q, axis1=1, axis2=2))) < 5 / np.sqrt(400 * 36)


def test_step_of_a_gru_at_rest_is_the_layers_own():
    for gain in (0.0, 1.0):
        by_hand, by_layer = (
            step_jacobian(16.0, gain),
            step_jacobian_by_layer(16.0, gain),
        )
        np.testing.assert_allclose(by_hand, by_layer, atol=1e-12)
