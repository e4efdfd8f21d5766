"""Programs of their own, which XLA compiles as it does for ``sigprop verify``."""

import subprocess
import sys


def printed_by(program: str, *arguments: str) -> str:
    """Standard output of a Python program, with the XLA flags of the tests.

    Raises:
        AssertionError: If it ends with another status than 0; the message is its error
            output.
    """
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
