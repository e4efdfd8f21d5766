"""Seeds that no run has used before, the same in all processes of one run of pytest."""

import os
import uuid
import zlib

RUN = os.environ.get("PYTEST_XDIST_TESTRUNUID") or uuid.uuid4().hex


def fresh_seeds(count: int, name: str = "") -> list[int]:
    """Seeds of this run of pytest, others for each name; a failure has to print them.

    To repeat a failure, call what failed with the printed seed.
    """
    return [zlib.crc32(f"{RUN} {name} {index}".encode()) for index in range(count)]
