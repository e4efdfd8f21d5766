"""Files that are not what they say: one line that names them, and never a traceback."""

import json
import os
import signal
import stat
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest
import safetensors.numpy

from sigprop.audit.series import load_series
from tests.command import refused, sigprop

DEEP = 100_000
SECONDS = 120  # until a command that waits for ever is stopped


@pytest.fixture(autouse=True)
def _soon():
    """Stop a test whose command waits for ever."""

    def late(*args):
        raise AssertionError("the command waits for ever")

    before = signal.signal(signal.SIGALRM, late)
    signal.alarm(SECONDS)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def series(folder, values=None):
    path = folder / "series.csv"
    draws = np.random.default_rng(0).standard_normal((40, 2))
    rows = draws if values is None else values
    path.write_text("\n".join(["a,b", *(f"{x!r},{y!r}" for x, y in rows.tolist())]))
    return path


def layer():
    return {"l.nu_log": np.zeros(4, "f4"), "l.theta_log": np.zeros(4, "f4")}


def checkpoint(folder):
    path = folder / "layers.safetensors"
    path.write_bytes(safetensors.numpy.save(layer()))
    return path


# --- documents ----------------------------------------------------------------------

NESTED = {"json": "[" * DEEP, "toml": "a=" + "[" * DEEP}
DOCUMENTS = {
    "mapping": lambda folder, file: ("lint", checkpoint(folder), "--mapping", file),
    "optimizer": lambda folder, file: ("lint", checkpoint(folder), "--optimizer", file),
    "accept": lambda folder, file: ("lint", checkpoint(folder), "--accept", file),
    "config": lambda folder, file: ("lint", checkpoint(folder)),
    "index": lambda folder, file: ("lint", folder),
}
NAMED = {"config": "config.json", "index": "model.safetensors.index.json"}


def document(folder, kind, suffix, content):
    file = folder / NAMED.get(kind, f"file.{suffix}")
    file.write_bytes(content)
    return file


@pytest.mark.parametrize("kind", DOCUMENTS)
@pytest.mark.parametrize(
    "content", [b"{", b"\xff", NESTED["json"].encode(), b'{"a": "' + b"\xed\xa0\x80"]
)
def test_a_document_that_is_none_is_named(tmp_path, kind, content):
    file = document(tmp_path, kind, "json", content)
    assert str(file) in refused(*DOCUMENTS[kind](tmp_path, file))


@pytest.mark.parametrize("kind", ["mapping", "optimizer"])
@pytest.mark.parametrize("text", ["a", "a = 1e", NESTED["toml"]])
def test_toml_that_is_none_is_named(tmp_path, kind, text):
    file = document(tmp_path, kind, "toml", text.encode())
    assert str(file) in refused(*DOCUMENTS[kind](tmp_path, file))


LRU = {"nu_log": "l.nu_log", "theta_log": "l.theta_log"}
WRONG = {
    "mapping": [
        *([], 3, None, {}, {"layer": {}}, {"layer": [3]}, {"layer": [{}]}),
        {"layer": [{"family": ["lru"]}]},
        *(
            {"layer": [{"family": "lru", "names": names}]}
            for names in (3, None, "x", ["l.nu_log"], {"nu_log": 3}, {"nu_log": {}}, {})
        ),
        {"layer": [{"family": "lru", "names": LRU | {"theta_log": ["a"]}}]},
        {"layer": [{"family": "lru", "names": LRU, "options": 3}]},
        {"layer": [{"family": "lru", "names": LRU, "options": []}]},
        {"layer": [{"family": "lru", "names": LRU, "prefix": ["x"]}]},
        {"layer": [{"family": "lru", "names": LRU, "misspelt": 1}]},
    ],
    "optimizer": [
        *([], 3, None, {"lr": "x"}, {"lr": [1]}, {"groups": 3}, {"groups": [3]}),
        *({"groups": [{"params": 3}]}, {"no_decay": [3]}, {"groups": {"a": 1}}),
        *({"lr": 1e400}, {"steps": {}}, {"misspelt": 1}, {"groups": [{"learn": 1}]}),
    ],
    "index": [
        *([], 3, None, "x", {}, {"weight_map": 3}, {"weight_map": []}),
        *({"weight_map": {"a": 3}}, {"weight_map": {"a": None}}, {"weight_map": {}}),
        *({"weight_map": {"a": {}}}, {"weight_map": {"a": "../x.safetensors"}}),
    ],
    "config": [[], 3, None, "x"],
}


@pytest.mark.sampled(25, kind="kind")
@pytest.mark.parametrize(
    ("kind", "content"),
    [(kind, content) for kind, all_ in WRONG.items() for content in all_],
)
def test_a_document_of_another_form_is_named(tmp_path, kind, content):
    file = document(tmp_path, kind, "json", json.dumps(content).encode())
    assert str(file) in refused(*DOCUMENTS[kind](tmp_path, file))


@pytest.mark.sampled(kind="option")
@pytest.mark.parametrize("option", [3, [], "x", -1, 1e400, {}, None, True])
@pytest.mark.parametrize("name", ["discretisation", "heads", "clip_eigs", "gamma", "x"])
def test_an_option_of_another_form_in_a_mapping_is_no_traceback(tmp_path, name, option):
    mapping = {"family": "lru", "names": LRU, "options": {name: option}}
    file = document(
        tmp_path, "mapping", "json", json.dumps({"layer": [mapping]}).encode()
    )
    result = sigprop("lint", checkpoint(tmp_path), "--mapping", file)
    assert result.exit_code in (0, 1, 2), result.output


# --- archives -----------------------------------------------------------------------


def npy(header, content=b"\0" * 32, version=(1, 0)):
    text = header.encode()
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    size = struct.pack("<H" if version == (1, 0) else "<I", len(text))
    return b"\x93NUMPY" + bytes(version) + size + text + content


def header(descr="'<f4'", shape="(8,)", order="False"):
    return f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}"


HEADERS = {
    "code": npy("__import__('os').system('touch hacked')"),
    "code in the type": npy(header("__import__('os')")),
    "no dictionary": npy("[1, 2]"),
    "deep": npy("(" * 9000),
    "null": npy(header("'<f4\0'")),
    "type": npy(header("'nonsense'")),
    "type of types": npy(header("[('a', '<f4'), ('b', '<f4')]")),
    "type of nothing": npy(header("[]")),
    "type number": npy(header("3")),
    "negative": npy(header(shape="(-8,)")),
    "huge": npy(header(shape="(99999999999999999999999,)")),
    "no numbers of no bytes": npy(header("'<V0'")),
    "letters": npy(header("'<U1'")),
    "dates": npy(header("'<M8[s]'")),
    "objects": npy(header("'|O'")),
    "shape": npy(header(shape="'x'")),
    "shape of floats": npy(header(shape="(8.0,)")),
    "order": npy(header(order="'x'")),
    "version": npy(header(), version=(9, 9)),
    "version 3": npy(header("[('\u00e9', '<f4')]"), version=(3, 0)),
    "short": npy(header(shape="(8,)"), b"\0" * 30),
    "nothing": b"",
}


def npz(path, member, compression=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", compression) as archive:
        archive.writestr("l.nu_log.npy", member)
        archive.writestr("l.theta_log.npy", npy(header()))
    return path


@pytest.mark.parametrize("case", HEADERS)
def test_an_array_whose_header_lies_is_named_by_lint(tmp_path, monkeypatch, case):
    monkeypatch.chdir(tmp_path)
    line = refused("lint", npz(tmp_path / "layers.npz", HEADERS[case]))
    assert "layers.npz" in line
    assert not Path("hacked").exists()


@pytest.mark.parametrize("case", HEADERS)
def test_an_array_whose_header_lies_is_named_by_every_reader_of_series(tmp_path, case):
    path = tmp_path / "series.npy"
    path.write_bytes(HEADERS[case])
    assert "series.npy" in refused("series", path)


def _encrypted(content):
    """Set the mark of encryption in every header of an archive."""
    content = bytearray(content)
    for mark, offset in ((b"PK\3\4", 6), (b"PK\1\2", 8)):
        start = content.find(mark)
        while start >= 0:
            content[start + offset] |= 1
            start = content.find(mark, start + 4)
    return bytes(content)


def _method(content, method=99):
    content = bytearray(content)
    for mark, offset in ((b"PK\3\4", 8), (b"PK\1\2", 10)):
        start = content.find(mark)
        while start >= 0:
            content[start + offset : start + offset + 2] = struct.pack("<H", method)
            start = content.find(mark, start + 4)
    return bytes(content)


def _damaged(content):
    middle = content.find(b"PK\3\4", 4) - 8  # packed numbers of the first member
    return (
        content[:middle]
        + bytes(x ^ 255 for x in content[middle : middle + 8])
        + (content[middle + 8 :])
    )


ARCHIVES = {
    "encrypted": _encrypted,
    "of an unknown method": _method,
    "damaged": _damaged,
    "cut": lambda content: content[: len(content) // 2],
    "headless": lambda content: content[20:],
    "empty": lambda content: b"",
}


@pytest.mark.parametrize("case", ARCHIVES)
def test_an_archive_that_cannot_be_read_is_named(tmp_path, case):
    path = npz(tmp_path / "layers.npz", npy(header()))
    path.write_bytes(ARCHIVES[case](path.read_bytes()))
    assert "layers.npz" in refused("lint", path)


@pytest.mark.sampled(10)
@pytest.mark.parametrize("seed", range(40))
def test_an_archive_with_any_byte_changed_is_read_or_named(tmp_path, seed):
    path = npz(tmp_path / "layers.npz", npy(header()))
    content = bytearray(path.read_bytes())
    draws = np.random.default_rng(seed)
    content[draws.integers(len(content))] ^= 1 << draws.integers(8)
    path.write_bytes(content)
    result = sigprop("lint", path)
    assert result.exit_code in (0, 1, 2), result.output
    assert result.exit_code != 2 or "layers.npz" in result.stderr


# --- places that are no regular files -----------------------------------------------

PLACES = {
    "lint": lambda folder, path: ("lint", path),
    "lint --mapping": lambda folder, path: (
        *("lint", checkpoint(folder), "--mapping", path),
    ),
    "lint --optimizer": lambda folder, path: (
        *("lint", checkpoint(folder), "--optimizer", path),
    ),
    "lint --accept": lambda folder, path: (
        *("lint", checkpoint(folder), "--accept", path),
    ),
    "series": lambda folder, path: ("series", path),
    "audit": lambda folder, path: ("audit", path, "--data", series(folder)),
    "audit --data": lambda folder, path: (
        *("audit", checkpoint(folder), "--data", path),
    ),
    "advise --data": lambda folder, path: (
        *("advise", "--length", "64", "--data", path),
    ),
    "train --data": lambda folder, path: ("train", "forecast", "--data", path),
    "benchmark score": lambda folder, path: ("benchmark", "score", path),
}
SUFFIXES = (".npz", ".safetensors", ".msgpack", ".csv", ".npy", ".json", ".toml")


def a_pipe(path):
    os.mkfifo(path)


def a_loop(path):
    path.symlink_to(path)


def a_device(path):
    path.symlink_to("/dev/zero")


def a_folder(path):
    path.mkdir()


@pytest.mark.sampled(kind="command")
@pytest.mark.parametrize("make", [a_pipe, a_loop, a_device, a_folder])
@pytest.mark.parametrize("command", PLACES)
def test_what_is_no_regular_file_is_refused_at_once(tmp_path, command, make):
    for suffix in SUFFIXES:
        path = tmp_path / f"x{suffix}"
        make(path)
        line = refused(*PLACES[command](tmp_path, path))
        assert str(path) in line, line


@pytest.mark.parametrize("option", ["--json", "--html"])
def test_a_loop_of_links_to_write_to_is_refused(tmp_path, option):
    path = tmp_path / "loop.json"
    a_loop(path)
    data = series(tmp_path)
    line = refused("audit", checkpoint(tmp_path), "--data", data, option, path)
    assert str(path) in line
    assert stat.S_ISLNK(path.lstat().st_mode)


# --- numbers at the end of the range ------------------------------------------------


@pytest.mark.parametrize("size", [1e-300, 1e300, 1.7e308])
@pytest.mark.parametrize("seed", [0, 1])
def test_series_of_any_size_are_standardised(tmp_path, size, seed):
    draws = np.random.default_rng(seed).uniform(-1, 1, (400, 2))
    draws[:2] = [[1, -1], [-1, 1]]
    expected = load_series(series(tmp_path, draws), 8)
    loaded = load_series(series(tmp_path, draws * size), 8)
    np.testing.assert_allclose(loaded.values, expected.values, rtol=1e-12)
    assert loaded.names == expected.names


@pytest.mark.parametrize("size", [1e151, 1.7e308])
def test_a_table_of_numbers_too_large_is_refused_by_column(tmp_path, size):
    path = tmp_path / "table.csv"
    rows = [
        f"2020-01-{day:02},{day % 3},{size * (-1) ** day!r}" for day in range(1, 31)
    ]
    path.write_text("\n".join(["time,a,b", *rows]))
    assert "got larger ones in 'b'" in refused("train", "forecast", "--data", path)
