"""Gates and layers of a user's own: predicted, enumerated, simulated, refused."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.nn import hard_sigmoid, sigmoid
from sympy import Max, Min, Rational, Symbol, exp, sign, sqrt, symbols

from sigprop.layers.projected import InputGated
from sigprop.linear.gated_moments import (
    covered,
    enumerate_gated,
    predict_gated,
    squares,
)
from sigprop.neuron.gated import gated_sensitivity_moment, gated_state_moment
from sigprop.neuron.gated_simulation import BLOCK, controls, readings, simulate, stepped
from sigprop.neuron.neurons import GatedLayer, Moved, describe
from sigprop.neuron.quadrature import Law
from sigprop.theory import gates
from sigprop.theory.gates import Gate

f, z, q = symbols("f z q", real=True)
low = Symbol("low", real=True)
HARD = Max(0, Min(1, f / 6 + Rational(1, 2)))
POOLING = gates.sigmoid(f) ** 3  # the exponent is a variant of Griffin's
BOUND = gates.sigmoid(low) + (1 - gates.sigmoid(low)) * gates.sigmoid(f)


class Own(InputGated):
    """Two projections and a parameter, with one coefficient or another."""

    W_f: jax.Array
    b_f: jax.Array
    W_z: jax.Array
    low: jax.Array

    widths = property(lambda self: self.W_f.shape[::-1])
    state_size = property(lambda self: len(self.b_f))
    # Order, and names, are the user's: the linear projection comes first.
    gate = Gate(POOLING, (1 - POOLING) * z, (z, f))

    def initial_state(self):
        return jnp.zeros_like(self.b_f)

    def keep(self, at):
        return sigmoid(at) ** 3

    def gates(self, u):
        a = self.keep(u @ self.W_f.T + self.b_f[None])
        return a, (1 - a) * (u @ self.W_z.T)

    def read(self, h, u):
        return h

    def groups(self):
        return {
            "W_f": "recurrent",
            "b_f": "recurrent",
            "low": "recurrent",
            "W_z": "input",
        }

    def moved(self):
        return {
            "W_f": Moved("f", "each"),
            "b_f": Moved("f"),
            "W_z": Moved("z", "each"),
        }

    def neurons(self):
        own = {"low": self.low} if self.gate.parameters else None
        rows = {"f": self.W_f, "z": self.W_z}
        return [
            describe(
                self.gate,
                rows,
                offsets={"f": self.b_f},
                parameters=own,
                moved=self.moved(),
            )
        ]


class Hard(Own):
    """A hard sigmoid: kinks, and a derivative nearly everywhere."""

    gate = Gate(HARD, (1 - HARD) * z, (f, z))

    def keep(self, at):
        return hard_sigmoid(at)


class Bounded(Own):
    """HGRN: a gate with a lower bound that is learnt."""

    gate = Gate(BOUND, (1 - BOUND) * z, (f, z), (low,))

    def keep(self, at):
        bound = sigmoid(self.low)[None]
        return bound + (1 - bound) * sigmoid(at)

    def moved(self):
        return {**super().moved(), "low": Moved("low")}


class Negative(Own):
    """A gate from -1 to 1, as of Grazzi et al."""

    gate = Gate(2 * gates.sigmoid(f) - 1, 2 * gates.sigmoid(-f) * z, (f, z))

    def keep(self, at):
        return 2 * sigmoid(at) - 1


LAYERS = Own, Hard, Bounded, Negative


def build(kind, seed, n=3, d=4):
    keys = jax.random.split(jax.random.key(seed), 4)
    shapes = ((n, d), (n,), (n, d), (n,))
    return kind(*(jax.random.normal(k, s) for k, s in zip(keys, shapes, strict=True)))


@pytest.mark.parametrize("kind", LAYERS)
def test_every_moment_of_an_own_gate_is_that_of_every_sequence(kind, x64):
    layer, draws = build(kind, 3), np.random.default_rng(5)
    law = Law(draws.normal(size=(2, 4)), np.array([0.3, 0.7]))
    assert isinstance(layer, GatedLayer)
    for rho in (0.0, 0.6):
        exact = enumerate_gated(layer, law, 6, rho)
        terms = ((1.0, rho),) if rho else None
        moments = predict_gated(layer, law=law, steps=6, terms=terms)
        assert set(moments) == set(exact) == {"state", *covered(layer)}
        for name, value in exact.items():
            assert moments[name].value == pytest.approx(value, rel=1e-10), name
    assert "low" in covered(layer) or kind is not Bounded


@pytest.mark.parametrize("kind", LAYERS)
def test_gaussian_moments_of_an_own_gate_are_those_of_samples(kind, x64):
    layer = build(kind, 4)
    u = jax.random.normal(jax.random.key(6), (40_000, 10, 4))
    moments = predict_gated(layer, steps=10)
    for name, samples in squares(layer)(u).items():
        value, error = moments[name]
        mean, sem = float(samples.mean()), float(samples.std()) / 200
        assert abs(mean - value) < 5 * sem + error, name
        assert sem < 0.05 * value
        assert error < (0.02 if kind is Hard else 1e-5) * value


def test_a_gate_with_kinks_states_its_error(x64):
    """Against Gauss and Legendre between the kinks at plus and minus three."""
    row, offset = np.array([[1.3]]), np.array([0.4])
    gate = Gate(HARD, z, (f, z))
    rows = {"f": row, "z": np.zeros((1, 1))}
    neurons = describe(gate, rows, offsets={"f": offset, "z": 0.7}).neurons
    nodes, weights = np.polynomial.legendre.leggauss(80)
    kinks = (np.array([-3.0, 3.0]) - 0.4) / 1.3
    ends = [-12.0, *kinks, 12.0]
    x, w = (
        np.concatenate(
            [
                (b - a) / 2 * one + (a + b) / 2 * shift
                for a, b in itertools.pairwise(ends)
            ]
        )
        for one, shift in ((nodes, 1), (weights, 0))
    )
    w = w * np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi)
    law = Law(x[:, None], w / w.sum())
    for moment in (
        gated_state_moment,
        functools.partial(gated_sensitivity_moment, by="f"),
    ):
        exact, found = moment(neurons, law=law), moment(neurons)
        assert abs(found.value - exact.value) <= found.error
        assert found.error < 0.01 * exact.value


def test_a_steep_gate_gets_more_nodes():
    steep = gates.sigmoid(8 * f)
    neurons = describe(
        Gate(steep, (1 - steep) * z, (f, z)), {"f": np.eye(1, 2), "z": np.eye(1, 2)}
    ).neurons
    same = describe(gates.GATE_UNIT, {"r": 8 * np.eye(1, 2), "x": np.eye(1, 2)}).neurons
    found, exact = gated_state_moment(neurons), gated_state_moment(same)
    assert abs(found.value - exact.value) <= found.error + exact.error
    assert found.error < 1e-3 * found.value


def test_the_simulation_takes_a_gate(x64):
    part = build(Bounded, 8, d=2).neurons()[0]
    asked = readings(part.neurons)
    exact = stepped(asked, 2 * BLOCK)
    sums = simulate(jax.random.key(9), asked, controls(asked, 2 * BLOCK), 512)
    assert set(sums) == {"state", "f", "z", "low"}
    for name, value in exact.items():
        mean, sem, _ = sums[name].estimate()
        assert (abs(mean - value) < 6 * sem).all(), name
        by = None if name == "state" else name
        rows = None if by in (None, "low") else np.eye(2)[:1]
        options = {"steps": 2 * BLOCK, "average": True}
        predicted = (
            gated_state_moment(part.neurons, **options)
            if by is None
            else gated_sensitivity_moment(part.neurons, by, directions=rows, **options)
        )
        np.testing.assert_allclose(predicted.value, value, rtol=1e-6)


ROWS = {"f": np.ones((2, 3)), "z": np.ones((2, 3))}
PLAIN = Gate(gates.sigmoid(f), z, (f, z))


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (
            lambda: Gate(gates.sigmoid(f), q * z, (f, z)),
            ValueError,
            "need every symbol of b in projections or parameters, which are f, z, got q",
        ),
        (lambda: Gate(f, z, (f, z, f)), ValueError, "no name twice"),
        (lambda: Gate("f", z, (f, z)), TypeError, "need a SymPy expression as a"),
        (
            lambda: Gate(gates.sigmoid(f), z, (f, z), lost=gates.sigmoid(f)),
            ValueError,
            "need lost to be 1 - a, got a",
        ),
        (
            lambda: describe(PLAIN, {"f": np.ones((2, 3))}),
            ValueError,
            "need rows of the projections f, z of the gate, got f",
        ),
        (
            lambda: describe(PLAIN, {**ROWS, "z": np.ones((2, 4))}),
            ValueError,
            r"need rows of the projection z of shape \(2, 3\), got \(2, 4\)",
        ),
        (
            lambda: describe(PLAIN, {**ROWS, "f": np.ones(3)}),
            ValueError,
            r"need rows of the projection f of shape \(neurons, d_in\), got \(3,\)",
        ),
        (
            lambda: describe(PLAIN, ROWS, offsets={"f": np.ones(3)}),
            ValueError,
            r"need the offset of f of shape \(2,\), got \(3,\)",
        ),
        (
            lambda: describe(PLAIN, ROWS, offsets={"q": 0.0}),
            ValueError,
            "need offsets of f, z, got q",
        ),
        (
            lambda: describe(PLAIN, ROWS, parameters={"low": 0.0}),
            ValueError,
            "need parameters none of the gate, got low",
        ),
        (
            lambda: describe(PLAIN, ROWS, moved={"W": Moved("q")}),
            ValueError,
            "need W to move one of f, z, got q",
        ),
        (
            lambda: describe(PLAIN, ROWS, columns=[0, 1]),
            ValueError,
            r"need columns of shape \(3,\), the whole number of an input for each weight "
            r"of a row",
        ),
        (
            lambda: describe(PLAIN, {**ROWS, "f": np.full((2, 3), np.nan)}),
            ValueError,
            r"need rows of the projection f in \(-inf, inf\), got nan",
        ),
        (
            lambda: gated_sensitivity_moment(describe(PLAIN, ROWS).neurons, "q"),
            ValueError,
            "need one of f, z to move, got q",
        ),
        (
            lambda: gated_sensitivity_moment(
                describe(Gate((1 + sign(f)) / 4, z, (f, z)), ROWS).neurons, "z"
            ),
            ValueError,
            "need a gate without jumps for a gradient, got sign in a",
        ),
        (
            lambda: gated_state_moment(
                describe(Gate(exp(f), sqrt(1 - exp(2 * f)) * z, (f, z)), ROWS).neurons,
                steps=3,
            ),
            ValueError,
            r"need a gate whose b is a real number .* does a leave \[0, 1\]",
        ),
        (
            lambda: gated_state_moment(
                describe(Gate(exp(f - 1), z, (f, z)), ROWS).neurons
            ),
            ValueError,
            r"infinite: E a\^2 = .*a\| > 1 with probability 0.28.*a stationary state exists",
        ),
    ],
)
def test_what_is_no_gate_is_refused_in_one_line(build, error, message):
    with pytest.raises(error, match=message) as caught:
        build()
    assert "\n" not in str(caught.value)


def test_a_description_that_is_not_of_the_layer_is_refused():
    class Wrong(Own):
        def moved(self):
            return {"W_q": Moved("f", "each")}

    with pytest.raises(
        ValueError, match=r"need neurons\(\) of Wrong to name its param"
    ):
        predict_gated(build(Wrong, 1))


def test_a_layer_without_a_description_is_told_of_it():
    class Silent(Own):
        neurons = None

    with pytest.raises(TypeError, match=r"with a method neurons .*got Silent"):
        predict_gated(build(Silent, 1))


def test_jumps_have_a_state_moment():
    gate = Gate((1 + sign(f)) / 4, z, (f, z))  # zero or a half
    rows = {"f": np.array([[1.0, 0.0]]), "z": np.array([[0.0, 1.0]])}
    moment = gated_state_moment(describe(gate, rows).neurons)
    assert abs(moment.value[0] - 1 / (1 - 1 / 8)) <= moment.error[0] < 0.02
