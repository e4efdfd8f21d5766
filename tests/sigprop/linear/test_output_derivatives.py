"""The Hessian's trace without the Hessian: against dense ones, and against its measurement."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.curvature.hessian import expand
from sigprop.inputs import AR1
from sigprop.layers.base import parameters, replace
from sigprop.layers.complex_diagonal import complex_diagonal
from sigprop.layers.dense import linear_rnn
from sigprop.layers.gru import gru
from sigprop.layers.lru import lru
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.linear.filters import Covariances
from sigprop.linear.output_derivatives import Driven, measured_trace, predicted_trace
from sigprop.numerics.precision import double_precision
from sigprop.tasks.teacher_student import teacher_student

WIDTH, STEPS, RHO = 3, 20, 0.8
LAYERS = {
    "lru": lambda key: lru(5, WIDTH, key=key),
    "complex diagonal": lambda key: complex_diagonal(4, WIDTH, key=key, d_out=2),
    "s5": lambda key: s5(4, WIDTH, key=key),
    "s5, all states": lambda key: s5(4, WIDTH, key=key, conjugate=False),
    "s4d": lambda key: s4d(4, WIDTH, key=key, spectrum="lin"),
}


class Independent:
    """Channels that are independent AR(1) series."""

    steps = STEPS

    def mode_inputs(self, inward):
        R = self.common()
        plain = (np.abs(inward) ** 2).sum(1)[:, None] * R
        return Covariances(plain + 0j, (inward**2).sum(1)[:, None] * R)

    def common(self):
        return RHO ** np.arange(STEPS)


@pytest.mark.sampled(1, keep=["s4d"])
@pytest.mark.parametrize("name", LAYERS)
def test_it_is_the_trace_of_the_exact_hessian_parameter_by_parameter(name, x64):
    layer = LAYERS[name](jax.random.key(3))
    teacher = linear_rnn(
        2,
        layer.widths[0],
        key=jax.random.key(0),
        d_out=layer.widths[1],
        nu0=0.5,
        theta0=1.0,
    )
    task = teacher_student(teacher, AR1(RHO), length=STEPS)
    known = expand(task, layer, at_optimum=True)
    expected: dict[str, float] = {}
    for parameter in known.layout:
        part = parameter.removesuffix("_re").removesuffix("_im")
        part = part if part in "BCD" else parameter
        total = np.trace(known.block(parameter))
        expected[part] = expected.get(part, 0.0) + total
    trace = predicted_trace(layer, Independent())
    assert trace == pytest.approx(expected, rel=1e-9)


def driven(seed=6, num=40):
    g = np.random.default_rng(seed)
    x = g.normal(size=(num, STEPS, 2))
    for t in range(1, STEPS):
        x[:, t] = RHO * x[:, t - 1] + np.sqrt(1 - RHO**2) * x[:, t]
    return Driven(x, g.normal(size=(WIDTH, 2)))


def dense_trace(layer, inputs):
    """Of the Hessian of the loss at a teacher that is the layer, by differentiating twice."""
    values = parameters(layer)
    u = jnp.asarray(inputs.features @ inputs.mixing.T)
    y = jax.vmap(layer)(u)

    def loss(values):
        error = jax.vmap(replace(layer, values))(u) - y
        return jnp.mean(jnp.sum(error**2, -1)) / 2

    flat, split = jax.flatten_util.ravel_pytree(values)
    gradient = jax.grad(lambda x: loss(split(x)))
    rows = jax.vmap(lambda v: jax.grad(lambda x: gradient(x) @ v)(flat))(
        jnp.eye(flat.size)
    )
    return float(jnp.trace(rows))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["lru", "s4d", "gru", "rotrnn"])
def test_it_is_measured_within_its_error(name, x64):
    key = jax.random.key(2)
    makers = {
        **LAYERS,
        "gru": lambda key: gru(3, WIDTH, key=key, times=(2, 9)),
        "rotrnn": lambda key: rotrnn(4, WIDTH, key=key, heads=2),
    }
    layer, inputs = makers[name](key), driven()
    expected = dense_trace(layer, inputs)
    trace = measured_trace(layer, inputs, seed=5, probes=300)
    # Two-sided at 1e-6; the spread is bounded so that a factor would be noticed.
    assert abs(trace.value - expected) < 4.9 * trace.sem
    assert trace.sem < 0.1 * expected
    if name in LAYERS:
        near = sum(predicted_trace(layer, inputs).values())
        assert near == pytest.approx(
            expected, rel=0.05
        )  # 40 windows are stationary so far


def test_a_layer_without_a_form_or_on_the_circle_is_refused(x64):
    with pytest.raises(TypeError, match="derivatives of each mode, got RotRNN"):
        predicted_trace(rotrnn(4, 3, key=jax.random.key(0), heads=2), Independent())
    layer = lru(2, WIDTH, key=jax.random.key(0))
    still = replace(layer, {"nu_log": jnp.array([-1.0, -jnp.inf])})
    with pytest.raises(
        ValueError, match="inside the unit circle and not zero, got one of"
    ):
        predicted_trace(still, Independent())
    with pytest.raises(ValueError, match="need probes >= 2"):
        measured_trace(layer, driven(), probes=1)


def test_long_windows_of_a_large_layer_are_cut():
    with double_precision(True):
        layer = lru(4, WIDTH, key=jax.random.key(0))
        trace = measured_trace(layer, driven(), probes=2, most=40)
    assert (trace.steps, trace.windows, trace.probes) == (10, 2, 2)
