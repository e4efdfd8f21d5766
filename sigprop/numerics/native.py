"""Small programs for LLVM, compiled in this process by llvmlite.

No compiler is needed and nothing is kept on disk; where llvmlite has no wheel, callers
ask ``available`` and do without.
"""

import ctypes
import functools
import importlib
from collections.abc import Callable, Sequence
from typing import Any

VECTOR = 64  # bytes of the vectors that programs name, whatever the machine's are


@functools.cache
def llvmlite(part: str) -> Any:
    """A part of llvmlite, or nothing where no wheel exists for this machine."""
    try:
        return importlib.import_module(f"llvmlite.{part}")
    except ImportError:
        return None


def available() -> bool:
    """Whether this machine can compile programs."""
    return llvmlite("binding") is not None


def compile_function(module: Any, name: str, *kinds: Any) -> Callable[..., None]:
    """The machine code of a function without result; it holds no lock while it runs.

    Args:
        module: A module of ``llvmlite.ir``.
        name: Of the function in it.
        kinds: Types of the function's arguments, from ``ctypes``.
    """
    llvm = llvmlite("binding")
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
    )
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(str(module)), machine)
    engine.finalize_object()
    found: Any = ctypes.CFUNCTYPE(None, *kinds)(engine.get_function_address(name))
    found.engine = engine  # the code lives as long as its engine
    return found


def repeat(
    build: Any, count: Any, values: Sequence[Any], body: Callable[..., Sequence[Any]]
) -> list[Any]:
    """Write the loop ``values = body(index, values)`` for each index below ``count``.

    Returns:
        The values after it.
    """
    ir = llvmlite("ir")
    before = build.block
    head, inside, after = (build.append_basic_block() for _ in range(3))
    build.branch(head)
    build.position_at_end(head)
    index, *now = [build.phi(one.type) for one in (count, *values)]
    build.cbranch(build.icmp_signed("<", index, count), inside, after)
    build.position_at_end(inside)
    new = body(index, now)
    following = build.add(index, ir.Constant(count.type, 1))
    first = (ir.Constant(count.type, 0), *values)
    for phi, start, end in zip((index, *now), first, (following, *new), strict=True):
        phi.add_incoming(start, before)
        phi.add_incoming(end, build.block)
    build.branch(head)
    build.position_at_end(after)
    return now


def multiply_add(
    module: Any, build: Any, vector: Any
) -> Callable[[Any, Any, Any], Any]:
    """Writes ``a b + c`` of three vectors, fused where the machine can."""
    ir = llvmlite("ir")
    bits = 32 if isinstance(vector.element, ir.FloatType) else 64
    kind = ir.FunctionType(vector, 3 * [vector])
    fused = ir.Function(module, kind, f"llvm.fmuladd.v{vector.count}f{bits}")
    return lambda a, b, c: build.call(fused, (a, b, c))
