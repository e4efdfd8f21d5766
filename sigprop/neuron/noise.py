"""Gaussian inputs on the CPU, drawn in vector registers: the draws of ``jax.random``.

The generator is counted, Threefry-2x32 of Salmon et al. (2011), as in JAX: each number
depends on its key and its place alone.  A normal is ``sqrt(2) erfinv(u)`` of a uniform
``u``, and ``erfinv(u) / u`` a smooth function of ``w = -log(1 - u^2)`` near the middle
and of its root in the tails (Giles 2012), here a Chebyshev interpolant.  The process
itself is traced: its ``step`` is called once with vectors that write what it computes
into the program.
"""

import ctypes
import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import scipy
from jax.core import Tracer
from jaxtyping import Float, PRNGKeyArray, UInt32
from numpy.polynomial import chebyshev

from sigprop.inputs import GaussianProcess, White
from sigprop.numerics import native
from sigprop.numerics.devices import on_cpu
from sigprop.numerics.native import (
    VECTOR,
    Task,
    Vector,
    compile_function,
    intrinsic,
    llvmlite,
    multiply_add,
    over_cores,
    repeat,
)

CHUNK = 64  # steps that one key serves, here and in ``sigprop.neuron.montecarlo``
LARGEST = 2**32  # numbers that the lower word of the counter tells apart
ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
MIDDLE = {"f": 5.0, "d": 6.25}  # where the tails begin, in w: beyond one u in 300
DEGREES = {"f": (9, 9), "d": (25, 26)}  # of the interpolants, for rounding's sake
Interpolant = tuple[tuple[float, float], list[float]]


def threefry(key: tuple[Any, Any], counter: tuple[Any, Any]) -> tuple[Any, Any]:
    """Two words of 32 bits from two; 20 rounds.

    Args:
        key: Two words: unsigned integers of NumPy, or ``Vector``.
        counter: Two words of the same kind.
    """
    words = (*key, key[0] ^ key[1] ^ 0x1BD11BDA)
    first, second = counter[0] + words[0], counter[1] + words[1]
    for turn in range(1, 6):
        for bits in ROTATIONS[(turn - 1) % 2]:
            first = first + second
            second = first ^ ((second << bits) | (second >> (32 - bits)))
        first = first + words[turn % 3]
        second = second + words[(turn + 1) % 3] + turn
    return first, second


def folded(
    key: UInt32[np.ndarray, " 2"], first: int, count: int
) -> UInt32[np.ndarray, "count 2"]:
    """The words of ``fold_in(key, first + i)``, and from 0 on of ``split(key)[i]``."""
    index = np.arange(first, first + count, dtype=np.uint32)
    return np.stack(threefry((key[:1], key[1:]), (0 * index, index)), -1)


def normals(
    key: UInt32[np.ndarray, " 2"], width: int, batch: int, dtype: Any
) -> Float[np.ndarray, "width batch"]:
    """``jax.random.normal(key, (width, batch), dtype)`` to rounding."""
    return Source(key, White(), (), batch, dtype).draw(key[None], width)


def drawn_here(key: PRNGKeyArray, count: int) -> bool:
    """Whether JAX would draw so many numbers of this key as this module does."""
    if isinstance(key, Tracer) or count >= LARGEST:
        return False
    if not (native.available() and on_cpu()):
        return False
    config: Any = jax.config
    counted = str(jax.random.key_impl(key)) == "threefry2x32"
    return counted and config.jax_threefry_partitionable


def start(
    key: PRNGKeyArray, process: GaussianProcess, num: int, dtype: Any
) -> tuple[UInt32[np.ndarray, " 2"], Any]:
    """The key of a process' steps, and the states of ``num`` series before the first."""
    initial_key, step_key = folded(np.asarray(jax.random.key_data(key)), 0, 2)
    drawn = normals(initial_key, process.initial_width, num, dtype)
    return step_key, process.initial(drawn)


def follow(
    key: PRNGKeyArray, process: GaussianProcess, batch: int, dtype: Any
) -> "Source | None":
    """The inputs that ``montecarlo.walk`` draws from a key, or nothing.

    Nothing on a GPU, where there is no compiler, where the key or JAX's settings ask
    for another generator, or where the process is more than sums and products of its
    noise.
    """
    if not drawn_here(key, CHUNK * process.step_width * batch):
        return None
    try:
        step_key, state = start(key, process, batch, dtype)
        return Source(step_key, process, state, batch, dtype)
    except TypeError:
        return None


class Source:
    """The inputs of a process in a batch of sequences, from stretch to stretch.

    Args:
        key: Each chunk of ``CHUNK`` steps folds its index into it.
        process: Its ``step`` may add and multiply, no more.
        state: Before the first input, from ``process.initial``.
        batch: Number of sequences.
        dtype: Single or double precision.

    Raises:
        TypeError: If the process' ``step`` is more than sums and products.
    """

    def __init__(
        self,
        key: UInt32[np.ndarray, " 2"],
        process: GaussianProcess,
        state: Any,
        batch: int,
        dtype: Any,
    ):
        self.key, self.dtype, self.batch = key, np.dtype(dtype), batch
        width = VECTOR // self.dtype.itemsize
        self.blocks = -(-batch // width)
        leaves, structure = jax.tree.flatten(state)
        self.state = np.zeros((len(leaves), self.blocks * width), self.dtype)
        for row, leaf in zip(self.state, leaves, strict=True):
            if np.shape(leaf) != (batch,):
                raise TypeError(f"need a state of rows, got shape {np.shape(leaf)}")
            row[:batch] = leaf
        self.compiled = _compiled(process, structure, self.dtype.char)
        self.chunks = 0

    def steps(self, count: int) -> Float[np.ndarray, "count batch"]:
        """The next inputs; the next call begins a new chunk."""
        x, draw = self.stretch(count)
        over_cores(draw, self.blocks, x.size)
        return x[:, : self.batch]

    def stretch(self, count: int) -> tuple[Float[np.ndarray, "count padded"], Task]:
        """Room for the next inputs, and what draws a range of its blocks.

        A block is a vector of sequences; the last may hold some beyond the batch.
        """
        chunks = -(-count // CHUNK)
        keys = folded(self.key, self.chunks, chunks)
        self.chunks += chunks
        return self._drawing(keys, count)

    def draw(
        self, keys: UInt32[np.ndarray, "chunks 2"], count: int
    ) -> Float[np.ndarray, "count batch"]:
        """Inputs of chunks with these keys, of which the last takes what is left."""
        x, draw = self._drawing(keys, count)
        over_cores(draw, self.blocks, x.size)
        return x[:, : self.batch]

    def _drawing(
        self, keys: UInt32[np.ndarray, "chunks 2"], count: int
    ) -> tuple[Float[np.ndarray, "count padded"], Task]:
        keys = np.ascontiguousarray(keys, np.uint32)
        x = np.empty((count, self.state.shape[1]), self.dtype)

        def part(first: int, blocks: int) -> None:
            self.compiled(
                keys.ctypes.data,
                len(keys),
                count,
                self.batch,
                x.shape[1],
                first,
                blocks,
                self.state.ctypes.data,
                x.ctypes.data,
            )

        return x, part


@functools.lru_cache(64)
def _compiled(
    process: GaussianProcess, structure: Any, char: str
) -> Callable[..., None]:
    """The machine code that draws one process in one precision."""
    place, number = ctypes.c_void_p, ctypes.c_int64
    kinds = (place, *6 * [number], place, place)
    return compile_function(_program(process, structure, char), "draw", *kinds)


def _program(process: GaussianProcess, structure: Any, char: str) -> Any:
    """A module of LLVM that draws one process; see ``Source.steps``."""
    ir = llvmlite("ir")
    number = ir.FloatType() if char == "f" else ir.DoubleType()
    lanes = VECTOR // np.dtype(char).itemsize
    vector, long, word = ir.VectorType(number, lanes), ir.IntType(64), ir.IntType(32)
    numbers, words = number.as_pointer(), word.as_pointer()
    module = ir.Module("noise")
    kind = ir.FunctionType(ir.VoidType(), [words, *6 * [long], numbers, numbers])
    function = ir.Function(module, kind, "draw")
    keys, chunks, steps, batch, stride, start, blocks, state, x = function.args
    build = ir.IRBuilder(function.append_basic_block())
    rows = structure.num_leaves

    def number_of(value: int) -> Any:
        return ir.Constant(long, value)

    def place(start: Any, row: Any, block: Any) -> Any:
        column = build.mul(block, number_of(lanes))
        address = build.gep(start, [build.add(build.mul(row, stride), column)])
        return build.bitcast(address, vector.as_pointer())

    def spread(value: Any) -> Vector:
        """A word in every place."""
        kind = ir.VectorType(word, lanes)
        single = build.insert_element(ir.Constant(kind, None), value, word(0))
        places = ir.Constant(kind, None)
        return Vector(build, build.shuffle_vector(single, single, places))

    def in_block(block: Any, _: Any) -> list[Any]:
        block = build.add(block, start)
        places = [place(state, number_of(row), block) for row in range(rows)]
        align = np.dtype(char).itemsize
        columns = spread(build.trunc(build.mul(block, number_of(lanes)), word))
        columns = columns + Vector(
            build, ir.Constant(columns.value.type, list(range(lanes)))
        )

        def in_chunk(chunk: Any, before: Any) -> list[Any]:
            address = build.gep(keys, [build.mul(chunk, number_of(2))])
            beside = build.gep(address, [number_of(1)])
            key = (spread(build.load(address)), spread(build.load(beside)))
            first = build.mul(chunk, number_of(CHUNK))
            left = build.sub(steps, first)
            last = build.icmp_signed("==", chunk, build.sub(chunks, number_of(1)))
            length = build.select(last, left, number_of(CHUNK))

            def in_step(t: Any, now: Any) -> list[Any]:
                noise = []
                for index in range(process.step_width):
                    row = build.add(
                        build.mul(t, number_of(process.step_width)), number_of(index)
                    )
                    start = spread(build.trunc(build.mul(row, batch), word))
                    noise.append(_normal(key, start + columns, number))
                held = jax.tree.unflatten(
                    structure, [Vector(build, value) for value in now]
                )
                seen: Any
                held, seen = process.step(held, noise)
                build.store(seen.value, place(x, build.add(first, t), block), align)
                return [leaf.value for leaf in jax.tree.leaves(held)]

            return repeat(build, length, before, in_step)

        ends = repeat(
            build, chunks, [build.load(p, align=align) for p in places], in_chunk
        )
        for end, where in zip(ends, places, strict=True):
            build.store(end, where, align)
        return []

    repeat(build, blocks, [], in_block)
    build.ret_void()
    return module


def _normal(key: tuple[Vector, Vector], counter: Vector, number: Any) -> Vector:
    """Normals at places of the counter, by the steps of ``jax.random.normal``."""
    high, low = threefry(key, (counter.like(0), counter))
    if number == llvmlite("ir").FloatType():
        bits, mantissa_bits, exponent = high ^ low, 23, 0x3F800000
        dtype: Any = np.float32
    else:
        wide = llvmlite("ir").IntType(64)
        high, low = (half.convert("zext", wide) for half in (high, low))
        bits, mantissa_bits, exponent = (high << 32) | low, 52, 0x3FF << 52
        dtype = np.float64
    mantissa = (bits >> (8 * dtype().itemsize - mantissa_bits)) | exponent
    lowest = np.nextafter(dtype(-1), dtype(0))
    fraction = mantissa.convert("bitcast", number) - 1.0
    u = fraction * float(dtype(1) - lowest) + float(lowest)
    return u * _slope(-_log(1.0 - u * u)) * float(dtype(math.sqrt(2)))


def _log(x: Vector) -> Vector:
    """The logarithm of normal positive numbers: ``2 artanh`` of a small number."""
    ir, build = llvmlite("ir"), x.build
    number = x.value.type.element
    single = number == ir.FloatType()
    kept, dtype = (23, np.float32) if single else (52, np.float64)
    integer = ir.IntType(32 if single else 64)
    bits = x.convert("bitcast", integer)
    middle = int(dtype(math.sqrt(0.5)).view(np.int32 if single else np.int64))
    away = bits - middle
    power = Vector(build, build.ashr(away.value, away.like(kept).value))
    f = (bits - (power << kept)).convert("bitcast", number) - 1.0
    ratio = f / (f + 2.0)
    square, largest = ratio * ratio, (math.sqrt(2) - 1) / (math.sqrt(2) + 1)
    terms = 1
    while largest ** (2 * terms) / (2 * terms + 1) > np.finfo(dtype).eps / 16:
        terms += 1
    series = _polynomial([2 / (2 * k + 1) for k in range(terms)], square)
    return power.convert("sitofp", number) * math.log(2) + ratio * series


def _slope(w: Vector) -> Vector:
    """``erfinv(u) / u`` where ``w = -log(1 - u^2)``."""
    ir, build = llvmlite("ir"), w.build
    kind = w.value.type
    char = "f" if kind.element == ir.FloatType() else "d"
    middle, tail = interpolants(char)
    near = _interpolated(middle, w)
    far = build.fcmp_ordered(">", w.value, w.like(MIDDLE[char]).value)
    some = intrinsic(
        build, f"llvm.vector.reduce.or.v{kind.count}i1", ir.IntType(1), far
    )
    before = build.block
    with build.if_then(some, likely=False):
        name = f"llvm.sqrt.v{kind.count}f{32 if char == 'f' else 64}"
        root = Vector(build, intrinsic(build, name, kind, w.value))
        chosen = build.select(far, _interpolated(tail, root).value, near.value)
        inside = build.block
    value = build.phi(kind)
    value.add_incoming(near.value, before)
    value.add_incoming(chosen, inside)
    return Vector(build, value)


def interpolants(char: str) -> list[Interpolant]:
    """``erfinv(u) / u`` from ``w`` in the middle, and from its root in the tails.

    Each has its ends, and coefficients in a variable that runs from -1 to 1 there.
    """
    middle, end = MIDDLE[char], -math.log(np.finfo(char).eps)  # the least 1 - u^2
    near, far = DEGREES[char]
    return [
        _interpolant(erfinv_slope, 0.0, middle, near),
        _interpolant(
            lambda root: erfinv_slope(root**2), math.sqrt(middle), math.sqrt(end), far
        ),
    ]


def erfinv_slope(w: Float[np.ndarray, "*points"]) -> Float[np.ndarray, "*points"]:
    """``erfinv(u) / u`` where ``w = -log(1 - u^2) > 0``."""
    u = np.sqrt(-np.expm1(-w))
    beyond = -np.expm1(np.log1p(-np.exp(-w)) / 2)  # 1 - u
    return np.where(u < 0.5, scipy.special.erfinv(u), scipy.special.erfcinv(beyond)) / u


def _interpolant(
    function: Callable[..., Any], low: float, high: float, degree: int
) -> Interpolant:
    centre, half = (low + high) / 2, (high - low) / 2
    values = chebyshev.chebinterpolate(lambda v: function(centre + half * v), degree)
    return (low, high), chebyshev.cheb2poly(values).tolist()


def _interpolated(interpolant: Interpolant, x: Vector) -> Vector:
    (low, high), coefficients = interpolant
    centre, half = (low + high) / 2, (high - low) / 2
    return _polynomial(coefficients, (x - centre) * (1 / half))


def _polynomial(coefficients: list[float], x: Vector) -> Vector:
    """Horner's rule, the constant first."""
    fused = multiply_add(x.build, x.value.type)
    total = x.like(coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        total = Vector(x.build, fused(total.value, x.value, x.like(coefficient).value))
    return total
