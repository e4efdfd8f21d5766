"""The diagonal recurrence and its sensitivity on the CPU, in vector registers.

A program for LLVM, compiled within a tenth of a second.  A vector holds one neuron in as
many sequences as fill 64 bytes; time is the innermost loop, during which states,
sensitivities and running sums of a few neurons stay in registers, so that the one's
arithmetic hides the latency of the other's.  A machine with narrower registers takes
several for a vector and gets the same numbers, but for the rounding of fused products
where it has none.

The recurrence is ``s_t = lam s_{t-1} + h_{t-1}``, ``h_t = lam h_{t-1} + x_t``: a factor on
the inputs is one on states and sensitivities, and is left to the caller.
"""

import ctypes
import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from sigprop.numerics.native import (
    VECTOR,
    Task,
    compile_function,
    llvmlite,
    multiply_add,
    over_cores,
    repeat,
)

TOGETHER = 2  # neurons a pass through time
Floats = Float[np.ndarray, "..."]


def lanes(dtype: Any) -> int:
    """Sequences in a vector of real numbers of a type."""
    return VECTOR // np.dtype(dtype).itemsize


class Carry:
    """Eigenvalues and states of neurons in sequences, laid out for the kernel.

    Args:
        lam: Complex eigenvalues, (n, 1) for all sequences or (n, batch).
        batch: Number of sequences.
        running: Whether to add up the squares of states and sensitivities.
    """

    def __init__(self, lam: np.ndarray, batch: int, running: bool = False):
        self.neurons, self.batch = lam.shape[0], batch
        re, im = np.real(lam), np.imag(lam)
        self.dtype = re.dtype
        self.real, self.running = not im.any(), running
        width = lanes(self.dtype)
        self.blocks = -(-batch // width)
        self.padded = -(-self.neurons // TOGETHER) * TOGETHER
        lam_batch = lam.shape[1]
        columns = self.blocks * width if lam_batch > 1 else width
        parts = [re] if self.real else [re, im]
        values = np.zeros((len(parts), self.padded, columns), self.dtype)
        values[:, : self.neurons, : lam_batch if lam_batch > 1 else columns] = parts
        self.lam = _in_blocks(values, width)
        self.lam_stride = self.lam[0].size if lam_batch > 1 else 0
        self.state = np.zeros(
            (self.blocks, self.padded, _carried(self.real, running), width), self.dtype
        )

    def advance(
        self, x: Float[np.ndarray, "steps sequences"], draw: Task | None = None
    ) -> None:
        """Take the steps of some inputs, shared by all neurons of a sequence.

        Args:
            x: Inputs of the batch, and of no or all sequences that fill its last block.
            draw: Writes the inputs of some blocks, just before they are taken.
        """
        width = self.state.shape[-1]
        if short := self.blocks * width - x.shape[1]:
            x = np.pad(x, ((0, 0), (0, short)))
        x = np.ascontiguousarray(x, self.dtype)
        compiled = _compiled(self.dtype.char, self.real, self.running)

        def part(first: int, count: int) -> None:
            if draw is not None:
                draw(first, count)
            compiled(
                x.ctypes.data,
                x.shape[0],
                x.shape[1],
                first,
                count,
                self.lam.ctypes.data,
                self.lam_stride,
                self.state.ctypes.data,
                self.padded // TOGETHER,
            )

        over_cores(part, self.blocks, x.size * self.neurons)

    def parts(self) -> list[np.ndarray]:
        """States, sensitivities and, if running, both sums: arrays (n, batch) each."""
        held = self.state[:, : self.neurons].transpose(2, 1, 0, 3)
        values = held.reshape(*held.shape[:2], -1)[..., : self.batch]
        if self.real:
            return list(values)
        h, s = values[0] + 1j * values[1], values[2] + 1j * values[3]
        return [h, s, *values[4:]]


def _in_blocks(values: Floats, width: int) -> Floats:
    """From (parts, n, columns) to (blocks, n, parts, width)."""
    parts, n, columns = values.shape
    cut = values.reshape(parts, n, columns // width, width)
    return np.ascontiguousarray(cut.transpose(2, 1, 0, 3))


def _carried(real: bool, running: bool) -> int:
    return (2 if real else 4) + 2 * running


@functools.cache
def _compiled(char: str, real: bool, running: bool) -> Callable[..., None]:
    """The machine code for one precision."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    kinds = (place, *4 * [number], place, number, place, number)
    return compile_function(_program(char, real, running), "advance", *kinds)


def _program(char: str, real: bool, running: bool) -> Any:
    """The kernel as a module of LLVM; see ``Carry.advance`` for its arguments."""
    ir = llvmlite("ir")
    number = ir.FloatType() if char == "f" else ir.DoubleType()
    width = lanes(char)
    vector, long = ir.VectorType(number, width), ir.IntType(64)
    numbers = number.as_pointer()
    module = ir.Module("moments")
    kind = ir.FunctionType(
        ir.VoidType(), [numbers, *4 * [long], numbers, long, numbers, long]
    )
    function = ir.Function(module, kind, "advance")
    x, steps, stride, start, blocks, lam, lam_stride, state, pairs = function.args
    build = ir.IRBuilder(function.append_basic_block())
    fused = multiply_add(build, vector)
    size, held = 1 if real else 2, _carried(real, running)
    zero = ir.Constant(vector, None)

    def offset(start: Any, index: Any, length: Any) -> Any:
        length = ir.Constant(long, length) if isinstance(length, int) else length
        return build.gep(start, [build.mul(index, length)])

    def places(start: Any, count: int) -> list[Any]:
        return [
            build.bitcast(
                build.gep(start, [ir.Constant(long, i * width)]), vector.as_pointer()
            )
            for i in range(count)
        ]

    def load(start: Any, count: int) -> list[Any]:
        align = np.dtype(char).itemsize
        return [build.load(place, align=align) for place in places(start, count)]

    def times(a: Sequence[Any], z: Sequence[Any], plus: Sequence[Any]) -> list[Any]:
        """``a z + plus``, all real or all complex."""
        if real:
            return [fused(a[0], z[0], plus[0])]
        return [
            fused(build.fneg(a[1]), z[1], fused(a[0], z[0], plus[0])),
            fused(a[1], z[0], fused(a[0], z[1], plus[1])),
        ]

    def plus_square(z: Sequence[Any], total: Any) -> Any:
        return functools.reduce(lambda sum_, part: fused(part, part, sum_), z, total)

    def step(a: Sequence[Any], now: Sequence[Any], x: Any) -> list[Any]:
        h, s, sums = now[:size], now[size : 2 * size], now[2 * size :]
        s = times(a, s, h)
        h = times(a, h, [x] if real else [x, zero])
        return [*h, *s, *map(plus_square, (h, s), sums)]

    def block(index: Any, _: Any) -> list[Any]:
        index = build.add(index, start)
        inputs = offset(x, index, width)
        roots = offset(lam, index, lam_stride)
        neuron = TOGETHER * held * width
        states = offset(state, index, build.mul(pairs, ir.Constant(long, neuron)))

        def neurons(pair: Any, _: Any) -> list[Any]:
            a = load(offset(roots, pair, TOGETHER * size * width), TOGETHER * size)
            carry = offset(states, pair, neuron)

            def advance(t: Any, now: Sequence[Any]) -> list[Any]:
                (x_t,) = load(offset(inputs, t, stride), 1)
                parts = zip(_parts(a, size), _parts(now, held), strict=True)
                return [value for part in parts for value in step(*part, x_t)]

            ends = repeat(build, steps, load(carry, TOGETHER * held), advance)
            for value, place in zip(ends, places(carry, TOGETHER * held), strict=True):
                build.store(value, place, align=np.dtype(char).itemsize)
            return []

        repeat(build, pairs, [], neurons)
        return []

    repeat(build, blocks, [], block)
    build.ret_void()
    return module


def _parts(values: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [values[start : start + size] for start in range(0, len(values), size)]
