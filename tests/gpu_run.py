"""Run on the CPU what Triton makes of a kernel of Pallas, before it is machine code.

Triton's last text but PTX is a program of LLVM for one thread.  It runs on any processor
once its loads and stores, which are lines of PTX, are plain ones, and its special
registers are variables.  This shows what interpreting cannot: which bytes a thread
touches, and the functions that Triton links in.  Products and sums are fused later, in
machine code.  Kernels must have no shared memory and no exchange between threads.
"""

import ctypes
import itertools
import re
import struct
from typing import Any

import jax
import numpy as np

from tests import gpu_code

ASM = re.compile(
    r'call (?P<kind>\w+) asm sideeffect "(?P<code>[^"]*)", "[^"]*"\((?P<values>.*)\)'
)
GUARD = 4096  # bytes around each array that no thread may touch
REGISTERS = ("tid.x", "ctaid.x", "ctaid.y", "ctaid.z")

# Accesses are looked up in a map of the bytes that belong to arrays.
MEMORY = """
@arena = global i64 0
@size = global i64 0
@allowed = global i64 0
@refused = global i64 0

define i1 @allows(ptr %p) {
  %at = ptrtoint ptr %p to i64
  %base = load i64, ptr @arena
  %end = load i64, ptr @size
  %offset = sub i64 %at, %base
  %inside = icmp ult i64 %offset, %end
  br i1 %inside, label %look, label %no
look:
  %map = load i64, ptr @allowed
  %place = add i64 %map, %offset
  %flag = inttoptr i64 %place to ptr
  %value = load i8, ptr %flag
  %ok = icmp ne i8 %value, 0
  br i1 %ok, label %yes, label %no
yes:
  ret i1 true
no:
  %count = load i64, ptr @refused
  %more = add i64 %count, 1
  store i64 %more, ptr @refused
  ret i1 false
}
"""
ACCESS = """
define {t} @load_{t}({t} %other, ptr %p, i1 %there) {{
  br i1 %there, label %look, label %no
look:
  %ok = call i1 @allows(ptr %p)
  br i1 %ok, label %yes, label %no
yes:
  %value = load {t}, ptr %p
  ret {t} %value
no:
  ret {t} %other
}}
define void @store_{t}({t} %value, ptr %p, i1 %there) {{
  br i1 %there, label %look, label %no
look:
  %ok = call i1 @allows(ptr %p)
  br i1 %ok, label %yes, label %no
yes:
  store {t} %value, ptr %p
  ret void
no:
  ret void
}}
"""
# A sum in double precision is exact; cut to 24 bits it is rounded towards zero.
TOWARDS_ZERO = """
  %x = fpext float %a to double
  %y = fpext float %b to double
  %sum = fadd double %x, %y
  %bits = bitcast double %sum to i64
  %cut = and i64 %bits, -536870912
  %near = bitcast i64 %cut to double
  %r = fptrunc double %near to float
  ret float %r
"""
# A number of double precision as two words, and back.
WORDS = {
    "llvm.nvvm.d2i.lo": """
define i32 @nvvm.d2i.lo(double %a) {
  %bits = bitcast double %a to i64
  %r = trunc i64 %bits to i32
  ret i32 %r
}
""",
    "llvm.nvvm.d2i.hi": """
define i32 @nvvm.d2i.hi(double %a) {
  %bits = bitcast double %a to i64
  %high = lshr i64 %bits, 32
  %r = trunc i64 %high to i32
  ret i32 %r
}
""",
    "llvm.nvvm.lohi.i2d": """
define double @nvvm.lohi.i2d(i32 %a, i32 %b) {
  %low = zext i32 %a to i64
  %word = zext i32 %b to i64
  %high = shl i64 %word, 32
  %bits = or i64 %high, %low
  %r = bitcast i64 %bits to double
  ret double %r
}
""",
}
INFINITE = {
    "+inf": "7FF0000000000000",
    "-inf": "FFF0000000000000",
    "+qnan": "7FF8000000000000",
    "-qnan": "FFF8000000000000",
}
PLAIN = {"fma": "llvm.fma", "fabs": "llvm.fabs", "sqrt": "llvm.sqrt"}


def host(text: str) -> str:
    """A kernel of LLVM for NVIDIA as one for this processor."""
    text = re.sub(r"(, )?!dbg !\d+", "", text).replace("ptr addrspace(1)", "ptr")
    text = re.sub(r"(?m)^(target|!).*\n", "", text).replace("ptx_kernel ", "")
    text = re.sub(r"\bf0x([0-9A-F]+)", _number, text)
    for word, bits in INFINITE.items():
        text = text.replace(f" {word}", f" 0x{bits}")
    body = "\n".join(map(_access, text.splitlines()))
    for register in REGISTERS:
        name = f"@llvm.nvvm.read.ptx.sreg.{register}"
        body = re.sub(rf"(?m)^declare.*{re.escape(name)}\(.*\n", "", body)
        body = body.replace(f"{name}(", f'@"{register}"(')
    found = set(re.findall(r"@(llvm\.nvvm\.[\w.]+|__nvvm_reflect)\(", body))
    body = re.sub(r"(?m)^declare.*@(llvm\.nvvm|__nvvm_reflect).*\n", "", body)
    parts = [MEMORY, *(ACCESS.format(t=t) for t in ("i32", "i64"))]
    parts += [
        f'@"at {name}" = global i32 0\ndefine i32 @"{name}"() {{\n'
        f'  %v = load i32, ptr @"at {name}"\n  ret i32 %v\n}}\n'
        for name in REGISTERS
    ]
    parts += [_function(name) for name in sorted(found)]
    whole = body.replace("@llvm.nvvm.", "@nvvm.") + "".join(parts)
    # Each is declared once.
    declared = dict.fromkeys(re.findall(r"(?m)^declare .*\n", whole))
    one = {re.findall(r"@[\w.]+", line)[0]: line for line in declared}
    return re.sub(r"(?m)^declare .*\n", "", whole) + "".join(one.values())


def _number(match: re.Match) -> str:
    """A number of LLVM 23 in the words of LLVM 22, as one of double precision."""
    bits = bytes.fromhex(match[1])
    (value,) = struct.unpack(">f" if len(bits) == 4 else ">d", bits)
    return f"0x{struct.pack('>d', value).hex().upper()}"


def _access(line: str) -> str:
    """A line of PTX as a call."""
    match = ASM.search(line)
    if match is None:
        return line
    code, values = match["code"], match["values"]
    kind = "load" if "ld.global" in code else "store" if "st.global" in code else code
    (size,) = re.findall(r"\.b(32|64)", code)
    if kind == "load" and "@$" not in code:
        values = f"i{size} 0, {values}"
    if "@$" not in code:
        values = f"{values}, i1 true"
    call = f"call {match['kind']} @{kind}_i{size}({values})"
    return line[: match.start()].replace("tail ", "") + call


def _function(name: str) -> str:
    if name == "__nvvm_reflect":
        return "define i32 @__nvvm_reflect(ptr %s) {\n  ret i32 0\n}\n"
    if name in WORDS:
        return WORDS[name]
    operation, *rest = name.removeprefix("llvm.nvvm.").split(".")
    kind, short = ("double", "f64") if rest[-1] == "d" else ("float", "f32")
    count = {"fma": 3, "add": 2}.get(operation, 1)
    letters = "abc"[:count]
    given = ", ".join(f"{kind} %{letter}" for letter in letters)
    head = f"define {kind} @{name.replace('llvm.nvvm', 'nvvm')}({given}) {{\n"
    if operation == "add" and rest[0] == "rz" and kind == "float":
        return f"{head}{TOWARDS_ZERO}}}\n"
    if operation == "rcp":
        return f"{head}  %r = fdiv {kind} 1.0, %a\n  ret {kind} %r\n}}\n"
    plain = f"{PLAIN[operation]}.{short}"
    same = ", ".join([kind] * count)
    call = f"  %r = call {kind} @{plain}({given})\n  ret {kind} %r\n}}\n"
    return f"declare {kind} @{plain}({same})\n{head}{call}"


class Arena:
    """Arrays in one piece of memory, with guards between them."""

    def __init__(self, arrays):
        sizes = [-(-array.nbytes // 64) * 64 + GUARD for array in arrays]
        self.memory = np.full(GUARD + sum(sizes), 0xFF, np.uint8)  # no numbers
        self.allowed = np.zeros(len(self.memory), np.uint8)
        self.places = np.cumsum([GUARD, *sizes[:-1]])
        for place, array in zip(self.places, arrays, strict=True):
            self.memory[place : place + array.nbytes] = array.ravel().view(np.uint8)
            self.allowed[place : place + array.nbytes] = 1

    def addresses(self):
        return [self.memory.ctypes.data + int(place) for place in self.places]

    def read(self, index, like):
        place = self.places[index]
        values = self.memory[place : place + like.nbytes].view(like.dtype)
        return values.reshape(like.shape).copy()


def run(text: str, threads: int, grid, given, shapes) -> tuple[list[np.ndarray], int]:
    """What all threads of a kernel write, and how many accesses are refused.

    Args:
        text: Of LLVM, for NVIDIA.
        threads: Of a program.
        grid: Of programs, of at most three axes.
        given: Arrays that the kernel reads.
        shapes: Of those that it writes.
    """
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    text = host(text)
    module = llvm.parse_assembly(text)
    module.verify()
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2)
    engine = llvm.create_mcjit_compiler(module, machine)
    engine.finalize_object()
    out = [np.full(s.shape, np.nan, s.dtype) for s in shapes]
    arena = Arena([np.ascontiguousarray(array) for array in (*given, *out)])

    def variable(name, kind: Any = ctypes.c_int64):
        return kind.from_address(engine.get_global_value_address(name))

    variable("arena").value = arena.memory.ctypes.data
    variable("size").value = len(arena.memory)
    variable("allowed").value = arena.allowed.ctypes.data
    (count,) = [
        line.split("@_kernel(")[1].count("ptr")
        for line in text.splitlines()
        if line.startswith("define") and "@_kernel(" in line
    ]
    addresses = [*arena.addresses(), *[0] * count][:count]
    kernel = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * count)(
        engine.get_function_address("_kernel")
    )
    at = {name: variable(f"at {name}", ctypes.c_int32) for name in REGISTERS}
    for where in itertools.product(*map(range, grid)):
        for name, index in zip(REGISTERS[1:], where, strict=False):
            at[name].value = index
        for thread in range(threads):
            at["tid.x"].value = thread
            kernel(*addresses)
    written = [arena.read(len(given) + i, like) for i, like in enumerate(out)]
    return written, variable("refused").value


def replacing(pallas_call, folder, refused: list[int]):
    """A ``pallas_call`` that runs kernels in this way, on arrays and not on traces."""

    def replaced(kernel, *, grid, out_shape, **options):
        def call(*given):
            program = jax.jit(
                pallas_call(kernel, grid=grid, out_shape=out_shape, **options)
            )
            ((text, warps),) = gpu_code.kernels(program, *given)
            made = gpu_code.compiled(text, warps, folder).asm["llir"]
            shapes, tree = jax.tree.flatten(out_shape)
            arrays = [np.asarray(leaf) for leaf in jax.tree.leaves(given)]
            written, count = run(made, 32 * warps, grid, arrays, shapes)
            refused.append(count)
            return jax.tree.unflatten(tree, map(jax.numpy.asarray, written))

        return call

    return replaced
