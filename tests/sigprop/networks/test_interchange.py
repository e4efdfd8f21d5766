"""Files of layers and networks: what comes back, what is refused, what survives."""

import json
import math
import re
import textwrap
import zipfile

import equinox as eqx
import hypothesis.extra.numpy as npst
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import safetensors.numpy
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from jax.core import Tracer

from sigprop.layers.lru import LRU, lru, lru_from_arrays
from sigprop.networks import files as interchange
from sigprop.networks.files import fill, load, named_arrays, read, save
from tests.test_laws import LAYERS, NAMES, random_layer
from tests.test_laws import run as run_layer

SUFFIXES = (".safetensors", ".npz")
suffixes = pytest.mark.parametrize("suffix", SUFFIXES)
SIZES = {"state_size": 4, "width": 3}


def small(seed=0):
    return build_lru(SIZES, seed)


def build_lru(config, seed=9):
    return lru(**config, key=jax.random.key(seed))


def same_bits(first, other):
    assert first.keys() == other.keys()
    for name in first:
        assert first[name].dtype == other[name].dtype
        assert first[name].shape == other[name].shape
        assert first[name].tobytes() == other[name].tobytes()


class Block(eqx.Module):
    norm: eqx.nn.BatchNorm
    layer: LRU
    dropout: eqx.nn.Dropout

    def __call__(self, u, state):
        over_time = jax.vmap(self.norm, (0, None), (0, None), axis_name="time")
        u, state = over_time(u, state)
        return self.dropout(self.layer(u), inference=True), state


class Network(eqx.Module):
    """A network with running statistics in both of its modes of keeping them."""

    blocks: list[Block]
    readout: eqx.nn.Linear

    def __init__(self, key, width, state_size):
        first, second, last = jax.random.split(key, 3)
        axes, drop = ("batch", "time"), eqx.nn.Dropout(0.3)
        norms = (
            eqx.nn.BatchNorm(width, axes, mode="batch"),
            eqx.nn.BatchNorm(width, axes, mode="ema"),
        )
        layers = (
            lru(state_size, width, key=layer_key) for layer_key in (first, second)
        )
        self.blocks = [Block(*pair, drop) for pair in zip(norms, layers, strict=True)]
        self.readout = eqx.nn.Linear(width, 2, key=last)

    def __call__(self, u, state):
        for block in self.blocks:
            u, state = block(u, state)
        return jax.vmap(self.readout)(u), state


def build_network(config, seed=7):
    return eqx.nn.make_with_state(Network)(jax.random.key(seed), **config)


def run(network, state, batch):
    over_batch = jax.vmap(network, (0, None), (0, None), axis_name="batch")
    return over_batch(batch, state)


@pytest.fixture(scope="module")
def batch():
    return 2 + 3 * jax.random.normal(jax.random.key(1), (5, 6, 3))


@pytest.fixture(scope="module")
def trained(batch):
    network, state = build_network(SIZES, seed=0)
    for _ in range(3):
        _, state = run(network, state, batch)
    return network, state


@pytest.mark.parametrize("case", NAMES)
@pytest.mark.sampled(4, keep=["lru", "rotrnn", "lstm", "deep"])
def test_every_layer_comes_back_bit_for_bit(case, tmp_path):
    layer = random_layer(case)
    u = jax.random.normal(jax.random.key(4), (7, layer.widths[0]))
    y = np.asarray(run_layer(layer, u))
    for suffix in SUFFIXES:
        path = save(tmp_path / f"layer{suffix}", layer, {"case": case})
        back = load(
            path, lambda config: random_layer(config["case"], jax.random.key(5))
        )
        assert jax.tree.structure(back) == jax.tree.structure(layer)
        same_bits(named_arrays(back), named_arrays(layer))
        assert np.asarray(run_layer(back, u)).tobytes() == y.tobytes()


@suffixes
def test_a_layer_in_double_precision_comes_back_bit_for_bit(suffix, tmp_path, x64):
    back = load(save(tmp_path / f"layer{suffix}", small(), SIZES), build_lru)
    assert back.nu_log.dtype == jnp.float64
    same_bits(named_arrays(back), named_arrays(small()))


@suffixes
@pytest.mark.sampled(1)
def test_a_network_comes_back_with_its_running_statistics(
    suffix, tmp_path, trained, batch
):
    path = save(tmp_path / f"network{suffix}", trained, SIZES)
    network, state = load(path, build_network)
    same_bits(named_arrays((network, state)), named_arrays(trained))
    for inference in (False, True):
        (y, after), (y_back, after_back) = (
            run(eqx.nn.inference_mode(pair[0], inference), pair[1], batch)
            for pair in (trained, (network, state))
        )
        np.testing.assert_array_equal(y_back, y)
        same = eqx.tree_equal(after_back, after)
        assert bool(same)
    fresh = build_network(SIZES, seed=0)[1]
    y_fresh, _ = run(eqx.nn.inference_mode(network), fresh, batch)
    assert float(jnp.max(jnp.abs(y_fresh - y))) > 0.1
    assert network.blocks[0].dropout.p == 0.3


def test_names_are_paths_of_fields(trained):
    names = list(named_arrays(trained))
    assert names[:2] == ["blocks.0.norm.weight", "blocks.0.norm.bias"]
    assert {"blocks.1.layer.nu_log", "readout.weight"} <= set(names)
    statistics = [name for name in names if "index" in name or "counter" in name]
    assert statistics == [
        "blocks.0.norm.batch_counter",
        "blocks.0.norm.batch_state_index.0",
        "blocks.0.norm.batch_state_index.1",
        "blocks.1.norm.ema_first_time_index",
        "blocks.1.norm.ema_state_index.0",
        "blocks.1.norm.ema_state_index.1",
    ]
    assert list(named_arrays(small()))[:5] == ["B_re", "B_im", "C_re", "C_im", "D"]


def test_a_statistic_has_the_name_of_its_own_index(trained):
    network, state = trained
    arrays = named_arrays(trained)
    for i, kind in enumerate(("batch_state_index", "ema_state_index")):
        statistic = state.get(getattr(network.blocks[i].norm, kind))
        for part, value in enumerate(statistic):
            name = f"blocks.{i}.norm.{kind}.{part}"
            np.testing.assert_array_equal(arrays[name], value)
    mean = arrays["blocks.0.norm.batch_state_index.0"]
    assert mean.min() > 0.03  # not the initial zeros


def test_the_state_of_another_network_is_refused(trained):
    model_and_state = eqx.nn.make_with_state(eqx.nn.BatchNorm)(3, "batch", mode="batch")
    with pytest.raises(ValueError, match="need the state that was made with"):
        named_arrays((trained[0], model_and_state[1]))
    with pytest.raises(ValueError, match="need the state that was made with"):
        named_arrays((model_and_state[0], trained[1]))


def test_nothing_is_drawn_on_loading_where_the_builder_can_be_traced(tmp_path):
    traced = []

    def build(config):
        layer = LAYERS[config["case"]](jax.random.key(5))
        traced.append(isinstance(layer.D, Tracer))
        return layer

    for case in ("blur", "s5"):  # S5's builder finds eigenvectors on the host
        layer = random_layer(case)
        load(save(tmp_path / "layer.npz", layer, {"case": case}), build)
    assert traced[0]
    assert not traced[-1]


NUMBERS = {
    "bool": np.array([True, False]),
    "int8": np.array([-128, 127], "int8"),
    "uint64": np.array([2**64 - 1], "uint64"),
    "float16": np.array([1e-7, 65504], "float16"),
    "bfloat16": np.array([[1e38, -0.0, 3.14]], jnp.bfloat16),
    "float32": np.array([[1e-45], [3e38]], "float32"),
    "float64": np.array(math.pi),
    "complex64": np.array([[1 - 2j], [-0.0 + 3j]], "complex64"),
    "complex128": np.array(math.pi - 1j * math.e),
    "nothing": np.zeros((2, 0), "complex64"),
    "transposed": np.arange(6.0).reshape(2, 3).T,
    "big-endian": np.array([1.5, -2.5], ">f8"),
    "file": np.array([1.0]),
    "one.npy": np.array([2.0]),
    "one": np.array([3.0]),
}


@suffixes
def test_every_type_of_number_comes_back_bit_for_bit(suffix, tmp_path):
    path = save(tmp_path / f"numbers{suffix}", NUMBERS, {})
    arrays, config = read(path)
    assert config == {}
    same_bits(arrays, named_arrays(NUMBERS))
    np.testing.assert_array_equal(arrays["big-endian"], [1.5, -2.5])
    np.testing.assert_array_equal(arrays["transposed"], NUMBERS["transposed"])
    same_bits(named_arrays(fill(NUMBERS, arrays)), arrays)


def numbers():
    types = st.sampled_from(("float32", "float64", "complex64", "int32", "bool"))
    shapes = npst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=3)
    finite = {"allow_nan": False, "allow_infinity": False}
    return types.flatmap(lambda type: npst.arrays(type, shapes, elements=finite))


class Pair(eqx.Module):
    first: object
    second: object


def trees():
    keys = st.text(st.sampled_from("ab.0/_é "), max_size=3)
    return st.recursive(
        numbers() | st.none() | st.floats() | st.text(),
        lambda inner: (
            st.lists(inner, max_size=3)
            | st.dictionaries(keys, inner, max_size=3)
            | st.builds(Pair, inner, inner)
        ),
        max_leaves=8,
    )


@given(tree=trees())
@settings(max_examples=150)
def test_any_tree_comes_back_or_is_refused(tree, tmp_path_factory):
    arrays = [leaf for leaf in jax.tree.leaves(tree) if isinstance(leaf, np.ndarray)]
    try:
        named = named_arrays(tree)
    except ValueError as error:
        message = str(error)
        assume(not re.match("need one name an array|need a printable name", message))
        raise
    assert len(named) == len(arrays)
    zeros = jax.tree.map(
        lambda leaf: np.zeros_like(leaf) if isinstance(leaf, np.ndarray) else leaf, tree
    )
    folder = tmp_path_factory.mktemp("trees")
    for suffix in SUFFIXES:
        back = fill(zeros, read(save(folder / f"tree{suffix}", tree, {}))[0])
        assert jax.tree.structure(back) == jax.tree.structure(tree)
        same_bits(named_arrays(back), named)
        for array, value in zip(arrays, named.values(), strict=True):
            np.testing.assert_array_equal(value, array)


@suffixes
def test_equal_arrays_make_equal_files(suffix, tmp_path):
    first, other = (save(tmp_path / f"{i}{suffix}", small(), SIZES) for i in range(2))
    assert first.read_bytes() == other.read_bytes()
    if suffix == ".npz":
        with zipfile.ZipFile(first) as archive:
            assert {member.date_time[0] for member in archive.infolist()} == {1980}


def test_an_npz_is_plain_to_numpy(tmp_path):
    layer = small()
    path = save(tmp_path / "layer.npz", layer, SIZES)
    with np.load(path, allow_pickle=False) as stored:
        np.testing.assert_array_equal(stored["nu_log"], layer.nu_log)
        header = json.loads(str(stored["__sigprop__"]))
    assert header["architecture"] == "LRU"
    assert header["config"] == SIZES


def test_a_safetensors_file_is_plain_to_its_library(tmp_path):
    layer = small()
    path = save(tmp_path / "layer.safetensors", layer, SIZES)
    stored = safetensors.numpy.load_file(path)
    same_bits(stored, named_arrays(layer))


def write_plain(path, arrays):
    if path.suffix == ".npz":
        np.savez_compressed(path, **arrays)
    else:
        safetensors.numpy.save_file(arrays, path)
    return path


@suffixes
def test_the_examples_of_the_module_run(suffix, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    layer = lru(16, 5, key=jax.random.key(1))
    write_plain(tmp_path / f"theirs{suffix}", named_arrays(layer))
    examples = re.findall(r"::\n\n((?:    .*\n)+)", f"{interchange.__doc__}\n")
    assert len(examples) == 2
    for example in examples:
        names = vars(interchange) | globals() | {"layer": layer}
        exec(textwrap.dedent(example).replace(".npz", suffix), names)
        same_bits(named_arrays(names["layer"]), named_arrays(layer))


@suffixes
def test_arrays_from_elsewhere_fill_a_skeleton_but_build_nothing(suffix, tmp_path):
    path = write_plain(tmp_path / f"theirs{suffix}", named_arrays(small()))
    arrays, config = read(path)
    assert config is None
    assert isinstance(lru_from_arrays(arrays), LRU)
    same_bits(named_arrays(fill(small(1), arrays)), named_arrays(small()))
    with pytest.raises(ValueError, match="need a file that `save` wrote, got arrays"):
        load(path, build_lru)


@suffixes
def test_a_configuration_comes_back_as_json_has_it(suffix, tmp_path):
    config = {"é": [1, 2.5, None, True], "nested": {"10": "a", "9": "\ud800"}}
    original = {"é": (1, 2.5, None, True), "nested": {10: "a", 9: "\ud800"}}
    assert read(save(tmp_path / f"a{suffix}", {}, original)) == ({}, config)


def test_filled_arrays_are_copies():
    arrays = {"kept": np.arange(3.0)}
    filled = fill({"kept": np.zeros(3)}, arrays)
    arrays["kept"][:] = 5
    np.testing.assert_array_equal(filled["kept"], [0, 1, 2])
    assert isinstance(filled["kept"], np.ndarray)


def test_folders_are_made_and_a_path_may_be_text(tmp_path):
    path = save(str(tmp_path / "new" / "folder" / "a.npz"), small(), SIZES)
    assert isinstance(load(str(path), build_lru), LRU)
