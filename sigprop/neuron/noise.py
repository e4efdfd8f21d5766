"""Gaussian input processes on the CPU in Numba, with the numbers of ``jax.random``.

A Gaussian process is linear: its next state and input are linear functions of its state and
of new Gaussian numbers.  This module reads the coefficients off ``step`` once, so that one
compiled loop serves every process.
"""

import functools
from typing import Any, NamedTuple

import jax
import numpy as np
from jax.core import Tracer
from jaxtyping import Float, Int, PRNGKeyArray, UInt32

from sigprop.inputs import GaussianProcess
from sigprop.numerics.devices import on_cpu
from sigprop.numerics.tiles import Task, over_cores, tiled, untiled

CHUNK = 64  # steps per key, here and in ``sigprop.neuron.montecarlo``
LARGEST = 2**32  # number of values of the counter's lower word
TRIALS = np.geomspace(1e-6, 1e6, 25)  # scales at which linearity of a step is tested


@functools.cache
def available() -> bool:
    """Return True if Numba can be imported.

    Numba may have no wheel for the platform, or not support the version of NumPy.
    """
    try:
        import numba  # noqa: F401
    except ImportError:
        return False
    return True


def folded(
    key: UInt32[np.ndarray, " 2"], first: int, count: int
) -> UInt32[np.ndarray, "count 2"]:
    """Return the words of ``fold_in(key, first + i)`` for ``i`` below ``count``.

    With ``first = 0`` these are also the words of ``split(key, count)[i]``.
    """
    from sigprop.neuron.normals import threefry

    index = np.arange(first, first + count, dtype=np.uint32)
    return np.stack(threefry.py_func(key[:1], key[1:], 0 * index, index), -1)


def normals(
    key: UInt32[np.ndarray, " 2"], width: int, batch: int, dtype: Any
) -> Float[np.ndarray, "width batch"]:
    """Return ``jax.random.normal(key, (width, batch), dtype)`` up to rounding."""
    nothing = np.empty((0, batch))
    return Source(key, ITSELF, nothing, batch, dtype).draw(key[None], width)


def drawn_here(key: PRNGKeyArray, count: int) -> bool:
    """Return True if this module can make the same ``count`` numbers from a key as JAX."""
    if isinstance(key, Tracer) or count >= LARGEST:
        return False
    if not (available() and on_cpu()):
        return False
    config: Any = jax.config
    counted = str(jax.random.key_impl(key)) == "threefry2x32"
    return counted and config.jax_threefry_partitionable


def begin(
    key: PRNGKeyArray, process: GaussianProcess, batch: int, dtype: Any
) -> "Source | None":
    """Return a source of the input sequences of ``process.sample``.

    Args:
        key: Random key for which ``drawn_here`` is True.
        process: Input process.
        batch: Number of sequences.
        dtype: Single or double precision.

    Returns:
        The source, or None if the process is not linear in its state and noise, or does
        not accept NumPy arrays.
    """
    initial_key, step_key = folded(np.asarray(jax.random.key_data(key)), 0, 2)
    drawn = normals(initial_key, process.initial_width, batch, dtype)
    try:
        state = process.initial(drawn)
        step = linear(process, state)
        leaves = [np.asarray(leaf) for leaf in jax.tree.leaves(state)]
        if any(leaf.shape[-1:] != (batch,) for leaf in leaves):
            raise TypeError("need a state whose last axis is the sequences'")
    except Exception:  # an error of a process with NumPy arrays; JAX arrays may work
        return None
    leaves = [leaf.reshape(-1, batch) for leaf in leaves]
    rows = np.concatenate([np.empty((0, batch)), *leaves])
    return Source(step_key, step, rows, batch, dtype)


def follow(
    key: PRNGKeyArray, process: GaussianProcess, batch: int, dtype: Any
) -> "Source | None":
    """Return a source of the input sequences of ``montecarlo.walk``.

    Args:
        key: Random key of JAX.
        process: Input process.
        batch: Number of sequences.
        dtype: Single or double precision.

    Returns:
        The source.  It is None on a GPU, without Numba, for another random generator, or
        if ``begin`` returns None.
    """
    if not drawn_here(key, CHUNK * process.step_width * batch):
        return None
    return begin(key, process, batch, dtype)


class Linear(NamedTuple):
    """One step of a linear process, as a sparse matrix.

    The matrix maps the state followed by Gaussian numbers to the next state followed by
    the input.

    Attributes:
        rows: Row of each nonzero entry.
        columns: Column of each nonzero entry.
        values: Value of each nonzero entry.
        width: Number of Gaussian numbers of a step.
    """

    rows: Int[np.ndarray, " entries"]
    columns: Int[np.ndarray, " entries"]
    values: Float[np.ndarray, " entries"]
    width: int  # normals of a step


ITSELF = Linear(np.array([0]), np.array([0]), np.array([1.0]), 1)
"""Step of the process whose inputs are the Gaussian numbers themselves."""


def linear(process: GaussianProcess, state: Any) -> Linear:
    """Return one step of a process as a sparse matrix, from its response to unit vectors.

    Args:
        process: Process whose ``step`` treats all sequences alike.
        state: Example of a state, as a pytree of arrays whose last axis is the
            sequences.

    Raises:
        TypeError: If the step is not linear.  It is tested for random states and noise of
            the scales ``TRIALS``.
    """
    leaves, structure = jax.tree.flatten(state)
    shapes = [np.shape(leaf)[:-1] for leaf in leaves]
    ends = np.cumsum([np.prod(shape, dtype=int) for shape in shapes], dtype=int)
    held = int(ends[-1]) if leaves else 0
    size = held + process.step_width
    random = np.random.default_rng(0).standard_normal((size, TRIALS.size))
    known = np.concatenate([np.eye(size), random * TRIALS], 1)
    parts = np.split(known[:held], ends[:-1])
    before = [
        part.reshape(*shape, -1)
        for part, shape in zip(parts, shapes, strict=bool(leaves))
    ]
    after, x = process.step(jax.tree.unflatten(structure, before), known[held:])
    if jax.tree.structure(after) != structure:
        raise TypeError("need a state of the same structure after each step")
    answers = [np.asarray(leaf) for leaf in (*jax.tree.leaves(after), x)]
    rounding = max(np.finfo(answer.dtype).eps for answer in answers)
    found = np.concatenate([answer.reshape(-1, known.shape[1]) for answer in answers])
    matrix, trials = found[:, :size].astype(float), known[:, size:]
    room = 16 * rounding * (abs(matrix) @ abs(trials))
    if matrix.shape[0] != held + 1 or not np.all(
        abs(found[:, size:] - matrix @ trials) <= room
    ):
        raise TypeError(f"need a step that is linear in state and noise, of {process}")
    rows, columns = map(np.ascontiguousarray, np.nonzero(matrix))
    return Linear(rows, columns, matrix[rows, columns], process.step_width)


class Source:
    """Source of a batch of input sequences, which draws some steps at each call.

    Args:
        key: Random key; chunk ``i`` of ``CHUNK`` steps uses ``fold_in(key, i)``.
        step: Step of the process.
        state: State of the process before the first input.
        batch: Number of sequences.
        dtype: Single or double precision.
    """

    def __init__(
        self,
        key: UInt32[np.ndarray, " 2"],
        step: Linear,
        state: Float[np.ndarray, "rows batch"],
        batch: int,
        dtype: Any,
    ):
        self.key, self.dtype, self.batch = key, np.dtype(dtype), batch
        self.step = step._replace(values=step.values.astype(dtype))
        self.state = tiled(state.astype(dtype))
        self.chunks = 0

    def steps(self, count: int) -> Float[np.ndarray, "count batch"]:
        """Return the next inputs; the next call begins a new chunk."""
        return self._rows(*self.stretch(count))

    def stretch(self, count: int) -> tuple[Float[np.ndarray, "tiles count tile"], Task]:
        """Return an empty array for the next inputs, and a function that fills some tiles."""
        chunks = -(-count // CHUNK)
        keys = folded(self.key, self.chunks, chunks)
        self.chunks += chunks
        return self._drawing(keys, count)

    def draw(
        self, keys: UInt32[np.ndarray, "chunks 2"], count: int
    ) -> Float[np.ndarray, "count batch"]:
        """Return the next inputs, with one key per chunk.

        Args:
            keys: Random key of each chunk.  The last chunk has all remaining steps.
            count: Number of steps.
        """
        return self._rows(*self._drawing(keys, count))

    def _rows(
        self, x: Float[np.ndarray, "tiles count tile"], draw: Task
    ) -> Float[np.ndarray, "count batch"]:
        over_cores(draw, len(x), x.size)
        return untiled(x, self.batch)

    def _drawing(
        self, keys: UInt32[np.ndarray, "chunks 2"], count: int
    ) -> tuple[Float[np.ndarray, "tiles count tile"], Task]:
        from sigprop.neuron.normals import DRAW

        tiles, _, tile = self.state.shape
        x = np.empty((tiles, count, tile), self.dtype)
        keys = np.array(keys)  # Numba has another type for JAX's arrays

        def part(first: int, number: int) -> None:
            DRAW[self.dtype.char](
                keys,
                self.batch,
                *self.step,
                self.state,
                x.reshape(tiles, -1),
                first,
                first + number,
            )

        return x, part
