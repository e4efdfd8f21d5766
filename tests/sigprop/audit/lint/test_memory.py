"""A checkpoint is read by its header, and its numbers a piece at a time."""

import json
import re
import struct
import subprocess
import sys
import tracemalloc
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sigprop.audit.lint import Settings, lint
from sigprop.networks.foreign import open_checkpoint, survey
from tests.sigprop.audit.lint import healthy

MIB = 1 << 20


def written(path, arrays, holes):
    """A safetensors file with arrays, and matrices of bfloat16 that take no space on disk."""
    header, end = {}, 0
    sizes = {name: ("F32", a.shape, 4 * a.size) for name, a in arrays.items()}
    sizes |= {n: ("BF16", s, 2 * int(np.prod(s))) for n, s in holes.items()}
    for name, (dtype, shape, size) in sizes.items():
        header[name] = {
            "dtype": dtype,
            "shape": list(shape),
            "data_offsets": [end, end + size],
        }
        end += size
    text = json.dumps(header).encode()
    with path.open("wb") as stream:
        stream.write(struct.pack("<Q", len(text)) + text)
        for array in arrays.values():
            stream.write(np.asarray(array, "<f4").tobytes())
        stream.truncate(8 + len(text) + end)


def sharded(folder, layers, width, vocabulary):
    """A Mamba in two shards, with its index."""
    weight_map = {}
    for shard in (0, 1):
        arrays = {}
        holes = {f"embedding.{shard}.weight": (vocabulary, width)}
        for i in range(shard * layers // 2, (shard + 1) * layers // 2):
            layer = healthy.mamba1(np.random.default_rng(i), d=2 * width, rank=16)
            arrays |= {f"layers.{i}.mixer.{n}": array for n, array in layer.items()}
            holes[f"layers.{i}.mixer.in_proj.weight"] = (4 * width, width)
        name = f"model-{shard}.safetensors"
        written(folder / name, arrays, holes)
        weight_map |= dict.fromkeys([*arrays, *holes], name)
    index = folder / "model.safetensors.index.json"
    index.write_text(json.dumps({"weight_map": weight_map}))
    return sum(file.stat().st_size for file in folder.glob("*.safetensors"))


def test_names_and_shapes_alone_tell_what_a_checkpoint_holds(tmp_path):
    sharded(tmp_path, layers=4, width=64, vocabulary=1000)
    checkpoint = open_checkpoint(tmp_path)

    def unread():
        raise AssertionError("numbers were read")

    blind = {n: replace(t, pieces=unread) for n, t in checkpoint.tensors.items()}
    layers = survey(replace(checkpoint, tensors=blind)).layers
    assert [layer.prefix for layer in layers] == [f"layers.{i}.mixer" for i in range(4)]
    with pytest.raises(AssertionError, match="numbers were read"):
        layers[0].rest()


def test_lint_holds_a_few_pieces_of_a_large_file_in_memory(tmp_path):
    size = sharded(tmp_path, layers=16, width=512, vocabulary=100_000)
    assert size > 200 * MIB
    lint(open_checkpoint(tmp_path), Settings())  # imports and compiles
    tracemalloc.start()
    try:
        report = lint(open_checkpoint(tmp_path), Settings())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(report.layers) == 16
    assert report.graver == ()
    assert peak < 24 * MIB


def test_a_nan_in_the_last_number_of_a_large_matrix_is_found(tmp_path):
    sharded(tmp_path, layers=2, width=512, vocabulary=20_000)
    last = tmp_path / "model-1.safetensors"
    content = bytearray(last.read_bytes())
    content[-2:] = struct.pack("<H", 0x7FC0)  # a NaN of bfloat16
    last.write_bytes(content)
    report = lint(open_checkpoint(tmp_path), Settings())
    (finding,) = report.graver
    assert (finding.rule.id, finding.layer) == (
        "weights-not-finite",
        "layers.1.mixer.in_proj.weight",
    )


@pytest.mark.slow
@pytest.mark.skipif(
    not Path("/proc/self/status").is_file(),
    reason="needs /proc, which tells the memory",
)
def test_three_gibibytes_in_shards_take_at_most_300_mib(tmp_path):
    size = sharded(tmp_path, layers=64, width=2048, vocabulary=130_000)
    assert size > 3 << 30
    code = (
        "import sys; from sigprop.__main__ import main\n"
        "try: main()\n"
        "finally: print(open('/proc/self/status').read(), file=sys.stderr)"
    )
    command = [sys.executable, "-c", code, "lint", str(tmp_path), "--length", "2048"]
    process = subprocess.run(command, capture_output=True, text=True)
    assert process.returncode == 0, process.stderr
    peak = int(re.search(r"VmHWM:\s+(\d+) kB", process.stderr)[1])
    print(f"{size / MIB:.0f} MiB in {peak / 1024:.0f} MiB")
    assert peak < 300 * 1024
