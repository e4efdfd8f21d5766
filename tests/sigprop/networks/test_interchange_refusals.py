"""Files that must be refused, and writes that must not harm the file before them."""

import contextlib
import io
import math
import os
import pickle
import re
import zipfile

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import pytest
import safetensors.numpy

from sigprop.layers.dense import linear_rnn
from sigprop.networks import files as interchange
from sigprop.networks.files import fill, load, named_arrays, read, save
from sigprop.numerics.precision import double_precision
from tests.sigprop.networks.test_interchange import (
    SIZES,
    SUFFIXES,
    build_lru,
    build_network,
    same_bits,
    small,
    suffixes,
)


@suffixes
@pytest.mark.parametrize("fault", ["fsync", "replace", "write"])
def test_a_failed_write_leaves_the_old_file(fault, suffix, tmp_path, monkeypatch):
    path = save(tmp_path / f"layer{suffix}", small(0), SIZES)
    before = path.read_bytes()

    def fail(*_):
        raise KeyboardInterrupt

    class Full(io.FileIO):
        def write(self, data):
            super().write(bytes(data)[:100])
            raise OSError("no space left on device")

    opened = type(path).open

    def full(self, mode="r", *rest, **more):
        written = "w" in mode
        return Full(self, mode) if written else opened(self, mode, *rest, **more)

    with monkeypatch.context() as patched:
        if fault == "write":
            patched.setattr(type(path), "open", full)
        else:
            patched.setattr(os, fault, fail)
        with pytest.raises((OSError, KeyboardInterrupt)):
            save(path, small(1), SIZES)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
    save(path, small(1), SIZES)
    assert path.read_bytes() != before
    assert list(tmp_path.iterdir()) == [path]


@suffixes
def test_no_damage_goes_unseen(suffix, tmp_path):
    """Cut short anywhere, or one byte changed: refused, unless nothing has changed."""
    config = SIZES | {"r_min": 0.1234567890123456}
    path = save(tmp_path / f"layer{suffix}", small(), config)
    content, good = path.read_bytes(), named_arrays(small())
    for length in range(0, len(content), 37):
        path.write_bytes(content[:length])
        with pytest.raises(ValueError, match="need a whole"):
            load(path, build_lru)
    configs, unseen = [], []

    def build(config):
        configs.append(config)
        return build_lru(config)

    for offset in range(0, len(content), 5):
        changed = bytearray(content)
        changed[offset] ^= 1 << offset % 8
        path.write_bytes(changed)
        with contextlib.suppress(ValueError):
            unseen.append(load(path, build))
    assert len(unseen) < 0.5 * len(range(0, len(content), 5))
    assert all(read_config == config for read_config in configs)
    for layer in unseen:
        same_bits(named_arrays(layer), good)


def test_an_array_of_another_shape_does_not_fit_the_checksum(tmp_path):
    path = save(tmp_path / "layer.safetensors", small(), SIZES)
    changed = path.read_bytes().replace(b'"shape":[4,3]', b'"shape":[3,4]')
    assert changed != path.read_bytes()
    path.write_bytes(changed)
    with pytest.raises(ValueError, match="its checksum does not fit"):
        read(path)


def test_no_pickle_is_read_or_written(tmp_path):
    class Bomb:
        def __reduce__(self):
            return (os.mkdir, (str(tmp_path / "bang"),))

    path = tmp_path / "bomb.npz"
    np.savez(path, nu_log=np.array([Bomb()], object))
    with pytest.raises(ValueError, match=r"need a whole \.npz file of numbers, got"):
        read(path)
    path.write_bytes(pickle.dumps(Bomb()))
    with pytest.raises(ValueError, match=r"need a whole \.npz file of numbers, got"):
        read(path)
    assert not (tmp_path / "bang").exists()
    with pytest.raises(ValueError, match="need numbers in a, got object"):
        save(path, {"a": np.array([Bomb()], object)}, {})


def altered(**arrays):
    """An LRU with other arrays than an LRU of its sizes has."""
    names = list(arrays)
    return eqx.tree_at(
        lambda layer: [getattr(layer, name) for name in names],
        small(),
        [arrays[name] for name in names],
        is_leaf=lambda leaf: leaf is None,
    )


MISFITS = {
    "missing": (
        altered(C_im=None, D=None),
        "need the 8 arrays of the architecture, got 6: missing ['C_im', 'D']; unknown []",
    ),
    "unknown": (
        altered(D={"left": np.ones(3), "right": np.ones(3)}),
        "got 9: missing ['D']; unknown ['D.left', 'D.right']",
    ),
    "shape": (altered(B_re=np.ones((3, 4))), "need B_re of shape (4, 3), got (3, 4)"),
    "complex": (altered(D=np.ones(3) * 1j), "need float32 in D, got complex128"),
    "integer": (altered(D=np.arange(3, dtype="int8")), "need float32 in D, got int8"),
    "wide": (altered(D=np.ones(3)), "need float32 in D, got float64, which would lose"),
}


@suffixes
@pytest.mark.parametrize("misfit", MISFITS)
def test_arrays_that_do_not_fit_are_refused(misfit, suffix, tmp_path):
    tree, message = MISFITS[misfit]
    path = save(tmp_path / f"layer{suffix}", tree, SIZES)
    with pytest.raises(ValueError, match=re.escape(message)) as error:
        load(path, build_lru)
    assert str(path) in str(error.value)


def test_many_names_are_not_all_listed():
    with pytest.raises(ValueError, match=r"'a07'\] and 92 more; unknown \[\]"):
        fill({f"a{i:02}": np.zeros(1) for i in range(100)}, {})


@suffixes
@pytest.mark.parametrize("value", [np.nan, np.inf, complex(0, np.nan)])
def test_only_finite_numbers_are_written_and_read(value, suffix, tmp_path, monkeypatch):
    path = tmp_path / f"array{suffix}"
    tree = {"inner": [np.array([1.0, value])]}
    with pytest.raises(
        ValueError, match=r"need finite inner\.0, got a NaN or infinity"
    ):
        save(path, tree, {})
    assert not path.exists()
    with monkeypatch.context() as patched:
        patched.setattr(interchange, "_require_finite", lambda *_: None)
        save(path, tree, {})
    with pytest.raises(
        ValueError, match=r"need finite inner\.0, got a NaN or infinity"
    ):
        fill(jax.tree.map(np.zeros_like, tree), read(path)[0])


@suffixes
def test_precision_widens_but_never_narrows(suffix, tmp_path):
    single = save(tmp_path / f"single{suffix}", small(), SIZES)
    with double_precision(True):
        widened = load(single, build_lru)
        assert widened.nu_log.dtype == jnp.float64
        double = save(tmp_path / f"double{suffix}", small(), SIZES)
    np.testing.assert_array_equal(np.asarray(widened.nu_log), small().nu_log)
    with pytest.raises(ValueError, match=r"got float64, .* sigprop.double_precision"):
        load(double, build_lru)
    arrays = {name: array.astype("float32") for name, array in read(double)[0].items()}
    assert fill(small(), arrays).nu_log.dtype == jnp.float32
    with pytest.raises(ValueError, match=r"need uint8 in a, got int8$"):
        fill({"a": np.zeros(1, "uint8")}, {"a": np.zeros(1, "int8")})


@suffixes
def test_another_architecture_is_refused(suffix, tmp_path):
    path = save(tmp_path / f"network{suffix}", build_network(SIZES), SIZES)
    with pytest.raises(ValueError, match=r"need LRU, got Network in .*network"):
        load(path, build_lru)
    path = save(tmp_path / f"dense{suffix}", small(), SIZES | {"n": 4})
    with pytest.raises(ValueError, match=r"got that of LRU in .*'n': 4.*argument 'n'"):
        load(path, build_lru)

    def build(config):
        return linear_rnn(config["size"], 1, key=jax.random.key(0), nu0=0.5, theta0=1.0)

    with pytest.raises(ValueError, match=r"need a configuration that `build` knows"):
        load(path, build)


def forged(path, header):
    if path.suffix == ".npz":
        np.savez(path, __sigprop__=np.array(header), a=np.ones(1))
    else:
        metadata = {"__sigprop__": header}
        safetensors.numpy.save_file({"a": np.ones(1)}, path, metadata)
    return path


@suffixes
def test_a_newer_version_is_refused(suffix, tmp_path):
    path = forged(tmp_path / f"new{suffix}", '{"version": 2, "layout": "new"}')
    with pytest.raises(ValueError, match="need a file of version 1 or below, got 2 in"):
        read(path)


@suffixes
@pytest.mark.parametrize("header", ["", "[]", "{}", '{"version": 1}', "{"])
def test_a_header_of_another_make_is_refused(header, suffix, tmp_path):
    path = forged(tmp_path / f"odd{suffix}", header)
    with pytest.raises(ValueError, match=r"need a whole .* file of numbers, got a dam"):
        read(path)


def test_other_files_are_refused(tmp_path):
    with pytest.raises(
        ValueError, match=r"ends in \.safetensors or \.npz, got .*a\.pt"
    ):
        read(tmp_path / "a.pt")
    with pytest.raises(ValueError, match=r"ends in \.safetensors or \.npz, got .*b$"):
        save(tmp_path / "b", small(), SIZES)
    for suffix in SUFFIXES:
        with pytest.raises(FileNotFoundError, match=f"no file .*none{suffix}; `save`"):
            read(tmp_path / f"none{suffix}")
        with pytest.raises(FileNotFoundError, match="no file"):
            load(str(tmp_path / f"none{suffix}"), build_lru)
    for suffix, other in (SUFFIXES, SUFFIXES[::-1]):
        path = save(tmp_path / f"a{suffix}", small(), SIZES)
        with pytest.raises(ValueError, match=f"need a whole {other} file"):
            read(path.rename(tmp_path / f"renamed{other}"))
    with zipfile.ZipFile(tmp_path / "text.npz", "w") as archive:
        archive.writestr("readme.txt", "no array")
    with pytest.raises(ValueError, match=r"need a whole \.npz file of numbers"):
        read(tmp_path / "text.npz")


@pytest.mark.parametrize("config", [{"a": object()}, {"a": math.nan}, {"a": small}])
def test_a_configuration_that_is_not_json_is_refused(config, tmp_path):
    with pytest.raises(ValueError, match="need a configuration of JSON values"):
        save(tmp_path / "a.npz", small(), config)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("tree", "message"),
    [
        ({"a": {"b": np.ones(1)}, "a.b": np.ones(1)}, "two arrays named 'a.b'"),
        (np.ones(1), "need a printable name that does not begin with two"),
        ({"a\0b": np.ones(1)}, "underscores, got 'a\\x00b'; put"),
        ({"__sigprop__": np.ones(1)}, "underscores, got '__sigprop__'; put"),
        ({"key": jax.random.key(0)}, "need numbers in key, got key<fry>"),
        ({"text": np.array("a")}, "need numbers in text, got <U1"),
    ],
)
def test_arrays_without_a_fit_name_or_numbers_are_refused(tree, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        named_arrays(tree)
