"""The diagonal recurrence and its sensitivity on a GPU, in one kernel of Pallas.

The recurrence is ``s_t = lam s_{t-1} + h_{t-1}``, ``h_t = lam h_{t-1} + x_t``, as in
``sigprop.neuron.kernel`` for a CPU.  A thread has one sequence and some neurons, whose states
stay in its registers for all steps.  It generates the inputs itself.  They equal those of
``montecarlo.walk``, because the numbers of ``jax.random`` depend only on key and index.  The
kernel writes to memory only at the read-outs, and no thread waits for another.

Most of the kernel can be tested without a GPU.  Pallas interprets it on a CPU, JAX lowers it
for CUDA, and pip's Triton compiles it to machine code, which tests inspect.  A CPU cannot
test the occupancy, the Triton version in XLA, or the driver.  So ``gpu.agrees`` compares the
kernel with the scan on the device before its first use.

Notation: lam (n, parts, 1 or sequences), where parts is 1 if real and 2 if complex;  state
(rows, sequences) of the input process;  rows of a neuron: h and s in parts, then the sums of
squares of both;  read-out: a time at which the simulation is returned.
"""

import functools
import math
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental import pallas as pl
from jaxtyping import Array, Float, Inexact, PRNGKeyArray

from sigprop.inputs import GaussianProcess
from sigprop.neuron import noise

# Sequences of a program, a thread each: one warp, so that the compiler knows the seven
# lowest bits of addresses and does not keep some of them in registers.
LANES = 32
# Neurons of a program: as many as leave all states in registers, since they share the
# draws, which cost as much as 10 complex neurons.
NEURONS = {("f", 1): 32, ("f", 2): 16, ("d", 1): 16, ("d", 2): 8}
ROTATIONS = ((13, 15, 26, 6), (17, 29, 16, 24))
Rows = tuple[Any, ...]


class Step(NamedTuple):
    """One step of a linear input process, as ``noise.Linear``, with hashable entries."""

    entries: tuple[tuple[int, int, float], ...]  # row, column, value
    held: int  # rows of the state
    width: int  # normals of a step


@functools.lru_cache(64)
def step_of(process: GaussianProcess) -> Step:
    """Return one step of an input process as a sparse matrix.

    Raises:
        Exception: If the process is not linear in state and noise, or does not accept
            NumPy arrays.
    """
    with jax.ensure_compile_time_eval():
        state = process.initial(np.zeros((process.initial_width, 1)))
        held = sum(np.size(leaf) for leaf in jax.tree.leaves(state))
        linear = noise.linear(process, state)
    entries = zip(*(part.tolist() for part in linear[:3]), strict=True)
    return Step(tuple(entries), held, linear.width)


# One step of the kernel, in small functions of named arrays.


def threefry(key: Rows, high: Any, low: Any) -> Rows:
    """Return two random 32-bit words by Threefry-2x32 with 20 rounds.

    Source: Salmon et al. (2011).
    """
    words = (*key, key[0] ^ key[1] ^ jnp.uint32(0x1BD11BDA))
    first, second = high + words[0], low + words[1]
    for turn in range(1, 6):
        for bits in ROTATIONS[(turn - 1) % 2]:
            first = first + second
            left, right = jnp.uint32(bits), jnp.uint32(32 - bits)
            second = first ^ ((second << left) | (second >> right))
        first = first + words[turn % 3]
        second = second + words[(turn + 1) % 3] + jnp.uint32(turn)
    return first, second


def chunk_key(key: Rows, index: Any) -> Rows:
    """Return the words of ``fold_in(key, index)``."""
    return threefry(key, jnp.uint32(0), index.astype(jnp.uint32))


def position(t: Any, row: int, width: int, batch: int, lane: Any) -> Any:
    """Return the flat index of a number in the array (steps, width, batch) of a chunk."""
    start = t.astype(jnp.uint32) * jnp.uint32(width) + jnp.uint32(row)
    return start * jnp.uint32(batch) + lane


def normal(key: Rows, index: Any, dtype: Any) -> Any:
    """Return the number of ``jax.random.normal`` at an index, by the same operations."""
    high, low = threefry(key, jnp.zeros_like(index), index)
    if dtype == np.float32:
        bits = ((high ^ low) >> jnp.uint32(9)) | jnp.uint32(0x3F800000)
    else:
        bits = (high.astype(jnp.uint64) << jnp.uint64(32)) | low.astype(jnp.uint64)
        bits = (bits >> jnp.uint64(12)) | jnp.uint64(0x3FF0000000000000)
    real = np.dtype(dtype).type
    lowest = np.nextafter(real(-1), real(0))
    unit = lax.bitcast_convert_type(bits, dtype) - real(1)
    u = jnp.maximum(lowest, unit * (real(1) - lowest) + lowest)
    return real(math.sqrt(2)) * lax.erf_inv(u)


def following(step: Step, state: Rows, normals: Rows, zero: Any) -> tuple[Rows, Any]:
    """Return the next state of the input process, and the next input."""
    before, after = (*state, *normals), [zero] * (step.held + 1)
    for row, column, value in step.entries:
        product = zero.dtype.type(value) * before[column]
        after[row] = product if after[row] is zero else after[row] + product
    return tuple(after[:-1]), after[-1]


def advanced(lam: Rows, now: Rows, x: Any) -> Rows:
    """Return state ``h + ig`` and sensitivity ``s + ir`` after one more input."""
    if len(lam) == 1:
        (a,), (h, s) = lam, now
        return a * h + x, a * s + h
    (a, b), (h, g, s, r) = lam, now
    return (  # in brackets that make eight fused products
        a * h + (x - b * g),
        a * g + b * h,
        a * s + (h - b * r),
        a * r + (g + b * s),
    )


def summed(now: Rows, sums: Rows) -> Rows:
    """Return the sums of ``|h|^2`` and ``|s|^2`` after one more step."""
    if len(now) == 2:
        return tuple(z * z + total for z, total in zip(now, sums, strict=True))
    h, g, s, r = now
    return h * h + (g * g + sums[0]), s * s + (r * r + sums[1])


def _kernel(
    key_ref, clocks_ref, lam_ref, state_ref, looks_ref, *, step: Step, batch: int
):
    """Take the steps of one block of neurons and sequences; write them at each read-out.

    ``clocks_ref`` has for each read-out its first chunk and the number of steps before
    it.
    """
    neurons, parts, rows = lam_ref.shape[0], lam_ref.shape[1], looks_ref.shape[2]
    dtype, key = looks_ref.dtype, (key_ref[0], key_ref[1])
    lane = lax.iota(jnp.uint32, LANES)
    lane = lane + (pl.program_id(0) * LANES).astype(jnp.uint32)
    zero = jnp.zeros((LANES,), dtype)
    shared = lam_ref.shape[2] == 1
    used = rows if rows == 2 * parts else 2 * parts + 2
    lam = [
        tuple(lam_ref[i, k, 0] if shared else lam_ref[i, k, :] for k in range(parts))
        for i in range(neurons)
    ]

    def one_step(key, t, carry):
        state, neurons_now = carry
        normals = tuple(
            normal(key, position(t, row, step.width, batch, lane), dtype)
            for row in range(step.width)
        )
        state, x = following(step, state, normals, zero)
        after = []
        for values, now in zip(lam, neurons_now, strict=True):
            moved = advanced(values, now[: 2 * parts], x)
            sums = now[2 * parts :]
            after.append((*moved, *(summed(moved, sums) if sums else ())))
        return state, tuple(after)

    def to_next_look(look, carry):
        first, steps = clocks_ref[look, 0], clocks_ref[look, 1]
        size = jnp.int32(noise.CHUNK)

        def chunk(index, carry):
            body = functools.partial(one_step, chunk_key(key, first + index))
            left = jnp.minimum(size, steps - index * size)
            return lax.fori_loop(jnp.int32(0), left, body, carry)

        chunks = (steps + size - jnp.int32(1)) // size
        carry = lax.fori_loop(jnp.int32(0), chunks, chunk, carry)
        for i, now in enumerate(carry[1]):
            for k, values in enumerate(now):
                looks_ref[look, i, k, :] = values
        return carry

    state = tuple(state_ref[row, :] for row in range(step.held))
    start = state, ((zero,) * used,) * neurons
    lax.fori_loop(jnp.int32(0), jnp.int32(looks_ref.shape[0]), to_next_look, start)


def simulate(
    key, clocks, lam, state, *, rows: int, step: Step, batch: int, interpret: bool
):
    """Simulate states, sensitivities and sums of squares; return them at each read-out.

    Args:
        key: Random key as two words; chunk ``i`` uses ``fold_in(key, i)``.
        clocks: For each read-out, its first chunk and the number of steps before it.
        lam: Eigenvalues, padded to a whole number of blocks of neurons.
        state: State of the input process, padded to whole blocks of sequences.
        rows: Number of real values for each neuron and sequence.
        step: Step of the input process.
        batch: Number of sequences without the padding.
        interpret: True to interpret the kernel in JAX, on any device.

    Returns:
        Array of shape (read-outs, blocks of sequences, blocks of neurons, neurons of a
        block, rows, sequences of a block).
    """
    n, parts, across = lam.shape
    neurons = block_of_neurons(state.dtype, parts, rows)
    grid = state.shape[1] // LANES, n // neurons
    shared = across == 1
    # In one piece of a power of two: one register then has the address of all rows.
    piece = (neurons, rows, LANES)
    return pl.pallas_call(
        functools.partial(_kernel, step=step, batch=batch),
        grid=grid,
        in_specs=[
            pl.BlockSpec((2,), lambda j, i: (0,)),
            pl.BlockSpec(clocks.shape, lambda j, i: (0, 0)),
            pl.BlockSpec(
                (neurons, parts, 1 if shared else LANES),
                lambda j, i: (i, 0, 0 if shared else j),
            ),
            pl.BlockSpec((len(state), LANES), lambda j, i: (0, j)),
        ],
        out_specs=pl.BlockSpec(
            (len(clocks), None, None, *piece), lambda j, i: (0, j, i, 0, 0, 0)
        ),
        out_shape=jax.ShapeDtypeStruct((len(clocks), *grid, *piece), state.dtype),
        interpret=interpret,
        **({} if interpret else {"compiler_params": _parameters()}),
    )(key, clocks, lam, state)


def _parameters() -> Any:
    from jax.experimental.pallas import triton  # a jaxlib can lack it

    return triton.CompilerParams(num_warps=LANES // 32, num_stages=1)


def block_of_neurons(dtype: Any, parts: int, rows: int) -> int:
    """Return the number of neurons per GPU program; half as many with running sums."""
    return NEURONS[np.dtype(dtype).char, parts] // (1 if rows == 2 * parts else 2)


def clocks(times: tuple[int, ...]) -> np.ndarray:
    """Return the first chunk of each read-out, and the number of steps before it.

    The result has the shape (times, 2).  A chunk ends at a read-out.
    """
    steps = np.diff((0, *times))
    chunks = -(-steps // noise.CHUNK)
    return np.stack([np.cumsum(chunks) - chunks, steps], 1).astype(np.int32)


def padded(values: Any, axis: int, block: int) -> Any:
    """Pad an axis with zeros to a multiple of the block size."""
    room = [(0, 0)] * values.ndim
    room[axis] = (0, -values.shape[axis] % block)
    return jnp.pad(values, room)


def unpadded(blocks: Any, n: int, batch: int) -> Any:
    """Reshape blocks to (read-outs, n, rows, batch) and remove the padding."""
    count, across, down, neurons, held, lanes = blocks.shape
    whole = blocks.transpose(0, 2, 3, 4, 1, 5)
    whole = whole.reshape(count, down * neurons, held, across * lanes)
    return whole[:, :n, :, :batch]


def looks(
    key: PRNGKeyArray,
    lam: Inexact[Array, "n #batch"],
    process: GaussianProcess,
    times: tuple[int, ...],
    batch: int,
    running: bool = False,
    interpret: bool = False,
) -> list[tuple[Float[Array, "n batch"], ...]]:
    """Return the numbers of ``montecarlo.walk`` without a gain, computed by the kernel.

    Args:
        key: Random key of JAX.
        lam: Eigenvalues.  A real array is faster than a complex one.
        process: Input process with a linear step; ``step_of`` fails on others.
        times: Increasing numbers of steps after which the simulation is returned.
        batch: Number of sequences.
        running: True to compute the sums of squares over the steps.
        interpret: True to interpret the kernel in JAX, on any device.

    Returns:
        For each of ``times``: real and imaginary parts of the states, real and imaginary
        parts of the sensitivities, and the sums of squares of both.
    """
    dtype, step = lam.real.dtype, step_of(process)
    initial_key, step_key = jax.random.split(key)
    shape = (process.initial_width, batch)
    initial = process.initial(jax.random.normal(initial_key, shape, dtype))
    leaves = [leaf.reshape(-1, batch) for leaf in jax.tree.leaves(initial)]
    state = jnp.concatenate([*leaves, jnp.zeros((not leaves, batch), dtype)])
    values = [lam.real, lam.imag] if jnp.iscomplexobj(lam) else [lam]
    parts = len(values)
    # Rows are a power of two; with sums of complex neurons, the last two are not used.
    rows = 4 * parts if running else 2 * parts
    values = padded(jnp.stack(values, 1), 0, block_of_neurons(dtype, parts, rows))
    if values.shape[2] != 1:
        values = padded(values, 2, LANES)
    stacked = simulate(
        jax.random.key_data(step_key),
        jnp.asarray(clocks(times)),
        values,
        padded(state, 1, LANES),
        rows=rows,
        step=step,
        batch=batch,
        interpret=interpret,
    )
    found = unpadded(stacked, len(lam), batch)
    rows = [found[:, :, row] for row in range(2 * parts + 2 * running)]
    zero = jnp.zeros_like(rows[0])
    if parts == 1:
        h, s, *sums = rows
        rows = [h, zero, s, zero, *sums]
    return list(zip(*rows, *([] if running else [zero, zero]), strict=True))
