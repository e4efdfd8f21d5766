"""Programs of their own, which XLA compiles as it does for ``sigprop verify``."""

import multiprocessing
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor

import pytest

from tests.kept import share_contexts


@pytest.fixture(scope="module")
def beside():
    """A process for a module's calls, one after the other, without checks of shapes.

    It imports once what they need, and compiles as ``printed_by`` does.
    """
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, spawn, initializer=share_contexts) as pool:
        yield pool


def printed_by(program: str, *arguments: str) -> str:
    """Standard output of a Python program, with the XLA flags of the tests.

    Raises:
        AssertionError: If it ends with another status than 0; the message is its error
            output.
    """
    process = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
    )
    assert process.returncode == 0, process.stderr
    return process.stdout
