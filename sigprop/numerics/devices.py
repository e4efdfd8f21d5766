"""Choosing where a run computes."""

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
    """Run a block on the CPU or on the first GPU; moments take all GPUs.

    Raises:
        ValueError: If the name is unknown or no such device is there.
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
    """The kind of device on which this context computes, as its driver names it."""
    return _here().device_kind


def on_cpu() -> bool:
    """Return True if this context computes on a CPU."""
    return _here().platform == "cpu"


def peers() -> list[Any]:
    """Devices of the platform on which this context computes, of all processes."""
    return jax.devices(_here().platform)


def cuda_capability() -> float | None:
    """Compute capability of the GPU on which this context computes, such as 9.0.

    ``None`` on other devices than those of CUDA.
    """
    try:
        return float(_here().compute_capability)
    except (AttributeError, ValueError):
        return None


def _here() -> Any:
    return next(iter(jax.numpy.zeros(()).devices()))


def default_device() -> str:
    """JAX's default device, as results name it: its platform and kind."""
    device = jax.devices()[0]
    return f"{device.platform}: {device.device_kind}"


def cores() -> int:
    """Processor cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def resident() -> float:
    """Bytes of memory that this process holds now; infinite where the system does not say."""
    try:
        pages = int(Path("/proc/self/statm").read_text("ascii").split()[1])
    except OSError:
        return math.inf
    return float(pages * os.sysconf("SC_PAGE_SIZE"))


def peak_memory() -> float:
    """Most bytes that this process has held resident so far.

    Not a number where the system does not keep count (Windows).  Linux hands the peak
    that ``getrusage`` reports down from the process that started this one, so there the
    kernel's own high-water mark is read.
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
