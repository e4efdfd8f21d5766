"""Machine code that Triton makes of a kernel of Pallas, on a machine without a GPU.

JAX lowers a kernel to Triton's language inside the program that it exports.  Pip's
``triton`` compiles it for a GPU that need not be there, and brings the programs of
CUDA that read the machine code.  On a device the Triton inside XLA compiles it, of
another version.
"""

import re
import subprocess
from typing import NamedTuple

from jaxlib.mlir import ir

CAPABILITY = 90  # of H100 and H200
CALL = "__gpu$xla.gpu.triton"
INSTRUCTION = re.compile(r"^\s*/\*[0-9a-f]{4,}\*/\s+(?P<text>.*?) *;")
LABEL = re.compile(r"^\s*\.(?P<label>L_x_\d+):")
TARGET = re.compile(r"\bBRA\b.*\(\.(?P<label>L_x_\d+)\)")


class Code(NamedTuple):
    """What the machine code of a kernel takes."""

    registers: int  # of a thread
    spilled: int  # bytes of a thread in memory, for want of registers
    shared: int  # bytes of shared memory
    loop: list[str]  # instructions of the innermost long loop

    def fused(self) -> float:
        """Share of fused multiply-adds among the instructions of the loop."""
        fused = [text for text in self.loop if re.search(r"\b[FD]FMA\b", text)]
        return len(fused) / len(self.loop)


def kernels(program, *arguments) -> list[tuple[str, int]]:
    """The kernels of a program that is lowered for CUDA: Triton's text, and warps."""
    lowered = program.trace(*arguments).lower(lowering_platforms=("cuda",))
    calls = []

    def look(operation):
        target = operation.attributes
        if "call_target_name" in target and CALL in str(target["call_target_name"]):
            config = target["mhlo.backend_config"]
            calls.append((_text(config["ir"]), ir.IntegerAttr(config["num_warps"])))
        return ir.WalkResult.ADVANCE

    lowered.compiler_ir().operation.walk(look)
    return [(text, warps.value) for text, warps in calls]


def _text(code) -> str:
    from jaxlib.triton import dialect

    with ir.Context() as context:
        dialect.register_dialect(context)
        return str(ir.Module.parse(ir.StringAttr(code).value_bytes))


def compiled(text: str, warps: int, folder):
    """A kernel compiled by Triton, with fused multiply-adds."""
    import triton
    from triton.backends.compiler import GPUTarget

    file = folder / "kernel.ttir"
    file.write_text(text)
    # Versions of Triton differ in whether they fuse by default.
    options = {"num_warps": warps, "num_stages": 1, "enable_fp_fusion": True}
    target = GPUTarget("cuda", CAPABILITY, 32)
    return triton.compile(str(file), target=target, options=options)


def read(kernel, folder) -> Code:
    """What the machine code of a compiled kernel takes."""
    from triton import knobs

    binary = folder / "kernel.cubin"
    binary.write_bytes(kernel.asm["cubin"])
    usage = _output(knobs.nvidia.cuobjdump.path, "--dump-resource-usage", binary)
    numbers = {name: int(n) for name, n in re.findall(r"\b([A-Z]+):(\d+)", usage)}
    listing = _output(knobs.nvidia.nvdisasm.path, "-c", binary)
    return Code(
        numbers["REG"],
        numbers["STACK"] + numbers["LOCAL"],
        numbers["SHARED"] + kernel.metadata.shared,
        innermost(listing),
    )


def innermost(listing: str) -> list[str]:
    """Instructions of the shortest loop that has more than ten."""
    instructions: list[str] = []
    labels: dict[str, int] = {}
    loops = []
    for line in listing.splitlines():
        if label := LABEL.match(line):
            labels[label["label"]] = len(instructions)
        elif found := INSTRUCTION.match(line):
            instructions.append(found["text"])
            target = TARGET.search(found["text"])
            if target and target["label"] in labels:
                loops.append(instructions[labels[target["label"]] :])
    return min((loop for loop in loops if len(loop) > 10), key=len)


def _output(*command) -> str:
    return subprocess.run(
        list(map(str, command)), capture_output=True, text=True, check=True
    ).stdout
