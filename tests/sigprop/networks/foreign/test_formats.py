"""Arrays come out of every file as they went in, however the file lays them out."""

import dataclasses
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from sigprop.layers.s5 import s5
from sigprop.networks.files import named_arrays
from sigprop.networks.foreign import find, of_arrays, open_checkpoint
from sigprop.networks.foreign.archives import CHUNKED
from sigprop.networks.foreign.tensors import MOST, PIECE

SHAPES = [(), (7,), (1, 5), (3, 5), (4, 1, 3), (2, 3, 4, 5)]


def counted(shape, dtype):
    """Numbers of which no two agree."""
    return (np.arange(math.prod(shape)).reshape(shape) + 1).astype(dtype)


@pytest.mark.parametrize(
    "dtype", ["float16", "float32", "float64", "complex64", "int32"]
)
@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_arrays_of_an_npz_are_read_by_rows_and_by_columns(save, dtype, tmp_path):
    arrays = {}
    for shape in SHAPES:
        array = counted(shape, dtype)
        arrays[f"rows {shape}"] = array
        arrays[f"columns {shape}"] = np.asfortranarray(array)
        arrays[f"turned {shape}"] = array.T
        arrays[f"every second {shape}"] = (
            np.repeat(array, 2, axis=0)[::2] if shape else array
        )
    save(tmp_path / "one.npz", **arrays)
    tensors = open_checkpoint(tmp_path / "one.npz").tensors
    assert tensors.keys() == arrays.keys()
    for name, wanted in arrays.items():
        assert tensors[name].shape == wanted.shape
        assert tensors[name].dtype == dtype
        np.testing.assert_array_equal(tensors[name].read(), wanted, err_msg=name)


def test_an_array_of_many_pieces_is_whole(tmp_path):
    """More than one piece, and no whole number of them."""
    many = PIECE // 8 * 2 + 5
    assert many * 8 < MOST
    arrays = {"long": np.arange(many, dtype=np.float64)}
    arrays["by columns"] = np.asfortranarray(
        arrays["long"][: many // 2 * 2].reshape(2, -1)
    )
    np.savez(tmp_path / "one.npz", **arrays)
    for name, tensor in open_checkpoint(tmp_path / "one.npz").tensors.items():
        np.testing.assert_array_equal(tensor.read(), arrays[name])


@pytest.mark.parametrize("pieces", [1, 3, 12])
@pytest.mark.parametrize("shape", SHAPES[1:])
def test_a_flax_array_in_pieces_is_put_together_in_their_order(pieces, shape, tmp_path):
    """Twelve pieces: as texts, 10 and 11 come before 2."""
    msgpack = pytest.importorskip("msgpack")
    full = counted(shape, "float32")

    def packed(array):
        content = (array.shape, array.dtype.name, array.tobytes())
        return msgpack.ExtType(1, msgpack.packb(content, use_bin_type=True))

    parts = np.array_split(full.reshape(-1), pieces)
    names = [*map(str, range(pieces))]
    tree = {
        "params": {
            "cut": {
                CHUNKED: (),
                "shape": {str(i): size for i, size in enumerate(shape)},
                # Written in another order than they are counted.
                "chunks": {name: packed(parts[int(name)]) for name in sorted(names)},
            },
            "uncut": packed(full),
        }
    }
    file = tmp_path / "one.msgpack"
    file.write_bytes(
        msgpack.packb(tree, use_bin_type=True, strict_types=True, default=list)
    )
    tensors = open_checkpoint(file).tensors
    assert {*tensors} == {"params.cut", "params.uncut"}
    for tensor in tensors.values():
        assert tensor.shape == shape
        np.testing.assert_array_equal(tensor.read(), full)


@pytest.mark.parametrize("clip", [None, False, True])
def test_the_real_parts_of_s5_are_clipped_below_zero_where_it_says_so(clip):
    """``clip_eigs`` of S5 takes ``min(Re A, -1e-4)``; without it they stay."""
    arrays = named_arrays(s5(5, 3, key=jax.random.key(0)))
    re = np.array([-3.0, -1e-5, -0.5, 0.0, 2.0])[: arrays["log_dt"].size]
    if not clip:
        re = -np.abs(re) - 1e-6
    theirs = {
        "Lambda_re": re.astype(np.float32),
        "Lambda_im": arrays["im"],
        "log_step": arrays["log_dt"],
        "B": np.stack([arrays["B_re"], arrays["B_im"]], -1),
        "C": np.stack([arrays["C_re"], arrays["C_im"]], -1),
        "D": arrays["D"],
    }
    (match,) = find(of_arrays(theirs))
    options = {"conjugate": True} | ({} if clip is None else {"clip_eigs": clip})
    layer = dataclasses.replace(match, options=options).layer()
    wanted = np.minimum(re, -1e-4) if clip else re
    np.testing.assert_allclose(-jnp.exp(layer.log_neg_re), wanted, rtol=1e-5)
    np.testing.assert_array_equal(layer.im, arrays["im"])
    for name in ("B_re", "B_im", "C_re", "C_im", "D"):
        np.testing.assert_array_equal(getattr(layer, name), arrays[name])
