"""Moments of the layers of today are within 1 % of simulations at memories up to 1000."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import replace
from sigprop.layers.delta_product import delta_product
from sigprop.layers.deltanet import deltanet, gated_deltanet
from sigprop.layers.hgrn2 import hgrn2
from sigprop.layers.linoss import linoss
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.mlstm import mlstm
from sigprop.layers.projected import TINY
from sigprop.layers.rwkv7 import rwkv7
from sigprop.layers.ssd import ssd
from sigprop.linear.gated_moments import predict_gated
from sigprop.linear.linearise import perturb
from sigprop.linear.predicted_moments import predict, state_moments
from sigprop.numerics.precision import double_precision

WIDTH, BATCH, MOST = 8, 4096, 600
MARGIN, SIGMAS = 0.01, 4.0  # a right moment fails once in 16 000 cases
KEY = jax.random.key(7)
QUICK = "rwkv7", "deltanet", "linoss"


def log_odds(share):
    return float(np.log(share / (1 - share)))


def _rwkv7(memory):
    layer = rwkv7(2, WIDTH, key=KEY, rank=2)
    shift = jnp.full_like(layer.w_bias, log_odds(0.5 / memory))
    return replace(layer, {"w_bias": shift, "a_bias": shift})


def _short(layer, share):
    """Keys so short that what is added to their length makes each step erase ``share``."""
    added, rate = TINY, 0.5  # beta at rest
    mean_square = jnp.sum(layer.W_k**2, (1, 2), keepdims=True) / layer.W_k.shape[1]
    return {"W_k": layer.W_k * jnp.sqrt(share * added / rate / mean_square)}


def _gated_deltanet(memory):
    layer = gated_deltanet(2, WIDTH, key=KEY, steps=(0.05, 0.05))
    rate = jnp.log(jnp.array([0.5 / (0.05 * memory)]))
    return replace(layer, {"A_log": rate, **_short(layer, 0.5 / memory)})


def _deltanet(memory):
    layer = deltanet(2, WIDTH, key=KEY)
    return replace(layer, _short(layer, 1 / memory))


def _linoss(memory):
    """Eigenvalues of modulus ``1 - 1/memory``, whose square is ``1/(1 + dt^2 A)``."""
    layer, dt = linoss(4, WIDTH, key=KEY), 0.5
    A = ((1 - 1 / memory) ** -2 - 1) / dt**2
    apart = jnp.linspace(0.9, 1.1, 4)  # equal eigenvalues have no derivatives
    return replace(layer, {"A_raw": A * apart, "dt_raw": 0 * layer.dt_raw})


# A layer of about the memory, of which each value is a sample of one gate's past.
LAYERS = {
    "ssd": lambda memory: replace(
        ssd(2, WIDTH, key=KEY, steps=(0.05, 0.05)),
        {"A_log": jnp.log(jnp.array([1 / (0.05 * memory)]))},
    ),
    "hgrn2": lambda memory: hgrn2(2, WIDTH, key=KEY, bound=1 - 2 / memory),
    "mlstm": lambda memory: mlstm(
        2, WIDTH, key=KEY, offsets=(log_odds(1 - 1 / memory),) * 2
    ),
    "delta_product": lambda memory: delta_product(
        2, WIDTH, key=KEY, largest=min(2.0, 2 / memory)
    ),
    "mamba3": lambda memory: mamba3(2, WIDTH, key=KEY, steps=(1.4 / memory,) * 2),
    "rwkv7": _rwkv7,
    "deltanet": _deltanet,
    "gated_deltanet": _gated_deltanet,
    "linoss": _linoss,
}


def predicted(layer, steps):
    """The moment of the state, and how far it may be off."""
    if not layer.linear:
        return predict_gated(layer, steps=steps, names=("state",))["state"]
    with double_precision(True):
        wide = jax.tree.map(lambda leaf: jnp.asarray(leaf, float), layer)
        white = (np.arange(steps) == 0) * 1.0
        return predict(perturb(wide), white, steps, steps - 1)["state"], 0.0


@eqx.filter_jit
def last_squares(layer, key, steps):
    """``|h|^2`` at the end of a batch of sequences."""

    def body(t, carried):
        h, key = carried
        u = jax.random.normal(jax.random.fold_in(key, t), (BATCH, WIDTH))
        return jax.vmap(lambda state, now: layer.step(state, now)[0])(h, u), key

    zero = jnp.broadcast_to(layer.initial_state(), (BATCH, layer.state_size))
    h, _ = jax.lax.fori_loop(0, steps, body, (zero, key))
    return (jnp.abs(h) ** 2).sum(1)


@pytest.mark.parametrize("memory", [4, 60, pytest.param(1000, marks=pytest.mark.slow)])
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow if name not in QUICK else ())
        for name in LAYERS
    ],
)
def test_the_state_is_within_a_percent_of_a_simulation(name, memory):
    layer, steps = LAYERS[name](memory), 2 * memory
    value, error = predicted(layer, steps)
    samples = np.zeros(0)
    for index in range(MOST):
        batch = last_squares(layer, jax.random.fold_in(KEY, index), steps)
        samples = np.concatenate([samples, np.asarray(batch, float)])
        sem = samples.std() / len(samples) ** 0.5
        if index > 0 and SIGMAS * sem + error < MARGIN * value:
            break
    assert SIGMAS * sem + error < MARGIN * value
    assert abs(samples.mean() - value) < SIGMAS * sem + error


@pytest.mark.parametrize("memory", [4, 60, 1000])
@pytest.mark.parametrize("name", sorted(set(LAYERS) - {"linoss"}))
@pytest.mark.sampled(3)
def test_the_limit_is_that_of_many_steps(name, memory):
    """By powers of an operator, and by the solution of its equation."""
    layer = LAYERS[name](memory)
    many = predicted(layer, 60 * memory)[0]
    assert predicted(layer, None)[0] == pytest.approx(many, rel=MARGIN / 10)
    assert predicted(layer, memory // 4)[0] < 0.95 * many


@pytest.mark.parametrize("memory", [4, 60, 1000])
def test_oscillators_have_their_energy(memory):
    """``E|z|^2 + A E|y|^2 = |B|^2/A`` in the limit."""
    layer = _linoss(memory)
    with double_precision(True):
        wide = jax.tree.map(lambda leaf: jnp.asarray(leaf, float), layer)
        modes = perturb(wide).modes[0]
    assert (1 / (1 - abs(modes.lam))).mean() == pytest.approx(memory, rel=0.02)
    pairs = 1 / (1 - modes.lam[:, None] * modes.lam.conj())
    z, y = np.split(state_moments(modes, pairs), 2)
    A, B_re, B_im = (
        np.asarray(x, float) for x in (layer.A_raw, layer.B_re, layer.B_im)
    )
    np.testing.assert_allclose(z + A * y, (B_re**2 + B_im**2).sum(1) / A, rtol=1e-6)
    many = predicted(layer, 30 * memory)[0]
    assert z.sum() + y.sum() == pytest.approx(many, rel=1e-6)
