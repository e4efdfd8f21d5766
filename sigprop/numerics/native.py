"""Small programs for LLVM, compiled in this process by llvmlite.

No compiler is needed and nothing is kept on disk; where llvmlite has no wheel, callers
ask ``available`` and do without.
"""

import ctypes
import functools
import importlib
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from itertools import pairwise
from typing import Any

from sigprop.numerics.devices import cores

ENOUGH = 2**20  # numbers, for which a thread is worth its start
VECTOR = 64  # bytes of the vectors that programs name, whatever the machine's are
Task = Callable[[int, int], object]  # what is done with blocks: the first, how many


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
    function: Any = ctypes.CFUNCTYPE(None, *kinds)(engine.get_function_address(name))
    function.engine = engine  # the code lives as long as its engine
    return function


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
    index, *now = [build.phi(value.type) for value in (count, *values)]
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


def over_cores(task: Task, blocks: int, numbers: int) -> None:
    """Call ``task(first, count)`` for all blocks, a thread a core.

    In this thread alone where the ``numbers`` to compute are fewer than ``ENOUGH``.
    """
    parts = min(cores(), blocks) if numbers >= ENOUGH else 1
    ends = [blocks * part // parts for part in range(parts + 1)]
    first, *others = pairwise(ends)
    futures = [_threads().submit(task, a, b - a) for a, b in others]
    try:
        task(first[0], first[1] - first[0])
    finally:
        wait(futures)  # even after an interruption: they write where the caller reads
    for future in futures:
        future.result()


@functools.cache
def _threads() -> ThreadPoolExecutor:
    """Threads beside the caller's, started once."""
    return ThreadPoolExecutor(cores())


class Vector:
    """Numbers of one vector, or one number, that a program computes with operators.

    A number of Python stands for itself in every place.  Shifts to the right take
    zeros in.
    """

    def __init__(self, build: Any, value: Any):
        self.build, self.value = build, value

    def like(self, number: float) -> "Vector":
        """A vector of this one's type, with one number in every place."""
        kind = self.value.type
        count = getattr(kind, "count", None)
        literal = number if count is None else [number] * count
        return Vector(self.build, llvmlite("ir").Constant(kind, literal))

    def _apply(self, real: str, integer: str, other: Any) -> "Vector":
        kind = getattr(self.value.type, "element", self.value.type)
        name = integer if isinstance(kind, llvmlite("ir").IntType) else real
        right = other if isinstance(other, Vector) else self.like(other)
        return Vector(self.build, getattr(self.build, name)(self.value, right.value))

    def __add__(self, other: Any) -> "Vector":
        return self._apply("fadd", "add", other)

    def __mul__(self, other: Any) -> "Vector":
        return self._apply("fmul", "mul", other)

    def __sub__(self, other: Any) -> "Vector":
        return self._apply("fsub", "sub", other)

    def __truediv__(self, other: Any) -> "Vector":
        return self._apply("fdiv", "sdiv", other)

    def __xor__(self, other: Any) -> "Vector":
        return self._apply("", "xor", other)

    def __or__(self, other: Any) -> "Vector":
        return self._apply("", "or_", other)

    def __lshift__(self, other: Any) -> "Vector":
        return self._apply("", "shl", other)

    def __rshift__(self, other: Any) -> "Vector":
        return self._apply("", "lshr", other)

    def __neg__(self) -> "Vector":
        return self * -1

    def __rsub__(self, other: Any) -> "Vector":
        return self.like(other) - self

    __radd__, __rmul__ = __add__, __mul__

    def convert(self, operation: str, element: Any) -> "Vector":
        """This vector with its numbers converted to another type, as by ``zext``."""
        kind = llvmlite("ir").VectorType(element, self.value.type.count)
        return Vector(self.build, getattr(self.build, operation)(self.value, kind))


def intrinsic(build: Any, name: str, result: Any, *arguments: Any) -> Any:
    """The result of a function that LLVM itself provides for a kind of values."""
    module, kinds = build.module, [argument.type for argument in arguments]
    function = module.globals.get(name) or llvmlite("ir").Function(
        module, llvmlite("ir").FunctionType(result, kinds), name
    )
    return build.call(function, arguments)


def multiply_add(build: Any, vector: Any) -> Callable[[Any, Any, Any], Any]:
    """Writes ``a b + c`` of three vectors, fused where the machine can."""
    bits = 32 if isinstance(vector.element, llvmlite("ir").FloatType) else 64
    name = f"llvm.fmuladd.v{vector.count}f{bits}"
    return lambda a, b, c: intrinsic(build, name, vector, a, b, c)
