"""What every test starts from: strict shapes, single precision, no display.

Random seeds are fixed so that a failure can be repeated, but no test relies on its
seed: each may be wrong only at a rate that it states.
"""

import gc
import os
import re
import signal
import zlib

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("MPLBACKEND", "Agg")
os.environ.setdefault("SIGPROP_TRACEBACK", "1")  # defects fail tests loudly
os.environ.pop("COLUMNS", None)  # output is as wide as in a file, whatever the terminal

# A shell's background jobs ignore Ctrl-C, and so would the programs that tests start.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Collecting makes hundreds of thousands of objects that live to the end: no garbage.
if gc.isenabled():
    gc.disable()

import jax
import mpmath
import pytest
from hypothesis import settings

from sigprop.numerics.compilation import compile_quickly
from sigprop.numerics.garbage import collect_seldom
from sigprop.numerics.precision import double_precision
from sigprop.numerics.programs import forget_programs, keep_programs
from tests.browser import browser as browser
from tests.browser import chromium as chromium
from tests.kept import FOLDER, MOST, let_go, share_contexts
from tests.kept import compiled_anew as compiled_anew
from tests.skips import pytest_runtest_makereport as pytest_runtest_makereport
from tests.skips import pytest_runtest_setup as pytest_runtest_setup
from tests.skips import pytest_terminal_summary as pytest_terminal_summary
from tests.skips import real_data as real_data

# Tests compile far more than they compute.
compile_quickly()
keep_programs(FOLDER)
share_contexts()
jax.config.update("jax_numpy_rank_promotion", "raise")
settings.register_profile(
    "sigprop", deadline=None, derandomize=False, print_blob=True, max_examples=100
)
settings.load_profile("sigprop")


def pytest_xdist_auto_num_workers(config) -> int:
    """One worker a core, where compiling takes the time; none beside a GPU's memory."""
    alone = re.search(r"(?<!not )\bgpu\b", config.option.markexpr)
    return 0 if alone else min(os.cpu_count() or 1, 8)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    """Of a test that is ``sampled(n, keep=[...])``, all but n of its quick cases are slow.

    Those of ``keep``, by their ids, stay; the others are spread evenly, from another one
    in each test: no case is left out of all.  Without ``n`` nothing else stays.  Of a test
    that is ``sampled(kind="name")``, one case of every value of the argument ``name``
    stays besides, each at another value of the others: no kind is left to the slow tests.
    Where the command names a case by its id, nothing is left out.  What is
    ``slow(first=True)`` comes before all others: no core waits at the end for a test of
    minutes.
    """
    items.sort(key=lambda item: not _begins(item.get_closest_marker("slow")))
    if any("[" in argument for argument in config.args):
        return
    cases: dict[str, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("sampled") and not item.get_closest_marker("slow"):
            cases.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for name, group in cases.items():
        marker = group[0].get_closest_marker("sampled")
        keep = set(marker.kwargs.get("keep", ()))
        ids = [item.nodeid.partition("[")[2].removesuffix("]") for item in group]
        if not keep <= set(ids):
            raise pytest.UsageError(
                f"{name} keeps cases that it has not, or that are slow: "
                f"{sorted(keep - set(ids))} of {ids}"
            )
        keep |= _of_every_kind(name, group, marker.kwargs.get("kind"))
        others = [
            item
            for item, case_id in zip(group, ids, strict=True)
            if case_id not in keep
        ]
        count = max((marker.args[0] if marker.args else 0) - len(keep), 0)
        count = min(count, len(others))
        chosen = {i * len(others) // count for i in range(count)}
        first = zlib.crc32(name.encode())
        for index, item in enumerate(others, start=first):
            if index % len(others) not in chosen:
                item.add_marker(pytest.mark.slow)


def _of_every_kind(name: str, group: list[pytest.Item], kind: str | None) -> set[str]:
    """Ids of one case of every value of an argument; of quick cases alone."""
    if kind is None:
        return set()
    kinds: dict[int | str, list[str]] = {}
    for item in group:
        indices = item.callspec.indices  # pyright: ignore[reportAttributeAccessIssue]
        if kind not in indices:
            raise pytest.UsageError(
                f"{name} keeps a case of every {kind!r}, of which there is none in "
                f"{sorted(indices)}"
            )
        value = item.callspec.params[kind]  # pyright: ignore[reportAttributeAccessIssue]
        # Where arguments stand in rows, a text may be that of many rows.
        key = value if isinstance(value, str) else indices[kind]
        kinds.setdefault(key, []).append(item.nodeid.partition("[")[2][:-1])
    first = zlib.crc32(name.encode())
    return {ids[(first + index) % len(ids)] for index, ids in enumerate(kinds.values())}


def _begins(slow) -> bool:
    return slow is not None and slow.kwargs.get("first", False)


def pytest_collection_finish(session):
    """Let the garbage collector pass over what collecting made; it lives to the end."""
    gc.collect()
    collect_seldom()
    gc.enable()


def pytest_sessionfinish(session):
    """Forget the oldest programs, once for all workers."""
    if not hasattr(session.config, "workerinput"):
        forget_programs(FOLDER, MOST)


@pytest.fixture(scope="module", autouse=True)
def fewer_programs():
    """Forget what modules compiled before all of it together takes gigabytes."""
    yield
    let_go()


@pytest.fixture
def x64():
    """Run the test in double precision; without it JAX computes in 32 bits."""
    with double_precision(True):
        yield


@pytest.fixture(autouse=True)
def default_mpmath():
    """Give every test mpmath's own precision, and undo what it changed."""
    mpmath.mp.prec = 53
    yield
    mpmath.mp.prec = 53
