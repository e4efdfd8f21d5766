"""Layers whose gates see the input alone are the loops of their equations.

Every loop is typed by hand in NumPy, one number at a time where it may be, and knows
nothing of the layer but its parameters.
"""

import functools
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import scipy.stats

from sigprop.layers.base import doubled, replace
from sigprop.layers.delta_product import delta_product
from sigprop.layers.deltanet import deltanet, gated_deltanet
from sigprop.layers.gla import gla
from sigprop.layers.hgrn2 import hgrn2
from sigprop.layers.mamba3 import mamba3
from sigprop.layers.mingru import mingru
from sigprop.layers.mlstm import mlstm
from sigprop.layers.projected import inverse_softplus, uniform_bias
from sigprop.layers.rglru import rglru
from sigprop.layers.rwkv7 import rwkv7
from sigprop.layers.selective import selective
from sigprop.layers.ssd import ssd
from sigprop.numerics.precision import double_precision
from tests.sigprop.layers.helpers import run, states_of

KEY = jax.random.key(5)
TIME = 7


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def softplus(z):
    return np.log(1 + np.exp(z))


def by_rglru(p, u):
    n, size = len(p.b_a), p.W_a.shape[1]
    h, rows = np.zeros(n), []
    for x in u:
        for i in range(n):
            head, index = divmod(i, size)
            block = x[head * size : (head + 1) * size]
            r = sigmoid(p.W_a[head, index] @ block + p.b_a[i])
            gate = sigmoid(p.W_x[head, index] @ block + p.b_x[i])
            a = np.exp(-8 * softplus(p.Lambda[i]) * r)
            h[i] = a * h[i] + np.sqrt(1 - a**2) * gate * x[i]
        rows.append(h.copy())
    return rows


def by_mingru(p, u):
    h, rows = np.zeros(len(p.b_z)), []
    for x in u:
        z = sigmoid(p.W_z @ x + p.b_z)
        h = (1 - z) * h + z * (p.W_v @ x + p.b_v)
        rows.append(h)
    return rows


def by_selective(p, u):
    h, rows = np.zeros(p.A_log.shape), []
    for x in u:
        B, C, y = p.W_B @ x, p.W_C @ x, []
        for d in range(len(x)):
            step = softplus(p.V[d] @ (p.U @ x) + p.bias[d])
            h[d] = np.exp(-step * np.exp(p.A_log[d])) * h[d] + step * B * x[d]
            y.append(C @ h[d] + p.D[d] * x[d])
        rows.append(y)
    return rows


def by_ssd(p, u):
    heads, values, _ = p.W_x.shape
    S, rows = np.zeros((heads, values, p.W_B.shape[1])), []
    for now in u:
        y = []
        for i in range(heads):
            group = i // (heads // len(p.W_B))
            B, C, x = p.W_B[group] @ now, p.W_C[group] @ now, p.W_x[i] @ now
            step = softplus(p.W_dt[i] @ now + p.bias[i])
            S[i] = np.exp(-step * np.exp(p.A_log[i])) * S[i] + step * np.outer(x, B)
            y.append(S[i] @ C + p.D[i] * x)
        rows.append(np.concatenate(y))
    return rows


def by_gla(p, u):
    heads, keys, _ = p.W_k.shape
    S, rows = np.zeros((heads, keys, p.W_v.shape[1])), []
    for x in u:
        y = []
        for i in range(heads):
            alpha = sigmoid(p.V[i] @ (p.U @ x) + p.bias[i]) ** (1 / 16)
            S[i] = np.diag(alpha) @ S[i] + np.outer(p.W_k[i] @ x, p.W_v[i] @ x)
            y.append(S[i].T @ (p.W_q[i] @ x) / math.sqrt(keys))
        rows.append(np.concatenate(y))
    return rows


def by_deltanet(p, u):
    heads, keys, _ = p.W_k.shape
    S, rows = np.zeros((heads, p.W_v.shape[1], keys)), []
    for x in u:
        y = []
        for i in range(heads):
            k, q = p.W_k[i] @ x, p.W_q[i] @ x
            k, q = k / np.sqrt(k @ k + 1e-6), q / np.sqrt(q @ q + 1e-6)
            beta, v = sigmoid(p.W_beta[i] @ x), p.W_v[i] @ x
            alpha = 1.0
            if hasattr(p, "A_log"):
                step = softplus(p.W_a[i] @ x + p.bias[i])
                alpha = np.exp(-np.exp(p.A_log[i]) * step)
            erased = S[i] @ (np.eye(keys) - beta * np.outer(k, k))
            S[i] = alpha * erased + beta * np.outer(v, k)
            y.append(S[i] @ q / math.sqrt(keys))
        rows.append(np.concatenate(y))
    return rows


def by_delta_product(p, u):
    heads, values, keys = p.head_shape
    S, rows = np.zeros((heads, values, keys)), []
    for x in u:
        y = []
        for i in range(heads):
            if p.W_a is not None:
                step = softplus(p.W_a[i] @ x + p.bias[i])
                S[i] = np.exp(-np.exp(p.A_log[i]) * step) * S[i]
            for W_k, W_v, w in zip(
                p.W_k[:, i], p.W_v[:, i], p.W_beta[:, i], strict=True
            ):
                k, v = W_k @ x * sigmoid(W_k @ x), W_v @ x * sigmoid(W_v @ x)
                k = k / np.sqrt(k @ k + 1e-6)
                beta = p.largest * sigmoid(w @ x)
                S[i] = S[i] @ (np.eye(keys) - beta * np.outer(k, k))
                S[i] = S[i] + beta * np.outer(v, k)
            q = p.W_q[i] @ x * sigmoid(p.W_q[i] @ x)
            y.append(S[i] @ q / np.sqrt(keys * (q @ q + 1e-6)))
        rows.append(np.concatenate(y))
    return rows


def by_mamba3(p, u):
    """With complex states, in pairs."""
    heads, values, _ = p.W_x.shape
    n = len(p.W_B)
    h = np.zeros((heads, values, n // 2), complex)
    before, rows = np.zeros_like(h), []
    for now in u:
        B, C, y = p.W_B @ now, p.W_C @ now, []
        B = p.scale_B * B / np.sqrt(np.mean(B**2) + 1e-5)
        C = p.scale_C * C / np.sqrt(np.mean(C**2) + 1e-5)
        for i in range(heads):
            x = p.W_x[i] @ now
            step = softplus(p.W_dt[i] @ now + p.bias[i])
            rate = max(softplus(p.W_A[i] @ now), 1e-4)
            lam = sigmoid(p.W_lam[i] @ now + p.b_lam[i])
            alpha = np.exp(-step * (rate + 1j * np.pi * np.tanh(p.W_theta @ now)))
            pairs = (B + p.b_B[i]).reshape(-1, 2) @ [1, 1j]
            entering = np.outer(x, pairs)
            h[i] = alpha * h[i] + (1 - lam) * step * alpha * before[i]
            h[i] = h[i] + lam * step * entering
            before[i] = entering
            query = (C + p.b_C[i]).reshape(-1, 2) @ [1, 1j]
            y.append(np.real(h[i] @ query.conj()) + p.D[i] * x)
        rows.append(np.concatenate(y))
    return rows


def by_hgrn2(p, u):
    heads, keys, _ = p.W_f.shape
    S, rows = np.zeros((heads, keys, p.W_v.shape[1])), []
    for x in u:
        y = []
        for i in range(heads):
            f = p.bound + (1 - p.bound) * sigmoid(p.W_f[i] @ x)
            q = p.W_q[i] @ x * sigmoid(p.W_q[i] @ x)
            S[i] = np.diag(f) @ S[i] + np.outer(1 - f, p.W_v[i] @ x)
            y.append(q @ S[i])
        rows.append(np.concatenate(y))
    return rows


def by_mlstm(p, u):
    """With the stabiliser of the paper, number by number."""
    heads, keys, _ = p.W_k.shape
    values = p.W_v.shape[1]
    C, n = np.zeros((heads, values, keys)), np.zeros((heads, keys))
    m, rows = np.full(heads, -np.inf), []
    for x in u:
        y = []
        for j in range(heads):
            log_f = -softplus(-(p.W_f[j] @ x + p.b_f[j]))
            log_i = p.W_i[j] @ x + p.b_i[j]
            largest = max(log_f + m[j], log_i)
            f, i = np.exp(log_f + m[j] - largest), np.exp(log_i - largest)
            m[j] = largest
            k = p.W_k[j] @ x / math.sqrt(keys)
            C[j] = f * C[j] + i * np.outer(p.W_v[j] @ x, k)
            n[j] = f * n[j] + i * k
            q = p.W_q[j] @ x
            y.append(C[j] @ q / max(abs(n[j] @ q), np.exp(-m[j])))
        rows.append(np.concatenate(y))
    return rows


def by_rwkv7(p, u):
    heads, values, keys = p.head_shape
    S, rows = np.zeros((heads, values, keys)), []
    for now in u:
        y = []
        for i in range(heads):
            low = p.w_V[i] @ np.tanh(p.w_U @ now) + p.w_bias[i]
            w = np.exp(-np.exp(-0.5) * sigmoid(low))
            a = sigmoid(p.a_V[i] @ (p.a_U @ now) + p.a_bias[i])
            k = p.W_k[i] @ now
            removed = k * p.k_k[i] / np.linalg.norm(k * p.k_k[i])
            written = k * (1 + (a - 1) * p.k_a[i])
            S[i] = S[i] @ (np.diag(w) - np.outer(removed, a * removed))
            S[i] = S[i] + np.outer(p.W_v[i] @ now, written)
            y.append(S[i] @ (p.W_r[i] @ now))
        rows.append(np.concatenate(y))
    return rows


LAYERS = {
    "rglru": (lambda: rglru(6, 6, key=KEY, heads=2), by_rglru),
    "mingru": (lambda: mingru(4, 3, key=KEY, memory=5.0), by_mingru),
    "selective": (lambda: selective(3, 5, key=KEY, rank=2), by_selective),
    "ssd": (lambda: ssd(3, 8, key=KEY, heads=4, groups=2), by_ssd),
    "gla": (lambda: gla(3, 4, key=KEY, heads=2, rank=3), by_gla),
    "deltanet": (lambda: deltanet(3, 4, key=KEY, heads=2), by_deltanet),
    "mamba3": (
        lambda: mamba3(4, 6, key=KEY, heads=3, steps=(0.1, 0.9), weight=0.3),
        by_mamba3,
    ),
    "hgrn2": (lambda: hgrn2(3, 4, key=KEY, heads=2, bound=0.2), by_hgrn2),
    "mlstm": (lambda: mlstm(3, 4, key=KEY, heads=2, offsets=(0.5, 2.0)), by_mlstm),
    "rwkv7": (lambda: rwkv7(3, 4, key=KEY, heads=2, rank=2), by_rwkv7),
    "delta_product": (
        lambda: delta_product(3, 4, key=KEY, heads=2, reflections=3),
        by_delta_product,
    ),
    "released_deltanet": (
        lambda: delta_product(
            3, 4, key=KEY, reflections=1, largest=1.0, steps=(0.1, 0.5)
        ),
        by_delta_product,
    ),
    "gated_deltanet": (lambda: gated_deltanet(3, 4, key=KEY, heads=2), by_deltanet),
}


@pytest.mark.parametrize("name", LAYERS)
def test_the_layer_is_its_equations(name, x64):
    draw, loop = LAYERS[name]
    layer = draw()
    numbers = jax.tree.map(np.asarray, layer)
    u = np.random.default_rng(0).normal(size=(TIME, layer.widths[0]))
    np.testing.assert_allclose(run(layer, u), loop(numbers, u), rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("shift", [-300.0, 0.0, 60.0, 300.0])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_no_input_gate_of_the_mlstm_overflows(shift, seed):
    """Outputs and gradients in single precision, of gates from exp(-350) to exp(350)."""
    layer = mlstm(3, 4, key=jax.random.key(seed), heads=2, offsets=(0.5, 2.0))
    moved = {"W_i": 10 * layer.W_i, "b_i": shift + layer.b_i}
    # Keys and queries are positive, so that n . q does not cancel and enlarge errors.
    moved |= {name: jnp.abs(getattr(layer, name)) for name in ("W_k", "W_q")}
    layer = replace(layer, moved)
    u = np.abs(np.random.default_rng(seed).normal(size=(40, 4)))
    u = jnp.asarray(u, jnp.float32)

    def loss(call, layer, u):
        return jnp.sum(jnp.sin(call(layer, u)))

    with np.errstate(over="ignore"):  # of exp(-m)
        numbers = jax.tree.map(lambda leaf: np.asarray(leaf, float), layer)
        expected = np.array(by_mlstm(numbers, np.asarray(u, float)))
    found, slopes = layer(u), jax.grad(loss, 1)(type(layer).__call__, layer, u)
    with double_precision(True):
        wide = doubled(layer)
        right = jax.grad(loss, 1)(
            lambda layer, u: layer.read(layer.states(u), u), wide, jnp.asarray(u, float)
        )
    # Logarithms of gates are rounded to 350 eps = 4e-5, and 40 steps add such errors.
    close = functools.partial(np.testing.assert_allclose, rtol=2e-3)
    close(found, expected, atol=2e-3 * np.abs(expected).max() + 1e-38)
    leaves = [*zip(*map(jax.tree.leaves, (slopes, right)), strict=True)]
    largest = max(np.abs(wanted).max() for _, wanted in leaves)
    for one, wanted in leaves:
        close(one, wanted, atol=2e-3 * np.abs(wanted).max() + 1e-4 * largest + 1e-38)


def test_open_gates_of_the_rglru_are_uniform_on_a_ring():
    with double_precision(True):
        layer = rglru(2000, 2000, key=KEY, heads=500)
        radius = np.exp(-softplus(np.asarray(layer.Lambda)))
    area = (radius**2 - 0.9**2) / (0.999**2 - 0.9**2)
    assert scipy.stats.kstest(area, "uniform").pvalue > 1e-6
    assert np.std(np.asarray(layer.W_a)) == pytest.approx(0.5, rel=0.1)
    assert not np.asarray(layer.b_a).any()


def test_steps_of_the_selective_layer_are_log_uniform():
    with double_precision(True):
        layer = selective(4, 2000, key=KEY, rank=2, steps=(0.001, 0.1))
        logs = np.log(softplus(np.asarray(layer.bias)))
    positions = (logs - math.log(0.001)) / math.log(100)
    assert scipy.stats.kstest(positions, "uniform").pvalue > 1e-6
    np.testing.assert_allclose(np.exp(layer.A_log[0]), [1, 2, 3, 4], rtol=1e-6)
    assert selective(2, 33, key=KEY).U.shape == (3, 33)


def test_uniform_maps_reach_one_over_the_root_of_the_inputs():
    for values in (mingru(200, 25, key=KEY).W_z, uniform_bias(KEY, 5000, 25)):
        scaled = np.asarray(values).ravel() * 5
        assert scipy.stats.kstest(scaled, scipy.stats.uniform(-1, 2).cdf).pvalue > 1e-6


def test_a_memory_moves_the_gate_of_the_mingru():
    near, far = (mingru(5, 3, key=KEY, memory=memory) for memory in (2.0, 101.0))
    np.testing.assert_allclose(near.b_z - far.b_z, math.log(100), rtol=1e-5)


def test_the_inverse_of_softplus_is_its_inverse(x64):
    y = jnp.array([1e-4, 0.1, 3.0])
    np.testing.assert_allclose(softplus(np.asarray(inverse_softplus(y))), y, rtol=1e-9)


def test_the_delta_rule_writes_the_share_beta_of_what_is_missing(x64):
    layer = deltanet(3, 4, key=KEY)
    u = np.random.default_rng(1).normal(size=(5, 4))
    k = np.asarray(layer.W_k)[0] @ u[-1]
    k = k / np.linalg.norm(k)
    beta = sigmoid(np.asarray(layer.W_beta)[0] @ u[-1])
    before, after = np.asarray(states_of(layer, u))[-2:].reshape(2, 4, 3) @ k
    v = np.asarray(layer.W_v)[0] @ u[-1]
    np.testing.assert_allclose(after, before + beta * (v - before), rtol=1e-4)


@pytest.mark.parametrize(
    ("draw", "message"),
    [
        (lambda: rglru(6, 6, key=KEY, heads=4), "need width a multiple of heads"),
        (
            lambda: rglru(4, 4, key=KEY, radii=(0.9, 1.0)),
            "need 0 < low <= high < 1 in radii",
        ),
        (lambda: mingru(4, 0, key=KEY), "need width >= 1"),
        (lambda: mingru(4, 2, key=KEY, memory=1.0), "need memory > 1"),
        (
            lambda: selective(4, 2, key=KEY, steps=(0.1, 0.01)),
            "need bounds 0 < low <= high",
        ),
        (lambda: selective(4, 2, key=KEY, rank=0), "need rank >= 1"),
        (lambda: ssd(4, 6, key=KEY, heads=4), "need width a multiple of heads"),
        (
            lambda: ssd(4, 6, key=KEY, heads=3, groups=2),
            "need heads a multiple of groups",
        ),
        (lambda: gla(4, 6, key=KEY, heads=4), "need width a multiple of heads"),
        (lambda: deltanet(4, 6, key=KEY, heads=4), "need width a multiple of heads"),
        (
            lambda: delta_product(4, 6, key=KEY, heads=4),
            "need width a multiple of heads",
        ),
        (lambda: delta_product(4, 6, key=KEY, largest=2.1), "need largest in"),
        (lambda: delta_product(4, 6, key=KEY, reflections=0), "need reflections >= 1"),
        (lambda: hgrn2(4, 4, key=KEY, bound=1.0), "need bound in"),
        (lambda: mlstm(4, 4, key=KEY, offsets=(2.0, 1.0)), "need offsets"),
        (lambda: rwkv7(4, 4, key=KEY, rank=0), "need rank >= 1"),
        (lambda: mamba3(3, 4, key=KEY), "need an even state_size"),
        (lambda: mamba3(4, 4, key=KEY, weight=1.5), "need weight in"),
        (lambda: mamba3(4, 4, key=KEY, rank=0), "need rank >= 1"),
        (lambda: gated_deltanet(4, 6, key=KEY, steps=(0, 1)), "need bounds 0 < low"),
    ],
)
def test_what_cannot_be_drawn_is_refused(draw, message):
    with pytest.raises(ValueError, match=message):
        draw()
