"""Every numeric argument of every moment off its default, against independent numbers.

The table is complete by machine: a function of these rooms whose name says that it is a
moment, a loss or a trace needs a row, and each of its arguments that has a default needs
another value in one.  References are sums over nodes, lags or sequences, or simulations;
none shares code with the closed form.
"""

import itertools
import math
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.inputs import AR1
from sigprop.layers.base import parameters, replace
from sigprop.layers.deltanet import deltanet, gated_deltanet
from sigprop.layers.gated import gated_unit
from sigprop.layers.gla import gla
from sigprop.layers.lru import lru
from sigprop.layers.mingru import mingru
from sigprop.layers.rglru import rglru
from sigprop.layers.selective import selective
from sigprop.linear import gated_moments, infinite_loss, measured_moments
from sigprop.linear import predicted_moments as linear
from sigprop.linear.linearise import perturb
from sigprop.neuron import (
    correlated_gates,
    delta_correlated,
    delta_moments,
    gated,
    ginibre,
    montecarlo,
    random_coefficients,
    readouts,
    stable,
)
from sigprop.neuron.quadrature import Law
from sigprop.numerics.precision import double_precision
from tests.sigprop.neuron.test_delta import DECAYED, by_polar_nodes, head
from tests.sigprop.neuron.test_gated import BY_HAND, gate_name, neurons
from tests.sigprop.off_default import Row, Rows, public, require_complete

ROOMS = ("neuron", "linear")
NAMED = re.compile(r"moment|loss|predict|gain$|gramian|enumerate|trace|measure|_law$")
NO_NUMBER = {"change", "form", "tick", "law", "by", "directions", "workers", "names"}
PARTS = {  # what a row calls, or what has no argument but arrays
    "linear.filters.moment",
    "linear.predicted_moments.predict_with_weight",
    "linear.predicted_moments.state_moments",
    "linear.output_derivatives.predicted_trace",
    "linear.output_derivatives.measured_trace",
    "linear.measured_moments.measure_each",
    "neuron.correlated_gates.mutated_correlated_moment",
    "neuron.delta_correlated.mutated_correlated_delta_moments",
    "neuron.delta_moments.mutated_delta_moments",
    "neuron.gated.mutated_moment",
    "neuron.matrix_moments.matrix_moment",
    "neuron.random_coefficients.lagged_moment",
}
Z = 5.5  # chance 4e-8 a comparison, fewer than 200 comparisons
SEEN = 0.05  # relative error that a simulation must notice
TIGHT = SEEN / (Z + 2)  # standard error at which it does


ROWS = Rows()
row = ROWS.row


def test_every_moment_has_a_row_with_every_argument_off_its_default():
    require_complete(ROWS, public(ROOMS, NAMED), NO_NUMBER, PARTS)


# One neuron: sums over ages.


def by_ages(lam, covariance, orders=(0, 0), ages=400):
    """``E x conj(y)`` of two states, or of their derivatives by the eigenvalue."""
    n = np.arange(ages)
    kernels = [
        (n * eigenvalue ** np.maximum(n - 1.0, 0) if order else eigenvalue ** (n + 0.0))
        for eigenvalue, order in zip(lam, orders, strict=True)
    ]
    R = covariance(np.abs(n[:, None] - n))
    return kernels[0] @ R @ kernels[1].conj()


POINT = 0.7 * np.exp(0.9j)


@row(stable.state_moment, "theta", "rho", "rho_gap")
def the_state():
    exact = by_ages((POINT, POINT), lambda lag: (-0.6) ** (1.0 * lag)).real
    assert float(stable.state_moment(0.3, 0.9, -0.6)) == pytest.approx(exact, 1e-12)
    moment = stable.state_moment(0.3, 0.9, -1.0, rho_gap=0.4)
    assert float(moment) == pytest.approx(exact, 1e-12)


@row(stable.sensitivity_moment, "theta", "rho", "rho_gap")
def the_sensitivity():
    exact = by_ages((POINT, POINT), lambda lag: (-0.6) ** (1.0 * lag), (1, 1)).real
    moment = stable.sensitivity_moment(0.3, 0.9, -0.6)
    assert float(moment) == pytest.approx(exact, 1e-12)
    moment = stable.sensitivity_moment(0.3, 0.9, -1.0, rho_gap=0.4)
    assert float(moment) == pytest.approx(exact, 1e-12)


@row(stable.finite_state_moment_white)
def the_state_after_some_steps():
    exact = sum(0.7 ** (2 * age) for age in range(5))
    assert float(stable.finite_state_moment_white(0.3, 5)) == pytest.approx(exact)


@row(stable.ring_gain)
def the_gain_of_a_ring():
    area = np.linspace(0.4**2, 0.8**2, 20001)
    area = (area[1:] + area[:-1]) / 2
    exact = (1 / (1 - area)).mean()
    assert float(stable.ring_gain(0.2, 0.6)) == pytest.approx(exact, rel=1e-8)


@row(montecarlo.second_moments, "batch", "pairs", "gain")
def a_simulated_neuron():
    lam, gain = np.array([0.6, -0.5]), np.array([1.5, 0.7])
    moments = montecarlo.second_moments(
        jax.random.key(4),
        jnp.asarray(lam),
        AR1(0.4, variance=2.5),
        times=(3, 6),
        num=150_000,
        batch=50_000,
        pairs=((0, 1),),
        gain=jnp.asarray(gain),
    )
    for time, sums in zip((3, 6), moments, strict=True):
        for quantity, order in (("state", 0), ("sensitivity", 1)):

            def exact(i, j, order=order, time=time):
                pair = by_ages(
                    lam[[i, j]], lambda lag: 2.5 * 0.4**lag, (order, order), time
                )
                return gain[i] * gain[j] * pair

            simulated(sums[quantity].estimate(), [exact(0, 0), exact(1, 1)])
            simulated(sums[f"{quantity}_pair"].estimate(), [exact(0, 1)], tight=1)


def simulated(estimate, exact, error=0.0, tight=TIGHT):
    mean, sem = np.asarray(estimate[0]), np.asarray(estimate[1])
    assert (sem <= tight * np.abs(exact)).all(), sem / exact
    assert (np.abs(mean - exact) <= Z * sem + error).all(), (mean, exact, sem)


# Random coefficients: every sequence of two values.


@row(random_coefficients.second_moment, "quantity", "steps", "average", "lost")
def random_coefficients_of_two_values():
    p, table = np.array([0.3, 0.7]), np.array([[0.9, 0.4, 1.2, -0.5], [0.2, 1, 0.3, 2]])
    names = ["a", "b", "c", "d"]
    mean = {name: p @ table[:, i] for i, name in enumerate(names)}
    for i, j in itertools.combinations_with_replacement(range(4), 2):
        mean[names[i] + names[j]] = p @ (table[:, i] * table[:, j])
    known = {"state": [], "sensitivity": []}
    for steps in (1, 2, 3):
        totals = np.zeros(2)
        for path in itertools.product((0, 1), repeat=steps):
            h = s = 0.0
            for a, b, c, d in table[list(path)]:
                h, s = a * h + b, a * s + c * h + d
            totals += p[list(path)].prod() * np.array([h * h, s * s])
        for quantity, value in zip(known, totals, strict=True):
            known[quantity].append(value)
    for quantity, each in known.items():
        moment = random_coefficients.second_moment(mean, quantity, 3)
        assert moment == pytest.approx(each[2], rel=1e-12)
        moment = random_coefficients.second_moment(mean, quantity, 3, average=True)
        assert moment == pytest.approx(np.mean(each), rel=1e-12)
        losses = {"a": 1 - mean["a"], "aa": 1 - mean["aa"]}
        limit = random_coefficients.second_moment(mean, quantity, lost=losses)
        many = random_coefficients.second_moment(mean, quantity, 300)
        assert limit == pytest.approx(many, rel=1e-10)


@row(ginibre.radial_law)
def moduli_of_random_matrices():
    size, radii = 3, np.array([0.4, 0.9, 1.3])
    lam = np.abs(eigenvalues(size)).ravel()[:, None]
    fraction(lam <= radii, ginibre.radial_law(radii, size), size)


@row(ginibre.phase_law)
def phases_of_random_matrices():
    size, phases = 3, np.array([0.0, 1.0, 2.5])
    lam = np.abs(np.angle(eigenvalues(size))).ravel()[:, None]
    fraction(lam <= phases, ginibre.phase_law(phases, size), size)


def eigenvalues(size):
    entries = np.random.default_rng(3).standard_normal((60_000, size, size))
    return np.linalg.eigvals(entries / math.sqrt(size))


def fraction(inside, exact, size):
    """Eigenvalues of one matrix depend on each other: means of matrices do not."""
    each = inside.reshape(-1, size, inside.shape[1]).mean(1)
    simulated((each.mean(0), each.std(0) / math.sqrt(len(each))), exact)


# Gates of inputs of two numbers: a product of rules of Gauss and Hermite.

SCALE, STEPS = 0.8, 2


def nodes(width, steps, count=24):
    """Gaussian inputs of all steps and their probabilities."""
    z, w = np.polynomial.hermite_e.hermegauss(count)
    grid = np.array(list(itertools.product(z, repeat=width * steps)))
    p = np.array(list(itertools.product(w / w.sum(), repeat=width * steps))).prod(1)
    return SCALE * grid.reshape(len(grid), steps, width), p


def states(population, u):
    h, history = np.zeros((len(population.weights), len(u))), []
    for t in range(u.shape[1]):
        g = (
            np.einsum("nkd,sd->kns", population.weights, u[:, t])
            + population.offsets.T[:, :, None]
        )
        a, b = BY_HAND[gate_name(population)](g, population.parameters.T[:, :, None])
        h = a * h + b
        history.append(h)
    return np.array(history)


@row(gated.gated_state_moment, "scale", "steps", "average", "spread")
def the_state_of_a_gate():
    u, p = nodes(2, STEPS)
    for gate in BY_HAND:
        population = neurons(gate, seed=5)
        exact = states(population, u) ** 2 @ p
        moment = gated.gated_state_moment(population, scale=SCALE, steps=STEPS).value
        np.testing.assert_allclose(moment, exact[-1], rtol=1e-3)
        moment = gated.gated_state_moment(
            population, scale=SCALE, steps=STEPS, average=True, spread=3.0
        ).value
        np.testing.assert_allclose(moment, exact.mean(0), rtol=1e-3)


@row(gated.gated_fourth_moment, "scale", "steps", "spread")
def the_fourth_power_of_a_gate():
    u, p = nodes(2, STEPS)
    for gate in BY_HAND:
        population = neurons(gate, seed=7)
        exact = states(population, u)[-1] ** 4 @ p
        for spread in (None, 3.0):
            moment = gated.gated_fourth_moment(
                population, scale=SCALE, steps=STEPS, spread=spread
            )
            np.testing.assert_allclose(moment.value, exact, rtol=1e-3)


@row(gated.gated_lagged_moment, "scale", "steps", "spread")
def states_a_step_apart():
    u, p = nodes(2, STEPS)
    for gate in BY_HAND:
        population = neurons(gate, seed=8)
        history = states(population, u)
        for spread in (None, 3.0):
            moment = gated.gated_lagged_moment(
                population, 1, scale=SCALE, steps=STEPS - 1, spread=spread
            ).value
            np.testing.assert_allclose(moment, history[-2] * history[-1] @ p, rtol=1e-3)


@row(gated.input_gradient_moment, "scale", "steps", "spread")
def gradients_by_inputs():
    u, p = nodes(2, STEPS)
    for gate in BY_HAND:
        population, exact = neurons(gate, seed=9), 0.0
        for place in range(2):
            shift = np.zeros_like(u)
            shift[:, 0, place] = 1e-5
            ahead, behind = (states(population, u + k * shift)[-1] for k in (1, -1))
            exact = exact + ((ahead - behind) / 2e-5) ** 2 @ p
        for spread in (None, 3.0):
            moment = gated.input_gradient_moment(
                population, 1, scale=SCALE, steps=STEPS, spread=spread
            )
            np.testing.assert_allclose(moment.value, exact, rtol=1e-3)


@row(random_coefficients.fourth_moment, "steps", "lost")
def fourth_powers_of_two_values():
    p, a, b = np.array([0.3, 0.7]), np.array([0.9, 0.2]), np.array([0.4, 1.0])
    names = [i * "a" + j * "b" for i in range(5) for j in range(5 - i) if i + j]
    known = {n: p @ (a ** n.count("a") * b ** n.count("b")) for n in names}
    exact = 0.0
    for path in itertools.product((0, 1), repeat=3):
        h = 0.0
        for place in path:
            h = a[place] * h + b[place]
        exact += p[list(path)].prod() * h**4
    moment = random_coefficients.fourth_moment(known, 3)
    assert moment == pytest.approx(exact, rel=1e-12)
    losses = {n * "a": 1 - known[n * "a"] for n in range(1, 5)}
    limit = random_coefficients.fourth_moment(known, lost=losses)
    many = random_coefficients.fourth_moment(known, 300)
    assert limit == pytest.approx(many, rel=1e-10)


@row(gated.gated_sensitivity_moment, "scale", "steps", "average", "spread")
def the_sensitivity_of_a_gate():
    u, p = nodes(2, STEPS)
    population = neurons("mingru", seed=6)
    rows = np.array([[0.5, -1.0], [0.3, 2.0]])
    for directions in ("each", rows):
        exact = 0.0
        for direction in np.eye(2) if isinstance(directions, str) else directions:
            moved = [population.weights.copy() for _ in "ab"]
            moved[0][:, 0] += 1e-5 * direction
            moved[1][:, 0] -= 1e-5 * direction
            ahead, behind = (states(population._replace(weights=w), u) for w in moved)
            exact = exact + ((ahead - behind) / 2e-5) ** 2 @ p
        options = {"scale": SCALE, "steps": STEPS, "directions": directions}
        moment = gated.gated_sensitivity_moment(population, "r", **options)
        np.testing.assert_allclose(moment.value, exact[-1], rtol=1e-3)
        options |= {"average": True, "spread": 3.0}
        moment = gated.gated_sensitivity_moment(population, "r", **options)
        np.testing.assert_allclose(moment.value, exact.mean(0), rtol=1e-3)


# Whole layers, by running them.

LAYERS = {
    "rglru": lambda key: rglru(2, 2, key=key, heads=1, radii=(0.5, 0.9)),
    "mingru": lambda key: mingru(2, 3, key=key),
    "selective": lambda key: selective(2, 2, key=key, steps=(0.2, 0.8)),
    "gla": lambda key: gla(1, 3, key=key, heads=1, rank=2),
    "gate-unit": lambda key: gated_unit(2, 2, key=key, times=(2.0, 4.0), state_gain=0),
    "deltanet": lambda key: deltanet(1, 3, key=key),
    "gated-deltanet": lambda key: gated_deltanet(1, 4, key=key, steps=(0.3, 0.6)),
}
TERMS = ((2.5, 0.6),)
NUM, BATCH = 1 << 20, 1 << 16


def squares(layer):
    """Of sequences: the squares of the last state and of its derivatives, summed."""
    names = gated_moments.covered(layer)

    def last(values, u):
        h = replace(layer, values).states(u)[-1]
        return h, h

    jacobian = jax.jacrev(last, has_aux=True)

    @jax.jit
    def run(u):
        values = {name: parameters(layer)[name] for name in names}
        gradients, h = jax.vmap(lambda sequence: jacobian(values, sequence))(u)
        sums = {k: (s**2).reshape(len(u), -1).sum(1) for k, s in gradients.items()}
        return {"state": (h**2).reshape(len(u), -1).sum(1), **sums}

    return run


def measured(run, u):
    """Means and standard errors over as many sequences as they need."""
    parts, estimates = [], {}
    for start in range(0, len(u), BATCH):
        parts.append(run(u[start : start + BATCH]))
        samples = {
            name: np.concatenate([part[name] for part in parts]) for name in parts[0]
        }
        estimates = {
            name: (x.mean(), x.std() / math.sqrt(len(x))) for name, x in samples.items()
        }
        if len(parts) > 1 and all(
            sem < 0.95 * TIGHT * m for m, sem in estimates.values()
        ):
            break
    return estimates.items()


def of_layer(name, seed=0):
    layer = jax.jit(LAYERS[name])(jax.random.key(3))
    run, width = squares(layer), layer.widths[0]
    z = np.random.default_rng(seed).standard_normal((NUM, STEPS, width))
    moments = gated_moments.predict_gated(layer, scale=SCALE, steps=STEPS, spread=2.0)
    for moment, estimate in measured(run, SCALE * z):
        simulated(estimate, moments[moment].value, moments[moment].error)
        assert moments[moment].error < 0.01 * moments[moment].value
    (variance, rho), u = TERMS[0], z.copy()
    for t in range(1, STEPS):
        u[:, t] = rho * u[:, t - 1] + math.sqrt(1 - rho**2) * z[:, t]
    u = 0.6 * math.sqrt(variance) * u
    options = {"scale": 0.6, "terms": TERMS, "steps": STEPS, "settled": 1e-5}
    moments = gated_moments.predict_gated(layer, **options)
    for moment, estimate in measured(run, u):
        simulated(estimate, moments[moment].value, moments[moment].error)
        assert moments[moment].error < 0.02 * moments[moment].value


for each_layer in LAYERS:

    def layer_moments(name=each_layer):
        of_layer(name)

    ROWS[f"layer {each_layer}"] = Row(
        gated_moments.predict_gated,
        ("scale", "steps", "terms", "settled", "spread"),
        layer_moments,
    )


def outputs_of_a_layer():
    """A layer whose queries read two numbers, and the input beside them."""
    layer = jax.jit(LAYERS["selective"])(jax.random.key(4))
    z = np.random.default_rng(5).standard_normal((NUM, STEPS, layer.widths[0]))
    run = jax.jit(lambda u: {"output": (jax.vmap(layer)(u)[:, -1] ** 2).sum(1)})
    options = {"scale": SCALE, "steps": STEPS}
    (part,) = layer.neurons()
    of_part = readouts.output_moments(part, **options)["output"][0]
    value, error = gated_moments.predict_output(layer, **options)["output"]
    assert of_part == value
    for _, estimate in measured(run, SCALE * z):
        simulated(estimate, value, error)


for output_function in (gated_moments.predict_output, readouts.output_moments):
    row(output_function, "scale", "steps")(outputs_of_a_layer)


@row(gated_moments.predict_input_gradient, "scale", "steps", "spread")
def gradients_of_a_layer_by_its_inputs():
    layer = jax.jit(LAYERS["rglru"])(jax.random.key(4))
    z = np.random.default_rng(6).standard_normal((NUM, STEPS, layer.widths[0]))

    def last(now, u):
        return layer.states(u.at[-2].set(now))[-1]

    def run(u):
        jacobian = jax.vmap(jax.jacrev(last))(u[:, -2], u)
        return {"input": (jacobian**2).sum((1, 2))}

    options = {"scale": SCALE, "steps": STEPS}
    chosen, given = (
        gated_moments.predict_input_gradient(layer, 1, spread=spread, **options)
        for spread in (None, 2.0)
    )
    assert given.value == pytest.approx(chosen.value, rel=1e-9)
    for _, estimate in measured(jax.jit(run), SCALE * z):
        simulated(estimate, *given)


@row(gated_moments.predict_key_gradient, "scale", "steps")
def weights_of_keys():
    """Keys on circles: another rule than theory's, with more added to their length."""
    layer = jax.jit(lambda key: deltanet(2, 3, key=key))(jax.random.key(2))
    layer = replace(layer, {"W_k": 2 * layer.W_k})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(gated_moments, "TINY", 0.05)
        rows = (np.asarray(W[0], float) for W in (layer.W_k, layer.W_v, layer.W_beta))
        own = head()._replace(**dict(zip(("W_k", "W_v", "w_beta"), rows, strict=True)))
        fine = by_polar_nodes(own)
        law = Law(SCALE * fine.values, fine.probabilities)
        exact = gated_moments.predict_key_gradient(layer, law=law, steps=3).value
        moment = gated_moments.predict_key_gradient(layer, scale=SCALE, steps=3)
    assert moment.value == pytest.approx(exact, rel=1e-4)


@row(gated_moments.enumerate_gated, "rho")
def every_sequence_of_a_layer():
    layer = jax.jit(LAYERS["mingru"])(jax.random.key(1))
    law, rho = (
        Law(np.array([[1.0, -0.5, 0.2], [0.3, 1.1, -1]]), np.array([0.6, 0.4])),
        0.5,
    )
    totals, run = {}, squares(layer)
    for path in itertools.product((0, 1), repeat=3):
        p = law.probabilities[path[0]]
        for before, now in itertools.pairwise(path):
            p *= rho * (before == now) + (1 - rho) * law.probabilities[now]
        u = jnp.asarray(law.values[list(path)])[None]
        for name, value in run(u).items():
            totals[name] = totals.get(name, 0.0) + p * float(value[0])
    moment = gated_moments.enumerate_gated(layer, law, 3, rho=rho)
    assert moment == pytest.approx(totals, rel=1e-10)


# Heads of the delta rule by themselves, beside the layers above.


@row(delta_moments.delta_moments, "scale", "steps", "average")
def a_head():
    """Wider than its span, so that inputs count that no gate sees."""
    delta_head = head(decayed=True, d=6, keys=1, values=2, seed=4)
    names = DECAYED
    each = [
        delta_moments.delta_moments(delta_head, names, scale=0.7, steps=t)
        for t in (1, 2)
    ]
    moments = delta_moments.delta_moments(
        delta_head, names, scale=0.7, steps=2, average=True
    )
    u = 0.7 * np.random.default_rng(2).standard_normal((NUM, 2, 6))
    for steps, closed in zip((1, 2), each, strict=True):
        for name, estimate in of_head(delta_head, u[:, :steps]):
            simulated(estimate, closed[name][0], closed[name][1])
    for name in names:
        mean = (each[0][name][0] + each[1][name][0]) / 2
        assert moments[name][0] == pytest.approx(mean, rel=1e-10)


@row(delta_correlated.correlated_delta_moments, "scale")
def a_head_of_inputs_that_remember():
    delta_head = head(decayed=True, d=2, keys=1, values=2, seed=4)
    options = {"terms": ((2.5, 0.6),), "scale": 0.7, "steps": 2}
    closed = delta_correlated.correlated_delta_moments(delta_head, DECAYED, **options)
    z = np.random.default_rng(2).standard_normal((NUM, 2, 2))
    z[:, 1] = 0.6 * z[:, 0] + 0.8 * z[:, 1]
    for name, estimate in of_head(delta_head, 0.7 * math.sqrt(2.5) * z):
        simulated(estimate, closed[name][0], closed[name][1])


def of_head(delta_head, u):
    """Squares of derivatives of the state of one head, by forward differences' limit."""

    def last(values, u):
        W_k, W_v, w_beta, w_a, bias, A_log = values
        S = jnp.zeros((len(W_v), len(W_k)))
        for now in u:
            x = W_k @ now
            k = x / jnp.sqrt(x @ x + delta_head.tiny)
            beta = jax.nn.sigmoid(w_beta @ now)
            alpha = jnp.exp(-jnp.exp(A_log) * jax.nn.softplus(w_a @ now + bias))
            S = alpha * S @ (jnp.eye(len(k)) - beta * jnp.outer(k, k))
            S = S + beta * jnp.outer(W_v @ now, k)
        return S, S

    def run(u):
        gradients, S = jax.vmap(jax.jacrev(last, has_aux=True), (None, 0))(
            delta_head[:6], u
        )
        named = dict(zip(("W_k", *DECAYED[1:]), gradients, strict=True))
        del named["W_k"]
        sums = {k: (s**2).reshape(len(u), -1).sum(1) for k, s in named.items()}
        return {"state": (S**2).sum((1, 2)), **sums}

    return measured(jax.jit(run), u)


@row(correlated_gates.correlated_moment, "steps", "settled")
def a_gate_of_inputs_that_remember():
    """Two series of other variances in one input: their bivariate sums over nodes."""
    population, rho = neurons("gate-unit", d=1, n=1, seed=3), 0.5
    z, w = np.polynomial.hermite_e.hermegauss(30)
    grid = np.array(list(itertools.product(z, repeat=4)))
    p = np.array(list(itertools.product(w / w.sum(), repeat=4))).prod(1)
    second = rho * grid[:, 0] + math.sqrt(1 - rho**2) * grid[:, 1]
    u = np.stack([grid[:, 0], second], 1) * math.sqrt(1.7)
    u = (u + math.sqrt(0.4) * grid[:, 2:])[:, :, None]
    options = {"terms": ((1.7, rho), (0.4, 0.0)), "steps": 2, "settled": 1e-6}
    moment = correlated_gates.correlated_moment(population, **options)
    np.testing.assert_allclose(
        moment.value, states(population, u)[-1] ** 2 @ p, rtol=1e-4
    )


# Linear layers: sums over all pairs of inputs.


def linear_layer():
    return jax.jit(lambda key: lru(3, 2, key=key, r_min=0.5, r_max=0.9))(
        jax.random.key(2)
    )


def by_pairs(layer, covariance, steps, at):
    """The state, the output and its derivatives are linear in the inputs."""
    d_in, R = (
        layer.widths[0],
        covariance[np.abs(np.subtract.outer(*[np.arange(steps)] * 2))],
    )
    impulses = jnp.eye(steps * d_in).reshape(steps, d_in, steps, d_in)

    def output(values, u):
        return replace(layer, values)(u)[at]

    run = lambda f: jax.jit(jax.vmap(jax.vmap(f)))(impulses)  # noqa: E731
    parts = {
        "state": run(lambda u: layer.states(u)[at]),
        "output": run(lambda u: output(parameters(layer), u)),
        **run(lambda u: jax.jacrev(output)(parameters(layer), u)),
    }
    total = {}
    for name, part in parts.items():
        G = np.asarray(part).reshape(steps, d_in, -1)
        total[name] = np.einsum("tcp,ts,scp->", G, R, G.conj()).real
    return total


COVARIANCE = 2.5 * 0.4 ** np.arange(7.0)


@row(linear.predict)
def a_linear_layer():
    layer = linear_layer()
    exact = by_pairs(layer, COVARIANCE, 7, 4)
    moments = linear.predict(perturb(layer), COVARIANCE, steps=7, at=4)
    assert set(moments) == set(exact)
    for name, value in exact.items():
        assert moments[name] == pytest.approx(value, rel=1e-9), name


@row(measured_moments.impulse_moments, "batch")
def a_linear_layer_by_its_responses():
    layer = linear_layer()
    moments = measured_moments.impulse_moments(
        layer, COVARIANCE, steps=7, at=4, batch=32
    )
    assert moments == pytest.approx(by_pairs(layer, COVARIANCE, 7, 4), rel=1e-12)


@row(measured_moments.response_moment)
def a_response():
    lam = np.array([POINT, -0.6])
    moments = measured_moments.response_moment(lam ** np.arange(7)[:, None], COVARIANCE)
    exact = [by_ages((x, x), lambda lag: 2.5 * 0.4**lag, ages=7).real for x in lam]
    assert moments == pytest.approx(exact, rel=1e-12)


@row(linear.pair_moment, "orders")
def a_pair_of_neurons():
    pair = 0.8 * np.exp(1j), -0.6 + 0.1j
    for orders in itertools.product((0, 1), repeat=2):
        moments = linear.pair_moment(
            *(np.array([value]) for value in pair), 7, COVARIANCE, orders=orders
        )
        conjugated = pair[0], np.conj(pair[1])
        exact = by_ages(conjugated, lambda lag: 2.5 * 0.4**lag, orders, 7)
        assert moments[0, 0] == pytest.approx(exact, rel=1e-10)


@row(measured_moments.measure, "at", "batch", "every_output")
def a_measured_layer():
    layer = linear_layer()
    exact = measured_moments.by_group(layer, by_pairs(layer, COVARIANCE, 7, 4))
    for every_output, seed in ((True, 1), (False, 2)):
        moments = measured_moments.measure(
            jax.random.key(seed),
            layer,
            AR1(0.4, variance=2.5),
            steps=7,
            num=150_000,
            at=4,
            batch=30_000,
            every_output=every_output,
        )
        for name, estimate in moments.items():
            simulated(estimate, exact[name])


@row(infinite_loss.stationary_loss)
def the_loss_of_long_sequences():
    student = linear_layer()
    teacher = jax.jit(lambda key: lru(2, 2, key=key, r_min=0.3, r_max=0.8))(
        jax.random.key(5)
    )
    target = infinite_loss.stationary_target(teacher, AR1(0.4))
    impulse = jnp.zeros((250, 2, 2)).at[0].set(jnp.eye(2))

    def run(layer):
        return jax.jit(jax.vmap(layer, 1, 1))(jnp.moveaxis(impulse, 2, 1))

    d = np.asarray(run(student) - run(teacher)).reshape(250, -1)
    n = np.arange(250)
    exact = 0.5 * np.einsum("ip,ij,jp->", d, 2.5 * 0.4 ** np.abs(n[:, None] - n), d)
    loss = infinite_loss.stationary_loss(student, target, AR1(0.4, variance=2.5))
    assert float(loss) == pytest.approx(exact, rel=1e-8)


@row(infinite_loss.gramian, "doublings")
def a_gramian():
    A, B = np.array([[0.5, 0.3], [-0.2, 0.7]]), np.array([[1.0], [2.0]])
    powers = [np.linalg.matrix_power(A, age) @ B for age in range(8)]
    exact = sum(power @ power.T for power in powers)
    gramian = infinite_loss.gramian(jnp.asarray(A), jnp.asarray(B), doublings=3)
    np.testing.assert_allclose(gramian, exact, rtol=1e-12)


# The slowest of several layers with gates, whose moments are those of one function.
COSTLY = {"layer selective", "layer gla"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(case, marks=[pytest.mark.slow] * (case in COSTLY)) for case in ROWS],
)
def test_it_is_the_number_of_another_route(name, x64):
    ROWS[name].compare()


def test_costly_rows_are_rows():
    assert ROWS.keys() >= COSTLY


def test_single_precision_gives_the_same_moments():
    """The dtype is an argument of what follows the layer's or the eigenvalues'."""
    with double_precision(False):
        moment = stable.sensitivity_moment(
            np.float32(0.3), np.float32(0.9), np.float32(-0.6)
        )
        assert moment.dtype == np.float32
    exact = by_ages((POINT, POINT), lambda lag: (-0.6) ** (1.0 * lag), (1, 1)).real
    assert float(moment) == pytest.approx(exact, rel=1e-5)
