"""Moments of the delta rule: every sequence, other nodes, and a form by hand."""

import itertools
import math

import numpy as np
import pytest

from sigprop.neuron.delta import Head
from sigprop.neuron.delta_moments import delta_moments, key_gradient
from sigprop.neuron.quadrature import Law
from sigprop.theory import delta_moments as theory

STEPS, STEP = 4, 1e-5
PLAIN = ("state", "W_v", "W_beta")
DECAYED = (*PLAIN, "W_a", "bias", "A_log")


def head(decayed=False, d=4, keys=2, values=2, seed=0, tiny=1e-6):
    generator = np.random.default_rng(seed)
    arrays = [
        generator.normal(size=shape) / 2 for shape in ((keys, d), (values, d), d, d)
    ]
    return Head(*arrays[:3], arrays[3] if decayed else None, -1.0, 0.3, tiny)


def run(h, u):
    """States after the inputs (steps, sequences, d_in), by the equations of the rule."""
    S = np.zeros((u.shape[1], len(h.W_v), len(h.W_k)))
    for now in u:
        x, v = now @ h.W_k.T, now @ h.W_v.T
        k = x / np.sqrt((x**2).sum(1, keepdims=True) + h.tiny)
        beta = 1 / (1 + np.exp(-now @ h.w_beta))
        alpha = np.ones(len(now))
        if h.w_a is not None:
            softplus = np.log1p(np.exp(now @ h.w_a + h.bias))
            alpha = np.exp(-np.exp(h.A_log) * softplus)
        transition = (
            np.eye(len(h.W_k)) - beta[:, None, None] * k[:, :, None] * k[:, None]
        )
        S = alpha[:, None, None] * S @ transition
        S = S + (beta[:, None] * v)[:, :, None] * k[:, None]
    return S


def enumerated(h, name, u):
    """Squares of the state's derivatives by a parameter, added up, of each sequence."""
    if name == "state":
        return (run(h, u) ** 2).sum((1, 2))
    field = {"W_beta": "w_beta", "W_a": "w_a"}.get(name, name)
    value, total = np.asarray(getattr(h, field), float), 0.0
    for index in np.ndindex(value.shape):
        ahead, behind = (value.copy() for _ in "ab")
        ahead[index] += STEP
        behind[index] -= STEP
        ends = [run(h._replace(**{field: shifted}), u) for shifted in (ahead, behind)]
        total = total + (((ends[0] - ends[1]) / (2 * STEP)) ** 2).sum((1, 2))
    return total


@pytest.mark.parametrize("decayed", [False, True])
@pytest.mark.parametrize("seed", [0, 1])
def test_every_moment_is_that_of_every_sequence(decayed, seed):
    h, names = head(decayed, seed=seed), DECAYED if decayed else PLAIN
    generator = np.random.default_rng(seed)
    law = Law(generator.normal(size=(3, 4)), np.array([0.5, 0.3, 0.2]))
    index = np.array(list(itertools.product(range(3), repeat=STEPS)))
    u, p = np.swapaxes(law.values[index], 0, 1), law.probabilities[index].prod(1)
    moments = delta_moments(h, names, law=law, steps=STEPS)
    for name in names:
        exact = enumerated(h, name, u) @ p
        assert moments[name][0] == pytest.approx(exact, rel=1e-8), name


def by_polar_nodes(h):
    """A law of many values: keys on circles, and the gate on a line.

    Nothing is tilted: a key's direction is a node's angle.
    """
    basis = np.linalg.qr(np.concatenate([h.W_k, h.w_beta[None]]).T)[0]
    radius, width = np.polynomial.legendre.leggauss(60)
    radius, width = 4.5 * (radius + 1), 4.5 * width
    mass = width * radius * np.exp(-(radius**2) / 2)
    angle = 2 * np.pi * np.arange(50) / 50
    gate = 0.6 * np.arange(-14, 15)
    density = np.exp(-(gate**2) / 2)
    r, a, g = (
        coordinate.ravel()
        for coordinate in np.meshgrid(radius, angle, gate, indexing="ij")
    )
    z = np.stack([r * np.cos(a), r * np.sin(a), g], 1)
    outer = np.multiply.outer
    p = outer(outer(mass / mass.sum(), np.full(50, 0.02)), density / density.sum())
    return Law(z @ basis.T, p.ravel())


def test_gaussian_inputs_are_the_limit_of_laws_of_more_values():
    """Keys whose two entries are correlated with each other and with the gate."""
    W_k = np.array([[0.9, 0.2, 0.1], [-0.3, 0.7, 0.4]])
    h = head(d=3, values=2, tiny=0.05)._replace(W_k=W_k)
    law = by_polar_nodes(h)
    for steps in (3, None):
        exact = delta_moments(h, PLAIN, law=law, steps=steps)
        moments = delta_moments(h, PLAIN, steps=steps)
        for name in PLAIN:
            value, error = moments[name]
            assert error < 1e-3 * value
            assert value == pytest.approx(exact[name][0], rel=1e-6), (name, steps)


@pytest.mark.parametrize("keys", [2, 3])
def test_keys_of_any_direction_alike_have_a_closed_form(keys):
    """Rows orthogonal to each other: key, gate and value are independent."""
    d, tiny = keys + 3, 1e-9
    h = Head(
        np.eye(d)[:keys], np.eye(d)[keys : keys + 1], np.eye(d)[-1], None, 0, 0, tiny
    )
    line = 0.1 * np.arange(-90, 91)
    density = np.exp(-(line**2) / 2) / np.exp(-(line**2) / 2).sum()
    beta = 1 / (1 + np.exp(-line))
    form = theory.isotropic().result.subs(
        {
            theory.K: keys,
            theory.E_alphaalpha: 1,
            theory.E_vv: 1,
            theory.E_beta: density @ beta,
            theory.E_betabeta: density @ beta**2,
        }
    )
    moment = delta_moments(h, ("state",))["state"]
    assert moment[0] == pytest.approx(float(form), rel=1e-6)


def test_keys_so_long_that_digits_are_lost_are_refused():
    with pytest.raises(ValueError, match="digits would be lost"):
        delta_moments(head(), ("state",), scale=1e4)


def test_inputs_outside_of_the_span_count():
    """More inputs than gates, keys and values: those weights see them and no gate does."""
    h = head(d=4, values=1, seed=3)
    wide = h._replace(
        W_k=np.pad(h.W_k, ((0, 0), (0, 2))),
        W_v=np.pad(h.W_v, ((0, 0), (0, 2))),
        w_beta=np.pad(h.w_beta, (0, 2)),
    )
    plain, other, more = (
        delta_moments(each_head, PLAIN, steps=6)
        for each_head in (h, wide, wide._replace(W_v=wide.W_v + np.eye(6)[5:]))
    )
    assert other["state"][0] == pytest.approx(plain["state"][0], rel=1e-10)
    assert other["W_beta"][0] > 1.05 * plain["W_beta"][0]
    assert more["W_beta"][0] > 1.05 * other["W_beta"][0]


def test_too_few_gaussian_inputs_are_refused():
    with pytest.raises(
        ValueError, match=r"need 3 inputs or more for 1 gates and 2 entr"
    ):
        delta_moments(head(d=2), ("state",))
    law = Law(np.eye(2), np.array([0.5, 0.5]))
    assert math.isfinite(
        delta_moments(head(d=2), ("state",), law=law, steps=2)["state"][0]
    )


def test_a_state_that_is_never_erased_has_no_limit():
    h = head()._replace(w_beta=np.zeros(4), W_k=np.zeros((2, 4)))
    law = Law(np.eye(4), np.full(4, 0.25))
    with pytest.raises(ValueError, match="the stationary second moment is infinite"):
        delta_moments(h, ("state",), law=law)


def test_an_average_is_that_of_the_steps():
    h, steps = head(d=5, values=1), 6
    each = [delta_moments(h, PLAIN, steps=t) for t in range(1, steps + 1)]
    averages = delta_moments(h, PLAIN, steps=steps, average=True)
    for name in PLAIN:
        mean = sum(moments[name][0] for moments in each) / steps
        np.testing.assert_allclose(averages[name][0], mean, rtol=1e-12)
    with pytest.raises(ValueError, match="need steps >= 1 to average over, got steps="):
        delta_moments(h, PLAIN, average=True)


@pytest.mark.parametrize("decayed", [False, True])
@pytest.mark.parametrize("seed", [1, 2])
def test_what_weights_of_keys_move_is_that_of_every_sequence(decayed, seed):
    h, generator = head(decayed, seed=seed), np.random.default_rng(seed)
    law = Law(generator.normal(size=(3, 4)), np.array([0.5, 0.3, 0.2]))
    index = np.array(list(itertools.product(range(3), repeat=STEPS)))
    u, p = np.swapaxes(law.values[index], 0, 1), law.probabilities[index].prod(1)
    value, _ = key_gradient(h, law=law, steps=STEPS)
    assert value == pytest.approx(enumerated(h, "W_k", u) @ p, rel=1e-7)


@pytest.mark.parametrize("steps", [3, None])
def test_weights_of_keys_with_gaussian_inputs_are_those_of_a_fine_law(steps):
    W_k = np.array([[0.9, 0.2, 0.1], [-0.3, 0.7, 0.4]])
    h = head(d=3, values=2, tiny=0.05)._replace(W_k=W_k)
    exact = key_gradient(h, law=by_polar_nodes(h), steps=steps)[0]
    value, error = key_gradient(h, steps=steps)
    assert value == pytest.approx(exact, rel=1e-7)
    assert abs(value - exact) < error < 1e-2 * value


def test_weights_of_keys_see_inputs_outside_of_the_span():
    """Two more inputs, of which values see one, beside the same moment over all inputs."""
    h = head(d=3, values=2, tiny=0.05, seed=4)
    wide = h._replace(
        W_k=np.pad(h.W_k, ((0, 0), (0, 2))),
        W_v=np.pad(h.W_v, ((0, 0), (0, 2))) + 0.8 * np.eye(2, 5, 3),
        w_beta=np.pad(h.w_beta, (0, 2)),
    )
    fine, steps = by_polar_nodes(h), 2
    likely = fine.probabilities > 1e-8
    three = np.sqrt(3.0) * np.array([-1.0, 0.0, 1.0])  # Gauss and Hermite: degree five
    pairs = np.array(list(itertools.product(three, repeat=2)))
    chance = np.outer([1 / 6, 2 / 3, 1 / 6], [1 / 6, 2 / 3, 1 / 6]).ravel()
    values = np.concatenate(
        [
            np.repeat(fine.values[likely], 9, 0),
            np.tile(pairs, (likely.sum(), 1)),
        ],
        1,
    )
    p = np.outer(fine.probabilities[likely], chance).ravel()
    exact = key_gradient(wide, law=Law(values, p / p.sum()), steps=steps)[0]
    value, _ = key_gradient(wide, steps=steps)
    assert value == pytest.approx(exact, rel=1e-3)  # of the law's tails
    assert value > 1.2 * key_gradient(h, steps=steps)[0]


def test_keys_of_too_many_entries_are_refused():
    with pytest.raises(
        ValueError, match="need at most 8388608 nodes for gradients by W"
    ):
        key_gradient(head(decayed=True, d=8, keys=6))
