"""Moments of states that a matrix multiplies, and of their derivatives."""

import itertools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import replace
from sigprop.layers.delta_product import DeltaProduct, delta_product
from sigprop.layers.deltanet import deltanet
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.mingru import mingru
from sigprop.layers.rwkv7 import rwkv7
from sigprop.linear.gated_moments import (
    covered,
    enumerate_gated,
    lagged_gated,
    mutated_gated,
    predict_gated,
    predict_input_gradient,
    predict_key_gradient,
    predict_output,
)
from sigprop.neuron.matrix_moments import rules
from sigprop.neuron.matrix_sensitivities import _nearer
from sigprop.neuron.quadrature import Law
from sigprop.numerics.precision import double_precision
from tests.sigprop.linear.test_gated_moments import law


def of_ranks(layer):
    """Mamba-3 with other weights of each rank, value and head."""
    mix = {
        name: jnp.cos(jnp.arange(weights.size) + shift).reshape(weights.shape)
        for name, shift in (("mimo_x", 1.0), ("mimo_o", 0.3))
        if (weights := getattr(layer, name)) is not None
    }
    return replace(layer, mix)


LAYERS = {
    "rwkv7": lambda key: rwkv7(3, 4, key=key, heads=2, rank=2),
    "mamba3": lambda key: mamba3(4, 4, key=key, heads=2, steps=(0.1, 0.9)),
    "mamba3-ranks": lambda key: of_ranks(
        mamba3(2, 4, key=key, heads=2, steps=(0.1, 0.9), rank=3)
    ),
    "delta_product": lambda key: delta_product(2, 4, key=key, heads=2, reflections=3),
    "delta_product-decay": lambda key: delta_product(
        2, 3, key=key, reflections=2, largest=1.5, steps=(0.1, 0.5)
    ),
    "released_deltanet": lambda key: delta_product(
        3, 3, key=key, reflections=1, largest=1.0
    ),
}

COVERED = {
    "rwkv7": "W_k W_v w_U w_V w_bias a_U a_V a_bias k_k k_a",
    "mamba3": "W_dt bias W_A W_lam b_lam W_theta W_x W_B scale_B b_B",
    "ranks": "W_dt bias W_A W_lam b_lam W_theta W_x W_B scale_B b_B mimo_x",
    "delta_product": "W_k W_v W_beta",
    "decay": "W_k W_v W_beta W_a bias A_log",
    "released_deltanet": "W_k W_v W_beta",
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
    assert set(covered(layer)) == set(COVERED[name.split("-")[-1]].split())
    exact = enumerate_gated(layer, inputs, steps)
    moments = predict_gated(layer, law=inputs, steps=steps)
    assert exact.keys() == moments.keys() == {"state", *covered(layer)}
    for quantity, value in exact.items():
        assert moments[quantity].value == pytest.approx(value, rel=1e-10), quantity
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
        "state": predict_gated(layer, names=("state",), **options)["state"],
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
    few_values = Law(values, np.full(5, 0.2))
    cases: list[dict[str, Any]] = [{"scale": 0.7}, {"law": few_values}]
    for options in cases:
        names = ("state",) if "scale" in options else None
        few, many, limit = (
            predict_gated(layer, steps=steps, names=names, **options)
            for steps in (1, 20_000, None)
        )
        for quantity, (value, _) in limit.items():
            assert many[quantity].value == pytest.approx(value, rel=1e-7), quantity
        assert 0 < few["state"].value < 0.98 * limit["state"].value
    none = predict_gated(layer, steps=0, law=few_values)
    assert none == dict.fromkeys(("state", *covered(layer)), (0.0, 0.0))
    assert predict_output(layer, steps=0)["output"].value == 0


SMALL = {
    "rwkv7": lambda key: rwkv7(2, 3, key=key, rank=1),
    "mamba3": lambda key: mamba3(2, 2, key=key, heads=2, steps=(0.1, 0.9)),
    "mamba3-ranks": lambda key: of_ranks(
        mamba3(2, 2, key=key, steps=(0.1, 0.9), rank=2)
    ),
    "delta_product": lambda key: delta_product(
        2, 2, key=key, heads=2, steps=(0.1, 0.5)
    ),
}


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.sampled(1)
def test_gaussian_derivatives_are_those_of_samples(name, x64):
    """At five standard errors a right moment fails once in 2 million comparisons.

    Derivatives by weights of keys have no finite variance; the next tests have them.
    """
    layer, num, steps, scale = SMALL[name](jax.random.key(12)), 30_000, 4, 0.8
    names = [name for name in covered(layer) if name not in layer.divided]
    moments = predict_gated(layer, scale=scale, steps=steps, names=names)
    assert list(moments) == names

    def last(values, u):
        return replace(layer, values).states(u)[-1]

    values = {name: getattr(layer, name) for name in names}
    u = scale * jax.random.normal(jax.random.key(13), (num, steps, layer.widths[0]))
    jacobians = jax.jit(jax.vmap(jax.jacfwd(last), (None, 0)))(values, u)
    for quantity, jacobian in jacobians.items():
        samples = np.asarray((jacobian**2).reshape(num, -1).sum(1))
        mean, sem = samples.mean(), samples.std() / num**0.5
        value, error = moments[quantity]
        assert abs(mean - value) < 5 * sem + error, quantity
        assert 5 * sem + error < 0.3 * value, quantity


def test_derivatives_by_keys_are_those_of_deltanet(x64):
    """By another integral; two keys have samples of an infinite variance."""
    old = deltanet(2, 3, key=jax.random.key(5))
    old = replace(old, {"W_k": 0.8 * jnp.array([[[1.0, 0.0, 0.6], [0.2, 1.0, 0.0]]])})
    weights = (old.W_q, old.W_k[None], old.W_v[None], old.W_beta[None])
    new = DeltaProduct(*weights, largest=1.0, activation="identity")
    for steps in (1, 4, None):
        moments = predict_gated(new, scale=1.2, steps=steps)
        exact = predict_gated(old, scale=1.2, steps=steps)
        exact["W_k"] = predict_key_gradient(old, scale=1.2, steps=steps)
        assert moments.keys() == exact.keys()
        for name, (value, error) in exact.items():
            moment = moments[name]
            assert abs(moment.value - value) < moment.error + error, name
            assert moment.error + error < 0.15 * value, name


def test_a_rank_without_weight_changes_no_gaussian_derivative(x64):
    """Points near short ``W_B u`` are those of each rank's own weights."""
    one = mamba3(2, 3, key=jax.random.key(14), steps=(0.1, 0.9))
    two = mamba3(2, 3, key=jax.random.key(15), steps=(0.1, 0.9), rank=2)
    same = ("bias", "W_dt", "W_A", "W_lam", "W_theta", "W_x")
    values = {
        **{name: getattr(one, name) for name in same},
        "W_B": two.W_B.at[1].set(one.W_B),
        "mimo_x": jnp.zeros((1, 2, 3)).at[:, 1].set(1.0),
    }
    options = {"names": ("W_B",), "steps": 3, "scale": 0.8}
    value, _ = predict_gated(one, **options)["W_B"]
    moment = predict_gated(replace(two, values), **options)["W_B"]
    assert moment.value == pytest.approx(value, rel=1e-9)


def test_derivatives_of_constant_gates_have_a_closed_form(x64):
    """``E|dS|^2`` as ``E|S|^2``, with derivatives of beta and gamma, or entries of inputs."""
    weight, heads, values, width = 0.35, 2, 2, 4
    layer = mamba3(2, width, key=jax.random.key(8), heads=heads, steps=(0.4, 1.2))
    still = {name: 0 * getattr(layer, name) for name in ("W_dt", "W_A", "W_lam", "W_B")}
    odds = jnp.full((heads,), np.log(weight / (1 - weight)))
    still = replace(layer, {**still, "W_theta": 0 * layer.W_theta, "b_lam": odds})
    step = np.logaddexp(0, np.asarray(still.bias))
    alpha = np.exp(-step * np.log(2))
    squares = (np.asarray(still.b_B) ** 2).sum(1)

    def state(beta, gamma):
        return (
            (beta**2 + gamma**2 + 2 * alpha * beta * gamma) / (1 - alpha**2) * squares
        )

    rate = weight * (1 - weight) * step
    e = (np.asarray(still.W_x) ** 2).sum((1, 2))
    exact = {
        "b_lam": (state(-rate * alpha, rate) * e).sum(),
        "W_x": (state((1 - weight) * step * alpha, weight * step) + squares).sum()
        * (values * width),
    }
    axes = 2.0 * np.concatenate([np.eye(width), -np.eye(width)])  # of unit covariance
    white = Law(axes, np.full(2 * width, 1 / (2 * width)))
    moments = predict_gated(still, law=white, names=("W_x", "b_lam"))
    for name, value in exact.items():
        assert moments[name].value == pytest.approx(value, rel=1e-10), name


@pytest.mark.parametrize("size", [1, 2, 3, 6])
def test_points_near_short_vectors_have_right_weights(size):
    """``E 1/(r^2 + c) = (1/2) int_0^inf exp(-c s/2) (1 + s)^(-size/2) ds``."""
    rows = np.linalg.qr(np.random.default_rng(size).normal(size=(7, 7)))[0][:size]
    for scale, c in ((1.0, 1e-4), (0.6, 1e-12), (0.6, 0.5)):
        results = []
        for u, w in rules(7, None, scale):
            near, weights = _nearer(u, w, rows, scale)
            square = ((near @ rows.T) ** 2).sum(1) / scale**2
            assert abs(weights.sum() - 1) < 0.02
            beside = (near**2).sum(1) / scale**2 - square  # of the other coordinates
            results.append([weights @ (1 / (square + c)), weights @ (square * beside)])
        mean = np.mean(results, 0)
        error = 5 * np.std(results, axis=0, ddof=1) / len(results) ** 0.5
        s = np.linspace(-40, 60, 40_001)
        inside = np.exp(-c * np.exp(s) / 2 + s - size / 2 * np.log1p(np.exp(s))) / 2
        exact = np.array([inside.sum() * (s[1] - s[0]), size * (7 - size)])
        assert (abs(mean - exact) < error + 1e-9 * exact).all()
        assert (error < 0.05 * exact + 1e-9).all()


def without(*fields):
    return lambda known: known._replace(**{f: 0 * getattr(known, f) for f in fields})


MUTANTS = {
    "a mean of dA is missing": without("dA"),
    "a mean of dB is missing": without("dB"),
    "A and dA are not together": without("AdA"),
    "A and dB are not together": without("AdB"),
    "dA and B are not together": without("dAB"),
    "B and dB are not together": without("BdB"),
    "dA is not squared": without("dAdA"),
    "dA and dB are not together": without("dAdB"),
    "dB is not squared": without("dBdB"),
    "dA has the wrong sign beside A": lambda known: known._replace(AdA=-known.AdA),
    "dA is turned": lambda known: known._replace(dA=known.dA.swapaxes(1, 2)),
}


@pytest.mark.parametrize("mutant", MUTANTS)
@pytest.mark.parametrize("steps", [5, None])
def test_wrong_expectations_are_seen(mutant, steps, x64):
    layer = build("delta_product-decay", 6)
    values = np.random.default_rng(7).normal(size=(5, layer.widths[0]))
    options = {"law": Law(values, np.full(5, 0.2)), "steps": steps}
    right = predict_gated(layer, **options)
    wrong = mutated_gated(MUTANTS[mutant], layer, **options)
    same = mutated_gated(lambda known: known, layer, **options)
    apart = [abs(wrong[name].value / value - 1) for name, (value, _) in right.items()]
    assert max(apart) > 1e-3
    assert same == right


def test_names_choose_the_moments(x64):
    for layer, name in ((build("delta_product"), "W_beta"), (build_mingru(), "W_z")):
        inputs = law(layer.widths[0], 3)
        every = predict_gated(layer, law=inputs, steps=3)
        for names in ((name, "state"), ("state",), (name,)):
            some = predict_gated(layer, law=inputs, steps=3, names=names)
            assert some == {name: every[name] for name in names}
        for wrong in (("W_q",), name):
            with pytest.raises(ValueError, match="need names of moments of"):
                predict_gated(layer, law=inputs, steps=3, names=wrong)


def build_mingru():
    with double_precision(True):
        return mingru(3, 4, key=jax.random.key(2))


def test_too_many_entries_are_refused():
    layer = delta_product(16, 16, key=jax.random.key(0))
    with pytest.raises(ValueError, match=r"need at most 8388608 .*names=\('state',\)"):
        predict_gated(layer, steps=2)
    assert predict_gated(layer, law=law(16, 0), steps=2, names=("state",))


def test_one_reflection_without_a_silu_is_deltanet(x64):
    """By another integral, over the logarithm of the keys' lengths."""
    old = deltanet(2, 4, key=jax.random.key(1), heads=2)
    weights = (old.W_q, old.W_k[None], old.W_v[None], old.W_beta[None])
    new = DeltaProduct(*weights, largest=1.0, activation="identity")
    for steps in (1, 5, None):
        exact = predict_gated(old, steps=steps, names=("state",))["state"]
        value, error = predict_gated(new, steps=steps, names=("state",))["state"]
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
        value, error = predict_gated(layer, steps=steps, names=("state",))["state"]
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
    value, error = predict_gated(turned, names=("state",))["state"]
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
        predict_gated(
            delta_product(65, 1, key=jax.random.key(0)), law=law(1, 0), names=("state",)
        )


def test_a_direction_of_keys_that_no_input_has_is_never_forgotten(x64):
    layer = build("released_deltanet")
    with pytest.raises(ValueError, match=r"infinite: E a\^2 = 1 >= 1"):
        predict_gated(layer, law=law(3, 1))
