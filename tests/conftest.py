"""What every test starts from: strict shapes, single precision, no display.

Random seeds are fixed so that a failure can be repeated, but no test relies on its
seed: each may be wrong only at a rate that it states.
"""

import gc
import os
import re
import signal

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
from tests.sampling import left_out, sample
from tests.sampling import pytest_addoption as pytest_addoption
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
    """Sample the cases, take a share of the slow ones, and begin with the slowest.

    What is ``slow(first=True)`` comes before all others: no core waits at the end for a
    test of minutes.
    """
    items.sort(key=lambda item: not _begins(item.get_closest_marker("slow")))
    if not any("[" in argument for argument in config.args):
        sample(items)
    others = set(left_out(items, config.option.share))
    config.hook.pytest_deselected(items=list(others))
    items[:] = [item for item in items if item not in others]


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
