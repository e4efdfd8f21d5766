"""The recurrence's kernel as machine code: it asks for many rows before it computes."""

import functools
import importlib.util
import re

import jax
import numpy as np
import pytest

from sigprop.neuron import gpu_scan
from sigprop.numerics.extras import command
from sigprop.numerics.precision import double_precision
from tests import gpu_code

LENGTH, N = 3000, 40  # neurons leave lanes of the last block idle
SEQUENCES = {1: 3, 1024: 1}  # and the passes that they make
# Registers that leave room for 24 warps of 32 threads on a processor of a H100, of its
# 65536; the memory is busy with 9, each of which waits for 64 bytes a thread.
REGISTERS = 65536 // (32 * 24) // 8 * 8
OPTIONS = [  # precision, parts, whether eigenvalues vary, and whether there are resets
    ("f", 1, False, False),
    ("f", 2, False, False),
    ("f", 1, True, True),
    ("f", 2, True, False),
    ("f", 2, True, True),
    ("d", 1, False, True),
    ("d", 2, False, False),
    ("d", 2, True, True),
]
CASES = [(*options, sequences) for options in OPTIONS for sequences in SEQUENCES]


def lowered(char, parts, varying, resets, sequences):
    """The adjoint's passes in Triton's language, of a program lowered for CUDA."""
    solve = functools.partial(gpu_scan.solve, reverse=True, adjoint=True)
    mapped = jax.vmap(solve, (None, 0, None))
    with double_precision(char == "d"):
        rows = (LENGTH,) if varying else ()
        lam = jax.ShapeDtypeStruct((*rows, parts, N), np.dtype(char))
        x = jax.ShapeDtypeStruct((sequences, LENGTH, parts, N), np.dtype(char))
        forgets = jax.ShapeDtypeStruct((LENGTH,), bool) if resets else None
        return gpu_code.kernels(jax.jit(mapped), lam, x, forgets)


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.sampled(4)
def test_it_lowers_to_passes_that_touch_no_idle_lane(case):
    texts = lowered(*case)
    assert len(texts) == SEQUENCES[case[-1]]
    for text, warps in texts:
        assert warps == gpu_scan.LANES // 32
        for word in ("tt.reduce", "tt.dot", "gpu.barrier"):
            assert word not in text
        assert unmasked(text) == []
    # Interpreting shows no access of idle lanes.
    text = texts[0][0]
    assert len(unmasked(re.sub(r"(tt.load %\w+), .* : (tensor)", r"\1 : \2", text))) > 3


def unmasked(text):
    """Loads and stores of all lanes that have no mask."""
    lanes = re.findall(r"tt\.(?:load|store) .* : tensor<\d+x!tt.ptr.*", text)
    assert lanes
    return [line for line in lanes if line.count("%") < (3 if "store" in line else 2)]


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES, ids=str)
def test_it_stays_in_registers_and_asks_for_many_rows_at_once(case, tmp_path):
    if importlib.util.find_spec("triton") is None:
        pytest.skip(f"needs triton; run {command('gpu-check')}")
    for text, warps in lowered(*case):
        code = gpu_code.read(gpu_code.compiled(text, warps, tmp_path), tmp_path)
        bytes_ahead = ahead(code.loop, case[0]) * np.dtype(case[0]).itemsize
        print(
            f"{case}: {code.registers} registers, {len(code.loop)} instructions for "
            f"{gpu_scan.AHEAD} bytes of inputs, {bytes_ahead} bytes asked for at once"
        )
        assert code.registers <= REGISTERS
        assert (code.spilled, code.shared) == (0, 0)
        assert bytes_ahead >= gpu_scan.AHEAD


def ahead(loop, char):
    """Loads of a loop that come before its first product; in double precision of numbers
    alone, in single precision of resets too."""
    first = next(
        i for i, text in enumerate(loop) if re.search(r"\b[FD](FMA|MUL)", text)
    )
    load = "LDG.E.64" if char == "d" else "LDG.E"
    return sum(load in text for text in loop[:first])


def test_loads_ahead_are_counted():
    loop = ["@P0 LDG.E.64 R1", "IADD3", "LDG.E R2", "FFMA R1", "LDG.E R3"]
    assert (ahead(loop, "f"), ahead(loop, "d")) == (2, 1)
