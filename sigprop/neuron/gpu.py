"""Choice between the GPU kernel of a simulation and the slower scan.

The kernel is used only if it first reproduces the numbers of the scan on the same device.
If it fails, one line on standard error gives the reason, and the scan of JAX is used.
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
LEAST = 8.0  # smallest compute capability for XLA's Triton
ROOM = 2**30  # memory in bytes of batches that run together
MOST = 64  # batches per call; more would delay progress messages
CLOSE = {"f": 1e-5, "d": 1e-12}  # relative differences to the scan


def serves(
    scan: Callable[..., list[list[Any]]],
    key: PRNGKeyArray,
    lam: Inexact[Array, "n #batch"],
    process: GaussianProcess,
    batch: int,
    running: bool = False,
) -> bool:
    """Return True if the kernel reproduces ``montecarlo.walk`` on the current device.

    If the kernel is not used, the function prints the reason.  It prints nothing for a
    device without CUDA, another random generator than JAX's default, or a nonlinear
    process.

    Args:
        scan: Function that returns the result of ``looks``, computed by
            ``montecarlo.walk``.
        key: Random key of JAX.
        lam: Eigenvalues.
        process: Input process.
        batch: Number of sequences.
        running: True to compute the sums of squares over the steps.
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
    except Exception:  # an error of a process with NumPy arrays; the scan may work
        return False
    real, shared = not np.any(np.imag(lam)), lam.shape[1] == 1
    return agrees(scan, device_kind(), lam.real.dtype.char, real, shared, running)


def _usual(key: PRNGKeyArray, process: GaussianProcess, batch: int) -> bool:
    """Return True if the kernel can reproduce the random numbers of this key."""
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
        device: Name of the current device; each device is tested once.
        char: ``f`` for single and ``d`` for double precision.
        real: True if the eigenvalues are real.
        shared: True if all sequences have the same eigenvalues.
        running: True to compute the sums of squares over the steps.
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
    """Return pairs of arrays from the kernel and from the scan in a small simulation.

    The arguments are those of ``agrees``.

    Raises:
        Exception: If the compiler or the driver fails, or memory is short.
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
    """Return the largest difference in pairs of arrays.

    It is relative to the largest number of an array, or to one if this is larger.  It is
    NaN if an array has NaN.
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
    """Return True if a kernel's arrays equal the scan's up to rounding.

    If they differ, the function prints the difference.

    Args:
        compared: Function that returns pairs of NumPy arrays, from the kernel and from
            the scan.
        device: Name of the device, for the message.
        char: ``f`` for single and ``d`` for double precision.
        kernel: Name of the kernel, for the message.
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
    """Run ``montecarlo.walk`` without a gain on the GPU kernel; return its arrays.

    Args:
        key: Random key of JAX.
        lam: Eigenvalues.
        process: Input process.
        times: Numbers of steps after which the simulation is returned.
        batch: Number of sequences.
        running: True to compute the sums of squares over the steps.
    """
    from sigprop.neuron import gpu_kernel

    # Pallas interprets the kernel where a test asks for it without a GPU.
    run = functools.partial(_compiled(gpu_kernel.looks), interpret=on_cpu())
    return run(key, simplest(lam), process, times, batch, running)


def simplest(lam: Inexact[Array, "*shape"]) -> Inexact[Array, "*shape"]:
    """Return the eigenvalues, as a real array if all imaginary parts are zero."""
    return lam if np.any(np.imag(lam)) else lam.real


def batches_together(lam: Inexact[Array, " n"], looks: int, batch: int) -> int:
    """Return the number of batches that run at once: 1 on a CPU, more on a GPU.

    Args:
        lam: Eigenvalues.
        looks: Number of times at which the simulation is returned.
        batch: Number of trajectories of a batch.
    """
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
    """Run a simulation by the kernel; if it fails, print the reason and return None."""
    try:
        return jax.block_until_ready(simulate())
    except Exception as error:  # of the compiler, the driver or the memory
        text = str(error).strip() or type(error).__name__
        say(text.splitlines()[0], kernel)
        return None


def capable(capability: float, kernel: str = "GPU kernel") -> bool:
    """Return True if a device can run a kernel; otherwise print what the kernel needs.

    Args:
        capability: CUDA compute capability of the device.
        kernel: Name of the kernel, for the message.
    """
    if capability < LEAST:
        say(f"it needs compute capability {LEAST}, got {capability}", kernel)
    return capability >= LEAST


@functools.cache
def say(reason: str, kernel: str = "GPU kernel") -> None:
    """Print once the reason why the scan is used instead of the kernel."""
    print(
        f"sigprop: the {kernel} is not used, a slower scan is: {reason}",
        file=sys.stderr,
    )
