"""What the papers print and what their authors' codes draw, each by its own name."""

import functools
import re

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.linalg
from scipy import stats

from sigprop.layers.lru import released_zucchet_lru, zucchet_lru
from sigprop.layers.released_rotrnn import (
    released_bidirectional_rotrnn,
    released_rotrnn,
    rotrnn_from_released,
)
from sigprop.layers.rotrnn import BidirectionalRotRNN, rotrnn
from tests.sigprop.layers.helpers import run, states_of

# A correct draw fails a test of this size once in ten million runs.
RARE = 1e-7
N, D_IN, D_OUT, THETA0 = 600, 40, 90, 0.8
MAKERS = {"printed": zucchet_lru, "released": released_zucchet_lru}


@functools.cache
def build(name):
    return MAKERS[name](
        N, D_IN, key=jax.random.key(0), d_out=D_OUT, nu0=0.9, theta0=THETA0
    )


def require_variance(values, variance, kurtosis=3.0):
    """The mean square of independent draws, within what their number leaves open."""
    values = np.asarray(values, float).ravel()
    spread = np.sqrt((kurtosis - 1) / values.size)
    wide = stats.norm.isf(RARE / 2) * spread
    assert np.mean(values**2) / variance == pytest.approx(1, abs=wide)


def require_uniform(values, low, high):
    assert stats.kstest(values, stats.uniform(low, high - low).cdf).pvalue > RARE


@pytest.mark.parametrize(
    ("name", "variances"),
    [
        ("printed", {"B": 0.5 / D_IN, "C": 0.5 / N, "D": 1 / D_IN}),
        ("released", {"B": 1 / N, "C": 1 / D_OUT, "D": 1 / D_OUT}),
    ],
)
def test_weights_are_scaled_by_the_fan_that_the_name_says(name, variances):
    layer = build(name)
    for part in ("B_re", "B_im", "C_re", "C_im", "D"):
        require_variance(getattr(layer, part), variances[part[0]])
    assert layer.B_re.shape == (N, D_IN)
    assert layer.C_re.shape == (D_OUT, N)


def test_phases_are_of_both_signs_where_released_and_of_one_where_printed():
    printed, released = (np.angle(build(name).eigenvalues()) for name in MAKERS)
    require_uniform(printed, 0, THETA0)
    require_uniform(released, -THETA0, THETA0)
    assert (printed >= 0).all()


@pytest.mark.parametrize("name", MAKERS)
def test_moduli_and_gains_are_the_same_of_both(name):
    layer = build(name)
    radius = np.abs(np.asarray(layer.eigenvalues(), complex))
    require_uniform((radius**2 - 0.81) / 0.19, 0, 1)
    gain = np.sqrt(-np.expm1(-2 * np.exp(np.asarray(layer.nu_log, float))))
    np.testing.assert_allclose(layer.normaliser(), gain, rtol=1e-5)


@pytest.mark.parametrize(("name", "size"), [("printed", 1 / D_IN), ("released", 2 / N)])
def test_states_of_a_white_input_have_the_size_that_the_fan_predicts(name, size):
    """By an impulse through the layer, summed to the age where nothing is left."""
    layer = build(name)
    brief = np.exp(np.asarray(layer.nu_log)) > 0.04  # |lam| < 0.961
    impulse = jnp.zeros((400, D_IN)).at[0, 0].set(1.0)
    energy = np.sum(np.abs(np.asarray(states_of(layer, impulse))) ** 2, 0)
    # |b|^2 of a complex normal number is exponential: its square has mean two.
    require_variance(np.sqrt(energy[brief]), size, kurtosis=2.0)


def test_an_angle_beyond_a_half_turn_is_refused():
    for theta0 in (0.0, 3.2):
        with pytest.raises(ValueError, match=f"need 0 < theta0 <= pi, got {theta0=}"):
            released_zucchet_lru(3, 1, key=jax.random.key(0), nu0=0.5, theta0=theta0)


HEADS, SIZE, WIDTH, LENGTH = 2, 4, 3, 12


def arrays(two_way=True):
    """Of the code's names and shapes, each far from any special value."""
    rng, n = np.random.default_rng(2), HEADS * SIZE
    parameters = {
        "theta_log": rng.normal(size=(n // 2, 1)),
        "gamma_log": rng.normal(size=HEADS) - 2,
        "P": 0.3 * rng.normal(size=(n, SIZE)),
        "B": rng.normal(size=(n, WIDTH)),
        "C": rng.normal(size=(WIDTH, n)),
        "C2": rng.normal(size=(WIDTH, n)),
        "D": rng.normal(size=WIDTH),
    }
    return parameters if two_way else {k: v for k, v in parameters.items() if k != "C2"}


def listing(p, u):
    """The released map, head by head: ``gamma P^T Theta P``, directions by turns."""
    u, two_way = np.asarray(u), "C2" in p
    angles = np.exp(p["theta_log"]).reshape(HEADS, SIZE // 2)
    rows = []
    for head in range(HEADS):
        mine = slice(head * SIZE, (head + 1) * SIZE)
        P = scipy.linalg.expm(p["P"][mine] - p["P"][mine].T)
        turn = scipy.linalg.block_diag(
            *[[[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]] for a in angles[head]]
        )
        gamma = np.exp(-np.exp(p["gamma_log"][head]))
        A, B = gamma * P.T @ turn @ P, p["B"][mine]
        B = B * np.sqrt((1 - gamma**2) / np.trace(B.T @ B))
        for order in (1, -1)[: 1 + two_way]:
            h, states = np.zeros(SIZE), []
            for u_t in u[::order]:
                h = A @ h + B @ u_t
                states.append(h)
            rows.append(np.array(states)[::order])
    readout = np.concatenate([p[name] for name in ("C", "C2") if name in p], 1)
    return np.concatenate(rows, 1) @ readout.T + p["D"] * u


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize(
    "two_way",
    [
        pytest.param(False, marks=pytest.mark.slow, id="forward"),
        pytest.param(True, id="both ways"),
    ],
)
def test_released_arrays_become_a_layer_that_computes_the_released_map(two_way):
    released = arrays(two_way)
    layer = rotrnn_from_released(released, heads=HEADS)
    assert isinstance(layer, BidirectionalRotRNN) == two_way
    u = np.random.default_rng(3).normal(size=(LENGTH, WIDTH))
    outputs = run(layer, jnp.asarray(u))
    np.testing.assert_allclose(outputs, listing(released, u), rtol=0, atol=1e-12)


RANGES = {"gamma_range": (0.6, 0.99), "theta_range": (0.5, 2.0)}
KIN = {
    "printed": rotrnn,
    "released": released_rotrnn,
    "released both": released_bidirectional_rotrnn,
}


@pytest.mark.parametrize("name", KIN)
def test_rotations_are_drawn_as_the_name_says(name):
    n, heads, width = 800, 200, 400
    layer = KIN[name](n, width, key=jax.random.key(4), heads=heads, **RANGES)
    printed = name == "printed"
    size = n // heads
    require_variance(layer.M, 1.0 if printed else 1 / (n + size))
    require_variance(layer.B, 1 / width if printed else 1 / (n + width))
    require_variance(layer.C, 1 / n if printed else 1 / (n + width))
    require_variance(layer.D, 1.0)
    require_uniform(np.asarray(layer.theta, float).ravel(), 0.5, 2.0)
    low, high = RANGES["gamma_range"]
    nu_log = np.asarray(layer.gamma_log, float)
    squares = np.exp(-2 * np.exp(nu_log))
    ends = np.log(-np.log([high, low]))
    values, end = (squares, (low**2, high**2)) if printed else (nu_log, ends)
    require_uniform(values, *end)


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"P": None, "M": 1.0}, "missing ['P'], unknown ['M']"),
        ({"C": np.ones((8, 3))}, "need C of shape (3, 8), got (8, 3)"),
        ({"D": np.full(3, np.nan)}, "need finite D, got a NaN or infinity in it"),
        ({"B": np.ones(8)}, "need state_size >= 1, got state_size=0"),
    ],
)
def test_other_arrays_are_refused(change, text):
    released = {k: v for k, v in {**arrays(), **change}.items() if v is not None}
    with pytest.raises(ValueError, match=re.escape(text)):
        rotrnn_from_released(released, heads=HEADS)
