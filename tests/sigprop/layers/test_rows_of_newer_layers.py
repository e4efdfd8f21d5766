"""Rows on newer layers, held against the layers themselves.

A layer gets parameters that meet a row's assumptions, and runs over all sequences of a
few inputs that have the moments of all: nothing is drawn but the start of Mamba-2.
"""

import functools
import itertools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.nn import softplus
from scipy.special import logit

from sigprop.judge.evidence import at_points, expression
from sigprop.layers.base import parameters, replace
from sigprop.layers.delta_product import DeltaProduct
from sigprop.layers.deltanet import DeltaNet, GatedDeltaNet
from sigprop.layers.gla import GLA, TEMPERING
from sigprop.layers.hgrn2 import HGRN2
from sigprop.layers.linoss import linoss
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.mlstm import MLSTM
from sigprop.layers.rwkv7 import FASTEST, RWKV7
from sigprop.layers.ssd import RATES, SSD, ssd
from sigprop.numerics.precision import double_precision
from tests.rows import row
from tests.seeds import fresh_seeds

LONG = 1500  # steps that stand for the limit
HEADS, LAYERS, SIGMAS = 64, 600, 6.0  # of Mamba-2; a right mean fails once in 5e8
FADED = 200  # steps after which 0.82**400 of a square is left: below 1e-34
EXACT = 1e-9
LARGE = 1e5  # a key, so that what is added to its square, 1e-6, does not matter


def stated(name: str, **at: float) -> float:
    """The true form of one of our rows at a point."""
    found = row(f"sigprop:{name}")
    form = expression(found.claim, found.basis)
    return float(np.real(at_points([form], (at,))[0][0]))


@pytest.fixture(autouse=True)
def _double():
    with double_precision(True):
        yield


def every_sequence(values, masses, T):
    """All sequences of T inputs, and their probabilities."""
    chosen = list(itertools.product(range(len(values)), repeat=T))
    sequences = jnp.asarray(np.asarray(values)[np.array(chosen, int)])
    return sequences, jnp.asarray(np.prod(np.asarray(masses)[np.array(chosen)], 1))


@jax.jit
def last(layer, state, u):
    """The state after a sequence, by the layer's own step."""
    return jax.lax.scan(lambda h, now: (layer.step(h, now)[0], None), state, u)[0]


def ends(layer, values, masses, T):
    """States after all sequences of T inputs from zero, and their probabilities."""
    u, mass = every_sequence(values, masses, T)
    start = layer.initial_state()
    return jax.vmap(functools.partial(last, layer, start))(u), mass


def energy(layer, values, masses, T):
    """``E|h|^2`` after T inputs from the zero state."""
    h, mass = ends(layer, values, masses, T)
    return float(mass @ (jnp.abs(h) ** 2).sum(1))


def limit(layer, values, masses):
    """The limit of ``E|h|^2``, an affine function of the energy of the step before."""
    first, second = (energy(layer, values, masses, T) for T in (1, 2))
    return first**2 / (2 * first - second)


# The delta rule: inputs are a key along an axis and a value of plus or minus one.


def writes(d, signs=(-1.0, 1.0)):
    """The inputs and their probabilities."""
    values = [[*np.eye(d)[axis], sign] for axis in range(d) for sign in signs]
    return np.array(values), np.full(len(values), 1 / len(values))


def delta(d, beta, alpha=None):
    keys, value = LARGE * np.eye(d, d + 1)[None], np.eye(1, d + 1, d)[None]
    weights = {
        "W_q": jnp.asarray(keys),
        "W_k": jnp.asarray(keys),
        "W_v": jnp.asarray(value),
        "W_beta": jnp.asarray([[logit(beta)] * d + [0.0]]),
    }
    if alpha is None:
        return DeltaNet(**weights)
    return GatedDeltaNet(
        **weights,
        W_a=jnp.zeros((1, d + 1)),
        bias=jnp.zeros(1),
        A_log=jnp.log(jnp.array([-math.log(alpha) / math.log(2)])),
    )


@pytest.mark.parametrize(("beta", "d", "T"), [(0.3, 3, 3), (0.9, 2, 5)])
def test_the_state_of_deltanet(beta, d, T):
    found = energy(delta(d, beta), *writes(d), T)
    assert found == pytest.approx(stated("delta-state", beta=beta, d=d, T=T), rel=EXACT)


def test_the_state_of_gated_deltanet():
    found = limit(delta(3, 0.6, 0.8), *writes(3))
    right = stated("gated-delta-state", alpha=0.8, beta=0.6, d=3)
    assert found == pytest.approx(right, rel=EXACT)


def read(layer, d, beta, T, key):
    """Means of ``(s k)^2``, of ``v s k`` and of ``(s k - v)^2`` after T writes.

    The value ``v`` was written under the key before them, or, if the key is new, nothing
    was; states before have the covariance of many writes.
    """
    size = math.sqrt(d * beta / (2 - beta))
    starts = [sign * size * axis for axis in np.eye(d) for sign in (-1, 1)]
    values, masses = writes(d)
    later, mass = every_sequence(values, masses, T)
    total = np.zeros(3)
    for start, first in itertools.product(starts, values):
        state = jnp.asarray(start)
        if key == "written":
            state = layer.step(state, jnp.asarray(first))[0]
        if T:
            states = jax.vmap(functools.partial(last, layer, state))(later)
        else:
            states, mass = state[None], np.ones(1)
        at = jnp.broadcast_to(jnp.asarray(first), (len(states), d + 1))
        y = layer.read(states, at)[:, 0] * math.sqrt(d)
        mean = [mass @ z for z in (y**2, first[-1] * y, (y - first[-1]) ** 2)]
        total += np.array(mean) / (len(starts) * len(values))
    return total


@pytest.mark.parametrize(("beta", "d", "T"), [(0.3, 2, 3), (0.8, 3, 2)])
def test_readings_of_deltanet(beta, d, T):
    layer, at = delta(d, beta), {"beta": beta, "d": d, "T": T}
    square, product, error = read(layer, d, beta, T, "written")
    assert square == pytest.approx(stated("delta-reading", **at), rel=EXACT)
    assert error == pytest.approx(stated("delta-error", **at), rel=EXACT)
    explained = product**2 / square
    assert explained == pytest.approx(stated("delta-explained", **at), rel=EXACT)
    new, *_ = read(layer, d, beta, T, "new")
    assert new == pytest.approx(stated("delta-reading", **at), rel=EXACT)


def test_interference_in_deltanet():
    layer, (values, masses) = delta(3, 0.7), writes(3)
    h, mass = ends(layer, values, masses, 2)
    squares = []
    for key in values:
        y = layer.read(h, jnp.broadcast_to(jnp.asarray(key), (len(h), 4)))[:, 0]
        squares.append(3 * float(mass @ y**2))
    right = stated("delta-interference", beta=0.7, d=3, T=2)
    assert np.mean(squares) == pytest.approx(right, rel=EXACT)


def test_a_rare_key_of_deltanet():
    layer, p = delta(2, 0.7), 0.2
    values, _ = writes(2)
    h, mass = ends(layer, values, [p / 2, p / 2, (1 - p) / 2, (1 - p) / 2], 4)
    right = stated("delta-rare-key", beta=0.7, p=p, T=4)
    assert float(mass @ h[:, 0] ** 2) == pytest.approx(right, rel=EXACT)


@pytest.mark.parametrize(("beta", "d", "T"), [(1.4, 3, 2), (0.3, 2, 4)])
def test_products_of_householder_matrices_in_deltaproduct(beta, d, T):
    """Reflection j of T takes its key from the j-th d inputs."""
    eye = jnp.eye(T * d).reshape(T, 1, d, T * d)
    layer = DeltaProduct(
        W_q=eye[0],
        W_k=LARGE * eye,
        W_v=jnp.zeros((T, 1, 1, T * d)),
        W_beta=logit(beta / 2) * eye.sum(2),
        activation="identity",
    )
    keys, mass = every_sequence(np.eye(d), np.full(d, 1 / d), T)
    A, _ = layer.maps(keys.reshape(len(keys), T * d))
    trace = mass @ jnp.trace(A[:, 0], axis1=1, axis2=2) / d
    square = mass @ (A[:, 0] ** 2).sum((1, 2)) / d
    at = {"beta": beta, "d": d, "T": T}
    assert float(trace) == pytest.approx(stated("householder-mean", **at), rel=EXACT)
    assert float(square) == pytest.approx(stated("householder-energy", **at), rel=EXACT)


# Transitions of RWKV-7 of three entries: each input picks a key, gates and decays.


def transitions(keys, gates, decays):
    """The matrices that multiply a row of the state, one an input."""
    zero = jnp.zeros((1, 3))
    layer = RWKV7(
        W_r=jnp.zeros((1, 3, len(keys))),
        W_k=jnp.asarray(keys).T[None],
        W_v=jnp.zeros((1, 1, len(keys))),
        w_U=math.atanh(0.5) * jnp.eye(len(keys)),
        w_V=2 * jnp.asarray(logit(-np.log(decays) / FASTEST)).T[None],
        w_bias=zero,
        a_U=jnp.eye(len(keys)),
        a_V=jnp.asarray(logit(np.asarray(gates))).T[None],
        a_bias=zero,
        k_k=zero + 1,
        k_a=zero,
    )
    return np.asarray(layer.maps(jnp.eye(len(keys)))[0][:, 0])


@pytest.mark.parametrize(("w", "a"), [(0.9, 0.6), (0.6, 0.95)])
def test_a_step_of_rwkv7_and_a_swap(w, a):
    (step,) = transitions([[0.7, 0.0, -0.7]], [[a] * 3], [[w] * 3])
    distance = np.linalg.norm(step - np.eye(3)[[2, 1, 0]], 2)
    assert distance == pytest.approx(stated("goose-swap", w=w, a=a, s=1.0), rel=EXACT)


def test_the_least_eigenvalue_of_rwkv7():
    """Gates and decays are nearly as far as the layer takes them."""
    w_0, a = math.exp(-FASTEST * (1 - 1e-12)), 1 - 1e-12
    (step,) = transitions([[0.3, -1.2, 0.5]], [[a] * 3], [[w_0] * 3])
    right = stated("goose-least", w_0=w_0, s=1.0)
    assert np.linalg.eigvals(step).real.min() == pytest.approx(right, rel=EXACT)


@pytest.mark.parametrize("c", [0.3, 0.8])
def test_two_steps_of_rwkv7(c):
    here, there, tiny = math.sqrt(c), math.sqrt(1 - c), 1e-12
    first, second = transitions(
        [[there, here, 0.0], [here, there, 0.0]],
        [[1 - tiny, tiny, 0.5], [tiny, 1 - tiny, 0.5]],
        [[1 - tiny] * 3] * 2,
    )
    product = (first @ second)[:2, :2]  # the third entry is kept
    found = np.linalg.eigvals(product).real.max()
    assert found == pytest.approx(stated("goose-alternation", c=c), rel=EXACT)


# Fixed gates: the impulse response of a layer, whose first input is the constant one.


def trapezoid(step, A, lam):
    """Mamba-3 with these gates, one value, ``B = (1, 0)``, and rotations."""
    layer, one = mamba3(2, 2, key=jax.random.key(3)), jnp.array([1.0, 0.0])
    zeros = {
        name: jnp.zeros_like(leaf, float) for name, leaf in parameters(layer).items()
    }
    gates = {
        "bias": jnp.log(jnp.expm1(jnp.array([step]))),
        "W_A": math.log(math.expm1(A)) * one[None],
        "b_lam": jnp.array([logit(lam)]),
        "W_theta": 0.3 * one[None],
        "W_x": jnp.zeros((1, 2, 2)).at[0, 0, 1].set(1.0),
        "b_B": jnp.array([[1.0, 0.0]]),
    }
    return replace(layer, {**zeros, **gates})


@jax.jit
def trajectory(layer, u):
    """All states, by the layer's own step."""

    def step(h, now):
        h, _ = layer.step(h, now)
        return h, h

    return jax.lax.scan(step, layer.initial_state(), u)[1]


def impulse_response(layer, T):
    """States after an impulse beside a constant one."""
    return trajectory(layer, jnp.ones((T, 2)).at[1:, 1].set(0.0))


@pytest.mark.parametrize(("step", "A", "lam"), [(0.4, 0.5, 0.3), (0.1, 2.0, 0.8)])
def test_the_trapezoid_of_mamba3(step, A, lam):
    alpha = math.exp(-step * A)
    at = {"alpha": alpha, "beta": (1 - lam) * step * alpha, "gamma": lam * step}
    k = np.asarray(impulse_response(trapezoid(step, A, lam), LONG)).reshape(LONG, 2, 4)
    k = k[:, 0, :2]  # the states of the first value, without the term before
    squares = (k**2).sum(1)
    assert squares.sum() == pytest.approx(stated("trapezoid", **at), rel=EXACT)
    finite = stated("trapezoid-finite", **at, T=7)
    assert squares[:7].sum() == pytest.approx(finite, rel=EXACT)


@pytest.mark.parametrize(("step", "A", "lam"), [(0.4, 0.5, 0.3), (0.1, 2.0, 0.8)])
def test_two_columns_of_mamba3(step, A, lam):
    """The state of a write along two columns is the sum of the states of both."""
    layer, B = trapezoid(step, A, lam), np.array([[1.3, -0.4], [0.5, 0.9]])
    k = np.array(
        [
            impulse_response(replace(layer, {"b_B": jnp.asarray(b)[None]}), LONG)
            for b in B
        ]
    ).reshape(2, LONG, 2, 4)[:, :, 0, :2]
    K, G = np.array([[0.8, 0.3], [0.3, 1.7]]), B @ B.T
    found = np.einsum("rs,rtn,stn->", K, k, k)
    alpha = math.exp(-step * A)
    at = {"alpha": alpha, "beta": (1 - lam) * step * alpha, "gamma": lam * step}
    for name, both in (("K", K), ("G", G)):
        at |= {
            f"{name}_{i + 1}{j + 1}": both[i, j] for i, j in ((0, 0), (0, 1), (1, 1))
        }
    assert found == pytest.approx(stated("mimo-state", **at), rel=EXACT)


def by_the_constant_input(columns, shape):
    """Weights of the constant input that give multiples of these columns."""
    return jnp.stack([LARGE * columns, jnp.zeros_like(columns)], -1).reshape(shape)


def of_ranks(columns, queries, step, A, lam, shift=None):
    """``trapezoid`` with these columns ``B`` and ``C`` of every rank, as initialised else.

    The layer normalises columns of root mean square one; a shift replaces their bias of one.
    """
    rank, d = columns.shape[-2:]
    layer = mamba3(d, 2, key=jax.random.key(4), rank=rank)
    one = jnp.array([1.0, 0.0])
    values = {
        "bias": jnp.log(jnp.expm1(jnp.array([step]))),
        "W_dt": jnp.zeros((1, 2)),
        "W_A": math.log(math.expm1(A)) * one[None],
        "W_lam": jnp.zeros((1, 2)),
        "b_lam": jnp.array([logit(lam)]),
        "W_theta": jnp.zeros((d // 2, 2)),
        "W_x": jnp.zeros((1, 2, 2)).at[0, 0, 1].set(1.0),
        "W_B": by_the_constant_input(columns, layer.W_B.shape),
        "W_C": by_the_constant_input(queries, layer.W_C.shape),
        "D": jnp.zeros(1),
    }
    if shift is not None:
        values |= {name: jnp.full((1, rank, d), shift) for name in ("b_B", "b_C")}
    return replace(layer, values)


@pytest.mark.parametrize(("step", "A", "lam"), [(0.4, 0.5, 0.3), (0.1, 2.0, 0.8)])
def test_two_ranks_of_mamba3(step, A, lam):
    """Inputs of both ranks are the same value, times a weight each."""
    B, mix = np.array([[1.3, -0.4], [0.5, 0.9]]), np.array([0.7, -1.6])
    layer = replace(
        of_ranks(0 * jnp.asarray(B), 0 * jnp.asarray(B), step, A, lam),
        {
            "b_B": jnp.asarray(B)[None],
            "mimo_x": jnp.repeat(jnp.asarray(mix)[None, :, None], 2, axis=2),
            "W_theta": jnp.array([[0.3, 0.0]]),
        },
    )
    k = np.asarray(impulse_response(layer, LONG)).reshape(LONG, 2, 4)[:, 0, :2]
    alpha, K, G = math.exp(-step * A), np.outer(mix, mix), B @ B.T
    at = {"alpha": alpha, "beta": (1 - lam) * step * alpha, "gamma": lam * step}
    for name, both in (("K", K), ("G", G)):
        at |= {
            f"{name}_{i + 1}{j + 1}": both[i, j] for i, j in ((0, 0), (0, 1), (1, 1))
        }
    assert (k**2).sum() == pytest.approx(stated("mimo-state", **at), rel=EXACT)


def every_sign(d, rank):
    """All columns of entries plus or minus one."""
    signs = np.array(list(itertools.product((-1.0, 1.0), repeat=rank * d)))
    return jnp.asarray(signs).reshape(-1, rank, d)


def means_over(columns, queries, step, A, lam, shift=None):
    """``E|S|^2`` and ``E y^2``, the means over all pairs of columns and queries."""
    d, u = columns.shape[-1], jnp.ones((FADED, 2))

    def squares(B, C):
        layer = of_ranks(B, C, step, A, lam, shift)
        h = layer.states(u.at[1:, 1].set(0.0))
        state = h.reshape(FADED, 2, 2 * d)[:, 0, :d]
        return (state**2).sum(), (layer.read(h, u)[:, 0] ** 2).sum()

    over = jax.vmap(jax.vmap(squares, (None, 0)), (0, None))
    return [float(x.mean()) for x in jax.jit(over)(columns, queries)]


@pytest.mark.parametrize(
    ("d", "rank", "shift", "step", "A", "lam"),
    [(2, 2, None, 0.4, 0.5, 0.3), (2, 3, 0.4, 0.3, 2.0, 0.8)],
)
def test_ranks_of_mamba3_as_initialised(d, rank, shift, step, A, lam):
    alpha = math.exp(-step * A)
    at = {"alpha": alpha, "beta": (1 - lam) * step * alpha, "gamma": lam * step}
    at |= {"d": d, "rank": rank, "shift": 1 if shift is None else shift}
    signs = every_sign(d, rank)
    state, output = means_over(signs, signs, step, A, lam, shift)
    assert state == pytest.approx(stated("mimo-state-start", **at), rel=EXACT)
    assert output == pytest.approx(stated("mimo-output-start", **at), rel=EXACT)


def test_four_ranks_of_mamba3_start_with_less_energy_than_one():
    signs = [every_sign(2, rank) for rank in (1, 4)]
    one, four = (means_over(each, each[:1], 0.4, 0.5, 0.3)[0] for each in signs)
    assert four / one == pytest.approx(5 / 8, rel=EXACT)


def test_the_sensitivity_of_a_head_of_mamba2():
    """To the logarithm of its rate, over its own energy."""
    step, A = 0.2, 0.7
    layer = SSD(
        A_log=jnp.log(jnp.array([A])),
        W_dt=jnp.zeros((1, 2)),
        bias=jnp.log(jnp.expm1(jnp.array([step]))),
        W_x=picks(1),
        W_B=picks(0),
        W_C=jnp.ones((1, 1, 2)),
        D=jnp.zeros(1),
    )

    def states(A_log):
        return impulse_response(replace(layer, {"A_log": A_log}), LONG)

    k, moved = jax.jvp(states, (layer.A_log,), (jnp.ones(1),))
    ratio = float((moved**2).sum() / (k**2).sum())
    assert ratio == pytest.approx(stated("ssd-log-rate", x=A * step), rel=EXACT)


def heads_at_the_start(steps):
    """Rates and steps at zero input of many heads of Mamba-2, and the seed."""
    (seed,) = fresh_seeds(1, str(steps))

    def drawn(key):
        layer = ssd(1, HEADS, key=key, heads=HEADS, steps=steps)
        return jnp.exp(layer.A_log), softplus(layer.bias)

    keys = jax.random.split(jax.random.key(seed), LAYERS)
    rates, widths = map(np.ravel, jax.vmap(drawn)(keys))
    return rates, widths, seed


def is_mean(numbers, right):
    """True if numbers are a sample with this mean."""
    sem = numbers.std() / math.sqrt(len(numbers))
    return abs(numbers.mean() - right) < SIGMAS * sem


@pytest.mark.parametrize("steps", [(0.001, 0.1), (0.02, 0.5)])
def test_time_constants_of_mamba2_at_the_start(steps):
    rates, widths, seed = heads_at_the_start(steps)
    (a_0, a_1), (step_0, step_1) = RATES, steps
    right = stated("ssd-time-constant", a_0=a_0, a_1=a_1, step_0=step_0, step_1=step_1)
    assert is_mean(1 / (rates * widths), right), seed


def test_the_mean_state_of_mamba2_at_the_start():
    rates, widths, seed = heads_at_the_start((0.05, 0.05))
    states = widths**2 / (1 - np.exp(-2 * rates * widths))
    right = stated("ssd-mean-state", step=0.05, a_0=RATES[0], a_1=RATES[1])
    assert is_mean(states, right), seed


# Oscillators.


def oscillator(discretisation, step, A):
    layer = linoss(1, 1, key=jax.random.key(0), discretisation=discretisation)
    values = {
        "A_raw": [A],
        "dt_raw": [logit(step)],
        "B_re": [[1.0]],
        "B_im": [[0.0]],
    }
    return replace(layer, {name: jnp.array(value) for name, value in values.items()})


def kicked(layer, T):
    """``z`` and ``y`` after a kick at the first of T steps."""
    states = trajectory(layer, jnp.zeros((T, 1)).at[0, 0].set(1.0))
    return np.asarray(states.real).T


@pytest.mark.parametrize(("step", "A"), [(0.4, 1.5), (0.8, 0.3)])
def test_implicit_oscillators(step, A):
    layer, at = oscillator("im", step, A), {"step": step, "A": A}
    z, y = kicked(layer, LONG)
    energy_found, position = (z**2 + A * y**2).sum(), (y**2).sum()
    assert energy_found == pytest.approx(stated("linoss-energy", **at), rel=EXACT)
    assert position == pytest.approx(stated("linoss-position", **at), rel=EXACT)
    lam = np.asarray(layer.eigenvalues())
    right = stated("linoss-implicit", **at)
    assert np.abs(lam) ** 2 == pytest.approx([right, right], rel=EXACT)
    tangent = np.abs(np.tan(np.angle(lam)))
    right = stated("linoss-implicit-frequency", **at)
    assert tangent == pytest.approx([right, right], rel=EXACT)


@pytest.mark.parametrize(("step", "A", "T"), [(0.4, 1.5, 9), (0.8, 0.3, 40)])
def test_explicit_oscillators(step, A, T):
    layer, at = oscillator("imex", step, A), {"step": step, "A": A}
    z, y = kicked(layer, T)
    grown = (z**2 + A * y**2 - step * A * z * y).sum()
    assert grown == pytest.approx(stated("linoss-growth", **at, T=T), rel=EXACT)
    lam = np.asarray(layer.eigenvalues())
    right = stated("linoss-explicit", **at)
    assert lam.real == pytest.approx([right, right], rel=EXACT)
    half = np.abs(np.sin(np.angle(lam) / 2))
    right = stated("linoss-explicit-frequency", **at)
    assert half == pytest.approx([right, right], rel=EXACT)


# Gates: inputs are the gate's argument, at nodes, and a value of plus or minus one.


def gated_inputs(arguments, masses):
    """Inputs (argument, value) and their probabilities."""
    values = [[g, sign] for g in arguments for sign in (-1.0, 1.0)]
    return np.array(values), np.repeat(np.asarray(masses) / 2, 2)


def picks(place):
    """Weights that take one of the two inputs."""
    return jnp.zeros((1, 1, 2)).at[0, 0, place].set(1.0)


def uniform_nodes(count):
    """Arguments of a sigmoid that is uniform, and their probabilities."""
    nodes, weights = np.polynomial.legendre.leggauss(count)
    return logit((nodes + 1) / 2), weights / 2


@pytest.mark.parametrize("bound", [0.0, 0.35, 0.9])
def test_the_bounded_gate_of_hgrn2(bound):
    layer = HGRN2(W_q=picks(1), W_f=picks(0), W_v=picks(1), bound=bound)
    found = limit(layer, *gated_inputs(*uniform_nodes(3)))
    assert found == pytest.approx(stated("bounded-gate", bound=bound), rel=EXACT)


def test_any_gate_of_hgrn2():
    layer = HGRN2(W_q=picks(1), W_f=picks(0), W_v=picks(1))
    gates, masses = np.array([0.2, 0.9]), np.array([0.3, 0.7])
    found = limit(layer, *gated_inputs(logit(gates), masses))
    right = stated("tied-gate", f_1=masses @ gates, f_2=masses @ gates**2)
    assert found == pytest.approx(right, rel=EXACT)


def test_the_root_gate_of_gated_linear_attention():
    """A key and a value of plus or minus one enter as one."""
    layer = GLA(
        W_q=jnp.zeros((1, 1, 2)),
        W_k=picks(1),
        W_v=picks(1),
        U=picks(0)[0],
        V=jnp.ones((1, 1, 1)),
        bias=jnp.zeros((1, 1)),
    )
    nodes, weights = np.polynomial.legendre.leggauss(9)
    half = TEMPERING / 2
    root = (nodes + 1) / 2  # of the sigmoid: the squared gate is linear in it
    masses = weights / 2 * half * root ** (half - 1)
    u, mass = every_sequence(*gated_inputs(logit(root**half), masses), 1)
    f, entering = (np.asarray(x)[:, 0] for x in layer.gates(u[:, 0]))
    assert entering == pytest.approx(1.0)
    kept = float(mass @ f**2)
    right = stated("root-gate", root=TEMPERING)
    assert 1 / (1 - kept) == pytest.approx(right, rel=EXACT)


@pytest.mark.parametrize(("f", "b", "spread"), [(0.8, 0.3, 0.7), (0.3, -1.0, 1.2)])
def test_the_state_of_mlstm(f, b, spread):
    layer = MLSTM(
        W_q=picks(1),
        W_k=picks(1),
        W_v=picks(1),
        W_f=jnp.zeros((1, 2)),
        b_f=jnp.array([logit(f)]),
        W_i=spread * picks(0)[0],
        b_i=jnp.array([b]),
    )
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    u, mass = every_sequence(*gated_inputs(nodes, weights / weights.sum()), 1)
    kept, entering = (np.asarray(x) for x in layer.gates(u[:, 0]))
    normaliser = entering[:, 1]  # i k, and k has mean zero and variance one
    found = float(mass @ normaliser**2) / (1 - kept[0, 1] ** 2)
    right = stated("exponential-gate-state", f=f, b=b, spread=spread)
    assert found == pytest.approx(right, rel=EXACT)
