"""Mamba-3 with several ranks is the loop of the released code, carried over to NumPy.

The projections are those of ``Mamba3.forward`` in ``mamba_ssm/modules/mamba3.py``, the loop
is ``mamba3_MIMO_step_ref`` of ``tests/ops/tilelang/test_mamba3_mimo.py``, without the gate
``z``.  Both are in github.com/state-spaces/mamba.  The decay is as first released, ``A =
softplus(W_A u)``.  As there, ``B`` and ``C`` turn by the sum of all angles, and the state
does not turn.
"""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.base import parameters, replace
from sigprop.layers.mamba3 import mamba3
from sigprop.networks import NetworkConfig, build
from tests.seeds import fresh_seeds
from tests.sigprop.layers.helpers import both_ways, run, states_of

TIME = 12
SHAPES = {  # state_size, width, heads, rank
    "two ranks": (4, 6, 3, 2),
    "four ranks, one head": (2, 3, 1, 4),
    "as many ranks as entries": (6, 4, 2, 6),
}
ERRORS = (
    "the axes of ranks and entries are swapped",
    "one bias for all ranks",
    "no D",
    "the ranks are summed before D",
)


def sigmoid(z):
    return 1 / (1 + np.exp(-z))


def softplus(z):
    return np.log1p(np.exp(z))


def turned(vector, angles):
    """Each pair of entries turned by an angle, as ``apply_rotary_emb`` does."""
    first, second = vector[0::2], vector[1::2]
    cos, sin = np.cos(angles), np.sin(angles)
    both = np.stack([first * cos - second * sin, first * sin + second * cos], 1)
    return both.ravel()


def released(p, u, error=""):
    """Outputs of all steps, and the last ``[S, e]`` of every head, turned back."""
    heads, rank, values = p.mimo_x.shape
    n = len(p.scale_B)
    angle = np.zeros((heads, n // 2))
    state = np.zeros((heads, values, n))
    before = np.zeros_like(state)
    outputs = []
    for now in u:
        B, C = p.W_B.reshape(-1, len(now)) @ now, p.W_C.reshape(-1, len(now)) @ now
        if error == ERRORS[0]:
            B = B.reshape(n, rank).T
        B, C = B.reshape(rank, n), C.reshape(rank, n)
        y = []
        for h in range(heads):
            x = p.W_x[h] @ now
            step = softplus(p.W_dt[h] @ now + p.bias[h])
            alpha = np.exp(-step * max(softplus(p.W_A[h] @ now), 1e-4))
            trap = sigmoid(p.W_lam[h] @ now + p.b_lam[h])
            angle[h] = angle[h] + np.tanh(p.W_theta @ now) * step * np.pi
            entering, queries, v = np.zeros((values, n)), [], []
            for r in range(rank):
                of_bias = 0 if error == ERRORS[1] else r
                k = B[r] / np.sqrt(np.mean(B[r] ** 2) + 1e-5) * p.scale_B
                q = C[r] / np.sqrt(np.mean(C[r] ** 2) + 1e-5) * p.scale_C
                k = turned(k + p.b_B[h, of_bias], angle[h])
                queries.append(turned(q + p.b_C[h, r], angle[h]))
                v.append(x * p.mimo_x[h, r])
                entering = entering + np.outer(v[r], k)
            state[h] = alpha * state[h] + (1 - trap) * step * alpha * before[h]
            state[h] = state[h] + trap * step * entering
            before[h] = entering
            out = np.zeros(values)
            for r in range(rank):
                read, skip = state[h] @ queries[r], p.D[h] * v[r]
                if error == ERRORS[2]:
                    skip = 0 * skip
                if error == ERRORS[3]:
                    out = out + p.mimo_o[h, r] * read + skip
                else:
                    out = out + p.mimo_o[h, r] * (read + skip)
            y.append(out)
        outputs.append(np.concatenate(y))
    back = [
        [
            np.concatenate([turned(row, -angle[h]), turned(last, -angle[h])])
            for row, last in zip(state[h], before[h], strict=True)
        ]
        for h in range(heads)
    ]
    return np.array(outputs), np.ravel(back)


def drawn(shape, seed):
    """A layer none of whose parameters has a special value, and inputs."""
    state_size, width, heads, rank = SHAPES[shape]
    layer = mamba3(state_size, width, key=jax.random.key(0), heads=heads, rank=rank)
    rng = np.random.default_rng(seed)
    values = {
        name: jnp.asarray(rng.normal(size=old.shape))
        for name, old in parameters(layer).items()
    }
    return replace(layer, values), rng.normal(size=(TIME, width))


@pytest.mark.parametrize("shape", SHAPES)
def test_the_layer_is_the_released_loop(shape, x64):
    for seed in fresh_seeds(5, shape):
        layer, u = drawn(shape, seed)
        y, state = released(jax.tree.map(np.asarray, layer), u)
        size = {"rtol": 0, "err_msg": str(seed)}
        np.testing.assert_allclose(
            run(layer, u), y, atol=1e-12 * np.abs(y).max(), **size
        )
        last = np.asarray(states_of(layer, u))[-1]
        np.testing.assert_allclose(
            last, state, atol=1e-12 * np.abs(state).max(), **size
        )
        whole, steps = both_ways(layer, u)
        np.testing.assert_allclose(steps, whole, atol=1e-12 * np.abs(y).max(), **size)


@pytest.mark.parametrize("error", ERRORS)
@pytest.mark.parametrize("shape", SHAPES)
def test_errors_are_seen(shape, error, x64):
    layer, u = drawn(shape, 1)
    y, _ = released(jax.tree.map(np.asarray, layer), u, error)
    assert np.abs(np.asarray(run(layer, u)) - y).max() > 1e-3 * np.abs(y).max()


def test_ranks_start_as_released():
    layer = mamba3(4, 6, key=jax.random.key(2), heads=3, rank=5)
    assert layer.mimo_x.shape == layer.mimo_o.shape == (3, 5, 2)
    np.testing.assert_allclose(layer.mimo_x, 1 / 5)
    np.testing.assert_allclose(layer.mimo_o, 1 / 5)
    assert layer.b_B.shape == layer.b_C.shape == (3, 5, 4)
    assert layer.W_B.shape == layer.W_C.shape == (5, 4, 6)
    assert len({float(x) for x in np.ravel(layer.W_B)}) == 5 * 4 * 6
    assert layer.state_size == mamba3(4, 6, key=jax.random.key(2), heads=3).state_size


def test_rank_one_has_no_axis_of_ranks():
    """Two equal ranks are one; as ``mimo_o`` and ``mimo_x`` are 1/2, the skip is halved."""
    one = mamba3(4, 6, key=jax.random.key(3), heads=3)
    assert not {"mimo_x", "mimo_o"} & set(parameters(one))
    assert not {"mimo_x", "mimo_o"} & set(one.groups())
    several = mamba3(4, 6, key=jax.random.key(3), heads=3, rank=2)
    values = {
        name: jnp.stack([value, value], axis=name.startswith("b_"))
        for name, value in parameters(one).items()
        if name in ("W_B", "W_C", "b_B", "b_C")
    }
    shared = {k: v for k, v in parameters(one).items() if k not in values}
    equal = replace(several, {**shared, **values, "D": 2 * one.D})
    u = np.random.default_rng(4).normal(size=(9, 6)).astype(np.float32)
    np.testing.assert_allclose(run(equal, u), run(one, u), rtol=1e-5, atol=1e-6)


def test_a_network_takes_the_rank_as_an_option():
    options = {"heads": 2, "rank": 3}
    sizes = {"inputs": 3, "outputs": 2, "width": 4, "state_size": 4, "depth": 2}
    config = NetworkConfig(**sizes, layer="mamba3", layer_options=options)
    network, _ = build(config, key=jax.random.key(0))
    ranks = [
        leaf.shape
        for path, leaf in jax.tree_util.tree_leaves_with_path(network)
        if "mimo_x" in jax.tree_util.keystr(path)
    ]
    assert ranks == [(2, 3, 2)] * 2
