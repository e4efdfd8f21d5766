"""The gated unit, and how gated networks are drawn."""

import jax.numpy as jnp
import numpy as np

from sigprop.evidence.zucchet.experiments.gate_dependence import unit_loop
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


def test_step_of_a_gru_at_rest_is_the_layers_own():
    for gain in (0.0, 1.0):
        by_hand, by_layer = (
            step_jacobian(16.0, gain),
            step_jacobian_by_layer(16.0, gain),
        )
        np.testing.assert_allclose(by_hand, by_layer, atol=1e-12)
