"""Choice between the GPU kernel of a simulation and the slower scan.

The kernel is used only after it has given the numbers of the scan on this very device.
Whatever it fails with is said in one line, and the scan of JAX takes its place.
"""

import functools
import sys
from collections.abc import Callable
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from jaxtyping import Array, Inexact, PRNGKeyArray

from sigprop.inputs import GaussianProcess, Mixed
from sigprop.neuron import noise
from sigprop.numerics.devices import cuda_capability, device_kind, on_cpu

Result = TypeVar("Result")
LEAST = 8.0  # compute capability that the Triton inside XLA needs
ROOM = 2**30  # bytes that batches which run together may take
MOST = 64  # batches that run together, so that progress is seen
CLOSE = {"f": 1e-5, "d": 1e-12}  # to the scan, relative to the largest number


def serves(
    scan: Callable[..., list[list[Any]]],
    key: PRNGKeyArray,
    lam: Inexact[Array, "n #batch"],
    process: GaussianProcess,
    batch: int,
    running: bool = False,
) -> bool:
    """Return True if the kernel gives the numbers of ``montecarlo.walk`` here.

    It prints no reason in three cases without a kernel: a device other than
    CUDA's, a generator other than JAX's default, or a process that is not linear.

    Args:
        scan: Returns what ``looks`` does, by ``montecarlo.walk``.
        key: As for ``walk``.
        lam: Eigenvalues.
        process: Inputs.
        batch: Number of sequences.
        running: True to carry the sums of squares.
    """
    capability = cuda_capability()
    traced = isinstance(key, Tracer) or isinstance(lam, Tracer)
    if capability is None or traced or not _usual(key, process, batch):
        return False
    if not capable(capability):
        return False
    from sigprop.neuron import gpu_kernel

    try:
        gpu_kernel.step_of(process)
    except Exception:  # of the process, with arrays of NumPy; the scan may suit it
        return False
    real, shared = not np.any(np.imag(lam)), lam.shape[1] == 1
    return agrees(scan, device_kind(), lam.real.dtype.char, real, shared, running)


def _usual(key: PRNGKeyArray, process: GaussianProcess, batch: int) -> bool:
    """Return True if the kernel can reproduce the draws of this key."""
    config: Any = jax.config
    return (
        str(jax.random.key_impl(key)) == "threefry2x32"
        and config.jax_threefry_partitionable
        and noise.CHUNK * process.step_width * batch < noise.LARGEST
    )


@functools.cache
def agrees(
    scan: Callable[..., list[list[Any]]],
    device: str,
    char: str,
    real: bool,
    shared: bool,
    running: bool,
) -> bool:
    """Return True if kernel and scan give the same numbers in a small simulation.

    Args:
        scan: As for ``serves``.
        device: Device of this context; each device is asked once.
        char: Of the precision, ``f`` or ``d``.
        real: True if eigenvalues are real.
        shared: True if all sequences have the same.
        running: True to carry the sums of squares.
    """
    pairs = functools.partial(compared, scan, char, real, shared, running)
    return close(pairs, device, char)


def compared(
    scan: Callable[..., list[list[Any]]],
    char: str,
    real: bool,
    shared: bool,
    running: bool,
) -> list[tuple[Any, Any]]:
    """Pairs of arrays, by the kernel and by the scan.  Arguments are of ``agrees``.

    Raises:
        Exception: Any of the compiler, the driver or the memory.
    """
    neurons, batch, times = 17, 33, (1, 70)
    random = np.random.default_rng(0)
    shape = (neurons, 1 if shared else batch)
    lam = random.uniform(-0.95, 0.95, shape)
    if not real:
        lam = lam * np.exp(1j * random.uniform(0, 2, shape))
    lam = jnp.asarray(lam, np.dtype(char) if real else np.dtype(char.upper()))
    arguments = (jax.random.key(0), lam, Mixed(0.7, 0.3, 0.9), times, batch, running)
    return [
        (np.asarray(row), np.asarray(other))
        for rows, others in zip(looks(*arguments), scan(*arguments), strict=True)
        for row, other in zip(rows, others, strict=True)
    ]


def apart(pairs: list[tuple[Any, Any]]) -> float:
    """Largest difference of pairs of arrays, relative to the largest number or one.

    NaN if any number in the arrays is NaN.
    """
    differences = [
        np.abs(row - other).max() / max(np.abs(other).max(), 1) for row, other in pairs
    ]
    return float(np.max(differences))


def close(
    compared: Callable[[], list[tuple[Any, Any]]],
    device: str,
    char: str,
    kernel: str = "GPU kernel",
) -> bool:
    """Return True if a kernel's arrays equal the scan's to rounding; else say why not.

    Args:
        compared: Returns pairs of arrays of NumPy, by the kernel and by the scan.
        device: On which they are computed.
        char: Of the precision, ``f`` or ``d``.
        kernel: Its name in the line.
    """
    pairs = attempt(compared, kernel)
    if pairs is None:
        return False
    far = apart(pairs)
    if not far <= CLOSE[char]:
        say(f"its numbers are {far:.1e} apart from the scan's on {device}", kernel)
    return far <= CLOSE[char]


def looks(
    key: PRNGKeyArray,
    lam: Inexact[Array, "n #batch"],
    process: GaussianProcess,
    times: tuple[int, ...],
    batch: int,
    running: bool = False,
) -> list[tuple[Any, ...]]:
    """By the kernel, the leaves of the walks of ``montecarlo.walk`` without a gain."""
    from sigprop.neuron import gpu_kernel

    # Pallas interprets the kernel where a test asks for it without a GPU.
    run = functools.partial(_compiled(gpu_kernel.looks), interpret=on_cpu())
    return run(key, simplest(lam), process, times, batch, running)


def simplest(lam: Inexact[Array, "*shape"]) -> Inexact[Array, "*shape"]:
    """Eigenvalues as real numbers if they are."""
    return lam if np.any(np.imag(lam)) else lam.real


def batches_together(lam: Inexact[Array, " n"], looks: int, batch: int) -> int:
    """Number of batches that run at once: one, or as many as a GPU has room for."""
    if cuda_capability() is None:
        return 1
    numbers = 4 * len(lam) * batch * (looks + 3)  # the looks, and what is at work
    return max(1, min(MOST, ROOM // (numbers * lam.real.dtype.itemsize)))


@functools.cache
def _compiled(function: Callable[..., Result]) -> Callable[..., Result]:
    names = ("process", "times", "batch", "running", "interpret")
    return jax.jit(function, static_argnames=names)


def attempt(
    simulate: Callable[[], Result], kernel: str = "GPU kernel"
) -> Result | None:
    """Run a simulation by the kernel; if it fails, say why and return None."""
    try:
        return jax.block_until_ready(simulate())
    except Exception as error:  # of the compiler, the driver or the memory
        text = str(error).strip() or type(error).__name__
        say(text.splitlines()[0], kernel)
        return None


def capable(capability: float, kernel: str = "GPU kernel") -> bool:
    """Return True if a device can run a kernel; else say which capability it needs."""
    if capability < LEAST:
        say(f"it needs compute capability {LEAST}, got {capability}", kernel)
    return capability >= LEAST


@functools.cache
def say(reason: str, kernel: str = "GPU kernel") -> None:
    """Print once why the scan takes the kernel's place."""
    print(
        f"sigprop: the {kernel} is not used, a slower scan is: {reason}",
        file=sys.stderr,
    )
