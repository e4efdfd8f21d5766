"""The GPU kernel as machine code: it keeps its states in registers and wastes little."""

import functools
import importlib.util

import jax
import numpy as np
import pytest

from sigprop.inputs import AR1
from sigprop.neuron import gpu_kernel
from sigprop.numerics.extras import command
from sigprop.numerics.precision import double_precision
from tests import gpu_code

NEURONS = 64
# Registers, in eights, that leave room for 12 and 11 warps of 32 threads on a processor
# of a H100, of its 65536.
REGISTERS = {
    char: 65536 // (32 * warps) // 8 * 8 for char, warps in (("f", 12), ("d", 11))
}
# Instructions a neuron and step, and the share of fused multiply-adds among them: of the
# precision, real or complex eigenvalues, and whether squares are summed.  Draws cost 190
# instructions in single precision and 440 in double, which 8 to 32 neurons share.
LIMITS = {
    ("f", "complex", False): (22, 0.35),
    ("f", "real", False): (8, 0.35),
    ("f", "complex", True): (35, 0.35),
    ("d", "complex", False): (67, 0.2),
    ("d", "real", False): (31, 0.15),
}
H100 = 132 * 128 * 1.98e9  # instructions of all threads in a second


def lowered(char, kind, running, shared=True):
    """The kernel's text in Triton's language, of a program that is lowered for CUDA."""
    looks = functools.partial(
        gpu_kernel.looks,
        process=AR1(0.9),
        times=(64, 200),
        batch=300,
        running=running,
    )
    with double_precision(char == "d"):
        dtype = np.dtype(char if kind == "real" else char.upper())
        lam = jax.ShapeDtypeStruct((NEURONS, 1 if shared else 300), dtype)
        key = jax.eval_shape(lambda: jax.random.key(0))
        return gpu_code.kernels(jax.jit(looks), key, lam)


@pytest.mark.parametrize("case", LIMITS, ids=str)
def test_it_lowers_to_one_kernel_without_barriers(case):
    ((text, warps),) = lowered(*case)
    assert warps == gpu_kernel.LANES // 32
    for word in ("tt.load", "tt.store", "scf.for"):
        assert word in text
    for word in ("tt.reduce", "tt.dot", "gpu.barrier"):
        assert word not in text


@pytest.mark.slow
@pytest.mark.parametrize("case", LIMITS, ids=str)
def test_it_stays_in_registers_and_wastes_few_instructions(
    case, tmp_path, record_property
):
    if importlib.util.find_spec("triton") is None:
        pytest.skip(f"needs triton; run {command('gpu-check')}")
    ((text, warps),) = lowered(*case)
    code = gpu_code.read(gpu_code.compiled(text, warps, tmp_path), tmp_path)
    char, kind, running = case
    most, fused = LIMITS[case]
    block = gpu_kernel.NEURONS[char, 1 if kind == "real" else 2] // (1 + running)
    each = len(code.loop) / block
    record_property("neuron-steps a second on a H100, at most", H100 / each)
    print(
        f"{case}: {code.registers} registers, {len(code.loop)} instructions a step, "
        f"{each:.1f} a neuron and step, {code.fused():.1%} fused; "
        f"at most {H100 / each:.2g} neuron-steps a second on a H100"
    )
    assert code.registers <= REGISTERS[char]
    assert (code.spilled, code.shared) == (0, 0)
    assert each <= most
    assert code.fused() >= fused


def test_the_innermost_long_loop_is_found():
    lines = [".L_x_1:", *["/*0010*/ FADD R1, R2 ;"] * 20, ".L_x_2:"]
    lines += [*["/*0020*/ FFMA R1, R2 ;"] * 12, "/*0030*/ @P0 BRA `(.L_x_2) ;"]
    lines += ["/*0040*/ BRA `(.L_x_1) ;", ".L_x_3:", "/*0050*/ BRA `(.L_x_3);"]
    loop = gpu_code.innermost("\n".join(lines))
    assert len(loop) == 13
    assert gpu_code.Code(1, 0, 0, loop).fused() == 12 / 13
