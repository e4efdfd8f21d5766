"""Layers of others are found by the ends of their names, in any format, or refused plainly."""

import json
import re
import struct

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from safetensors.numpy import save_file

from sigprop.layers.deltanet import gated_deltanet
from sigprop.layers.gru import gru
from sigprop.layers.lru import lru
from sigprop.layers.lstm import lstm
from sigprop.layers.rglru import rglru
from sigprop.layers.rotrnn import rotrnn
from sigprop.layers.s4d import s4d
from sigprop.layers.s5 import s5
from sigprop.layers.selective import selective
from sigprop.networks.files import named_arrays, save
from sigprop.networks.foreign import FAMILIES, find, mapped, of_arrays, open_checkpoint
from sigprop.networks.foreign.family import AXIS, fit

SPELLINGS = {
    f"{family.name} of {spelling.library}": (family, spelling)
    for family in FAMILIES
    for spelling in family.spellings
}
SIZES = dict.fromkeys(("heads", "h"), 2)
SIZES |= {"s": 3, "w": 6, "half": 4, "x": 12, "g": 4, "kd": 25, "b": 60}
LENGTH = 5  # of any other axis


def shape_of(text):
    axes = [AXIS.fullmatch(part) for part in text.split("|")[0].split()]
    return tuple(
        int(axis[1] or 1) * (SIZES.get(axis[2], LENGTH) if axis[2] else 1)
        for axis in axes
    )


def random_arrays(spelling):
    generator = np.random.default_rng(0)
    names = {**spelling.needs, **spelling.may}
    complex_ones = {"lru-pytorch": "BC", "s5-pytorch": ("Lambda", "B", "C")}
    return {
        name: generator.normal(size=shape_of(text)).astype(
            np.complex64
            if name in complex_ones.get(spelling.library, ())
            else np.float32
        )
        for name, text in names.items()
    }


@pytest.mark.parametrize("case", SPELLINGS)
def test_a_family_is_found_under_any_prefix_by_its_names_alone(case):
    family, spelling = SPELLINGS[case]
    arrays = random_arrays(spelling)
    for prefix, separator in (("", "."), ("model.layers.3.mixer.", "."), ("p/q/", "/")):
        named = {prefix + name.replace(".", separator): a for name, a in arrays.items()}
        if spelling.library == "torch":
            named = {f"{name}_l0": a for name, a in named.items()}
        noise = {"embed.weight": np.zeros((7, 3)), "head.bias": np.zeros(3)}
        (layer,) = find(of_arrays({**noise, **named}))
        assert (layer.family.name, layer.spelling.library) == (
            family.name,
            spelling.library,
        )
        assert layer.prefix.startswith(prefix.replace("/", ".").strip("."))
        assert set(layer.tensors) == set(arrays)


@pytest.mark.parametrize("case", SPELLINGS)
def test_the_decay_at_rest_needs_only_the_names_that_decide_it(case):
    _, spelling = SPELLINGS[case]
    arrays = random_arrays(spelling)
    (match,) = find(of_arrays(arrays))
    rest = match.rest()
    assert rest.nu.ndim == 2
    assert rest.nu.dtype == np.float64
    assert np.isfinite(rest.nu).all()
    for name in set(arrays) - set(spelling.slow):
        arrays[name] = np.full_like(arrays[name], np.nan)
    np.testing.assert_array_equal(find(of_arrays(arrays))[0].rest().nu, rest.nu)


LAYERS = {
    "lru": lambda key: lru(4, 3, key=key),
    "s5": lambda key: s5(4, 3, key=key),
    "s4d": lambda key: s4d(4, 3, key=key),
    "rotrnn": lambda key: rotrnn(8, 3, key=key, heads=2),
    "rglru": lambda key: rglru(6, 6, key=key, heads=2),
    "mamba": lambda key: selective(4, 3, key=key, rank=2),
    "gated-deltanet": lambda key: gated_deltanet(3, 4, key=key, heads=2),
    "gru": lambda key: gru(4, 3, key=key, d_out=2, times=(10, 20)),
    "lstm": lambda key: lstm(4, 3, key=key, d_out=2, times=(10, 20)),
}


@pytest.mark.sampled(kind="name")
@pytest.mark.parametrize("seed", [0, 3])
@pytest.mark.parametrize("name", LAYERS)
def test_our_own_layers_come_back_and_rest_as_their_eigenvalues_say(
    name, seed, tmp_path
):
    layer = LAYERS[name](jax.random.key(seed))
    for suffix in ("npz", "safetensors"):
        file = save(tmp_path / f"one.{suffix}", layer, {})
        (match,) = find(open_checkpoint(file))
        assert match.family.name == name
        repeated = match.layer()
        assert jax.tree.structure(repeated) == jax.tree.structure(layer)
        for leaf, other in zip(
            jax.tree.leaves(repeated), jax.tree.leaves(layer), strict=True
        ):
            np.testing.assert_allclose(leaf, other, rtol=1e-6)
    nu = match.rest().nu
    lam = layer.eigenvalues()
    if lam is not None:
        moduli = np.sort(np.abs(lam))[:: 2 if name == "rotrnn" else 1]
    elif hasattr(layer, "gates"):
        moduli = np.sort(layer.gates(jnp.zeros((1, layer.widths[0])))[0][0])
    elif name == "gated-deltanet":
        moduli = np.sort(layer.decays(jnp.zeros((1, layer.widths[0])))[0])
    else:
        moduli = np.sort(jax.nn.sigmoid(layer.b_f))
    np.testing.assert_allclose(np.sort(np.exp(-nu).reshape(-1)), moduli, rtol=1e-5)


def test_rows_and_both_spellings_of_rglru_agree():
    theirs = {
        f"rg_lru.{name}": value
        for name, value in random_arrays(
            SPELLINGS["rglru of recurrentgemma"][1]
        ).items()
    }
    names = dict(
        zip(
            ("a_param", "a_gate.w", "a_gate.b", "input_gate.w", "input_gate.b"),
            (
                *("recurrent_param", "recurrent_gate_weight", "recurrent_gate_bias"),
                *("input_gate_weight", "input_gate_bias"),
            ),
            strict=True,
        )
    )
    hf = {
        f"rg_lru.{names[name.removeprefix('rg_lru.')]}": v for name, v in theirs.items()
    }
    u = jax.random.normal(jax.random.key(0), (9, 6))
    library, two = (find(of_arrays(arrays))[0].layer()(u) for arrays in (theirs, hf))
    np.testing.assert_array_equal(library, two)
    # By hand: x @ W + b of the second head's gate, as both libraries compute it.
    x, w, b = u[:, 3:], theirs["rg_lru.a_gate.w"][1], theirs["rg_lru.a_gate.b"][1]
    layer = find(of_arrays(hf))[0].layer()
    gate = jax.nn.sigmoid(x @ w + b[None])
    expected = np.exp(-8 * jax.nn.softplus(layer.Lambda[None, 3:]) * gate)
    np.testing.assert_allclose(layer.gates(u)[0][:, 3:], expected, rtol=1e-5)


def mamba1(n=3, d=4):
    log = np.log(np.tile(np.arange(1.0, n + 1), (d, 1))).astype(np.float32)
    return {"mixer.A_log": log, "mixer.dt_proj.bias": np.zeros(d, np.float32)}


@pytest.mark.parametrize("kind", ["bfloat16", "float16", "float32", "float64"])
def test_any_width_of_float_is_read_and_half_the_file_is_not(kind, tmp_path):
    arrays = {name: array.astype(kind) for name, array in mamba1().items()}
    file = tmp_path / "model.safetensors"
    save_file({**arrays, "embed": np.zeros((50, 40), np.float32)}, file)
    (match,) = find(open_checkpoint(tmp_path))
    np.testing.assert_allclose(
        match.rest().nu, np.log(2) * np.tile([1, 2, 3], (4, 1)), rtol=0.02
    )
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="need a whole safetensors file"):
        open_checkpoint(file)


def test_a_huge_declared_shape_is_refused_before_memory_is_taken(tmp_path):
    file = tmp_path / "big.safetensors"
    header = {
        "A_log": {"dtype": "F32", "shape": [1 << 40], "data_offsets": [0, 1 << 42]}
    }
    text = json.dumps(header).encode()
    file.write_bytes(struct.pack("<Q", len(text)) + text + b"1234")
    with pytest.raises(ValueError, match="need a whole safetensors file"):
        open_checkpoint(file)
    file.write_bytes(struct.pack("<Q", 1 << 60) + text)
    with pytest.raises(ValueError, match="need a whole safetensors file"):
        open_checkpoint(file)
    archive = tmp_path / "big.npz"
    np.savez(archive, nu_log=np.zeros(4), theta_log=np.zeros(4))
    content = archive.read_bytes()
    huge = content.replace(b"'shape': (4,), ", b"'shape': (9<1,)", 1)
    archive.write_bytes(huge.replace(b"9<1", b"9" * 3))
    with pytest.raises(ValueError, match=r"nu_log|npz"):
        find(open_checkpoint(archive))[0].rest()


def test_names_that_fit_two_families_need_the_config(tmp_path):
    heads = {"mixer.A_log": np.zeros(4, np.float32), "mixer.dt_bias": np.zeros(4, "f4")}
    file = tmp_path / "model.safetensors"
    save_file(heads, file)
    message = r"A_log of shape \(4,\).* fits Mamba-2 and gated DeltaNet.*no config.json"
    with pytest.raises(ValueError, match=message):
        find(open_checkpoint(file))
    for model, name in (("mamba2", "mamba2"), ("gated_deltanet", "gated-deltanet")):
        (tmp_path / "config.json").write_text(json.dumps({"model_type": model}))
        assert find(open_checkpoint(file))[0].family.name == name
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    with pytest.raises(ValueError, match="model_type 'llama'"):
        find(open_checkpoint(file))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (
            {"nu_log": (4, 2)},
            r"need nu_log of shape \(n\) in the LRU .*got q.nu_log of ",
        ),
        (
            {"B_re": (4, 3, 2)},
            r"B_re of shape \(n, d_in\).*q.B_re of shape \(4, 3, 2\)",
        ),
    ],
)
def test_complex_numbers_as_pairs_name_tensor_shape_and_family(changes, message):
    arrays = named_arrays(lru(4, 3, key=jax.random.key(0)))
    arrays |= {name: np.zeros(shape) for name, shape in changes.items()}
    with pytest.raises(ValueError, match=message):
        find(of_arrays({f"q.{name}": array for name, array in arrays.items()}))


def test_float8_names_tensor_shape_and_family(tmp_path):
    arrays = mamba1()
    arrays["mixer.A_log"] = arrays["mixer.A_log"].astype(ml_dtypes.float8_e4m3fn)
    (match,) = find(of_arrays(arrays))
    message = r"got mixer.A_log of shape \(4, 3\) of Mamba-1 in float8_e4m3fn"
    with pytest.raises(ValueError, match=message):
        match.rest()


@pytest.mark.parametrize("name", ["model.pt", "pytorch_model.bin", "x.pkl", "a.weird"])
def test_a_pickle_is_refused_with_the_command_that_converts_it(name, tmp_path):
    import pickle

    file = tmp_path / name
    file.write_bytes(pickle.dumps({"nu_log": [1.0]}))
    with pytest.raises(
        ValueError, match=r"may be a pickle; convert it .*weights_only=True"
    ):
        open_checkpoint(file)


def test_an_archive_of_objects_and_other_rubbish_is_refused(tmp_path):
    np.savez(tmp_path / "o.npz", nu_log=np.array([{}, 1], object))
    with pytest.raises(ValueError, match=r"nu_log: an array of shape .* holds objects"):
        open_checkpoint(tmp_path / "o.npz")
    (tmp_path / "o.npz").write_bytes(b"no archive")
    with pytest.raises(ValueError, match="need a whole npz file"):
        open_checkpoint(tmp_path / "o.npz")
    (tmp_path / "m.msgpack").write_bytes(b"\xc1\xc1")
    with pytest.raises(ValueError, match="need a whole msgpack file"):
        open_checkpoint(tmp_path / "m.msgpack")
    (tmp_path / "t.txt").write_text("hello")
    with pytest.raises(ValueError, match=r"need a file that ends in \.safetensors"):
        open_checkpoint(tmp_path / "t.txt")
    with pytest.raises(FileNotFoundError):
        open_checkpoint(tmp_path / "absent.npz")


def test_shards_are_read_by_their_index(tmp_path):
    (a, b) = mamba1().items()
    save_file(dict([a]), tmp_path / "model-1.safetensors")
    save_file(dict([b]), tmp_path / "model-2.safetensors")
    with pytest.raises(ValueError, match="need one checkpoint"):
        open_checkpoint(tmp_path)
    index = tmp_path / "model.safetensors.index.json"
    parts = {a[0]: "model-1.safetensors", b[0]: "model-2.safetensors"}
    index.write_text(json.dumps({"weight_map": parts}))
    assert [match.family.name for match in find(open_checkpoint(tmp_path))] == ["mamba"]
    index.write_text(json.dumps({"weight_map": {a[0]: "../model-1.safetensors"}}))
    with pytest.raises(ValueError, match="need shards in the folder"):
        open_checkpoint(tmp_path)


@pytest.mark.parametrize("suffix", ["toml", "json"])
def test_a_mapping_says_what_the_names_do_not(suffix, tmp_path):
    values = named_arrays(lru(4, 3, key=jax.random.key(4)))
    file = tmp_path / "odd.npz"
    np.savez(file, **{f"enc.0.{name[::-1]}": array for name, array in values.items()})
    checkpoint = open_checkpoint(file)
    assert find(checkpoint) == []
    names = {name: f"enc.0.{name[::-1]}" for name in values}
    lines = "\n".join(f'{name} = "{theirs}"' for name, theirs in names.items())
    text = {
        "toml": f'[[layer]]\nfamily = "lru"\n[layer.names]\n{lines}\n',
        "json": json.dumps({"layer": [{"family": "lru", "names": names}]}),
    }[suffix]
    mapping = tmp_path / f"map.{suffix}"
    mapping.write_text(text)
    (match,) = mapped(checkpoint, mapping)
    u = jax.random.normal(jax.random.key(0), (9, 3))
    expected = lru(4, 3, key=jax.random.key(4))(u)
    assert match.prefix == "enc.0"
    np.testing.assert_allclose(match.layer()(u), expected, rtol=1e-5, atol=1e-6)
    for old, new, message in (
        ('"lru"', '"lrv"', "need a family of lru, s5"),
        ("gol_un", "gol_vn", "need names of .*, got 'enc.0.gol_vn'"),
        ("layer", "layers", "need layer in .*, got 'layers'"),
        ("nu_log", "mu_log", "need the names of one spelling of the LRU"),
    ):
        mapping.write_text(text.replace(old, new))
        with pytest.raises(ValueError, match=message):
            mapped(checkpoint, mapping)


def test_half_of_the_pairs_of_s5_is_known_by_signs_or_asked_for():
    layer = s5(4, 3, key=jax.random.key(0))
    arrays = named_arrays(layer)
    assert find(of_arrays(arrays))[0].layer().conjugate
    full = {**arrays, "im": np.array([1.0, -1.0, 2.0, -2.0], np.float32)}
    assert not find(of_arrays(full))[0].layer().conjugate
    odd = {**arrays, "im": np.array([1.0, -1.0, 2.0, -3.0], np.float32)}
    with pytest.raises(ValueError, match="Lambda_im of shape"):
        find(of_arrays(odd))[0].layer()


def test_shapes_bind_axes_and_multiples():
    assert fit({"w": (6, 2)}, {"w": "3n n"}) == ({"n": 2}, None)
    assert fit({"w": (6, 3)}, {"w": "3n n"})[1] == "w"
    assert fit({"w": (5, 2)}, {"w": "2n d"})[1] == "w"
    assert fit({"w": (5, 1)}, {"w": "n | n 1"}) == ({"n": 5}, None)


def test_the_first_words_of_a_message_tell_what_to_do():
    with pytest.raises(ValueError, match=re.escape("need a family of lru, s5")):
        find(of_arrays({"time_decay": np.zeros(3), "time_first": np.zeros(3)}))[
            0
        ].layer()
