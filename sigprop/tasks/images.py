"""Images read pixel by pixel: scikit-learn's digits, MNIST and CIFAR-10.

A sequence is one image, its rows one after another.  The digits come with scikit-learn;
the other images are read from a folder in their original formats, and never downloaded.

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
    """Images as bytes, and their classes."""

    images: UInt8[np.ndarray, "n *shape"]
    labels: Shaped[np.ndarray, " n"]


# --- orders of the pixels -----------------------------------------------------------


def bit_reversal(count: int) -> Int[np.ndarray, " count"]:
    """Places ``0 ... count - 1`` in the order of their binary digits read backwards.

    Source: the permuted MNIST of S4 and its successors, Gu et al. (2022).

    >>> bit_reversal(8)
    array([0, 4, 2, 6, 1, 5, 3, 7])
    """
    order = np.zeros(1, int)
    while len(order) < count:
        order = np.concatenate([2 * order, 2 * order + 1])
    return order[order < count]


def shuffled(count: int) -> Int[np.ndarray, " count"]:
    """The places in the random order that other permuted MNIST results share."""
    return np.random.RandomState(92916).permutation(count)


# --- data sets ----------------------------------------------------------------------


def digits(
    fold: int = 0,
    folds: int = 5,
    *,
    permuted: bool = False,
    permutation: Order = bit_reversal,
) -> DataSet:
    """The 1,797 digits of 8 x 8 pixels: 64 steps of one number in ``0 ... 1``.

    Every class is dealt to the folds in a fixed random order, so that the folds' counts of
    a class differ by one at most.  One fold is the test, the one after it (the first after
    the last) the validation, the others the training.  Pixels ``0 ... 16`` are divided by
    16, with no other normalisation.

    Args:
        fold: The fold of the test, from zero.
        folds: Number of folds, three at least.
        permuted: True if the pixels are read in another order than by rows.
        permutation: That order.

    Raises:
        ValueError: If there is no such fold, or there are fewer than three.
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
    """Handwritten digits of 28 x 28 pixels: 784 steps of one number in ``0 ... 1``.

    Of all files: 54,000 of the 60,000 training images to learn from and 6,000 to validate,
    by a fixed random order, and the 10,000 test images.  Of the test files alone, ``t10k``:
    their first 8,000, the next 1,000 and the last 1,000; accuracies of the two are not
    comparable.  Pixels are divided by 255, with no other normalisation.

    Args:
        folder: Holds the IDX files, plain or ``.gz``.
        permuted: True if the pixels are read in another order than by rows.
        permutation: That order.
        files: Which of the files there are.

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
    """Photographs of 32 x 32 pixels: 1,024 steps of one grey value or of three colours.

    45,000 of the 50,000 training images are to learn from and 5,000 to validate, by a fixed
    random order.  Grey is the luma of ITU-R 601 in whole numbers, less 122.6 and divided by
    61.0; a colour is divided by 255, less the channel's mean and divided by its standard
    deviation.  In colour the training part takes 553 MB, in grey 184 MB.

    Args:
        folder: Holds the six binary batches ``*.bin``, or else the Python version.
        grey: True if the colours are mixed to one value.
        records: Images in each file.

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
    """The fold of each example: every class is dealt round, on from the class before."""
    order = np.random.default_rng(seed).permutation(len(labels))
    order = order[np.argsort(labels[order], kind="stable")]
    dealt = np.empty(len(labels), int)
    dealt[order] = np.arange(len(labels)) % folds
    return dealt


# --- MNIST --------------------------------------------------------------------------

PIECE = 2**20  # bytes unpacked at once
IDX_TYPES = {0x08: "u1", 0x09: "i1", 0x0B: ">i2", 0x0C: ">i4", 0x0D: ">f4", 0x0E: ">f8"}


def read_idx(path: Path) -> Shaped[np.ndarray, "*shape"]:
    """The array of an IDX file, plain or ``.gz``.

    Raises:
        ValueError: If the file is no IDX file, is damaged, or its payload is not as long as
            its sizes say.
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
    """The sizes and the type that an IDX file begins with."""
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
    """Bytes of a stream up to a size, unpacked no further, whatever a header claims."""
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
    """Grey values of red, green and blue, rounded as by Pillow's mode ``L``.

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
    """Rebuilds NumPy arrays of plain numbers, and refuses every other object."""

    allowed = (
        ("numpy", "ndarray"),
        ("numpy", "dtype"),
        ("numpy.core.multiarray", "_reconstruct"),
        ("numpy._core.multiarray", "_reconstruct"),
        ("_codecs", "encode"),
    )

    def find_class(self, module: str, name: str) -> Any:
        """The constructor of this name, if it is one of an array's."""
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
