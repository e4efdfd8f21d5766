"""Programs in processes of their own, on as many devices as a test asks for."""

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FORCED = "--xla_force_host_platform_device_count="
JOINED = """
import sys, jax
from jax.experimental.multihost_utils import process_allgather
jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(
    sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), heartbeat_timeout_seconds=600
)
# While both are here: gloo waits half a minute for others, and imports may take more.
process_allgather(jax.numpy.zeros(1))
"""


def answers(program: str, devices: int, processes: int = 1) -> list[Any]:
    """What a program prints last in each process, read as JSON.

    Args:
        program: Source of Python.
        devices: CPU devices of each process.
        processes: Of a cluster of JAX, if more than one.
    """
    flags = f"{os.environ.get('XLA_FLAGS', '')} {FORCED}{devices}"
    environment = {**os.environ, "XLA_FLAGS": flags, "PYTHONPATH": str(ROOT)}
    with socket.socket() as free:
        free.bind(("localhost", 0))
        address = f"localhost:{free.getsockname()[1]}"
    source = JOINED + program if processes > 1 else program
    started = [
        subprocess.Popen(
            [sys.executable, "-c", source, address, str(processes), str(index)],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for index in range(processes)
    ]
    try:
        ended = [process.communicate(timeout=600) for process in started]
    finally:
        for process in started:
            process.kill()
    for process, (_, error) in zip(started, ended, strict=True):
        assert process.returncode == 0, error
    return [json.loads(output.splitlines()[-1]) for output, _ in ended]
