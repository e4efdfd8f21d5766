"""Rows on the sLSTM, compared with the layer itself.

The layer has one neuron and two inputs: the argument of the input gate, and a value that
becomes plus or minus one.  Its weights are its outputs after one value among zeros.
"""

import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.special import logit
from sympy import simplify

from sigprop.layers.base import replace
from sigprop.layers.slstm import SLSTM, Forget
from sigprop.linear.gated_moments import predict_gated
from sigprop.neuron.quadrature import Law
from sigprop.numerics.precision import double_precision
from sigprop.theory import slstm as theory
from sigprop.theory.forget_gates import f as forget_symbol
from tests.seeds import fresh_seeds
from tests.sigprop.layers.test_rows_of_newer_layers import (
    EXACT,
    every_sequence,
    gated_inputs,
    stated,
)

LONG = 250  # steps that stand for the limit: 0.8^250 is 6e-25
SATURATED = 40.0  # its tanh and its sigmoid are one


@pytest.fixture(autouse=True)
def _double():
    with double_precision(True):
        yield


def neuron(f, spread=0.0, forget: Forget = "sigmoid"):
    """One neuron with an open output gate and the constant forget gate ``f``."""
    zeros, none = jnp.zeros((1, 2)), jnp.zeros((1, 1, 1))
    return SLSTM(
        W_i=jnp.array([[spread, 0.0]]),
        W_f=zeros,
        W_z=jnp.array([[0.0, SATURATED]]),
        W_o=zeros,
        R_i=none,
        R_f=none,
        R_z=none,
        R_o=none,
        b_i=jnp.array([-0.4]),
        b_f=jnp.array([logit(f) if forget == "sigmoid" else math.log(f)]),
        b_z=jnp.zeros(1),
        b_o=jnp.array([SATURATED]),
        forget=forget,
    )


@jax.jit
def ends(layer, u):
    """States at the end of sequences."""
    return jax.vmap(lambda one: layer.states(one)[-1])(u)


def normal_inputs(count=14):
    """Arguments that stand for a standard normal variable, and signs."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(count)
    return gated_inputs(nodes, weights / weights.sum())


def impulses(arguments):
    """Sequences with one value each, at every step, beside the arguments."""
    T = len(arguments)
    return jnp.stack([jnp.broadcast_to(arguments, (T, T)), jnp.eye(T)], -1)


def weights_of(layer, T):
    """Weights of the inputs in ``h``, and in ``c``, at constant gates."""
    states = ends(layer, impulses(jnp.zeros(T)))
    return states[:, 0], layer.sums(states)[:, 0]


@pytest.mark.parametrize(
    ("f", "T", "forget"),
    [(0.8, 6, "sigmoid"), (0.3, 3, "sigmoid"), (1.4, 5, "exponential")],
)
def test_the_output_at_constant_gates(f, T, forget):
    layer = neuron(f, forget=forget)
    u, mass = every_sequence([[0.0, -1.0], [0.0, 1.0]], [0.5, 0.5], T)
    found = float(mass @ ends(layer, u)[:, 0] ** 2)
    assert found == pytest.approx(stated("slstm-state", f=f, T=T), rel=EXACT)


def test_the_output_of_a_gate_is_that_of_its_inverse():
    moment = theory.state().result
    assert simplify(moment - moment.subs(forget_symbol, 1 / forget_symbol)) == 0


def test_what_forgets_nothing_has_the_mean_of_its_inputs():
    squares = weights_of(neuron(1.0, forget="exponential"), 9)[0] ** 2
    assert float(squares.sum()) == pytest.approx(1 / 9, rel=EXACT)


@pytest.mark.parametrize(("f", "spread", "T"), [(0.8, 0.6, 3), (0.3, 0.5, 2)])
def test_fluctuations_of_the_normaliser(f, spread, T):
    layer = neuron(f, spread)
    u, mass = every_sequence(*normal_inputs(), T)
    n = layer.sums(ends(layer, u))[:, 1]
    mean = float(mass @ n)
    found = float(mass @ n**2) / mean**2 - 1
    right = stated("slstm-normaliser", f=f, spread=spread, T=T)
    assert found == pytest.approx(right, rel=EXACT)


@pytest.mark.parametrize(("f", "spread"), [(0.8, 0.6), (0.3, 0.5)])
def test_the_ratio_of_the_moments_of_both_sums(f, spread):
    layer = neuron(f, spread)
    silent = replace(layer, {"W_z": 0 * layer.W_z})
    values, masses = normal_inputs()
    both, weights = (
        predict_gated(one, law=Law(values, np.array(masses)))["state"].value
        for one in (layer, silent)
    )
    right = stated("slstm-ratio", f=f, spread=spread)
    assert both / weights - 1 == pytest.approx(right, rel=1e-8)


def test_the_product_of_both_sums_is_the_mean_input_times_a_square():
    layer = neuron(0.8, 0.6)
    values, masses = normal_inputs()
    masses = np.where(values[:, 1] > 0, 1.4, 0.6) * masses  # of mean 0.4
    u, mass = every_sequence(values, masses, 3)
    c, n = layer.sums(ends(layer, u)).T
    assert float(mass @ (c * n)) == pytest.approx(0.4 * float(mass @ n**2), rel=EXACT)


@pytest.mark.parametrize(("spread", "share"), [(1.0, 0.804), (2.0, 0.329)])
def test_the_moment_of_the_ratio_is_below_the_ratio_of_moments(spread, share):
    """As the note of the row says; 0.05 is eight standard errors or more."""
    (seed,) = fresh_seeds(1, str(spread))
    layer, num, T = neuron(0.9, spread), 40_000, 100
    draw = np.random.default_rng(seed)
    u = np.stack([draw.normal(size=(num, T)), draw.choice([-1.0, 1.0], (num, T))], -1)
    squares = np.asarray(ends(layer, jnp.asarray(u))[:, 0] ** 2)
    right = stated("slstm-ratio", f=0.9, spread=spread)
    sem = squares.std() / math.sqrt(num) / right
    assert sem < 0.05 / 8, seed
    assert abs(squares.mean() / right - share) < 0.05, seed


@pytest.mark.parametrize("f", [0.2, 0.7])
def test_small_fluctuations_of_input_gates(f):
    layer = neuron(f, spread=1.0)

    def squares(arguments):
        return (ends(layer, impulses(arguments))[:, 0] ** 2).sum()

    curvature = jnp.trace(jax.hessian(squares)(jnp.zeros(80)))
    assert float(curvature) / 2 == pytest.approx(stated("slstm-drawn", f=f), rel=EXACT)


def sensitivity(layer, T):
    """Squared derivatives by the argument of the forget gate, of ``h`` and ``c``.

    Each is divided by the second moment as well.
    """

    def weights(b_f):
        return weights_of(replace(layer, {"b_f": b_f}), T)

    values, moved = jax.jvp(weights, (layer.b_f,), (jnp.ones(1),))
    squared = [float((one**2).sum()) for one in moved]
    sizes = [float((one**2).sum()) for one in values]
    return squared, [a / b for a, b in zip(squared, sizes, strict=True)]


@pytest.mark.parametrize("f", [0.3, 0.8])
def test_the_sensitivity_to_the_forget_gate(f):
    (of_h, _), (relative_h, relative_c) = sensitivity(neuron(f), LONG)
    assert of_h == pytest.approx(stated("slstm-sensitivity", f=f), rel=EXACT)
    right = stated("slstm-relative-sensitivity", f=f)
    assert relative_h / relative_c == pytest.approx(right, rel=EXACT)


@pytest.mark.parametrize(("f", "T"), [(0.8, 7), (0.95, 30), (0.4, 2)])
def test_the_sensitivity_at_finite_times(f, T):
    (of_h, _), _ = sensitivity(neuron(f), T)
    right = stated("slstm-sensitivity-finite", f=f, T=T)
    assert of_h == pytest.approx(right, rel=EXACT)


@pytest.mark.parametrize("T", [2, 12])
def test_the_sensitivity_of_a_layer_that_forgets_nothing(T):
    (of_h, of_c), _ = sensitivity(neuron(1.0, forget="exponential"), T)
    assert of_h == pytest.approx(stated("slstm-sensitivity-even", T=T), rel=EXACT)
    gate = math.exp(-0.8)  # the square of the input gate at its bias
    assert of_c / gate == pytest.approx((T - 1) * T * (2 * T - 1) / 6, rel=EXACT)
