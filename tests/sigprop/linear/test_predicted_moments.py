"""Closed forms of whole layers: against double sums, impulse responses, hand formulas."""

import itertools

import jax
import numpy as np
import pytest

from sigprop.inputs import AR1, Constant, MovingAverage, Recording, White
from sigprop.layers.blur import blur
from sigprop.layers.dense import linear_rnn
from sigprop.layers.lru import lru, released_zucchet_lru
from sigprop.layers.released_rotrnn import released_bidirectional_rotrnn
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.s5 import s5
from sigprop.layers.stack import stack
from sigprop.linear.linearise import Perturbed, diagonalise, linearise, perturb
from sigprop.linear.measured_moments import by_group, exact
from sigprop.linear.predicted_moments import pair_moment, predict, state_moments
from sigprop.numerics.precision import double_precision

STEPS, BATCH = 9, 1
SERIES = np.sin(np.arange(23.0) ** 2)
PROCESSES = {
    "white": White(1.7),
    "AR(1)": AR1(0.8),
    "alternating": AR1(-0.5),
    "constant": Constant(),
    "recording": Recording(SERIES - SERIES.mean()),
    "moving average": MovingAverage((1.0, 0.6, -0.4)),
}
LAYERS = {
    "lru": lambda key: lru(3, 2, key=key, r_min=0.4, r_max=0.95),
    "dense": lambda key: linear_rnn(4, 2, key=key, d_out=3, nu0=0.5, theta0=2.0),
    "blur": lambda key: blur(3, 2, key=key, r_min=0.4, r_max=0.95),
    "released lru": lambda key: released_zucchet_lru(
        3, 2, key=key, d_out=3, nu0=0.5, theta0=2.0
    ),
    "released rotrnn": lambda key: released_bidirectional_rotrnn(
        4, 2, key=key, heads=1, gamma_range=(0.5, 0.95)
    ),
    "bilinear s5": lambda key: s5(
        2, 2, key=key, discretisation="bilinear", dt_min=0.1, dt_max=0.5
    ),
    "stack": lambda key: stack(
        [lru(2, 2, key=k, r_min=0.4, r_max=0.9) for k in jax.random.split(key)]
    ),
}


@pytest.fixture(scope="module", params=LAYERS)
def known(request):
    with double_precision(True):
        layer = LAYERS[request.param](jax.random.key(5))
        yield layer, perturb(layer)


def positions(layer):
    return [STEPS - 1, 3] if layer.causal else [STEPS // 2, 0, STEPS - 1, 2]


@pytest.mark.sampled(keep=["blur"])
def test_predictions_are_the_moments_of_impulse_responses(known):
    layer, perturbed = known
    for at, (name, process) in itertools.product(positions(layer), PROCESSES.items()):
        R = process.autocovariance(np.arange(STEPS))
        closed = by_group(layer, predict(perturbed, R, STEPS, at))
        truth = exact(layer, R, steps=STEPS, at=at, batch=BATCH)
        assert (
            set(closed)
            == set(truth)
            == {"state", "output", "recurrent", "input", "readout"}
        )
        for quantity, value in truth.items():
            assert closed[quantity] == pytest.approx(value, rel=1e-10), (
                name,
                at,
                quantity,
            )
            assert value > 1e-3, (name, at, quantity)


def test_every_parameter_has_a_prediction(known):
    layer, perturbed = known
    assert set(predict(perturbed, np.eye(STEPS)[0], STEPS, 2)) == {
        "state",
        "output",
        *layer.groups(),
    }


def test_without_tangents_there_are_no_gradients(known):
    layer, perturbed = known
    R, at = AR1(0.8).autocovariance(np.arange(STEPS)), positions(layer)[0]
    short = predict(Perturbed(perturbed.modes, {}), R, STEPS, at)
    full = predict(perturbed, R, STEPS, at)
    assert short == {name: full[name] for name in ("state", "output")}


def test_a_causal_prediction_does_not_see_what_comes_after(known):
    layer, perturbed = known
    R = AR1(0.8).autocovariance(np.arange(STEPS))
    early, cut = predict(perturbed, R, STEPS, 3), predict(perturbed, R[:4], 4, 3)
    if layer.causal:
        assert early == pytest.approx(cut, rel=1e-14)
    else:
        assert abs(early["output"] / cut["output"] - 1) > 0.01


def kernel(lam, steps, order):
    """``lam**age``, or its derivative, from its definition."""
    ages = range(steps)
    if order == 0:
        return np.array([[x**age for age in ages] for x in lam])
    return np.array([[age * x ** max(age - 1, 0) for age in ages] for x in lam])


def double_sum(first, second, steps, R, orders):
    lags = np.abs(np.subtract.outer(np.arange(steps), np.arange(steps)))
    left, right = (
        kernel(lam, steps, order)
        for lam, order in zip((first, second), orders, strict=True)
    )
    return left @ R[lags] @ right.T


ORDERS = [(0, 0), (1, 0), (0, 1), (1, 1)]
FIRST = np.array([0.2 + 0j, 0.999 * np.exp(0.3j), -0.7 + 0j])
SECOND = np.array([0.93 * np.exp(-0.3j), 0.2j])


@pytest.mark.parametrize("steps", [1, 2, 50])
@pytest.mark.parametrize("orders", ORDERS, ids=str)
@pytest.mark.parametrize("name", PROCESSES)
def test_pairs_are_double_sums(name, orders, steps):
    R = PROCESSES[name].autocovariance(np.arange(steps))
    truth = double_sum(FIRST, SECOND, steps, R, orders)
    moments = pair_moment(FIRST, SECOND, steps, R, orders=orders)
    np.testing.assert_allclose(moments, truth, rtol=1e-10, atol=1e-11)


@pytest.mark.parametrize("orders", ORDERS, ids=str)
@pytest.mark.parametrize(("first", "second"), [(0.2, 0.999), (0.999, 0.2), (0.2, 0.25)])
def test_lags_that_are_left_out_are_nothing(first, second, orders):
    first, second = np.array([first + 0j]), np.array([second + 0j])
    R = AR1(0.99).autocovariance(np.arange(400))
    truth = double_sum(first, second, 400, R, orders)
    moments = pair_moment(first, second, 400, R, orders=orders)
    np.testing.assert_allclose(moments, truth, rtol=1e-10)


def modes_of(layer):
    """Modes of a causal layer alone: cheaper than with their tangents."""
    return diagonalise(jax.jit(linearise)(layer))


@pytest.fixture(scope="module")
def normalised():
    with double_precision(True):
        layer = lru(4, 3, key=jax.random.key(1), r_min=0.4, r_max=0.97)
        yield layer, modes_of(layer)


@pytest.mark.parametrize("steps", [1, 2, 30])
def test_normalised_white_states_are_written_by_hand(normalised, steps):
    layer, modes = normalised
    radius = np.abs(np.asarray(layer.eigenvalues()))
    power = (np.asarray(layer.B_re) ** 2 + np.asarray(layer.B_im) ** 2).sum(1)
    # gamma^2 = 1 - r^2 cancels the denominator of the geometric sum.
    by_hand = power * (1 - radius ** (2 * steps))
    R = np.eye(steps)[0]
    moment = predict(Perturbed((modes,), {}), R, steps, steps - 1)["state"]
    assert moment == pytest.approx(by_hand.sum(), rel=1e-12)
    pairs = pair_moment(modes.lam, modes.lam.conj(), steps, R)
    np.testing.assert_allclose(state_moments(modes, pairs), by_hand, rtol=1e-12)


@pytest.fixture(scope="module")
def rotating():
    with double_precision(True):
        layer = rotrnn(8, 3, key=jax.random.key(1), heads=2, gamma_range=(0.6, 0.97))
        yield np.asarray(layer.decays()), modes_of(layer)


@pytest.mark.parametrize("steps", [1, 2, 30])
def test_a_rotating_head_has_one_minus_its_decay(rotating, steps):
    gamma, modes = rotating
    pairs = pair_moment(modes.lam, modes.lam.conj(), steps, np.eye(steps)[0])
    heads = state_moments(modes, pairs).reshape(2, 4).sum(1)
    np.testing.assert_allclose(heads, 1 - gamma ** (2 * steps), rtol=1e-12)
    assert abs(gamma[0] - gamma[1]) > 0.01


def test_moments_scale_with_the_covariance(known):
    layer, perturbed = known
    R, at = AR1(0.6).autocovariance(np.arange(STEPS)), positions(layer)[0]
    once, thrice = (
        predict(perturbed, R, STEPS, at),
        predict(perturbed, 3 * R, STEPS, at),
    )
    assert thrice == pytest.approx({k: 3 * v for k, v in once.items()}, rel=1e-12)


def test_no_input_makes_no_moment(known):
    layer, perturbed = known
    silent = predict(perturbed, np.zeros(STEPS), STEPS, positions(layer)[0])
    assert set(silent.values()) == {0.0}


def test_sums_of_a_skip_alone_are_its_square(normalised):
    layer, modes = normalised
    modes = modes._replace(outward=0 * modes.outward)
    output = predict(Perturbed((modes,), {}), 2 * np.eye(4)[0], 4, 3)["output"]
    assert output == pytest.approx(2 * float((np.asarray(layer.D) ** 2).sum()))
