"""Tests of a marker run wherever they can, and none is skipped without a word."""

import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.conftest import pytest_xdist_auto_num_workers
from tests.skips import LIST, NEEDS

pytest_plugins = ["pytester"]
ROOT = Path(__file__).parents[1]

CASES = """
import pytest

def test_plain(): pass

@pytest.mark.browser
def test_browser(): pass

@pytest.mark.browser
def test_shy_browser(): pytest.skip("not today")

@pytest.mark.cluster
@pytest.mark.skipif(True, reason="never")
def test_shy_cluster(): pass

@pytest.mark.data("here.csv")
def test_here(real_data): assert real_data.read_text() == "1"

@pytest.mark.data("here.csv", "gone.csv")
def test_gone(): pytest.fail("ran without its file")

@pytest.mark.data("gone.csv")
def test_gone_and_shy(): pytest.skip("not today")

def test_shy(): pytest.skip("a law that does not apply")

@pytest.mark.browser
@pytest.mark.xfail(strict=True)
def test_expected_to_fail(): raise ValueError
"""


@pytest.fixture
def suite(pytester, monkeypatch):
    """A suite with the project's hooks, and a machine with all that they ask for."""
    pytester.makeconftest("from tests.skips import *")
    pytester.makepyfile(test_one=CASES)
    markers = "\n    ".join(NEEDS)
    pytester.makeini(f"[pytest]\naddopts = --strict-markers\nmarkers =\n    {markers}")
    (pytester.mkdir("data") / "here.csv").write_text("1")
    monkeypatch.setenv("SIGPROP_DATA", str(pytester.path / "data"))
    monkeypatch.setattr("tests.skips.shutil.which", lambda name: f"/bin/{name}")
    for name in (LIST, "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)

    def run(*options):
        return pytester.runpytest_inprocess("-p", "no:jaxtyping", *options)

    return run


def test_what_could_run_and_was_skipped_fails(suite):
    result = suite("-rA")
    result.assert_outcomes(passed=3, failed=1, errors=1, skipped=3, xfailed=1)
    result.stdout.fnmatch_lines_random(
        [
            "*test_shy_browser could run here and was skipped: *not today",
            "*test_shy_cluster could run here and was skipped: *never",
            "*needs SIGPROP_DATA, a folder with gone.csv",
            "PASSED *::test_here",
        ]
    )


def test_what_cannot_run_is_skipped_and_says_what_it_needs(suite, monkeypatch):
    monkeypatch.setattr("tests.skips.shutil.which", lambda name: None)
    monkeypatch.delenv("SIGPROP_DATA")
    result = suite("-rs", "-k", "browser or here or to_fail")
    result.assert_outcomes(skipped=4)
    text = result.stdout.str()
    assert "needs a chromium executable on PATH" in text
    assert "needs SIGPROP_DATA, a folder with here.csv" in text


def test_every_skipped_test_is_listed_with_its_reason(suite, monkeypatch, tmp_path):
    listed = tmp_path / "skipped.txt"
    monkeypatch.setenv(LIST, str(listed))
    suite("-k", "gone")
    suite("-k", "test_shy and not browser and not cluster")
    assert listed.read_text().splitlines() == [
        "test_one.py::test_gone: Skipped: needs SIGPROP_DATA, a folder with gone.csv",
        "test_one.py::test_gone_and_shy: Skipped: needs SIGPROP_DATA, a folder with "
        "gone.csv",
        "test_one.py::test_shy: Skipped: a law that does not apply",
    ]


def test_a_data_test_that_names_no_file_is_an_error(suite, pytester):
    pytester.makepyfile(test_one="import pytest\n@pytest.mark.data\ndef test(): pass\n")
    result = suite()
    assert result.ret != 0
    result.stdout.fnmatch_lines(["*need what a data test reads, as in data(*"])


@pytest.mark.parametrize(
    ("expression", "alone"),
    [
        ("gpu", True),
        ("slow and gpu", True),
        ("slow and not gpu", False),
        ("not slow", False),
    ],
)
def test_only_tests_of_a_gpu_run_in_one_process(expression, alone):
    config = SimpleNamespace(option=SimpleNamespace(markexpr=expression))
    assert (pytest_xdist_auto_num_workers(config) == 0) == alone


TOOLS = ["bash", "dirname", "mktemp", "rm", "sort", "grep", "cat", "mkdir", "touch"]
PYTEST = """
echo "pytest called with: $*"
echo "test_$#: Skipped: a reason" >>"$SIGPROP_SKIPPED"
exit "$([[ $# == ${BREAKS:-} ]] && echo "$STATUS" || echo 0)"
"""

SIGPROP = """
echo "sigprop called with: $*"
[[ $1 != figure ]] || { mkdir figures-out && echo drawn >figures-out/lru-9.png; }
[[ $1 != "${REFUSED:-}" ]]
"""


@pytest.fixture
def script(tmp_path):
    """The script, with programs around it that only say that they were called."""
    programs = dict.fromkeys(
        ("python", "pip", "ruff", "pyright", "uv", "twine"), "exit 0"
    )
    programs |= {
        "python3": 'mkdir -p "$3/bin"',
        "pytest": PYTEST,
        "sigprop": SIGPROP,
        "sudo": 'shift; exec "$@"',
        "apt-get": 'echo "apt-get called with: $*"',
        "git": '[[ $1 == rev-list ]] && echo "${COMMITS:-0}"',
    }
    for name, text in programs.items():
        (tmp_path / name).write_text(f"#!/usr/bin/env bash\n{text}\n")
        (tmp_path / name).chmod(0o755)
    for name in (*TOOLS, "env"):
        (tmp_path / name).symlink_to(str(shutil.which(name)))

    def run(*arguments, **environment):
        return subprocess.run(
            [str(shutil.which("bash")), ROOT / ".ci" / "run", *arguments],
            env={"PATH": str(tmp_path), **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_script_runs_both_kinds_of_test_and_lists_the_skipped(script):
    result = script()
    lines = result.stdout.splitlines()
    assert result.returncode == 0, result.stderr
    assert [line for line in lines if line.startswith("pytest called")] == [
        "pytest called with: ",
        "pytest called with: -m slow and not gpu --dist worksteal --share 0/6",
    ]
    index = lines.index("=== Skipped tests ===")
    assert lines[index + 1 : index + 3] == [
        "test_0: Skipped: a reason",
        "test_6: Skipped: a reason",
    ]
    assert [line.split()[3] for line in lines if line.startswith("sigprop called")] == [
        "verify",
        "lint",
        "figure",
    ]
    assert lines[-1] == "=== All passed ==="
    assert "apt-get called with: install -y -qq chromium" in lines


@pytest.mark.parametrize(("commits", "share"), [(1373, "5/6"), (1374, "0/6")])
def test_each_commit_takes_another_share_of_the_slow_tests(script, commits, share):
    lines = script(COMMITS=str(commits)).stdout.splitlines()
    assert f"=== The slow tests, share {share} ===" in lines


def test_the_script_leaves_the_slow_tests_out_where_asked(script):
    lines = script("quick").stdout.splitlines()
    assert [line for line in lines if line.startswith("pytest called")] == [
        "pytest called with: "
    ]
    assert lines[-1] == "=== All passed ==="


@pytest.mark.parametrize("refused", ["verify", "lint", "figure"])
def test_the_script_fails_where_the_lowest_versions_do(script, refused):
    result = script(REFUSED=refused)
    assert result.returncode == 1
    assert result.stdout.splitlines()[-1] == "=== FAILED ==="


@pytest.mark.parametrize("breaks", ["0", "6"])
@pytest.mark.parametrize("status", ["1", "5"])
def test_the_script_fails_where_tests_fail_or_none_is_found(script, breaks, status):
    result = script(BREAKS=breaks, STATUS=status)
    assert result.returncode == int(status)
    assert "test_0: Skipped: a reason" in result.stdout
    assert result.stdout.splitlines()[-1] == "=== FAILED ==="
    assert ("no test was selected by" in result.stderr) == (status == "5")
