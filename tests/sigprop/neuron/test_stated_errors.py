"""Stated errors of gated moments are bounds: steep gates, closed gates, tiny keys."""

import jax
import mpmath
import numpy as np
import pytest

from sigprop.layers.base import replace
from sigprop.layers.mingru import mingru
from sigprop.layers.selective import selective
from sigprop.linear.gated_moments import predict_gated
from sigprop.neuron.correlated_gates import correlated_moment
from sigprop.neuron.delta_moments import delta_moments
from sigprop.neuron.gated import gated_sensitivity_moment, gated_state_moment
from sigprop.neuron.neurons import Neurons
from sigprop.numerics.precision import double_precision
from sigprop.theory import gates
from tests.sigprop.neuron.test_delta import PLAIN, by_polar_nodes, head

KEPT = -20.0  # offset of a gate that keeps all but 2e-9 of a state


def mingru_neuron(weight, bias, value=1.0, offset=0.3):
    weights = np.array([[[weight], [value]]], float)
    return Neurons(
        gates.MINGRU, weights, np.array([[bias, offset]], float), np.zeros((1, 0))
    )


@pytest.mark.parametrize("name", gates.GATES)
def test_what_is_lost_is_one_less_what_is_kept(name):
    gate, generator = gates.GATES[name], np.random.default_rng(0)
    symbols = sorted(gate.a.free_symbols | gate.lost.free_symbols, key=str)
    for size in (1, 5, 30):
        at = dict(zip(symbols, size * generator.normal(size=len(symbols)), strict=True))
        exact = 1 - gate.a.evalf(60, subs=at)
        assert abs(gate.lost.evalf(40, subs=at) / exact - 1) < 1e-15


@pytest.mark.parametrize(
    ("weight", "bias", "value", "offset"),
    [
        (0.5, KEPT, 0.7, 0.0),
        (3.0, KEPT, 1.0, 0.2),
        (4.0, -30.0, 1.0, 0.0),
        (10.0, -5.0, 1.0, 0.0),
    ],
)
@pytest.mark.sampled(2)
def test_a_gate_that_is_nearly_always_closed_has_the_moment_of_mpmath(
    weight, bias, value, offset
):
    points = [-14, -8, -4, -2, 0, 2, 4, 8, 14]

    def mean(f):
        return mpmath.quad(lambda z: f(z) * mpmath.npdf(z), points)

    def opened(z):
        return 1 / (1 + mpmath.exp(-weight * z - bias))

    def b(z):
        return opened(z) * (value * z + offset)

    with mpmath.workdps(30):
        losses = mean(opened), mean(lambda z: opened(z) * (2 - opened(z)))
        crossed = 2 * mean(lambda z: (1 - opened(z)) * b(z)) * mean(b) / losses[0]
        exact = float((crossed + mean(lambda z: b(z) ** 2)) / losses[1])
    moment = gated_state_moment(mingru_neuron(weight, bias, value, offset))
    assert moment.value[0] == pytest.approx(exact, rel=1e-12)
    assert abs(moment.value[0] - exact) <= moment.error[0] < 1e-8 * exact


def on_a_line(weight, bias, rho, by):
    """Moments of the minGRU neuron by a trapezoidal rule for the kernel of an AR(1)."""
    line = np.arange(-9, 9.01, 0.04)
    width = np.sqrt(1 - rho**2)
    kernel = np.exp(-(((line - rho * line[:, None]) / width) ** 2) / 2)
    kernel /= kernel.sum(1, keepdims=True)
    density = np.exp(-(line**2) / 2) / np.exp(-(line**2) / 2).sum()
    s, v, identity = (
        1 / (1 + np.exp(-weight * line - bias)),
        line + 0.3,
        np.eye(len(line)),
    )
    a, b, c, d = 1 - s, s * v, -s * (1 - s), s * (1 - s) * v

    def settled(multiplied, added):
        return np.linalg.solve(identity - multiplied[:, None] * kernel, added)

    m = kernel @ settled(a, b)
    M = settled(a**2, 2 * a * b * m + b**2)
    if by is None:
        return density @ M
    M, x = kernel @ M, kernel @ settled(a, c * m + d)
    P = settled(a**2, a * c * M + a * b * x + (a * d + b * c) * m + b * d)
    added = c**2 * M + 2 * a * c * (kernel @ P) + 2 * a * d * x + 2 * c * d * m + d**2
    return density @ settled(a**2, added)


@pytest.mark.parametrize("rho", [0.5, -0.5, 0.95])
@pytest.mark.parametrize(
    ("weight", "bias"), [(1, 0), (3.5, 3.3), (5, -3), (10, 0), (15, 9)]
)
@pytest.mark.sampled(keep=["3.5-3.3-0.95", "10-0--0.5"])
def test_steep_gates_of_inputs_that_remember_state_their_error(weight, bias, rho):
    neuron = mingru_neuron(weight, bias)
    for by in (None, "r"):
        exact = on_a_line(weight, bias, rho, by)
        moment = correlated_moment(neuron, by, terms=((1.0, rho),))
        assert abs(moment.value[0] - exact) <= moment.error[0] + 1e-9 * exact
        assert moment.error[0] < 1e-6 * exact or weight > 1


def test_independent_terms_of_a_closed_gate_agree_with_no_terms():
    for weight in (0.5, 1.0):
        neuron = mingru_neuron(weight, KEPT)
        for by in (None, "r"):
            exact = (
                gated_state_moment(neuron)
                if by is None
                else gated_sensitivity_moment(neuron, by)
            )
            moment = correlated_moment(neuron, by, terms=((1.0, 0.0),))
            apart = abs(moment.value - exact.value)
            assert (apart <= moment.error + exact.error).all()
            assert (moment.error + exact.error < 1e-3 * exact.value).all()


def layers():
    with double_precision(True):
        gated = jax.jit(lambda key: mingru(2, 3, key=key))(jax.random.key(0))
        remembering = jax.jit(lambda key: selective(2, 2, key=key))(jax.random.key(0))
    return gated, remembering


def test_a_layer_that_forgets_nearly_nothing_has_a_moment_and_its_error(x64):
    gated, remembering = layers()
    moments = predict_gated(replace(gated, {"b_z": 0 * gated.b_z + KEPT}))
    assert 0 < moments["state"].error < 1e-8 * moments["state"].value
    # The state stays near its mean E b / (1 - E a), as E[k x] is not zero.
    moments = predict_gated(replace(remembering, {"A_log": 0 * remembering.A_log - 20}))
    halved = predict_gated(
        replace(remembering, {"A_log": 0 * remembering.A_log - 20 + np.log(2)})
    )
    ratio = moments["state"].value / halved["state"].value
    assert ratio == pytest.approx(4, rel=1e-6)
    assert moments["state"].error < 1e-6 * moments["state"].value


def test_a_moment_that_may_be_all_error_is_refused(x64):
    gated, _ = layers()
    steep = replace(gated, {"W_z": 60 * gated.W_z})
    with pytest.raises(ValueError, match="its error may be inf, its value"):
        predict_gated(steep, terms=((1.0, 0.5),))


def test_a_looser_settled_stops_at_a_larger_error(x64):
    gated, _ = layers()
    steep = replace(gated, {"W_z": 6 * gated.W_z})
    rough, fine = (
        predict_gated(steep, terms=((1.0, 0.5),), settled=settled, steps=2)["state"]
        for settled in (0.5, 1e-9)
    )
    assert fine.error < 0.1 * rough.error <= 0.05 * rough.value
    assert abs(rough.value - fine.value) <= rough.error


@pytest.mark.parametrize("size", [1e-5, 1e-4, 1e-3, 1.0])
@pytest.mark.sampled(keep=["1e-05", "1.0"])
def test_keys_of_any_length_state_their_error(size):
    W_k = size * np.array([[0.9, 0.2, 0.1], [-0.3, 0.7, 0.4]])
    delta_head = head(d=3, values=2, tiny=0.05 if size == 1 else 1e-6)._replace(W_k=W_k)
    law = by_polar_nodes(delta_head)
    for steps in (3, None):
        exact = delta_moments(delta_head, PLAIN, law=law, steps=steps)
        moments = delta_moments(delta_head, PLAIN, steps=steps)
        for name, (value, error) in moments.items():
            assert abs(value - exact[name][0]) <= error < 1e-3 * value
            assert value == pytest.approx(exact[name][0], rel=1e-7)


def test_a_head_that_decays_hardly_at_all_is_one_without_a_decay():
    delta_head = head(decayed=True, d=4, keys=1)._replace(A_log=-30.0)
    moments = delta_moments(delta_head, PLAIN)
    plain = delta_moments(delta_head._replace(w_a=None), PLAIN)
    for name, (value, _) in plain.items():
        assert moments[name][0] == pytest.approx(value, rel=1e-6)
