"""Monte-Carlo moments of the diagonal recurrence, with standard errors.

The simulation carries states, sensitivities and running sums through time.  It stores no
trajectories, so that the memory use does not depend on the length.  ``trajectories`` uses the
compiled kernel of ``sigprop.neuron.kernel`` on a CPU, and ``sigprop.neuron.gpu_kernel`` on a
CUDA GPU.  If these are missing, a scan of JAX (``walk``) makes the same numbers.  Several
GPUs, of one process or of a cluster, share the batches.  The key of a batch depends only on
its index, so that sums are the same on any number of devices.

``walk`` receives and returns real and imaginary parts but carries complex numbers, so that
XLA updates each array in place.  A real eigenvalue has a zero imaginary part.

Notation: lam (n, 1) or (n, batch);  h, s (n, batch);  x (batch,), shared by neurons.
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.experimental.multihost_utils import process_allgather
from jax.sharding import Mesh, PartitionSpec
from jaxtyping import Array, Float, Inexact, PRNGKeyArray

from sigprop.inputs import GaussianProcess
from sigprop.neuron import gpu, noise
from sigprop.numerics.arguments import (
    require_count,
    require_finite,
)
from sigprop.numerics.compilation import OFTEN
from sigprop.numerics.devices import cores, on_cpu, peers
from sigprop.numerics.precision import double_precision, require_dtype

Result = TypeVar("Result")
First = TypeVar("First")
Second = TypeVar("Second")
STRETCH = 2**21  # inputs in memory at the same time for the kernel


Real = Float[Array, "*shape"] | Float[np.ndarray, "*shape"]


class Estimate(NamedTuple):
    """Sample mean with its standard error.

    Attributes:
        mean: Mean over the samples.
        sem: Standard error of the mean.
        n: Number of independent samples.

    Example:
        >>> Estimate(np.array(0.5), np.array(0.1), 100).n
        100
    """

    mean: Float[np.ndarray, "*shape"]
    sem: Float[np.ndarray, "*shape"]
    n: int


class Sums(NamedTuple):
    """Sums of a statistic over independent samples; sums of two batches can be added.

    Attributes:
        first: Sum of the values.
        second: Sum of the squared values.
        n: Number of samples.
    """

    first: Float[np.ndarray, "*shape"]
    second: Float[np.ndarray, "*shape"]
    n: int

    def __add__(self, other: "Sums") -> "Sums":  # type: ignore[override]
        return Sums(
            self.first + other.first, self.second + other.second, self.n + other.n
        )

    def estimate(self) -> Estimate:
        """Return the mean and its standard error.

        Raises:
            ValueError: If there are fewer than two samples, so that no standard error
                exists.
        """
        if self.n < 2:
            raise ValueError(f"need two draws or more for an error, got n={self.n}")
        mean = self.first / self.n
        variance = np.maximum(self.second / self.n - mean**2, 0) * self.n / (self.n - 1)
        return Estimate(mean, np.sqrt(variance / self.n), self.n)


class Split(NamedTuple):
    """Real part ``re`` and imaginary part ``im`` of a complex array."""

    re: Real
    im: Real

    def square(self) -> Real:
        """Return the squared moduli."""
        return self.re**2 + self.im**2


class Walk(NamedTuple):
    """State of a simulation at one time.

    Attributes:
        h: States.
        s: Sensitivities ``dh/dlam``.
        sum_h: Sums of ``|h|^2`` over the steps so far.
        sum_s: Sums of ``|s|^2`` over the steps so far.
    """

    h: Split
    s: Split
    sum_h: Real
    sum_s: Real


def split(values: Inexact[Array, "*shape"]) -> Split:
    """Return the real and imaginary parts of an array."""
    return Split(jnp.real(values), jnp.imag(values))


def walk(
    key: PRNGKeyArray,
    lam: Split,
    process: GaussianProcess,
    times: tuple[int, ...],
    batch: int,
    running: bool = False,
    gain: Float[Array, "n #batch"] | None = None,
) -> list[Walk]:
    """Simulate ``batch`` trajectories from the zero state; return them at ``times``.

    Args:
        key: Random key of JAX; do not use it for anything else.
        lam: Eigenvalues: (n, 1) if all trajectories share them, or (n, batch).
        process: Input process.  Each trajectory has its own input sequence, which all
            its neurons receive.
        times: Increasing numbers of steps after which the simulation is returned.
        batch: Number of trajectories.
        running: True to compute the sums of squares over the steps.  If False, the
            sums are zero.
        gain: Factor on each neuron's input, ``gamma`` in the LRU.  Default: 1.

    Returns:
        The simulation after each of ``times``; arrays have the shape (n, batch).
    """
    dtype = lam.re.dtype
    shape = (lam.re.shape[0], batch)
    initial_key, step_key = jax.random.split(key)
    multiplier = lax.complex(lam.re, lam.im)
    zero = jnp.zeros(shape, multiplier.dtype)
    shape = (process.initial_width, batch)
    state = process.initial(jax.random.normal(initial_key, shape, dtype))

    def body(now, x):
        h, s, sum_h, sum_s = now
        s = multiplier * s + h
        h = multiplier * h + (x[None] if gain is None else gain * x[None])
        if running:
            sum_h = sum_h + split(h).square()
            sum_s = sum_s + split(s).square()
        return (h, s, sum_h, sum_s), None

    def advance(carry, index, length):
        normals = _noise(step_key, index, process, batch, dtype)[:length]
        state, now = carry
        # Two scans: if the second generated the inputs, XLA would fuse the
        # generator into it and repeat it for every neuron.
        state, x = lax.scan(process.step, state, normals)
        now, _ = lax.scan(body, now, x)
        return state, now

    carry = (state, (zero, zero, zero.real, zero.real))
    seen, index, snapshots = 0, 0, []
    for time in times:
        chunks, remainder = divmod(time - seen, noise.CHUNK)
        if chunks:
            carry = lax.scan(
                lambda c, i: (advance(c, i, noise.CHUNK), None),
                carry,
                jnp.arange(index, index + chunks),
            )[0]
        if remainder:
            carry = advance(carry, index + chunks, remainder)
        seen, index = time, index + chunks + bool(remainder)
        h, s, sum_h, sum_s = carry[1]
        snapshots.append(Walk(split(h), split(s), sum_h, sum_s))
    return snapshots


def _noise(key, index, process, batch, dtype):
    """Return the Gaussian numbers of one chunk; a shorter chunk uses the first of them."""
    shape = (noise.CHUNK, process.step_width, batch)
    return jax.random.normal(jax.random.fold_in(key, index), shape, dtype)


def trajectories(
    key: PRNGKeyArray,
    lam: Inexact[Array, "n #batch"],
    process: GaussianProcess,
    times: tuple[int, ...],
    batch: int,
    running: bool = False,
    gain: Float[Array, "n #batch"] | None = None,
) -> list[Walk]:
    """Run ``walk`` by the fastest implementation on this machine, with the same samples.

    Do not call this function inside a compiled program.

    Args:
        key: Random key of JAX; do not use it for anything else.
        lam: Eigenvalues, real or complex.
        process: Input process, as in ``walk``.
        times: Numbers of steps, as in ``walk``.
        batch: Number of trajectories.
        running: True to compute the sums of squares over the steps.
        gain: Factor on each neuron's input.  Default: 1.
    """
    source = noise.follow(key, process, batch, lam.real.dtype)
    if source is None:
        return _on_gpu(key, lam, process, times, batch, running, gain) or scanned(
            key, split(lam), process, times, batch, running, gain
        )
    from sigprop.neuron import kernel

    carry = kernel.Carry(np.asarray(lam), batch, running)
    factor = None if gain is None else np.asarray(gain)
    longest = noise.CHUNK * max(1, STRETCH // (noise.CHUNK * batch))
    snapshots = []
    for seen, time in pairwise((0, *times)):
        for start in range(seen, time, longest):
            carry.advance(*source.stretch(min(longest, time - start)))
        snapshots.append(_scaled(_snapshot(carry.parts()), factor))
    return snapshots


scanned = jax.jit(
    walk,
    static_argnames=("process", "times", "batch", "running"),
    compiler_options=OFTEN,
)
"""``walk``, compiled by JAX."""


def _snapshot(parts: list[Inexact[np.ndarray, "n batch"]]) -> Walk:
    """Copy trajectories into new arrays, because the carry is updated in place."""
    h, s, *sums = (np.array(part) for part in parts)
    h, s = (Split(np.real(z), np.imag(z)) for z in (h, s))
    zero = np.zeros_like(h.re)
    return Walk(h, s, *(sums or (zero, zero)))


def _scaled(walk: Walk, gain: Real | None) -> Walk:
    """Return the trajectories for inputs times a gain, as the recurrence is linear."""
    if gain is None:
        return walk
    h, s = (Split(gain * z.re, gain * z.im) for z in (walk.h, walk.s))
    return Walk(h, s, gain**2 * walk.sum_h, gain**2 * walk.sum_s)


def _on_gpu(key, lam, process, times, batch, running, gain) -> list[Walk] | None:
    """Run ``walk`` by the GPU kernel; return None if the kernel cannot be used."""
    if not gpu.serves(_leaves, key, lam, process, batch, running):
        return None
    looks = gpu.attempt(lambda: gpu.looks(key, lam, process, times, batch, running))
    if looks is None:
        return None
    return [_scaled(_walk_of(look), gain) for look in looks]


def _leaves(key, lam, *rest) -> list[list[Real]]:
    """Return the real arrays of ``walk``, computed by the scan."""
    return [jax.tree.leaves(look) for look in scanned(key, split(lam), *rest)]


def _walk_of(leaves: tuple[Real, ...]) -> Walk:
    """Return a ``Walk`` from its real arrays, in the order of ``jax.tree.leaves``."""
    h_re, h_im, s_re, s_im, sum_h, sum_s = leaves
    return Walk(Split(h_re, h_im), Split(s_re, s_im), sum_h, sum_s)


def _batch_sums(key, lam, gain, process, times, batch, pairs):
    """Sums of |h|^2, |s|^2 and of the real pair products, over one batch."""
    return _totals(trajectories(key, lam, process, times, batch, gain=gain), pairs)


def _totals(snapshots, pairs):
    """Sums over sequences of all statistics and of their squares, at each time."""

    def total(values):
        return values.sum(-1), (values**2).sum(-1)

    left, right = np.array(pairs, int).reshape(-1, 2).T
    return [
        {
            "state": total(snapshot.h.square()),
            "sensitivity": total(snapshot.s.square()),
            "state_pair": total(snapshot.h.re[left] * snapshot.h.re[right]),
            "sensitivity_pair": total(snapshot.s.re[left] * snapshot.s.re[right]),
        }
        for snapshot in snapshots
    ]


def _sums_of_batches(keys, lam, gain, process, times, batch, pairs):
    """Return ``_batch_sums`` for every key, on all devices at once or one by one."""
    rest = (gain, process, times, batch, pairs)
    devices, found = _sharing(), None
    if len(keys) > 1 and gpu.serves(_leaves, keys[0], lam, process, batch):
        values = gpu.simplest(lam)
        found = gpu.attempt(lambda: _spread(devices, keys, values, *rest, kernel=True))
    if len(keys) > 1 and len(devices) > 1 and found is None:
        found = _spread(devices, keys, lam, *rest, kernel=False)
    if found is None:
        return [_batch_sums(key, lam, *rest) for key in keys]
    return [jax.tree.map(lambda a, i=i: a[i], found) for i in range(len(keys))]


def _sharing() -> list[Any]:
    """Return the devices that share batches.

    One CPU with the compiled kernel is faster than several CPUs with the scan.
    """
    return peers()[:1] if on_cpu() and noise.available() else peers()


def _spread(devices, keys, lam, *rest, kernel):
    """Return ``_batch_sums`` for all keys, distributed over the devices.

    Some keys are repeated if the number of keys is not a multiple of the number of
    devices.  Every process gets all sums.
    """
    filled = [*keys, *keys[:1] * (-len(keys) % len(devices))]
    mesh = Mesh(np.array(devices), "batches") if len(devices) > 1 else None
    sums = _together(jnp.stack(filled), lam, *rest, kernel, on_cpu(), mesh)
    return process_allgather(sums, tiled=True) if jax.process_count() > 1 else sums


@functools.partial(
    jax.jit,
    static_argnames=(
        "process",
        "times",
        "batch",
        "pairs",
        "kernel",
        "interpret",
        "mesh",
    ),
    compiler_options=OFTEN,
)
def _together(
    keys, lam, gain, process, times, batch, pairs, kernel, interpret, mesh=None
):
    """Return ``_batch_sums`` for all keys in one program.

    The kernel runs all batches of a device at once, to use the whole GPU.  The scan runs
    them one after the other, to limit the memory.
    """

    def sums(key, lam, gain):
        if kernel:
            from sigprop.neuron import gpu_kernel

            looks = gpu_kernel.looks(key, lam, process, times, batch, False, interpret)
            snapshots = [_scaled(_walk_of(look), gain) for look in looks]
        else:
            snapshots = walk(key, split(lam), process, times, batch, gain=gain)
        return _totals(snapshots, pairs)

    def share(keys, lam, gain):
        if kernel:
            return jax.vmap(lambda key: sums(key, lam, gain))(keys)
        return lax.map(lambda key: sums(key, lam, gain), keys)

    if mesh is None:
        return share(keys, lam, gain)
    shared, whole = PartitionSpec("batches"), PartitionSpec()
    return jax.shard_map(
        share,
        mesh=mesh,
        in_specs=(shared, whole, whole),
        out_specs=shared,
        check_vma=False,  # Pallas cannot declare how its results vary over devices
    )(keys, lam, gain)


def _wide(values: Real) -> Float[np.ndarray, "*shape"]:
    return np.asarray(values, np.float64)


def batches(num: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield the index and the size of each batch of ``num`` samples.

    All batches have ``size`` samples, except that the last can have fewer.
    """
    for index, start in enumerate(range(0, num, size)):
        yield index, min(size, num - start)


def over_batches(
    task: Callable[[int, int], Any],
    num: int,
    size: int,
    tick: Callable[[int], None],
    workers: int | None = None,
) -> list[Any]:
    """Run ``task(index, size)`` for every batch; return the results in order of index.

    The first batch runs alone, because it compiles the program that all batches share.

    Args:
        task: Function of the index and the size of a batch.
        num: Total number of samples.
        size: Number of samples in a batch.
        tick: Function that is called with the size of each finished batch.
        workers: Number of threads.  Default: one per core.  Use 1 if the program calls
            LAPACK in a batch, because two such programs at once can deadlock.
    """
    workers = cores() if workers is None else workers
    run, results = _everywhere(task), []
    (_, first), *rest = batches(num, size)
    results.append(task(0, first))
    tick(first)
    with ThreadPoolExecutor(workers) as pool:
        jobs = [(k, pool.submit(run, i, k)) for i, k in rest]
        for count, job in jobs:
            results.append(job.result())
            tick(count)
    return results


def by_reading(
    task: Callable[[int, int], Sums], num: int, size: int, names: Sequence[str]
) -> dict[str, Sums]:
    """Add the sums of all batches, and return the total of each measured quantity.

    Args:
        task: Function of the index and the size of a batch.  It returns the sums of the
            batch, with one quantity per entry of the first axis.
        num: Number of independent trajectories.
        size: Number of trajectories in a batch.
        names: Names of the quantities, in the order of the first axis.

    Returns:
        The sums of each quantity, by its name.
    """
    parts = over_batches(task, num, size, lambda count: None)
    whole = functools.reduce(Sums.__add__, parts)
    return {
        name: Sums(whole.first[place], whole.second[place], whole.n)
        for place, name in enumerate(names)
    }


def together(
    first: Callable[[], First], second: Callable[[], Second]
) -> tuple[First, Second]:
    """Call two functions in two threads, and return both results.

    XLA then compiles their programs on two cores at the same time.
    """
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(_everywhere(second))
        return first(), future.result()


def _everywhere(task: Callable[..., Result]) -> Callable[..., Result]:
    """Return a task that runs in the caller's precision and on its device in any thread.

    This is necessary because JAX's contexts belong to a thread.
    """
    config: Any = jax.config
    wide, device = bool(config.jax_enable_x64), config.jax_default_device

    def inside(*args: Any) -> Result:
        with double_precision(wide), jax.default_device(device):
            return task(*args)

    return inside


def _require_arguments(lam, times, num, batch, pairs, gain) -> None:
    """Raise an error for invalid sizes, and for numbers whose squares would overflow."""
    require_count("num", num, least=2)  # one draw has no standard error
    require_count("batch", batch)
    if not isinstance(times, tuple | list) or not len(times):
        raise ValueError(f"need times, one or more in a tuple, got {times=}")
    for time in times:
        require_count("times", time)
    if any(after <= before for before, after in pairwise(times)):
        raise ValueError(f"need increasing times, got {times=}")
    if lam.ndim != 1 or not lam.size:
        raise ValueError(f"need lam, one eigenvalue or more, got shape {lam.shape}")
    for pair in pairs:
        if np.shape(pair) != (2,):
            raise ValueError(f"need pairs of two indices of neurons, got {pairs=}")
        for place in pair:
            require_count("pairs", place, least=0, most=len(lam) - 1)
    require_finite(lam=lam, gain=gain)
    if gain is not None:
        if np.iscomplexobj(gain):
            raise ValueError(
                "need a real gain, got gain of complex numbers; a phase changes no "
                "second moment, pass their absolute values"
            )
        if np.shape(gain) != lam.shape:
            raise ValueError(
                f"need a gain for each of the {len(lam)} eigenvalues, got shape "
                f"{np.shape(gain)}"
            )
    largest = float(np.finfo(np.asarray(lam).dtype).max)
    growth = 2 * max(times) * math.log(max(float(np.abs(lam).max()), 1.0))
    scale = 1.0 if gain is None else max(float(np.abs(gain).max()), 1.0)
    if growth + 2 * math.log(scale) > math.log(largest):
        raise ValueError(
            f"need lam and gain of squares that stay below {largest:.3g} within "
            f"{max(times)} steps, got moduli of at most {np.abs(lam).max():.6g} and "
            f"{scale:.6g}"
        )


def second_moments(
    key: PRNGKeyArray,
    lam: Inexact[Array, " n"],
    process: GaussianProcess,
    *,
    times: tuple[int, ...],
    num: int,
    batch: int = 2048,
    pairs: tuple[tuple[int, int], ...] = (),
    gain: Float[Array, " n"] | None = None,
    tick: Callable[[int], None] = lambda count: None,
) -> list[dict[str, Sums]]:
    """Estimate second moments of states ``h`` and of ``dh/dlam`` by simulation.

    The recurrence is ``h_t = lam h_{t-1} + gain x_t``, with the input ``x``.  The
    trajectories are independent and start from the zero state.  If there are several
    GPUs, the batches are divided among them.  In a JAX run of several processes, each
    process must make this call.

    Args:
        key: Random key of JAX; do not use it for anything else.  Batch ``i`` uses
            ``fold_in(key, i)``.
        lam: Eigenvalues, one per neuron.  The simulation has the precision of ``lam``.
        process: Input process.  All neurons of a trajectory receive the same input.
        times: Increasing numbers of steps after which moments are measured, each at
            least one.  An appended time leaves the samples at the other times
            unchanged.  An inserted time can change the samples at later times.
        num: Number of trajectories, two or more.
        batch: Number of trajectories in memory at once.  It affects memory, speed and
            the random numbers.
        pairs: Pairs of neuron indices.  For each pair, the products of the real parts
            of the two states, and of the two derivatives, are averaged as well.
        gain: Real factor on each neuron's input.  Default: 1.
        tick: Function that is called after each batch, with the number of trajectories
            in the batch.

    Returns:
        A dictionary for each of ``times``.  Its values are ``Sums`` over the
        trajectories.  The method ``Sums.estimate`` gives the mean, the standard error
        and the number of samples.  The keys ``state`` and ``sensitivity`` give the sums
        of ``|h|^2`` and ``|dh/dlam|^2``, of shape (n,).  The keys ``state_pair`` and
        ``sensitivity_pair`` give the sums of the products for ``pairs``, of shape
        (pairs,).

    Raises:
        ValueError: If ``num`` is below 2; ``times`` are not increasing positive
            numbers; an index in ``pairs`` is out of range; ``lam`` or ``gain`` is not
            finite or so large that squares overflow; ``gain`` is complex or has another
            shape than ``lam``; or ``lam`` has double precision but JAX's 64-bit mode is
            off.

    Example:
        >>> from sigprop import White
        >>> lam = jnp.array([0.5])
        >>> (sums,) = second_moments(jax.random.key(0), lam, White(), times=(30,), num=4096)
        >>> mean, sem, n = sums["state"].estimate()
        >>> bool((abs(mean - 4 / 3) < 6 * sem).all()), n
        (True, 4096)
    """
    require_dtype(lam.dtype)
    _require_arguments(lam, times, num, batch, pairs, gain)
    scale = None if gain is None else jnp.asarray(gain, lam.real.dtype)[:, None]

    together = gpu.batches_together(lam, len(times), batch) * len(_sharing())

    def task(index: int, count: int):
        keys = [jax.random.fold_in(key, index * together + i) for i in range(together)]
        full, rest = divmod(count, batch)
        parts = [(keys[:full], batch), (keys[full : full + 1], rest)]
        return [
            [
                {
                    name: Sums(_wide(first), _wide(second), size)
                    for name, (first, second) in sums.items()
                }
                for sums in snapshots
            ]
            for some, size in parts
            if some and size
            for snapshots in _sums_of_batches(
                some, lam[:, None], scale, process, times, size, pairs
            )
        ]

    # Processes that work together run the same programs in the same order.
    workers = None if jax.process_count() == 1 else 1
    groups = over_batches(task, num, batch * together, tick, workers)
    parts_done = [part for group in groups for part in group]
    return [
        {
            name: functools.reduce(Sums.__add__, (part[i][name] for part in parts_done))
            for name in parts_done[0][i]
        }
        for i in range(len(times))
    ]
