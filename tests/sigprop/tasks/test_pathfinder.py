"""Pictures are the same however they are drawn, packed, interrupted or read."""

import os
import signal
import subprocess
import sys
import textwrap
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sigprop.tasks import pathfinder as module
from sigprop.tasks.contours import PATHFINDER_32, Picture, picture
from sigprop.tasks.examples import split, training_batch
from sigprop.tasks.pathfinder import pathfinder, released
from tests.sigprop.tasks.helpers import parts

COUNTS = (9, 3, 4)
TOTAL = sum(COUNTS)
RULES = replace(PATHFINDER_32, paddles=5, distractors=1)  # fast to draw
PIXELS = 32 * 32


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(module, "SHARD", 5)


def small_pathfinder(**options):
    return pathfinder(**{"rules": RULES, "counts": COUNTS, "seed": 3, **options})


def joined(data):
    return np.concatenate([part.inputs for part in parts(data)])


def assert_same(first, second):
    for part, other in zip(parts(first), parts(second), strict=True):
        for name in ("inputs", "lengths", "labels"):
            np.testing.assert_array_equal(getattr(part, name), getattr(other, name))


def packed(cache):
    return sorted(path.name for path in cache.iterdir())


# --- drawn --------------------------------------------------------------------------


def test_drawn_parts_are_the_pictures_one_after_another():
    data = small_pathfinder()
    assert (data.classes, data.vocabulary, data.pairs) == (2, None, False)
    assert tuple(len(part) for part in parts(data)) == COUNTS
    all_pictures = [picture(RULES, 3, index) for index in range(TOTAL)]
    labels = np.concatenate([part.labels for part in parts(data)])
    assert labels.tolist() == [example.label for example in all_pictures]
    for row, example in zip(joined(data), all_pictures, strict=True):
        np.testing.assert_array_equal(row, example.image.reshape(PIXELS, 1))
    for part in parts(data):
        assert part.inputs.dtype == np.uint8
        assert (part.lengths == PIXELS).all()
    assert training_batch(data.train, 4, 0, 0).inputs.shape == (4, PIXELS, 1)


MANY = 1200  # one label in a hundred that is wrong is missed once in 170 000 tries


def label_and_image(index):
    """A label and a picture that tell the index."""
    label = (index * index // 7) % 2
    return label, np.resize(np.frombuffer(index.to_bytes(4), np.uint8), (32, 32))


def index_of(row):
    return int.from_bytes(row[:4, 0].tobytes())


def assert_labels_of_their_pictures(data):
    indices = [index_of(row) for row in joined(data)]
    assert sorted(indices) == list(range(MANY))
    labels = np.concatenate([part.labels for part in parts(data)])
    assert labels.tolist() == [label_and_image(index)[0] for index in indices]


@pytest.mark.parametrize("packing", [False, True])
def test_a_thousand_drawn_pictures_keep_their_labels(tmp_path, monkeypatch, packing):
    def drawing(rules, seed, index):
        label, image = label_and_image(index)
        return Picture(image, label, [], [], [], 1)

    monkeypatch.setattr(module, "picture", drawing)
    monkeypatch.setattr(module, "SHARD", 500)
    counts = (MANY - 200, 100, 100)
    data = small_pathfinder(counts=counts, cache=tmp_path if packing else None)
    assert_labels_of_their_pictures(data)
    assert [index_of(row) for row in joined(data)] == list(range(MANY))


def test_a_thousand_files_keep_their_labels(tmp_path, monkeypatch):
    (tmp_path / "metadata").mkdir()
    for batch in range(4):
        folder = tmp_path / f"imgs/{batch}"
        folder.mkdir(parents=True)
        lines = []
        for number in range(MANY // 4):
            index = batch * MANY // 4 + number
            (folder / f"sample_{number}.png").write_bytes(index.to_bytes(4))
            line = f"imgs/{batch} sample_{number}.png {number} {label_and_image(index)[0]} 1\n"
            lines.append(line)
        (tmp_path / f"metadata/{batch}.npy").write_text("".join(lines))
    monkeypatch.setattr(
        module,
        "_decoded",
        lambda path, window: label_and_image(int.from_bytes(path.read_bytes()))[1],
    )
    monkeypatch.setattr(module, "SHARD", 500)
    assert_labels_of_their_pictures(pathfinder(tmp_path))


def test_data_depend_on_the_seed_alone():
    assert_same(small_pathfinder(), small_pathfinder())
    assert len(np.unique(joined(small_pathfinder()), axis=0)) == TOTAL
    assert (
        not (joined(small_pathfinder()) == joined(small_pathfinder(seed=4)))
        .all((1, 2))
        .any()
    )


def test_workers_change_nothing(tmp_path):
    lines = []
    data = small_pathfinder()
    assert_same(
        data, small_pathfinder(workers=2, cache=tmp_path, progress=lines.append)
    )
    assert sorted(lines) == sorted(
        f"{count} of {TOTAL} pictures ready" for count in ready(lines)
    )
    assert ready(lines)[-1] == TOTAL
    assert len(lines) == 4


def ready(lines):
    return [int(line.split()[0]) for line in lines]


# --- packed -------------------------------------------------------------------------


def test_packed_pictures_are_those_drawn_and_are_mapped(tmp_path, monkeypatch):
    data = small_pathfinder(cache=tmp_path)
    assert_same(small_pathfinder(), data)
    names = packed(tmp_path)
    assert [name.endswith("-labels.npy") for name in names] == [True, False]
    monkeypatch.setattr(module, "picture", None)
    repeated = small_pathfinder(cache=tmp_path, counts=(10, 2, 4))
    np.testing.assert_array_equal(joined(data), joined(repeated))
    for part in parts(repeated):
        assert isinstance(part.inputs, np.memmap)
        assert not part.inputs.flags.writeable
    monkeypatch.undo()
    small_pathfinder(cache=tmp_path, seed=4)
    assert len(packed(tmp_path)) == 4


KILLED = """
    import os, signal
    from pathlib import Path
    from dataclasses import replace
    from sigprop.tasks import pathfinder
    from sigprop.tasks.contours import PATHFINDER_32

    def kill(line):
        if line.startswith("10 "):
            os.kill(os.getpid(), signal.SIGKILL)

    pathfinder.SHARD = 5
    pathfinder.pathfinder(
        rules=replace(PATHFINDER_32, paddles=5, distractors=1), counts=(9, 3, 4),
        seed=3, cache=Path({cache!r}), progress=kill,
    )
"""


def test_a_killed_cache_goes_on(tmp_path, monkeypatch):
    code = textwrap.dedent(KILLED.format(cache=str(tmp_path)))
    root = Path(__file__).parents[3]
    killed = subprocess.run([sys.executable, "-c", code], cwd=root, check=False)
    assert killed.returncode == -signal.SIGKILL
    (folder,) = tmp_path.iterdir()
    shards = packed(folder)
    assert shards == ["000000.npy", "000001.npy"]
    (folder / shards[0]).unlink()
    indices = []

    def counted(rules, seed, index):
        indices.append(index)
        return picture(rules, seed, index)

    monkeypatch.setattr(module, "picture", counted)
    lines = []
    data = small_pathfinder(cache=tmp_path, progress=lines.append)
    assert indices == [0, 1, 2, 3, 4, 10, 11, 12, 13, 14, 15]
    assert ready(lines) == [10, 15, 16]
    assert len(packed(tmp_path)) == 2
    monkeypatch.undo()
    assert_same(small_pathfinder(), data)


def test_labels_that_are_lost_are_drawn_again(tmp_path):
    small_pathfinder(cache=tmp_path)
    (tmp_path / packed(tmp_path)[0]).unlink()
    assert_same(small_pathfinder(), small_pathfinder(cache=tmp_path))


def test_damaged_packed_files_say_what_to_delete(tmp_path):
    small_pathfinder(cache=tmp_path)
    labels, pictures = (tmp_path / name for name in packed(tmp_path))
    content = pictures.read_bytes()
    pictures.write_bytes(content[:-100])
    with pytest.raises(ValueError, match="need a whole packed file, delete"):
        small_pathfinder(cache=tmp_path)
    np.save(pictures, np.zeros((TOTAL, 7, 1), np.uint8))
    with pytest.raises(ValueError, match=r"need uint8 \(16, 1024, 1\), got .* delete"):
        small_pathfinder(cache=tmp_path)
    pictures.write_bytes(content)
    np.save(labels, np.full(TOTAL, 2, np.uint8))
    with pytest.raises(ValueError, match="need labels of 0 or 1, got others; delete"):
        small_pathfinder(cache=tmp_path)


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"counts": (5, 0, 1)}, "need a picture in every part"),
        ({"seed": -1}, "need 0 <= seed < 2"),
        ({"workers": 0}, "need one worker or more, got 0"),
    ],
)
def test_impossible_requests_are_refused(options, match):
    with pytest.raises(ValueError, match=match):
        small_pathfinder(**options)


# --- read ---------------------------------------------------------------------------

BATCHES = (0, 2, 10)  # in the order of numbers, not of text
EMPTY = "sample_3.png"


def level(folder):
    """Three batches as released: text, an array, text; one picture is empty."""
    (folder / "metadata").mkdir()
    rng = np.random.default_rng(0)
    images, labels = [], []
    for batch in BATCHES:
        where = f"imgs/{batch}"
        (folder / where).mkdir(parents=True)
        rows = []
        for index in range(6):
            name, label = f"sample_{index}.png", int(rng.integers(2))
            rows.append([where, name, index, label, 1.0, 14, 4, 2, 0.5, 1, 1])
            pixels = rng.integers(0, 256, (32, 32), np.uint8)
            if batch == 2 and name == EMPTY:
                (folder / where / name).touch()
                continue
            Image.fromarray(pixels).save(folder / where / name)
            images.append(pixels.reshape(PIXELS, 1))
            labels.append(label)
        path = folder / "metadata" / f"{batch}.npy"
        table = [[str(field) for field in row] for row in rows]
        if batch == 2:
            np.save(path, np.array(table))
        else:
            path.write_text("".join(f"{' '.join(row)}\n" for row in table), "ascii")
    return np.stack(images), np.array(labels)


def test_files_are_read_in_the_order_of_their_batches(tmp_path):
    images, labels = level(tmp_path)
    entries = released(tmp_path)
    assert len(entries) == len(images) == 17
    assert [entry.label for entry in entries] == labels.tolist()
    assert [entry.name for entry in entries[4:8]] == [
        *("imgs/0/sample_4.png", "imgs/0/sample_5.png"),
        *("imgs/2/sample_0.png", "imgs/2/sample_1.png"),
    ]
    assert f"imgs/2/{EMPTY}" not in {entry.name for entry in entries}


def test_files_are_read_back_as_written(tmp_path):
    (tmp_path / "level").mkdir()
    images, labels = level(tmp_path / "level")
    data = pathfinder(tmp_path / "level")
    for part, rows in zip(parts(data), split(17, (0.8, 0.1, 0.1)), strict=True):
        np.testing.assert_array_equal(part.inputs, images[rows])
        np.testing.assert_array_equal(part.labels, labels[rows])
        assert part.inputs.dtype == np.uint8
    assert data.classes == 2
    assert_same(data, pathfinder(tmp_path / "level", workers=2))
    cache = tmp_path / "cache"
    assert_same(data, pathfinder(tmp_path / "level", cache=cache))
    read_back = pathfinder(tmp_path / "level", cache=cache)
    assert_same(data, read_back)
    assert isinstance(read_back.train.inputs, np.memmap)
    assert len(packed(cache)) == 2


def test_drawn_pictures_survive_the_released_layout(tmp_path):
    ones = [picture(RULES, 1, index) for index in range(10)]
    (tmp_path / "metadata").mkdir()
    (tmp_path / "imgs/0").mkdir(parents=True)
    lines = []
    for index, example in enumerate(ones):
        Image.fromarray(example.image).save(tmp_path / f"imgs/0/sample_{index}.png")
        lines.append(f"imgs/0 sample_{index}.png {index} {example.label}\n")
    (tmp_path / "metadata/0.npy").write_text("".join(lines), "ascii")
    data = pathfinder(tmp_path)
    order = np.concatenate(split(10, (0.8, 0.1, 0.1)))
    expected = np.stack([ones[row].image.reshape(PIXELS, 1) for row in order])
    np.testing.assert_array_equal(joined(data), expected)


def test_missing_files_name_the_layout(tmp_path):
    with pytest.raises(
        FileNotFoundError, match=r"need metadata/\{batch\}\.npy and imgs"
    ):
        pathfinder(tmp_path)
    level(tmp_path)
    os.remove(tmp_path / "imgs/10/sample_0.png")
    with pytest.raises(FileNotFoundError, match=r"need imgs/10/sample_0\.png, which"):
        pathfinder(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "match"),
    [
        ("combined.npy", b"", "need metadata named by a number, got .*combined"),
        ("11.npy", b"imgs/0 sample_0.png 0 2 1", "label of 0 or 1 .* line 1"),
        ("11.npy", b"imgs/0 sample_0.png 0", "label of 0 or 1 and more, got 'imgs/0"),
        ("11.npy", b"\xff\xfe\x00 2", "label of 0 or 1"),
        (
            "11.npy",
            b"\x93NUMPY\x01\x00v\x00{'descr'",
            "need text or an array of strings",
        ),
        ("imgs/0/sample_1.png", b"GIF89a", "need a whole PNG file, got .*sample_1"),
    ],
)
def test_damaged_files_are_refused(tmp_path, name, content, match):
    level(tmp_path)
    folder = tmp_path if name.startswith("imgs") else tmp_path / "metadata"
    (folder / name).write_bytes(content)
    with pytest.raises(ValueError, match=match):
        pathfinder(tmp_path)


def test_truncated_pictures_are_refused(tmp_path):
    level(tmp_path)
    path = tmp_path / "imgs/10/sample_1.png"
    path.write_bytes(path.read_bytes()[:300])
    with pytest.raises(ValueError, match=r"need a whole PNG file, got .*sample_1"):
        pathfinder(tmp_path)


def test_pickled_tables_and_tables_of_numbers_are_refused(tmp_path):
    level(tmp_path)
    path = tmp_path / "metadata/11.npy"
    np.save(path, np.array([["imgs/0", None]], object), allow_pickle=True)
    with pytest.raises(ValueError, match="need text or an array of strings"):
        pathfinder(tmp_path)
    np.save(path, np.zeros((2, 11)))
    with pytest.raises(
        ValueError, match="need strings in rows and columns, got float64"
    ):
        pathfinder(tmp_path)


def test_pictures_of_another_kind_are_refused(tmp_path):
    level(tmp_path)
    path = tmp_path / "imgs/0/sample_0.png"
    for pixels in (np.zeros((64, 64), np.uint8), np.zeros((32, 32, 3), np.uint8)):
        Image.fromarray(pixels).save(path)
        with pytest.raises(
            ValueError, match="need a grey picture of 32 x 32 bytes, got"
        ):
            pathfinder(tmp_path)
