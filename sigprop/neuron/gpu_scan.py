"""The recurrence ``h_t = lam_t h_{t-1} + x_t`` on a GPU, in one kernel of Pallas.

A thread has one neuron of one sequence and loops over a chunk of time, with its state in
registers.  Each input is read once and each state is written once.  The parallel prefix
scan ``lax.associative_scan`` moves about ten times as much memory.

If there are too few neurons and sequences to use the memory bandwidth, time is cut into
chunks that run in parallel, in two passes.  The first pass reads the inputs and writes the
last state of each chunk, from a zero start.  The kernel then solves the same recurrence over
these few rows.  The second pass reads the inputs again, starts from the end of the previous
chunk, and writes all states.  Two passes move 3 arrays; adding the carried states to the
states of chunks would move 4.

As for ``gpu_kernel``, everything except speed can be tested without a GPU.  ``agrees``
compares the kernel with the loop on the device before ``scan_linear`` uses it there.

Notation: lam (parts, n) or (time, parts, n);  x (time, parts, n), packed as in ``scan``;
k  number of steps so far, from either end.
"""

import functools
import math
from collections.abc import Callable
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.custom_batching import custom_vmap
from jax.experimental import pallas as pl
from jaxtyping import Array, Bool, Float

from sigprop.neuron import gpu
from sigprop.numerics.devices import cuda_capability, device_kind

NAME = "GPU kernel of recurrences"  # in the line that says why it is not used
LANES = 32  # neurons of a program, a thread each: one warp
# Bytes of inputs that a thread asks for before it computes with the first of them: 8 to
# 16 registers, which leave room for all warps that a processor takes.
AHEAD = 64
# Bytes under way that keep the memory of a H100 busy: 3.4 TB/s for 0.6 us.  Reasoned,
# not measured.
UNDER_WAY = 2**21
SHORTEST = 64  # steps of a chunk, a multiple of all steps that are read ahead
Rows = tuple[Any, ...]
Way = Literal["limit", "kernel", "associative"]


def solve(
    lam: Float[Array, "*steps parts n"],
    x: Float[Array, "time parts n"],
    resets: Bool[Array, " time"] | None,
    *,
    reverse: bool,
    adjoint: bool,
) -> Float[Array, "time parts n"]:
    """Solve ``h_t - lam_t h_{t-1} = x_t``, or the adjoint equations.

    A CPU interprets the kernel, which is slow.

    Args:
        lam: Eigenvalues, fixed in time or with a row per step.
        x: Inputs, of at least one step.
        resets: True at each step that ignores the state before it.
        reverse: True to run from the last step to the first.
        adjoint: True for the adjoint equations.  A step then uses the conjugate gate and
            the reset of the row of the previous step.
    """
    function = functools.partial(_solve, reverse=reverse, adjoint=adjoint)
    return _counted(function, 1)(lam, x, resets)


def _counted(function: Callable[..., Any], sequences: int) -> Callable[..., Any]:
    """Wrap a function whose first argument, the number of sequences, follows ``jax.vmap``."""

    @custom_vmap
    def call(lam, x, resets):
        return function(sequences, lam, x, resets)

    @call.def_vmap
    def _(size, batched, *arguments):
        axes = tuple(0 if any(jax.tree.leaves(axis)) else None for axis in batched)

        def mapped(sequences, *arguments):
            return jax.vmap(functools.partial(function, sequences), axes)(*arguments)

        return _counted(mapped, sequences * size)(*arguments), True

    return call


def _solve(sequences, lam, x, resets, *, reverse, adjoint, steps=None):
    length, parts, n = x.shape
    if steps is None:
        size = parts * x.dtype.itemsize
        steps = chunk_steps(length, n * sequences, size, lam.ndim == 3)
    if resets is not None:
        resets = in_order(resets, reverse, adjoint)
    run = functools.partial(
        _run, lam, x, resets, reverse=reverse, adjoint=adjoint, steps=steps
    )
    if steps >= length:
        return run(None, ends=False)
    ends, products = run(None, ends=True)
    forgets = None if resets is None else any_in_chunks(resets, steps)
    carries = _solve(sequences, products, ends, forgets, reverse=False, adjoint=False)
    return run(carries, ends=False)


def in_order(resets: Any, reverse: bool, adjoint: bool) -> Any:
    """Return the reset before each step, in the order of the computation."""
    resets = resets[::-1] if reverse else resets
    if adjoint:
        resets = jnp.concatenate([jnp.zeros_like(resets[:1]), resets[:-1]])
    return resets


def any_in_chunks(resets: Any, steps: int) -> Any:
    """Return True for each chunk of ``steps`` steps that has a reset."""
    padded = jnp.pad(resets, (0, -len(resets) % steps))
    return padded.reshape(-1, steps).any(1)


# Conditions for the kernel.


def serves(
    loop: Callable[..., Any],
    dtype: Any,
    varying: bool,
    resets: bool,
    reverse: bool,
) -> bool:
    """Return True if the kernel reproduces a loop on the current device.

    There is no message on a device without CUDA, or if there are several devices.  XLA
    cannot distribute the sequences of a kernel over devices.

    Args:
        loop: Function with the same result as ``solve``.
        dtype: Type of the states.
        varying: True if the eigenvalues vary in time.
        resets: True if there are resets.
        reverse: True to run from the last step to the first.
    """
    with jax.ensure_compile_time_eval():  # a program may be being traced
        capability, device = cuda_capability(), device_kind()
    if capability is None or jax.device_count() > 1:
        return False
    if not gpu.capable(capability, NAME):
        return False
    char = np.finfo(dtype).dtype.char
    parts = 2 if np.issubdtype(dtype, np.complexfloating) else 1
    return agrees(loop, device, char, parts, varying, resets, reverse)


@functools.cache
def agrees(
    loop: Callable[..., Any],
    device: str,
    char: str,
    parts: int,
    varying: bool,
    resets: bool,
    reverse: bool,
) -> bool:
    """Return True if kernel and loop give the same states and cotangents on a device.

    Args:
        loop: As for ``serves``.
        device: Name of the current device; each device is tested once.
        char: ``f`` for single and ``d`` for double precision.
        parts: 1 for real and 2 for complex states.
        varying: As for ``serves``.
        resets: As for ``serves``.
        reverse: As for ``serves``.
    """
    length, n = 3 * SHORTEST + 6, LANES + 1
    random = np.random.default_rng(0)
    rows = (length,) if varying else ()
    lam = random.uniform(-0.7, 0.7, (*rows, parts, n)).astype(char)
    x = random.uniform(-1, 1, (length, parts, n)).astype(char)
    given = lam, x, random.uniform(size=length) < 0.03 if resets else None

    @jax.jit
    def both(*arguments):
        pairs = []
        for ways in ((reverse, False), (not reverse, True)):
            options = dict(zip(("reverse", "adjoint"), ways, strict=True))
            for steps in (length, SHORTEST):
                states = _solve(1, *arguments, **options, steps=steps)
                pairs.append((states, loop(*arguments, **options)))
        return pairs

    def compared():  # compiled first, as a call inside a trace would be traced
        return jax.tree.map(np.asarray, both.lower(*given).compile()(*given))

    return gpu.close(compared, device, char, NAME)


# Passes and their memory traffic.


def steps_ahead(size: int) -> int:
    """Return the number of steps whose inputs a thread loads at once.

    Args:
        size: Size of a state in bytes.
    """
    return AHEAD // size


def chunk_steps(length: int, lanes: int, size: int, varying: bool) -> int:
    """Return the number of steps of a chunk; all steps if one pass is faster than two.

    The time of a pass is proportional to the bytes that it moves, divided by the used
    share of the memory bandwidth.

    Args:
        length: Total number of steps.
        lanes: Number of neurons times sequences.
        size: Size of a state in bytes.
        varying: True if the eigenvalues vary in time.
    """
    share = lanes * AHEAD / UNDER_WAY
    if share >= (2 + varying) / (3 + 2 * varying):
        return length
    steps = max(SHORTEST, math.ceil(length * share))
    return min(length, -(-steps // SHORTEST) * SHORTEST)


def bytes_moved(way: Way, length: int, lanes: int, size: int, varying: bool) -> int:
    """Return the number of bytes that an algorithm reads and writes, without the resets.

    Args:
        way: ``limit`` is the lower bound: inputs and eigenvalues are read once, and
            states are written once.  ``kernel`` is ``solve``.  ``associative`` is the
            parallel prefix scan, where each product reads and writes its rows, and
            slices cost nothing.
        length: Total number of steps.
        lanes: Number of neurons times sequences.
        size: Size of a state in bytes.
        varying: True if the eigenvalues vary in time.  Fixed eigenvalues are read once
            per chunk.

    Example:
        >>> [bytes_moved(way, 4096, 64, 8, False) // (4096 * 64 * 8)
        ...  for way in ("limit", "kernel", "associative")]
        [2, 3, 9]
    """
    return lanes * size * _rows_moved(way, length, lanes, size, varying)


def _rows_moved(way, length, lanes, size, varying) -> int:
    read = length * (1 + varying)
    if way == "limit":
        return read + (not varying) + length
    if way == "kernel":
        steps = chunk_steps(length, lanes, size, varying)
        chunks = -(-length // steps)
        read += 0 if varying else chunks
        if chunks == 1:
            return read + length
        carries = _rows_moved("kernel", chunks, lanes, size, True)
        return (read + 2 * chunks) + carries + (read + chunks - 1 + length)
    total, rows = 0, length
    while rows > 1:
        top, down, up = rows == length, rows // 2, (rows - 1) // 2
        total += 6 * (down + up)
        if top:  # the gates of its results are not needed
            total -= 2 * up if varying else 2 * down + 3 * up
        rows //= 2
    return total


# One step of the kernel, in small functions of named arrays.


def advanced(gate: Rows, h: Rows, x: Rows) -> Rows:
    """Return the state after one more input."""
    if len(h) == 1:
        return (gate[0] * h[0] + x[0],)
    (a, b), (re, im) = gate, h
    return a * re + (x[0] - b * im), a * im + (x[1] + b * re)


def multiplied(gate: Rows, product: Rows) -> Rows:
    """Return the product of all gates after one more gate."""
    if len(product) == 1:
        return (gate[0] * product[0],)
    (a, b), (re, im) = gate, product
    return a * re - b * im, a * im + b * re


def conjugated(gate: Rows) -> Rows:
    """Return the complex conjugate of a gate."""
    return gate if len(gate) == 1 else (gate[0], -gate[1])


def forgotten(reset: Any, values: Rows) -> Rows:
    """Replace values by zero at a reset.

    This is a selection, because a product would turn an infinite value into NaN.
    """
    return tuple(jnp.where(reset, jnp.zeros_like(value), value) for value in values)


def row_of(k: Any, length: int, reverse: bool) -> Any:
    """Return the index of the row for step ``k``, from the end if ``reverse``."""
    return jnp.int32(length - 1) - k if reverse else k


def _kernel(
    given: dict[str, Any],
    out: dict[str, Any],
    *,
    length: int,
    n: int,
    steps: int,
    reverse: bool,
    adjoint: bool,
) -> None:
    """Take the steps of one chunk for one block of neurons.

    Write all states, or the last of the chunk and the product of its gates.
    """
    from jax.experimental.pallas import triton  # a jaxlib can lack it

    lam, x = given["lam"], given["x"]
    _, parts, block = x.shape
    chunk, size = pl.program_id(1), steps_ahead(parts * x.dtype.itemsize)
    first = chunk * jnp.int32(steps)
    inside = lax.iota(jnp.int32, block) + pl.program_id(0) * jnp.int32(block) < n

    def parts_of(ref, *row):
        # Of 32 bits, as interpreting refuses indices of several types.
        every = pl.ds(jnp.int32(0), block)
        return [ref.at[*row, jnp.int32(part), every] for part in range(parts)]

    def load(ref, *row, there: Any = True) -> Rows:
        mask = inside & there
        return tuple(triton.load(at, mask=mask, other=0) for at in parts_of(ref, *row))

    def store(ref, values, row, there: Any = True):
        for at, value in zip(parts_of(ref, row), values, strict=True):
            triton.store(at, value, mask=inside & there)

    def gate(*row, there: Any = True) -> Rows:
        values = load(lam, *row, there=there)
        return conjugated(values) if adjoint else values

    def several(index, carry):
        """Load the rows of some steps, then compute these steps, then write the states."""
        h, product = carry
        start = first + index * jnp.int32(size)
        times = [start + jnp.int32(j) for j in range(size)]
        # After the last step there is nothing to read, and the result is not used.
        known = [jnp.minimum(k, jnp.int32(length - 1)) for k in times]
        rows = [row_of(k, length, reverse) for k in known]
        forgets = [
            given["resets"][k] != 0 if "resets" in given else None for k in known
        ]
        gates = [fixed] * size
        if not fixed:
            before = [row_of(k - jnp.int32(adjoint), length, reverse) for k in known]
            # The first step of all has no state before it, and no gate.
            gates = [gate(before[0], there=start > 0), *map(gate, before[1:])]
        inputs = [load(x, row) for row in rows]
        states = []
        for gate_k, x_k, forget in zip(gates, inputs, forgets, strict=True):
            if forget is not None:
                h, product = forgotten(forget, h), forgotten(forget, product)
            h, product = advanced(gate_k, h, x_k), multiplied(gate_k, product)
            states.append(h)
        if "states" in out:
            for k, row, state in zip(times, rows, states, strict=True):
                store(out["states"], state, row, there=k < length)
        return h, product

    fixed = () if len(lam.shape) == 3 else gate()
    zeros = (jnp.zeros((block,), x.dtype),) * parts
    h, one = zeros, (jnp.ones((block,), x.dtype), *zeros[1:])
    if "starts" in given:
        h = load(given["starts"], chunk - jnp.int32(1), there=chunk > 0)
    left = jnp.minimum(jnp.int32(steps), jnp.int32(length) - first)
    trips = (left + jnp.int32(size - 1)) // jnp.int32(size)
    h, product = lax.fori_loop(jnp.int32(0), trips, several, (h, one))
    if "ends" in out:
        store(out["ends"], h, chunk)
        store(out["products"], product, chunk)


def _run(lam, x, resets, starts, *, ends, reverse, adjoint, steps):
    """Run one pass: return all states, or the last states and gate products of chunks."""
    given = {"lam": lam, "x": x}
    if resets is not None:
        given["resets"] = resets.astype(jnp.int32)
    if starts is not None:
        given["starts"] = starts
    length, parts, n = x.shape
    chunks = -(-length // steps)
    rows = {"ends": chunks, "products": chunks} if ends else {"states": length}
    shapes = {
        name: jax.ShapeDtypeStruct((count, parts, n), x.dtype)
        for name, count in rows.items()
    }
    kernel = functools.partial(
        _kernel, length=length, n=n, steps=steps, reverse=reverse, adjoint=adjoint
    )

    def call(given, **options):
        return pl.pallas_call(
            kernel,
            grid=(-(-n // LANES), chunks),
            in_specs=[{name: _columns(values) for name, values in given.items()}],
            out_specs={name: _columns(shape) for name, shape in shapes.items()},
            out_shape=shapes,
            **options,
        )(given)

    def compiled(given):
        from jax.experimental.pallas import triton

        parameters = triton.CompilerParams(num_warps=LANES // 32, num_stages=1)
        return call(given, compiler_params=parameters)

    interpreted = functools.partial(call, interpret=True)
    out = lax.platform_dependent(given, cpu=interpreted, default=compiled)
    return (out["ends"], out["products"]) if ends else out["states"]


def _columns(values: Any) -> pl.BlockSpec:
    """Return a block with all rows of some neurons, or the whole of a shared array."""
    *front, last = values.shape
    if not front:
        return pl.BlockSpec((last,), lambda i, j: (0,))
    return pl.BlockSpec((*front, LANES), lambda i, j: (*(0,) * len(front), i))
