"""The devices on which a run computes."""

import math
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import jax

from sigprop.numerics.extras import command

DEVICES = ("cpu", "gpu")


@contextmanager
def use_device(name: str) -> Iterator[None]:
    """Run a block on the CPU or on the first GPU; simulated moments use all GPUs.

    Raises:
        ValueError: If the name is unknown, or there is no device of this kind.
    """
    if name not in DEVICES:
        raise ValueError(f"need a device in {DEVICES}, got {name!r}")
    try:
        device = jax.devices(name)[0]
    except RuntimeError:
        raise ValueError(
            f"no {name} is available to JAX {jax.__version__}; run {command('cuda')} on a "
            "machine with a CUDA device, or use --device cpu"
        ) from None
    with jax.default_device(device):
        yield


def device_kind() -> str:
    """Kind of the device on which this context computes, as named by its driver."""
    return _here().device_kind


def on_cpu() -> bool:
    """Return True if this context computes on a CPU."""
    return _here().platform == "cpu"


def peers() -> list[Any]:
    """All devices, in all processes, of the platform on which this context computes."""
    return jax.devices(_here().platform)


def cuda_capability() -> float | None:
    """Compute capability of the GPU on which this context computes, such as 9.0.

    It is ``None`` on devices other than CUDA's.
    """
    try:
        return float(_here().compute_capability)
    except (AttributeError, ValueError):
        return None


def _here() -> Any:
    return next(iter(jax.numpy.zeros(()).devices()))


def default_device() -> str:
    """Platform and kind of JAX's default device, as stored in results."""
    device = jax.devices()[0]
    return f"{device.platform}: {device.device_kind}"


def cores() -> int:
    """Number of processor cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resident() -> float:
    """Bytes of resident memory of this process; infinite if the system does not report it."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return math.inf
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


def peak_memory() -> float:
    """Largest resident memory of this process so far, in bytes.

    The result is NaN if the system does not report it (Windows).  On Linux, ``getrusage``
    would include the peak of the parent process, so the kernel's record of this process
    is read instead.
    """
    status = Path("/proc/self/status")
    if status.is_file():
        (mark,) = re.findall(r"VmHWM:\s*(\d+) kB", status.read_text())
        return float(mark) * 1024
    try:
        import resource
    except ImportError:
        return math.nan
    unit = 1 if sys.platform == "darwin" else 1024
    return float(unit * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
