"""What a test needs beside Python, by its marker: it runs where that is there.

A test that has a marker of these and is skipped all the same fails: nobody would notice
that it never ran.  With ``SIGPROP_SKIPPED=FILE`` every skipped test is added to that file
with its reason.
"""

import importlib.util
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

LIST = "SIGPROP_SKIPPED"


def _browser(mark: pytest.Mark) -> str | None:
    return None if shutil.which("chromium") else "a chromium executable on PATH"


def _cluster(mark: pytest.Mark) -> str | None:
    return None if importlib.util.find_spec("distributed") else "dask[distributed]"


def _data(mark: pytest.Mark) -> str | None:
    if not mark.args:
        raise pytest.UsageError(
            'need what a data test reads, as in data("ett/ETTh1.csv")'
        )
    folder = os.environ.get("SIGPROP_DATA")
    missing = [
        file for file in mark.args if not folder or not Path(folder, file).exists()
    ]
    return f"SIGPROP_DATA, a folder with {', '.join(missing)}" if missing else None


NEEDS: dict[str, Callable[[pytest.Mark], str | None]] = {
    "browser": _browser,
    "cluster": _cluster,
    "data": _data,
}


def missing(item: pytest.Item) -> list[str]:
    """What the markers of a test ask for, and this machine has not."""
    needs = [
        need(mark) for name, need in NEEDS.items() for mark in item.iter_markers(name)
    ]
    return [need for need in needs if need is not None]


@pytest.fixture
def real_data(request: pytest.FixtureRequest) -> Path:
    """The file or folder that the test's own ``data`` marker names."""
    mark = request.node.get_closest_marker("data")
    return Path(os.environ["SIGPROP_DATA"], mark.args[0])


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    """Skip what cannot run, and say what it needs."""
    if lacking := missing(item):
        pytest.skip(f"needs {'; '.join(lacking)}")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Fail a test that had all that its marker asks for, and skipped itself."""
    report = yield
    marked = any(item.get_closest_marker(name) for name in NEEDS)
    expected = hasattr(report, "wasxfail")
    if report.skipped and marked and not expected and not missing(item):
        report.outcome = "failed"
        report.longrepr = (
            f"{item.nodeid} could run here and was skipped: {_why(report)}"
        )
    return report


def _why(report):
    location = report.longrepr
    return location[2] if isinstance(location, tuple) else str(location)


def pytest_terminal_summary(terminalreporter):
    """List the skipped tests, one a line, where a list is wanted."""
    if os.environ.get(LIST):
        with Path(os.environ[LIST]).open("a") as file:
            for report in terminalreporter.stats.get("skipped", ()):
                file.write(f"{report.nodeid}: {_why(report)}\n")
