"""Programs of their own, which XLA optimises as it does for a user."""

import os
import subprocess
import sys


def printed_by(program: str, *arguments: str) -> str:
    """Standard output of a Python program, without the XLA flags of the tests.

    Raises:
        AssertionError: If it ends with another status than 0; the message is its error
            output.
    """
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env={name: value for name, value in os.environ.items() if name != "XLA_FLAGS"},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
