import gzip
import os
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from sigprop.tasks.images import (
    bit_reversal,
    cifar,
    digits,
    luma,
    mnist,
    read_idx,
    shuffled,
)
from tests.sigprop.tasks.helpers import parts

RNG = np.random.default_rng(7)
BATCHES = [*(f"data_batch_{index}" for index in range(1, 6)), "test_batch"]


def idx(array: np.ndarray) -> bytes:
    sizes = np.array(array.shape, ">u4").tobytes()
    return bytes([0, 0, 8, array.ndim]) + sizes + array.astype(np.uint8).tobytes()


def together(images: np.ndarray, labels: np.ndarray) -> list[tuple[bytes, int]]:
    """Every image with its label, in an order of their own."""
    rows = images.reshape(len(labels), -1).astype(np.uint8)
    pairs = zip(rows, labels, strict=True)
    return sorted((row.tobytes(), int(label)) for row, label in pairs)


# --- orders -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("order", "first", "checksum"),
    [
        (bit_reversal, [0, 512, 256, 768, 128, 640, 384, 64], 120_707_268),
        (shuffled, [319, 576, 323, 107, 355], 118_652_722),
    ],
)
def test_orders_are_those_of_the_published_results(order, first, checksum):
    indices = order(784)
    assert indices[: len(first)].tolist() == first
    assert (np.arange(784) * indices).sum() == checksum
    assert sorted(indices) == list(range(784))


# --- digits -------------------------------------------------------------------------


def test_digits_are_all_in_three_parts_and_stratified():
    from sklearn.datasets import load_digits

    pixels, labels = load_digits(return_X_y=True)
    tests = []
    for fold in range(5):
        data = digits(fold)
        assert data.classes == 10
        assert {part.inputs.shape[1:] for part in parts(data)} == {(64, 1)}
        assert all(part.inputs.dtype == np.float32 for part in parts(data))
        rows = np.concatenate([part.inputs[..., 0] * 16 for part in parts(data)])
        kinds = np.concatenate([part.labels for part in parts(data)])
        expected = np.column_stack([pixels, labels])
        read_rows = np.column_stack([rows, kinds])
        np.testing.assert_array_equal(
            np.unique(read_rows, axis=0), np.unique(expected, axis=0)
        )
        assert len(read_rows) == len(expected) == 1797
        counts = np.bincount(data.test.labels)
        assert (abs(counts - np.bincount(labels) / 5) < 1).all()
        np.testing.assert_array_equal(
            digits((fold - 1) % 5).validation.inputs, data.test.inputs
        )
        tests.append(data.test)
    assert sum(map(len, tests)) == 1797


def test_permuted_digits_are_the_digits_in_another_order():
    plain, permuted = digits(2), digits(2, permuted=True)
    for part, other in zip(parts(plain), parts(permuted), strict=True):
        assert (part.inputs != other.inputs).any()
        undone = other.inputs[:, np.argsort(bit_reversal(64))]
        np.testing.assert_array_equal(part.inputs, undone)


@pytest.mark.parametrize(("fold", "folds"), [(5, 5), (-1, 5), (0, 2)])
def test_digits_refuse_a_fold_that_is_not_there(fold, folds):
    with pytest.raises(ValueError, match=rf"got fold={fold}, folds={folds}"):
        digits(fold, folds)


# --- MNIST --------------------------------------------------------------------------


@pytest.fixture(params=["", ".gz"])
def handwriting(request, tmp_path):
    """A folder of 40 and 20 images, plain with a dot in the name, or packed."""
    files = {}
    for name, count in (("train", 40), ("t10k", 20)):
        images = RNG.integers(0, 256, (count, 28, 28), np.uint8)
        labels = RNG.integers(0, 10, count, np.uint8)
        for kind, array in (("images-idx3", images), ("labels-idx1", labels)):
            content = idx(array)
            if request.param:
                path = tmp_path / f"{name}-{kind}-ubyte.gz"
                path.write_bytes(gzip.compress(content))
            else:
                (tmp_path / f"{name}-{kind.replace('-', '.')}-ubyte").write_bytes(
                    content
                )
        files[name] = images, labels
    return tmp_path, files


def test_mnist_holds_a_tenth_of_the_training_back(handwriting):
    folder, files = handwriting
    data = mnist(folder)
    assert [len(part) for part in parts(data)] == [36, 4, 20]
    images, labels = files["t10k"]
    assert data.test.inputs.dtype == np.float32
    np.testing.assert_array_equal(
        data.test.inputs[..., 0], images.reshape(20, 784).astype(np.float32) / 255
    )
    np.testing.assert_array_equal(data.test.labels, labels)
    images_read = np.concatenate([data.train.inputs, data.validation.inputs])
    pixels = np.rint(images_read[..., 0] * 255).astype(np.uint8)
    kinds = np.concatenate([data.train.labels, data.validation.labels])
    images, labels = files["train"]
    assert together(pixels, kinds) == together(images, labels)


def test_mnist_of_the_test_files_alone_is_split_in_their_order(handwriting):
    folder, files = handwriting
    for path in folder.glob("train-*"):
        path.unlink()
    data = mnist(folder, files="t10k")
    assert [len(part) for part in parts(data)] == [16, 2, 2]
    images_read = np.concatenate([part.inputs[..., 0] for part in parts(data)])
    np.testing.assert_array_equal(
        np.rint(images_read * 255), files["t10k"][0].reshape(20, -1)
    )
    labels = np.concatenate([part.labels for part in parts(data)])
    np.testing.assert_array_equal(labels, files["t10k"][1])
    with pytest.raises(FileNotFoundError, match=r'train-images.*files="t10k"'):
        mnist(folder)


@pytest.mark.parametrize("order", [bit_reversal, shuffled])
def test_permuted_mnist_reads_all_parts_in_one_order(handwriting, order):
    folder, _ = handwriting
    pairs = zip(
        parts(mnist(folder)),
        parts(mnist(folder, permuted=True, permutation=order)),
        strict=True,
    )
    for plain, permuted in pairs:
        np.testing.assert_array_equal(plain.inputs[:, order(784)], permuted.inputs)
        np.testing.assert_array_equal(plain.labels, permuted.labels)


@pytest.mark.parametrize(
    ("damage", "complaint"),
    [
        (lambda content: content[:-1], r"need 15680 bytes .* got 15679"),
        (lambda content: content + b"\0", r"need 15680 bytes .* got 15681"),
        (lambda content: content[:9], "need 3 sizes"),
        (lambda content: b"\0\0\7" + content[3:], "need an IDX file.*00 00 07 03"),
        (lambda content: b"", "need an IDX file"),
        (lambda content: idx(np.zeros(20)), "28 x 28 .magic number 2051"),
        (lambda content: idx(np.zeros((20, 28, 27))), r"28 x 28 .*\(20, 28, 27\)"),
        (lambda content: idx(np.zeros((19, 28, 28))), "for each of 19 images"),
    ],
)
def test_mnist_refuses_damaged_images(handwriting, damage, complaint):
    folder, files = handwriting
    (path,) = folder.glob("t10k-images*")
    content = damage(idx(files["t10k"][0]))
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    with pytest.raises(ValueError, match=complaint):
        mnist(folder, files="t10k")


def test_mnist_refuses_a_label_above_nine(handwriting):
    folder, _ = handwriting
    (path,) = folder.glob("t10k-labels*")
    content = idx(np.full(20, 10))
    path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)
    with pytest.raises(ValueError, match="need labels from 0 to 9, got 10 to 10"):
        mnist(folder, files="t10k")


@pytest.mark.parametrize("suffix", ["", ".gz"])
def test_no_more_is_unpacked_than_the_sizes_ask_for(tmp_path, suffix):
    """Thirty MiB of zeros behind a header of 25 bytes; and a header of a million million."""
    path = tmp_path / f"x{suffix}"
    packed = gzip.compress if suffix else bytes
    path.write_bytes(packed(idx(np.zeros((5, 5))) + bytes(30 * 2**20)))
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"need 25 bytes .* got 26 or more"):
        read_idx(path)
    claim = b"\0\0\x08\x02" + np.array([10**6, 10**6], ">u4").tobytes()
    path.write_bytes(packed(claim + bytes(7)))
    with pytest.raises(ValueError, match=r"need 1000000000000 bytes .* got 7 in"):
        read_idx(path)
    assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    tracemalloc.stop()


@pytest.mark.parametrize(
    "damage", [lambda packed: packed[:-9], lambda packed: b"plain"]
)
def test_a_damaged_gzip_file_is_refused(tmp_path, damage):
    path = tmp_path / "x.gz"
    path.write_bytes(damage(gzip.compress(idx(RNG.integers(0, 256, (5, 5))))))
    with pytest.raises(ValueError, match="need a whole gzip file"):
        read_idx(path)


@pytest.mark.parametrize(
    ("code", "kind"), [(9, "i1"), (11, ">i2"), (12, ">i4"), (13, ">f4"), (14, ">f8")]
)
def test_every_type_of_idx_is_read(tmp_path, code, kind):
    array = np.arange(-3, 3).reshape(2, 3).astype(kind)
    path = tmp_path / "array"
    sizes = np.array(array.shape, ">u4").tobytes()
    path.write_bytes(bytes([0, 0, code, 2]) + sizes + array.tobytes())
    np.testing.assert_array_equal(read_idx(path), array)


# --- CIFAR --------------------------------------------------------------------------


def as_binary(folder: Path, name: str, images: np.ndarray, labels: np.ndarray) -> None:
    rows = np.column_stack([labels.astype(np.uint8), images])
    (folder / f"{name}.bin").write_bytes(rows.tobytes())


def as_pickle(folder: Path, name: str, images: np.ndarray, labels: np.ndarray) -> None:
    batch = {b"data": images, b"labels": labels.tolist(), b"batch_label": b"one of 6"}
    (folder / name).write_bytes(pickle.dumps(batch, protocol=2))


@pytest.fixture(params=[as_binary, as_pickle])
def photographs(request, tmp_path):
    files = {}
    for name in BATCHES:
        files[name] = RNG.integers(0, 256, (4, 3072), np.uint8), RNG.permutation(4)
        request.param(tmp_path, name, *files[name])
    return tmp_path, files


def test_cifar_in_colour_keeps_pixels_in_rows_and_scales_channels(photographs):
    folder, files = photographs
    data = cifar(folder, grey=False, records=4)
    assert [part.inputs.shape for part in parts(data)] == [
        (18, 1024, 3),
        (2, 1024, 3),
        (4, 1024, 3),
    ]
    planes = files["test_batch"][0].reshape(4, 3, 32, 32)
    for example, row, column in ((0, 0, 1), (3, 17, 5)):
        red, green, blue = planes[example, :, row, column] / 255
        expected = [
            (red - 0.4914) / 0.247,
            (green - 0.4822) / 0.243,
            (blue - 0.4465) / 0.261,
        ]
        pixel = data.test.inputs[example, 32 * row + column]
        np.testing.assert_allclose(pixel, expected, atol=1e-6)
    assert data.test.inputs.dtype == np.float32
    assert data.test.labels.tolist() == files["test_batch"][1].tolist()


@pytest.mark.parametrize("grey", [True, False])
def test_cifar_keeps_every_photograph_with_its_label(photographs, grey):
    folder, files = photographs
    data = cifar(folder, grey=grey, records=4)
    batches = [files[name] for name in BATCHES[:-1]]
    images, labels = (np.concatenate(arrays) for arrays in zip(*batches, strict=True))
    if grey:
        wanted = luma(images.reshape(-1, 3, 1024))
    else:
        wanted = images.reshape(-1, 3, 1024).transpose(0, 2, 1)
    both_parts = [data.train, data.validation]
    inputs = np.concatenate([part.inputs for part in both_parts])
    if grey:
        pixels = np.rint(inputs * 61.0 + 122.6)
    else:
        scale = np.array([[0.4914, 0.4822, 0.4465], [0.247, 0.243, 0.261]])
        pixels = np.rint(255 * (inputs * scale[1] + scale[0]))
    kinds = np.concatenate([part.labels for part in both_parts])
    assert together(pixels, kinds) == together(wanted, labels)
    np.testing.assert_array_equal(data.test.labels, files["test_batch"][1])


def test_cifar_in_grey_is_the_scaled_luma(photographs):
    folder, files = photographs
    data = cifar(folder, records=4)
    planes = files["test_batch"][0].reshape(4, 3, 1024)
    mixed = np.tensordot([0.299, 0.587, 0.114], planes.astype(float), (0, 1))
    grey = data.test.inputs[..., 0] * 61.0 + 122.6
    assert data.test.inputs.shape == (4, 1024, 1)
    assert abs(grey - mixed).max() < 0.51  # rounded to whole numbers
    np.testing.assert_allclose(grey, np.rint(grey), atol=1e-4)


def test_luma_of_grey_is_itself():
    grey = np.arange(256, dtype=np.uint8)
    np.testing.assert_array_equal(luma(np.broadcast_to(grey, (1, 3, 256)))[0], grey)


def test_cifar_refuses_another_number_of_images(photographs):
    folder, _ = photographs
    with pytest.raises(ValueError, match=r"need 9219 bytes|need 3 images"):
        cifar(folder, records=3)


def test_cifar_refuses_a_file_cut_short(photographs):
    folder, _ = photographs
    (path,) = folder.glob("data_batch_3*")
    path.write_bytes(path.read_bytes()[:-100])
    with pytest.raises(ValueError, match=r"data_batch_3.*fetch it again"):
        cifar(folder, records=4)


def test_cifar_without_files_names_them(photographs):
    folder, _ = photographs
    next(folder.glob("test_batch*")).unlink()
    with pytest.raises(FileNotFoundError, match=r"data_batch_1.bin .* Python version"):
        cifar(folder, records=4)


def test_a_pickle_runs_nothing(tmp_path):
    class Command:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "made"),)

    for name in BATCHES:
        (tmp_path / name).write_bytes(pickle.dumps({b"data": Command()}, protocol=2))
    with pytest.raises(ValueError, match=r"it asks for \w+\.mkdir"):
        cifar(tmp_path, records=4)
    assert not (tmp_path / "made").exists()
    pickle.loads((tmp_path / "test_batch").read_bytes())
    assert (tmp_path / "made").exists()


# --- the files themselves -----------------------------------------------------------


@pytest.mark.data("mnist")
def test_the_handwriting_at_hand(real_data):
    data = mnist(real_data, files="t10k")
    assert [len(part) for part in parts(data)] == [8000, 1000, 1000]
    pixels = np.concatenate([part.inputs for part in parts(data)])
    assert pixels.mean(dtype=float) == pytest.approx(0.1325, abs=5e-5)
    assert pixels.std(dtype=float) == pytest.approx(0.3105, abs=5e-5)
    assert data.train.labels[:4].tolist() == [7, 2, 1, 0]
