"""What the two tables count, and that neither can be filled with wrong numbers."""

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import xarray as xr

from sigprop.experiments import speed_layers, store
from sigprop.experiments.speed_layers import LAYERS, SMOKE
from sigprop.layers.base import stepwise
from sigprop.layers.dense import nonlinear_rnn
from sigprop.layers.lru import GAMMAS, lru
from sigprop.layers.lru_reference import plain_scan

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("compiled_anew")]
KEY = jax.random.key(0)
N, WIDTH, LENGTH = SMOKE.states, SMOKE.width, SMOKE.layer_length
STATES = {
    "LRU": 2 * N,
    "complex diagonal": 2 * N,
    "S4": 2 * N,
    "S4D": 2 * N,
    "S5": 2 * N,
    "RotRNN": N,
    "RotRNN, 2N": 2 * N,
    "BLUR": 4 * N,
    "dense linear RNN": N,
    "tanh RNN": N,
    "GRU": N,
    "LSTM": 2 * N,
    "causal attention": 2 * WIDTH * LENGTH,
}


@pytest.fixture(scope="module")
def few(compiled_anew):
    """Two cheap layers, and one repeat fewer at the longer length."""
    cheap = {name: LAYERS[name] for name in ("LRU", "tanh RNN")}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(speed_layers, "LAYERS", cheap)
        patch.setattr(speed_layers, "LONG", SMOKE.lengths[0])
        patch.setattr(speed_layers, "FEWEST", 1)
        return speed_layers.run(SMOKE)


@pytest.mark.parametrize("name", LAYERS)
def test_layers_have_the_states_that_their_sizes_promise(name):
    def look(key):
        layer = LAYERS[name](key, SMOKE)
        assert speed_layers.state_numbers(layer) == STATES[name]
        assert layer.widths == (WIDTH, WIDTH)

    # Traced, no number is drawn; the eigenvectors of two layers are NumPy's.
    by_numpy = name in ("S5", "dense linear RNN")
    look(KEY) if by_numpy else jax.eval_shape(look, KEY)


@pytest.mark.usefixtures("x64")
@pytest.mark.parametrize("gamma", GAMMAS)
def test_the_other_ways_are_the_layer(gamma):
    layer = lru(N, WIDTH, key=jax.random.key(0), r_min=0.5, r_max=0.99, gamma=gamma)
    u = jax.random.normal(jax.random.key(1), (LENGTH, WIDTH))
    usual, scan, right = jax.jit(
        lambda u: (speed_layers.published(layer, u), plain_scan(layer, u), layer(u))
    )(u)
    np.testing.assert_allclose(usual, right, atol=1e-12)
    np.testing.assert_allclose(scan, right, atol=1e-12)
    assert float(jnp.abs(right).max()) > 1


def test_programs_return_loss_and_slopes_of_parameters_and_inputs():
    layer = nonlinear_rnn(N, WIDTH, key=jax.random.key(0))
    u, weights = speed_layers.signals(SMOKE, LENGTH)
    program, seconds, memory = speed_layers.compiled(
        speed_layers.engine, layer, u, weights
    )
    loss, (gradients, backwards) = program()
    y = jax.vmap(lambda sequence: stepwise(layer, sequence))(u)
    np.testing.assert_allclose(loss, jnp.mean(y * weights[None]), rtol=1e-4)
    # y = C h + D u is linear in C and D: their slopes give back what they add to it.
    read = jnp.sum(gradients.C * layer.C) + jnp.sum(gradients.D * layer.D)
    np.testing.assert_allclose(read, loss, rtol=1e-4)
    assert backwards.shape == u.shape
    assert float(jnp.abs(backwards).max()) > 0
    assert seconds > 0
    assert memory > 0


def test_repeats_left_out_are_nan_and_the_tables_do_without(few, capsys):
    left_out = few["seconds"].isnull()
    assert left_out.sel(length=33).values.tolist() == [[False, True]] * 3
    assert not left_out.sel(length=16).any()
    speed_layers.show(
        few.assign_attrs(config=store.canonical(SMOKE), device="cpu: cpu")
    )
    printed = capsys.readouterr().out
    assert "33" in printed
    assert "tanh RNN" in printed
    assert "nan" not in printed


def test_a_way_that_needs_too_much_memory_is_left_out_visibly(few, capsys):
    cap = int(few["memory"].sel(way="usual", length=33)) - 1
    config = dataclasses.replace(SMOKE, memory=cap)
    lengths = speed_layers.over_lengths(config)
    left_out = lengths["seconds"].isnull().all("repeat")
    assert left_out.sel(way="usual").values.tolist() == [False, True]
    assert not left_out.sel(way=["engine", "scan"]).any()
    assert not np.isnan(lengths["compile_seconds"]).any()
    dataset = lengths.assign(few[[name for name in few if "layer" in name]].data_vars)
    speed_layers.show(dataset.assign_attrs(config=store.canonical(config), cores=1))
    rows = map(str.split, capsys.readouterr().out.splitlines())
    (cells,) = (cells for cells in rows if cells[:1] == ["33"])
    assert [cell == "-" for cell in cells] == [name == 2 for name in range(10)]


def test_layers_are_named_in_the_order_of_their_numbers(few):
    assert few["layer"].values.tolist() == ["LRU", "tanh RNN"]
    assert few["layer_state"].values.tolist() == [2 * N, N]
    assert few["layer_parameters"].values.tolist() == [
        3 * N + 4 * N * WIDTH + WIDTH,
        N**2 + 2 * N * WIDTH + WIDTH**2,
    ]
    assert (few["memory"].sel(way="usual") > 2 * few["memory"].sel(way="engine")).all()


def test_ratios_are_taken_repeat_by_repeat():
    load = np.array([1.0, 5.0, 100.0, 2.0, 1.0])  # meets both, and so cancels
    pair = np.stack([load, 3 * load])
    pair[:, -1] = np.nan
    dataset = xr.Dataset(
        {
            "seconds": (("way", "length", "repeat"), pair[:, None]),
            "compile_seconds": (("way", "length", "compile"), pair[:, None, :1]),
            "memory": (("way", "length"), [[10.0], [40.0]]),
            "layer_seconds": (("layer", "repeat"), np.stack([load, load / 2])),
        },
        {"way": ["engine", "usual"], "layer": ["LRU", "other"], "length": [7]},
    )
    gains = speed_layers.ratios(dataset)
    ratios = [gains[name].item() for name in ("seconds", "compile_seconds", "memory")]
    assert ratios == [3, 3, 4]
    assert speed_layers.in_lrus(dataset).values.tolist() == [1, 0.5]


def test_a_compilation_cache_is_refused(tmp_path):
    before = jax.config.jax_compilation_cache_dir  # type: ignore[attr-defined]
    jax.config.update("jax_compilation_cache_dir", str(tmp_path))
    try:
        with pytest.raises(
            ValueError, match=r"got a compilation cache in .*; unset JAX"
        ):
            speed_layers.run(SMOKE)
    finally:
        jax.config.update("jax_compilation_cache_dir", before)


def test_full_lengths_reach_65536_and_quick_ones_8192():
    presets = {8192: speed_layers.QUICK, 65_536: speed_layers.PAPER}
    for longest, config in presets.items():
        assert config.lengths[0] == 256
        assert config.lengths[-1] == longest
        sizes = dataclasses.asdict(config)
        assert [sizes[k] for k in ("states", "width", "batch")] == [256, 128, 4]
        assert config.layer_length == 2048
