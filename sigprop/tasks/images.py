"""Images read pixel by pixel: scikit-learn's digits, MNIST and CIFAR-10.

A sequence is one image, row by row.  The digits are part of scikit-learn.  The other images
are read from a folder in their original formats; nothing is downloaded.

Source: LeCun et al. (1998), MNIST; Krizhevsky (2009), CIFAR-10; Alpaydin and Kaynak (1998),
the digits; splits and scales as in the long-range benchmarks, Tay et al. (2021).
"""

import gzip
import io
import math
import pickle
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Float, Int, Shaped, UInt8

from sigprop.numerics.extras import extra
from sigprop.tasks.examples import SPLIT_SEED, DataSet, Examples, split

Order = Callable[[int], Int[np.ndarray, " pixels"]]


class Labelled(NamedTuple):
    """Images as bytes, with the class of each image."""

    images: UInt8[np.ndarray, "n *shape"]
    labels: Shaped[np.ndarray, " n"]


# --- orders of the pixels -----------------------------------------------------------


def bit_reversal(count: int) -> Int[np.ndarray, " count"]:
    """Indices ``0 ... count - 1`` in the order of their reversed binary digits.

    Source: the permuted MNIST of S4 and its successors, Gu et al. (2022).

    >>> bit_reversal(8)
    array([0, 4, 2, 6, 1, 5, 3, 7])
    """
    order = np.zeros(1, int)
    while len(order) < count:
        order = np.concatenate([2 * order, 2 * order + 1])
    return order[order < count]


def shuffled(count: int) -> Int[np.ndarray, " count"]:
    """Pixel indices in the fixed random order that other permuted MNIST results use."""
    return np.random.RandomState(92916).permutation(count)


# --- data sets ----------------------------------------------------------------------


def digits(
    fold: int = 0,
    folds: int = 5,
    *,
    permuted: bool = False,
    permutation: Order = bit_reversal,
) -> DataSet:
    """Load the 1,797 digits of 8 x 8 pixels, as 64 steps of one number from 0 to 1.

    Examples are split into folds in a fixed random order.  The numbers of examples of a
    class differ by at most one between folds.  One fold is the test part.  The next fold
    is the validation part, and all others are the training part.  Pixels are divided by
    16, with no other normalisation.

    Args:
        fold: Index of the test fold, from zero.
        folds: Number of folds, at least three.
        permuted: True if the pixels are read in the order ``permutation``; false if they
            are read row by row.
        permutation: Function from the number of pixels to their order.

    Raises:
        ValueError: If there are fewer than three folds, or there is no fold ``fold``.
        ModuleNotFoundError: If scikit-learn, of the extra ``data``, is not installed.
    """
    if folds < 3 or not 0 <= fold < folds:
        raise ValueError(
            f"need 3 folds or more and 0 <= fold < folds, got {fold=}, {folds=}"
        )
    with extra("data", "the digits"):
        from sklearn.datasets import load_digits  # slow to import

    pixels, labels = map(np.asarray, load_digits(return_X_y=True))
    order = permutation if permuted else np.arange
    sequences = pixels[:, order(64), None].astype(np.float32) / 16
    dealt = _folds(labels, folds)
    test, validation = dealt == fold, dealt == (fold + 1) % folds
    rows = [np.flatnonzero(part) for part in (~(test | validation), validation, test)]
    return _data_set([_examples(sequences[part], labels[part]) for part in rows])


def mnist(
    folder: Path,
    *,
    permuted: bool = False,
    permutation: Order = bit_reversal,
    files: Literal["all", "t10k"] = "all",
) -> DataSet:
    """Load the digits of 28 x 28 pixels of MNIST, as 784 steps of one number from 0 to 1.

    With all files, a fixed random split of the 60,000 training images gives 54,000 for
    training and 6,000 for validation.  The 10,000 test images are the test
    part.  With the files ``t10k`` alone, the test images are split in order into 8,000,
    1,000 and 1,000.  Accuracies of the two splits are not comparable.  Pixels are divided
    by 255, with no other normalisation.

    Args:
        folder: Folder with the IDX files, plain or ``.gz``.
        permuted: True if the pixels are read in the order ``permutation``; false if they
            are read row by row.
        permutation: Function from the number of pixels to their order.
        files: Files to read: ``all``, or ``t10k`` for the two test files.

    Raises:
        FileNotFoundError: If a file is missing.
        ValueError: If a file is no IDX file of such images, or is cut short.
    """
    test_images = _mnist_part(folder, "t10k")
    if files == "t10k":
        tenth = len(test_images.labels) // 10
        cuts = [8 * tenth, 9 * tenth]
        rows = np.split(np.arange(len(test_images.labels)), cuts)
        parts = [_rows(test_images, part) for part in rows]
    else:
        training = _mnist_part(folder, "train")
        rows = split(len(training.labels), (0.9, 0.1))
        parts = [*(_rows(training, part) for part in rows), test_images]
    order = permutation if permuted else np.arange
    return _data_set(
        [_examples(_flat(part.images, order), part.labels) for part in parts]
    )


def cifar(folder: Path, *, grey: bool = True, records: int = 10_000) -> DataSet:
    """Load the photographs of CIFAR-10, as 1,024 steps of one grey value or three colours.

    A fixed random split of the 50,000 training images gives 45,000 for training and 5,000
    for validation.  A grey value is the luma of ITU-R 601, rounded, minus 122.6
    and divided by 61.0.  A colour is divided by 255, then the channel's mean is subtracted,
    and the result is divided by the channel's standard deviation.  The training part
    takes 553 MB in colour and 184 MB in grey.

    Args:
        folder: Folder with the six binary batches ``*.bin``, or with the Python version.
        grey: True if the three colours are converted to one grey value.
        records: Number of images in each file.

    Raises:
        FileNotFoundError: If a file is missing.
        ValueError: If a file is damaged or has another number of images.
    """
    read = _cifar_reader(folder)
    batches = [read(f"data_batch_{index}", records) for index in range(1, 6)]
    training = Labelled(
        *(np.concatenate(parts) for parts in zip(*batches, strict=True))
    )
    rows = split(len(training.labels), (0.9, 0.1))
    parts = [*(_rows(training, part) for part in rows), read("test_batch", records)]
    scaled = _grey if grey else _colour
    return _data_set([_examples(scaled(part.images), part.labels) for part in parts])


def _examples(
    inputs: Float[np.ndarray, "n time d"], labels: Shaped[np.ndarray, " n"]
) -> Examples:
    lengths = np.full(len(inputs), inputs.shape[1], np.int32)
    return Examples(inputs, lengths, labels.astype(np.int32))


def _data_set(parts: list[Examples]) -> DataSet:
    train, validation, test = parts
    return DataSet(train, validation, test, classes=10)


def _rows(part: Labelled, rows: Int[np.ndarray, " some"]) -> Labelled:
    return Labelled(part.images[rows], part.labels[rows])


def _flat(
    images: UInt8[np.ndarray, "n rows columns"], order: Order
) -> Float[np.ndarray, "n pixels 1"]:
    pixels = images.reshape(len(images), -1)
    return pixels[:, order(pixels.shape[1]), None].astype(np.float32) / 255


def _folds(
    labels: Int[np.ndarray, " n"], folds: int, seed: int = SPLIT_SEED
) -> Int[np.ndarray, " n"]:
    """The fold of each example.

    Examples, sorted by class and in random order within a class, go to the folds in turn.
    """
    order = np.random.default_rng(seed).permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    dealt = np.empty(len(labels), int)
    dealt[order] = np.arange(len(labels)) % folds
    return dealt


# --- MNIST --------------------------------------------------------------------------

PIECE = 2**20  # bytes unpacked at once
IDX_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path: Path) -> Shaped[np.ndarray, "*shape"]:
    """Read the array of an IDX file, plain or ``.gz``.

    Raises:
        ValueError: If the file is no IDX file, is damaged, or does not have as many bytes
            as its header says.
    """
    opened: Any = gzip.open if _packed(path) else Path.open
    try:
        with opened(path, "rb") as stream:
            shape, kind = _idx_head(stream, path)
            need = math.prod(shape) * kind.itemsize
            content = _at_most(stream, need + 1)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(
            f"need a whole gzip file, got {path}: {error}; fetch it again"
        ) from error
    if len(content) != need:
        more = " or more" if len(content) > need else ""
        raise ValueError(
            f"need {need} bytes for the sizes {shape}, got {len(content)}{more} in {path}; "
            "fetch it again"
        )
    return np.frombuffer(content, kind).reshape(shape)


def _idx_head(
    stream: io.BufferedIOBase, path: Path
) -> tuple[tuple[int, ...], np.dtype]:
    """Read the header of an IDX file: its sizes and its type."""
    mark = _at_most(stream, 4)
    if len(mark) < 4 or mark[:2] != b"\0\0" or mark[2] not in IDX_TYPES:
        raise ValueError(
            f"need an IDX file, which starts with two zero bytes and a type, got {path} "
            f"with {mark.hex(' ')}; check the file"
        )
    sizes = _at_most(stream, 4 * mark[3])
    if len(sizes) < 4 * mark[3]:
        raise ValueError(f"need {mark[3]} sizes, got {path} cut short; fetch it again")
    return tuple(np.frombuffer(sizes, ">u4").tolist()), np.dtype(IDX_TYPES[mark[2]])


def _at_most(stream: io.BufferedIOBase, size: int) -> bytes:
    """Read at most ``size`` bytes of a stream, and unpack no more."""
    content = bytearray()
    while piece := stream.read(min(size - len(content), PIECE)):
        content += piece
    return bytes(content)


def _packed(path: Path) -> bool:
    return path.suffix == ".gz"


def _mnist_part(folder: Path, name: str) -> Labelled:
    paths = [
        _mnist_file(folder, f"{name}-{kind}")
        for kind in ("images-idx3-ubyte", "labels-idx1-ubyte")
    ]
    images, labels = map(read_idx, paths)
    if images.dtype != np.uint8 or images.shape[1:] != (28, 28):
        raise ValueError(
            f"need bytes in n images of 28 x 28 (magic number 2051), got {images.dtype} "
            f"of shape {images.shape} in {paths[0]}"
        )
    if labels.dtype != np.uint8 or labels.shape != images.shape[:1]:
        raise ValueError(
            f"need a byte for each of {len(images)} images (magic number 2049), got "
            f"{labels.dtype} of shape {labels.shape} in {paths[1]}"
        )
    return Labelled(images, _checked(labels, paths[1]))


def _mnist_file(folder: Path, name: str) -> Path:
    dotted = name.replace("-idx", ".idx")
    for candidate in (name, f"{name}.gz", dotted, f"{dotted}.gz"):
        if (folder / candidate).is_file():
            return folder / candidate
    raise FileNotFoundError(
        f"need {name}, plain or .gz, found none in {folder}; put there the four files "
        "{train,t10k}-images-idx3-ubyte and {train,t10k}-labels-idx1-ubyte, or read the "
        'two of t10k alone with files="t10k"'
    )


def _checked(labels: Shaped[np.ndarray, " n"], path: Path) -> Shaped[np.ndarray, " n"]:
    if len(labels) and not 0 <= labels.min() <= labels.max() <= 9:
        raise ValueError(
            f"need labels from 0 to 9, got {labels.min()} to {labels.max()} in {path}"
        )
    return labels


# --- CIFAR-10 -----------------------------------------------------------------------

PIXELS = 32 * 32
MEAN = np.array([0.4914, 0.4822, 0.4465], np.float32)
DEVIATION = np.array([0.247, 0.243, 0.261], np.float32)


def luma(images: UInt8[np.ndarray, "n 3 pixels"]) -> UInt8[np.ndarray, "n pixels"]:
    """Convert red, green and blue to grey values, rounded like Pillow's mode ``L``.

    >>> luma(np.array([[[255], [0], [0]]], np.uint8))
    array([[76]], dtype=uint8)
    """
    red, green, blue = (images[:, channel].astype(np.uint32) for channel in range(3))
    mixed = 19595 * red + 38470 * green + 7471 * blue
    return ((mixed + 32768) >> 16).astype(np.uint8)


def _grey(images: UInt8[np.ndarray, "n 3 pixels"]) -> Float[np.ndarray, "n pixels 1"]:
    values = luma(images)[..., None].astype(np.float32)
    return (values / 255 - np.float32(122.6 / 255)) / np.float32(61.0 / 255)


def _colour(images: UInt8[np.ndarray, "n 3 pixels"]) -> Float[np.ndarray, "n pixels 3"]:
    values = images.transpose(0, 2, 1).astype(np.float32, order="C")
    values /= 255
    values -= np.broadcast_to(MEAN, values.shape)
    values /= np.broadcast_to(DEVIATION, values.shape)
    return values


def _cifar_reader(folder: Path) -> Callable[[str, int], Labelled]:
    names = [*(f"data_batch_{index}" for index in range(1, 6)), "test_batch"]
    for suffix, read in ((".bin", _binary_batch), ("", _pickled_batch)):
        if all((folder / f"{name}{suffix}").is_file() for name in names):
            return lambda name, records, suffix=suffix, read=read: read(
                folder / f"{name}{suffix}", records
            )
    raise FileNotFoundError(
        "need data_batch_1.bin ... data_batch_5.bin and test_batch.bin of the binary "
        f"version, or the same without .bin of the Python version, in {folder}"
    )


def _binary_batch(path: Path, records: int) -> Labelled:
    need, got = records * (1 + 3 * PIXELS), path.stat().st_size
    if got != need:
        raise ValueError(
            f"need {need} bytes, {records} records of 3073, got {got} in {path}; "
            "fetch it again"
        )
    rows = np.fromfile(path, np.uint8).reshape(records, -1)
    return Labelled(rows[:, 1:].reshape(-1, 3, PIXELS), _checked(rows[:, 0], path))


class _Arrays(pickle.Unpickler):
    """Unpickler that accepts NumPy arrays of plain numbers and refuses any other object."""

    allowed = (
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("_codecs", "encode"),
    )

    def find_class(self, module: str, name: str) -> Any:
        """The constructor of a name, if NumPy arrays need it."""
        if (module, name) not in self.allowed:
            raise pickle.UnpicklingError(f"it asks for {module}.{name}")
        return super().find_class(module.replace("numpy.core", "numpy._core"), name)


def _pickled_batch(path: Path, records: int) -> Labelled:
    try:
        batch = _Arrays(io.BytesIO(path.read_bytes()), encoding="bytes").load()
        images, labels = batch[b"data"], np.array(batch[b"labels"], np.int64)
    except Exception as error:  # whatever a damaged pickle leads to
        raise ValueError(
            f"need a pickled dict with arrays b'data' and b'labels', got {path}: {error!r}; "
            "fetch it again, or use the binary version"
        ) from error
    shapes = (
        getattr(images, "shape", None),
        getattr(images, "dtype", None),
        labels.shape,
    )
    if shapes != ((records, 3 * PIXELS), np.uint8, (records,)):
        raise ValueError(
            f"need {records} images of 3072 bytes and as many labels, got {shapes} in {path}"
        )
    return Labelled(images.reshape(-1, 3, PIXELS), _checked(labels, path))
