"""No more is read of an array than its header claims, and no other place has one."""

import tracemalloc
import zipfile

import numpy as np
import pytest

from sigprop.audit.series import load_series
from sigprop.networks.files import read
from sigprop.networks.foreign import open_checkpoint
from sigprop.networks.foreign.archives import npz_file
from sigprop.numerics.npy import Header, require_bytes
from tests.test_cli_hostile_files import header, npy

MIB = 1 << 20
CLAIMED, HELD = 16, 256 * MIB  # numbers in the header, bytes behind it


@pytest.fixture(scope="module")
def bomb(tmp_path_factory):
    """An archive of a small file whose array has 256 MiB where 64 bytes are claimed."""
    path = tmp_path_factory.mktemp("bomb") / "bomb.npz"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive,
        archive.open("x.npy", "w", force_zip64=True) as stream,
    ):
        stream.write(npy(header(shape=f"({CLAIMED},)"), b""))
        for _ in range(HELD // MIB):
            stream.write(bytes(MIB))
    return path


def peak(action):
    """Bytes that an action has at once, beyond those before it."""
    tracemalloc.start()
    try:
        action()
    finally:
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return most


@pytest.mark.parametrize("reader", [npz_file, open_checkpoint, read])
def test_an_archive_with_more_than_its_header_claims_is_refused_unread(bomb, reader):
    def refused():
        with pytest.raises(
            ValueError, match="claims 16 numbers of 4 bytes, it holds 268"
        ):
            reader(bomb)

    assert bomb.stat().st_size < MIB
    assert peak(refused) < 8 * MIB


def test_a_directory_that_lies_about_a_member_does_not_help(bomb, tmp_path):
    """The directory says 64 bytes too; what is unpacked stops there."""
    content = bytearray(bomb.read_bytes())
    path = tmp_path / "lies.npz"
    with zipfile.ZipFile(bomb) as archive:
        size = archive.getinfo("x.npy").file_size
    wanted = (size - HELD + 4 * CLAIMED).to_bytes(4, "little")
    offset = content.rfind(b"PK\1\2")
    assert content[offset + 24 : offset + 28] == size.to_bytes(4, "little")
    content[offset + 24 : offset + 28] = wanted
    path.write_bytes(content)

    def read_all():
        with pytest.raises(ValueError, match=r"lies\.npz"):
            npz_file(path)["x"].read()

    assert peak(read_all) < 16 * MIB


def test_numbers_behind_a_long_series_are_not_read(tmp_path):
    path = tmp_path / "series.npy"
    draws = np.random.default_rng(0).standard_normal((4, 32, 1))
    np.save(path, draws)
    with path.open("ab") as stream:
        stream.truncate(path.stat().st_size + HELD)
    assert peak(lambda: load_series(path)) < 8 * MIB


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", ["f2", "f4", ">f8", "c8", "i4", "?", "u1"])
@pytest.mark.parametrize("shape", [(), (0,), (7,), (3, 5), (2, 3, 4), (3, 0)])
def test_every_array_is_read_as_it_was_written(tmp_path, shape, dtype, order):
    draws = np.random.default_rng(1).uniform(-9, 9, shape)
    array = np.asarray(draws.astype(dtype), order=order)
    path = tmp_path / "a.npz"
    np.savez_compressed(path, x=array)
    np.testing.assert_array_equal(npz_file(path)["x"].read(), array)


@pytest.mark.parametrize("shape", [(3, 5), (2, 3, 4)])
def test_sizes_are_those_of_all_numbers(shape):
    declared = Header(shape, False, np.dtype("f8"))
    assert declared.bytes == np.zeros(shape).nbytes
    require_bytes(declared, declared.bytes)
    for other in (declared.bytes - 1, declared.bytes + 1):
        with pytest.raises(ValueError, match=f"it holds {other} bytes"):
            require_bytes(declared, other)
